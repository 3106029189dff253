"""C text of a nest with folds, of which those are by rows where the innermost axis is reduced."""

from __future__ import annotations

from math import prod

from eqsat.base.values import dataclass
from eqsat.cgen.c.columns import COLUMN, by_columns, tile_of
from eqsat.cgen.c.nest_text import STRIP, Body, Parameters, block
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.partial import (
    accumulator,
    combine,
    flag,
    identity,
    indices,
    of_block,
    products,
    range_of,
    saved,
    takes_all,
    with_element,
    written,
)
from eqsat.cgen.c.pieces import RARE
from eqsat.cgen.c.plain_nests import HEAD
from eqsat.cgen.ir.nest import Fold, Nest, is_long

BLOCK, GROUP = 256, 8192
PIECE = 512  # of rows that run together, whose sums are added two by two before any other
ONE_CHUNK = 1 << 20  # elements of columns up to which they are folded at once
SHORT = 24  # elements up to which a row is folded one by one
TOGETHER, MANY = 4, 8  # rows that run together, and the expressions above which they do not
CHEAP = 4  # expressions up to which a second copy of the loop is worth its compile time


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
        text = by_columns(nest, names, kept, reduced, single, not few and not all(map(takes_all, nest.folds)))
    columns = "" if by_rows else lengths[-1]
    return Folded(
        HEAD + names.head(nest, extra) + text + "}\n", names, lengths, over, columns, tile_of(nest), single
    )


def _few(lengths: list[str]) -> bool:
    return all(n.isdigit() for n in lengths) and prod(map(int, lengths)) < ONE_CHUNK


def _one_chunk(kept: list[str], reduced: list[str]) -> bool:
    """True where known lengths say that reduced axes are never cut into chunks."""
    known = [prod(int(n) for n in lengths if n.isdigit()) for lengths in (kept, reduced)]
    return known[0] >= 64 or (all(n.isdigit() for n in reduced) and known[1] < 65536)


def _rows(nest: Nest, names: Parameters, kept: list[int], reduced: list[int], single: bool) -> str:
    inner = reduced[-1]
    depth = [1 if a in kept else 2 + reduced.index(a) for a in range(len(nest.lengths))]
    counter = [f"k{a}" if a in kept else "j" if a == inner else f"i{a}" for a in range(len(nest.lengths))]
    body = Body(nest, names, depth, counter, inner)
    body.leave_out(products(nest))
    text = block(body.at[0], 1) + "  for (int64_t task = low; task < high; task++) {\n"
    lines = ["const int64_t row = task;"]
    if not single:
        chunks = names.number("@chunks")
        lines = [f"const int64_t row = {chunks} == 1 ? task : task / {chunks}, part = task - row*{chunks};"]
    cut = len(reduced) == 1 and not single
    lines += (
        indices(nest, names, kept, "row")
        + ([range_of(names, nest.lengths[reduced[0]], single)] if cut or len(reduced) > 1 else [])
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
        lines.append(saved(names, single, write, f"w{k}[task] = s{k};"))
    return text + block(lines, 2) + "  }\n"


def _runs_together(nest: Nest, body: Body, reduced: list[int]) -> bool:
    """True where several rows at once are worth a loop: each takes the same elements, and a row by itself waits for its sums."""
    if len(reduced) < 2 or len(nest.values) > MANY or nest.small or nest.tested or nest.picks or body.fetches:
        return False
    if any(not _in_vectors(f) or f.spreads_nan or takes_all(f) for f in nest.folds) or any(
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
        take = [f"b{k}_{u} = {with_element(body, f, f'b{k}_{u}', of_block(f))};" for k, f in folds]
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
    simple += ["  " + line for k, f in folds for line in _take(body, f, k, "s")] + ["}"]
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
    text += block(body.at[-1] + [line for k, f in folds for line in _take(body, f, k)], indent + 1)
    text += block(["}"], indent)
    return text + block([f"if (x{k}) b{k} = NAN;" for k, f in folds if f.spreads_nan], indent)


def _blocks(nest: Nest, body: Body, bounds: tuple[str, str], indent: int) -> str:
    """Blocks of a row are combined, and so are groups of blocks, which end where their bits are all set."""
    if not body.picks and all(map(takes_all, nest.folds)):
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


def _take(body: Body, fold: Fold, k: int, into: str = "b") -> list[str]:
    ctype = accumulator(fold) if into == "s" else of_block(fold)
    lines = [f"{into}{k} = {with_element(body, fold, f'{into}{k}', ctype)};"]
    return lines + ([f"x{k} |= (t{fold.root} != t{fold.root});"] if fold.spreads_nan else [])


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
