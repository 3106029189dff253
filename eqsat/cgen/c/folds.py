"""C text of a nest with folds: by rows where the innermost axis is reduced, by tiles of columns where it is kept."""

from __future__ import annotations

import re
from math import prod

import numpy as np

from eqsat.base.values import dataclass
from eqsat.cgen.c.literals import plain
from eqsat.cgen.c.nest_text import LINE, STRIP, Body, Parameters, block
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.pieces import RARE
from eqsat.cgen.c.plain_nests import HEAD
from eqsat.cgen.ir.nest import Fold, Nest, is_long
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import INEXACT

BLOCK, GROUP = 256, 8192
PIECE = 512  # of rows that run together, whose sums are added two by two before any other
TILE, ACROSS = 2048, 512  # columns that run together: of rows in memory, and of what lies across them
LEAST, HELD = (
    256,
    32768,
)  # columns that run together at least, and the bytes of their partial results above which fewer do
ONE_CHUNK = 1 << 20  # elements of columns up to which they are folded at once
COLUMN = 128  # rows of a block of columns
SHORT = 24  # elements up to which a row is folded one by one
TOGETHER, MANY = 4, 8  # rows that run together, and the expressions above which they do not
CHEAP = 4  # expressions up to which a second copy of the loop is worth its compile time
SIGNED = {"float": "int32_t", "double": "int64_t"}


def accumulated(fold: Fold) -> str:
    """Dtype in which values are combined."""
    return fold.reduction.accumulator.get(fold.dtype, fold.dtype)


def accumulator(fold: Fold) -> str:
    """C type in which values are combined."""
    return CTYPE[accumulated(fold)]


def of_block(fold: Fold) -> str:
    """C type in which the values of a block are combined."""
    return CTYPE[fold.dtype] if fold.reduction.small else accumulator(fold)


def combine(fold: Fold, a: str, b: str) -> str:
    """C text of two partial results combined; NaN stays NaN."""
    text = plainly(fold, a, b)
    return f"(__builtin_isunordered({a}, {b}) ? {a} + {b} : {text})" if fold.spreads_nan else text


def plainly(fold: Fold, a: str, b: str) -> str:
    """C text of two partial results combined where NaN is looked for elsewhere."""
    return ((fold.is_complex and fold.reduction.complex) or fold.reduction.combine).format(a=a, b=b)


def written(fold: Fold, place: str, value: str) -> str:
    """C text of a result that is written, or combined with what is there."""
    target = CTYPE[fold.dtype]
    if fold.on:
        value = f"({combine(fold, f'({accumulator(fold)}){place}', value)})"
    return f"{place} = ({target}){value};"


def identity(fold: Fold) -> str:
    """C text of the result over no elements."""
    return plain(fold.reduction.identity(fold.dtype), fold.dtype)


@dataclass
class Folded:
    """Text of a kernel function with folds, and what its caller has to work out."""

    text: str
    names: Parameters
    kept: list[str]
    reduced: list[str]
    columns: str
    tile: int
    single: bool


def folded(nest: Nest, alone: bool = False, few: bool = False) -> Folded:
    """Kernel function of a nest with folds; ``span`` elements of the first reduced axis make one chunk.

    Where ``few`` elements, less than a block of those that are added before their sum is, make a result, it takes them at once.
    """
    names = Parameters(nest)
    kept = [a for a, r in enumerate(nest.reduced) if not r]
    reduced = [a for a, r in enumerate(nest.reduced) if r]
    lengths = [nest.lengths[a] for a in kept]
    over = [nest.lengths[a] for a in reduced]
    by_rows = nest.reduced[-1]
    single = alone or (_one_chunk(lengths, over) if by_rows else _few([*lengths, *over]))
    extra = {}
    if not single:
        for k, fold in enumerate(nest.folds):
            extra[names.pointer(f"@part{k}", f"w{k}")] = accumulator(fold)
    if by_rows:
        text = _rows(nest, names, kept, reduced, single)
    else:
        few = few or (over[0].isdigit() and int(over[0]) <= COLUMN)
        text = _columns(nest, names, kept, reduced, single, not few and not all(map(_takes_all, nest.folds)))
    columns = "" if by_rows else lengths[-1]
    return Folded(
        HEAD + names.head(nest, extra) + text + "}\n", names, lengths, over, columns, tile_of(nest), single
    )


