"""Diagonal matrices: functions that keep zeros, and reductions that do not see them, are those of the diagonal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.diagonals import diagonal_matrix
from eqsat.rules.facts import closes, covers, rank, zero
from eqsat.rules.pattern import Literal, numbers
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import applied, joined, sees
from eqsat.rules.schemes.reductions import element, fold_of, reduces
from eqsat.rules.schemes.scheme import scheme

y, z = numbers("y z")
BOTH = (0, 1)


def is_of_one_type(d: Declaration) -> bool:
    """True for an elementwise op with a result of the dtype that all its operands have."""
    letters = {*d.signature.replace("->", ",").split(",")}
    return sees(d) and bool(d.tensors) and letters in ({"t"}, {"n"}, {"f"})


def gives_zero(d: Declaration) -> bool:
    """True for an op that gives zero where all of its operands are zero."""
    with np.errstate(all="ignore"):
        return bool(d.meaning(*(np.float64(0) for _ in d.tensors)) == 0)


@scheme(
    "zeros-kept-of-diagonal-matrices",
    "f(diag(x), diag(y)) = diag(f(x, y)) where f(0, 0) = 0",
    holds=is_of_one_type,
    test=gives_zero,
    needs=lambda op: [(op, "set_diagonal")],
)
def of_diagonals(d: Declaration) -> Iterator[Rule]:
    """Only the elements on the diagonals are computed."""
    zeros, values = (numbers(" ".join(f"{word}{t}" for t in d.tensors)) for word in ("zeros_", "on_"))
    zeros, values = ([v] if len(d.tensors) == 1 else v for v in (zeros, values))
    left = applied(d, *map(diagonal_matrix, zeros, values))
    when = joined(*(rank(v, 2) & zero(v) & covers(v, BOTH) for v in zeros))
    yield rule(
        f"{d.name}-of-diagonal-matrices",
        left,
        diagonal_matrix(zeros[0], applied(d, *values)),
        tier="extends",
        when=when,
        grows=False,
    )


def placed(v: Any, pattern: tuple[Any, ...], ndim: int) -> Any:
    """A tensor of a rank with its axes moved."""
    return dimshuffle_op(v, pattern=Literal("move", pattern, ndim))


@scheme(
    "reduction-of-diagonal-matrix",
    "r(diag(y)) = r(y) over both axes, y over one, where 0 changes nothing",
    holds=lambda d: reduces(d) and fold_of(d).neutral == 0,
    needs=lambda op: [(op, "set_diagonal")],
    tags=["backward"],
)
def of_reductions(d: Declaration) -> Iterator[Rule]:
    """Each row and each column has one element that is not zero."""
    v = element(d, "y")
    w = type(v)("z", v.domain)
    square = zero(w) & closes(w, w) & covers(v, (0,)) & covers(w, BOTH)
    total = placed(placed(applied(d, v, axes=(0,)), (), 1), ("x", "x"), 0)
    for word, axes, right, when in (
        ("rows-of-", (1,), placed(v, (0, "x"), 1), square),
        ("columns-of-", (0,), placed(v, ("x", 0), 1), square),
        ("", BOTH, total, rank(w, 2) & zero(w) & covers(v, (0,))),
    ):
        left = applied(d, diagonal_matrix(w, v), axes=axes)
        tags = [] if word else ["backward"]
        yield rule(f"{d.name}-of-{word}diagonal-matrix", left, right, tier="extends", when=when, tags=tags)


RULES = [of_diagonals, of_reductions]
