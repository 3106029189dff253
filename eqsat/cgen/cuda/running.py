"""Running reductions along rows: a block of threads takes a row, or a chunk of a long one, a tile after the other.

Each thread joins a few neighbours, the threads join what each has, and go once more through their neighbours from there. Results
depend on the lengths alone. Where a part is no ordinary number (an infinity, a product that is 0), one thread goes through the tile in
order, so that no number is lost to the grouping.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.statements import printed
from eqsat.cgen.cuda.kernels import THREADS, apart
from eqsat.cgen.ir.expressions import Binary, Cast, Expression, Name, product
from eqsat.cgen.ir.statements import Assign, For, If, Joining, Let, Parallel, Statement, Store
from eqsat.cgen.ir.written_out import replaced
from eqsat.graph.dtypes import FLOATS

MANY = 8  # neighbours of a thread
TILE = THREADS * MANY
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
    return Running(kept, tests, first, tuple(stores), loop, loop.running)


def launch_numbers(s: Running, rows: str, span: str, chunks: str) -> list[str]:
    """The host's statements for the rows, the elements of a chunk and the number of chunks."""
    n = f"({c_text(s.loop.stop, 9)} - {c_text(s.loop.start, 10)})"
    most = f"({rows} >= 264 || {rows} < 1 ? 1 : eq_most({n} / 8192, 2048 / {rows}))"
    return [
        f"const int64_t {rows} = {c_text(product(n for _, n in s.kept))};",
        f"const int64_t {span} = {n} > 0 ? ({n} + {most} - 1) / {most} : 1;",
        f"const int64_t {chunks} = {n} > 0 ? ({n} + {span} - 1) / {span} : 1;",
    ]


def _over_rows(s: Running, rows: str, span: str, inner: Sequence[str]) -> list[str]:
    """Statements for each row of a block, and the borders of its chunk."""
    ends = [f"e{k}" for k in range(len(s.kept))]
    counter = s.loop.counter
    return [
        f"for (int64_t row = blockIdx.x; row < {rows}; row += gridDim.x) {{",
        *(f"  {line}" for line in apart("row", [c for c, _ in s.kept], ends)),
        *(f"  if (!({c_text(t)})) continue;" for t in s.tests),
        f"  const int64_t {counter}_first = {c_text(s.loop.start)} + blockIdx.y*{span};",
        f"  const int64_t {counter}_last = eq_least({counter}_first + {span}, {c_text(s.loop.stop)});",
        *(f"  {line}" for line in inner),
        "}",
    ]


def _odd(s: Running, value: str) -> str:
    """The test that a part is no ordinary number; empty for integers, whose sums and products may be joined in any groups."""
    if s.dtype not in FLOATS or not s.op:
        return "0"
    least = f" || !(fabs{'f' * (s.dtype == 'float32')}({value}) >= {LEAST[s.dtype]})" if s.op == "*" else ""
    return f"!({value} - {value} == 0){least}"


def _neighbours(s: Running) -> list[str]:
    """Statements with which a thread joins its neighbours of a tile to ``mine``; ``some`` is their number."""
    k, own = s.loop.counter, CTYPE[s.dtype]
    return [
        f"const int64_t low = tile + (int64_t)threadIdx.x*{MANY}, high = eq_least(low + {MANY}, {k}_last);",
        f"{own} mine = 0;",
        f"for (int64_t {k} = low; {k} < high; {k}++) {{",
        f"  const {own} v = {c_text(s.joining.given)};",
        f"  mine = {k} == low ? v : {s.join('mine', 'v')};",
        "}",
        f"int odd = low < high && ({_odd(s, 'mine')});",
    ]


def _joined(s: Running) -> list[str]:
    """Statements with which the threads of a block join what each has, in their order: ``sums`` up to and including each."""
    return [
        "sums[threadIdx.x] = mine;",
        "if (threadIdx.x == 0) any_odd = 0;",
        "__syncthreads();",
        f"for (int d = 1; d < {THREADS}; d *= 2) {{",
        f"  const {CTYPE[s.dtype]} before = (int)threadIdx.x >= d ? sums[threadIdx.x - d] : 0;",
        "  __syncthreads();",
        f"  if ((int)threadIdx.x >= d && low < high) {{ const {CTYPE[s.dtype]} now = sums[threadIdx.x]; sums[threadIdx.x] = {s.join('before', 'now')}; }}",
        "  __syncthreads();",
        "}",
        f"odd |= low < high && ({_odd(s, 'sums[threadIdx.x]')});",
        "if (odd) atomicOr(&any_odd, 1u);",
        "__syncthreads();",
    ]


