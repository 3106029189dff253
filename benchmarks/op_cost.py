"""Measured seconds of ops beside what the cost model says of them, op by op and dtype by dtype.

The time of an elementwise op is the slope between two lengths that stay in the cache, so neither the call nor memory is in it.
What is left without the traffic is printed in flops of the model, beside the flops that the op declares. ``--products`` prints
products of several sizes in seconds, and ``--ranking`` pairs of graphs that compute the same, of which the model says that one
is much cheaper: whether it is. ``--kernels`` prints kernels of every form at sizes from the nearest cache to memory, the seconds
that the model gives to their plans and those that the processor spends on one thread, without what a call takes; ``--draws 290``
does so for random kernels; prices were set with a look at these, ``--first 290`` draws others.

    python benchmarks/op_cost.py [--only exp,log] [--dtypes float64,float32] [--products] [--ranking] [--kernels] [--draws 290 [--first 290]]
"""

from __future__ import annotations

import argparse
import statistics
import time
import timeit
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from eqsat.base.text_tables import table
from eqsat.errors import EqsatError
from eqsat.extract.cost import CostModel
from eqsat.extract.lengths import Spread
from eqsat.extract.step_costs import plan_seconds
from eqsat.extract.variants import graph_cost
from eqsat.functions.planning import plan_graph
from eqsat.graph.declare import OPS, Cost
from eqsat.graph.walk import graph_inputs, toposort

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
    """Seconds per element of an elementwise op without its traffic, None where it does not take the dtype."""
    xs = [T.TensorType(dtype, shape=(None,))() for _ in declaration.tensors]
    try:
        f = eqsat.function(xs, declaration.bind()(*xs), mode="FAST_COMPILE")
    except EqsatError:
        return None
    times = [seconds_of(f, *operands(declaration, dtype, n)) for n in (SHORT, LONG)]
    model, item = CostModel(), np.dtype(dtype).itemsize
    return (times[1] - times[0]) / (LONG - SHORT) - (1 + len(xs)) * item * model.byte * model.near


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
        rows.append((name, *said, *("" if s is None else f"{max(0.0, s) / model.flop:.1f}" for s in found)))
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
        table(("dtype", "m x k x n", "measured µs", "model µs", "ratio", "gflops"), rows, right=(2, 3, 4, 5))
    )


X, Y, V = T.dvector("x"), T.dvector("y"), T.dvector("v")
A, B, C, S = (
    T.dmatrix("A"),
    T.dmatrix("B"),
    T.dmatrix("C"),
    T.dmatrix("S"),
)  # S is symmetric and positive definite
PLACES = T.lvector("i")
LENGTHS = {"x": (10_000,), "y": (10_000,)}
PAIRS: dict[
    str, tuple[Any, Any, dict[str, tuple[int, ...]]]
] = {  # what should be faster, what slower, lengths
    "exp of a sum": (T.exp(X + Y), T.exp(X) * T.exp(Y), LENGTHS),
    "log of a product": (T.log(X * Y), T.log(X) + T.log(Y), LENGTHS),
    "square": (X * X, X**2.5, LENGTHS),
    "cube": (X * X * X, T.exp(3 * T.log(X)), LENGTHS),
    "root": (T.sqrt(X), X**0.51, LENGTHS),
    "sigmoid": (T.sigmoid(X), T.exp(X) / (1 + T.exp(X)), LENGTHS),
    "softplus": (T.log1p(T.exp(X)), T.log(T.exp(X) + T.exp(X * 0)), LENGTHS),
    "sine": (T.sin(X), T.sqrt(T.sqr(T.sin(X)) + T.sqr(T.cos(X))) * T.sin(X), LENGTHS),
    "sum before exp": (T.exp(X.sum()), T.exp(X).prod(), LENGTHS),
    "sum of scaled": (3.0 * X.sum(), (T.exp(X * 0) * 3 * X).sum(), LENGTHS),
    "matrix times vector": (
        T.dot(A, T.dot(B, V)),
        T.dot(T.dot(A, B), V),
        {"A": (300, 300), "B": (300, 300), "v": (300,)},
    ),
    "row first": (
        T.dot(T.dot(A, B), C),
        T.dot(A, T.dot(B, C)),
        {"A": (2, 300), "B": (300, 300), "C": (300, 300)},
    ),
    "column first": (
        T.dot(A, T.dot(B, C)),
        T.dot(T.dot(A, B), C),
        {"A": (300, 300), "B": (300, 300), "C": (300, 2)},
    ),
    "trace of a product": (
        (A * B.T).sum(),
        T.diagonal(T.dot(A, B)).sum(),
        {"A": (300, 300), "B": (300, 300)},
    ),
    "outer and vector": (X * T.dot(Y, V), T.dot(T.outer(X, Y), V), {"x": (500,), "y": (500,), "v": (500,)}),
    "one product of a sum": (
        T.dot(A + B, C),
        T.dot(A, C) + T.dot(B, C),
        {"A": (300, 300), "B": (300, 300), "C": (300, 300)},
    ),
    "system": (
        T.linalg.solve(S, V),
        T.dot(T.linalg.inv(S), T.dot(S, T.linalg.solve(S, V))),
        {"S": (200, 200), "v": (200,)},
    ),
    "factor": (T.linalg.cholesky(S), T.linalg.inv(S), {"S": (200, 200)}),
    "rows before exp": (T.exp(A[PLACES]), T.exp(A)[PLACES], {"A": (3000, 60), "i": (10,)}),
    "largest": (X.max(), T.sort(X)[-1], LENGTHS),
}


