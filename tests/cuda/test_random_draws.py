"""Random draws on the emulated device: the bits of the processor, save for what goes through a logarithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config

pytestmark = [pytest.mark.c, pytest.mark.cuda]
CHANCES, MANY = np.array([0.2, 0.5, 0.3]), (101,)
DRAWS: dict[str, Callable[[Any], Any]] = {
    "uniform": lambda r: r.uniform(-1, 2, size=MANY),
    "floats": lambda r: r.uniform(size=MANY, dtype="float32"),
    "normal": lambda r: r.normal(1, 2, size=MANY),
    "lognormal": lambda r: r.lognormal(size=MANY),
    "exponential": lambda r: r.exponential(size=MANY),
    "gumbel": lambda r: r.gumbel(size=MANY),
    "bernoulli": lambda r: r.bernoulli(0.3, size=MANY),
    "binomial of few": lambda r: r.binomial(20, 0.3, size=MANY),
    "binomial of many": lambda r: r.binomial(20_000, 0.013, size=MANY),
    "integers": lambda r: r.integers(0, 10**12, size=MANY),
    "categorical": lambda r: r.categorical(CHANCES, size=MANY),
    "multinomial": lambda r: r.multinomial(9, CHANCES, size=MANY),
    "permutation": lambda r: r.permutation(30),
    "choice": lambda r: r.choice(300, size=MANY, replace=False),
}
BY_LOGARITHM = ("normal", "lognormal", "exponential", "gumbel")


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    with config.change_flags(cuda_device="emulated"):
        yield


def same(name: str, a: np.ndarray, b: np.ndarray) -> None:
    """The bits are the same; a logarithm may differ in the last two places."""
    assert a.shape == b.shape and a.dtype == b.dtype
    if name in BY_LOGARITHM:
        np.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-15)
    else:
        assert a.tobytes() == b.tobytes()


def test_draws_have_the_bits_of_the_processor() -> None:
    def drawn(target: str) -> Any:
        streams = [T.random.RandomStream(7) for _ in DRAWS]
        return eqsat.function([], [f(r) for f, r in zip(DRAWS.values(), streams, strict=True)], target=target)

    ours, theirs = drawn("cuda"), drawn("c")
    for _ in range(2):
        for name, a, b in zip(DRAWS, ours(), theirs(), strict=True):
            same(name, a, b)


@pytest.mark.parametrize("name", ["uniform", "binomial of many", "gumbel"])
def test_draws_in_loops_are_drawn_by_one_kernel(name: str) -> None:
    def made(target: str) -> Any:
        stream = T.random.RandomStream(5)
        s, updates = eqsat.scan(
            lambda s: s * 0.5 + DRAWS[name](stream), outputs_info=T.zeros(MANY), n_steps=6
        )
        return eqsat.function([], s, updates=updates, target=target)

    ours, theirs = made("cuda"), made("c")
    assert "for (N[" not in ours.c_source
    for _ in range(2):
        same(name, ours(), theirs())


@pytest.mark.sweep
def test_a_noisy_epidemic_is_one_kernel() -> None:
    """A noisy SIR model: three states, a binomial draw for each lane and step."""

    def made(target: str) -> Any:
        stream = T.random.RandomStream(3)
        n = 40

        def step(s: Any, i: Any, r: Any) -> Any:
            new = stream.binomial(s, 1 - T.exp(-0.4 * i / 1000), size=(n,), dtype="float64")
            well = stream.binomial(i, 0.1, size=(n,), dtype="float64")
            return s - new, i + new - well, r + well

        first = [T.full((n,), 990.0), T.full((n,), 10.0), T.zeros((n,))]
        found, updates = eqsat.scan(step, outputs_info=first, n_steps=12)
        return eqsat.function([], found, updates=updates, target=target)

    ours, theirs = made("cuda"), made("c")
    assert "for (N[" not in ours.c_source
    for a, b in zip(ours(), theirs(), strict=True):
        assert a.tobytes() == b.tobytes()
