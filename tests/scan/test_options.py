"""The arguments of scan and what comes back: names, lists, order of updates, streams in loops inside loops."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.gradient import verify_grad
from eqsat.graph.walk import toposort
from eqsat.scan import Scan, scan, until
from eqsat.tensor.random import RandomStream

X = np.random.default_rng(5).normal(size=(4, 3))
x, v, s, n = T.dmatrix("x"), T.dvector("v"), T.dscalar("s"), T.lscalar("n")


def names(*outputs: Any) -> list[str]:
    return sorted(str(node.op) for node in toposort(outputs) if isinstance(node.op, Scan))


def test_names_of_a_loop_and_of_its_gradient() -> None:
    out, _ = scan(lambda row, h: h * row, x, v, name="walk")
    assert names(T.grad(out.sum(), x)) == ["scan{walk_grad}", "scan{walk}"]
    assert names(scan(lambda row: row, x)[0]) == ["scan"]
    for view in (eqsat.map, eqsat.foldl, eqsat.foldr, eqsat.reduce):
        rest = () if view is eqsat.map else (v,)
        assert names(view(lambda *a: a[0] * 2, x, *rest, name="view")[0]) == ["scan{view}"]


def test_one_output_alone_or_in_a_list() -> None:
    def one(row: Any) -> Any:
        return row * 2

    alone, updates = scan(one, x)
    (listed,), _ = scan(one, x, return_list=True)
    assert isinstance(updates, eqsat.OrderedUpdates) and alone.owner.op == listed.owner.op
    (mapped,), _ = eqsat.map(one, x, return_list=True)
    (last,), _ = eqsat.reduce(lambda row, h: row + h, x, v, return_list=True)
    assert mapped.owner.op == alone.owner.op and last.ndim == 1
    assert scan(lambda row: [], x, return_list=True)[0] == [] and scan(lambda row: None, x)[0] is None


def test_names_of_outputs_do_not_leave_the_step() -> None:
    def step(row: Any) -> Any:
        inner = row * 2
        inner.name = "inner"
        return inner

    out, _ = scan(step, x)
    assert out.name is None and out.owner.op.inner_outputs[0].name == "inner"
    out.name = "outer"
    assert [line for line in str(eqsat.dprint(out, file="str")).splitlines() if "outer" in line]


def test_updates_come_in_the_order_in_which_fn_gives_them(seed_mode: str) -> None:
    counts = [eqsat.shared(float(k), f"c{k}") for k in range(5)]
    stream = RandomStream(1)

    def step(row: Any) -> Any:
        order = [counts[k] for k in (3, 0, 4)]
        return row.sum() + stream.uniform(), {c: c + 1 for c in order}

    _, updates = scan(step, x)
    assert list(updates) == [counts[3], counts[0], counts[4], stream.states[0]]
    eqsat.function([x], [], updates=updates, mode=seed_mode, on_unused_input="ignore")(X)
    assert [float(c.get_value()) for c in counts] == [4.0, 1.0, 2.0, 7.0, 8.0]


def test_updates_of_a_loop_in_a_loop(seed_mode: str) -> None:
    count, scale = eqsat.shared(np.int64(0), "count"), eqsat.shared(1.0, "scale")

    def row_of(row: Any) -> Any:
        return scan(lambda a: (a * scale, {count: count + 1, scale: scale * 2}), row)

    out, updates = scan(row_of, x)
    assert list(updates) == [count, scale]
    f = eqsat.function([x], out, updates=updates, mode=seed_mode)
    np.testing.assert_allclose(f(X), X * 2.0 ** np.arange(12).reshape(4, 3))
    assert (count.get_value(), scale.get_value()) == (12, 2.0**12)
    f(X)
    assert count.get_value() == 24
    lost, nothing = scan(lambda row: row_of(row)[0], x)
    assert nothing == {}, "an update is what fn returns"
    scale.set_value(1.0)
    np.testing.assert_allclose(eqsat.function([x], lost, mode=seed_mode)(X), X * 2.0 ** np.arange(3))
    assert scale.get_value() == 1.0


@pytest.mark.parametrize("given", [False, True])
def test_streams_in_a_loop_in_a_loop(given: bool, seed_mode: str) -> None:
    stream = RandomStream(2)

    def row_of(row: Any) -> Any:
        out, updates = scan(lambda a: a + stream.uniform(), row)
        return (out, updates) if given else out

    out, updates = scan(row_of, x)
    assert list(updates) == stream.states[:1]
    f = eqsat.function([x], out, updates=updates if given else None, mode=seed_mode)
    draws = np.concatenate([f(np.zeros((4, 3))), f(np.zeros((4, 3)))])
    assert len(set(draws.ravel())) == 24 and stream.states[0].get_value()[1] == 24
    assert 0 <= draws.min() and draws.max() < 1


def test_a_draw_from_around_the_loop_is_one_draw(seed_mode: str) -> None:
    stream = RandomStream(3)
    mask = stream.bernoulli(0.5, size=(3,))
    out, updates = scan(lambda row, m: row * m, x, non_sequences=mask)
    assert updates == {}
    f = eqsat.function([x], [out, mask], mode=seed_mode)
    got, m = f(X)
    np.testing.assert_allclose(got, X * m)
    as_rows = scan(lambda row, m: row * m, [x, stream.uniform(size=(4, 3))])[0]
    g = eqsat.function([x], as_rows, mode=seed_mode)
    assert len({*g(np.ones((4, 3))).ravel(), *g(np.ones((4, 3))).ravel()}) == 24


def test_the_gradient_sees_the_draws_of_the_loop(seed_mode: str) -> None:
    """d/dw of sum(w * m_t * h) with h the running sum: the masks that gave the value must give the slope."""
    stream = RandomStream(4)
    w = T.dscalar("w")

    def step(row: Any, h: Any) -> Any:
        noise = stream.normal(size=(3,))
        return [h * w + row * noise, noise]

    (states, noise), updates = scan(step, x, [T.zeros((3,)), None])
    slopes = T.grad(states[-1].sum(), [w, x])
    f = eqsat.function([x, w], [states, noise, *slopes], updates=updates, mode=seed_mode)
    before = None
    for _ in range(2):
        got, drawn, by_w, by_x = f(X, 0.5)
        powers = 0.5 ** np.arange(3, -1, -1)
        np.testing.assert_allclose(got[-1], (powers[:, None] * X * drawn).sum(0))
        np.testing.assert_allclose(by_x, powers[:, None] * drawn)
        rates = np.arange(3, -1, -1) * 0.5 ** np.array([2, 1, 0, 0.0])
        np.testing.assert_allclose(by_w, (rates[:, None] * X * drawn).sum(), atol=1e-12)
        assert before is None or not np.array_equal(drawn, before)
        before = drawn


@pytest.mark.parametrize("count", [1, 2, 5])
def test_gradients_of_a_number_of_steps_that_is_not_known(count: int) -> None:
    def powers(h: Any, w: Any) -> Any:
        steps = T.cast(T.constant(0.0) * h.sum(), "int64") + count
        return scan(lambda state: T.sin(state * w), None, h, n_steps=steps)[0]

    verify_grad(powers, [X[0], X[1]], n_tests=1)


def test_gradients_of_no_steps(seed_mode: str) -> None:
    states, _ = scan(lambda row, h: h * row, x, v, n_steps=n)
    last = T.concatenate([v[None], states])[-1]
    f = eqsat.function([x, v, n], [states, *T.grad(last.sum(), [x, v])], mode=seed_mode)
    got, by_x, by_v = f(X, X[0], 0)
    assert got.shape == (0, 3) and not by_x.any() and by_x.shape == (4, 3) and by_v.tolist() == [1, 1, 1]
    got, by_x, by_v = f(X, X[0], 2)
    np.testing.assert_allclose(by_v, X[0] * X[1])
    np.testing.assert_allclose(by_x[0], X[0] * X[1])
    assert not by_x[2:].any()


BACKWARDS: dict[str, Any] = {
    "state": lambda a, b: scan(lambda row, h: T.sin(h) + row, a, b, go_backwards=True)[0],
    "taps of the sequence": lambda a, b: scan(
        lambda p, q, h: T.sin(h) * p + q, {"input": a, "taps": [0, -2]}, b, go_backwards=True
    )[0],
    "taps of the state": lambda a, b: scan(
        lambda row, p, q: T.sin(p) * q + row,
        a,
        {"initial": T.stack([b, b * 2]), "taps": [-2, -1]},
        go_backwards=True,
    )[0],
    "fewer steps": lambda a, b: scan(lambda row, h: T.sin(h) + row, a, b, n_steps=2, go_backwards=True)[0],
    "sequences of two lengths": lambda a, b: scan(
        lambda row, other: row * T.sin(other), [a, b], go_backwards=True
    )[0],
    "until": lambda a, b: scan(
        lambda row, h: (T.sin(h) + row, until(row[0] > 99)), a, b, go_backwards=True
    )[0],
    "truncated": lambda a, b: scan(
        lambda row, h: T.sin(h) + row, a, b, go_backwards=True, truncate_gradient=9
    )[0],
    "in a loop": lambda a, b: scan(
        lambda row, h: scan(lambda e, g: e * T.sin(g), row, h[0], go_backwards=True)[0] + h, a, b
    )[0],
    "foldr": lambda a, b: eqsat.foldr(lambda row, h: T.sin(h) + row, a, b)[0],
    "map": lambda a, b: eqsat.map(lambda row, w: T.sin(row) * w, a, b, go_backwards=True)[0],
}  # fmt: skip


def loops(a: Any, b: Any) -> dict[str, Any]:
    def states(rows: Any, h: Any, fn: Any) -> list[Any]:
        return list(_accumulated(rows, h, fn))

    def plain(row: Any, h: Any) -> Any:
        return np.sin(h) + row

    two = [b, b * 2]
    for row in a[::-1]:
        two.append(np.sin(two[-2]) * two[-1] + row)
    return {
        "state": states(a[::-1], b, plain),
        "taps of the sequence": states(
            [(a[k], a[k - 2]) for k in (3, 2)], b, lambda pq, h: np.sin(h) * pq[0] + pq[1]
        ),
        "taps of the state": two[2:],
        "fewer steps": states(a[:1:-1], b, plain),
        "sequences of two lengths": [a[3 - k] * np.sin(b[2 - k]) for k in range(3)],
        "until": states(a[::-1], b, plain),
        "truncated": states(a[::-1], b, plain),
        "in a loop": states(
            a, b, lambda row, h: np.array(states(row[::-1], h[0], lambda e, g: e * np.sin(g))) + h
        ),
        "foldr": states(a[::-1], b, plain)[-1],
        "map": [np.sin(row) * b for row in a[::-1]],
    }


def _accumulated(rows: Any, h: Any, fn: Any) -> Any:
    for row in rows:
        h = fn(row, h)
        yield h


@functools.cache
def wanted() -> dict[str, Any]:
    return loops(X, X[0])


@pytest.mark.parametrize("name", BACKWARDS)
def test_backwards(name: str) -> None:
    f = eqsat.function([x, v], BACKWARDS[name](x, v), mode="reference")
    np.testing.assert_allclose(f(X, X[0]), wanted()[name], rtol=1e-12)
    verify_grad(BACKWARDS[name], [X, X[0]], n_tests=1, mode="reference")


def test_backwards_in_one_function(seed_mode: str) -> None:
    f = eqsat.function([x, v], [make(x, v) for make in BACKWARDS.values()], mode=seed_mode)
    for name, got in zip(BACKWARDS, f(X, X[0]), strict=True):
        np.testing.assert_allclose(got, wanted()[name], rtol=1e-12, err_msg=name)


def test_strict_takes_what_is_listed() -> None:
    w = eqsat.shared(np.ones(3), "w")
    out, updates = scan(
        lambda row, h, scale, weight: (row * scale + h * weight, {w: w + row}),
        x, v, [s, w], strict=True,
    )  # fmt: skip
    assert list(updates) == [w]
    got = eqsat.function([x, v, s], out, mode="reference")(X, X[0], 2.0)
    np.testing.assert_allclose(got[0], 2 * X[0] + X[0])
    scaled = T.exp(s)
    assert scan(lambda row, a: row * scaled, x, non_sequences=s, strict=True)[0].ndim == 2


def test_arguments_by_place_are_those_of_older_programs() -> None:
    out, _ = scan(lambda row, h: h + row, [x], [v], [], 2, -1, True, None, "by_place", False, None, False)
    assert str(out.owner.op) == "scan{by_place}"
    got = eqsat.function([x, v], out, mode="reference")(X, X[0])
    np.testing.assert_allclose(got, X[0] + np.cumsum(X[:1:-1], 0))
