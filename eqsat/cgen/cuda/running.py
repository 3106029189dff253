"""Running reductions along rows: a warp takes a row, or a block of threads a long one, or a chunk of it, a tile after the other.

Each thread joins a few neighbours, which it reads and writes by wide accesses where memory allows; the lanes of a warp join what each
has by shuffles, and warps through shared memory. Results depend on the lengths alone. Where a part is no ordinary number (an infinity, a
product that is 0), one thread goes through the tile in order, so that no number is lost to the grouping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.expressions import c_text, place
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.statements import printed
from eqsat.cgen.cuda.kernels import THREADS, apart, deeper
from eqsat.cgen.cuda.nests import WIDE
from eqsat.cgen.cuda.spaces import names
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.expressions import ONE, Binary, Cast, Expression, Name, product
from eqsat.cgen.ir.operand import Element
from eqsat.cgen.ir.statements import Assign, For, If, Joining, Let, Parallel, Statement, Store
from eqsat.cgen.ir.written_out import replaced
from eqsat.graph.dtypes import FLOATS

LANES = 32  # of a warp
SPAN = 1024  # elements of which a chunk has a multiple, so that its accesses lie as those of its row
MANY = 4  # elements of an access at the most
LEAST = {"float32": "1.17549435e-38f", "float64": "2.2250738585072014e-308"}


@dataclass(frozen=True)
class Running:
    """Rows at the counters of ``kept`` axes: a variable with its ``first`` value, what is done with it, and the loop."""

    kept: tuple[tuple[str, Expression], ...]
    tests: tuple[Expression, ...]
    first: Let
    stores: tuple[Statement, ...]
    loop: For
    joining: Joining
    checked: bool = False  # whether parts may be no ordinary numbers

    @property
    def dtype(self) -> str:
        """Dtype of the variable."""
        return self.first.dtype

    def join(self, a: str, b: str) -> str:
        """The text of two values joined."""
        known = {"a": Name(a, self.dtype), "b": Name(b, self.dtype)}
        return c_text(replaced(self.joining.both, known))

    @property
    def op(self) -> str:
        """The operation that joins; empty where it is no sum or product."""
        both: Any = self.joining.both
        both = both.x if isinstance(both, Cast) else both
        return both.op if isinstance(both, Binary) else ""

    @property
    def given(self) -> Any:
        """The value that is joined at a place."""
        return self.joining.given

    @property
    def target(self) -> Any:
        """The element that the variable is written to at a place."""
        return self.loop.body[-1].element  # type: ignore[union-attr]

    @property
    def access(self) -> int:
        """The neighbours that a thread reads at once: those of a wide access where both sides lie along the row."""
        after = self.loop.body[1:]
        number = self.dtype in FLOATS or self.dtype.startswith(("int", "uint"))
        simple = len(after) == 1 and after[0] == Store(self.target, Name(self.first.name, self.dtype))
        both = isinstance(self.given, Element) and self.given.dtype == self.dtype == self.target.dtype
        if not (number and simple and both and self.op in ("+", "*")):
            return 1
        along = all(_is_along(x, self.loop.counter) for x in (self.given, self.target))
        return min(MANY, WIDE // SIZE[self.dtype]) if along else 1

    @property
    def accesses(self) -> int:
        """The accesses of a thread to a tile."""
        return 2 if self.access > 1 else 4

    @property
    def nothing(self) -> str:
        """The value in the place of an element that is missing: joined by wide accesses, it changes no number."""
        if self.op == "*":
            return "1"
        return {"float32": "-0.0f", "float64": "-0.0"}.get(self.dtype, "0") if self.op == "+" else "0"


def _is_along(x: Element, counter: str) -> bool:
    """True for an element of which the next one in memory is that of the next value of a counter."""
    at = [a for a, i in enumerate(x.index) if counter in names(i)]
    if len(at) != 1 or counter in names(x.memory.address):
        return False
    return x.index[at[0]] == Name(counter) and x.memory.s[at[0]] == ONE


def running(s: Any) -> Running | None:
    """The running reduction that a parallel space is; None for others."""
    if not isinstance(s, Parallel):
        return None
    tests: tuple[Expression, ...] = ()
    body: Sequence[Any] = s.body
    while len(body) == 1 and isinstance(body[0], If) and not body[0].otherwise:
        tests, body = (*tests, body[0].test), body[0].body
    if len(body) < 2 or not isinstance(body[0], Let) or not isinstance(body[-1], For):
        return None
    first, *stores, loop = body
    if not first.variable or loop.running is None or loop.running.variable != first.name:
        return None
    step, *after = loop.body
    if not isinstance(step, Assign) or step.name != first.name:
        return None
    if not all(isinstance(x, Store) for x in (*stores, *after)):
        return None
    kept = tuple((f"i{k}", n) for k, n in enumerate(s.lengths))
    found = Running(kept, tests, first, tuple(stores), loop, loop.running)
    return replace(found, checked=bool(found.dtype in FLOATS and found.op))


def launch_numbers(s: Running, number: int) -> list[str]:
    """The host's statements for the rows, the elements of a chunk, the number of chunks, and the threads along a row and beside it."""
    rows, span, chunks, across, beside = (
        f"eq_{word}{number}" for word in ("rows", "span", "chunks", "across", "beside")
    )
    n = f"({c_text(s.loop.stop, 9)} - {c_text(s.loop.start, 10)})"
    most = f"({rows} >= 264 || {rows} < 1 ? 1 : eq_most({n} / 8192, 528 / {rows}))"
    own = s.access * s.accesses
    return [
        f"const int64_t {rows} = {c_text(product(n for _, n in s.kept))};",
        f"const int64_t {span} = {n} > 0 ? (({n} + {most} - 1) / {most} + {SPAN - 1}) / {SPAN} * {SPAN} : 1;",
        f"const int64_t {chunks} = {n} > 0 ? ({n} + {span} - 1) / {span} : 1;",
        f"const int64_t {across} = {n} < {2 * LANES * own} ? {LANES} : {n} < {THREADS // 2 * own} ? {THREADS // 2} : {THREADS};",
        f"const int64_t {beside} = {across} > {LANES} ? 1 : {THREADS} / {across};",
    ]


