"""Values of scans against loops in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.scan import scan, until

RNG = np.random.default_rng(7)
X = RNG.normal(size=(5, 3))
W = RNG.normal(size=(3, 3))


def same(got: Any, want: Any, dtype: str = "float64") -> None:
    want = np.asarray(want)
    assert (got.dtype.name, got.shape) == (dtype, want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)


@pytest.mark.seed("L001")
@pytest.mark.seed("L011")
@pytest.mark.seed("L012")
@pytest.mark.seed("L013")
@pytest.mark.seed("L015")
@pytest.mark.seed("L016")
def test_each_kind_of_output_equals_a_loop(seed_mode: str) -> None:
    x = T.dmatrix("x")
    start = T.dvector("start")
    squares, none = scan(lambda a: a**2, sequences=x)
    sums, _ = scan(lambda a, s: s + a, sequences=[x], outputs_info=T.zeros((3,)))
    fibonacci, _ = scan(lambda a, b: a + b, outputs_info=[{"initial": start, "taps": [-2, -1]}], n_steps=8)
    far, _ = scan(lambda b: 2 * b, outputs_info=[{"initial": start, "taps": [-2]}], n_steps=3)
    plain, _ = scan(lambda s: s * 2, outputs_info={"initial": start[1]}, n_steps=4)
    (a, b, c), _ = scan(
        lambda row, s, u, v: [s * 2 + row, row.sum(), u + v + row[0]],
        sequences=x,
        outputs_info=[T.ones((3,)), None, {"initial": start, "taps": [-2, -1]}],
    )
    f = eqsat.function([x, start], [squares, sums, fibonacci, far, plain, a, b, c], mode=seed_mode)
    got = f(X, np.array([0.0, 1.0]))
    assert none == {}
    s, u, want = np.ones(3), [0.0, 1.0], []
    for row in X:
        s = s * 2 + row
        want.append(s)
        u.append(u[-2] + u[-1] + row[0])
    loops = [X**2, X.cumsum(0), [1, 2, 3, 5, 8, 13, 21, 34], [0, 2, 0], [2, 4, 8, 16], want, X.sum(1), u[2:]]
    for g, w in zip(got, loops, strict=True):
        same(g, w)


@pytest.mark.seed("L002")
@pytest.mark.seed("L005")
@pytest.mark.seed("L006")
def test_updates_and_what_fn_closes_over(seed_mode: str) -> None:
    x, w = T.dmatrix("x"), T.dvector("w")
    bias, count = eqsat.shared(np.ones(3), "bias"), eqsat.shared(np.int64(0), "count")
    stream = eqsat.tensor.random.RandomStream(3)
    scale = T.exp(w)

    def step(row: Any) -> Any:
        return row * scale + bias, stream.uniform(size=(2,)), {count: count + 1}

    (out, noise), updates = scan(lambda row: (lambda a, n, u: ([a, n], u))(*step(row)), x)
    assert isinstance(updates, eqsat.OrderedUpdates) and count in updates and len(updates) == 2
    f = eqsat.function([x, w], [out, noise], updates=updates, mode=seed_mode)
    got, first = f(X, W[0])
    same(got, X * np.exp(W[0]) + 1)
    _, second = f(X, W[0])
    assert count.get_value() == 10
    assert len({*first.ravel(), *second.ravel()}) == 20
    (state,) = (s for s in updates if s is not count)
    assert state.get_value()[1] == 10
    automatic = eqsat.function([x], scan(lambda row: row.sum() + stream.normal(), x)[0], mode=seed_mode)
    automatic(X)
    assert stream.states[-1].get_value()[1] == 5
    eqsat.function([], [], updates=scan(lambda: {count: count * 2}, n_steps=3)[1], mode=seed_mode)()
    assert count.get_value() == 80


@pytest.mark.seed("L008")
@pytest.mark.seed("L009")
def test_sequences_with_taps_and_of_different_lengths(seed_mode: str) -> None:
    x, y = T.dmatrix("x"), T.dvector("y")
    seen = []

    def step(before: Any, now: Any, after: Any) -> Any:
        seen.append(now.type)
        return before - 2 * now + after

    three, _ = scan(step, {"input": x, "taps": [-1, 0, 1]})
    assert seen == [T.dvector] and three.owner.op.info.n_seqs == 3
    past, _ = scan(lambda a, b: a * b, [{"input": x, "taps": [-2]}, y])
    back, _ = scan(lambda a, b, c: a - b + c, [{"input": x, "taps": [-1, 0]}, y], go_backwards=True)
    few, _ = scan(lambda a, b: a + b, [x, y], n_steps=2)
    f = eqsat.function([x, y], [three, past, back, few], mode=seed_mode)
    v = np.arange(3.0)
    got = f(X, v)
    same(got[0], X[:-2] - 2 * X[1:-1] + X[2:])
    same(got[1], X[:3] * v[:, None])
    same(got[2], [X[3 - t] - X[4 - t] + v[2 - t] for t in range(3)])
    same(got[3], X[:2] + v[:2, None])
    same(f(X, np.arange(9.0))[1], X[:3] * v[:, None])


@pytest.mark.seed("L010")
def test_a_non_sequence_is_passed_as_it_is(seed_mode: str) -> None:
    x, w = T.dmatrix("x"), T.dmatrix("w")
    seen = []

    def step(row: Any, weight: Any) -> Any:
        seen.append(weight)
        return T.dot(row, weight)

    out, _ = scan(step, x, non_sequences=w)
    assert seen == [w] and out.owner.inputs[-1] is w
    same(eqsat.function([x, w], out, mode=seed_mode)(X, W), X @ W)


@pytest.mark.seed("L017")
def test_any_number_of_steps(seed_mode: str) -> None:
    n, x = T.lscalar("n"), T.dmatrix("x")
    (powers, rows), _ = scan(lambda s: [s * 2, T.dot(s, x)], outputs_info=[T.ones((2,)), None], n_steps=n)
    mapped, _ = scan(lambda row: T.dot(row, x.T), x)
    one, _ = scan(lambda s: s + 1, outputs_info=T.zeros((2,)), n_steps=1)
    f = eqsat.function([n, x], [powers, rows, mapped, one, powers.shape, rows.shape], mode=seed_mode)
    for steps in (0, 1, 4):
        got = f(steps, X[:2])
        same(got[0], np.full((steps, 2), 2.0) ** np.arange(1, steps + 1)[:, None])
        same(got[1], np.array([np.full(2, 2.0**k) @ X[:2] for k in range(steps)]).reshape(steps, 3))
        same(got[2], X[:2] @ X[:2].T)
        same(got[3], np.ones((1, 2)))
        assert got[4].tolist() == [steps, 2] and got[5].tolist() == [steps, 3]
    nothing = eqsat.function([x], [mapped], mode=seed_mode)(X[:0])[0]
    assert nothing.shape == (0, 0)


def test_a_non_sequence_beside_another_output_of_its_scan(mode: str) -> None:
    (a, b), _ = scan(lambda row: [row * 2, row.sum()], T.constant(X))
    made, _ = scan(
        lambda s, b: s + T.dot(b, T.exp(a)), outputs_info=T.zeros((3,)), non_sequences=b, n_steps=2
    )
    assert list(made.owner.inputs).count(b) == 1
    want = X.sum(1) @ np.exp(2 * X)
    same(made.eval(mode=mode), [want, 2 * want])


def test_until_ends_after_the_step_in_which_it_holds(seed_mode: str) -> None:
    limit = T.dscalar("limit")
    (values, other), updates = scan(
        lambda s: ([s * 2, s.astype("int8")], {}, until(s * 2 > limit)),
        outputs_info=[T.constant(1.0), None],
        n_steps=20,
    )
    f = eqsat.function([limit], [values, other, T.grad(values.sum(), limit, disconnected_inputs="ignore")],
                       updates=updates, mode=seed_mode)  # fmt: skip
    got = f(10.0)
    assert got[0].tolist() == [2, 4, 8, 16] and got[1].tolist() == [1, 2, 4, 8]
    assert f(1e9)[0].shape == (20,)


def test_what_fn_may_return() -> None:
    s = eqsat.shared(1.0, "s")
    x = T.dvector("x")
    cases = [
        (lambda a: a, 1, 0),
        (lambda a: [a, 2 * a], 2, 0),
        (lambda a: (a, 2 * a), 2, 0),
        (lambda a: ([a], {s: s + a}), 1, 1),
        (lambda a: (a, [(s, s + a)]), 1, 1),
        (lambda a: ({s: s + a}, [a, a]), 2, 1),
        (lambda a: {s: s + a}, 0, 1),
        (lambda a: [(s, s + a)], 0, 1),
        (lambda a: ([], {s: s + a}), 0, 1),
        (lambda a: (a, {s: s + a}, until(a > 1)), 1, 1),
        (lambda a: (a, until(a > 1)), 1, 0),
        (lambda a: ((a, 3), None), 2, 0),
    ]
    for fn, count, changed in cases:
        outputs, updates = scan(fn, x, return_list=True)
        assert (len(outputs), len(updates)) == (count, changed)
    assert scan(lambda a: {s: s + a}, x)[0] is None
    outputs, updates = scan(lambda a: (a, {s: s + a}, until(a > 1)), x)
    f = eqsat.function([x], outputs, updates=updates, mode="reference")
    assert f([0.5, 2.0, 4.0]).tolist() == [0.5, 2.0] and s.get_value() == 3.5


@pytest.mark.parametrize(
    ("initial", "step", "kind"),
    [
        (T.zeros((1, 3)), lambda np, row, h: np.tanh(row + h), (None, 3)),
        (T.unbroadcast(T.ones((1, 3)), 0), lambda np, row, h: np.sum(h, 0, keepdims=True) + row, (None, 3)),
        (T.ones((1, 1)), lambda np, row, h: h * 2 + np.sum(row, 1, keepdims=True), (None, 1)),
        (T.constant(np.zeros((1, 3), "float32")), lambda np, row, h: h + row, (None, 3)),
        (T.constant(0), lambda np, row, h: h + np.sum(row), ()),
    ],
)
def test_types_of_states_are_matched(initial: Any, step: Any, kind: Any) -> None:
    x = T.tensor3("x")
    out, _ = scan(lambda row, h: step(T, row, h), x, initial)
    state, want = initial.eval(), []
    for row in X[:, None, :]:
        state = step(np, row, state)
        want.append(state)
    assert out.type.shape == (None, *kind)
    same(out.eval({x: X[:, None, :]}, mode="reference"), want)


def test_python_numbers_begin_states_as_numpy_stores_them() -> None:
    count, _ = scan(lambda s: s + 1, outputs_info=0, n_steps=200)
    half, _ = scan(lambda s: s / 2, outputs_info=1.0, n_steps=2)
    assert count.dtype == "int64" and int(count[-1].eval(mode="reference")) == 200
    assert half.dtype == "float64"
    eqsat.config.floatX = "float32"
    assert scan(lambda s: s / 2, outputs_info=1.0, n_steps=2)[0].dtype == "float32"
