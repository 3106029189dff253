"""Random streams: the same numbers in every mode, new ones at every call, and the distributions they claim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError, RankError, ShapeError
from eqsat.graph.ops.random import philox
from eqsat.tensor.random import MRG_RandomStreams, RandomStream, RandomStreams
from tests.reference import evaluate


def draws(out: Any, calls: int = 1, **options: Any) -> list[Any]:
    """Values of some calls of a function in the reference mode."""
    f = eqsat.function([], out, mode="reference", **options)
    return [f() for _ in range(calls)]


@pytest.mark.parametrize(
    ("index", "draw", "key", "words"),
    [
        (0, 0, 0, ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]),
        (2**64 - 1, 2**64 - 1, 2**64 - 1, ["408f276d", "41c83b0e", "a20bc7c6", "6d5451fd"]),
        (0x85A308D3243F6A88, 0x0370734413198A2E, 0x299F31D0A4093822, ["d16cfe09", "94fdcceb", "5001e420", "24126ea1"]),
    ],
)  # fmt: skip
def test_blocks_are_those_of_the_published_vectors(index: int, draw: int, key: int, words: list[str]) -> None:
    assert [f"{int(word):08x}" for word in philox(index, draw, key)] == words


def every_kind(stream: Any) -> list[Any]:
    """A small draw of each distribution."""
    p = np.array([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0]])
    return [
        stream.uniform(size=(3, 2)),
        stream.uniform(-1.0, np.array([1.0, 5.0]), size=(3, 2), dtype="float32"),
        stream.normal(2.0, 0.5, size=4),
        stream.normal(size=(2, 3), dtype="float32"),
        stream.lognormal(size=3),
        stream.exponential(2.0, size=3),
        stream.gumbel(size=3),
        stream.bernoulli(0.3, size=(2, 3)),
        stream.binomial(12, np.array([0.1, 0.9]), size=(4, 2)),
        stream.integers(-3, 4, size=(5,)),
        stream.random_integers(0, 1, size=(5,), dtype="int8"),
        stream.categorical(p),
        stream.categorical(p[0], size=(4,)),
        stream.multinomial(1, p),
        stream.multinomial(20, p[0]),
        stream.permutation(6),
        stream.permutation(np.arange(8.0).reshape(4, 2)),
        stream.shuffle_row_elements(np.arange(6.0).reshape(2, 3)),
        stream.choice(5, size=(2, 2)),
        stream.choice(np.array([2.0, 4.0, 8.0]), size=3, p=p[0]),
        stream.choice(5, size=4, replace=False),
        stream.choice(3, size=2, replace=False, p=np.array([0.5, 0.25, 0.25])),
    ]


def test_every_mode_gives_the_same_numbers() -> None:
    found = []
    for mode in ("reference", "numpy", "FAST_COMPILE", "FAST_RUN"):
        f = eqsat.function([], every_kind(RandomStream(5)), mode=mode)
        found.append([f(), f()])
    for other in found[1:]:
        for first, second in zip(found[0], other, strict=True):
            for a, b in zip(first, second, strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_allclose(b, a, rtol=1e-6 if a.dtype == "float32" else 1e-12)
    for first, second in zip(*found[0], strict=True):
        assert first.size < 4 or first.dtype.kind != "f" or not np.array_equal(first, second)


def test_types_are_known_when_the_graph_is_built() -> None:
    for v, value in zip(kinds := every_kind(RandomStream(5)), draws(kinds)[0], strict=True):
        assert v.dtype == value.dtype and v.ndim == value.ndim


def moments(out: Any, mean: float, deviation: float) -> None:
    (value,) = draws(out)
    scale = deviation / np.sqrt(value.size)
    assert abs(value.mean() - mean) < 5 * scale
    assert abs(value.std() / deviation - 1) < 0.03


def test_distributions_have_their_moments() -> None:
    s, n = RandomStream(11), (20_000,)
    moments(s.uniform(size=n), 0.5, 12**-0.5)
    moments(s.uniform(-2.0, 4.0, size=n, dtype="float32"), 1.0, 6 * 12**-0.5)
    moments(s.normal(size=n), 0.0, 1.0)
    moments(s.normal(3.0, 0.1, size=n, dtype="float32"), 3.0, 0.1)
    moments(s.exponential(4.0, size=n), 4.0, 4.0)
    moments(s.gumbel(size=n), np.euler_gamma, np.pi / 6**0.5)
    moments(s.bernoulli(0.2, size=n), 0.2, 0.4)
    moments(s.binomial(40, 0.3, size=n), 12.0, 8.4**0.5)
    moments(s.binomial(100_000, 0.5, size=n), 50_000.0, 25_000**0.5)
    moments(s.integers(0, 6, size=n), 2.5, (35 / 12) ** 0.5)
    moments(s.lognormal(0.0, 0.25, size=n), np.exp(1 / 32), np.sqrt((np.exp(1 / 16) - 1) * np.exp(1 / 16)))


def test_normal_numbers_follow_the_normal_distribution() -> None:
    from scipy.stats import kstest

    (value,) = draws(RandomStream(4).normal(size=(20_000,)))
    assert kstest(value, "norm").pvalue > 0.001


def test_discrete_draws_have_their_frequencies() -> None:
    s, p = RandomStream(2), np.array([0.1, 0.6, 0.3])
    (number,) = draws(s.categorical(p, size=(30_000,)))
    np.testing.assert_allclose(np.bincount(number) / 30_000, p, atol=0.012)
    (count,) = draws(s.multinomial(30_000, p))
    np.testing.assert_allclose(count / 30_000, p, atol=0.012)
    (first,) = draws(s.choice(3, size=(30_000,), p=p))
    np.testing.assert_allclose(np.bincount(first) / 30_000, p, atol=0.012)
    (few,) = draws(s.binomial(3, 0.5, size=(30_000,)))
    np.testing.assert_allclose(np.bincount(few) / 30_000, [1 / 8, 3 / 8, 3 / 8, 1 / 8], atol=0.012)


def test_permutations_hold_every_row_once() -> None:
    s = RandomStream(9)
    rows = np.arange(10.0).reshape(5, 2)
    many, one, some = draws(
        [s.permutation(7, size=(3,)), s.permutation(rows), s.choice(7, 5, replace=False)]
    )[0]
    assert many.shape == (3, 7) and all(sorted(row) == list(range(7)) for row in many)
    assert sorted(map(tuple, one)) == sorted(map(tuple, rows))
    assert len(set(some)) == 5 and set(some) <= set(range(7))


def test_draws_advance_and_seeds_repeat() -> None:
    s = RandomStream(1)
    x, y = s.uniform(size=(4,)), s.uniform(size=(4,))
    f = eqsat.function([], [x, y, x + 1], mode="reference")
    first, second = f(), f()
    np.testing.assert_array_equal(first[2], first[0] + 1)
    assert not np.array_equal(first[0], first[1]) and not np.array_equal(first[0], second[0])
    s.seed(1)
    np.testing.assert_array_equal(f()[0], first[0])
    s.seed(2)
    assert not np.array_equal(f()[0], first[0])
    assert not np.array_equal(
        draws(RandomStream().uniform(size=4))[0], draws(RandomStream().uniform(size=4))[0]
    )


def test_no_default_updates_repeats_the_draw() -> None:
    s = RandomStream(1)
    x, y = s.uniform(size=(4,)), s.uniform(size=(4,))
    first, second = draws([x, y], 2, no_default_updates=True)
    np.testing.assert_array_equal(first, second)
    state = s.states[0]
    first, second = draws([x, y], 2, no_default_updates=[state])
    np.testing.assert_array_equal(first[0], second[0])
    assert not np.array_equal(first[1], second[1])
    (first,) = draws(x, 1, updates=[(state, state)])
    np.testing.assert_array_equal(first, second[0])
    with pytest.raises(ArgumentError, match="no_default_updates does not take 3"):
        eqsat.function([], x, no_default_updates=3)  # type: ignore[arg-type]


def test_default_updates_reach_what_they_read() -> None:
    count, total = eqsat.shared(0, "count"), eqsat.shared(0, "total")
    count.default_update = count + 1
    total.default_update = total + count
    f = eqsat.function([], total)
    assert [int(f()) for _ in range(4)] == [0, 0, 1, 3]
    assert int(count.get_value()) == 4


def test_state_updates_can_be_given_by_hand() -> None:
    s = RandomStream(1)
    x = s.uniform(size=(2,))
    by_hand = eqsat.function([], x, updates=s.state_updates, no_default_updates=True, mode="reference")
    first, second = by_hand(), by_hand()
    assert not np.array_equal(first, second) and s.updates()[0][0] is s.states[0]


def test_gradients_flow_to_parameters_only() -> None:
    s, m, d = RandomStream(1), T.dscalar("m"), T.dscalar("d")
    x = s.normal(m, d, size=(50,))
    dm, dd = T.grad(x.sum(), [m, d])
    given = {m: np.array(1.0), d: np.array(2.0)}
    values = evaluate([dm, dd, x], given)
    np.testing.assert_allclose(values[0], 50)
    np.testing.assert_allclose(values[1], ((values[2] - 1) / 2).sum())


def test_sizes_may_be_symbolic_and_parameters_broadcast() -> None:
    s, n, v = RandomStream(1), T.lscalar("n"), T.dvector("v")
    f = eqsat.function(
        [n, v], [s.uniform(size=(n, 2)), s.normal(v), s.uniform(0.0, v[:, None] + v)], mode="reference"
    )
    assert [out.shape for out in f(3, [1.0, 2.0])] == [(3, 2), (2,), (2, 2)]
    assert [out.shape for out in f(0, [])] == [(0, 2), (0,), (0, 0)]
    sizes = T.specify_shape(T.lvector("sizes"), (2,))
    assert s.uniform(size=sizes).ndim == 2


def test_old_spellings_take_the_size_first() -> None:
    assert MRG_RandomStreams is RandomStreams
    s = RandomStreams(seed=234)
    found = draws(
        [
            s.uniform((2, 2)),
            s.normal(size=(3,), avg=1.0, std=2.0, ndim=1, dtype="float32"),
            s.binomial(size=(2, 3), n=1, p=0.5, dtype="float32"),
            s.binomial((4,), 1, prob=0.5),
            s.multinomial(pvals=np.array([[0.5, 0.5], [1.0, 0.0]]), n=1, dtype="float64"),
            s.random_integers((5,), 1, 6),
            s.choice(size=(3,), a=4),
            s.permutation(n=4),
            s.permutation(size=(2,), n=4),
        ]
    )[0]
    assert [v.shape for v in found] == [(2, 2), (3,), (2, 3), (4,), (2, 2), (5,), (3,), (4,), (2, 4)]
    assert [v.dtype.name for v in found[1:5]] == ["float32", "float32", "int64", "float64"]
    assert set(np.unique(found[2])) <= {0, 1} and np.array_equal(found[4][1], [1, 0])
    assert 1 <= found[5].min() and found[5].max() <= 6


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda s: RandomStream(1.5), ArgumentError, "the seed 1.5 is not an integer"),  # type: ignore[arg-type]
        (lambda s: s.uniform(size=(2,), ndim=3), RankError, "uniform: ndim is 3, the size has 1 lengths"),
        (lambda s: s.uniform(size=(2,), dtype="int32"), DTypeError, "random numbers of dtype int32 do not exist"),
        (lambda s: s.uniform(np.zeros((2, 2)), size=(2,)), RankError, "a parameter has 2 dimensions, the size 1"),
        (lambda s: s.uniform(size=T.lvector("n")), RankError, "the size n does not say how many lengths it has"),
        (lambda s: s.bernoulli(1.5, size=(2,)), ArgumentError, "the chance 1.5 is not between 0 and 1"),
        (lambda s: s.integers(0.5, size=(2,)), DTypeError, "the bound 0.5 is float32"),
        (lambda s: s.integers(3, 3, size=(2,)), ShapeError, "there is no integer from 3 up to 3"),
        (lambda s: s.categorical(0.5), RankError, "a scalar does not hold the chances of categories"),
        (lambda s: s.multinomial(3), ArgumentError, "pvals is not given"),
        (lambda s: s.permutation(np.zeros(3), size=2), ArgumentError, "a size goes with a number"),
        (lambda s: s.shuffle_row_elements(3), RankError, "a scalar has no elements to shuffle"),
        (lambda s: s.choice(np.zeros((2, 2))), RankError, "has 2 dimensions"),
        (lambda s: s.choice(3, size=4, replace=False), ShapeError, "4 cannot be drawn from 3 without replacement"),
    ],
)  # fmt: skip
def test_errors_name_the_draw(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        make(RandomStream(1))
    assert text in str(caught.value), str(caught.value)
