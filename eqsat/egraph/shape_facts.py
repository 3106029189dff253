"""dtype, number of axes and axes of length 1 of a result in egglog, by the signature of its op.

A mask has the bit of each axis whose length is known to be 1. Bits of operands are moved to the places that their axes have in the
result; of a length that is computed no bit is set.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.base.values import dataclass
from eqsat.egraph.infix import prefix
from eqsat.egraph.packed import joined
from eqsat.graph.declare import Declaration
from eqsat.graph.dtypes import CODE
from eqsat.lengths.signature import Axes


@dataclass(frozen=True)
class Spot:
    """An axis: a number, counted from the left, or for a rank that is not fixed from the number of axes of an operand."""

    rank: str  # such as ndim_x, or nothing
    axis: int

    def text(self) -> str:
        """The axis in egglog."""
        return plus(self.rank, self.axis)


def plus(text: str, n: int) -> str:
    """Egglog text of a sum with a number."""
    if not text:
        return str(n)
    return text if n == 0 else f"(- {text} {-n})" if n < 0 else f"(+ {text} {n})"


_TEXTS: dict[int, tuple[Declaration, tuple[str, str, str]]] = {}  # by the number of the declaration


def type_texts(d: Declaration) -> tuple[str, str, str]:
    """dtype, ndim and mask of a result in egglog, in terms of those of the operands."""
    declaration, texts = _TEXTS.get(id(d), (None, ("", "", "")))
    if declaration is not d:
        texts = _type_texts(d)
        _TEXTS[id(d)] = (d, texts)
    return texts


def _type_texts(d: Declaration) -> tuple[str, str, str]:
    if d.type_text is not None:
        dtype, ndim, mask = map(prefix, d.type_text)
        return dtype, ndim, mask
    assert d.shapes is not None, d.name
    operands = d.shapes.of(len(d.tensors))
    return _dtype(d), _rank(d, operands, d.shapes.results[0]), _mask(d, operands, d.shapes.results[0])


def _dtype(d: Declaration) -> str:
    letters, _, outs = d.signature.partition("->")
    names, out = letters.split(","), outs.split(",")[0]
    if not d.signature:
        return f"dtype_{d.tensors[0]}"
    if out == "d":
        return "dtype"
    return (
        str(CODE[out if out in CODE else "bool"])
        if out in (*CODE, "?")
        else f"dtype_{d.tensors[names.index(out)]}"
    )


def _fixed(axes: Axes) -> int:
    return len(axes.before) + len(axes.after)


def _source(d: Declaration, operands: Sequence[Axes], rest: str | None) -> tuple[str, int]:
    """The rank of the first operand with a rest, and how many more axes it has."""
    k = next(k for k, axes in enumerate(operands) if axes.rest == rest)
    return f"ndim_{d.tensors[k]}", _fixed(operands[k])


def _rank(d: Declaration, operands: Sequence[Axes], axes: Axes) -> str:
    if axes.rest is None:
        return str(_fixed(axes))
    rank, fixed = _source(d, operands, axes.rest)
    return plus(rank, _fixed(axes) - fixed)


def _spots(d: Declaration, operands: Sequence[Axes], axes: Axes) -> dict[str, list[Spot]]:
    """The places of each named length among the axes of an operand or a result."""
    spots: dict[str, list[Spot]] = {}
    for k, text in enumerate(axes.before):
        spots.setdefault(text, []).append(Spot("", k))
    for k, text in enumerate(axes.after):
        rank, fixed = _source(d, operands, axes.rest)
        spots.setdefault(text, []).append(Spot(rank, _fixed(axes) - fixed - len(axes.after) + k))
    return spots


def _mask(d: Declaration, operands: Sequence[Axes], axes: Axes) -> str:
    masks, whole = [], None
    if axes.rest is not None and not axes.free:
        bits, whole = _rest(d, operands, axes)
        masks.append(bits)
    places = [_spots(d, operands, operand) for operand in operands]
    bits_of: dict[tuple[int, str], list[Spot]] = {}
    for text, spots in _spots(d, operands, axes).items():
        for spot in spots:
            k = _provider(places, text, spot, whole)
            if text == "1":
                masks.append(f"(<< 1 {spot.text()})" if spot.rank else str(1 << spot.axis))
            elif k is not None:
                source = places[k][text][-1] if spot in places[k][text] else places[k][text][0]
                source = spot if spot in places[k][text] else source
                bits_of.setdefault((k, _shift(source, spot)), []).append(source)
    masks += [
        _moved(f"(& mask_{d.tensors[k]} {_bits(spots)})", shift)
        for (k, shift), spots in bits_of.items()
        if not (k == whole and shift == "0" and len(operands) == 1)
    ]
    return _changed(d, axes, joined("|", masks))


def _provider(
    places: Sequence[dict[str, list[Spot]]], text: str, spot: Spot, whole: int | None
) -> int | None:
    """The operand from which the bit of a length is taken: one where it stands at the same place, if any does."""
    having = [k for k, spots in enumerate(places) if text in spots]
    same = [k for k in having if spot in places[k][text]]
    if whole in same:
        return whole
    return same[0] if same else having[0] if having else None


def _rest(d: Declaration, operands: Sequence[Axes], axes: Axes) -> tuple[str, int | None]:
    """The bits of the axes that broadcast, or that are an operand's; and the operand that has the axes of the result."""
    sources = [k for k, operand in enumerate(operands) if operand.rest == axes.rest]
    plain = Axes(axes.before, axes.rest, axes.after)
    whole = next((k for k in sources if operands[k] == plain), None)
    texts = []
    for k in sources:
        operand = operands[k]
        text = f"mask_{d.tensors[k]}"
        if whole is None and operand.after:
            rank, fixed = _source(d, operands, axes.rest)
            end = plus(rank, _fixed(operand) - fixed - len(operand.after))
            text = f"(& {text} (- (<< 1 {end}) 1))"
        drop = len(operand.before)
        text = f"(& {text} {-1 << drop})" if drop and whole is None and axes.before else text
        texts.append(_moved(text, str(len(axes.before) - drop)) if whole is None else text)
    return joined("&", texts), whole


