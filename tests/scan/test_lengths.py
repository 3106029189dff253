"""Shapes of outputs without running the loop, and loops for a batch of values that may end early."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import BatchError, ShapeError
from eqsat.graph.batching import batch
from eqsat.graph.ops.shape import length
from eqsat.graph.walk import toposort
from eqsat.scan import Scan, scan, until

x, w, v, n, t3 = T.dmatrix("x"), T.dmatrix("w"), T.dvector("v"), T.lscalar("n"), T.dtensor3("t3")
GIVEN = {x: np.ones((4, 3)), w: np.ones((3, 5)), v: np.arange(1.0, 3.0), n: 3, t3: np.ones((2, 3, 3))}

WITHOUT_RUNNING = {
    "product": scan(lambda r: T.dot(r, w), x),
    "elementwise": scan(lambda r: T.exp(r) + v.sum(), x),
    "outer product": scan(lambda r: T.outer(r, v), x),
    "products of a batch": scan(lambda m: T.batched_dot(m[:, None, :], T.stack([w, w, w])), t3),
    "sum": scan(lambda r: r.sum(0, keepdims=True), x),
    "non-sequence as a length": scan(lambda r, s: [T.zeros((r.shape[0], n)), s * 2], x, [None, v]),
    "part": scan(lambda m: m[0, ::-1], t3),
    "row put in": scan(lambda r: T.set_subtensor(w[:, 0], r), x),
    "loop in a loop": scan(lambda m: scan(lambda r, s: r + s, m, T.zeros((m.shape[1],)))[0], t3),
    "map in a loop": scan(lambda m: scan(lambda r: T.dot(r, w), m)[0], t3),
    "last of a map in a loop": scan(lambda m: scan(lambda r: T.dot(r, w), m)[0][-1], t3),
    "taps and n_steps": scan(lambda a, b: a * b, {"input": x, "taps": [-1, 0]}),
}
RUNNING = {
    "length from a value": scan(lambda r: T.arange(r.sum().astype("int64")), x),
    "part of a length from a value": scan(lambda r: x[: r.sum().astype("int64"), 0], x),
    "until": scan(lambda r, s: ([s + r, T.dot(r, w)], until(s.sum() > 2)), x, [T.zeros((3,)), None]),
}


def first(found: Any) -> Any:
    outputs = found[0]
    return outputs[0] if isinstance(outputs, list) else outputs


def ran(f: Any) -> bool:
    return any(isinstance(node.op, Scan) for node in toposort(f.outputs_optimised))


@pytest.mark.parametrize("name", [*WITHOUT_RUNNING, *RUNNING])
@pytest.mark.parametrize("mode", ["reference", "numpy"])
def test_shapes(name: str, mode: str) -> None:
    out = first({**WITHOUT_RUNNING, **RUNNING}[name])
    f, g = (eqsat.function(list(GIVEN), y, mode=mode, on_unused_input="ignore") for y in (out, out.shape))
    assert f(*GIVEN.values()).shape == tuple(g(*GIVEN.values()))
    if mode == "numpy":
        assert ran(g) == (name in RUNNING)


def test_until_decides_only_the_first_length() -> None:
    both, _ = RUNNING["until"]
    f = eqsat.function(list(GIVEN), [length(y, 1) for y in both], mode="numpy", on_unused_input="ignore")
    assert f(*GIVEN.values()) == [3, 5] and not ran(f)


def test_a_batch_where_all_loops_end_together(seed_mode: str) -> None:
    many = T.dmatrix("many")
    rows = T.dvector("rows")
    out, _ = scan(lambda a, h: (h * a, until(a > 2)), rows, v)
    got = batch([out], {v: many})[0]
    f = eqsat.function([many, rows], got, mode=seed_mode)
    values, steps = np.array([[1.0, 2.0], [3.0, 4.0]]), np.arange(1.0, 6.0)
    np.testing.assert_allclose(f(values, steps), values[:, None] * np.array([1, 2, 6])[:, None])


def test_a_batch_whose_loops_may_end_apart() -> None:
    many, two, rows = T.dmatrix("many"), T.tensor("float64", (2, None), "two"), T.dvector("rows")
    out, _ = scan(lambda a, h: (h * a, until(h.sum() > 20)), rows, v)
    with pytest.raises(BatchError) as caught:
        batch([out], {v: many})
    lines = str(caught.value).splitlines()
    assert lines[0] == "scan: the loops of a batch may end at different steps"
    assert lines[-2].split(None, 1)[1].startswith("n_steps and a condition of until that are the same")
    f = eqsat.function([two, rows], batch([out], {v: two})[0], mode="reference")
    assert f(np.ones((2, 3)), np.arange(1.0, 7.0)).shape == (2, 5, 3)
    with pytest.raises(ShapeError, match="axis 1 has the lengths 5 and 3"):
        f(np.array([[1.0] * 3, [5.0] * 3]), np.arange(1.0, 7.0))


def test_second_derivatives_of_a_loop_that_ends_early(seed_mode: str) -> None:
    rows = T.dvector("rows")
    out, _ = scan(lambda a, h: (h * a, until(h.sum() > 20)), rows, v)
    rates = [eqsat.gradient.jacobian(out.sum(0), v), eqsat.gradient.hessian((out**3).sum(), v)]
    f = eqsat.function([rows, v], rates, mode=seed_mode)
    start, steps = np.array([1.0, 2.0, 3.0]), np.arange(1.0, 7.0)
    products = np.cumprod(steps)[:4]  # the sum before a step is 6, 6, 12, 36
    first, second = f(steps, start)
    np.testing.assert_allclose(first, np.eye(3) * products.sum())
    np.testing.assert_allclose(second, np.diag(6 * start * (products**3).sum()))
