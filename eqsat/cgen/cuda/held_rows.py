"""Groups of rows whose elements stay in registers: a few threads, a warp or a block take a row through all steps, and read memory once.

A pass over the elements of a row ends where a fold has to be known. What later passes read again is held in registers.
Which thread has which elements follows from the length of a row alone, so that sums have the same bits in every run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.folds import accumulator, combine, identity
from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.nest_text import expression
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.cuda.folds import LANES
from eqsat.cgen.cuda.kernels import Kernel, apart
from eqsat.cgen.cuda.nests import WIDE
from eqsat.cgen.cuda.row_values import Group, Place, Product, Unheld
from eqsat.cgen.cuda.together import Together
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.expressions import mentions
from eqsat.cgen.ir.nest import Fold, Nest, Number
from eqsat.cgen.ir.statements import Define, Point, RowBlocks
from eqsat.cgen.lower.loop_body import NotWhole

REGISTERS = 80  # of a thread, of 4 bytes, that elements take
MOST_VECTORS = 4  # of an operand, that a thread has
MOST = 512  # threads of a row; half of them where values take two registers
# so that the compiler does not work out all indices before the first row, or before they are needed: it has no registers for them
OPAQUE = 'asm volatile("" : "+r"(eq_first), "+r"(eq_step));'
OPAQUE_INDEX = 'asm volatile("" : "+r"(e));'


class Printer:
    """The lines of the kernel of a group."""

    def __init__(self, group: Group) -> None:
        self.group, self.nodes = group, group.nodes
        self.passes, self.held = group.computed()
        places = [*self._wide_places()]
        self.many = max(1, WIDE // max((SIZE[d] for _, d in places), default=WIDE))
        self.vectors = self._vectors()
        self.most = MOST // (2 if any(n.wide and SIZE[n.dtype] > 4 for n in self.nodes) else 1)
        self.whole = [p for p, _ in places]

    def _wide_places(self) -> Iterator[tuple[Place, str]]:
        for n in self.nodes:
            if isinstance(n.what, Place) and n.wide:
                yield n.what, n.dtype
        for s in self.group.stores:
            if s.place.wide:
                yield s.place, self.nodes[s.node].dtype

    def _vectors(self) -> int:
        """The vectors of an operand that a thread has: as many as fit into its registers.

        Errors   Unheld where one of each does not fit
        """
        most = 1
        for stage, computed in enumerate(self.passes):
            loads = {k for k in computed if isinstance(self.nodes[k].what, Place) and not self._is_shared(k)}
            before = {k for k, last in self.held.items() if last >= stage and k not in computed}
            after = {k for k, last in self.held.items() if last > stage and (k in computed or k in before)}
            most = max(
                most, *(sum(map(self._size, some)) for some in (before | loads, after | (loads - after)))
            )
        vectors = REGISTERS * 4 // (most * self.many)
        if not vectors:
            raise Unheld
        return min(MOST_VECTORS, 1 << (vectors.bit_length() - 1))

    def _size(self, node: int) -> int:
        return max(4, SIZE[self.nodes[node].dtype])

    def lines(self) -> list[str]:
        """Statements for all rows of a block of threads."""
        g = self.group
        rows = "*".join(g.kept) or "1"
        bits = [f"((uint64_t){p.pointer} & {self.many * size - 1})" for p, size in self._aligned()]
        steps = dict.fromkeys([g.inner, *(s for p in self.whole for s in p.strides if s != "0")])
        bits += [f"(uint64_t)(({s}) & {self.many - 1})" for s in steps if not _multiple(s, self.many)]
        counters = [f"k{a}" for a in range(len(g.kept))]
        body = [
            "const int64_t eq_at = eq_from + threadIdx.x / eq_width;",
            "const int eq_mine = eq_at < eq_rows;",
            "const int64_t eq_row = eq_mine ? eq_at : eq_rows - 1;",
            *apart("eq_row", counters, g.kept),
            f"int eq_first = eq_part*{self.many}, eq_step = eq_width*{self.many};",
            OPAQUE,
        ]
        for stage in range(len(self.passes)):
            body += self._of_rows(stage)
            body += self._pass(stage)
        return [
            f"const int64_t eq_rows = {rows};",
            "const int eq_width = (int)eq_of_row;",
            f"const int eq_n = (int)({g.inner}), eq_part = threadIdx.x % eq_width, eq_beside = blockDim.x / eq_width;",
            f"const int eq_whole = ({' | '.join(dict.fromkeys(bits)) or '0'}) == 0;",
            *self._shared(),
            "for (int64_t eq_from = (int64_t)blockIdx.x*eq_beside; eq_from < eq_rows; eq_from += (int64_t)gridDim.x*eq_beside) {",
            *(f"  {line}" for line in body),
            "}",
        ]

    def _aligned(self) -> Iterator[tuple[Place, int]]:
        for place, dtype in self._wide_places():
            yield place, SIZE[dtype]

    def _shared(self) -> list[str]:
        folds = [k for k, n in enumerate(self.nodes) if isinstance(n.what, Fold)]
        return [f"__shared__ {accumulator(self.nodes[k].what)} m{k}[{self.most // LANES}];" for k in folds]

    # --------------------------------------------------------------------------------------------------------- rows

    def _of_rows(self, stage: int) -> list[str]:
        """Values of whole rows that are known from a stage on, and those that are written."""
        lines = []
        for k, n in enumerate(self.nodes):
            if n.stage == stage and not n.wide and not isinstance(n.what, Fold):
                lines.append(f"const {CTYPE[n.dtype]} t{k} = {self._text(k)};")
        for s in self.group.stores:
            if s.stage == stage and not s.place.wide:
                place = f"(({CTYPE[self.nodes[s.node].dtype]} *){s.place.pointer})[{_offset(s.place) or '0'}]"
                lines.append(f"if (eq_mine && eq_part == 0) {place} = t{s.node};")
        return lines

    def _text(self, k: int, element: str = "") -> str:
        """The text of a value; ``element`` is its number among those that a thread has of a wide one."""
        n = self.nodes[k]
        if isinstance(n.what, Number):
            return literal(n.what.value, n.what.dtype)
        if isinstance(n.what, Place):
            if n.wide:
                return f"v{k}.at[l]" if self._is_shared(k) else f"v{k}[j].at[l]"
            return f"((const {CTYPE[n.dtype]} *){n.what.pointer})[{_offset(n.what) or '0'}]"
        return expression(n.what, [f"t{a}" if a >= 0 else "0" for a in n.args])

    # ----------------------------------------------------------------------------------------------------- elements

    def _is_shared(self, k: int) -> bool:
        """True for elements that all rows read in one pass: they are near, and each vector is loaded where it is needed."""
        return k not in self.held and all(s == "0" for s in self.nodes[k].what.strides)

    def _pass(self, stage: int) -> list[str]:
        """A pass over the elements of a row: what it reads, what it computes with each element, and its folds."""
        roots = self.group.roots(stage)
        computed = self.passes[stage]
        loads = [k for k in computed if isinstance(self.nodes[k].what, Place)]
        folds = self.group.folds(stage)
        lines = []
        for k in computed:
            if k in self.held and k not in loads:
                lines.append(f"{CTYPE[self.nodes[k].dtype]} h{k}[{self.vectors * self.many}];")
        lines += self._loads([k for k in loads if not self._is_shared(k)])
        shared = [k for k in loads if self._is_shared(k)]
        for k in shared:
            own = f"const {CTYPE[self.nodes[k].dtype]}"
            lines.append(f"{own} *const a{k} = {_row(self.nodes[k].what, own)};")
        for k in folds:
            fold = self.nodes[k].what
            lines.append(f"{accumulator(fold)} s{k} = {identity(fold)};")
        if roots or folds:
            lines += self._elements(stage, computed, folds, shared)
        lines += self._folded(folds)
        return lines

    def _over_vectors(self, body: Sequence[str]) -> list[str]:
        lines = ["#pragma unroll", f"for (int j = 0; j < {self.vectors}; j++) {{"]
        lines += ["  const int at = eq_first + j*eq_step;", "  if (at < eq_n) {"]
        return [*lines, *(f"    {line}" for line in body), "  }", "}"]

    def _loads(self, loads: Sequence[int]) -> list[str]:
        """Vectors that are read; elements one by one where rows begin elsewhere, and the last one for those behind the end."""
        if not loads:
            return []
        lines = []
        for k in loads:
            n = self.nodes[k]
            own = CTYPE[n.dtype]
            lines.append(f"{self._vector(n.dtype)} v{k}[{self.vectors}];")
            lines.append(f"const {own} *const a{k} = {_row(n.what, f'const {own}')};")
        fast, slow = self._loaded(loads, "[j]")
        return [
            *lines,
            "if (eq_whole) {",
            *(f"  {line}" for line in self._over_vectors(fast)),
            "} else {",
            *(f"  {line}" for line in self._over_vectors(slow)),
            "}",
        ]

    def _vector(self, dtype: str) -> str:
        return f"eq_vector{self.many}_{CTYPE[dtype]}"

    def _loaded(self, loads: Sequence[int], of: str = "") -> tuple[list[str], list[str]]:
        """Statements that read a vector of each, and those that read its elements."""
        fast = [f"v{k}{of} = *(const {self._vector(self.nodes[k].dtype)} *)(a{k} + at);" for k in loads]
        slow = [
            "#pragma unroll",
            f"for (int l = 0; l < {self.many}; l++) {{",
            "  int e = at + l < eq_n ? at + l : eq_n - 1;",
            f"  {OPAQUE_INDEX}",
            *(f"  v{k}{of}.at[l] = a{k}[e];" for k in loads),
            "}",
        ]
        return fast, slow

    def _elements(
        self, stage: int, computed: Sequence[int], folds: Sequence[int], shared: Sequence[int]
    ) -> list[str]:
        read = {a for k in computed for a in self.nodes[k].args} | {*self.group.roots(stage)}
        inside = [
            f"const {CTYPE[self.nodes[k].dtype]} t{k} = {f'h{k}[j*{self.many} + l]' if not isinstance(self.nodes[k].what, Place) else self._text(k)};"
            for k in sorted(self.held)
            if k in read and k not in computed
        ]
        for k in computed:
            inside.append(f"const {CTYPE[self.nodes[k].dtype]} t{k} = {self._text(k)};")
            if k in self.held and not isinstance(self.nodes[k].what, Place):
                inside.append(f"h{k}[j*{self.many} + l] = t{k};")
        for k in folds:
            fold = self.nodes[k].what
            value = f"(({accumulator(fold)})t{self.nodes[k].args[0]})"
            inside.append(f"if (l < some) s{k} = {combine(fold, f's{k}', value)};")
        stores = [s for s in self.group.stores if s.stage == stage and s.place.wide]
        before, fast, slow = [f"{self._vector(self.nodes[k].dtype)} v{k};" for k in shared], [], []
        if shared:
            vectors, elements = self._loaded(shared)
            before += ["if (eq_whole) {", *(f"  {x}" for x in vectors), "} else {", *(f"  {x}" for x in elements), "}"]  # fmt: skip
        for number, s in enumerate(stores):
            own = CTYPE[self.nodes[s.node].dtype]
            kind = self._vector(self.nodes[s.node].dtype)
            before.append(f"{kind} w{number};")
            inside.append(f"w{number}.at[l] = t{s.node};")
            fast.append(f"*({kind} *)({_row(s.place, own)} + at) = w{number};")
            slow.append(f"({_row(s.place, own)})[at + l] = w{number}.at[l];")
        body = [
            "const int some = eq_n - at;",
            *before,
            "#pragma unroll",
            f"for (int l = 0; l < {self.many}; l++) {{",
            *(f"  {line}" for line in inside),
            "}",
        ]
        if stores:
            body += ["if (eq_mine && eq_whole) {", *(f"  {line}" for line in fast), "} else if (eq_mine) {"]
            body += ["  #pragma unroll", f"  for (int l = 0; l < {self.many}; l++) if (l < some) {{"]
            body += [*(f"    {line}" for line in slow), "  }", "}"]
        return self._over_vectors(body)

    def _folded(self, folds: Sequence[int]) -> list[str]:
        """The threads of a row combine what each has: those of a warp by shuffles, warps through shared memory."""
        if not folds:
            return []
        lines = [f"for (int d = (int)eq_least(eq_width, {LANES}) >> 1; d; d >>= 1) {{"]
        for k in folds:
            fold = self.nodes[k].what
            lines.append(f"  const {accumulator(fold)} o{k} = __shfl_xor_sync(~0u, s{k}, d, {LANES}); "
                         f"s{k} = {combine(fold, f's{k}', f'o{k}')};")  # fmt: skip
        lines += ["}", f"if (eq_width > {LANES}) {{"]
        lines += [f"  if (threadIdx.x % {LANES} == 0) m{k}[threadIdx.x / {LANES}] = s{k};" for k in folds]
        lines.append("  __syncthreads();")
        lines.append(f"  const int first = threadIdx.x / eq_width*(eq_width / {LANES});")
        for k in folds:
            fold = self.nodes[k].what
            again = combine(fold, f"s{k}", f"m{k}[first + d]")
            lines.append(f"  s{k} = m{k}[first];")
            lines.append(f"  for (int d = 1; d < eq_width / {LANES}; d++) s{k} = {again};")
        lines += ["  __syncthreads();", "}"]
        return [*lines, *(f"const {CTYPE[self.nodes[k].dtype]} t{k} = ({CTYPE[self.nodes[k].dtype]})s{k};" for k in folds)]  # fmt: skip


def _offset(place: Place) -> str:
    terms = [f"k{a}" if s == "1" else f"k{a}*({s})" for a, s in enumerate(place.strides) if s != "0"]
    return " + ".join(terms)


def _row(place: Place, kind: str) -> str:
    offset = _offset(place)
    return f"(({kind} *){place.pointer}{f' + {offset}' if offset else ''})"


def _multiple(text: str, many: int) -> bool:
    return any(part.isdigit() and int(part) % many == 0 for part in text.split("*"))


@dataclass(frozen=True)
class Held:
    """The kernel of a group, and the host's test that rows are short enough for it; empty where that is known."""

    kernel: Kernel
    test: str


