"""Microseconds to call a compiled x + y on ten doubles, beside NumPy's own x + y in the same run."""

from __future__ import annotations

import statistics
import timeit

import numpy as np

import eqsat
import eqsat.tensor as T


def main() -> None:
    """Median of alternating runs."""
    x, y = T.dvectors("x", "y")
    f = eqsat.function([x, y], x + y)
    a, b = np.arange(10.0), np.ones(10)
    runs = []
    for _ in range(15):
        ours = min(timeit.repeat(lambda: f(a, b), number=20_000, repeat=1)) / 20_000
        numpy = min(timeit.repeat(lambda: a + b, number=20_000, repeat=1)) / 20_000
        runs.append((ours * 1e6, numpy * 1e6))
    ours, numpy = (statistics.median(column) for column in zip(*runs, strict=True))
    print(
        f"x + y on ten doubles: eqsat {ours:.2f} µs, NumPy {numpy:.2f} µs per call, ratio {ours / numpy:.2f}"
    )


if __name__ == "__main__":
    main()