def _over_rows(s: Running, rows: str, span: str, inner: Sequence[str]) -> list[str]:
    """Statements for each row of some threads, and the borders of their chunk."""
    ends = [f"e{k}" for k in range(len(s.kept))]
    counter, own = s.loop.counter, CTYPE[s.dtype]
    return [
        f"__shared__ {own} sums[2][{THREADS // LANES}];",
        *["__shared__ unsigned odds[2];", "if (threadIdx.x + threadIdx.y == 0) odds[1] = 0;"]
        * bool(s.checked),
        *_held(s),
        f"const int lane = (int)threadIdx.x % {LANES}, warp = (int)threadIdx.x / {LANES}, warps = (int)blockDim.x / {LANES};",
        "int turn = 0;",
        f"for (int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y; row < {rows}; row += (int64_t)gridDim.x*blockDim.y) {{",
        *deeper(apart("row", [c for c, _ in s.kept], ends)),
        *(f"  if (!({c_text(t)})) continue;" for t in s.tests),
        f"  const int64_t {counter}_first = {c_text(s.loop.start)} + blockIdx.y*{span};",
        f"  const int64_t {counter}_last = eq_least({counter}_first + {span}, {c_text(s.loop.stop)});",
        *deeper(inner),
        "}",
    ]


def _held(s: Running) -> list[str]:
    """Shared memory through which the lanes of a warp pass elements on, where accesses may be wide."""
    own = s.access * s.accesses
    if s.access == 1:
        return []
    return [
        f"__shared__ __align__({WIDE}) {CTYPE[s.dtype]} held[{THREADS * own}];",
        f"{CTYPE[s.dtype]} *const here = held + (threadIdx.y*blockDim.x + threadIdx.x) / {LANES} * {LANES * own};",
    ]


def _odd(s: Running, value: str) -> str:
    """The test that a part is no ordinary number; 0 for integers, whose sums and products may be joined in any groups."""
    if not s.checked:
        return "0"
    least = f" || !(fabs{'f' * (s.dtype == 'float32')}({value}) >= {LEAST[s.dtype]})" if s.op == "*" else ""
    return f"!({value} - {value} == 0){least}"


def _at(x: Any, counter: str, value: str) -> str:
    """The address of an element at another value of the counter."""
    moved: Any = replaced(x, {counter: Name(value)})
    return place(moved)