def value(name: str, shape: tuple[int, ...]) -> Any:
    """An array for an operand of a pair."""
    dice = np.random.default_rng(0)
    if name == "i":
        return dice.integers(0, 1000, shape)
    return 0.5 * np.eye(shape[0]) + 1 / shape[0] if name == "S" else dice.uniform(0.1, 0.9, shape)


def ranking(model: CostModel) -> None:
    """For each pair how many times slower the second is, measured and by the model."""
    rows, right = [], 0
    for name, (fast, slow, shapes) in PAIRS.items():
        measured, said = [], []
        for out in (fast, slow):
            inputs = graph_inputs([out])
            named = [v for v in inputs if v.name in shapes]
            f = eqsat.function(named, out, mode="FAST_COMPILE")
            measured.append(seconds_of(f, *(value(str(v.name), shapes[str(v.name)]) for v in named)))
            nodes = toposort([out])
            spread = Spread({v: shapes[str(v.name)] for v in named}, {})
            spread.nodes(nodes)
            said.append(graph_cost(nodes, model, spread))
        agree = (measured[1] > measured[0]) == (said[1] > said[0])
        right += agree
        rows.append(
            (name, f"{measured[1] / measured[0]:.2f}", f"{said[1] / said[0]:.2f}", "" if agree else "wrong")
        )
    print(table(("pair", "measured", "model", ""), rows, right=(1, 2)))
    print(f"{right} of {len(PAIRS)} pairs are ranked as the clock ranks them")


WITHIN = 1.5  # how many times more or less the model may say


def least_of(calls: Sequence[Any], seconds: float) -> list[float]:
    """The least seconds of the processor for each call: runs of half a millisecond that take turns for some time."""
    numbers = []
    for call in calls:
        call()
        start = time.thread_time()
        call()
        numbers.append(max(1, min(5000, int(5e-4 / max(time.thread_time() - start, 1e-7)))))
    found: list[list[float]] = [[] for _ in calls]
    stop = time.perf_counter() + seconds
    while time.perf_counter() < stop or len(found[0]) < 4:
        for call, number, times in zip(calls, numbers, found, strict=True):
            start = time.thread_time()
            for _ in range(number):
                call()
            times.append((time.thread_time() - start) / number)
    return list(map(min, found))


def of_program(outputs: Any, data: dict[Any, np.ndarray], model: CostModel) -> tuple[Any, int, float]:
    """A call of a program, the number of its arguments, and the seconds of its steps by the model."""
    outputs = outputs if isinstance(outputs, list) else [outputs]
    f = eqsat.function(list(data), outputs)
    arrays = list(data.values())
    plan = plan_graph(list(data), f.report.optimized, True, model)
    return lambda: f(*arrays), len(arrays), plan_seconds(plan, model)


