"""Numbers added to the elements of a vector: places in any order and in runs, more than are looked at together, errors, dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import BoundsError

pytestmark = pytest.mark.c
COUNTS = [0, 1, 2, 1023, 1024, 1025, 5000]
PLACES = {
    "any": lambda dice, count, n: dice.integers(-n, n, count),
    "runs": lambda dice, count, n: np.sort(dice.integers(0, n, count)),
    "pairs": lambda dice, count, n: np.repeat(dice.integers(0, n, count), 2)[:count],
    "one": lambda dice, count, n: np.full(count, n - 1),
}


def added(x: np.ndarray, i: np.ndarray, y: Any) -> np.ndarray:
    wanted = x.copy()
    np.add.at(wanted, i, y)
    return wanted


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "complex128", "bool"])
def test_sums(dtype: str, kind: str) -> None:
    x, y = (T.tensor(dtype, (None,), name=n) for n in "xy")
    i = T.lvector("i")
    f = eqsat.function([x, y, i], x[i].inc(y), mode="FAST_COMPILE")
    for count in COUNTS:
        dice = np.random.default_rng(count)
        start, given = ((dice.normal(size=n) * 5).astype(dtype) for n in (7, count))
        places = PLACES[kind](dice, count, 7)
        for a, b in ((start, given), (start[::-1], np.repeat(given, 3)[::-3])):
            kept = a.copy()
            np.testing.assert_allclose(f(a, b, places), added(a, places, b), rtol=1e-4, atol=1e-3)
            assert np.array_equal(a, kept)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64"])
def test_every_kind_of_place(dtype: str) -> None:
    i = T.tensor(dtype, (None,), name="i")
    f = eqsat.function([i], T.zeros(50)[i].inc(1.0), mode="FAST_COMPILE")
    places = np.random.default_rng(1).integers(0, 50, 3000).astype(dtype)
    assert np.array_equal(f(places), np.bincount(places.astype(int), minlength=50))


def test_one_number_for_all_and_a_factor() -> None:
    x, y, i, t = T.dvector("x"), T.dvector("y"), T.lvector("i"), T.dscalar("t")
    f = eqsat.function([x, y, i, t], [x[i].inc(t), x[i].inc(y * t), x[i].inc(-y)])
    a, b, places = np.arange(5.0), np.arange(2000.0), np.arange(2000) % 5
    for have, want in zip(f(a, b, places, 3.0), (np.full(2000, 3.0), 3 * b, -b), strict=True):
        np.testing.assert_allclose(have, added(a, places, want), rtol=1e-12)


def test_nan_and_infinity_stay_in_their_group() -> None:
    y, i = T.dvector("y"), T.lvector("i")
    f = eqsat.function([y, i], T.zeros(4)[i].inc(y))
    for places in (np.arange(4000) % 4, np.sort(np.arange(4000) % 4)):
        given = np.ones(4000)
        given[np.flatnonzero(places == 2)[5]] = np.nan
        given[np.flatnonzero(places == 3)[7]] = -np.inf
        np.testing.assert_array_equal(f(given, places), [1000, 1000, np.nan, -np.inf])


@pytest.mark.parametrize("at", [0, 1023, 1024, 2999])
@pytest.mark.parametrize("bad", [7, -8])
def test_the_first_place_outside_is_named(at: int, bad: int) -> None:
    y, i = T.dvector("y"), T.lvector("i")
    w = eqsat.shared(np.arange(7.0), "w")
    f = eqsat.function([y, i], T.zeros(7)[i].inc(y))
    update = eqsat.function([y, i], updates=[(w, w[i].inc(y))])
    places, given = np.arange(3000) % 7, np.ones(3000)
    places[at], places[-1] = bad, places[-1] if at < 2999 else bad
    for g in (f, update):
        with pytest.raises(BoundsError, match=rf"{bad}\b"):
            g(given, places)
    assert np.array_equal(w.get_value(), np.arange(7.0))
    places[at] = 0
    update(given, places)
    np.testing.assert_allclose(w.get_value(), added(np.arange(7.0), places, given))


def test_two_updates_change_both_or_none() -> None:
    y, i, j = T.dvector("y"), T.lvector("i"), T.lvector("j")
    v, w = (eqsat.shared(np.zeros(3), name) for name in "vw")
    f = eqsat.function([y, i, j], updates=[(v, v[i].inc(y)), (w, w[j].inc(2 * y))])
    good, bad, given = np.arange(2500) % 3, np.arange(2500) % 4, np.ones(2500)
    for first, second in ((good, bad), (bad, good)):
        with pytest.raises(BoundsError):
            f(given, first, second)
        assert not v.get_value().any() and not w.get_value().any()
    f(given, good, good)
    assert np.array_equal(v.get_value() * 2, w.get_value()) and v.get_value().sum() == 2500
