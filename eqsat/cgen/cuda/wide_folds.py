"""Folds over memory that lies in one piece: wide accesses, of which each thread has several on their way at once.

Which values a thread adds up, and in which order, follows from the lengths alone: where rows begin elsewhere than wide accesses may,
as views do, threads read one element at a time, and pass on what they have to whom the wide access would have given it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.nest_text import Parameters, block
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.partial import accumulator, combine, identity
from eqsat.cgen.cuda.kernels import THREADS, Body, apart, deeper, head, product
from eqsat.cgen.cuda.nests import WIDE, begins_wide, in_vector
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.nest import Fold, Nest

MANY = 4  # elements of an access at the most: each has a result of its own in shared memory
FOLDS = 4  # of a kernel, for which shared memory has room
SIMPLE = 8  # operations for an element up to which a thread has four accesses on their way at once


def elements(nest: Nest) -> int:
    """The elements of a wide access; 1 where memory does not lie so that there are any."""
    results = {f.operand for f in nest.folds}
    others = [o for k, o in enumerate(nest.operands) if k not in results]
    plain = not (nest.tested or nest.picks or any(s != "0" for s in nest.starts)) and len(nest.folds) <= FOLDS
    along = [o for o in others if o.strides and o.strides[-1] == "1"]
    if (
        not plain
        or not along
        or any(o not in along and (o.written or o.strides[-1:] != ("0",)) for o in others)
    ):
        return 1
    if nest.reduced[-1] and sum(nest.reduced) > 1:
        return 1
    return max(1, min(MANY, WIDE // max(SIZE[o.dtype] for o in along)))


@dataclass(frozen=True)
class _Parts:
    """The parts of which the text of a kernel is made: statements ``at`` each depth, and the ``rows`` that wide accesses read, by operand."""

    nest: Nest
    names: Parameters
    at: list[list[str]]
    rows: dict[int, str]
    many: int

    @property
    def folds(self) -> list[tuple[int, Fold]]:
        """The folds by number."""
        return [*enumerate(self.nest.folds)]

    def number(self, axis: int) -> str:
        """The length of an axis."""
        return self.names.number(self.nest.lengths[axis])

    def axes(self, reduced: bool) -> list[int]:
        """The axes that are folded, or those that are kept."""
        return [a for a, r in enumerate(self.nest.reduced) if r == reduced]

    def take(self, form: str = "s{k}") -> list[str]:
        """Statements that fold the present values into variables of a form."""
        into = [form.format(k=k) for k, _ in self.folds]
        return [
            f"{s} = {combine(f, s, f'(({accumulator(f)})t{f.root})')};"
            for s, (_, f) in zip(into, self.folds, strict=True)
        ]

    def begin(self) -> list[str]:
        """Declarations of what values are folded into."""
        return [f"{accumulator(f)} s{k} = {identity(f)};" for k, f in self.folds]

    def begin_each(self) -> list[str]:
        """Declarations of what the elements of accesses are folded into."""
        lines = [f"{accumulator(f)} c{k}[{self.many}];" for k, f in self.folds]
        each = " ".join(f"c{k}[e] = {identity(f)};" for k, f in self.folds)
        return [*lines, "#pragma unroll", f"for (int e = 0; e < {self.many}; e++) {{ {each} }}"]

    def vectors(self, index: str) -> list[str]:
        """Statements that read a wide access of each row, and fold its elements; what is stored beside goes by one, too."""
        lines, loads, stores = self.at[-1], [], []
        for k, name in self.rows.items():
            kind = f"eq_vector{self.many}_{CTYPE[self.nest.operands[k].dtype]}"
            read = any(f"{name}[j]" in line and not line.startswith(f"{name}[j] =") for line in lines)
            loads.append(f"{kind} v{k}{f' = *(const {kind} *)({name} + {index})' if read else ''};")
            if any(line.startswith(f"{name}[j] =") for line in lines):
                stores.append(f"*({kind} *)({name} + {index}) = v{k};")
        inner = [in_vector(line, self.rows) for line in lines] + self.take("c{k}[e]")
        loop = f"for (int e = 0; e < {self.many}; e++) {{"
        return [*loads, "#pragma unroll", loop, *deeper(inner), "}", *stores]

    @property
    def ahead(self) -> int:
        """Accesses of each row that are on their way at once."""
        return max(1, (4 if self.nest.flops <= SIMPLE else 2) // len(self.rows))

    def aligned(self, more: Sequence[str] = ()) -> str:
        """The test that all rows begin where wide accesses may; ``more`` lengths have to be multiples of one."""
        operands = [(self.names.names[k], self.nest.operands[k]) for k in self.rows]
        addresses = [(name, self.many * SIZE[o.dtype]) for name, o in operands]
        steps = [*more, *(s for _, o in operands for s in o.strides[:-1])]
        return begins_wide(addresses, steps, self.many, self.names.number)


def _parts(nest: Nest, many: int) -> tuple[_Parts, dict[str, Any]]:
    """The parts of a kernel, and the types of the memory of its chunks."""
    names, last = Parameters(nest), len(nest.lengths) - 1
    extra = parts_of(nest, names)
    depth = [3 if a == last else 2 if r else 1 for a, r in enumerate(nest.reduced)]
    counters = [*(f"i{a}" if r else f"k{a}" for a, r in enumerate(nest.reduced[:-1])), "j"]
    body = Body(nest, names, depth, counters, last)
    rows = {k: name for k in range(len(nest.operands)) if (name := body.row(k))}
    return _Parts(nest, names, body.at, rows, many), extra


def columns_text(nest: Nest, many: int) -> tuple[str, Parameters]:
    """The kernel of folds down columns. A thread takes several neighbours where there are many columns.

    ``@passes`` is how many; where memory allows no wide accesses threads go through the rows so many times.
    """
    x, extra = _parts(nest, many)
    kept, over = x.axes(False), x.axes(True)
    results, reduced = (product([x.number(a) for a in axes]) for axes in (kept, over))
    span, passes = x.names.number("@span"), x.names.number("@passes")
    across = [*(f"k{a}" for a in kept[:-1]), "j"]
    own = [*apart("row", across, [x.number(a) for a in kept]), *x.at[1]]
    q = "const int64_t q = first + threadIdx.y + turn*blockDim.y;"
    down = [q, *apart("q", [f"i{a}" for a in over], [x.number(a) for a in over]), *x.at[2]]
    loop = "for (int64_t turn = 0; turn < turns; turn++) {"
    lines = [
        *x.at[0],
        f"const int wide = {passes} == {many} && {x.aligned([nest.lengths[-1]])}, columns = (int)(blockDim.x*{passes});",
        f"const int64_t first = blockIdx.y*{span}, last = eq_least(first + {span}, {reduced});",
        "const int64_t turns = (last - first + blockDim.y - 1 - threadIdx.y) >> (__ffs((int)blockDim.y) - 1);",
        *(f"__shared__ {accumulator(f)} m{k}[{THREADS * many}];" for k, f in x.folds),
        "if (wide) {",
        f"  const int64_t row = (int64_t)blockIdx.x*columns + threadIdx.x*{many};",
        *deeper(x.begin_each()),
        f"  if (row < {results}) {{",
        *deeper([*own, f"#pragma unroll {x.ahead}", loop, *deeper([*down, *x.vectors("j")]), "}"], 2),
        "  }",
        "  #pragma unroll",
        f"  for (int e = 0; e < {many}; e++) {{",
        *(f"    m{k}[threadIdx.y*columns + threadIdx.x*{many} + e] = c{k}[e];" for k, _ in x.folds),
        "  }",
        "} else",
        "#pragma unroll 1",
        f"for (int p = 0; p < (int){passes}; p++) {{",
        "  const int column = (int)(threadIdx.x + p*blockDim.x);",
        "  const int64_t row = (int64_t)blockIdx.x*columns + column;",
        *deeper(x.begin()),
        f"  if (row < {results}) {{",
        *deeper([*own, loop, *deeper([*down, *x.at[3], *x.take()]), "}"], 2),
        "  }",
        *(f"  m{k}[threadIdx.y*columns + column] = s{k};" for k, _ in x.folds),
        "}",
        *_tree(x),
        "#pragma unroll 1",
        f"for (int c = (int)(threadIdx.y*blockDim.x + threadIdx.x); c < columns; c += {THREADS}) {{",
        "  const int64_t row = (int64_t)blockIdx.x*columns + c;",
        f"  if (row < {results}) {{",
        *deeper(written(nest, x.names, "m{k}[c]")),
        "  }",
        "}",
    ]
    return head(nest, x.names, extra) + block(lines, 1) + "}\n", x.names


def _tree(x: _Parts) -> list[str]:
    """Statements that combine the rows of what threads have in shared memory by halves."""
    both = " ".join(f"m{k}[c] = {combine(f, f'm{k}[c]', f'm{k}[c + d*columns]')};" for k, f in x.folds)
    return [
        "__syncthreads();",
        "for (int d = (int)blockDim.y >> 1; d; d >>= 1) {",
        "  #pragma unroll 1",
        f"  for (int c = (int)(threadIdx.y*blockDim.x + threadIdx.x); c < d*columns; c += {THREADS}) {{ {both} }}",
        "  __syncthreads();",
        "}",
    ]


def parts_of(nest: Nest, names: Parameters) -> dict[str, str]:
    """The memory of the chunks of each fold, which becomes a parameter, with the types of its elements."""
    return {names.pointer(f"@part{k}", f"w{k}"): accumulator(f) for k, f in enumerate(nest.folds)}


def written(nest: Nest, names: Parameters, value: str) -> list[str]:
    """Statements that write results, or their chunks where there are several; a ``value`` has a fold's number for ``{k}``."""
    found = [(k, f, value.format(k=k)) for k, f in enumerate(nest.folds)]
    return [
        f"  if (gridDim.y == 1) {names.names[f.operand]}[row] = ({CTYPE[f.dtype]}){v}; "
        f"else w{k}[row*gridDim.y + blockIdx.y] = {v};"
        for k, f, v in found
    ]