def _changed(d: Declaration, axes: Axes, mask: str) -> str:
    """The bits with those of the axes that a parameter names set, or taken away where the length there is not 1."""
    for name, text in axes.changed:
        named = name if d.parameters[name].name == "axes" else f"(<< 1 {name})"
        mask = f"(| {mask} {named})" if text == "1" else f"(- {mask} (& {mask} {named}))"
    return mask


def _shift(source: Spot, target: Spot) -> str:
    """The number of places by which bits move to the left."""
    if source.rank == target.rank:
        return str(target.axis - source.axis)
    if not source.rank:
        return plus(target.rank, target.axis - source.axis)
    return (
        f"(- {plus('', target.axis)} {source.text()})"
        if not target.rank
        else f"(- {target.text()} {source.text()})"
    )


def _moved(text: str, shift: str) -> str:
    if shift == "0":
        return text
    if shift.lstrip("-").isdigit():
        return f"(<< {text} {shift})" if int(shift) > 0 else f"(>> {text} {-int(shift)})"
    return (
        f"(>> {text} (- 0 {shift}))"
        if shift.startswith("(- ") and shift[3:].split()[0].isdigit()
        else f"(<< {text} {shift})"
    )


def _bits(spots: Sequence[Spot]) -> str:
    """The bits of some axes of one operand."""
    by_rank: dict[str, int] = {}
    first = {rank: min(s.axis for s in spots if s.rank == rank) for rank in {s.rank for s in spots}}
    for s in spots:
        by_rank[s.rank] = by_rank.get(s.rank, 0) | 1 << (s.axis - (first[s.rank] if s.rank else 0))
    return joined(
        "|",
        [f"(<< {bits} {plus(rank, first[rank])})" if rank else str(bits) for rank, bits in by_rank.items()],
    )


def is_typed(d: Declaration) -> bool:
    """True for an op whose signature tells the type of its result."""
    return d.shapes is not None or d.type_text is not None