def tile_of(nest: Nest) -> int:
    """The columns that run together: few where an operand lies across them, whose lines are to stay near, as partial results are."""
    strides = (o.strides[-1] for o in nest.operands if o.strides and not o.written)
    return min(TILE if all(s in ("0", "1") for s in strides) else ACROSS, _held(nest, HELD))


def _held(nest: Nest, size: int) -> int:
    """The columns of which partial results take so many bytes."""
    most, each = TILE, sum(np.dtype(accumulated(f)).itemsize for f in nest.folds)
    while most > LEAST and most * each > size:
        most //= 2
    return most


def _few(lengths: list[str]) -> bool:
    return all(n.isdigit() for n in lengths) and prod(map(int, lengths)) < ONE_CHUNK


def _one_chunk(kept: list[str], reduced: list[str]) -> bool:
    """True where known lengths say that reduced axes are never cut into chunks."""
    known = [prod(int(n) for n in lengths if n.isdigit()) for lengths in (kept, reduced)]
    return known[0] >= 64 or (all(n.isdigit() for n in reduced) and known[1] < 65536)


def _indices(nest: Nest, names: Parameters, axes: list[int], flat: str) -> list[str]:
    """Statements that take a flat index over axes apart; the index of axis 2 is named k2."""
    lines, rest = [], flat
    for axis in reversed(axes[1:]):
        n = names.number(nest.lengths[axis])
        lines.append(f"const int64_t k{axis} = {rest} % {n}, d{axis} = {rest} / {n};")
        rest = f"d{axis}"
    return lines + ([f"const int64_t k{axes[0]} = {rest};"] if axes else [])


def _range(names: Parameters, length: str, single: bool) -> str:
    n = names.number(length)
    if single:
        return f"const int64_t first = 0, last = {n};"
    span = names.number("@span")
    return f"const int64_t first = part*{span}, last = eq_least(first + {span}, {n});"


def _save(names: Parameters, single: bool, write: str, keep: str) -> str:
    return write if single else f"if ({names.number('@chunks')} == 1) {write} else {keep}"


# ------------------------------------------------------------------------------------------------- by rows


def _rows(nest: Nest, names: Parameters, kept: list[int], reduced: list[int], single: bool) -> str:
    inner = reduced[-1]
    depth = [1 if a in kept else 2 + reduced.index(a) for a in range(len(nest.lengths))]
    counter = [f"k{a}" if a in kept else "j" if a == inner else f"i{a}" for a in range(len(nest.lengths))]
    body = Body(nest, names, depth, counter, inner)
    text = block(body.at[0], 1) + "  for (int64_t task = low; task < high; task++) {\n"
    lines = ["const int64_t row = task;"]
    if not single:
        chunks = names.number("@chunks")
        lines = [f"const int64_t row = {chunks} == 1 ? task : task / {chunks}, part = task - row*{chunks};"]
    cut = len(reduced) == 1 and not single
    lines += (
        _indices(nest, names, kept, "row")
        + ([_range(names, nest.lengths[reduced[0]], single)] if cut or len(reduced) > 1 else [])
        + body.at[1]
    )
    lines += [f"{accumulator(f)} s{k} = {identity(f)};" for k, f in enumerate(nest.folds)]
    text += block(lines, 2)
    together = _runs_together(nest, body, reduced)
    for place, axis in enumerate(reduced[:-1]):
        low, high = ("first", "last") if place == 0 else ("0", names.number(nest.lengths[axis]))
        if together and place == len(reduced) - 2:
            text += _several_rows(nest, body, axis, (low, high), 2 + place)
            break
        text += block([f"for (int64_t i{axis} = {low}; i{axis} < {high}; i{axis}++) {{"], 2 + place)
        text += block(body.at[2 + place], 3 + place)
    bounds = ("first", "last") if cut else ("0", names.number(nest.lengths[inner]))
    if not together:
        text += _row(nest, body, bounds, 1 + len(reduced))
    for place in reversed(range(len(reduced) - 1 - together)):
        text += block(["}"], 2 + place)
    lines = []
    for k, fold in enumerate(nest.folds):
        write = written(fold, f"{names.names[fold.operand]}[row]", f"s{k}")
        lines.append(_save(names, single, write, f"w{k}[task] = s{k};"))
    return text + block(lines, 2) + "  }\n"


