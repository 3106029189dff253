"""Gradients that keep few states: the same numbers, less memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config, scan_checkpoints
from eqsat.errors import ArgumentError, ConfigError, ShapeError
from eqsat.gradient import verify_grad
from eqsat.graph.walk import ancestors, toposort
from eqsat.scan import Scan, scan, until
from eqsat.tensor.random import RandomStream
from tests.reference import functions_of_modes

pytestmark = pytest.mark.sweep  # long loops with gradients, in every mode

RNG = np.random.default_rng(21)
X, H = RNG.normal(size=(7, 3)), RNG.normal(size=3) / 2
W = RNG.normal(size=(3, 3)) / 2
x, h, w, n = T.dmatrix("x"), T.dvector("h"), T.dmatrix("w"), T.lscalar("n")


def rnn(row: Any, state: Any) -> Any:
    return T.tanh(row + T.dot(state, w))


def two_states(**options: Any) -> Any:
    """A state that reads two earlier values, one of one value, and the last value of each."""
    (a, b), _ = scan(
        lambda row, two, one, k: [
            T.tanh(row * two + T.dot(one, w)),
            (row * one).sum() + k * T.sin(two).sum(),
        ],
        x,
        [{"initial": T.stack([h, h * 2]), "taps": [-2, -1]}, h[0]],
        **options,
    )
    return a[-1].sum() * b[-1]


COSTS: dict[str, Callable[..., Any]] = {
    "last value": lambda **o: T.dot(scan(rnn, x, h, **o)[0][-1], x[0]),
    "last value, used twice": lambda **o: (lambda v: (v[-1] ** 2).sum() + T.sin(v[-1]).sum())(scan(rnn, x, h, **o)[0]),
    "all values": lambda **o: (scan(rnn, x, h, **o)[0] ** 2).sum(),
    "an output beside the state": lambda **o: scan(
        lambda row, s: [T.tanh(row + T.dot(s, w)), (s**2).sum()], x, [h, None], **o
    )[0][1].sum(),
    "two states": two_states,
    "n_steps not known": lambda **o: scan(lambda s: rnn(x[0], s), None, h, n_steps=n, **o)[0][-1].sum(),
    "n_steps known": lambda **o: scan(lambda s: rnn(x[0], s), None, h, n_steps=6, **o)[0][-1].sum(),
    "taps, backwards": lambda **o: scan(
        lambda a, b, s: rnn(a * b, s), {"input": x, "taps": [-1, 1]}, h, go_backwards=True, **o
    )[0][-1].sum(),
    "map": lambda **o: scan(lambda row, v: T.tanh(row * v), x, non_sequences=h, **o)[0].sum(),
    "in a loop": lambda **o: scan(
        lambda row, s: scan(lambda a, b: T.sin(a * b), row, s[0], **o)[0] + s, x, h, **o
    )[0][-1].sum(),
}  # fmt: skip
WRT = {"map": [x, h], "in a loop": [x, h]}
GIVEN = {x: X, h: H, w: W, n: 5}


def slopes(name: str, **options: Any) -> Any:
    return T.grad(COSTS[name](**options), WRT.get(name, [x, h, w]))


def scans(*outputs: Any) -> dict[str, Any]:
    return {str(node.op): node for node in toposort(outputs) if isinstance(node.op, Scan)}


@pytest.mark.parametrize("every", [1, 2, 3, 7, 20, True])
@pytest.mark.parametrize("name", COSTS)
def test_the_same_gradients(name: str, every: Any) -> None:
    some, all_ = slopes(name, checkpoint=every), slopes(name)
    f = eqsat.function(list(GIVEN), [*some, *all_], mode="reference", on_unused_input="ignore")
    got = f(*GIVEN.values())
    for a, b in zip(got[: len(some)], got[len(some) :], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ["last value", "two states", "n_steps not known"])
@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_the_same_gradients_in_every_mode(name: str, mode: str) -> None:
    some, all_ = slopes(name, checkpoint=3), slopes(name)
    for f in functions_of_modes(list(GIVEN), [*some, *all_], mode):
        for count in (2, 3, 5):
            got = f(X, H, W, count)
            for a, b in zip(got[:3], got[3:], strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_derivatives_of_such_gradients() -> None:
    def twice(v: Any, s: Any) -> Any:
        cost = scan(lambda row, state: T.tanh(row * state), v, s, checkpoint=2)[0][-1].sum()
        return T.concatenate([g.flatten() for g in T.grad(cost, [v, s])])

    verify_grad(twice, [X[:5], H], n_tests=1, mode="reference")


def test_draws_are_the_same_when_they_are_computed_again(seed_mode: str) -> None:
    stream = RandomStream(8)
    total = eqsat.shared(np.zeros(()), "total")

    def step(row: Any, state: Any) -> Any:
        mask = stream.bernoulli(0.5, size=(3,))
        return [state * 0.5 + row * mask, mask], {total: total + row.sum()}

    (states, masks), updates = scan(step, x, [h, None], checkpoint=3)
    by_x = T.grad(states[-1].sum(), x)
    f = eqsat.function([x, h], [masks, by_x], updates=updates, mode=seed_mode)
    for k in (1, 2):
        drawn, slope = f(X, H)
        assert 0 < drawn.sum() < drawn.size
        np.testing.assert_allclose(slope, drawn * 0.5 ** np.arange(6, -1, -1)[:, None])
        np.testing.assert_allclose(total.get_value(), k * X.sum())


@pytest.mark.parametrize("every", [1, 3, 7, 10])
@pytest.mark.parametrize("padding", [True, False])
def test_values_after_each_part(every: int, padding: bool) -> None:
    rows = X[: 6 if every == 3 else 7] if padding or every != 10 else np.tile(X, (3, 1))[:20]
    count = eqsat.shared(np.int64(0), "count")

    def step(row: Any, two: Any, one: Any, s: Any) -> Any:
        new = rnn(row, s)
        return [two + one * row[0], new, new.sum()], {count: count + 1}

    infos = [{"initial": x[:2, 0], "taps": [-2, -1]}, h, None]
    some, updates = scan_checkpoints(step, x, infos, save_every_N=every, padding=padding)
    full, _ = scan(step, x, infos)
    f = eqsat.function([x, h, w], [*some, *full], updates=updates, mode="reference")
    got = f(rows, H, W)
    ends = [*range(every - 1, len(rows), every)]
    ends += [] if len(rows) % every == 0 else [len(rows) - 1]
    for a, b in zip(got[:3], got[3:], strict=True):
        np.testing.assert_allclose(a, b[ends], rtol=1e-12)
    assert count.get_value() == len(rows)


def test_powers_in_parts(seed_mode: str) -> None:
    a, k = T.dvector("a"), T.iscalar("k")
    plain, some = (
        make(lambda p, b: p * b, outputs_info=T.ones_like(a), non_sequences=a, n_steps=k, **more)[0][-1]
        for make, more in ((scan, {}), (scan_checkpoints, {"save_every_N": 10}))
    )
    f = eqsat.function([a, k], [plain, some, *(T.grad(v.sum(), a) for v in (plain, some))], mode=seed_mode)
    for count in (1, 9, 10, 11, 25):
        one, two, first, second = f(np.arange(10) / 9, count)
        np.testing.assert_allclose(one, two, rtol=1e-12)
        np.testing.assert_allclose(first, second, rtol=1e-10)


def peak(f: Any, *args: Any) -> int:
    """Bytes that a call holds at most beyond those held before it."""
    f(*args)
    tracemalloc.start()
    try:
        f(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def powers(make: Any, **options: Any) -> Any:
    """The slope of a last state of 900 steps, where nothing but the gradient needs the loop."""
    out, _ = make(lambda p, b: p * b, None, T.ones_like(h), h, n_steps=900, **options)
    return eqsat.function([h], T.grad(None, h, known_grads={out[-1]: h}), mode="reference")


def test_less_memory() -> None:
    """900 values of 1000 numbers: the square root of it are 30 parts of 30."""
    a, row = np.full(1000, 0.999), 8000
    every = peak(powers(scan), a)
    some, parts = peak(powers(scan, checkpoint=30), a), peak(powers(scan_checkpoints, save_every_N=30), a)
    assert every > 1800 * row and some < 250 * row and parts < 250 * row


def test_values_inside_parts_are_not_kept() -> None:
    """Although the cost uses all values, the gradient reads none but those between parts."""
    found = scans(*T.grad(COSTS["all values"](checkpoint=3), [x, h, w]))
    read = [v for v in found["scan{parts_grad}"].inputs if v.ndim == 3]
    assert [v.type.shape[1:] for v in read] == [(3, None)] * 2, "rows of x, and gradients of the values"
    kept = found["scan{parts}"].outputs
    assert kept[0] in ancestors(found["scan{parts_grad}"].inputs)
    lengths = [node.outputs[0] for node in toposort(read) if str(node.op).startswith("length")]
    assert not {*kept[1:]} & {*ancestors(read, lengths)}


def test_a_bound_of_memory_chooses() -> None:
    fixed = T.tensor("float64", (1000,), "fixed")

    def build(last: bool = True, **options: Any) -> Any:
        out, _ = scan(lambda p, b: p * b, None, T.ones_like(fixed), fixed, n_steps=900, **options)
        return T.grad((out[-1] if last else out).sum(), fixed)

    needed = 2 * 900 * 1000 * 8
    assert "scan{parts_grad}" not in scans(build())
    for bound, goes in ((needed, False), (needed - 1, True), ("1e9", False), (0, True)):
        with config.change_flags(memory_bound=bound):
            assert ("scan{parts_grad}" in scans(build())) == goes, bound
    with config.change_flags(memory_bound=1):
        found = scans(build())
        assert int(found["scan{parts}"].inputs[0].data) == int(found["scan{parts_grad}"].inputs[0].data) == 30
        assert "scan{parts_grad}" not in scans(build(last=False)), (
            "the cost uses all values, so they are there"
        )
        assert "scan{parts_grad}" not in scans(build(checkpoint=0))
        lengths = scan(rnn, x, h)[0][-1].sum()
    with config.change_flags(memory_bound=2 * 256 * 256 * 8 - 1):
        assert "scan{parts_grad}" in scans(T.grad(lengths, h)), "unknown lengths are config.default_length"
    with config.change_flags(memory_bound=2 * 256 * 256 * 8):
        assert "scan{parts_grad}" not in scans(T.grad(lengths, h))
    assert config.memory_bound is None
    with pytest.raises(ConfigError, match="memory_bound does not take -1"):
        config.memory_bound = -1


MISTAKES = [
    (lambda: scan(rnn, x, h, checkpoint=-1), ArgumentError, "scan: checkpoint is -1"),
    (lambda: scan(rnn, x, h, checkpoint="sqrt"), ArgumentError, "scan: checkpoint is 'sqrt'"),
    (lambda: scan(rnn, x, h, checkpoint=2, truncate_gradient=3), ArgumentError, "checkpoint and truncate_gradient do"),
    (lambda: scan(lambda r, s: (s, until(s[0] > 1)), x, h, checkpoint=2), ArgumentError, "checkpoint and until do not"),
    (lambda: scan_checkpoints(rnn, x, h, save_every_N=0), ArgumentError, "scan_checkpoints: save_every_N is 0"),
    (lambda: scan_checkpoints(x, h), ArgumentError, "scan_checkpoints: fn is x"),
    (lambda: scan_checkpoints(lambda r: (r, until(r[0] > 1)), x), ArgumentError, "until does not go together"),
    (lambda: scan_checkpoints(lambda s: s, None, h, n_steps=7, save_every_N=2, padding=False), ShapeError, "7 steps are"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "error", "text"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes(make: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_steps_left_over_without_padding() -> None:
    out, _ = scan_checkpoints(lambda row, s: row + s, x, h, save_every_N=2, padding=False)
    f = eqsat.function([x, h], out, mode="reference")
    assert f(X[:6], H).shape == (3, 3)
    with pytest.raises(ShapeError, match="reshape"):
        f(X, H)