def held_rows(s: RowBlocks, product: Product) -> Held | None:
    """The kernel of a group of rows that threads hold; None for groups of another form."""
    try:
        return _held(s, product)
    except (Unheld, NotWhole):
        return None


def _held(s: RowBlocks, product: Product) -> Held:
    nests = [x for x in s.body if isinstance(x, Nest)]
    others = [x for x in (*s.head, *s.body) if not isinstance(x, Nest)]
    if not all(isinstance(x, (Define, Point)) for x in others):
        raise Unheld
    group = Group(nests, s.scratch, product)
    written = {*group.memory}
    if any(isinstance(x, Point) and {*mentions(x.address).split()} & written for x in s.body):
        raise Unheld
    printer = Printer(group)
    lines = printer.lines()
    together = Together()
    together.depth = 1
    together.written[s.now] = None
    for x in _used(others, lines):
        together.add(x)
    together._line(*lines)
    most = printer.most * printer.vectors * printer.many
    number = group.inner.isdigit() and int(group.inner)
    if number and number > most:
        raise Unheld
    rows = product([n.replace(s.some, c_text(s.rows, 10)) for n in group.kept]) if group.kept else "1"
    width = f"eq_width({group.inner}, {printer.many}, {printer.vectors})"
    test = "" if number else f"{group.inner} <= {most}"
    block = f"eq_threads({width})"
    more = [("const int64_t eq_of_row", width)]
    grid = f"eq_grid(({rows})*{width}, {block})"
    kernel = together.kernel([f"{s.now} = 0;"], [], grid, more, printer.most, block)
    known = {c_text(s.many): c_text(s.rows)}
    words = tuple(known.get(w, w) for w in kernel.words)
    some = "" if rows.isdigit() else f"{rows} > 0"  # rows of nothing have sums too
    return Held(replace(kernel, words=words, test=some), test)


def _used(statements: Sequence[Any], lines: Sequence[str]) -> list[Any]:
    """The statements whose numbers and pointers are read by lines or by each other."""
    text = "\n".join(lines)
    found: list[Any] = []
    for s in reversed(statements):
        if s.name in text:
            found.insert(0, s)
            text += "\n" + c_text(s.value if isinstance(s, Define) else s.address)
    return found
