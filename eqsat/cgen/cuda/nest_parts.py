"""Nests as statements of the threads of one block."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eqsat.cgen.c.nest_text import Parameters
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.partial import accumulator, combine, identity
from eqsat.cgen.cuda.folds import LANES, shuffled
from eqsat.cgen.cuda.kernels import THREADS, Body, apart, product
from eqsat.cgen.cuda.nests import places
from eqsat.cgen.ir.nest import Nest

WARPS = THREADS // LANES


def nest_lines(nest: Nest, number: int, alone: bool = False) -> list[str]:
    """Statements with which the threads of a block run a nest, or one thread ``alone``; ``number`` names shared memory."""
    return _folds(nest, number, alone) if nest.folds else _elements(nest, alone)


def _operands(nest: Nest, names: Parameters) -> list[str]:
    """Declarations of the operands of a nest by the entries that lead to them."""
    lines = []
    for operand, name, pointer in zip(nest.operands, names.names, names.pointers, strict=False):
        kind = f"{'' if operand.written else 'const '}{CTYPE[operand.dtype]} *"
        entry = re.sub(r"^\(void \*\)", "", pointer)
        lines.append(f"{kind}const {name} = ({kind}){entry};")
    return lines


def _lengths(names: Parameters) -> list[str]:
    return [f"const int64_t {name} = {text};" for text, name in names.numbers.items()]


def _elements(nest: Nest, alone: bool) -> list[str]:
    names = Parameters(nest)
    lines = places(nest, names, "0", "1") if alone else places(nest, names, "threadIdx.x", str(THREADS))
    return [*_operands(nest, names), *_lengths(names), *lines]


def _folds(nest: Nest, number: int, alone: bool) -> list[str]:
    """A result for each thread where a column is folded; else for each warp, or for all threads where there are few."""
    names = Parameters(nest)
    kept, over = ([a for a, r in enumerate(nest.reduced) if r == which] for which in (False, True))
    counters = [f"k{a}" if a in kept else f"i{a}" for a in range(len(nest.lengths))]
    body = Body(nest, names, [1 if a in kept else 2 for a in range(len(nest.lengths))], counters, -1)
    at = [*body.at, [], []]
    results, reduced = (product([names.number(nest.lengths[a]) for a in axes]) for axes in (kept, over))
    own = [*apart("row", [counters[a] for a in kept], [names.number(nest.lengths[a]) for a in kept]), *at[1]]
    deep = [*apart("q", [counters[a] for a in over], [names.number(nest.lengths[a]) for a in over]), *at[2]]
    folds = [*enumerate(nest.folds)]
    deep += [f"s{k} = {combine(f, f's{k}', f'(({accumulator(f)})t{f.root})')};" for k, f in folds]
    begin = [f"{accumulator(f)} s{k} = {identity(f)};" for k, f in folds]
    write = [f"{names.names[f.operand]}[row] = ({CTYPE[f.dtype]})s{k};" for k, f in folds]

    def part(row: str, step: str, thread: str, threads: str, after: Sequence[str]) -> list[str]:
        inner = [*begin, *own, f"for (int64_t q = {thread}; q < reduced; q += {threads}) {{"]
        inner += [*(f"  {line}" for line in deep), "}", *after]
        return [
            f"for (int64_t row = {row}; row < results; row += {step}) {{",
            *(f"  {x}" for x in inner),
            "}",
        ]

    head = [*_operands(nest, names), *_lengths(names)]
    head += [f"const int64_t results = {results}, reduced = {reduced};", *at[0]]
    if alone:
        return [*head, *part("0", "1", "0", "1", write)]
    if not nest.reduced[-1]:
        return [*head, *part("threadIdx.x", str(THREADS), "0", "1", write)]
    warp, lane = f"threadIdx.x / {LANES}", f"threadIdx.x % {LANES}"
    by_warps = part(
        warp, str(WARPS), lane, str(LANES), [*shuffled(folds), f"if ({lane} == 0) {{", *write, "}"]
    )
    shared = [f"__shared__ {accumulator(f)} m{number}_{k}[{WARPS}];" for k, f in folds]
    whole = [*shuffled(folds)]
    whole += [f"if ({lane} == 0) m{number}_{k}[{warp}] = s{k};" for k, _ in folds] + ["__syncthreads();"]
    whole += ["if (threadIdx.x == 0) {"]
    for k, f in folds:
        again = f"for (int d = 1; d < {WARPS}; d++) s{k} = {combine(f, f's{k}', f'm{number}_{k}[d]')};"
        whole.append(f"  {again}")
    whole += [*(f"  {w}" for w in write), "}", "__syncthreads();"]
    by_all = part("0", "1", "threadIdx.x", str(THREADS), whole)
    return [
        *shared,
        *head,
        f"if (results >= {WARPS}) {{",
        *(f"  {line}" for line in by_warps),
        "} else {",
        *(f"  {line}" for line in by_all),
        "}",
    ]
