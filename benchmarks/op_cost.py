"""Measured seconds of ops beside what the cost model says of them, op by op and dtype by dtype.

The time of an elementwise op is the slope between two lengths that stay in the cache, so neither the call nor memory is in it.
It is printed in flops of the model, beside the flops that the op declares. Products are printed in seconds at several sizes.

    python benchmarks/op_cost.py [--only exp,log] [--dtypes float64,float32] [--products]
"""

from __future__ import annotations

import argparse
import statistics
import timeit
from collections.abc import Sequence
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from eqsat.errors import EqsatError
from eqsat.extract.cost import CostModel
from eqsat.graph.declare import OPS, Cost
from eqsat.tables import table

SHORT, LONG = 2_000, 10_000
PRODUCTS = [
    (2, 2, 2),
    (8, 8, 8),
    (16, 16, 16),
    (32, 32, 32),
    (64, 64, 64),
    (128, 128, 128),
    (256, 256, 256),
    (512, 512, 512),
    (1024, 1024, 1024),
    (1, 256, 256),
    (256, 1, 256),
    (256, 256, 1),
    (2, 256, 256),
    (256, 2, 256),
    (256, 256, 2),
    (4, 512, 512),
    (512, 4, 512),
    (512, 512, 4),
    (16, 1024, 1024),
    (1024, 16, 1024),
    (1024, 1024, 16),
    (1, 1024, 1024),
    (1024, 1, 1024),
    (1024, 1024, 1),
    (1, 4096, 1),
    (64, 4096, 64),
    (4096, 8, 8),
    (8, 4096, 8),
    (8, 8, 4096),
]


def seconds_of(f: Any, *args: Any, repeat: int = 7) -> float:
    """The least time of a call, over runs of about a millisecond or one call."""
    f(*args)
    once = timeit.timeit(lambda: f(*args), number=1)
    number = max(1, min(1000, int(1e-3 / max(once, 1e-7))))
    return min(timeit.repeat(lambda: f(*args), number=number, repeat=repeat)) / number


def operands(declaration: Any, dtype: str, length: int) -> list[Any]:
    """Arrays inside the domain of almost every function."""
    dice = np.random.default_rng(0)
    low, high = (1.1, 1.9) if declaration.name == "arccosh" else (0.1, 0.9)
    if np.dtype(dtype).kind in "iu":
        return [dice.integers(1, 5, length).astype(dtype) for _ in declaration.tensors]
    return [dice.uniform(low, high, length).astype(dtype) for _ in declaration.tensors]


def measured(declaration: Any, dtype: str) -> float | None:
    """Seconds per element of an elementwise op, None where it does not take the dtype."""
    xs = [T.TensorType(dtype, shape=(None,))() for _ in declaration.tensors]
    try:
        f = eqsat.function(xs, declaration.bind()(*xs), mode="FAST_COMPILE")
    except EqsatError:
        return None
    times = [seconds_of(f, *operands(declaration, dtype, n)) for n in (SHORT, LONG)]
    return (times[1] - times[0]) / (LONG - SHORT)


def elementwise(names: Sequence[str], dtypes: Sequence[str], model: CostModel) -> None:
    """A table of the elementwise ops without parameters."""
    rows = []
    for name, declaration in sorted(OPS.items()):
        if declaration.kind != "elemwise" or declaration.parameters or names and name not in names:
            continue
        cost = declaration.cost
        assert isinstance(cost, Cost)
        found = [measured(declaration, dtype) for dtype in dtypes]
        said = [f"{cost.flops:g}"]
        rows.append((name, *said, *("" if s is None else f"{s / model.flop:.1f}" for s in found)))
    print(table(("op", "declared", *dtypes), rows, right=range(1, 2 + len(dtypes))))


def products(dtypes: Sequence[str], model: CostModel) -> None:
    """A table of matrix products: seconds measured, seconds by the model, and their ratio."""
    rows = []
    for dtype in dtypes:
        x, y = (T.TensorType(dtype, shape=(None, None))() for _ in range(2))
        f = eqsat.function([x, y], T.dot(x, y))
        dot = OPS["dot"].bind()
        ratios = []
        for m, k, n in PRODUCTS:
            a, b = np.ones((m, k), dtype), np.ones((k, n), dtype)
            real = seconds_of(f, a, b)
            said = model.op_seconds(dot, [(m, k), (k, n)], (m, n), np.dtype(dtype).itemsize)
            ratios.append(said / real)
            rows.append(
                (
                    dtype,
                    f"{m} x {k} x {n}",
                    f"{real * 1e6:.2f}",
                    f"{said * 1e6:.2f}",
                    f"{said / real:.2f}",
                    f"{2 * m * k * n / real * 1e-9:.2f}",
                )
            )
        rows.append((dtype, "median", "", "", f"{statistics.median(ratios):.2f}", ""))
    print(
        table(("dtype", "m x k x n", "measured us", "model us", "ratio", "gflops"), rows, right=(2, 3, 4, 5))
    )


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of ops with commas between; all by default")
    parser.add_argument("--dtypes", default="float64,float32")
    parser.add_argument("--products", action="store_true", help="matrix products instead of elementwise ops")
    asked = parser.parse_args()
    dtypes = asked.dtypes.split(",")
    if asked.products:
        products(dtypes, CostModel())
    else:
        elementwise([n for n in asked.only.split(",") if n], dtypes, CostModel())


if __name__ == "__main__":
    main()