def _runs_together(nest: Nest, body: Body, reduced: list[int]) -> bool:
    """True where several rows at once are worth a loop: each takes the same elements, and a row by itself waits for its sums."""
    if len(reduced) < 2 or len(nest.values) > MANY or nest.small or nest.tested or nest.picks or body.fetches:
        return False
    if any(not _in_vectors(f) or f.spreads_nan or _takes_all(f) for f in nest.folds) or any(
        map(is_long, nest.values)
    ):
        return False
    axis, inner = reduced[-2:]
    rows = [o for o in nest.operands if not o.written and o.strides[inner] != "0"]
    known = all(not nest.lengths[a].isdigit() or int(nest.lengths[a]) >= SHORT for a in (axis, inner))
    return known and bool(rows) and all(o.strides[axis] == "0" for o in rows)


def _in_vectors(f: Fold) -> bool:
    """True for a fold that OpenMP does in vectors: it has an operator for it."""
    return bool(f.reduction.openmp) and not f.is_complex


def _several_rows(nest: Nest, body: Body, axis: int, bounds: tuple[str, str], indent: int) -> str:
    """Loops over fours of rows: their sums do not wait for each other, and what they share is loaded once.

    The last four may have the last row several times, of which one counts.
    """
    low, high = bounds
    n, folds, rows = body.names.number(nest.lengths[-1]), list(enumerate(nest.folds)), range(TOGETHER)
    text = block([f"for (int64_t g = {low}; g < {high}; g += {TOGETHER}) {{"], indent)
    lines = [f"{accumulator(f)} m{k} = {identity(f)};" for k, f in folds]
    lines.append(f"for (int64_t b = 0; b < {n}; b += {PIECE}) {{")
    lines.append(f"  const int64_t stop = eq_least(b + {PIECE}, {n});")
    for k, f in folds:
        lines.append(f"  {of_block(f)} {', '.join(f'b{k}_{u} = {identity(f)}' for u in rows)};")
    text += block(lines, indent + 1) + "#pragma omp simd"
    for k, f in folds:
        text += f" reduction({f.reduction.openmp}:{', '.join(f'b{k}_{u}' for u in rows)})"
    text += "\n" + block(["for (int64_t j = b; j < stop; j++) {"], indent + 2)
    for u in rows:
        place = f"eq_least(g + {u}, {high} - 1)" if u else "g"
        take = [f"b{k}_{u} = {plainly(f, f'b{k}_{u}', f'({of_block(f)})t{f.root}')};" for k, f in folds]
        text += block(["{", f"  const int64_t i{axis} = {place};"], indent + 3)
        text += block([*body.at[-2], *body.at[-1], *take], indent + 4) + block(["}"], indent + 3)
    text += block(["}"], indent + 2)
    for u in rows[1:]:
        none = "".join(f" b{k}_{u} = {identity(f)};" for k, f in folds)
        text += block([f"if (g + {u} >= {high}) {{{none} }}"], indent + 2)
    for k, f in folds:
        pairs = [f"({combine(f, f'b{k}_{u}', f'b{k}_{u + 1}')})" for u in rows[::2]]
        text += block([f"m{k} = {combine(f, f'm{k}', f'({combine(f, *pairs)})')};"], indent + 2)
    text += block([_ends_group("b", PIECE, folds)], indent + 2) + block(["}"], indent + 1)
    text += block([f"s{k} = {combine(f, f's{k}', f'm{k}')};" for k, f in folds], indent + 1)
    return text + block(["}"], indent)


def _ends_group(place: str, size: int, folds: list[tuple[int, Fold]]) -> str:
    """A statement that combines the blocks of a group after its last one."""
    join = [f"s{k} = {combine(f, f's{k}', f'm{k}')};" for k, f in folds]
    clear = [f"m{k} = {identity(f)};" for k, f in folds]
    last = GROUP - size
    return f"if (({place} & {last}) == {last}) {{ {' '.join([*join, *clear])} }}"


