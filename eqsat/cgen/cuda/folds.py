"""Nests with folds: threads share a row, or the rows of a column; long ones are cut into chunks, which a second kernel joins.

What is added to what follows from the lengths alone, so that a sum has the same bits in every run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eqsat.cgen.c.nest_text import Parameters, block
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.partial import accumulated, accumulator, combine, identity
from eqsat.cgen.cuda.kernels import HEAD, THREADS, Body, Kernel, apart, head, not_empty, product, words
from eqsat.cgen.cuda.wide_folds import columns_text, elements, parts_of, rows_text, written
from eqsat.cgen.ir.expressions import Text
from eqsat.cgen.ir.nest import Fold, Nest
from eqsat.cgen.lower.segment import value_of

LANES = 32  # of a warp
ENOUGH = 264  # blocks that need no chunks
GROUP = 1024  # elements of which a chunk has a multiple


def emit_folds(w: Any, nest: Nest) -> None:
    """Statements that launch the kernels of a nest with folds."""
    kept = [nest.lengths[a] for a, r in enumerate(nest.reduced) if not r]
    over = [nest.lengths[a] for a, r in enumerate(nest.reduced) if r]
    results, reduced = (w.number_of("n", value_of(w.lengths.product(texts))) for texts in (kept, over))
    many = elements(nest)
    tx, ty, passes, most, grid = _geometry(w, nest, many, results, reduced)
    even = (
        f"/ {GROUP} * {GROUP}" if many > 1 and nest.reduced[-1] else ""
    )  # wide accesses of a chunk begin where those of its row do
    more = f" + {GROUP - 1}" if even else ""
    span = w.number_of("span", Text(f"{reduced} > 0 ? (({reduced} + {most} - 1) / {most}{more}){even} : 1"))
    chunks = w.number_of("chunks", Text(f"{reduced} > 0 ? ({reduced} + {span} - 1) / {span} : 1"))
    known, parts = {"@span": span, "@passes": passes}, []
    for k, fold in enumerate(nest.folds):
        size = f"({chunks} > 1 ? {results}*{chunks} : 0)"
        parts.append(w.slots.take(size))
        known[f"@part{k}"] = w.buffer(parts[-1], Text(size), accumulated(fold))
    kernel = wide(nest, many) if many > 1 else folded(nest)
    launch = Kernel(kernel[0], words(kernel[1], known), (grid, chunks), (tx, ty), not_empty([results]))
    w.unit.launch(w, launch)
    for k, fold in enumerate(nest.folds):
        target = nest.operands[fold.operand].pointer
        w.unit.launch(w, joined(fold, (known[f"@part{k}"], target, results, chunks)))
    for part in parts:
        w.slots.give(part)


def _geometry(w: Any, nest: Nest, many: int, results: str, reduced: str) -> tuple[str, str, str, str, str]:
    """Threads along a row and beside it, the columns of each, the most chunks, and the blocks along the results."""
    passes = "1"
    if nest.reduced[-1]:
        few = f"{reduced} <= 4 ? 1 : {reduced} <= 16 ? 8 : {reduced} <= 1024 ? {LANES}"
        if many > 1:
            few = f"{reduced} <= 1024 ? eq_power(({reduced} + {many - 1}) / {many}, {LANES})"
        tx = w.number_of("tx", Text(f"{few} : {THREADS}"))
        ty = beside = w.number_of("ty", Text(f"{THREADS} / {tx}"))
        chunks = f"{results} >= {ENOUGH} ? 1 : eq_most({reduced} / 8192, {4 * ENOUGH} / {results})"
        grid = f"({results} + {beside} - 1) / {beside}"
    else:
        tx = w.number_of("tx", Text(f"eq_power({results}, {LANES})"))
        ty = w.number_of("ty", Text(f"{THREADS} / {tx}"))
        if many > 1:
            passes = w.number_of("passes", Text(f"{results} >= {LANES * many} ? {many} : 1"))
        beside = f"({tx}*{passes})" if many > 1 else tx
        grid = w.number_of("across", Text(f"({results} + {beside} - 1) / {beside}"))
        chunks = f"{grid} >= {ENOUGH} ? 1 : eq_most({reduced} / 256, {4 * ENOUGH} / {grid})"
    most = w.number_of("most", Text(f"{results} > 0 ? ({chunks}) : 1"))
    return tx, ty, passes, most, grid


def wide(nest: Nest, many: int) -> tuple[str, Parameters]:
    """The kernel over memory that lies in one piece, and its parameters."""
    return rows_text(nest, many, _along_rows(nest)) if nest.reduced[-1] else columns_text(nest, many)


def folded(nest: Nest) -> tuple[str, Parameters]:
    """The kernel and its parameters: results in ``blockIdx.x``, chunks of what is folded in ``blockIdx.y``."""
    names = Parameters(nest)
    extra = parts_of(nest, names)
    kept, over = ([a for a, r in enumerate(nest.reduced) if r == which] for which in (False, True))
    counters = [f"k{a}" if a in kept else f"i{a}" for a in range(len(nest.lengths))]
    body = Body(nest, names, [1 if a in kept else 2 for a in range(len(nest.lengths))], counters, -1)
    at = [*body.at, [], []]
    results, reduced = (product([names.number(nest.lengths[a]) for a in axes]) for axes in (kept, over))
    by_rows = nest.reduced[-1]
    row, mine, step = ("y", "threadIdx.x", "blockDim.x") if by_rows else ("x", "threadIdx.y", "blockDim.y")
    span = names.number("@span")
    lines = [
        *at[0],
        f"const int64_t row = (int64_t)blockIdx.x*blockDim.{row} + threadIdx.{row};",
        f"const int64_t first = blockIdx.y*{span}, last = eq_least(first + {span}, {reduced});",
        *(f"{accumulator(f)} s{k} = {identity(f)};" for k, f in enumerate(nest.folds)),
        f"if (row < {results}) {{",
    ]
    inner = [
        *apart("row", [counters[a] for a in kept], [names.number(nest.lengths[a]) for a in kept]),
        *at[1],
    ]
    inner += [f"for (int64_t q = first + {mine}; q < last; q += {step}) {{"]
    deep = [*apart("q", [counters[a] for a in over], [names.number(nest.lengths[a]) for a in over]), *at[2]]
    deep += [
        f"s{k} = {combine(f, f's{k}', f'(({accumulator(f)})t{f.root})')};" for k, f in enumerate(nest.folds)
    ]
    text = block(lines, 1) + block(inner, 2) + block(deep, 3) + block(["}"], 2) + block(["}"], 1)
    text += block(_along_rows(nest) if by_rows else _down_columns(nest), 1)
    only = "threadIdx.x" if by_rows else "threadIdx.y"
    write = written(nest, names, "s{k}")
    text += block([f"if (row < {results} && {only} == 0) {{", *write, "}"], 1)
    return head(nest, names, extra) + text + "}\n", names


def shuffled(folds: Iterable[tuple[int, Fold]], lanes: str = str(LANES // 2)) -> list[str]:
    """Statements with which the lanes of a warp combine what each has of folds by number, beginning with those so far apart."""
    lines = [f"for (int d = {lanes}; d; d >>= 1) {{"]
    for k, f in folds:
        other = f"const {accumulator(f)} o{k} = __shfl_xor_sync(~0u, s{k}, d, {LANES});"
        lines.append(f"  {other} s{k} = {combine(f, f's{k}', f'o{k}')};")
    return [*lines, "}"]


def _along_rows(nest: Nest) -> list[str]:
    """The threads of a row combine what each has: those of a warp by shuffles, warps through shared memory."""
    folds = [*enumerate(nest.folds)]
    lines = [*shuffled(folds, f"(int)eq_least(blockDim.x, {LANES}) >> 1"), f"if (blockDim.x > {LANES}) {{"]
    for k, f in folds:
        lines.append(f"  __shared__ {accumulator(f)} m{k}[{THREADS // LANES}];")
        lines.append(f"  if (threadIdx.x % {LANES} == 0) m{k}[threadIdx.x / {LANES}] = s{k};")
    lines.append("  __syncthreads();")
    for k, f in folds:
        again = (
            f"for (int d = 1; d < (int)(blockDim.x / {LANES}); d++) s{k} = {combine(f, f's{k}', f'm{k}[d]')};"
        )
        lines.append(f"  s{k} = m{k}[0]; {again}")
    return [*lines, "}"]


def _down_columns(nest: Nest) -> list[str]:
    """The threads of a column combine what each has by halves, through shared memory."""
    folds = [*enumerate(nest.folds)]
    mine = "threadIdx.y*blockDim.x + threadIdx.x"
    lines = [f"__shared__ {accumulator(f)} m{k}[{THREADS}]; m{k}[{mine}] = s{k};" for k, f in folds]
    lines += [
        "for (int d = blockDim.y >> 1; d; d >>= 1) {",
        "  __syncthreads();",
        "  if ((int)threadIdx.y < d) {",
    ]
    for k, f in folds:
        one, other = f"m{k}[{mine}]", f"m{k}[(threadIdx.y + d)*blockDim.x + threadIdx.x]"
        lines.append(f"    {one} = {combine(f, one, other)};")
    lines += ["  }", "}"]
    return lines + [f"s{k} = m{k}[threadIdx.x];" for k, _ in folds]


def joined(fold: Fold, given: tuple[str, str, str, str]) -> Kernel:
    """The kernel that combines the chunks of each result: a warp takes one, always in the same order."""
    own, target = accumulator(fold), CTYPE[fold.dtype]
    lines = [
        f"{HEAD.format(THREADS)}(const {own} *__restrict__ w, {target} *__restrict__ r, const int64_t results, "
        "const int64_t chunks) {",
        "  const int64_t row = (int64_t)blockIdx.x*blockDim.y + threadIdx.y;",
        f"  {own} s = {identity(fold)};",
        "  if (row < results) {",
        "    #pragma unroll 8",
        f"    for (int64_t q = threadIdx.x; q < chunks; q += {LANES}) s = {combine(fold, 's', 'w[row*chunks + q]')};",
        "  }",
        f"  for (int d = {LANES // 2}; d; d >>= 1) {{",
        f"    const {own} o = __shfl_xor_sync(~0u, s, d, {LANES}); s = {combine(fold, 's', 'o')};",
        "  }",
        f"  if (row < results && threadIdx.x == 0) r[row] = ({target})s;",
        "}",
    ]
    _, _, results, chunks = given
    beside = THREADS // LANES
    grid = (f"({results} + {beside - 1}) / {beside}", "1")
    return Kernel(
        "\n".join(lines) + "\n", given, grid, (str(LANES), str(beside)), f"{chunks} > 1 && {results} > 0"
    )