def _shared(s: Running) -> list[str]:
    return [f"__shared__ {CTYPE[s.dtype]} sums[{THREADS}];", "__shared__ unsigned any_odd;"]


def part_text(s: Running, rows: str, span: str, part: str) -> list[str]:
    """The kernel of the parts: each chunk of a row joined. A part that is no ordinary number is found again by who reads it."""
    k, own, total = s.loop.counter, CTYPE[s.dtype], s.first.name
    inner = [
        f"{own} {total} = 0;",
        f"for (int64_t tile = {k}_first; tile < {k}_last; tile += {TILE}) {{",
        *(f"  {line}" for line in (*_neighbours(s), *_joined(s))),
        f"  const int last = (int)(eq_least({k}_last - tile, {TILE}) + {MANY - 1}) / {MANY} - 1;",
        f"  const {own} all = sums[last];",
        f"  {total} = tile == {k}_first ? all : {s.join(total, 'all')};",
        "  __syncthreads();",
        "}",
        f"if (threadIdx.x == 0) {part}[row*gridDim.y + blockIdx.y] = {total};",
    ]
    return [*_shared(s), *_over_rows(s, rows, span, inner)]


def running_text(s: Running, rows: str, span: str, part: str) -> list[str]:
    """The kernel of the results."""
    k, own, total = s.loop.counter, CTYPE[s.dtype], s.first.name
    after = printed(s.loop.body[1:])
    step = printed(s.loop.body[:1])
    inner = [
        f"{own} {total} = {c_text(s.first.value)};",
        "if (blockIdx.y == 0 && threadIdx.x == 0) {",
        *(f"  {line}" for line in printed(s.stores)),
        "}",
        "int odd_part = 0;",
        "for (int64_t c = 0; c < blockIdx.y; c++) {",
        f"  const {own} of_chunk = {part}[row*gridDim.y + c];",
        f"  {total} = {s.join(total, 'of_chunk')};",
        f"  odd_part |= ({_odd(s, 'of_chunk')}) || ({_odd(s, total)});",
        "}",
        "if (odd_part) {",
        f"  {total} = {c_text(s.first.value)};",
        f"  for (int64_t {k} = {c_text(s.loop.start)}; {k} < {k}_first; {k}++) {{",
        *(f"    {line}" for line in step),
        "  }",
        "}",
        f"for (int64_t tile = {k}_first; tile < {k}_last; tile += {TILE}) {{",
        *(f"  {line}" for line in (*_neighbours(s), *_joined(s))),
        f"  const {own} start = {total};",
        f"  const {own} ahead = threadIdx.x > 0 ? sums[threadIdx.x - 1] : 0;",
        f"  if (threadIdx.x > 0) {total} = {s.join('start', 'ahead')};",
        "  const int in_order = any_odd != 0;",
        "  int64_t from = low, to = high;",
        "  if (in_order) {",
        f"    from = tile; to = threadIdx.x == 0 ? eq_least(tile + {TILE}, {k}_last) : tile; {total} = start;",
        "  }",
        f"  for (int64_t {k} = from; {k} < to; {k}++) {{",
        *(f"    {line}" for line in (*step, *after)),
        "  }",
        "  __syncthreads();",
        "  if (in_order) {",
        f"    if (threadIdx.x == 0) sums[0] = {total};",
        "    __syncthreads();",
        f"    {total} = sums[0];",
        "  } else {",
        f"    const {own} all = sums[(int)(eq_least({k}_last - tile, {TILE}) + {MANY - 1}) / {MANY} - 1];",
        f"    {total} = {s.join('start', 'all')};",
        "  }",
        "  __syncthreads();",
        "}",
    ]
    return [*_shared(s), *_over_rows(s, rows, span, inner)]