def _row(nest: Nest, body: Body, bounds: tuple[str, str], indent: int) -> str:
    """Sums of sums of blocks: long rows lose no more accuracy than pairwise summation."""
    low, high = bounds
    folds = list(enumerate(nest.folds))
    simple = [f"{flag(f)} x{k} = 0;" for k, f in folds if f.spreads_nan]
    simple += [f"for (int64_t j = {low}; j < {high}; j++) {{"]
    simple += ["  " + line for line in body.at[-1]]
    simple += ["  " + line for k, f in folds for line in _take(f, k, "s")] + ["}"]
    simple += [f"if (x{k}) s{k} = NAN;" for k, f in folds if f.spreads_nan]
    if nest.small and not body.picks:
        return block(simple, indent)
    if low == "0" and high.isdigit() and int(high) <= BLOCK:
        return _one_block(nest, body, bounds, high, indent)
    if len(nest.values) <= CHEAP and not high.isdigit() and all(nest.reduced):
        text = block([f"if ({high} - {low} <= {SHORT}) {{"], indent)
        text += body.collected(low, high, SHORT, indent + 1) + block(simple, indent + 1)
        return (
            text
            + block(["} else {"], indent)
            + _blocks(nest, body, bounds, indent + 1)
            + block(["}"], indent)
        )
    return _blocks(nest, body, bounds, indent)


def _one_block(nest: Nest, body: Body, bounds: tuple[str, str], size: str, indent: int) -> str:
    """A row of which no sums of blocks are needed."""
    text = block(["{"], indent) + _folded_block(nest, body, bounds, size, indent + 1)
    folds = enumerate(nest.folds)
    text += block([f"s{k} = {combine(f, f's{k}', f'b{k}')};" for k, f in folds], indent + 1)
    return text + block(["}"], indent)


def _strips(nest: Nest, body: Body, bounds: tuple[str, str], indent: int) -> str:
    """A row of which no sums of blocks are needed, in strips between which elements of the next rows are fetched."""
    low, high = bounds
    text = block([f"for (int64_t b = {low}; b < {high}; b += {STRIP}) {{"], indent)
    text += block([f"const int64_t stop = eq_least(b + {STRIP}, {high});"], indent + 1)
    text += body.fetched("b", "stop", indent + 1) + _one_block(nest, body, ("b", "stop"), "", indent + 1)
    return text + block(["}"], indent)


def _folded_block(nest: Nest, body: Body, bounds: tuple[str, str], size: str, indent: int) -> str:
    """Elements of a row, no more than ``size`` of them, folded in vectors into b0, b1 ..."""
    low, high = bounds
    folds = list(enumerate(nest.folds))
    text = block([f"{of_block(f)} b{k} = {identity(f)};" for k, f in folds], indent)
    text += block([f"{flag(f)} x{k} = 0;" for k, f in folds if f.spreads_nan], indent)
    text += body.collected(low, high, size, indent)
    clauses = [f"reduction({f.reduction.openmp}:b{k})" for k, f in folds]
    clauses += [f"reduction(|:x{k})" for k, f in folds if f.spreads_nan]
    if all(map(_in_vectors, nest.folds)):
        text += f"#pragma omp simd {' '.join(clauses)}\n"
    text += block([f"for (int64_t j = {low}; j < {high}; j++) {{"], indent)
    text += block(body.at[-1] + [line for k, f in folds for line in _take(f, k)], indent + 1)
    text += block(["}"], indent)
    return text + block([f"if (x{k}) b{k} = NAN;" for k, f in folds if f.spreads_nan], indent)


def _blocks(nest: Nest, body: Body, bounds: tuple[str, str], indent: int) -> str:
    """Blocks of a row are combined, and so are groups of blocks, which end where their bits are all set."""
    if not body.picks and all(map(_takes_all, nest.folds)):
        return (
            _strips(nest, body, bounds, indent)
            if body.fetches
            else _one_block(nest, body, bounds, "", indent)
        )
    low, high = bounds
    folds = list(enumerate(nest.folds))
    text = block([f"{accumulator(f)} m{k} = {identity(f)};" for k, f in folds], indent)
    text += block(
        [
            f"for (int64_t b = {low}; b < {high}; b += {BLOCK}) {{",
            f"  const int64_t stop = eq_least(b + {BLOCK}, {high});",
        ],
        indent,
    )
    text += body.fetched("b", "stop", indent + 1)
    text += _folded_block(nest, body, ("b", "stop"), str(BLOCK), indent + 1)
    lines = [f"m{k} = {combine(f, f'm{k}', f'b{k}')};" for k, f in folds]
    join = [f"s{k} = {combine(f, f's{k}', f'm{k}')};" for k, f in folds]
    lines.append(_ends_group("b" if low == "0" else f"(b - {low})", BLOCK, folds))
    return text + block(lines, indent + 1) + block(["}", *join], indent)


