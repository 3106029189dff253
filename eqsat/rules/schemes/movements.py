"""Movements of elements and elementwise ops change places: parts, picks, diagonals, joins, moved axes, other shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.diagonal import diagonal_op
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.reshape import reshape_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.rules.condition import ALL_AXES
from eqsat.rules.diagonals import up_to
from eqsat.rules.facts import alike, closes, covers, invariant, one_element, rank, unmatched
from eqsat.rules.pattern import (
    Meta,
    ParameterCall,
    alone,
    call,
    indices,
    moved,
    ones,
    parameters,
    picked,
    places,
    shapes,
)
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.elementwise import (
    applied,
    computes,
    is_elementwise,
    mixtures,
    one_type,
    operands_of,
)
from eqsat.rules.schemes.natural import Movement, Way, Ways, natural, outside
from eqsat.rules.schemes.operands import joined
from eqsat.rules.schemes.scheme import scheme

g, k, n, p, q = parameters("g k n p q")
i, j = places("i j")
u, v = indices("u v")
s = shapes("s")
PUSH, PICK = ("push",), ("pick",)
MATRIX, MAIN = (0, 1), (0, 0, 1)

# ------------------------------------------------------------------------------------------------------ parts


def narrowed(name: str, x: Meta, others: Sequence[Meta]) -> Any:
    """The part of an operand that meets the part p of a result to which it broadcasts along with others."""
    if not others and not name.startswith("narrowed_span"):
        return p
    found: Any = ones(x) if not others else ones(others[0])
    for other in others[1:]:
        found = ParameterCall("&", (found, ones(other)))
    return call(name, p, ones(x), found)


def part_way(letter: str, name: str, *bounds: Any) -> Way:
    """An operand of which a part is taken, by some of the bounds that come at run time."""
    return Way(letter, lambda x, others: part_op(x, *bounds, pattern=narrowed(name, x, others)))


def at_places(ways: Ways, operands: Sequence[Meta]) -> bool:
    """True where some operand is read at the places of the result."""
    return any(way.letter == "t" for way in ways)


PARTS = [
    Movement(
        "part",
        "subtensor_1",
        lambda x: part_op(x, pattern=p),
        (part_way("t", "narrowed"),),
        tags=PUSH,
        grows=True,
    ),
    Movement(
        "part-at",
        "subtensor_2",
        lambda x: part_op(x, i, pattern=p),
        (part_way("t", "narrowed_at", i), part_way("f", "narrowed")),
        at_places,
        PUSH,
        grows=True,
    ),
    Movement(
        "part-between",
        "subtensor_3",
        lambda x: part_op(x, i, j, pattern=p),
        (part_way("t", "narrowed_span_at_two", i, j), part_way("f", "narrowed_span")),
        at_places,
        PUSH,
        grows=True,
    ),
]

# ------------------------------------------------------------------------------------------------------ picks


def pick(x: Any, at: Any = u, pattern: Any = g) -> Any:
    """The elements that an index array picks from x."""
    return gather_op(x, at, pattern=pattern)


def pick_pairs(x: Any, pattern: Any = g) -> Any:
    """The elements that two index arrays pick from x."""
    return gather_op(x, u, v, pattern=pattern)


def is_mixed(ways: Ways) -> bool:
    """True for one row or column, or none, beside matrices and numbers, or a row and a column."""
    word = "".join(sorted(way.letter for way in ways))
    vectors = word.count("c") + word.count("r")
    return word == "cr" or ("t" in word and vectors < 2 and word.count("t") < len(word))


def picked_from_matrix(ways: Ways, operands: Sequence[Meta]) -> Any:
    """Index arrays of one length, of which a matrix or both a row and a column show the length."""
    if not is_mixed(ways):
        return False
    return rank(u, 1) & rank(v, 1) & covers(u, (0,)) & covers(v, (0,))


PICKS = [
    Movement(
        "pick",
        "gather_2",
        pick,
        (
            Way("t", lambda x, _: pick(x), lambda x: covers(x, picked(g))),
            Way("f", lambda x, _: x, lambda x: invariant(x, picked(g)) & rank(u, 1)),
        ),
        at_places,
        PICK,
        grows=False,
    ),
    Movement(
        "pick-pairs",
        "gather_3",
        pick_pairs,
        (Way("t", lambda x, _: pick_pairs(x), lambda x: covers(x, picked(g))),),
        at_places,
        PICK,
        grows=False,
    ),
    Movement(
        "pick-pairs-of-matrix",
        "gather_3",
        lambda x: pick_pairs(x, MATRIX),
        (
            Way("t", lambda x, _: pick_pairs(x, MATRIX), lambda x: covers(x, MATRIX)),
            Way(
                "c",
                lambda x, _: pick(moved(x, "of column"), u, (0,)),
                lambda x: covers(x, (0,)) & invariant(x, (1,)),
            ),
            Way(
                "r",
                lambda x, _: pick(moved(x, "of row"), v, (0,)),
                lambda x: covers(x, (1,)) & invariant(x, (0,)),
            ),
            Way("n", lambda x, _: moved(moved(x, "number of matrix"), "unit"), one_element),
        ),
        picked_from_matrix,
        PICK,
        grows=False,
    ),
]

# -------------------------------------------------------------------------------------------------- diagonals


def diagonal_of(x: Any, pattern: Any = MAIN) -> Any:
    """A diagonal; of a matrix the main one."""
    return diagonal_op(x, pattern=pattern)


def of_square(ways: Ways, operands: Sequence[Meta]) -> Any:
    """A square matrix, seen by a matrix or by both a row and a column, as long as it is a row or a column."""
    if not is_mixed(ways):
        return False
    at = {way.letter: x for way, x in zip(ways, operands, strict=True)}
    if "t" not in at:
        return closes(at["c"], at["r"])
    return closes(at["t"], at["t"]) if {"c", "r"} & set(at) else rank(at["t"], 2)


def of_any(ways: Ways, operands: Sequence[Meta]) -> Any:
    """A matrix that is not known to be square beside a row or a column, of which not all may be met."""
    vector = [way for way in ways if way.letter in "cr"]
    full = [x for way, x in zip(ways, operands, strict=True) if way.letter == "t"]
    fits = is_mixed(ways) and vector and full
    return rank(full[0], 2) & unmatched(full[0], full[0]) if fits else False


DIAGONALS = [
    Movement(
        "diagonal-of-any-matrix",
        "diagonal",
        diagonal_of,
        (
            Way("t", lambda x, _: diagonal_of(x), lambda x: covers(x, MATRIX)),
            Way(
                "c",
                lambda x, others: moved(up_to(x, others[0], 0), "of column"),
                lambda x: covers(x, (0,)) & invariant(x, (1,)),
            ),
            Way(
                "r",
                lambda x, others: moved(up_to(x, others[0], 1), "of row"),
                lambda x: covers(x, (1,)) & invariant(x, (0,)),
            ),
            Way("n", lambda x, _: moved(moved(x, "number of matrix"), "unit"), one_element),
        ),
        of_any,
        grows=False,
    ),
    Movement(
        "diagonal",
        "diagonal",
        lambda x: diagonal_of(x, q),
        (Way("t", lambda x, _: diagonal_of(x, q), lambda x: covers(x, ALL_AXES)),),
        at_places,
        grows=False,
    ),
    Movement(
        "diagonal-of-matrix",
        "diagonal",
        diagonal_of,
        (
            Way("t", lambda x, _: diagonal_of(x), lambda x: covers(x, MATRIX)),
            Way("c", lambda x, _: moved(x, "of column"), lambda x: covers(x, (0,)) & invariant(x, (1,))),
            Way("r", lambda x, _: moved(x, "of row"), lambda x: covers(x, (1,)) & invariant(x, (0,))),
            Way("n", lambda x, _: moved(moved(x, "number of matrix"), "unit"), one_element),
        ),
        of_square,
        grows=False,
    ),
]

# ------------------------------------------------------------------------------------- axes, shapes, other views

DIMSHUFFLE = Movement("dimshuffle", "dimshuffle", lambda x: dimshuffle_op(x, pattern=p), ())
RESHAPE = Movement("reshape", "reshape", lambda x: reshape_op(x, s, ndim=n), ())
PICKED = Movement("pick", "gather_2", pick, (), grows=True)

# ------------------------------------------------------------------------------------------------------ joins


@scheme(
    "join-of-elementwise",
    "join(f(x, ...), f(y, ...)) = f(join(x, y), ...)",
    holds=computes,
    needs=lambda op: [("concatenate_2", op)],
)
def join_of(d: Declaration) -> Iterator[Rule]:
    """Operands of both that are the same, and the same all along the axis, stay."""
    first, second = operands_of(d), operands_of(d, "2")
    for joins in mixtures(d, (True, False)):
        if any(joins):
            right = [y if t else x for t, x, y in zip(joins, first, second, strict=True)]
            met = [(t, x, y) for t, x, y in zip(joins, first, second, strict=True)]
            lengths = [joinable(t, x, y) for t, x, y in met] if len(first) > 1 else []
            types = [one_type(d, n, x, y) for n, (t, x, y) in enumerate(met) if t]
            yield rule(
                f"join-of-{d.name}{words(joins)}",
                join_op(applied(d, first), applied(d, right), axis=k),
                applied(d, [join_op(x, y, axis=k) if t else x for t, x, y in met]),
                tier="exact",
                when=joined(*lengths, *types),
                grows=True,
            )


def joinable(joins: bool, x: Meta, y: Meta) -> Any:
    """Two operands that are joined have the lengths of the results; one that stays is the same all along the axis."""
    return (
        covers(x, alone(k)) & covers(y, alone(k)) & alike(x, y, ALL_AXES) if joins else invariant(x, alone(k))
    )


def words(changes: Sequence[bool]) -> str:
    """The end of the name of a rule in which some operands stay."""
    return "" if all(changes) else "-" + "".join("t" if t else "f" for t in changes)


@scheme(
    "elementwise-of-join",
    "f(join(x, y), z, ...) = join(f(x, z, ...), f(y, z, ...))",
    holds=computes,
    needs=lambda op: [(op, "concatenate_2")],
)
def of_join(d: Declaration) -> Iterator[Rule]:
    """One operand is a join; the others are the same all along the axis."""
    first, second = operands_of(d), operands_of(d, "2")
    for joins in mixtures(d, (True, False)):
        if sum(joins) == 1:
            met = [(t, x, y) for t, x, y in zip(joins, first, second, strict=True)]
            yield rule(
                f"{d.name}-of-join{words(joins)}",
                applied(d, [join_op(x, y, axis=k) if t else x for t, x, y in met]),
                join_op(applied(d, first), applied(d, [y if t else x for t, x, y in met]), axis=k),
                tier="exact",
                when=joined(*(invariant(x, alone(k)) for t, x, _ in met if not t)),
                grows=True,
            )


# ---------------------------------------------------------------------------------------------------- lengths


@scheme(
    "length-of-elementwise",
    "length(f(x, ...)) = length(x)",
    holds=is_elementwise,
    needs=lambda op: [("length", op)],
)
def length_of(d: Declaration) -> Iterator[Rule]:
    """The length of a result along an axis is that of an operand which does not broadcast along it."""
    operands = operands_of(d)
    for name, x in zip(d.tensors, operands, strict=True):
        several = len(operands) > 1
        yield rule(
            f"length-of-{d.name}{f'-{name}' if several else ''}",
            length_op(applied(d, operands), axis=k),
            length_op(x, axis=k),
            tier="exact",
            when=covers(x, alone(k)) if several else None,  # else another operand may be longer
            cite="definition",
        )


RULES = [
    *map(natural, [*PARTS, *PICKS, *DIAGONALS]),
    outside(DIMSHUFFLE, holds=computes),
    outside(RESHAPE, most=1, numbers="exact", holds=computes),
    outside(PICKED, most=1, numbers="exact", holds=computes),
    join_of,
    of_join,
    length_of,
]
