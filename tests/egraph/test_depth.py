"""Deep graphs: what rules find grows no faster than the graph, and ends."""

import numpy as np

import eqsat
import eqsat.tensor as T
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.walk import graph_inputs
from eqsat.inspect.report import Report


def filled(layers: int) -> tuple[list, list]:
    """A filling with each sum on the way through some layers."""
    x, ys = T.dmatrix("x"), [T.dmatrix(f"y{k}") for k in range(layers)]
    total, fills, c = x, [], T.dscalar("c")
    for y in ys:
        total = total + T.tanh(y)
        fills.append(fill(total, c.dimshuffle("x", "x")))
    return [x, *ys], fills


def test_models_of_fillings_are_not_quadratic() -> None:
    few, many = (eqsat.optimize(filled(n)[1]) for n in (10, 40))
    assert many.rules["fill-add-model-left"] <= 4 * few.rules["fill-add-model-left"] + 4
    assert not many.budgets
    assert len(few.optimized) == 10


def picked(kept: bool) -> Report:
    """A pick of what comes out of ten layers, of which the whole is an output too or not."""
    x, i = T.dmatrix("x"), T.lvector("i")
    y = x
    for _ in range(10):
        y = T.tanh(y) * 2.0 + 1.0
    return eqsat.optimize([y[i], y] if kept else [y[i]])


def test_a_pick_goes_into_what_is_picked_from_alone() -> None:
    assert picked(kept=False).rules["pick-of-tanh"] >= 10
    assert "pick-of-tanh" not in picked(kept=True).rules


def test_a_filling_far_from_its_model_has_its_value() -> None:
    inputs, fills = filled(9)
    c = next(v for v in graph_inputs(fills) if v.name == "c")
    values = [np.ones((2, 3)) * k for k in range(10)]
    for mode in ("reference", None):
        f = eqsat.function([*inputs, c], fills[-1], mode=mode, on_unused_input="ignore")
        assert np.array_equal(f(*values, 7.0), np.full((2, 3), 7.0))