def rows_text(nest: Nest, many: int, joined: Sequence[str]) -> tuple[str, Parameters]:
    """The kernel of folds along rows; ``joined`` combines what the threads of a row have.

    Threads take groups of elements by wide accesses, or one part of all groups after the other; at last what is left.
    """
    x, extra = _parts(nest, many)
    kept, last = x.axes(False), x.number(len(nest.lengths) - 1)
    results, span = product([x.number(a) for a in kept]), x.names.number("@span")
    lines = [
        *x.at[0],
        "const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;",
        f"const int64_t first = blockIdx.y*{span}, last = eq_least(first + {span}, {last});",
        f"const int wide = {x.aligned()}, across = (int)blockDim.x, group = across*{many}, mine = (int)(threadIdx.y*blockDim.x + threadIdx.x);",
        "const int64_t groups = (last - first) >> (__ffs(group) - 1);",
        *(f"__shared__ {accumulator(f)} x{k}[{THREADS * many}];" for k, f in x.folds),
        *x.begin(),
        *x.begin_each(),
        f"if (row < {results}) {{",
        *deeper([*apart("row", [f"k{a}" for a in kept], [x.number(a) for a in kept]), *x.at[1]]),
        "  if (wide) {",
        f"    #pragma unroll {x.ahead}",
        "    for (int64_t g = 0; g < groups; g++) {",
        f"      const int64_t j = first + g*group + threadIdx.x*{many};",
        *deeper([*x.at[2], *x.vectors("j")], 3),
        "    }",
        "  }",
        "  #pragma unroll 1",
        f"  for (int e = wide ? {many} : 0; e <= {many}; e++) {{",
        f"    const int64_t begin = first + (e < {many} ? 0 : groups*group) + e % {many}*across + threadIdx.x, step = e < {many} ? group : across;",
        f"    const int64_t turns = e < {many} ? groups : (last - begin + across - 1) >> (__ffs(across) - 1);",
        *deeper([f"s{k} = {identity(f)};" for k, f in x.folds], 2),
        "    for (int64_t turn = 0; turn < turns; turn++) {",
        "      const int64_t j = begin + turn*step;",
        *deeper([*x.at[2], *x.at[3], *x.take()], 3),
        "    }",
        *(
            f"    if (e < {many}) x{k}[threadIdx.y*group + e*across + threadIdx.x] = s{k};"
            for k, _ in x.folds
        ),
        "  }",
        "}",
        "if (!wide) {",
        "  __syncthreads();",
        "  #pragma unroll",
        f"  for (int e = 0; e < {many}; e++) {{ {' '.join(f'c{k}[e] = x{k}[mine*{many} + e];' for k, _ in x.folds)} }}",
        "}",
        "#pragma unroll",
        f"for (int e = 0; e < {many}; e++) {{ {_both(x)} }}",
        *joined,
        "if (threadIdx.x == 0) {",
        f"  if (row < {results}) {{",
        *deeper(written(nest, x.names, "s{k}")),
        "  }",
        "}",
    ]
    return head(nest, x.names, extra) + block(lines, 1) + "}\n", x.names


def _both(x: _Parts) -> str:
    return " ".join(f"s{k} = {combine(f, f's{k}', f'c{k}[e]')};" for k, f in x.folds)
