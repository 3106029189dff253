"""Microseconds of a gradient step on a few rows of a table: with the rules of sparse updates, without, and in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from common.timing import medians
from eqsat.rules.rule import default_rules
from eqsat.rules.sparse_update import RULES

ROWS, WIDTH, BATCH = 100_000, 64, 32


def step(rules: Any) -> tuple[Any, Any]:
    """A function that moves the chosen rows of a table towards targets, and the table."""
    table = eqsat.shared(np.ones((ROWS, WIDTH), np.float32), "table")
    index, target = T.lvector("index"), T.fmatrix("target")
    loss = T.sum((table[index] - target) ** 2)
    updates = [(table, table - np.float32(0.01) * T.grad(loss, table))]
    return eqsat.function([index, target], loss, updates=updates, rules=rules), table


def in_numpy(table: np.ndarray, index: np.ndarray, target: np.ndarray) -> None:
    """The same step with a dense gradient."""
    gradient = np.zeros_like(table)
    np.add.at(gradient, index, 2 * (table[index] - target))
    table -= np.float32(0.01) * gradient


def main() -> None:
    """Print the medians of one run."""
    rng = np.random.default_rng(0)
    index, target = rng.integers(0, ROWS, BATCH), rng.normal(size=(BATCH, WIDTH)).astype(np.float32)
    sparse, first = step(None)
    dense, second = step(default_rules() - {r.name for r in RULES})
    plain = np.ones((ROWS, WIDTH), np.float32)
    ways = [
        ("eqsat", lambda: sparse(index, target)),
        ("eqsat without the rules of sparse updates", lambda: dense(index, target)),
        ("NumPy, dense gradient", lambda: in_numpy(plain, index, target)),
    ]
    times = medians([call for _, call in ways], rounds=25)
    np.testing.assert_allclose(first.get_value(), second.get_value(), rtol=1e-5)
    np.testing.assert_allclose(first.get_value(), plain, rtol=1e-5)
    print(f"{BATCH} of {ROWS} rows of {WIDTH} float32")
    for (name, _), seconds in zip(ways, times, strict=True):
        print(f"  {name:<44} {seconds * 1e6:10.1f} µs   {seconds / times[0]:7.1f}")


if __name__ == "__main__":
    main()
