"use strict";
// Graphs of the page: layers and order come from Python; columns, lines and folding are computed here.
(() => {
  const GAP = 20, LINE = 11, LAYER = 30, SIDE = 12, LANE = 6, MARGIN = 18, SWEEPS = 12, ADVANCE = 0.62;
  const SMALL = new Set(["view", "constant", "output", "port", "fixed"]);
  const safe = (s) => String(s).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const n1 = (v) => v.toFixed(1).replace(/\.0$/, "");
  const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;
  const width = (s, size) => [...(s || "")].reduce((n, c) => n + (wide.test(c) ? 2 : 1), 0) * size * ADVANCE;

  // ------------------------------------------------------------------ what is shown

  function prepare(g, path, all) {
    wire(g, false);
    g.items.forEach((item, i) => {
      item.id = path + i;
      item.at = g;
      item.i = i;
      all.set(item.id, item);
      if (item.f) { prepare(item.f, item.id + ".", all); item.f.holder = item; }
    });
  }

  function wire(g, shapes) {  // lines and layers with shape arithmetic or without
    const now = shapes && g.all ? g.all : g;
    g.now = now;
    g.into = g.items.map(() => []);
    g.from = g.items.map(() => []);
    for (const e of now.edges) { g.into[e[2]].push(e); g.from[e[0]].push(e); }
    g.ends = g.items.map((_, i) => i).filter((i) => (!g.from[i].length || g.items[i].stay) && (now !== g || !g.items[i].hide));
    for (const item of g.items) item.more = undefined;
  }

  function shown(g) {
    const seen = new Set(), stack = [...g.ends];
    while (stack.length) {
      const i = stack.pop();
      if (seen.has(i)) continue;
      seen.add(i);
      if (!g.items[i].folded) for (const e of g.into[i]) stack.push(e[0]);
    }
    return seen;
  }

  function hiddenBy(item) {  // how many boxes this one alone hides when folded
    const was = item.folded;
    item.folded = true;
    const less = shown(item.at).size;
    item.folded = false;
    const more = shown(item.at).size;
    item.folded = was;
    return more - less;
  }

  // ------------------------------------------------------------------ places

  function size(item) {
    if (item.f && item.open) {
      layout(item.f);
      const lanes = item.f.back && item.f.back.length <= 6 ? item.f.back.length : 0;
      item.lanes = lanes;
      item.strip = lanes ? LANE * (lanes + 1) : 8;
      item.w = item.f.width + 2 * SIDE + LANE * lanes;
      item.h = item.f.height + 2 * item.strip;
      return;
    }
    const small = SMALL.has(item.k);
    const first = width(item.t, small ? 9.5 : 12) + (item.a ? width(item.a, 9.5) + 4.75 : 0);
    item.w = Math.max(first, width(item.d, 9.5), 14) + 18;
    item.h = small ? 20 : item.d ? 38 : 26;
  }

  const inside = (item, k) => item.strip + item.f.y[k];
  const leaves = (item, out) => {
    if (!(item.f && item.open)) return [0, 0];
    const k = item.f.outs[out] ?? item.f.outs[0];
    return [SIDE + item.f.x[k] - item.w / 2, item.h - inside(item, k) - item.f.items[k].h];
  };
  const arrives = (item, port) => {
    const k = item.f && item.open ? item.f.ins[port] : undefined;
    return k === undefined ? null : [SIDE + item.f.x[k] - item.w / 2, inside(item, k)];
  };

  function layout(g) {
    const vis = shown(g);
    vis.forEach((i) => size(g.items[i]));
    const ends = (item, way, k) => !(item.f && item.open) || item.f.vis.has(item.f[way][k] ?? item.f[way][0]);
    const live = g.now.edges.filter((e) => vis.has(e[0]) && vis.has(e[2]) && ends(g.items[e[0]], "outs", e[1]) && ends(g.items[e[2]], "ins", e[3]));
    const points = new Set();
    live.forEach((e) => e[4].forEach((p) => points.add(p)));
    const count = g.items.length;
    const rows = g.now.rows.map((r) => r.filter((v) => (v < count ? vis.has(v) : points.has(v)))).filter((r) => r.some((v) => v < count));
    const row = new Map(), place = new Map();
    rows.forEach((r, k) => r.forEach((v, j) => { row.set(v, k); place.set(v, j); }));
    for (const e of live) e.chain = [e[0], ...e[4].filter((p) => row.has(p)), e[2]];
    ports(g, live, place);
    const links = connect(g, live);
    const x = columns(g, rows, links, live);
    g.vis = vis; g.live = live; g.x = {}; g.y = {};
    heights(g, rows, x, links);
    for (const [v, at] of x) g.x[v] = at;
    g.order = rows.map((r) => r.filter((v) => v < count));
    route(g, row);
  }

  function ports(g, live, place) {
    const groups = new Map();
    for (const e of live) (groups.get(e[2]) || groups.set(e[2], []).get(e[2])).push(e);
    for (const [t, group] of groups) {
      const item = g.items[t];
      const before = (e) => (item.m ? place.get(e.chain[e.chain.length - 2]) ?? 0 : 0);
      group.sort((a, b) => before(a) - before(b) || a[3] - b[3]);
      const step = Math.min(26, (item.w - 12) / group.length);
      group.forEach((e, k) => {
        const fixed = arrives(item, e[3]);
        e.port = fixed ? fixed[0] : (k - (group.length - 1) / 2) * step;
        e.below = fixed ? fixed[1] : 0;
      });
    }
  }

  function connect(g, live) {
    const sums = new Map();
    for (const e of live) {
      for (let k = 0; k + 1 < e.chain.length; k++) {
        const a = e.chain[k], b = e.chain[k + 1];
        let offset = b === e[2] ? e.port : 0;
        if (a === e[0]) offset -= leaves(g.items[a], e[1])[0];
        const key = a + "," + b, old = sums.get(key) || [a, b, 0, 0];
        sums.set(key, [a, b, old[2] + offset, old[3] + 1]);
      }
    }
    const up = new Map(), down = new Map();
    const add = (map, key, value) => (map.get(key) || map.set(key, []).get(key)).push(value);
    for (const [a, b, sum, n] of sums.values()) { add(up, b, [a, sum / n]); add(down, a, [b, sum / n]); }
    return { up, down };
  }

  function columns(g, rows, { up, down }, live) {
    const count = g.items.length, w = (v) => (v < count ? g.items[v].w : 0), x = new Map();
    const trunks = new Map();
    for (const e of live) for (const p of e.chain.slice(1, -1)) {
      const key = e[0] + "," + e[1];
      (trunks.get(key) || trunks.set(key, new Set()).get(key)).add(p);
    }
    const stiff = (a, b) => [1, 2, 8][(a >= count) + (b >= count)];
    const wanted = (v, above, below) => {
      let sum = 0, weight = 0;
      if (above) for (const [n, o] of up.get(v) || []) { sum += (x.get(n) - o) * stiff(v, n); weight += stiff(v, n); }
      if (below) for (const [n, o] of down.get(v) || []) { sum += (x.get(n) + o) * stiff(v, n); weight += stiff(v, n); }
      return weight ? [sum / weight, weight] : [x.get(v), 0.01];
    };
    const beside = (row, v) => {
      const at = row.indexOf(v);
      let best = null;
      row.forEach((o, k) => { if ((up.get(o) || down.get(o)) && (best === null || Math.abs(k - at) < Math.abs(best - at))) best = k; });
      return [best === null ? x.get(v) : x.get(row[best]), 1e-6];
    };
    const fit = (row, pulls) => {
      const shifts = [0];
      for (let k = 1; k < row.length; k++) {
        const gap = row[k - 1] < count && row[k] < count ? GAP : LINE;
        shifts.push(shifts[k - 1] + (w(row[k - 1]) + w(row[k])) / 2 + gap);
      }
      const blocks = [];
      row.forEach((_, k) => {
        let block = [(pulls[k][0] - shifts[k]) * pulls[k][1], pulls[k][1], 1];
        while (blocks.length && blocks[blocks.length - 1][0] * block[1] >= block[0] * blocks[blocks.length - 1][1]) {
          const last = blocks.pop();
          block = [last[0] + block[0], last[1] + block[1], last[2] + block[2]];
        }
        blocks.push(block);
      });
      let k = 0;
      for (const [total, weight, members] of blocks) for (let j = 0; j < members; j++, k++) x.set(row[k], total / weight + shifts[k]);
    };
    rows.forEach((r) => fit(r, r.map(() => [0, 1])));
    for (let sweep = 0; sweep < 2 * SWEEPS; sweep++) {
      const downwards = sweep % 2 === 0, both = sweep >= SWEEPS, lines = new Map();
      if (both) for (const ps of trunks.values()) {
        let sum = 0;
        ps.forEach((p) => (sum += x.get(p)));
        ps.forEach((p) => lines.set(p, [sum / ps.size, 16]));
      }
      for (const r of downwards ? rows : [...rows].reverse()) {
        fit(r, r.map((v) => (!up.get(v) && !down.get(v) ? beside(r, v) : lines.get(v) || wanted(v, both || downwards, both || !downwards))));
      }
    }
    for (const r of rows) if (r.length && g.items[r[0]]?.k === "name") x.set(r[0], Math.min(...rows.flat().map((v) => x.get(v) - w(v) / 2)) + w(r[0]) / 2);
    const left = Math.min(...[...x].map(([v, at]) => at - w(v) / 2), Infinity);
    for (const [v, at] of x) x.set(v, at - (left === Infinity ? 0 : left));
    g.width = Math.max(...[...x].map(([v, at]) => at + w(v) / 2), 0);
    return x;
  }

  function heights(g, rows, x, { down }) {
    const count = g.items.length;
    let top = 0;
    g.bands = [];
    rows.forEach((r) => {
      const h = Math.max(...r.filter((v) => v < count).map((v) => g.items[v].h), 0);
      g.bands.push([top, top + h]);
      r.forEach((v) => { if (v < count) g.y[v] = top + (h - g.items[v].h) / 2; });
      let far = 0;
      for (const v of r) for (const [n, o] of down.get(v) || []) far = Math.max(far, Math.abs(x.get(n) + o - x.get(v)));
      top += h + LAYER + Math.min(45, 0.12 * far);
    });
    g.height = g.bands.length ? g.bands[g.bands.length - 1][1] : 0;
  }

  function route(g, row) {
    for (const e of g.live) {
      const source = g.items[e[0]], [aside, above] = leaves(source, e[1]);
      const bandOf = (v) => g.bands[row.get(v)];
      e.path = { start: [g.x[e[0]] + aside, g.y[e[0]] + source.h - above, bandOf(e[0])[1]], stops: e.chain.slice(1, -1).map((p) => [g.x[p], ...bandOf(p)]),
        end: [g.x[e[2]] + e.port, bandOf(e[2])[0], g.y[e[2]] + e.below] };
    }
  }

  // ------------------------------------------------------------------ marks

  function lineMarks(g, ox, oy, state) {
    const chosen = g.live.filter((e) => (g.items[e[2]].s || "") === state), pieces = new Set();
    let heads = "";
    for (const e of chosen) {
      let [x, y, band] = e.path.start;
      for (const [tx, top, bottom] of [...e.path.stops, [e.path.end[0], e.path.end[1], e.path.end[2] - 5]]) {
        const mid = n1(oy + (band + top) / 2);
        pieces.add(`M${n1(ox + x)} ${n1(oy + y)}V${n1(oy + band)}C${n1(ox + x)} ${mid} ${n1(ox + tx)} ${mid} ${n1(ox + tx)} ${n1(oy + top)}V${n1(oy + bottom)}`);
        x = tx; y = bottom; band = bottom;
      }
      const tx = ox + e.path.end[0], ty = oy + e.path.end[2];
      heads += `M${n1(tx - 3.5)} ${n1(ty - 6)}h7L${n1(tx)} ${n1(ty)}z`;
    }
    const more = state ? " eq-" + state : "";
    return chosen.length ? `<path class="eq-line${more}" d="${[...pieces].join("")}"/><path class="eq-head${more}" d="${heads}"/>` : "";
  }

  function backMarks(item, left, top) {
    const f = item.f;
    let marks = "";
    (f.back || []).slice(0, item.lanes).forEach(([from, to], lane) => {
      const ax = left + SIDE + f.x[from] + Math.min(9, f.items[from].w / 2 - 4), ay = top + inside(item, from) + f.items[from].h;
      const bx = left + SIDE + f.x[to] + Math.min(9, f.items[to].w / 2 - 4), by = top + inside(item, to);
      const right = left + item.w - SIDE - LANE * item.lanes + LANE * (lane + 1);
      const below = ay + LANE * (lane + 1) - 1, above = by - LANE * (lane + 1) + 1;
      marks += `<path class="eq-back" d="M${n1(ax)} ${n1(ay)}V${n1(below)}H${n1(right)}V${n1(above)}H${n1(bx)}V${n1(by - 3)}"/>`;
      marks += `<path class="eq-head" d="M${n1(bx - 2.5)} ${n1(by - 4)}h5L${n1(bx)} ${n1(by)}z"/>`;
    });
    return marks;
  }

  const opens = (item) => (item.k === "name" ? item.at.holder : item);
  const inner = (item) => (item.k === "name" && item.at.holder ? item.at.holder : item);

  function label(item) {
    const held = item.k === "name" && item.at.holder && item.at.holder.k === "group" ? item.at.holder : item;
    return [held.tip, held.c && "costs " + held.c, item.folded && "folded"].filter(Boolean).join(", ");
  }

  function expanded(item) {  // of what can be opened
    const held = inner(item);
    return held.f ? ` aria-expanded="${held.open ? "true" : "false"}"` : "";
  }

  function boxMark(item, x, top) {
    const small = SMALL.has(item.k), cls = ["eq-box", "eq-" + item.k, item.s && "eq-" + item.s].filter(Boolean).join(" ");
    const r = ["op", "view", "more", "name", "graph", "group"].includes(item.k) ? 4 : small ? item.h / 2 : 11;
    const base = top + item.h / 2 + (item.d ? -2.5 : 0.36 * (small ? 9.5 : 12));
    const below = item.k === "group" ? `<rect class="eq-below" x="${n1(x - item.w / 2 + 4)}" y="${n1(top + 4)}" width="${n1(item.w)}" height="${n1(item.h)}" rx="4"/>` : "";
    let s = `<g class="${cls}" data-id="${item.id}" tabindex="-1" role="button"${expanded(item)} aria-label="${safe(label(item))}">`;
    s += below + `<rect class="eq-face" x="${n1(x - item.w / 2)}" y="${n1(top)}" width="${n1(item.w)}" height="${n1(item.h)}" rx="${n1(r)}"/>`;
    const arg = item.a ? `<tspan class="eq-argument" dx="4.75">${safe(item.a)}</tspan>` : "";
    s += `<text class="${small ? "eq-small" : "eq-title"}" x="${n1(x)}" y="${n1(base)}">${safe(item.t || "")}${arg}</text>`;
    if (item.d) s += `<text class="eq-detail" x="${n1(x)}" y="${n1(top + item.h / 2 + 11)}">${safe(item.d)}</text>`;
    if (item.p > 0.005) s += `<rect class="eq-share" x="${n1(x - item.w / 2 + 4)}" y="${n1(top + item.h - 3.5)}" width="${n1(Math.max(2, (item.w - 8) * item.p))}" height="2.5" rx="1"/>`;
    return s + "</g>";
  }

  function toggleMark(item, x, y) {
    const sign = item.folded || (item.f && !item.open) ? "+" : "−";
    return `<g class="eq-toggle" data-toggle="${item.id}" aria-hidden="true"><circle class="hit" cx="${n1(x)}" cy="${n1(y)}" r="14"/><circle cx="${n1(x)}" cy="${n1(y)}" r="6.5"/><text x="${n1(x)}" y="${n1(y + 3.5)}">${sign}</text></g>`;
  }

  function draw(g, ox, oy, out) {
    for (const state of ["old", "", "new"]) out.lines.push(lineMarks(g, ox, oy, state));
    for (const i of g.vis) {
      const item = g.items[i], x = ox + g.x[i], y = oy + g.y[i];
      if (item.f && item.open) {
        const state = item.s ? " eq-" + item.s : "", left = x - item.w / 2;
        out.frames.push(`<rect class="eq-frame${state}" x="${n1(left)}" y="${n1(y)}" width="${n1(item.w)}" height="${n1(item.h)}" rx="8"/>`);
        draw(item.f, left + SIDE, y + item.strip, out);
        out.lines.push(backMarks(item, left, y));
        out.boxes.push(toggleMark(item, left, y));
        continue;
      }
      out.boxes.push(boxMark(item, x, y));
      if (item.more === undefined && item.k === "op" && g.into[i].length) item.more = hiddenBy(item);
      if (item.f || (item.k === "op" && (item.folded || item.more > 1))) out.boxes.push(toggleMark(item, x - item.w / 2, y));
    }
  }

  // ------------------------------------------------------------------ one panel

  const listed = new Map();  // rows of the list of costs by the number of what they tell of
  for (const row of document.querySelectorAll("tr[data-n]")) listed.set(+row.dataset.n, row);
  const tip = document.body.appendChild(Object.assign(document.createElement("div"), { className: "tip", hidden: true }));
  const panels = [];

  function about(item) {
    const [head, ...rest] = item.tip.split(": ");
    const held = item.k === "name" && item.at.holder;
    const words = [rest.join(": "), item.in && "scope " + item.in, item.c && "costs " + item.c, item.folded && "folded: double click or Enter unfolds it",
      item.f && !item.open && "double click or Enter opens it", held && "double click, Enter or Escape closes it"];
    return `<b>${safe(head)}</b> ` + words.filter(Boolean).map((w) => `<span>${safe(w)}</span>`).join("<br>");
  }

  class View {
    constructor(figure, g) {
      this.figure = figure; this.g = g; this.all = new Map(); this.pointers = new Map();
      this.svg = figure.querySelector("svg.canvas");
      this.mini = figure.querySelector("svg.mini");
      this.note = figure.querySelector(".about");
      this.found = new Set();
      prepare(g, "", this.all);
      this.render();
      this.home();
      this.listen();
      const items = [...this.all.values()];
      if (!items.some((item) => item.f)) figure.querySelectorAll("[data-do=shut]").forEach((b) => b.remove());
      const hidden = items.filter((item) => item.hide && (item.k === "op" || item.k === "view")).length;
      figure.querySelector("[data-do=shapes]").textContent = `shape arithmetic: ${hidden} op${hidden === 1 ? "" : "s"}`;
      if (!hidden) figure.querySelectorAll("[data-do=shapes]").forEach((b) => b.remove());
    }

    shapes(on) {  // show ops that compute lengths, or hide them
      this.whole = on;
      this.figure.querySelector("[data-do=shapes]")?.setAttribute("aria-pressed", on);
      for (const g of [this.g, ...[...this.all.values()].map((item) => item.f)]) if (g) wire(g, on);
      this.render();
    }

    show(item) {  // open what is around a box, and go to it
      if (item.hide && !this.whole) this.shapes(true);
      for (let held = item.at.holder; held; held = held.at.holder) held.open = 1;
      for (const other of item.at.items) if (other !== item) other.folded = false;
      this.render();
      this.centre(item);
      this.focus(item);
      this.tell(item);
    }

    centre(item) {
      const room = this.svg.clientWidth || 600, scale = Math.max(room / this.view.w, 0.8);
      this.view.w = room / scale; this.view.h = this.tall / scale;
      const mark = this.svg.querySelector(`[data-id="${item.id}"] rect`)?.getBBox();
      if (!mark) return;
      this.view.x = mark.x + mark.width / 2 - this.view.w / 2;
      this.view.y = mark.y + mark.height / 2 - this.view.h / 2;
      this.look();
    }

    highlight(found) {  // mark boxes, and closed groups that hold them
      this.found = found;
      for (const box of this.svg.querySelectorAll(".eq-found")) box.classList.remove("eq-found");
      for (const item of found) {
        let seen = item;
        for (let held = item.at.holder; held; held = held.at.holder) if (!held.open) seen = held;
        this.svg.querySelector(`[data-id="${seen.id}"]`)?.classList.add("eq-found");
      }
    }

    render() {
      layout(this.g);
      const out = { frames: [], lines: [], boxes: [] };
      draw(this.g, MARGIN, MARGIN, out);
      this.svg.innerHTML = [...out.frames, ...out.lines, ...out.boxes].join("");
      this.w = this.g.width + 2 * MARGIN;
      this.h = this.g.height + 2 * MARGIN;
      const first = this.svg.querySelector(`[data-id="${this.current}"]`) || [...this.svg.querySelectorAll(".eq-box")].pop();
      if (first) first.setAttribute("tabindex", "0");
      if (this.found.size) this.highlight(this.found);
      const small = [...this.svg.querySelectorAll("rect.eq-frame, rect.eq-face")].map((r) => {
        const at = ["x", "y", "width", "height"].map((k) => ` ${k}="${r.getAttribute(k)}"`).join("");
        return `<rect class="${r.classList.contains("eq-frame") ? "frame" : "box"}"${at}/>`;
      });
      this.mini.innerHTML = small.join("") + '<rect class="view"/>';
      this.mini.setAttribute("viewBox", `0 0 ${n1(this.w)} ${n1(this.h)}`);
    }

    home(whole) {  // the whole graph, or at a size that can be read the part with the inputs
      const room = this.svg.clientWidth || 600, most = Math.max(260, Math.min(innerHeight * 0.72, 760));
      const fit = Math.min(1.25, room / this.w, most / this.h);
      const scale = whole ? fit : Math.max(fit, 0.85);
      const tall = Math.min(most, Math.max(150, this.h * scale));
      const beside = panels.filter((p) => p !== this && p.tall && p.figure.offsetTop === this.figure.offsetTop);
      if (!whole || !this.tall) { this.own = tall; this.tall = Math.max(tall, ...beside.map((p) => p.own)); this.svg.style.height = this.tall + "px"; }
      this.view = { w: room / scale, h: this.tall / scale };
      this.view.x = (this.w - this.view.w) / 2;
      if (this.view.w < this.w) {
        const first = this.g.order[0].map((i) => this.g.x[i] + MARGIN);
        this.view.x = Math.min(Math.max(0, first.reduce((a, b) => a + b, 0) / first.length - this.view.w / 2), this.w - this.view.w);
      }
      this.view.y = this.h * scale > this.tall ? 0 : (this.h - this.view.h) / 2;
      if (whole) this.view.y = (this.h - this.view.h) / 2;
      this.look();
    }

    look() {
      const v = this.view;
      v.x = Math.min(Math.max(v.x, -v.w * 0.7), this.w - v.w * 0.3);
      v.y = Math.min(Math.max(v.y, -v.h * 0.7), this.h - v.h * 0.3);
      this.svg.setAttribute("viewBox", [v.x, v.y, v.w, v.h].map((k) => k.toFixed(2)).join(" "));
      const view = this.mini.lastElementChild;
      this.mini.toggleAttribute("hidden", v.w >= this.w * 0.98 && v.h >= this.h * 0.98);
      if (view) [["x", v.x], ["y", v.y], ["width", v.w], ["height", v.h]].forEach(([k, n]) => view.setAttribute(k, n1(n)));
    }

    minimap(event) {  // the place that was pointed at in the small picture becomes the middle
      if (event.type !== "pointerdown" && !event.buttons) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.mini.getScreenCTM().inverse());
      this.view.x = at.x - this.view.w / 2; this.view.y = at.y - this.view.h / 2;
      this.look();
    }

    zoom(by, cx, cy) {
      const v = this.view, box = this.svg.getBoundingClientRect();
      const k = Math.min(Math.max((box.width / v.w) * by, 0.08), 4) / (box.width / v.w);
      const fx = cx === undefined ? 0.5 : (cx - box.left) / box.width, fy = cy === undefined ? 0.5 : (cy - box.top) / box.height;
      v.x += v.w * fx * (1 - 1 / k); v.y += v.h * fy * (1 - 1 / k); v.w /= k; v.h /= k;
      this.look();
    }

    toggle(item) {
      const box = this.svg.querySelector(`[data-id="${item.id}"]`), before = box && box.getBoundingClientRect();
      if (item.f) item.open = item.open ? 0 : 1;
      else if (item.folded) item.folded = false;
      else if (item.more > 1) item.folded = true;
      else return;
      this.current = item.id;
      this.render();
      const after = this.svg.querySelector(`[data-id="${item.id}"]`)?.getBoundingClientRect();
      if (before && after) { const s = this.view.w / this.svg.getBoundingClientRect().width; this.view.x += (after.left - before.left) * s; this.view.y += (after.top - before.top) * s; }
      this.look();
      this.tell(item);
    }

    every(open) {
      for (const item of this.all.values()) { if (item.f) item.open = open ? 1 : 0; if (open) item.folded = false; }
      this.render();
      this.home();
    }

    tell(item) {
      const row = listed.get(item.n);
      this.note.innerHTML = about(item) + (row ? '<br><button type="button" class="to-row">in the list of costs</button>' : "");
      this.told = item;
      document.querySelectorAll("tr.here").forEach((r) => r.classList.remove("here"));
      if (row) row.classList.add("here");
      document.querySelectorAll(".eq-here").forEach((b) => b.classList.remove("eq-here"));
      if (item.n === undefined) return;
      for (const view of panels) if (view !== this) for (const other of view.all.values())
        if (other.n === item.n && other.k === item.k) view.svg.querySelector(`[data-id="${other.id}"]`)?.classList.add("eq-here");
    }

    find(target) {
      const box = target.closest?.("[data-id]");
      return box && this.all.get(box.dataset.id);
    }

    focus(item) {
      this.svg.querySelectorAll('[tabindex="0"]').forEach((b) => b.setAttribute("tabindex", "-1"));
      const box = this.svg.querySelector(`[data-id="${item.id}"]`);
      if (!box) return;
      this.current = item.id;
      box.setAttribute("tabindex", "0");
      box.focus({ preventScroll: true });
      this.reveal(box);
    }

    reveal(box) {
      const b = box.getBoundingClientRect(), s = this.svg.getBoundingClientRect(), k = this.view.w / s.width;
      if (b.left < s.left) this.view.x -= (s.left - b.left + 20) * k; else if (b.right > s.right) this.view.x += (b.right - s.right + 20) * k;
      if (b.top < s.top) this.view.y -= (s.top - b.top + 20) * k; else if (b.bottom > s.bottom) this.view.y += (b.bottom - s.bottom + 20) * k;
      this.look();
    }

    key(event) {
      const item = this.find(event.target), moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
      if (["+", "=", "-", "0"].includes(event.key)) { event.key === "0" ? this.home(true) : this.zoom(event.key === "-" ? 1 / 1.25 : 1.25); event.preventDefault(); return; }
      if (!item) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.toggle(opens(item));
        this.again();
      }
      if (event.key === "Escape" && item.at.holder) {
        this.toggle(item.at.holder);
        this.again();
      }
      if (!moves[event.key]) return;
      event.preventDefault();
      const next = this.beside(item, ...moves[event.key]);
      if (next) this.focus(next);
    }

    again() {  // the focus on the box that was opened, or on the first one inside
      const item = this.all.get(this.current), first = item.f && item.open ? item.f.items.find((o) => item.f.vis.has(o.i)) : item;
      this.focus(first || item);
    }

    beside(item, rows, places) {
      const g = item.at, lines = rows < 0 ? g.into[item.i] : g.from[item.i];
      const near = rows ? lines.map((e) => g.items[rows < 0 ? e[0] : e[2]]).find((o) => g.vis.has(o.i)) : null;
      const row = g.order.find((r) => r.includes(item.i)) || [], other = rows ? near : g.items[row[row.indexOf(item.i) + places]];
      if (other && other.f && other.open) return other.f.items[rows < 0 ? other.f.outs.find((k) => other.f.vis.has(k)) ?? 0 : 0];
      if (!other && g.holder && rows) return this.beside(g.holder, rows, places);
      return other;
    }

    listen() {
      const svg = this.svg;
      svg.addEventListener("keydown", (e) => this.key(e));
      svg.addEventListener("wheel", (e) => { if (e.ctrlKey || e.metaKey) { e.preventDefault(); this.zoom(Math.exp(-e.deltaY * 0.004), e.clientX, e.clientY); } }, { passive: false });
      svg.addEventListener("pointerdown", (e) => { this.pointers.set(e.pointerId, [e.clientX, e.clientY]); this.moved = 0; });
      svg.addEventListener("pointermove", (e) => this.move(e));
      for (const end of ["pointerup", "pointercancel", "pointerleave"]) svg.addEventListener(end, (e) => { this.pointers.delete(e.pointerId); svg.classList.remove("moving"); if (end === "pointerleave") tip.hidden = true; });
      svg.addEventListener("click", (e) => this.click(e));
      svg.addEventListener("dblclick", (e) => { const item = this.find(e.target); if (item) this.toggle(opens(item)); });
      svg.addEventListener("focusin", (e) => { const item = this.find(e.target); if (item) this.tell(item); });
      for (const kind of ["pointerdown", "pointermove"]) this.mini.addEventListener(kind, (e) => this.minimap(e));
      this.note.addEventListener("click", (e) => { if (e.target.closest(".to-row")) showRow(listed.get(this.told.n)); });
      this.figure.querySelector(".tools").addEventListener("click", (e) => {
        if (e.target.dataset.do === "shapes") { this.shapes(!this.whole); this.home(); return; }
        const act = { in: () => this.zoom(1.3), out: () => this.zoom(1 / 1.3), fit: () => this.home(true), open: () => this.every(true), shut: () => this.every(false) }[e.target.dataset.do];
        if (act) act();
      });
    }

    click(event) {
      const button = event.target.closest("[data-toggle]");
      if (this.moved > 5) return;
      if (button) { this.toggle(this.all.get(button.dataset.toggle)); return; }
      const item = this.find(event.target);
      if (item) { this.focus(item); this.tell(item); }
    }

    move(event) {
      const last = this.pointers.get(event.pointerId);
      if (!last) { this.hover(event); return; }
      const k = this.view.w / this.svg.getBoundingClientRect().width, others = [...this.pointers].filter(([id]) => id !== event.pointerId);
      if (others.length) {
        const [ox, oy] = others[0][1], was = Math.hypot(last[0] - ox, last[1] - oy), now = Math.hypot(event.clientX - ox, event.clientY - oy);
        if (was > 0) this.zoom(now / was, (event.clientX + ox) / 2, (event.clientY + oy) / 2);
      } else {
        this.view.x -= (event.clientX - last[0]) * k; this.view.y -= (event.clientY - last[1]) * k;
        this.look();
      }
      this.moved += Math.abs(event.clientX - last[0]) + Math.abs(event.clientY - last[1]);
      if (this.moved > 5 && !this.svg.classList.contains("moving")) { this.svg.classList.add("moving"); this.svg.setPointerCapture(event.pointerId); }
      this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
      tip.hidden = true;
    }

    hover(event) {
      const item = event.pointerType === "touch" ? null : this.find(event.target);
      tip.hidden = !item;
      if (!item) return;
      if (tip.dataset.id !== item.id) { tip.innerHTML = about(item); tip.dataset.id = item.id; this.tell(item); }
      const w = tip.offsetWidth, h = tip.offsetHeight;
      tip.style.left = Math.max(6, Math.min(event.clientX + 14, innerWidth - w - 8)) + "px";
      tip.style.top = (event.clientY + 18 + h > innerHeight ? event.clientY - h - 10 : event.clientY + 18) + "px";
    }
  }

  const data = JSON.parse(document.getElementById("graphs").textContent);
  document.querySelectorAll("figure[data-graph]").forEach((figure) => panels.push(new View(figure, data[figure.dataset.graph])));
  panels.forEach((p) => p.home());
  let across = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== across) { across = innerWidth; panels.forEach((p) => p.home()); } });
  addEventListener("keydown", (e) => { if (e.key === "Escape") tip.hidden = true; });

  // ------------------------------------------------------------------ the list of costs

  function showRow(row) {
    row.closest("details").open = true;
    row.scrollIntoView({ block: "center" });
    row.querySelector(".to-box").focus({ preventScroll: true });
  }

  document.addEventListener("click", (e) => {
    const row = e.target.closest?.(".to-box")?.closest("tr");
    if (!row) return;
    const has = panels.map((p) => [p, [...p.all.values()].find((item) => item.n === +row.dataset.n && item.k !== "port" && item.k !== "output")]);
    for (const [panel, item] of has.filter(([, item]) => item).reverse()) panel.show(item);
    has.find(([, item]) => item)?.[0].figure.scrollIntoView({ block: "nearest" });
  });

  // ------------------------------------------------------------------ search

  const MOST = 60, field = document.getElementById("find"), list = document.getElementById("found"), told = document.getElementById("found-count");
  let options = [], chosen = -1;

  const path = (item) => {
    const names = [];
    for (let held = item.at.holder; held; held = held.at.holder) names.unshift(held.t || held.f.items[0].t);
    return names.filter(Boolean).join(" / ");
  };
  const text = (item) => [item.t, item.a, item.d, item.tip, item.in].filter(Boolean).join(" ").toLowerCase();
  const rank = (item, words) => {
    const title = (item.t || "").toLowerCase(), whole = words.join(" ");
    return [title === whole, (item.tip || "").toLowerCase().startsWith(whole), item.k === "group", title.includes(words[0])].reduce((n, b) => 2 * n + !b, 0);
  };

  function search(asked) {
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (item) => item.k !== "port" && item.k !== "name" && words.every((w) => item.text.includes(w));
    const found = [];
    panels.forEach((panel) => {
      const mine = [...panel.all.values()].filter((item) => { item.text ??= text(item); return words.length && fits(item); });
      panel.highlight(new Set(mine));
      mine.forEach((item) => found.push([panel, item, rank(item, words)]));
    });
    found.sort((a, b) => a[2] - b[2]);
    options = found.slice(0, MOST);
    list.innerHTML = options.map(([panel, item], k) => {
      const where = [panels.length > 1 && panel.svg.getAttribute("aria-label"), path(item), item.in && !path(item).includes(item.in) && item.in].filter(Boolean).join(": ");
      return `<li role="option" id="found-${k}" aria-selected="false"><b>${safe(item.t || "loop")}</b> ${safe(item.a || item.d || "")} <span>${safe(where)}</span></li>`;
    }).join("");
    told.textContent = !words.length ? "" : found.length === 0 ? "nothing found" : `${found.length} found` + (found.length > MOST ? `, ${MOST} listed` : "");
    list.hidden = !options.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
    choose(options.length ? 0 : -1);
  }

  function choose(k) {
    chosen = k;
    [...list.children].forEach((li, j) => li.setAttribute("aria-selected", String(j === k)));
    if (k < 0) { field.removeAttribute("aria-activedescendant"); return; }
    field.setAttribute("aria-activedescendant", `found-${k}`);
    list.children[k].scrollIntoView({ block: "nearest" });
  }

  function shut() { list.hidden = true; field.setAttribute("aria-expanded", "false"); }

  function go(k) {
    if (!options[k]) return;
    const [panel, item] = options[k];
    shut();
    panel.show(item);
    panel.figure.scrollIntoView({ block: "nearest" });
  }

  if (field) {
    field.addEventListener("input", () => search(field.value));
    field.addEventListener("focus", () => { if (field.value && options.length) { list.hidden = false; field.setAttribute("aria-expanded", "true"); } });
    field.addEventListener("keydown", (e) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (step && options.length) { choose((chosen + step + options.length) % options.length); e.preventDefault(); }
      if (e.key === "Enter") { go(chosen); e.preventDefault(); }
      if (e.key === "Escape") { field.value = ""; search(""); }
    });
    list.addEventListener("pointerdown", (e) => e.preventDefault());
    list.addEventListener("click", (e) => { const li = e.target.closest("li"); if (li) go([...list.children].indexOf(li)); });
    document.addEventListener("focusin", (e) => { if (!e.target.closest?.(".find")) shut(); });
  }
  window.eqsatPanels = panels;
})();
