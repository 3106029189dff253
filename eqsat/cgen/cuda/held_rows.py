"""Groups of rows whose elements stay in registers: a few threads, a warp or a block take a row through all steps, and read memory once.

A pass over the elements of a row ends where a fold has to be known. What later passes read again is held in registers.
Which thread has which elements follows from the length of a row alone, so that sums have the same bits in every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.nest_text import expression
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.partial import accumulator, combine, identity
from eqsat.cgen.cuda.folds import LANES, shuffled
from eqsat.cgen.cuda.kernels import Kernel, apart, deeper, product
from eqsat.cgen.cuda.nests import WIDE, begins_wide
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
        read = [(n.what, n.dtype) for n in self.nodes if isinstance(n.what, Place) and n.wide]
        written = [(s.place, self.nodes[s.node].dtype) for s in group.stores if s.place.wide]
        self.places = [*read, *written]  # of all elements of rows, with their dtypes
        self.many = max(1, WIDE // max((SIZE[d] for _, d in self.places), default=WIDE))
        self.vectors = self._vectors()
        self.most = MOST // (2 if any(n.wide and SIZE[n.dtype] > 4 for n in self.nodes) else 1)

    def _type(self, k: int) -> str:
        return CTYPE[self.nodes[k].dtype]

    def _is_read(self, k: int) -> bool:
        """True for what comes from memory."""
        return isinstance(self.nodes[k].what, Place)

    def _vectors(self) -> int:
        """The vectors of an operand that a thread has: as many as fit into its registers.

        Errors   Unheld where one of each does not fit
        """
        most = 1
        for stage, computed in enumerate(self.passes):
            loads = {k for k in computed if self._is_read(k) and not self._is_shared(k)}
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
        addresses = [(p.pointer, self.many * SIZE[dtype]) for p, dtype in self.places]
        steps = [g.inner, *(s for p, _ in self.places for s in p.strides)]
        whole = begins_wide(addresses, steps, self.many, "({})".format)
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
            f"const int64_t eq_rows = {product(g.kept)};",
            "const int eq_width = (int)eq_of_row;",
            f"const int eq_n = (int)({g.inner}), eq_part = threadIdx.x % eq_width, eq_beside = blockDim.x / eq_width;",
            f"const int eq_whole = {whole};",
            *self._shared(),
            "for (int64_t eq_from = (int64_t)blockIdx.x*eq_beside; eq_from < eq_rows; eq_from += (int64_t)gridDim.x*eq_beside) {",
            *deeper(body),
            "}",
        ]

    def _shared(self) -> list[str]:
        folds = [k for k, n in enumerate(self.nodes) if isinstance(n.what, Fold)]
        return [f"__shared__ {accumulator(self.nodes[k].what)} m{k}[{self.most // LANES}];" for k in folds]

    # --------------------------------------------------------------------------------------------------------- rows

    def _of_rows(self, stage: int) -> list[str]:
        """Values of whole rows that are known from a stage on, and those that are written."""
        lines = []
        for k, n in enumerate(self.nodes):
            if n.stage == stage and not n.wide and not isinstance(n.what, Fold):
                lines.append(f"const {self._type(k)} t{k} = {self._text(k)};")
        for s in self.group.stores:
            if s.stage == stage and not s.place.wide:
                place = f"(({self._type(s.node)} *){s.place.pointer})[{_offset(s.place) or '0'}]"
                lines.append(f"if (eq_mine && eq_part == 0) {place} = t{s.node};")
        return lines

    def _text(self, k: int) -> str:
        """The text of a value, or of the present element of a wide one."""
        n = self.nodes[k]
        if isinstance(n.what, Number):
            return literal(n.what.value, n.what.dtype)
        if isinstance(n.what, Place):
            if n.wide:
                return f"v{k}.at[l]" if self._is_shared(k) else f"v{k}[j].at[l]"
            return f"((const {self._type(k)} *){n.what.pointer})[{_offset(n.what) or '0'}]"
        return expression(n.what, [f"t{a}" if a >= 0 else "0" for a in n.args])

    def _from_before(self, k: int) -> str:
        """The text of the present element of a value that an earlier pass had."""
        return self._text(k) if self._is_read(k) else f"h{k}[j*{self.many} + l]"

    # ----------------------------------------------------------------------------------------------------- elements

    def _is_shared(self, k: int) -> bool:
        """True for elements that all rows read in one pass: they are near, and each vector is loaded where it is needed."""
        return k not in self.held and all(s == "0" for s in self.nodes[k].what.strides)

    def _pass(self, stage: int) -> list[str]:
        """A pass over the elements of a row: what it reads, what it computes with each element, and its folds."""
        roots = self.group.roots(stage)
        computed = self.passes[stage]
        folds = self.group.folds(stage)
        lines = [
            f"{self._type(k)} h{k}[{self.vectors * self.many}];"
            for k in computed
            if k in self.held and not self._is_read(k)
        ]
        loads = [k for k in computed if self._is_read(k)]
        shared = [k for k in loads if self._is_shared(k)]
        lines += self._loads([k for k in loads if k not in shared])
        lines += [self._start(k) for k in shared]
        for k in folds:
            fold = self.nodes[k].what
            lines.append(f"{accumulator(fold)} s{k} = {identity(fold)};")
        if roots or folds:
            lines += self._elements(stage, computed, folds, shared)
        return lines + self._folded(folds)

    def _start(self, k: int) -> str:
        """The declaration of where a row begins that is read."""
        own = f"const {self._type(k)}"
        return f"{own} *const a{k} = {_row(self.nodes[k].what, own)};"

    def _over_vectors(self, body: Sequence[str]) -> list[str]:
        lines = ["#pragma unroll", f"for (int j = 0; j < {self.vectors}; j++) {{"]
        lines += ["  const int at = eq_first + j*eq_step;", "  if (at < eq_n) {"]
        return [*lines, *deeper(body, 2), "  }", "}"]

    def _loads(self, loads: Sequence[int]) -> list[str]:
        """Vectors that are read; elements one by one where rows begin elsewhere, and the last one for those behind the end."""
        if not loads:
            return []
        lines = [x for k in loads for x in (f"{self._vector(k)} v{k}[{self.vectors}];", self._start(k))]
        fast, slow = map(self._over_vectors, self._loaded(loads, "[j]"))
        return [*lines, *_if_whole(fast, slow)]

    def _vector(self, k: int) -> str:
        return f"eq_vector{self.many}_{self._type(k)}"

    def _loaded(self, loads: Sequence[int], of: str = "") -> tuple[list[str], list[str]]:
        """Statements that read a vector of each, and those that read its elements."""
        fast = [f"v{k}{of} = *(const {self._vector(k)} *)(a{k} + at);" for k in loads]
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
            f"const {self._type(k)} t{k} = {self._from_before(k)};"
            for k in sorted(self.held)
            if k in read and k not in computed
        ]
        for k in computed:
            inside.append(f"const {self._type(k)} t{k} = {self._text(k)};")
            if k in self.held and not self._is_read(k):
                inside.append(f"h{k}[j*{self.many} + l] = t{k};")
        for k in folds:
            fold = self.nodes[k].what
            value = f"(({accumulator(fold)})t{self.nodes[k].args[0]})"
            inside.append(f"if (l < some) s{k} = {combine(fold, f's{k}', value)};")
        stores = [s for s in self.group.stores if s.stage == stage and s.place.wide]
        before = [f"{self._vector(k)} v{k};" for k in shared]
        if shared:
            before += _if_whole(*self._loaded(shared))
        fast, slow = [], []
        for number, s in enumerate(stores):
            own, kind = self._type(s.node), self._vector(s.node)
            before.append(f"{kind} w{number};")
            inside.append(f"w{number}.at[l] = t{s.node};")
            fast.append(f"*({kind} *)({_row(s.place, own)} + at) = w{number};")
            slow.append(f"({_row(s.place, own)})[at + l] = w{number}.at[l];")
        body = [
            "const int some = eq_n - at;",
            *before,
            "#pragma unroll",
            f"for (int l = 0; l < {self.many}; l++) {{",
            *deeper(inside),
            "}",
        ]
        if stores:
            body += ["if (eq_mine && eq_whole) {", *deeper(fast), "} else if (eq_mine) {"]
            body += ["  #pragma unroll", f"  for (int l = 0; l < {self.many}; l++) if (l < some) {{"]
            body += [*deeper(slow, 2), "  }", "}"]
        return self._over_vectors(body)

    def _folded(self, folds: Sequence[int]) -> list[str]:
        """The threads of a row combine what each has: those of a warp by shuffles, warps through shared memory."""
        if not folds:
            return []
        made = [(k, self.nodes[k].what) for k in folds]
        lines = shuffled(made, f"(int)eq_least(eq_width, {LANES}) >> 1")
        lines.append(f"if (eq_width > {LANES}) {{")
        lines += [f"  if (threadIdx.x % {LANES} == 0) m{k}[threadIdx.x / {LANES}] = s{k};" for k in folds]
        lines.append("  __syncthreads();")
        lines.append(f"  const int first = threadIdx.x / eq_width*(eq_width / {LANES});")
        for k, fold in made:
            again = combine(fold, f"s{k}", f"m{k}[first + d]")
            lines.append(f"  s{k} = m{k}[first];")
            lines.append(f"  for (int d = 1; d < eq_width / {LANES}; d++) s{k} = {again};")
        lines += ["  __syncthreads();", "}"]
        return lines + [f"const {self._type(k)} t{k} = ({self._type(k)})s{k};" for k in folds]


def _if_whole(fast: Sequence[str], slow: Sequence[str]) -> list[str]:
    """Statements for rows that begin where wide accesses may, and those for others."""
    return ["if (eq_whole) {", *deeper(fast), "} else {", *deeper(slow), "}"]


def _offset(place: Place) -> str:
    terms = [f"k{a}" if s == "1" else f"k{a}*({s})" for a, s in enumerate(place.strides) if s != "0"]
    return " + ".join(terms)


def _row(place: Place, kind: str) -> str:
    offset = _offset(place)
    return f"(({kind} *){place.pointer}{f' + {offset}' if offset else ''})"


@dataclass(frozen=True)
class Held:
    """The kernel of a group, and the host's test that rows are short enough for it; empty where that is known."""

    kernel: Kernel
    test: str


def held_rows(s: RowBlocks, multiplied: Product) -> Held | None:
    """The kernel of a group of rows that threads hold; None for groups of another form."""
    try:
        return _held(s, multiplied)
    except (Unheld, NotWhole):
        return None


def _held(s: RowBlocks, multiplied: Product) -> Held:
    nests = [x for x in s.body if isinstance(x, Nest)]
    others = [x for x in (*s.head, *s.body) if not isinstance(x, Nest)]
    if not all(isinstance(x, (Define, Point)) for x in others):
        raise Unheld
    group = Group(nests, s.scratch, multiplied)
    if any(isinstance(x, Point) and {*mentions(x.address).split()} & {*group.memory} for x in s.body):
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
    rows = multiplied([n.replace(s.some, c_text(s.rows, 10)) for n in group.kept])
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
