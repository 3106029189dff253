"""C text of a nest with folds by tiles of columns, where the innermost axis is kept."""

from __future__ import annotations

import re

import numpy as np

from eqsat.cgen.c.nest_text import LINE, Body, Parameters, block
from eqsat.cgen.c.partial import (
    accumulated,
    accumulator,
    combine,
    flag,
    identity,
    indices,
    plainly,
    products,
    range_of,
    saved,
    with_element,
    written,
)
from eqsat.cgen.ir.nest import Nest, is_long

TILE, ACROSS = 2048, 512  # columns that run together: of rows in memory, and of what lies across them
LEAST, HELD = (
    256,
    32768,
)  # columns that run together at least, and the bytes of their partial results above which fewer do
COLUMN = 128  # rows of a block of columns
FEW_ROWS, ABREAST = (
    16,
    256,
)  # rows up to which columns run through all of them, and the bytes of a row that do so together


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


def by_columns(
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
    body.leave_out(products(nest))
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
    lines += indices(nest, names, outer, "row") + [range_of(names, nest.lengths[reduced[0]], single)]
    lines += body.at[1]
    parts = _held(nest, HELD // 2)
    cut = len(nest.folds) > 1 and parts < (int(width) if known else most)
    if blocks or cut:
        lines.append(f"const int64_t few = last - first <= {COLUMN};")
    start, end = ("0", width) if known else (f"tile*{most}", f"eq_least(tile*{most} + {most}, {width})")
    if together := _abreast_of(nest, body, reduced, width):
        lines += [f"int64_t begin = {start};", f"const int64_t end = {end};"]
        text += block(lines, 2) + _abreast(nest, body, reduced, outer, width, single, together)
        lines, start, end = [], "begin", "end"
    if cut:
        last = f"end = {end}, " if end != "end" else ""
        head = f"for (int64_t start = {start}, {last}stop; start < end; start = stop) {{"
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
        f"{to}{k}[j - start] = {with_element(body, f, f'{to}{k}[j - start]', accumulator(f), with_next)};"
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
    text += block(_results(nest, names, outer, width, single, "start", each_column), 2)
    if cut:
        text = re.sub("(?m)^(?=[^#])", "  ", text) + "    }\n"
    return around + text + "  }\n"


def _abreast_of(nest: Nest, body: Body, reduced: list[int], width: str) -> int:
    """The number of columns that run together through all rows, where these may be few; 0 for none."""
    rows, sizes = (
        nest.lengths[reduced[0]],
        [np.dtype(o.dtype).itemsize for o in nest.operands if not o.written],
    )
    together = ABREAST // max(sizes, default=1)
    if len(reduced) > 1 or nest.small or nest.tested or body.picks or any(map(is_long, nest.values)):
        return 0
    if width.isdigit() and int(width) < together:
        return 0
    return together if not rows.isdigit() or int(rows) <= FEW_ROWS else 0


def _abreast(
    nest: Nest, body: Body, reduced: list[int], outer: list[int], width: str, single: bool, together: int
) -> str:
    """A loop over columns, some of which run together through all rows where these are few.

    Partial results of more columns are written and read again for each row, and what a processor fetches ahead of where a row is
    left is not read for long.
    """
    axis, folds, each = reduced[0], list(enumerate(nest.folds)), f"for (int64_t c = 0; c < {together}; c++)"
    test = "" if nest.lengths[axis].isdigit() else f"if (last - first <= {FEW_ROWS}) "
    text = block([f"{test}for (; begin + {together} <= end; begin += {together}) {{"], 2)
    lines = [f"{accumulator(f)} s{k}[{together}];" for k, f in folds]
    lines.append(f"{each} {{ {' '.join(f's{k}[c] = {identity(f)};' for k, f in folds)} }}")
    lines += [f"for (int64_t i{axis} = first; i{axis} < last; i{axis}++) {{", *(f"  {t}" for t in body.at[2])]
    text += (
        block(lines, 3) + "#pragma omp simd\n" + block([f"{each} {{", "  const int64_t j = begin + c;"], 4)
    )
    take = [f"s{k}[c] = {with_element(body, f, f's{k}[c]', accumulator(f), combine)};" for k, f in folds]
    text += block([*body.at[-1], *take], 5) + block(["}"], 4) + block(["}"], 3)
    text += block(_results(nest, body.names, outer, width, single, "begin", each), 3)
    return text + block(["}"], 2)


def _results(
    nest: Nest, names: Parameters, outer: list[int], width: str, single: bool, start: str, each: str
) -> list[str]:
    """Statements that write the partial results of columns from ``start`` on."""
    lines = []
    for k, fold in enumerate(nest.folds):
        strides = nest.operands[fold.operand].strides
        place = _place(nest, names, strides, outer, start) or f"row*{width} + {start} + c"
        write = written(fold, f"{names.names[fold.operand]}[{place}]", f"s{k}[c]")
        save = "" if single else f"w{k}[({place})*{names.number('@chunks')} + part] = s{k}[c];"
        lines.append(saved(names, single, f"{each} {write}", f"{each} {save}"))
    return lines


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


def _place(nest: Nest, names: Parameters, strides: tuple[str, ...], outer: list[int], start: str) -> str:
    """C text of the place of a result that is written by strides; empty where results stand in the order of the loops."""
    if not strides:
        return ""
    terms = [*((f"k{a}", strides[a]) for a in outer), (f"({start} + c)", strides[-1])]
    return " + ".join(k if s == "1" else f"{k}*{names.number(s)}" for k, s in terms)
