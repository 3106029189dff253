"""Groups of rows as one kernel: a block of threads runs all nests over some rows, which stay in its cache, and takes the next ones."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.folds import accumulator, combine, identity
from eqsat.cgen.c.nest_text import Body, Parameters
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.statements import text as statement_text
from eqsat.cgen.cuda.folds import LANES, shuffled
from eqsat.cgen.cuda.kernels import HEAD, THREADS, Kernel, apart, product
from eqsat.cgen.cuda.nests import places
from eqsat.cgen.ir.nest import Nest
from eqsat.cgen.ir.statements import Define, Point, RowBlocks, Statement
from eqsat.cgen.lower.rows import Unsplit

BLOCKS = 1056  # of a grid, each with memory of its own
WARPS = THREADS // LANES
_ENTRY = re.compile(r"\b([NP])\[(\d+)\]|\bK\[(\d+)\]")


def rows_kernel(s: RowBlocks) -> Kernel:
    """The kernel of blocks of rows.

    Errors   Unsplit for statements that the threads of a block cannot run together
    """
    lines: list[str] = []
    written: dict[str, str] = {s.now: _local(s.now)}
    for k, statement in enumerate([*s.head, *s.body]):
        if isinstance(statement, Nest):
            lines += _together(statement, k)
        elif isinstance(statement, (Define, Point)):
            written[statement.name] = _local(statement.name)
            lines.append(_plain(statement))
        else:
            raise Unsplit
    body = "".join(f"    {line}\n" for line in lines)
    outside = dict.fromkeys(m.group(0) for m in _ENTRY.finditer(body) if m.group(0) not in written)
    named = {**written, **{entry: _local(entry) for entry in outside}}
    text = _ENTRY.sub(lambda m: named[m.group(0)], body)
    declared = [f"{_type(entry)}{name};" for entry, name in written.items() if entry != s.now]
    given = [f"{'const ' if e[0] != 'P' else ''}{_type(e)}{named[e]}" for e in outside]
    loop = f"for (int64_t {named[s.now]} = blockIdx.x; {named[s.now]} < eq_count; {named[s.now]} += gridDim.x) {{"
    whole = (
        f"{HEAD.format(THREADS)}({', '.join([*given, 'const int64_t eq_count'])}) {{\n"
        f"  {loop}\n{''.join(f'    {d}{chr(10)}' for d in declared)}{text}  }}\n}}\n"
    )
    count = c_text(s.count)
    return Kernel(whole, (*outside, count), (f"eq_least({count}, {BLOCKS})", "1"))


def _local(entry: str) -> str:
    return f"{entry[0].lower()}_{entry[2:-1]}"


def _type(entry: str) -> str:
    return "int64_t " if entry[0] == "N" else "char *"


def _plain(statement: Statement) -> str:
    """The text of a statement that every thread runs by itself."""
    text = statement_text(statement).replace("c->lane()", "(int64_t)blockIdx.x")
    text = text.replace("(void *)K", "(char *)K")  # C++ has no arithmetic of void pointers
    if re.search(r"\bc\b->|\(c, |eq_(?!least)\w+\(", text):
        raise Unsplit
    return text


def _together(nest: Nest, number: int) -> list[str]:
    """Statements with which the threads of a block run a nest; what they write the others see afterwards."""
    lines = _folds(nest, number) if nest.folds else _elements(nest)
    return ["{", *(f"  {line}" for line in lines), "}", "__syncthreads();"]


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


def _elements(nest: Nest) -> list[str]:
    names = Parameters(nest)
    lines = places(nest, names, "threadIdx.x", str(THREADS))
    return [*_operands(nest, names), *_lengths(names), *lines]


def _folds(nest: Nest, number: int) -> list[str]:
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
    if not nest.reduced[-1]:
        return [*head, *part("threadIdx.x", str(THREADS), "0", "1", write)]
    warp, lane = f"threadIdx.x / {LANES}", f"threadIdx.x % {LANES}"
    by_warps = part(
        warp, str(WARPS), lane, str(LANES), [*shuffled(nest), f"if ({lane} == 0) {{", *write, "}"]
    )
    shared = [f"__shared__ {accumulator(f)} m{number}_{k}[{WARPS}];" for k, f in folds]
    whole = [*shuffled(nest)]
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