def _read(s: Running, begin: str) -> list[str]:
    """Statements with which a thread reads its elements of a tile, those of an access neighbours, from ``begin`` on."""
    k, many, own = s.loop.counter, s.access, CTYPE[s.dtype]
    lines = [
        f"const int64_t low = tile + (int64_t)warp*{LANES * many * s.accesses};",
        f"{own} own[{s.accesses}][{many}], ends[{s.accesses}], ahead[{s.accesses}];",
    ]
    if many == 1:
        fill = f"for (int a = 0; a < {s.accesses}; a++) own[a][0] = {s.nothing};"
        return [*lines, "#pragma unroll", fill, *_each(s, begin, [f"own[a][e] = {c_text(s.given)};"])]
    kind = f"eq_vector{many}_{own}"
    each = [
        f"const {kind} x = *(const {kind} *)({_at(s.given, k, 'at')});",
        "#pragma unroll",
        f"for (int e = 0; e < {many}; e++) own[a][e] = x.at[e];",
    ]
    mine = f"own[e / {many}][e % {many}]"
    every = ["#pragma unroll", f"for (int e = 0; e < {many * s.accesses}; e++) "]
    other = [
        every[0],
        f"{every[1]}{mine} = {s.nothing};",
        *_one_by_one(s, begin, [f"{mine} = {c_text(s.given)};"]),
        every[0],
        f"{every[1]}here[lane + e*{LANES}] = {mine};",
        "__syncwarp();",
        *_passed(s, "own[a][e] = @;"),
    ]
    return [*lines, *_if_whole(s, begin, each, other)]


def _write(s: Running) -> list[str]:
    """Statements with which a thread writes the elements of a tile that it has."""
    k, own, total, many = s.loop.counter, CTYPE[s.dtype], s.first.name, s.access
    after = printed(s.loop.body[1:])
    if many == 1:
        return _each(s, f"{k}_first", [f"{total} = own[a][e];", *after])
    kind = f"eq_vector{many}_{own}"
    each = [
        f"{kind} y;",
        "#pragma unroll",
        f"for (int e = 0; e < {many}; e++) y.at[e] = own[a][e];",
        f"*({kind} *)({_at(s.target, k, 'at')}) = y;",
    ]
    inner = [f"{total} = here[lane + e*{LANES}];", *after]
    other = [*_passed(s, "@ = own[a][e];"), *_one_by_one(s, f"{k}_first", inner), "__syncwarp();"]
    return _if_whole(s, f"{k}_first", each, other)


def _joined(s: Running) -> list[str]:
    """Statements with which the threads of a row join what each has, in their order: up to each of them, and ``all`` of the row so far."""
    own, some, wide = CTYPE[s.dtype], s.accesses, s.access
    each = f"for (int a = 0; a < {some}; a++)"
    return [
        "#pragma unroll",
        f"{each} {{",
        "  #pragma unroll",
        f"  for (int e = 1; e < {wide}; e++) own[a][e] = {s.join('own[a][e - 1]', 'own[a][e]')};",
        f"  ends[a] = own[a][{wide - 1}];",
        "}",
        "#pragma unroll",
        f"for (int d = 1; d < {LANES}; d *= 2) {{",
        "  #pragma unroll",
        f"  {each} {{",
        f"    const {own} before = __shfl_up_sync(~0u, ends[a], d, {LANES});",
        f"    if (lane >= d) ends[a] = {s.join('before', 'ends[a]')};",
        "  }",
        "}",
        "#pragma unroll",
        f"{each} ahead[a] = __shfl_up_sync(~0u, ends[a], 1, {LANES});",
        "#pragma unroll",
        f"for (int a = 1; a < {some}; a++) {{",
        f"  const {own} before = __shfl_sync(~0u, ends[a - 1], {LANES - 1}, {LANES});",
        f"  ends[a] = {s.join('before', 'ends[a]')};",
        f"  ahead[a] = lane ? {s.join('before', 'ahead[a]')} : before;",
        "}",
        f"{own} start = {s.first.name}, all = {s.first.name};",
        "turn ^= 1;",
        "if (warps > 1) {",
        f"  if (lane == {LANES - 1}) sums[turn][warp] = ends[{some - 1}];",
        "  __syncthreads();",
        *["  if (threadIdx.x == 0) odds[turn ^ 1] = 0;"] * bool(s.checked),
        "  #pragma unroll 4",
        "  for (int w = 0; w < warps; w++) {",
        f"    const {own} next = sums[turn][w];",
        "    if (w == warp) start = all;",
        f"    all = {s.join('all', 'next')};",
        "  }",
        "} else {",
        f"  const {own} next = __shfl_sync(~0u, ends[{some - 1}], {LANES - 1}, {LANES});",
        f"  all = {s.join('all', 'next')};",
        "}",
    ]