@cache
def of_a_call(arguments: int) -> float:
    """Seconds of a call with so many arguments that computes next to nothing; they are long enough that other threads may run."""
    xs = [T.TensorType("float64", shape=(LONG,))() for _ in range(arguments)]
    f = eqsat.function(xs, sum((x[:2] for x in xs[1:]), start=xs[0][:2]), mode="FAST_COMPILE")
    arrays = [np.ones(LONG) for _ in xs]
    return least_of([lambda: f(*arrays)], 0.5)[0]


def kernel(outputs: Any, data: dict[Any, np.ndarray], model: CostModel) -> tuple[float, float]:
    """Seconds of one program by the clock, without those of a call, and by the model."""
    call, arguments, said = of_program(outputs, data, model)
    return max(least_of([call], 0.1)[0] - of_a_call(arguments), 1e-9), said


def kernels(names: Sequence[str], dtypes: Sequence[str], model: CostModel) -> None:
    """A table of kernels, and of their forms."""
    from kernel_forms import FORMS, SIZES

    found = []
    for k, form in enumerate(FORMS):
        for dtype, (level, elements) in product(dtypes, SIZES.items()):
            if elements <= form.most and (not names or form.name in names):
                real, said = kernel(*form.program(dtype, elements), model)
                found.append((str(k), form.name, dtype, level, real, said))
    compared(found)


def draws(names: Sequence[str], seeds: Iterable[int], model: CostModel) -> None:
    """A table of random kernels, and of their kinds."""
    from kernel_draws import draw

    found = []
    for seed in seeds:
        kind, dtype, size, outputs, data = draw(seed)
        if not names or kind in names:
            found.append((str(seed), kind, dtype, f"{size:,}", *kernel(outputs, data, model)))
    compared(found)


def compared(found: Sequence[tuple[str, str, str, str, float, float]]) -> None:
    """Print seconds by the clock and by the model: number, form, dtype, size, the two; and the share of those that are near."""
    rows, ratios = [], {name: [] for _, name, *_ in found}  # type: dict[str, list[float]]
    for number, name, dtype, level, real, said in found:
        ratio = said / real
        ratios[name].append(ratio)
        far = "" if 1 / WITHIN <= ratio <= WITHIN else "far"
        times = f"{real * 1e6:.2f}", f"{said * 1e6:.2f}", f"{ratio:.2f}"
        rows.append((f"{number} {name}", dtype, level, *times, far))
    print(table(("kernel", "dtype", "in", "measured µs", "model µs", "ratio", ""), rows, right=(3, 4, 5)))
    near = {name: sum(1 / WITHIN <= r <= WITHIN for r in some) for name, some in ratios.items()}
    lines = []
    for name, some in ratios.items():
        figures = (f"{f(some):.2f}" for f in (min, statistics.median, max))
        lines.append((name, str(len(some)), f"{near[name]}", *figures))
    head = ("form", "kernels", f"within {WITHIN}", "least", "median", "largest")
    print(table(head, lines, right=(1, 2, 3, 4, 5)))
    share = sum(near.values()) / max(1, len(found))
    print(f"{sum(near.values())} of {len(found)} kernels are within {WITHIN} of the clock: {share:.0%}")


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of ops with commas between; all by default")
    parser.add_argument("--dtypes", default="float64,float32")
    parser.add_argument("--products", action="store_true", help="matrix products instead of elementwise ops")
    parser.add_argument("--ranking", action="store_true", help="pairs of graphs instead of elementwise ops")
    parser.add_argument(
        "--kernels", action="store_true", help="kernels of every form; --only takes names of forms"
    )
    parser.add_argument("--draws", type=int, default=0, help="so many random kernels; --only takes kinds")
    parser.add_argument("--first", type=int, default=0, help="the first of these kernels")
    asked = parser.parse_args()
    dtypes, names = asked.dtypes.split(","), [n for n in asked.only.split(",") if n]
    if asked.kernels:
        with eqsat.config.change_flags(threads=1):
            kernels(names, dtypes, CostModel())
    elif asked.draws:
        with eqsat.config.change_flags(threads=1):
            draws(names, range(asked.first, asked.first + asked.draws), CostModel())
    elif asked.ranking:
        ranking(CostModel())
    elif asked.products:
        products(dtypes, CostModel())
    else:
        elementwise(names, dtypes, CostModel())


if __name__ == "__main__":
    main()
