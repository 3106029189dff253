"""What ops declare of themselves holds on numbers; what cannot be read is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from eqsat.errors import DeclarationError
from eqsat.graph.declare import OPS, Declaration, elemwise, forget_op
from eqsat.graph.properties import Monotone, additive, monotone, of_parity, turns

GRID = np.concatenate([-np.geomspace(30, 1e-3, 60), [0.0], np.geomspace(1e-3, 30, 60)])
OTHERS = (-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 3.0)
HOLDS: dict[str, Any] = {
    "nonneg": lambda v: v >= 0,
    "nonpos": lambda v: v <= 0,
    "positive": lambda v: v > 0,
    "negative": lambda v: v < 0,
}


def value(d: Declaration, operands: dict[str, Any]) -> Any:
    """The result of an elementwise op, in which a truth value stands for a condition."""
    letters = d.signature.partition("->")[0].split(",")
    given = [np.asarray(operands[t]) > 0 if k == "?" else operands[t] for t, k in zip(d.tensors, letters)]
    with np.errstate(all="ignore"):
        return np.asarray(d.meaning(*np.broadcast_arrays(*given)), float)


def along(d: Declaration, operand: str, xs: Any) -> Iterator[dict[str, Any]]:
    """Operands where one of them runs over a grid and the others stay."""
    rest = [t for t in d.tensors if t != operand]
    for k, _ in enumerate(OTHERS):
        yield {operand: xs, **{t: np.float64(OTHERS[(k + 2 * i) % len(OTHERS)]) for i, t in enumerate(rest)}}


def close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True))


def is_monotone(d: Declaration, one: Monotone) -> bool:
    for operands in along(d, one.operand, GRID):
        fits = (
            np.prod([HOLDS[sign](operands[t] + 0 * GRID) for sign, t in one.signs] or [GRID == GRID], 0) > 0
        )
        found = value(d, operands)[fits]
        steps = np.diff(found[np.isfinite(found)]) * (1 if one.rises else -1)
        if np.any(steps < -1e-12 * np.abs(found[np.isfinite(found)][1:])):
            return False
        if one.strict and steps.size and np.abs(found).max() < 1e6 and not np.any(steps > 0):
            return False
    return True


def has_parity(d: Declaration, operand: str, sign: int) -> bool:
    pairs = zip(along(d, operand, GRID), along(d, operand, -GRID), strict=True)
    return all(close(value(d, a), sign * value(d, b)) for a, b in pairs if d.poles != (operand,))


def turns_into(d: Declaration, inner: str, outer: str) -> bool:
    boolean = d.signature == "i->i"
    grid = np.array([True, False, True, False]) if boolean else np.abs(GRID[GRID != 0]) + 0.5
    other = grid[::-1] if not boolean else np.array([True, True, False, False])
    left = d.meaning(OPS[inner].meaning(grid, other))
    return close(left, OPS[outer].meaning(d.meaning(grid), d.meaning(other)))


def gives_back(d: Declaration) -> bool:
    low, high = OPS[d.undoes].domain
    grid = GRID[(GRID > low) & (GRID < high) & (np.abs(GRID) < 5)]
    if d.signature == "i->i":
        return bool(np.array_equal(d.meaning(OPS[d.undoes].meaning(np.arange(5))), np.arange(5)))
    found = d.meaning(OPS[d.undoes].meaning(grid))
    known = np.isfinite(found)
    return bool(np.allclose(found[known], grid[known], rtol=1e-4) and known.mean() > 0.5)


def is_additive(d: Declaration, operand: str) -> bool:
    other = GRID[::-1] + 1
    sums = zip(*(along(d, operand, xs) for xs in (GRID, other, GRID + other)), strict=True)
    pairs = [(value(d, a), value(d, b), value(d, c)) for a, b, c in sums]
    return all(close(a + b, c) for a, b, c in pairs if np.isfinite(a).all())


def wrong_properties(d: Declaration) -> list[str]:
    """What is declared of an elementwise op and does not hold."""
    found = [f"monotone: {one}" for one in monotone(d) if not is_monotone(d, one)]
    for name, sign in (("odd", -1), ("even", 1)):
        found += [f"{name} in {t}" for t in of_parity(d, name) if not has_parity(d, t, sign)]
    found += [f"turns {t}" for t in turns(d) if not turns_into(d, t.inner, t.outer)]
    found += [f"additive in {t}" for t in additive(d) if not d.parameters and not is_additive(d, t)]
    return found + ([f"undoes {d.undoes}"] if d.undoes and not gives_back(d) else [])


ELEMENTWISE = sorted(name for name, d in OPS.items() if d.kind == "elemwise" and "c" not in d.signature)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_what_an_op_declares_of_itself_holds(name: str) -> None:
    assert wrong_properties(OPS[name]) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"monotone": "increasing"},
        {"monotone": "decreasing in x if positive x"},
        {"parity": "odd"},
        {"parity": "even", "monotone": "increasing in x if nonpos x"},
        {"turns": "add into mul"},
        {"undoes": "exp"},
        {"additive": "x"},
    ],
    ids=str,
)
def test_a_wrong_property_is_seen(fields: dict[str, Any]) -> None:
    op = elemwise(c="({x} * {x} + {x} + 1)", signature="f->f", name="bowl", **fields)(lambda x: x * x + x + 1)
    try:
        assert wrong_properties(op.declaration)
    finally:
        forget_op("bowl")


@pytest.mark.parametrize(
    "fields, text",
    [
        ({"monotone": "rising"}, "'rising' does not say how the op is monotone"),
        ({"monotone": "increasing in y"}, "'increasing in y' does not say how the op is monotone"),
        ({"monotone": "increasing in x if big x"}, "does not say how the op is monotone"),
        ({"parity": "odd in z"}, "'odd in z' is no parity"),
        ({"turns": "add"}, "does not say what the op turns into what"),
        ({"additive": "z"}, "additive in"),
        ({"ordered": "yes"}, "ordered is 'yes'"),
    ],
    ids=str,
)
def test_a_property_that_cannot_be_read_is_refused(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(DeclarationError, match=text):
        elemwise(c="({x})", signature="f->f", name="ill_said", **fields)(lambda x: x)
    assert "ill_said" not in OPS
