"""Cases over which loops in older systems have stumbled: each in the reference and in the default mode."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DisconnectedInputError, MissingInputError
from eqsat.gradient import Rop, disconnected_grad, hessian, verify_grad
from eqsat.scan import scan, until
from eqsat.tensor.random import RandomStream

pytestmark = pytest.mark.sweep  # whole programs

RNG = np.random.default_rng(12)
X = RNG.normal(size=(5, 2))
W = RNG.normal(size=(2, 2)) / 2
x, w, v, s, n = T.dmatrix("x"), T.dmatrix("w"), T.dvector("v"), T.dscalar("s"), T.lscalar("n")


def ran(inputs: Sequence[Any], outputs: Any, *args: Any, updates: Any = None) -> Any:
    """Values in the default mode, where the reference gives the same; shared variables begin the same in both."""
    shared = list(updates or ())
    before = [u.get_value() for u in shared]
    found = []
    for mode in ("reference", "FAST_RUN"):
        for u, value in zip(shared, before, strict=True):
            u.set_value(value)
        got = eqsat.function(list(inputs), outputs, updates=updates, mode=mode)(*args)
        found.append(got if isinstance(got, list) else [got])
    for a, b in zip(*found, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    return found[1] if isinstance(outputs, list) else found[1][0]


# ------------------------------------------------------------------------------------------------ what goes in


def test_a_function_of_a_loop_is_pickled() -> None:
    f = eqsat.function([s, n], scan(lambda h: 2 * h, outputs_info=s, n_steps=n)[0])
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_allclose(again(0.5, 4), f(0.5, 4))
    np.testing.assert_allclose(again(0.5, 4), [1, 2, 4, 8])


def test_a_step_that_returns_what_it_is_given() -> None:
    out, _ = scan(lambda a: a, non_sequences=x, n_steps=2)
    got, slope = ran([x], [out, T.grad(out.sum(), x)], X)
    np.testing.assert_array_equal(got, [X, X])
    np.testing.assert_array_equal(slope, np.full(X.shape, 2.0))
    again, _ = scan(lambda row, h, a: [h, row, a], x, [v, None, None], w)
    parts = ran([x, v, w], again, X, X[0], W)
    np.testing.assert_array_equal(parts[0], [X[0]] * 5)
    np.testing.assert_array_equal(parts[1], X)
    np.testing.assert_array_equal(parts[2], [W] * 5)


@pytest.mark.parametrize(
    ("taps", "rows"),
    [
        (-1, [[0, 1, 2, 3]]),
        ([-1], [[0, 1, 2, 3]]),
        ([-2, -1], [[0, 1, 2], [1, 2, 3]]),
        ([2], [[2, 3, 4]]),
        ([1, -1], [[2, 3, 4], [0, 1, 2]]),
        ([-2, 2], [[0], [4]]),
        ([3, 1], [[3, 4], [1, 2]]),
    ],
)
def test_taps_of_a_sequence(taps: Any, rows: Any) -> None:
    out, _ = scan(lambda *a: list(a), {"input": v, "taps": taps}, return_list=True)
    for got, want in zip(ran([v], out, np.arange(5.0)), rows, strict=True):
        assert got.tolist() == want


def test_taps_of_a_state_in_any_order() -> None:
    def step(u: Any, one: Any, two: Any) -> Any:
        return u * 0.5 + one * 0.25 + two

    out, _ = scan(step, {"input": v, "taps": -2}, {"initial": w[0], "taps": [-1, -2]})
    got = ran([v, w], out, np.arange(4.0), W)
    first = W[0, 1] * 0.25 + W[0, 0]
    np.testing.assert_allclose(got, [first, 0.5 + first * 0.25 + W[0, 1]])


def test_one_step_of_a_long_sequence() -> None:
    total, _ = scan(lambda a, h: h + a, {"input": v, "taps": [2]}, 0.0, n_steps=1)
    assert ran([v], total, np.arange(20.0)).tolist() == [2.0]


def test_initial_values_without_a_type() -> None:
    powers = T.arange(1000)
    terms, _ = scan(lambda c, k, a: c * a**k, [v, powers], non_sequences=s)
    starts = [T.constant(0, dtype="float64"), 0, 0.0, np.float32(0)]
    sums = [scan(lambda c, k, h, a: h + c * a**k, [v, powers], start, s)[0][-1] for start in starts]
    got = ran([v, s], [terms.sum(), *sums], np.array([1.0, 0.0, 2.0]), 3.0)
    assert [float(g) for g in got] == [19.0] * 5 and {g.dtype.name for g in got} == {"float64"}


def test_an_input_of_the_function_that_is_computed() -> None:
    """What a function is given in the place of an expression is what the loop reads too."""
    bias = w + 2
    out, _ = scan(lambda row, b: row + b.sum(), x, non_sequences=bias)
    f = eqsat.function([x, bias], out.sum() + bias.sum())
    assert f(X, W) == pytest.approx((X + W.sum()).sum() + W.sum())


def test_outputs_and_states_in_any_order() -> None:
    w_in, w_out = eqsat.shared(RNG.normal(size=2)), eqsat.shared(RNG.normal(size=2))

    def step(row: Any, a: Any, h: Any, one: Any, three: Any, weight: Any) -> Any:
        return [three + 1, three * 2, T.dot(row, weight) + a * w_in + T.dot(h, weight), one + T.dot(h, w_out)]

    infos = [None, None, v, {"initial": x[:3, 0], "taps": [-1, -3]}]
    out, _ = scan(step, [x, x[:, 1]], infos, w)
    got = ran([x, v, w], out, X, X[0], W)
    h, y = X[0], list(X[:3, 0])
    for t, row in enumerate(X):
        assert got[0][t] == pytest.approx(y[t] + 1) and got[1][t] == pytest.approx(y[t] * 2)
        y.append(y[-1] + h @ w_out.get_value())
        h = row @ W + row[1] * w_in.get_value() + h @ W
        np.testing.assert_allclose(got[2][t], h)
        assert got[3][t] == pytest.approx(y[-1])


def test_outputs_that_are_views_of_states() -> None:
    def step(three: Any, two: Any, one: Any) -> Any:
        return two, one * 1, disconnected_grad(two), two[::-1][::-1], three + two + one

    out, _ = scan(step, None, [None] * 4 + [{"initial": w, "taps": [-3, -2, -1]}], n_steps=3)
    states = [*np.arange(6.0).reshape(3, 2)]
    for _ in range(3):
        states.append(states[-3] + states[-2] + states[-1])
    got = ran([w], out, np.arange(6.0).reshape(3, 2))
    for value, first in zip(got, (1, 2, 1, 1, 3), strict=True):
        np.testing.assert_array_equal(value, states[first : first + 3])


def test_an_output_that_lags_behind(seed_mode: str) -> None:
    """The row of four steps before, which a function gives beside an update by the last rows."""
    before, last = eqsat.shared(np.zeros((4, 2)), "before"), eqsat.shared(np.zeros((1, 2)), "last")
    (now, late), _ = scan(lambda row, four: [row, four], x, [{"initial": before, "taps": [-4]}, None])
    f = eqsat.function([x], late, updates={last: now[-1:]}, mode=seed_mode)
    want = np.concatenate([np.zeros((4, 2)), X[:1]])
    kept = f(X)
    np.testing.assert_array_equal(kept, want)
    np.testing.assert_array_equal(last.get_value(), X[-1:])
    f(X * 2)
    np.testing.assert_array_equal(kept, want)
    assert not np.may_share_memory(kept, last.get_value(borrow=True))


def test_one_step_is_stacked_but_an_update_is_not() -> None:
    b = eqsat.shared(RNG.normal(size=(5, 4)), "b")
    for info in ({"initial": v}, v):
        out, updates = scan(lambda a: (a + 1, {b: 2 * b}), None, [info], n_steps=1)
        assert (out.ndim, out[-1].ndim, updates[b].ndim) == (2, 1, 2)


# ----------------------------------------------------------------------------------------------------- updates


def test_updates_read_the_values_before_the_step(seed_mode: str) -> None:
    a, b = eqsat.shared(np.int64(1), "a"), eqsat.shared(np.int64(1), "b")
    _, updates = scan(lambda: {a: a + 1, b: a}, n_steps=10)
    eqsat.function([], [], updates=updates, mode=seed_mode)()
    assert (int(a.get_value()), int(b.get_value())) == (11, 10)
    assert not np.may_share_memory(a.get_value(borrow=True), b.get_value(borrow=True))


def test_weights_that_change_while_the_loop_runs() -> None:
    w1, w2 = eqsat.shared(RNG.normal(size=(2, 3)), "w1"), eqsat.shared(RNG.normal(size=(3, 2)), "w2")
    rows = eqsat.shared(X[:4], "rows")
    start = [w1.get_value(), w2.get_value()]

    def step(row: Any, other: Any, three: Any, two: Any, one: Any, h: Any) -> Any:
        a = T.dot(T.dot(row, w1), w2) + 0.1 * one + 0.3 * two + 0.2 * three
        return [a, T.dot(other, w2) + h, T.dot(row, w1)], [(w1, w1 + 0.1), (w2, w2 + 0.05)]

    other = T.dmatrix("other")
    out, updates = scan(step, [rows, other], [{"initial": x[:3], "taps": [-3, -2, -1]}, v, None])
    others = RNG.normal(size=(4, 3))
    got = ran([other, x, v], out, others, X, X[0], updates=updates)
    a, b = (m.copy() for m in start)
    y, h = list(X[:3]), X[0]
    for t in range(4):
        y.append(X[t] @ a @ b + 0.1 * y[-1] + 0.3 * y[-2] + 0.2 * y[-3])
        h = others[t] @ b + h
        np.testing.assert_allclose(got[0][t], y[-1])
        np.testing.assert_allclose(got[1][t], h)
        np.testing.assert_allclose(got[2][t], X[t] @ a)
        a, b = a + 0.1, b + 0.05
    np.testing.assert_allclose(w1.get_value(), a)
    np.testing.assert_allclose(w2.get_value(), b)


def test_only_updates(seed_mode: str) -> None:
    state = eqsat.shared(0.75, "state")
    out, updates = scan(lambda: {state: 2 * state}, [], [], [], n_steps=n)
    f = eqsat.function([n], out, updates=updates, mode=seed_mode)
    assert f(3) in (None, []) and state.get_value() == 6.0


def test_a_variable_that_only_an_update_needs_is_missing() -> None:
    count = eqsat.shared(0.0, "count")
    _, updates = scan(lambda: (T.zeros(()), {count: count + s}), n_steps=20)
    f = eqsat.function([s], [], updates=updates, mode="reference")
    f(0.5)
    assert count.get_value() == 10.0
    with pytest.raises(MissingInputError, match="s"):
        eqsat.function([], [], updates=updates)


def test_a_chain_of_samples(seed_mode: str) -> None:
    """Samples of a Boltzmann machine: zeros and ones, other ones in every call, and of the right frequencies."""
    weights, stream = eqsat.shared(RNG.normal(size=(6, 4)), "weights"), RandomStream(7)

    def step(visible: Any) -> Any:
        hidden = stream.binomial(size=(200, 4), n=1, p=T.sigmoid(T.dot(visible, weights)))
        mean = T.sigmoid(T.dot(T.cast(hidden, "float64"), weights.T))
        return T.cast(stream.binomial(size=mean.shape, n=1, p=mean), "float64"), mean

    (samples, means), updates = scan(step, None, [x, None], n_steps=6)
    assert len(updates) == 2
    f = eqsat.function([x], [samples, means], updates=updates, mode=seed_mode)
    (first, mean), (second, _) = f(np.zeros((200, 6))), f(np.zeros((200, 6)))
    assert set(np.unique(first)) == {0.0, 1.0} and not np.array_equal(first, second)
    assert abs(first.mean() - mean.mean()) < 0.03


# --------------------------------------------------------------------------------------------------- gradients


def test_integers_among_the_states_of_a_gradient() -> None:
    c, a, b = T.iscalar("c"), T.fscalar("a"), T.fscalar("b")

    def step(flag: Any, p: Any, q: Any) -> Any:
        return [
            T.cast(T.switch(flag, p, q), "int32"),
            T.switch(flag, T.sigmoid(q * p), p),
            T.switch(flag, q, T.sigmoid(p)),
        ]

    values, _ = scan(step, None, [c, a, b], n_steps=10)
    got = ran([c, a, b], T.grad(values[1].sum(), [a, b]), np.int32(0), np.float32(1), np.float32(0.5))
    assert [g.dtype.name for g in got] == ["float32"] * 2
    np.testing.assert_allclose(got, [10.0, 0.0])


def test_gradients_of_a_polynomial_in_a_longer_range() -> None:
    terms, _ = scan(lambda c, k, a: c * a**k, [v, T.arange(1000)], non_sequences=s)
    first = T.grad(terms.sum(), s)
    got = ran([v, s], [first, T.grad(first, s)], np.array([1.0, 2.0, -3.0, 4.0]), 2.0)
    assert [float(g) for g in got] == [38.0, 42.0]


def test_gradients_inside_a_step() -> None:
    """T.grad within fn, of what stands around it with respect to a non-sequence: rows of a Hessian."""
    half, most = eqsat.shared(0.5), eqsat.shared(0.9)
    y = half * T.dot(v * v, T.dot(w, v))
    slope = T.grad(y, v)
    rows, _ = scan(lambda k, g, a: T.grad(g[k] * most, a), T.arange(slope.shape[0]), non_sequences=[slope, v])
    got = ran([v, w], rows, np.ones(2), np.array([[1.0, 1.0], [1.0, 0.0]]))
    np.testing.assert_allclose(got, [[3.6, 1.8], [1.8, 0.9]])
    scaled = eqsat.shared(np.arange(1.0, 6.0)) * s
    each, _ = scan(lambda k, a: T.grad(scaled[k], a), T.arange(5), non_sequences=s)
    np.testing.assert_allclose(ran([s], each, 3.0), np.arange(1.0, 6.0))


def test_gradients_of_shared_values() -> None:
    scale = eqsat.shared(3.0, "scale")
    assert ran([v], T.grad(scan(lambda a: a * scale, v)[0].sum(), scale), np.array([2.0, 3.0])) == 5.0
    count = eqsat.shared(1.0, "count")
    _, updates = scan(lambda: ([], {count: count + 1.0}), n_steps=10)
    assert ran([], T.grad(updates[count], count)) == 1.0
    through, _ = scan(lambda h: scale, None, s, n_steps=2)
    assert ran([], T.grad(through[-1], scale)) == 1.0


def test_gradients_of_one_value_returned_twice() -> None:
    def step(row: Any, three: Any, a: Any) -> Any:
        total = row + three + a
        return total, total

    out, _ = scan(step, x, [None, {"initial": w, "taps": [-3]}], v)
    rows, start, add = RNG.normal(size=(10, 2)), RNG.normal(size=(3, 2)), RNG.normal(size=2)
    got = ran([x, w, v], [g for o in out for g in T.grad(o.sum(), [x, w, v])], rows, start, add)
    seen = np.array([4, 3, 3, 3, 2, 2, 2, 1, 1, 1.0])[:, None] * np.ones(2)
    for k in (0, 3):
        np.testing.assert_allclose(got[k], seen)
        np.testing.assert_allclose(got[k + 1], seen[:3])
        np.testing.assert_allclose(got[k + 2], [22, 22])


def test_gradients_reach_states_in_which_others_end() -> None:
    start = [T.dvector("a"), T.dvector("b"), T.dmatrix("c"), T.dmatrix("d")]
    several = [{"initial": m, "taps": [-2, -1]} for m in start[2:]]
    out, _ = scan(lambda *a: [sum(a)] * 6, None, [None, None, *start[:2], *several], n_steps=4)
    node = out[0].owner
    pattern = node.op.connection_pattern(node)
    assert pattern[0] == [False] * 6 and all(row == [True] * 6 for row in pattern[1:])
    verify_grad(
        lambda a, b, c, d: eqsat.clone(out[0], dict(zip(start, (a, b, c, d), strict=True))),
        [X[0], X[1], X[:2], X[2:4]],
        n_tests=1,
        mode="reference",
    )


def test_what_is_not_connected() -> None:
    def step(a: Any, b: Any, c: Any) -> Any:
        a.name, b.name, c.name = "a", "b", "c"
        return a**2, b, a + 1

    start = [T.dvector(k) for k in "pqr"]
    (a, b, c), _ = scan(step, None, start, n_steps=3)
    cost = (a + b + c).sum()
    assert all(g.type == T.dvector for g in T.grad(cost, start[:2]))
    for value, wrt in ((cost, start[2]), (a.sum(), start[1])):
        with pytest.raises(DisconnectedInputError):
            T.grad(value, wrt)
    (_, m), _ = scan(lambda row, h: [h, v], x, [T.zeros((7,)), None])
    np.testing.assert_allclose(ran([x, v], T.grad((x * m).sum(), v), X, X[0]), X.sum(0))
    (_, m), _ = scan(lambda row, h: [row + h, h + v], x, [T.zeros((2,)), None])
    np.testing.assert_allclose(
        ran([x, v], T.grad(m.sum(), x), X, X[0]), np.arange(4, -1, -1)[:, None] * np.ones(2)
    )
    (_, two), _ = scan(lambda a: [a + 1, a + 2], v)
    np.testing.assert_allclose(ran([v], T.grad(two.sum(), v), X[0]), [1, 1])


def test_gradients_of_picked_rows() -> None:
    places, table = T.lvector("places"), eqsat.shared(np.zeros((3, 2)), "table")
    out, _ = scan(lambda k, t: t[k], places, non_sequences=table)
    got = ran([places], T.grad(out.sum(), table), np.array([1, 2, 1]))
    np.testing.assert_allclose(got, [[0, 0], [2, 2], [1, 1]])


def test_gradients_of_a_state_of_far_taps() -> None:
    def cost(a: Any, b: Any) -> Any:
        out, _ = scan(
            lambda four, one, c: c * T.sin(four) + one,
            None, {"initial": a, "taps": [-4, -1]}, b, n_steps=10,
        )  # fmt: skip
        return (out[-1] ** 2).sum()

    verify_grad(cost, [RNG.normal(size=(5, 2, 2)), RNG.normal(size=(2, 2))], n_tests=1)


def test_gradients_of_two_loops_one_after_the_other() -> None:
    labels, batch = T.lmatrix("labels"), T.dtensor3("batch")
    weights = eqsat.shared(W, "weights")
    y, _ = scan(lambda rows: T.nnet.softmax(T.dot(rows, weights)), batch)
    losses, _ = scan(lambda p, t: T.nnet.categorical_crossentropy(p, t).mean(), [y, labels])
    rows, given = RNG.normal(size=(3, 4, 2)), RNG.integers(0, 2, size=(3, 4))
    got = ran([batch, labels], T.grad(losses.mean(), weights), rows, given)
    p = np.exp(rows @ W)
    p /= p.sum(-1, keepdims=True)
    want = np.einsum("abi,abj->ij", rows, p - np.eye(2)[given]) / 12
    np.testing.assert_allclose(got, want)


def test_second_derivatives_by_loops_in_loops() -> None:
    def outer(total: Any, a: Any) -> Any:
        inner, _ = scan(lambda h, b: h + (b**2).sum(), None, T.constant(0.0, dtype="float64"), a, n_steps=1)
        return total + inner[-1]

    (found,), _ = scan(outer, None, T.constant(0.0, dtype="float64"), v, n_steps=n, return_list=True)
    got = ran([v, n], hessian(found[-1], v), np.ones(4), 3)
    np.testing.assert_allclose(got, 6 * np.eye(4))


def test_products_with_a_hessian() -> None:
    """Rop of a gradient whose parameters are parts of one vector."""
    parameters, move = T.dvector("parameters"), T.dvector("move")
    first, second = parameters[:2].reshape((1, 2)), parameters[2:].reshape((2, 2))
    hidden = T.dot(x[:, :1], first)
    states, _ = scan(lambda a, h: T.sigmoid(T.dot(h, second) + a), hidden, T.zeros_like(hidden[0]))
    slope = T.grad((states**2).mean(), parameters)
    at, along = RNG.normal(size=6), RNG.normal(size=6)
    got = ran([x, parameters, move], Rop(slope, parameters, move), X, at, along)
    f = eqsat.function([x, parameters], slope, mode="reference")
    want = (f(X, at + 1e-6 * along) - f(X, at - 1e-6 * along)) / 2e-6
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-9)


def test_a_network_learns(seed_mode: str) -> None:
    """A recurrent network over two earlier states learns to shift a sine, all in one function with updates."""
    rng = np.random.default_rng(0)
    sizes = {"in": (1, 3), "back": (3, 3), "out": (3, 1)}
    weights = {k: eqsat.shared(rng.uniform(-1, 1, shape), k) for k, shape in sizes.items()}
    start = eqsat.shared(rng.uniform(-1, 1, (2, 3)), "start")
    target = T.dmatrix("target")

    def step(row: Any, two: Any, one: Any, a: Any, b: Any, c: Any) -> Any:
        h = T.tanh(T.dot(row, a) + T.dot(two, b) + T.dot(one, b))
        return [h, T.dot(h, c)]

    (_, y), _ = scan(step, x, [{"initial": start, "taps": [-2, -1]}, None], [*weights.values()])
    cost = 0.5 * ((y - target) ** 2).mean() + 0.5 * (y.std() - target.std()) ** 2
    own = [*weights.values(), start]
    f = eqsat.function(
        [x, target], cost, mode=seed_mode,
        updates={p: p - 0.1 * g for p, g in zip(own, T.grad(cost, own), strict=True)},
    )  # fmt: skip
    wave = np.sin(np.arange(0.0, 10.0, 0.5))[:, None]
    costs = [float(f(wave[:-1], wave[1:])) for _ in range(40)]
    assert costs[-1] < costs[0] / 3


# ------------------------------------------------------------------------------------------------------- until


def test_two_states_and_a_condition() -> None:
    (total, steps), _ = scan(lambda h, k: ([h + k, k + 1], until(h + k > s)), None, [0, 0], n_steps=n)
    totals, count = ran([s, n], [total, steps], 100.0, 100)
    assert totals[-1] == 105 and count[-1] == len(totals) == 15


def test_gradients_until_a_condition() -> None:
    limit, rows = T.lscalar("limit"), np.arange(15.0)
    out, _ = scan(lambda a, u: (a * a, until(a > u)), v, non_sequences=limit)
    got, slope = ran([v, limit], [out, T.grad(out.sum(), v)], rows, 5)
    np.testing.assert_allclose(got, rows[:7] ** 2)
    np.testing.assert_allclose(slope, np.where(rows < 7, 2 * rows, 0))
    wide, _ = scan(lambda a, u: (a * a, until(T.all(a > u))), x, non_sequences=limit)
    many = np.tile(rows[:, None], (1, 5))
    np.testing.assert_allclose(
        ran([x, limit], T.grad(wide.sum(), x), many, 5), np.where(many < 7, 2 * many, 0)
    )
    late, _ = scan(lambda a, u: (a * a, until(a > u)), v, non_sequences=limit, truncate_gradient=3)
    np.testing.assert_allclose(
        ran([v, limit], T.grad(late.sum(), v), rows, 5), np.where((rows >= 4) & (rows < 7), 2 * rows, 0)
    )
    taps, _ = scan(
        lambda a, b, u: (a * b, until(b > u)),
        {"input": v, "taps": [-2, 0]}, non_sequences=limit, truncate_gradient=3,
    )  # fmt: skip
    got = ran([v, limit], T.grad(taps.sum(), v), rows, 6)
    assert got.tolist() == [0, 0, 0, 5, 6, 10, 4, 5, 0, 0, 0, 0, 0, 0, 0]


# ----------------------------------------------------------------------------------------------- clones and types


def test_clones_of_loops() -> None:
    a, b = T.dscalar("a"), T.dscalar("b")
    out, _ = scan(lambda row: row * a, v)
    other = eqsat.clone(out, {a: b})
    got = ran([v, a, b], [out, other], np.array([1.0, 2.0, 3.0]), 1.0, 2.0)
    assert [g.tolist() for g in got] == [[1, 2, 3], [2, 4, 6]]
    start = eqsat.shared(0.0, "start")
    sums, _ = scan(lambda row, h: h + row, v, start)
    moved = eqsat.clone(sums, {start: start + 0.1 + 0 * a})
    np.testing.assert_allclose(ran([v, a], moved, np.array([1.0, 2.0]), 5.0), [1.1, 3.1])


def test_a_number_of_steps_that_is_a_constant_of_any_kind() -> None:
    for count in (3, np.int8(3), np.array(3), T.constant(3), T.constant(np.uint8(3))):
        out, _ = scan(lambda h: h * 2, None, T.ones(()), n_steps=count)
        assert ran([], out).tolist() == [2, 4, 8] and out.type.shape == (3,)


def test_taps_that_no_state_has() -> None:
    f = T.fvector("f")
    for taps in ([0], [-1, -1], [1]):
        with pytest.raises(ArgumentError, match="the taps of output 0 are"):
            scan(lambda a, b: [a], f, {"initial": f, "taps": taps})


def test_float32_stays(seed_mode: str) -> None:
    rows, start = T.fmatrix("rows"), T.fvector("start")
    eqsat.config.floatX = "float32"
    (a, b), _ = scan(lambda row, h: [T.tanh(row + h * 0.5), row.sum() / 3], rows, [start, None])
    slopes = T.grad(a.sum() + b.sum(), [rows, start])
    f = eqsat.function([rows, start], [a, b, *slopes], mode=seed_mode)
    assert {g.dtype.name for g in f(X.astype("float32"), X[0].astype("float32"))} == {"float32"}
