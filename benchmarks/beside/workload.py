"""A workload: inputs, and a program over the functions of a library that is written once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Maker = Callable[[np.random.Generator], Any]
WORKLOADS: dict[str, Workload] = {}


@dataclass(eq=False)
class Workload:
    """A program, and the data that it is timed on.

    ``program`` takes the functions of a library and the inputs. ``numpy`` is the same for NumPy where it is another text,
    as one with gradients is; ``numba`` makes a function of loops, where there is a natural one.
    """

    name: str
    about: str
    inputs: Mapping[str, Maker]
    program: Callable[..., Any]
    tolerance: float
    leave_out: tuple[str, ...] = ()  # libraries that would take minutes
    numpy: Callable[..., Any] | None = None
    numba: Callable[[], Callable[..., Any]] | None = field(default=None)

    def data(self) -> dict[str, np.ndarray]:
        """The inputs; the same in every process."""
        rng = np.random.default_rng(1234)
        return {name: np.asarray(make(rng)) for name, make in self.inputs.items()}

    def in_numpy(self, program: Callable[..., Any]) -> Callable[..., Any]:
        """Register the program for NumPy."""
        self.numpy = program
        return program

    def in_numba(self, build: Callable[[], Callable[..., Any]]) -> Callable[[], Callable[..., Any]]:
        """Register what makes the function of Numba."""
        self.numba = build
        return build


def workload(
    about: str, tolerance: float, leave_out: tuple[str, ...] = (), **inputs: Maker
) -> Callable[[Callable[..., Any]], Workload]:
    """Register a program under its name."""

    def register(program: Callable[..., Any]) -> Workload:
        name = program.__name__
        assert name not in WORKLOADS, name
        made = WORKLOADS[name] = Workload(name, about, inputs, program, tolerance, leave_out)
        return made

    return register


def normal(dtype: str, *shape: int, scale: float = 1.0, shift: float = 0.0) -> Maker:
    """Normal numbers."""
    return lambda rng: (rng.standard_normal(shape) * scale + shift).astype(dtype)


def uniform(dtype: str, low: float, high: float, *shape: int) -> Maker:
    """Numbers between two bounds."""
    return lambda rng: rng.uniform(low, high, shape).astype(dtype)


def integers(high: int, *shape: int) -> Maker:
    """Integers from 0 on, below a bound."""
    return lambda rng: rng.integers(0, high, shape)


def number(value: float, dtype: str = "float64") -> Maker:
    """One number."""
    return lambda rng: np.array(value, dtype)


def zeros(dtype: str, *shape: int) -> Maker:
    """Zeros."""
    return lambda rng: np.zeros(shape, dtype)