def _results(s: Running) -> list[str]:
    """Statements with which each thread makes the results at its elements of what was joined before, and looks for odd numbers."""
    own = CTYPE[s.dtype]
    return [
        *[f"int odd = 0; const int plain = !({_odd(s, s.first.name)});"] * bool(s.checked),
        "#pragma unroll",
        f"for (int a = 0; a < {s.accesses}; a++) {{",
        f"  const {own} near = a || lane ? {s.join('start', 'ahead[a]')} : start;",
        *[f"  odd |= {_odd(s, 'ends[a]')};"] * bool(s.checked),
        "  #pragma unroll",
        f"  for (int e = 0; e < {s.access}; e++) {{",
        f"    own[a][e] = {s.join('near', 'own[a][e]')};",
        *[f"    odd |= plain && ({_odd(s, 'own[a][e]')});"] * bool(s.checked),
        "  }",
        "}",
    ]


def _each(s: Running, begin: str, inner: Sequence[str]) -> list[str]:
    """Statements for each element that a thread has."""
    k = s.loop.counter
    return [
        "#pragma unroll",
        f"for (int a = 0; a < {s.accesses}; a++) {{",
        "  #pragma unroll",
        f"  for (int e = 0; e < {s.access}; e++) {{",
        f"    const int64_t {k} = low + lane*{s.access} + a*{LANES * s.access} + e;",
        f"    if ({k} >= {begin} && {k} < {k}_last) {{",
        *deeper(inner, 3),
        "    }",
        "  }",
        "}",
    ]


def _if_whole(s: Running, begin: str, each: Sequence[str], other: Sequence[str]) -> list[str]:
    """Statements for an access ``at`` a place where the whole warp makes wide ones, ``other`` ones elsewhere."""
    wide, k = LANES * s.access, s.loop.counter
    return [
        f"if (aligned && low >= {begin} && low + {wide * s.accesses} <= {k}_last) {{",
        "  #pragma unroll",
        f"  for (int a = 0; a < {s.accesses}; a++) {{",
        f"    const int64_t at = low + lane*{s.access} + a*{wide};",
        *deeper(each, 2),
        "  }",
        "} else {",
        *deeper(other),
        "}",
    ]


def _one_by_one(s: Running, begin: str, inner: Sequence[str]) -> list[str]:
    """Statements for each element of a warp, of which its lanes take neighbours, one after the other."""
    k = s.loop.counter
    return [
        "#pragma unroll",
        f"for (int e = 0; e < {s.access * s.accesses}; e++) {{",
        f"  const int64_t {k} = low + lane + e*{LANES};",
        f"  if ({k} >= {begin} && {k} < {k}_last) {{",
        *deeper(inner, 2),
        "  }",
        "}",
    ]


def _passed(s: Running, statement: str) -> list[str]:
    """A statement for each element of the accesses of a thread, where ``@`` is its place among those of the warp."""
    wide = LANES * s.access
    return [
        "#pragma unroll",
        f"for (int a = 0; a < {s.accesses}; a++) {{",
        "  #pragma unroll",
        f"  for (int e = 0; e < {s.access}; e++) {statement.replace('@', f'here[a*{wide} + lane*{s.access} + e]')}",
        "}",
        "__syncwarp();",
    ]


def _tiles(s: Running, begin: str, inner: Sequence[str]) -> list[str]:
    """Statements for each tile of a chunk; where accesses are wide the first one begins where one of the row does."""
    k = s.loop.counter
    start = f"{k}_first - 1" if s.access > 1 else begin
    return [
        f"for (int64_t tile = {start}; tile < {k}_last; tile += (int64_t)blockDim.x*{s.access * s.accesses}) {{",
        *deeper([*_read(s, begin), *_joined(s), *inner]),
        "}",
    ]


