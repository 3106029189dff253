"""Derivatives of scans against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, NullTypeGradError
from eqsat.gradient import Lop, Rop, verify_grad
from eqsat.graph.core import Apply
from eqsat.graph.walk import toposort
from eqsat.scan import Scan, scan, until

pytestmark = pytest.mark.sweep  # loops with gradients of gradients, in every mode

RNG = np.random.default_rng(11)
X, H = RNG.normal(size=(4, 3)), RNG.normal(size=3)
W = RNG.normal(size=(3, 3)) / 2
B = RNG.normal(size=(2, 3))


def rnn(x: Any, h: Any, w: Any) -> Any:
    return scan(lambda row, before: T.tanh(row + T.dot(before, w)), x, h)[0]


def second_order(x: Any, start: Any, w: Any) -> Any:
    """A state that reads two earlier values, beside an output that is no state."""
    (a, b), _ = scan(
        lambda row, two, one, weight: [T.tanh(row * two + T.dot(one, weight)), T.sum(row * one)],
        x,
        [{"initial": start, "taps": [-2, -1]}, None],
        w,
    )
    return a.sum(1) * b


@pytest.mark.seed("L018")
def test_gradients_of_sequences_states_and_non_sequences(seed_mode: str) -> None:
    verify_grad(rnn, [X, H, W], n_tests=1, mode=seed_mode)
    verify_grad(second_order, [X, B, W], n_tests=1, mode=seed_mode)


CASES: dict[str, tuple[Any, list[Any]]] = {
    "taps": (
        lambda x, v: scan(lambda a, b, c: a * b + T.sin(c), [{"input": x, "taps": [-1, 1]}, v])[0],
        [X, H],
    ),
    "backwards": (
        lambda x, h: scan(
            lambda a, b, s: T.sin(s) * a + b, {"input": x, "taps": [0, -1]}, h, go_backwards=True
        )[0],
        [X, H],
    ),
    "short": (lambda x, h: scan(lambda a, s: T.sin(s) * a, x, h, n_steps=2)[0], [X, H]),
    "more initial values": (
        lambda x, h: scan(lambda a, s: T.sin(s) * a, x, {"initial": h, "taps": [-2]}, n_steps=2)[0],
        [X, RNG.normal(size=(4, 3))],
    ),
    "last": (lambda x, h: rnn(x, h, T.constant(W))[-1], [X, H]),
    "scalars": (lambda x, h: scan(lambda a, s: a * T.sin(s), x, h)[0], [H, np.array(0.3)]),
    "one step": (lambda h: scan(lambda s: T.sin(s) * s, outputs_info=h, n_steps=1)[0], [H]),
    "no state gradient": (lambda x, h: scan(lambda a, s: a * 2 + (s > 0), x, h)[0], [X, H]),
    "same twice": (
        lambda h: T.sum(scan(lambda s: [s * 2, s * 2], outputs_info=[h, None], n_steps=3)[0]),
        [H],
    ),
    "state out of an input": (lambda x, h: T.sum(scan(lambda a, s, r: [a, s * r], x, [h, h])[0][1]), [X, H]),
    "until": (
        lambda h: scan(lambda s: (s * 1.5, until(s.sum() > 10)), outputs_info=h, n_steps=20)[0],
        [np.array([1.0, 2.0])],
    ),
    "until without stacks": (
        lambda x: scan(lambda a, w: (T.sin(a) * w, until(a.sum() > 100)), x, non_sequences=T.constant(2.0))[
            0
        ],
        [X],
    ),
    "nested": (
        lambda x, y: scan(lambda a: scan(lambda b, s: T.sin(a + b) * s, y, T.ones(()))[0], x)[0],
        [H, X[0]],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients(name: str) -> None:
    verify_grad(*CASES[name], n_tests=1)


@pytest.mark.seed("L014")
def test_gradients_of_states_are_mit_mot_states(seed_mode: str) -> None:
    x, h, s = T.dmatrix("x"), T.dvector("h"), T.dmatrix("s")
    one, two = rnn(x, h, T.constant(W)).sum(), second_order(x, s, T.constant(W)).sum()
    grads = [*T.grad(one, [x, h]), *T.grad(two, [x, s])]
    infos = [n.op.info for n in toposort(grads) if isinstance(n.op, Scan)]
    assert [sorted(*i.mit_mot_in_slices) for i in infos if i.n_mit_mot] == [[0, 1], [0, 1, 2]]
    forward = [n.op.info for n in toposort([one, two]) if isinstance(n.op, Scan)]
    assert len(forward) == 2 and not any(i.n_mit_mot for i in forward)
    with pytest.raises(ArgumentError, match="negative ones, of which -1 is"):
        scan(lambda a: a, outputs_info={"initial": x, "taps": [0, 1]}, n_steps=2)
    f = eqsat.function([x, h, s], [one, two, *grads], mode=seed_mode)
    got = f(X, H, B)
    for k, (cost, place, given) in enumerate([(0, 0, X), (0, 1, H), (1, 0, X), (1, 2, B)]):
        slope = np.zeros_like(given)
        for index in np.ndindex(given.shape):
            ends = []
            for sign in (1, -1):
                args = [X.copy(), H.copy(), B.copy()]
                args[place][index] += sign * 1e-6
                ends.append(f(*args)[cost])
            slope[index] = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(got[2 + k], slope, rtol=1e-4, atol=1e-7)


@pytest.mark.seed("L019")
def test_second_derivatives(seed_mode: str) -> None:
    def slopes(x: Any, h: Any, w: Any) -> Any:
        gx, gh, gw = T.grad((rnn(x, h, w) ** 2).sum(), [x, h, w])
        return T.concatenate([T.sin(gx).flatten(), gh**2, gw.flatten() ** 2])

    def several(x: Any, start: Any) -> Any:
        gx, gs = T.grad((second_order(x, start, T.constant(W)) ** 2).sum(), [x, start])
        return T.concatenate([T.sin(gx).flatten(), T.sin(gs).flatten()])

    verify_grad(slopes, [X[:3], H, W], n_tests=1, mode=seed_mode)
    verify_grad(several, [X[:3], B], n_tests=1, mode=seed_mode)


@pytest.mark.parametrize("used", [(0,), (1,), (2,), (0, 2), (1, 2)])
def test_second_derivatives_where_some_taps_are_not_used(used: Any) -> None:
    def slopes(start: Any) -> Any:
        out, _ = scan(
            lambda *values: sum(T.sin(values[k]) * (k + 1) for k in used),
            outputs_info={"initial": start, "taps": [-3, -2, -1]},
            n_steps=4,
        )
        return T.grad((out**2).sum(), start)

    verify_grad(slopes, [RNG.normal(size=3)], n_tests=1)


def test_third_derivative() -> None:
    h = T.dscalar("h")
    out, _ = scan(lambda s: T.sin(s) * 2, outputs_info=h, n_steps=3)
    first = T.grad(out[-1], h)
    verify_grad(lambda v: eqsat.clone(T.grad(T.grad(first, h), h), {h: v}), [np.array(0.4)], n_tests=1)


@pytest.mark.seed("L020")
def test_nested_scans(seed_mode: str) -> None:
    def sums(a: Any, b: Any) -> Any:
        return scan(lambda u: scan(lambda v: u + v, b)[0], a)[0]

    a, b = T.dvectors("a", "b")
    got = eqsat.function([a, b], sums(a, b), mode=seed_mode)(X[0], X[1, :2])
    np.testing.assert_array_equal(got, X[0][:, None] + X[1, :2])
    verify_grad(lambda a, b: sums(a, b) ** 2, [X[0], X[1, :2]], n_tests=1, mode=seed_mode)


@pytest.mark.seed("J024")
def test_rop(seed_mode: str) -> None:
    x, h, w, s = T.dmatrix("x"), T.dvector("h"), T.dmatrix("w"), T.dmatrix("s")
    wrt = [x, h, w, s]
    moves = [v.type() for v in wrt]
    f = [rnn(x, h, w), second_order(x, s, w)]
    ops = [n.op for n in toposort(f) if isinstance(n.op, Scan)]
    right = [Rop(f[0], wrt[:3], moves[:3]), Rop(f[1], [x, w, s], [moves[0], moves[2], moves[3]])]
    assert len([n for n in toposort(right) if isinstance(n.op, Scan) and n.op not in ops]) == 2
    weights = [v.type() for v in f]
    twice = []
    for out, weight, own in zip(f, weights, [[0, 1, 2], [0, 2, 3]], strict=True):
        back = Lop(out, [wrt[k] for k in own], weight)
        twice.append(Lop(back, weight, [moves[k] for k in own]))
    run = eqsat.function([*wrt, *moves, *weights], [*f, *right, *twice], mode=seed_mode)
    at, v = [X, H, W, B], [RNG.normal(size=a.shape) for a in (X, H, W, B)]
    zero = [np.zeros((4, 3)), np.zeros(4)]
    e = 1e-6
    above, below = (run(*(a + t * d for a, d in zip(at, v, strict=True)), *v, *zero) for t in (e, -e))
    got = run(*at, *v, *zero)
    for k in (0, 1):
        np.testing.assert_allclose(got[2 + k], (above[k] - below[k]) / (2 * e), rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(got[2 + k], got[4 + k], rtol=1e-10)


def test_truncated_gradient_is_that_of_a_truncated_loop(seed_mode: str) -> None:
    x, w, s = T.dmatrix("x"), T.dmatrix("w"), T.dmatrix("s")

    def step(row: Any, two: Any, one: Any) -> Any:
        return T.tanh(row * two + T.dot(one, w))

    short, _ = scan(step, x, {"initial": s, "taps": [-2, -1]}, truncate_gradient=2)
    whole, _ = scan(step, x, {"initial": s, "taps": [-2, -1]}, truncate_gradient=9)
    values = [s[0], s[1]]
    for t in range(4):
        values.append(step(x[t], *values[-2:]))
        if t == 1:
            values = [eqsat.gradient.disconnected_grad(v) for v in values]
    by_hand = values[-1].sum()
    wrt = [x, w]
    f = eqsat.function(
        [x, w, s],
        [*T.grad(short[-1].sum(), [x, w, s]), *T.grad(by_hand, wrt), *T.grad(whole[-1].sum(), [x, s])],
        mode=seed_mode,
    )
    gx, gw, gs, hx, hw, ax, as_ = f(X, W, B)
    np.testing.assert_allclose(gx, hx, rtol=1e-10)
    np.testing.assert_allclose(gw, hw, rtol=1e-10)
    assert not gs.any() and not gx[:2].any()
    full = scan(step, x, {"initial": s, "taps": [-2, -1]})[0]
    bx, bs = eqsat.function([x, w, s], T.grad(full[-1].sum(), [x, s]), mode="reference")(X, W, B)
    np.testing.assert_allclose(ax, bx, rtol=1e-10)
    np.testing.assert_allclose(as_, bs, rtol=1e-10)


def test_gradients_with_random_numbers_and_shared_states(seed_mode: str) -> None:
    stream = eqsat.tensor.random.RandomStream(5)
    x, w, total = T.dmatrix("x"), T.dvector("w"), eqsat.shared(np.ones(3), "total")
    (out, mask), updates = scan(
        lambda row: (
            (lambda m: [T.sin(row * w * m), m])(stream.bernoulli(0.5, size=(3,))),
            {total: total * w + row},
        ),
        x,
    )
    cost = (out**2).sum() + (updates[total] ** 2).sum()
    f = eqsat.function(
        [x, w], [cost, mask, *T.grad(cost, [x, w, total])], no_default_updates=True, mode=seed_mode
    )
    _, m, gx, gw, gt = f(X, H)
    assert 0 < m.sum() < m.size
    e, d = 1e-6, [RNG.normal(size=(4, 3)), RNG.normal(size=3)]
    above, below = (f(X + t * d[0], H + t * d[1])[0] for t in (e, -e))
    np.testing.assert_allclose((gx * d[0]).sum() + (gw * d[1]).sum(), (above - below) / (2 * e), rtol=1e-5)
    last = np.ones(3)
    for row in X:
        last = last * H + row
    np.testing.assert_allclose(gt, 2 * last * H**4, rtol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 9])
def test_late_steps_that_read_initial_values_give_them_gradients(n: int, mode: str) -> None:
    """Of the last 2 of n steps, step t reads the initial row t of 4."""
    s, count = T.dmatrix("s"), T.lscalar("count")
    out, _ = scan(
        lambda a: T.sin(a), outputs_info={"initial": s, "taps": [-4]}, n_steps=count, truncate_gradient=2
    )
    start = RNG.normal(size=(4, 3))
    got = eqsat.function([s, count], T.grad(out.sum(), s), mode=mode)(start, n)
    read = np.isin(np.arange(4), [n - 2, n - 1])[:, None]
    np.testing.assert_allclose(got, np.where(read, np.cos(start), 0.0))


def test_jacobians_and_hessians_are_one_loop() -> None:
    x, h, w, s = T.dmatrix("x"), T.dvector("h"), T.dmatrix("w"), T.dmatrix("s")
    out, last = second_order(x, s, w), rnn(x, h, w)[-1]
    rows = [*eqsat.gradient.jacobian(out, [x, s, w]), *eqsat.gradient.jacobian(last, [x, h, w])]
    twice = eqsat.gradient.hessian((rnn(x, h, w) ** 2).sum(), h)
    f = eqsat.function([x, h, w, s], [*rows, twice], mode="reference")
    assert len([n for n in toposort(rows) if isinstance(n.op, Scan)]) <= 6
    got = f(X, H, W, B)
    cost = (rnn(x, h, w) ** 2).sum()
    want = [[T.grad(out[k], v) for k in range(4)] for v in (x, s, w)]
    want += [[T.grad(last[k], v) for k in range(3)] for v in (x, h, w)]
    want.append([T.grad(T.grad(cost, h)[k], h) for k in range(3)])
    each = eqsat.function([x, h, w, s], [T.stack(v) for v in want], mode="reference")(X, H, W, B)
    for a, b in zip(got, each, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


class Undefined(eqsat.Op):
    """A product that gives no gradient in its second operand."""

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, list(inputs), [inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] * inputs[1]

    def grad(self, inputs: Any, output_grads: Any) -> list[Any]:
        return [output_grads[0] * inputs[1], eqsat.gradient.grad_undefined(self, 1, inputs[1])]


def test_a_gradient_that_a_step_leaves_undefined() -> None:
    x, h, w = T.dmatrix("x"), T.dvector("h"), T.dvector("w")
    product = Undefined()
    out = scan(lambda row, s, v: product(row + s, v), x, h, w)[0].sum()
    got = eqsat.function([x, h, w], T.grad(out, [x, h]), mode="reference")(X, H, 2 * np.ones(3))
    want = 2.0 * np.array([15, 7, 3, 1])
    np.testing.assert_allclose(got[0], want[:, None] * np.ones(3))
    np.testing.assert_allclose(got[1], [30.0] * 3)
    with pytest.raises(NullTypeGradError, match="Undefined has no gradient in input 1, w"):
        T.grad(out, w)
    assert isinstance(T.grad(out, w, null_gradients="return").type, eqsat.gradient.NullType)
    through = scan(lambda row, s: product(row, s), x, h)[0].sum()
    for v in (x, h):  # every row reaches later steps by the state
        with pytest.raises(NullTypeGradError, match=r"Undefined has no gradient in input 1, h\[t-1\]"):
            T.grad(through, v)


def test_a_gradient_that_needs_no_value_of_the_loop(seed_mode: str) -> None:
    x, start, a, b = T.dvector("x"), T.dvector("start"), T.dscalar("a"), T.dscalar("b")
    y, _ = eqsat.scan(
        lambda x, far, near: a * near + b * far + x, x, [{"initial": start, "taps": [-2, -1]}], name="ar2"
    )
    f = eqsat.function([x, start, a, b], T.grad(y[-1], x), mode=seed_mode, on_unused_input="ignore")
    wanted = [1.0]
    for _ in range(4):
        wanted.append(0.5 * wanted[-1] + 0.25 * (wanted[-2] if len(wanted) > 1 else 0.0))
    np.testing.assert_allclose(f(np.zeros(5), np.zeros(2), 0.5, 0.25), wanted[::-1])
