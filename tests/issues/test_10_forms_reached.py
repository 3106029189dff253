"""Written forms come out as cheap as the forms that they are equal to, with the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.extract.cost import CostModel

Values = dict[str, Any]
VIEWS = 1.5 * CostModel().fixed  # views more or less are not counted
rng = np.random.default_rng(10)
VALUES: Values = {
    "a": rng.normal(size=(6, 5)),
    "b": rng.normal(size=(6, 5)),
    "v": rng.normal(size=5),
    "s": 1.5,
    "i": np.array([3, 0, -1, 2]),
    "j": np.array([4, 1, 0, -2]),
    "n": 2,
    "k": 3,
}
MAKE = {
    **dict.fromkeys("ab", T.dmatrix),
    "v": T.dvector,
    "s": T.dscalar,
    **dict.fromkeys("ij", T.lvector),
    **dict.fromkeys("nk", T.lscalar),
}
Written = Callable[..., Any]


def same(written: Written, expected: Written) -> None:
    """The written form must become as cheap as the expected one, and keep its value."""
    names = written.__code__.co_varnames[: written.__code__.co_argcount]
    inputs = [MAKE[name](name) for name in names]
    one, other = written(*inputs), expected(*inputs)
    f, plain = (
        eqsat.function(inputs, one, mode=mode, on_unused_input="ignore") for mode in ("numpy", "reference")
    )
    found, best = f.report, eqsat.optimize(other)
    assert found.cost_after <= best.cost_after + VIEWS, (found.optimized, best.optimized)
    values = [VALUES[name] for name in names]
    np.testing.assert_allclose(f(*values), plain(*values), rtol=1e-12)


PARTS: dict[str, tuple[Written, Written]] = {
    "rows": (lambda a: T.exp(a)[0:2], lambda a: T.exp(a[0:2])),
    "columns of a sum": (lambda a, b: T.exp(a + b)[:, -3:], lambda a, b: T.exp(a[:, -3:] + b[:, -3:])),
    "up to": (lambda a, k: T.exp(a)[:k], lambda a, k: T.exp(a[:k])),
    "from": (lambda a, v, k: (a * v)[:, k:], lambda a, v, k: a[:, k:] * v[k:]),
    "every second": (lambda a: T.tanh(a)[::2], lambda a: T.tanh(a[::2])),
    "between": (lambda a, n, k: T.exp(a + 1)[n:k], lambda a, n, k: T.exp(a[n:k] + 1)),
    "between, of a row": (lambda a, v, n, k: (a - v)[n:k], lambda a, v, n, k: a[n:k] - v),
    "between, turned": (lambda a, n, k: T.exp(a.T)[:, n:k], lambda a, n, k: T.exp(a[n:k].T)),
    "between, summed": (lambda a, n, k: a.sum(1)[n:k], lambda a, n, k: a[n:k].sum(1)),
    "an element": (lambda a, b, n, k: T.exp(a + b)[n, k], lambda a, b, n, k: T.exp(a[n, k] + b[n, k])),
    "part of a row": (lambda a, v, n, k: (a + v)[n:, k], lambda a, v, n, k: a[n:, k] + v[k]),
    "element of a product": (
        lambda a, b, n, k: T.dot(a, b.T)[n, k],
        lambda a, b, n, k: T.dot(a[n], b[k]),
    ),
}
WRITES: dict[str, tuple[Written, Written]] = {
    "element": (lambda a, s, n, k: T.set_subtensor(a[n, k], s)[n, k], lambda a, s, n, k: s),
    "column from": (
        lambda a, v, n, k: T.set_subtensor(a[n:, k], v[:4])[n:, k],
        lambda a, v, n, k: v[:4],
    ),
    "block": (
        lambda a, s, n, k: T.set_subtensor(a[n:k, 1:k], s)[n:k, 1:k],
        lambda a, s, n, k: T.fill(a[n:k, 1:k], s),
    ),
    "block of four bounds": (
        lambda a, b, n, k: T.inc_subtensor(a[n:k, n:k], b[n:k, n:k])[n:k, n:k],
        lambda a, b, n, k: a[n:k, n:k] + b[n:k, n:k],
    ),
    "added": (lambda a, s, n, k: T.inc_subtensor(a[n, k], s)[n, k], lambda a, s, n, k: a[n, k] + s),
}
PICKS: dict[str, tuple[Written, Written]] = {
    "element": (lambda v, i, n: v[i][n], lambda v, i, n: v[i[n]]),
    "constant element": (lambda v, i: v[i][1], lambda v, i: v[i[1]]),
    "row": (lambda a, i, n: a[i][n], lambda a, i, n: a[i[n]]),
    "element of a row": (lambda a, i, n, k: a[i][n, k], lambda a, i, n, k: a[i[n], k]),
    "column": (lambda a, j, n: a[:, j][:, n], lambda a, j, n: a[:, j[n]]),
    "pair": (lambda a, i, j, n: a[i, j][n], lambda a, i, j, n: a[i[n], j[n]]),
    "rows of rows": (lambda a, i: a[i][1:3], lambda a, i: a[i[1:3]]),
    "some rows, computed": (lambda a, i, k: T.exp(a[i])[:k], lambda a, i, k: T.exp(a[i[:k]])),
}
FILLINGS: dict[str, tuple[Written, Written]] = {
    "sum": (lambda s, n, k: T.alloc(s, n, k).sum(), lambda s, n, k: s * n * k),
    "sum over an axis": (lambda v, n: T.alloc(v, n, 5).sum(0), lambda v, n: v * n),
    "product": (lambda s, n: T.prod(T.alloc(s, n)), lambda s, n: s**n),
    "function": (lambda s, n, k: T.exp(T.alloc(s, n, k)), lambda s, n, k: T.alloc(T.exp(s), n, k)),
    "of its own shape": (lambda a, s: a + T.alloc(s, *a.shape), lambda a, s: a + s),
    "twice": (
        lambda s, n, k: T.alloc(T.alloc(s, n, 1), k, n, 5),
        lambda s, n, k: T.alloc(s, k, n, 5),
    ),
    "length": (lambda s, n, k: T.alloc(s, n, k).shape[1] * s, lambda s, n, k: k * s),
    "choice that is made": (lambda v, a: T.switch(1, v, a), lambda v, a: v + T.zeros_like(a)),
    "other choice": (lambda v, a: T.switch(T.zeros_like(a, "bool"), a, v), lambda v, a: T.fill(a, v)),
    "product with zeros": (
        lambda a, b: T.dot(a, (b * T.zeros_like(b)).T),
        lambda a, b: T.alloc(0.0, a.shape[0], b.shape[0]),
    ),
}
NOTHING_DONE: dict[str, tuple[Written, Written]] = {
    "one joined": (lambda v: T.join(0, v), lambda v: v),
    "one stacked": (lambda v: T.exp(T.stack([v]))[0], lambda v: T.exp(v)),
    "tiled once": (lambda v: T.tile(v, (1,)), lambda v: v),
    "split into one": (lambda a: T.split(a, 1, axis=1)[0], lambda a: a),
    "flattened": (lambda v: v.flatten(), lambda v: v),
}
SIGNS: dict[str, tuple[Written, Written]] = {
    "quotient by the size": (lambda v: v / abs(v), lambda v: T.sgn(v)),
    "multiples": (lambda v: 4 * v / abs(2 * v), lambda v: 2 * T.sgn(v)),
    "size over a number": (lambda v: abs(v) / v, lambda v: T.sgn(v)),
    "negative multiple": (lambda v: abs(-3 * v) / v, lambda v: 3 * T.sgn(v)),
}
CASES = {
    f"{group}: {name}": pair
    for group, cases in {
        "part": PARTS,
        "write": WRITES,
        "pick": PICKS,
        "filling": FILLINGS,
        "nothing done": NOTHING_DONE,
        "sign": SIGNS,
    }.items()
    for name, pair in cases.items()
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(15)
def test_is_as_cheap_as_what_it_is_equal_to(name: str) -> None:
    same(*CASES[name])


def test_a_part_is_cheaper_than_the_whole() -> None:
    a = T.dmatrix("a")
    whole = eqsat.optimize(T.exp(a)).cost_after
    for part in (T.exp(a)[:10], T.exp(a)[5:], T.exp(a)[:, ::2], T.exp(a)[: T.lscalar("k")]):
        assert eqsat.optimize(part).cost_after < whole


def test_parts_joined_again_cost_as_much_as_the_whole() -> None:
    a, k = T.dmatrix("a"), T.lscalar("k")
    whole = eqsat.optimize(T.exp(a), rules="exact").cost_after
    joined = T.exp(T.concatenate([a[:k], a[k:]]))
    copied = eqsat.optimize(T.concatenate([a[:k], a[k:]]), rules="exact").cost_after
    assert eqsat.optimize(joined, rules="exact").cost_after == pytest.approx(whole + copied, rel=1e-3)


STILL: dict[str, tuple[Written, Written]] = {
    "all": (lambda v: v, lambda y, x: T.alloc(x, 5, x.shape[0])),
    "sum": (lambda v: v.sum(0), lambda y, x: 5 * x),
    "last": (lambda v: v[-1], lambda y, x: x),
    "sum of all": (lambda v: v.sum(), lambda y, x: T.sum(5 * x)),
}


@pytest.mark.parametrize("name", STILL)
def test_a_loop_that_only_repeats_is_its_step_repeated(name: str) -> None:
    read, expected = STILL[name]
    v = T.dvector("v")
    written = read(eqsat.scan(lambda x: T.exp(x), non_sequences=[v], n_steps=5)[0])
    f = eqsat.function([v], written, mode="numpy")
    found = f.report
    assert not found.loops or "scan" not in str(found.optimized[0].owner)
    assert found.cost_after <= eqsat.optimize(expected(v, T.exp(v))).cost_after + VIEWS
    plain = eqsat.function([v], written, mode="reference")(VALUES["v"])
    np.testing.assert_allclose(f(VALUES["v"]), plain, rtol=1e-14)


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_as_often_as_there_are_steps(steps: int) -> None:
    v, n = T.dvector("v"), T.lscalar("n")
    stack = eqsat.scan(lambda x: T.exp(x) + 1, non_sequences=[v], n_steps=n)[0]
    got, total = eqsat.function([v, n], [stack, stack.sum(0)])(VALUES["v"], steps)
    assert got.shape == (steps, 5)
    np.testing.assert_allclose(total, steps * (np.exp(VALUES["v"]) + 1))


def test_a_product_with_zeros_in_a_loop_is_not_computed_for_its_shape() -> None:
    a, W, V = T.dmatrices("a", "W", "V")
    states = eqsat.scan(lambda h: T.dot(h, W * T.zeros_like(V)), outputs_info=a, n_steps=5)[0]
    expected = T.alloc(0.0, 5, a.shape[0], V.shape[1])
    found = eqsat.optimize(states)
    assert found.cost_after <= eqsat.optimize(expected).cost_after + VIEWS
    square = rng.normal(size=(5, 5))
    assert not eqsat.function([a, W, V], states, on_unused_input="ignore")(VALUES["a"], square, square).any()
