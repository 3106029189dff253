"""Expressions that no rule was written for: each costs no more than the form that an expert writes, and all modes give its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.errors import EqsatError
from eqsat.extract.cost import CostModel
from eqsat.graph.core import Constant
from eqsat.graph.walk import ancestors
from tests.rules import expressions_arrays, expressions_elementwise, expressions_loops
from tests.rules.expression import Expression

FAMILIES = {
    **expressions_elementwise.FAMILIES,
    **expressions_arrays.FAMILIES,
    **expressions_loops.FAMILIES,
}
LIGHT = [
    "sum pad",
    "max cast",
    "cumsum + cumsum",
    "batched by bc",
    "log softmax reshaped mean",
    "sin2 cos2",
    "switch T F",
    "x*1 > 0",
    "x-y > 0",
    "x+1>y+1",
    "iv+1>jv+1",
    "2sc",
    "c2-s2",
    "tan",
    "cosh+sinh",
    "1-cos2",
    "sin/cos pair prod",
    "2cosh2-1",
    "cos2+",
    "tanh/2",
    "x[n:] + x[:n]",
    "arange index",
    "2**x",
    "tril tril",
    "set set",
    "eq mask",
    "log cast sigmoid",
]
"""Those that run in each test: each law that they need holds for a family."""
HALF_A_CALL = CostModel().call / 2
EVERY = [(family, name) for family, cases in FAMILIES.items() for name in cases]
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-300, 1e300)
LENGTHS = {"one": 1, "none": 0}  # of points of which all axes have one length


def listed(outputs: Any) -> list[Any]:
    """One output or some, as a list."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def inputs_of(outputs: Sequence[Any]) -> list[Any]:
    """The variables without an owner, in order of their names."""
    found = {v for v in ancestors(outputs) if v.owner is None and not isinstance(v, Constant)}
    return sorted(found, key=lambda v: str(v.name))


def shape_of(v: Any, e: Expression, point: str) -> list[int]:
    """The lengths of an input: n along each axis, unless the expression or the type says another."""
    letters = e.dims.get(v.name, "n" * v.ndim)
    drawn = [LENGTHS.get(point, {"n": 4, "m": 3}[letter]) for letter in letters]
    return [k if known is None else known for k, known in zip(drawn, v.type.shape, strict=True)]


def draw(v: Any, e: Expression, point: str, rng: Any) -> Any:
    """A value of an input at a point of some kind."""
    shape, dtype = shape_of(v, e, point), v.type.dtype
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith(("int", "uint")):
        return np.asarray(rng.integers(*e.ints, shape)).astype(dtype)
    x = np.array(rng.normal(size=shape) * (800 if point == "large" else 1))
    if e.positive:
        x = abs(x) + 0.05
    if e.posdef and x.ndim == 2:
        x = x @ x.T + 3 * np.eye(len(x))
    if point == "special":
        x = np.where(rng.random(x.shape) < 0.25, rng.choice(SPECIAL, x.shape), x)
    return np.asarray(x + 1j * rng.normal(size=shape) if dtype.startswith("complex") else x).astype(dtype)


def compiled(inputs: list[Any], outputs: list[Any], mode: str) -> Any:
    """A function in a mode."""
    return eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore")


def values(f: Any, given: list[Any]) -> list[Any] | None:
    """The results of a function; None where it refuses the operands."""
    with np.errstate(all="ignore"):
        try:
            return [np.asarray(r) for r in f(*given)]
        except (EqsatError, ArithmeticError, ValueError, np.linalg.LinAlgError):
            return None


def agree(found: list[Any] | None, wanted: list[Any] | None, special: bool = False) -> bool:
    """True where results are near those that are wanted, wherever these are numbers; where nothing is special, infinities stay."""
    if found is None or wanted is None:
        return found is wanted
    for a, b in zip(found, wanted, strict=True):
        fine, rtol = np.isfinite(b), 2e-4 if b.dtype.name in ("float32", "complex64") else 1e-7
        size = float(np.max(abs(b[fine].astype(complex)), initial=0.0))
        if a.shape != b.shape or not np.allclose(a[fine], b[fine], rtol=rtol, atol=1e-3 * rtol * size):
            return False
        if b.dtype.kind == "f" and not special and not np.array_equal(a[np.isinf(b)], b[np.isinf(b)]):
            return False
    return True


def check_cost(e: Expression, mode: str) -> tuple[list[Any], list[Any], Any]:
    """Hold the cost against that of the best form; both, as lists of outputs, and the function of the first in a mode."""
    written, best = map(listed, e.make())
    f, ideal = compiled(inputs_of([*written, *best]), written, mode), eqsat.optimize(best)
    report = eqsat.optimize(written) if f.report is None else f.report  # None where another process made it
    least = min(ideal.cost_after, ideal.cost_before)
    assert report.cost_after <= 1.05 * least + HALF_A_CALL, report.optimized
    assert report.unstable_after <= ideal.unstable_after, report.optimized
    assert not report.budgets and report.e_nodes < 3000
    return written, best, f


def check_values(e: Expression, written: list[Any], best: list[Any], f: Any, points: Any) -> None:
    """Hold the results of a function against the meaning of the graph as written, or, where that loses digits, of the best form."""
    rng = np.random.default_rng(7)
    inputs = inputs_of([*written, *best])
    meant, meant_better = (compiled(inputs, graph, "reference") for graph in (written, best))
    for point in points:
        given = [draw(v, e, point, rng) for v in inputs]
        meaning, better = values(meant, given), values(meant_better, given)
        found = values(f, given)
        right = agree(found, meaning, point == "special") or (better is not None and agree(found, better))
        assert right, (f, point, given, found, meaning, better)


@pytest.mark.parametrize("name", LIGHT)
def test_costs_no_more_than_the_best_form(name: str) -> None:
    e = next(cases[name] for cases in FAMILIES.values() if name in cases)
    check_values(e, *check_cost(e, "numpy"), ["usual"])


@pytest.mark.sweep
@pytest.mark.parametrize(("family", "name"), EVERY)
def test_keeps_its_values_in_every_mode(family: str, name: str) -> None:
    e = FAMILIES[family][name]
    written, best, f = check_cost(e, "FAST_RUN")
    check_values(e, written, best, f, e.points.split())
    plain = compiled(inputs_of([*written, *best]), written, "FAST_COMPILE")
    # as written, what overflows does so a little earlier in C than in NumPy
    check_values(e, written, best, plain, [p for p in e.points.split() if p != "large"])