def flag(fold: Fold) -> str:
    return SIGNED[accumulator(fold)]


def _take(fold: Fold, k: int, into: str = "b") -> list[str]:
    value = f"({accumulator(fold) if into == 's' else of_block(fold)})t{fold.root}"
    text = (fold.is_complex and fold.reduction.complex) or fold.reduction.combine
    lines = [f"{into}{k} = {text.format(a=f'{into}{k}', b=value)};"]
    return lines + ([f"x{k} |= (t{fold.root} != t{fold.root});"] if fold.spreads_nan else [])


# ---------------------------------------------------------------------------------------------- by columns


def _rounds_nothing(fold: Fold) -> bool:
    """True for a fold like the largest element, whose result is an element in whatever order they are combined."""
    binary = OPS.find(fold.op.declaration.reduces) if fold.op is not None else None
    return binary is not None and binary.idempotent


def _takes_all(fold: Fold) -> bool:
    """True where sums of blocks would be no nearer: nothing is rounded, or all to more digits than the result has."""
    return _rounds_nothing(fold) or (of_block(fold) != CTYPE[fold.dtype] and fold.dtype in INEXACT)


def _columns(
    nest: Nest, names: Parameters, kept: list[int], reduced: list[int], single: bool, blocks: bool
) -> str:
    """Loops over the reduced axes, inside which one along the results folds into as many numbers, by ``blocks`` of rows or at once."""
    inner, outer = kept[-1], kept[:-1]
    deepest = 2 + len(reduced)
    depth = [
        deepest if a == inner else 1 if a in outer else 2 + reduced.index(a) for a in range(len(nest.lengths))
    ]
    counter = ["j" if a == inner else f"k{a}" if a in outer else f"i{a}" for a in range(len(nest.lengths))]
    body = Body(nest, names, depth, counter, inner)
    chunks = "1" if single else names.number("@chunks")
    width = names.number(nest.lengths[inner])
    most = tile_of(nest)
    known = width.isdigit() and int(width) <= most
    tiles = "1" if known else f"({width} + {most - 1}) / {most}"
    text = block(body.at[0], 1) + block([f"const int64_t tiles = {tiles};"], 1)
    text += "  for (int64_t task = low; task < high; task++) {\n"
    lines = [
        f"const int64_t part = task % {chunks}, rest = task / {chunks}, tile = rest % tiles, row = rest / tiles;"
    ]
    lines += _indices(nest, names, outer, "row") + [_range(names, nest.lengths[reduced[0]], single)]
    lines += body.at[1]
    parts = _held(nest, HELD // 2)
    cut = len(nest.folds) > 1 and parts < (int(width) if known else most)
    if blocks or cut:
        lines.append(f"const int64_t few = last - first <= {COLUMN};")
    start, end = ("0", width) if known else (f"tile*{most}", f"eq_least(tile*{most} + {most}, {width})")
    if cut:
        head = f"for (int64_t start = {start}, end = {end}, stop; start < end; start = stop) {{"
        text += block([*lines, head], 2)
        lines = [f"stop = few ? eq_least(start + {parts}, end) : end;"]
    else:
        text += block(lines, 2)
        lines = [f"const int64_t start = {start}, stop = {end};"]
    around, text = text, ""
    size = width if known else str(most)
    folds = list(enumerate(nest.folds))
    if blocks:
        each = "{T} s{k}[{size}], b{k}[{size}], *const d{k} = few ? s{k} : b{k};"
    else:
        each = "{T} s{k}[{size}];"
    lines += [each.format(T=accumulator(f), k=k, size=size) for k, f in folds]
    near = known and int(width) <= ACROSS  # flags of NaN stay near, too
    flags = [k for k, f in enumerate(nest.folds) if f.spreads_nan and near]
    with_next = plainly if near else combine
    lines += [f"{flag(nest.folds[k])} x{k}[{size}];" for k in flags]
    each_column = "for (int64_t c = 0; c < stop - start; c++)"
    clear = " ".join(f"b{k}[c] = {identity(f)};" for k, f in folds)
    to = "d" if blocks else "s"
    zeros = [f"{name}{k}[c] = {identity(f)};" for name in dict.fromkeys(("s", to)) for k, f in folds]
    zeros += [f"x{k}[c] = 0;" for k in flags]
    text += block(lines, 2) + "#pragma omp simd\n" * blocks
    text += block([f"{each_column} {{ {' '.join(zeros)} }}"], 2)
    flush = " ".join(f"s{k}[c] = {with_next(f, f's{k}[c]', f'b{k}[c]')};" for k, f in enumerate(nest.folds))
    for place, axis in enumerate(reduced):
        low, high = ("first", "last") if place == 0 else ("0", names.number(nest.lengths[axis]))
        text += block([f"for (int64_t i{axis} = {low}; i{axis} < {high}; i{axis}++) {{"], 2 + place)
        text += block(body.at[2 + place], 3 + place)
    take = [
        f"{to}{k}[j - start] = {with_next(f, f'{to}{k}[j - start]', _value(f))};"
        for k, f in enumerate(nest.folds)
    ]
    take += [f"x{k}[j - start] |= (t{nest.folds[k].root} != t{nest.folds[k].root});" for k in flags]
    text += body.collected("start", "stop", most, deepest)
    if not known:
        text += block(_next_row(nest, body, reduced[-1]), deepest)
    text += "#pragma omp simd\n" + block(["for (int64_t j = start; j < stop; j++) {"], deepest)
    text += block(body.at[-1] + take, deepest + 1) + block(["}"], deepest)
    for place in reversed(range(len(reduced))):
        if place == 0 and blocks:
            full = f"if (!few && (i{reduced[0]} & {COLUMN - 1}) == {COLUMN - 1}) {each_column} {{ {flush} {clear} }}"
            text += block([full], 3)
        text += block(["}"], 2 + place)
    if blocks:
        text += block([f"if (!few) {each_column} {{ {flush} }}"], 2)
    text += block([f"{each_column} if (x{k}[c]) s{k}[c] = NAN;" for k in flags], 2)
    for k, fold in folds:
        place_text = (
            _place(nest, names, nest.operands[fold.operand].strides, outer) or f"row*{width} + start + c"
        )
        write = written(fold, f"{names.names[fold.operand]}[{place_text}]", f"s{k}[c]")
        save = f"w{k}[({place_text})*{chunks} + part] = s{k}[c];"
        text += block([_save(names, single, f"{each_column} {write}", f"{each_column} {save}")], 2)
    if cut:
        text = re.sub("(?m)^(?=[^#])", "  ", text) + "    }\n"
    return around + text + "  }\n"


def _next_row(nest: Nest, body: Body, axis: int) -> list[str]:
    """Statements that fetch the next row where it is taken in tiles, since processors only foresee what follows in memory."""
    lines = []
    for name, operand in body.rows():
        step = operand.strides[axis]
        if step != "0" and not operand.written:
            line = LINE // np.dtype(operand.dtype).itemsize
            fetch = f"__builtin_prefetch({name} + {body.names.number(step)} + c);"
            lines.append(f"if (tiles > 1) for (int64_t c = start; c < stop; c += {line}) {fetch}")
    return lines


def _place(nest: Nest, names: Parameters, strides: tuple[str, ...], outer: list[int]) -> str:
    """C text of the place of a result that is written by strides; empty where results stand in the order of the loops."""
    if not strides:
        return ""
    terms = [*((f"k{a}", strides[a]) for a in outer), ("(start + c)", strides[-1])]
    return " + ".join(k if s == "1" else f"{k}*{names.number(s)}" for k, s in terms)


def _value(fold: Fold) -> str:
    return f"({accumulator(fold)})t{fold.root}"


def joiner(fold: Fold) -> str:
    """Function that combines the partial results of the chunks two by two, always in the same order."""
    target = CTYPE[fold.dtype]
    return (
        f"static {RARE} void @NAME(int64_t kept, int64_t chunks, {accumulator(fold)} *w, {target} *r) {{\n"
        f"  for (int64_t k = 0; k < kept; k++, w += chunks) {{\n"
        f"    for (int64_t d = 1; d < chunks; d *= 2) for (int64_t q = 0; q + d < chunks; q += 2*d) "
        f"w[q] = {combine(fold, 'w[q]', 'w[q + d]')};\n"
        f"    {written(fold, 'r[k]', 'w[0]')}\n  }}\n}}\n"
    )