def _aligned(s: Running, *elements: Any) -> list[str]:
    """The test that rows begin where wide accesses may."""
    if s.access == 1:
        return []
    k, bytes_ = s.loop.counter, s.access * SIZE[s.dtype] - 1
    bits = " | ".join(f"(uint64_t)({_at(x, k, f'({k}_first - 1)')})" for x in elements)
    return [f"const int aligned = (({bits}) & {bytes_}) == 0;"]


def part_text(s: Running, rows: str, span: str, part: str) -> list[str]:
    """The kernel of the parts: each chunk of a row joined. A part that is no ordinary number is found again by who reads it."""
    k, own, total = s.loop.counter, CTYPE[s.dtype], s.first.name
    s = replace(s, checked=False)
    to = f"{part}[row*gridDim.y + blockIdx.y]"
    first = c_text(replaced(s.joining.given, {k: Name(f"{k}_first")}))
    tile, last = [f"{total} = all;"], [f"if (threadIdx.x == 0) {to} = {total};"]
    if s.access == 1:  # what is joined where there is no element counts
        tile = [*_results(s), *_each(s, "begin", [f"if ({k} == {k}_last - 1) {to} = own[a][e];"]), *tile]
        last = [f"if (threadIdx.x == 0 && begin >= {k}_last) {to} = {total};"]
    inner = [
        f"{own} {total} = {first};",
        f"const int64_t begin = {k}_first + 1;",
        *_aligned(s, *[s.given] * (s.access > 1)),
        *_tiles(s, "begin", tile),
        *last,
    ]
    return _over_rows(s, rows, span, inner)


def running_text(s: Running, rows: str, span: str, part: str) -> list[str]:
    """The kernel of the results."""
    k, own, total = s.loop.counter, CTYPE[s.dtype], s.first.name
    after, step = printed(s.loop.body[1:]), printed(s.loop.body[:1])
    written = _write(s)
    in_order = [
        "odd = __any_sync(~0u, odd);",
        "if (warps > 1) {",
        "  if (odd && lane == 0) atomicOr(&odds[turn], 1u);",
        "  __syncthreads();",
        "  odd = odds[turn] != 0;",
        "}",
        "if (odd) {",
        f"  const int64_t from = tile < {k}_first ? {k}_first : tile;",
        f"  const int64_t to = threadIdx.x == 0 ? eq_least(tile + (int64_t)blockDim.x*{s.access * s.accesses}, {k}_last) : from;",
        f"  for (int64_t {k} = from; {k} < to; {k}++) {{",
        *deeper([*step, *after], 2),
        "  }",
        f"  {total} = __shfl_sync(~0u, {total}, 0, {LANES});",
        "  if (warps > 1) {",
        f"    if (threadIdx.x == 0) sums[turn][0] = {total};",
        "    __syncthreads();",
        f"    {total} = sums[turn][0];",
        "  }",
        "} else {",
        *deeper([*written, f"{total} = all;"]),
        "}",
    ]
    inner = [
        f"{own} {total} = {c_text(s.first.value)};",
        "if (blockIdx.y == 0 && threadIdx.x == 0) {",
        *deeper(printed(s.stores)),
        "}",
        "int odd_part = 0;",
        "#pragma unroll 4",
        "for (int64_t c = 0; c < blockIdx.y; c++) {",
        f"  const {own} of_chunk = {part}[row*gridDim.y + c];",
        f"  {total} = {s.join(total, 'of_chunk')};",
        f"  odd_part |= ({_odd(s, 'of_chunk')}) || ({_odd(s, total)});",
        "}",
        "if (odd_part) {",
        f"  {total} = {c_text(s.first.value)};",
        f"  for (int64_t {k} = {c_text(s.loop.start)}; {k} < {k}_first; {k}++) {{",
        *deeper(step, 2),
        "  }",
        "}",
        *_aligned(s, *[s.given, s.target] * (s.access > 1)),
        *_tiles(s, f"{k}_first", [*_results(s), *(in_order if s.checked else [*written, f"{total} = all;"])]),
    ]
    return _over_rows(s, rows, span, inner)
