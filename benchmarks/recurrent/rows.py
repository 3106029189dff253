"""The rows of the benchmark: model, sizes, dtype and data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

GATES = {"gru": 3, "lstm": 4}


@dataclass(frozen=True)
class Row:
    """A model on data of some size; ``width`` is the number of values of the state, or of one sequence."""

    name: str
    model: str
    steps: int
    dtype: str
    width: int = 1
    batch: int = 1
    gradient: bool = False

    def title(self) -> str:
        """What the row measures, in a line."""
        network = f", hidden {self.width}, batch {self.batch}" if self.model in GATES else ""
        vector = f", {self.width} values, last state only" if self.model == "logistic" else ""
        with_gradient = " with the gradient of all weights" if self.gradient else ""
        return f"{self.model}{with_gradient}, {self.steps} steps{network}{vector}, {self.dtype}"

    def data(self) -> list[np.ndarray]:
        """The arguments of the model, the same in every process."""
        rng = np.random.default_rng(0)
        arrays = getattr(self, f"_{'network' if self.model in GATES else self.model}")(rng)
        return [np.asarray(a, self.dtype) for a in arrays]

    def _network(self, rng: np.random.Generator) -> list[np.ndarray]:
        n, wide = self.width, GATES[self.model] * self.width
        states = [rng.normal(size=(self.batch, n)) for _ in range(2 if self.model == "lstm" else 1)]
        weights = [rng.normal(size=(n, wide)) / n**0.5 for _ in range(2)]
        return [rng.normal(size=(self.steps, self.batch, n)), *states, *weights, rng.normal(size=wide)]

    def _ar2(self, rng: np.random.Generator) -> list[np.ndarray]:
        return [rng.normal(size=self.steps), rng.normal(size=2), np.array(0.6), np.array(0.3)]

    def _sir(self, rng: np.random.Generator) -> list[np.ndarray]:
        return [np.array(v) for v in (0.99, 0.01, 0.0, 0.003, 0.001)]

    def _cumsum(self, rng: np.random.Generator) -> list[np.ndarray]:
        return [rng.normal(size=self.steps), np.array(0.0)]

    def _logistic(self, rng: np.random.Generator) -> list[np.ndarray]:
        return [rng.uniform(0.1, 0.9, size=self.width), np.array(0.01)]


def _all_rows() -> list[Row]:
    networks = [
        Row(f"{model}{'-grad' * gradient}{suffix}", model, 200, dtype, 128, 32, gradient)
        for dtype, suffix in (("float32", ""), ("float64", "-64"))
        for model in GATES
        for gradient in (False, True)
    ]
    return [
        *networks,
        Row("ar2", "ar2", 10_000, "float64"),
        Row("sir", "sir", 10_000, "float64"),
        Row("cumsum", "cumsum", 100_000, "float64"),
        Row("last", "logistic", 2_000, "float64", 1_000),
        Row("last-long", "logistic", 20_000, "float64", 1_000),
    ]


ROWS = {row.name: row for row in _all_rows()}


def small(row: Row) -> Row:
    """The row with so little work that only whether it runs is seen."""
    return replace(row, steps=7, width=min(row.width, 8), batch=min(row.batch, 3))
