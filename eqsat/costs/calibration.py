"""Measures the constants of the cost model on this machine.

A figure is the least time of several runs, since other programs only ever add to a time; it is taken in several rounds with
everything else in between, and the median of the rounds counts. Constants that no machine has, or that differ
from round to round by a large factor, are refused.
"""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.base.values import dataclass
from eqsat.costs.caches import cache_sizes
from eqsat.errors import CostError
from eqsat.extract.cost import CostModel
from eqsat.functions.function import function
from eqsat.graph.declare import OPS, Cost
from eqsat.scan.basic import scan

ROUNDS = 3
SHORT, LONG = 500, 1_500  # elements of three vectors, in the nearest cache
MIDDLE = {
    "cache": 20_000,
    "outer": 200_000,
    "far": 4_000_000,
}  # in the next one, in the one after that, in memory
FUNCTIONS = (
    *("exp", "log", "sin", "cos", "sigmoid", "erf"),
    *("expm1", "exp2", "log1p", "log2", "log10", "tan", "arctan", "tanh", "sinh", "cosh"),
    *("softplus", "erfc", "sqrt", "pow", "truediv", "mod", "gammaln", "digamma"),
)
AFTER = (("exp", "sin"), ("sin", "sigmoid"), ("sigmoid", "exp"))  # a function of what another one gives
PLAIN = 4 * (2 * 3 + 1) + 3  # multiplications and additions of a kernel: some chains, which are added up
CHAINS = {"loop": 1, "chain": 8}  # multiplications in a step of a loop, and as many additions
PRODUCTS = (
    *((2, 2, 2), (384, 384, 384), (2, 256, 256), (256, 256, 2), (256, 2, 256)),
    *((1, 256, 256), (256, 256, 1), (4, 256, 4), (4096, 16, 1)),
)
BASE = FUNCTIONS[:6]  # by whose declared flops the time of a flop is measured
PLAUSIBLE = 40.0  # how many times larger or smaller than the default a constant may be
STEADY = 3.0  # how many times larger one round may be than another


@dataclass
class Figures:
    """Times in seconds by name, each round's."""

    rounds: dict[str, list[float]]

    def __getitem__(self, name: str) -> float:
        return statistics.median(self.rounds[name])

    def unsteady(self) -> list[str]:
        """Names of the times that differ too much from round to round."""
        return [
            name
            for name, times in self.rounds.items()
            if sorted(times)[len(times) // 2] > STEADY * min(times)
        ]


def calibrate(clock: Callable[[Callable[[], Any]], float] | None = None) -> CostModel:
    """A model with the constants of this machine.

    ``clock`` gives the seconds of a call; the least of several runs where there is none.

    Errors   CostError where the times are too unsteady, or no machine has them
    """
    with config.change_flags(threads=1):
        calls = programs()
    figures = measured(calls, clock or least)
    if bad := figures.unsteady():
        raise CostError(
            f"calibrate: the times of {', '.join(bad)} differ more than {STEADY:g} times from round to round",
            hint="run it again when the machine has less to do",
        )
    return fitted(figures)


def least(call: Callable[[], Any]) -> float:
    """The least seconds of a call, over runs of a millisecond or one call."""
    call()
    once = timeit.timeit(call, number=1)
    number = max(1, min(2000, int(1e-3 / max(once, 1e-7))))
    return min(timeit.repeat(call, number=number, repeat=5)) / number


def measured(calls: dict[str, Callable[[], Any]], clock: Callable[[Callable[[], Any]], float]) -> Figures:
    """Every time in every round."""
    rounds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            rounds[name].append(clock(call))
    return Figures(rounds)


def programs() -> dict[str, Callable[[], Any]]:
    """The programs that are measured, by name: calls of compiled functions on fixed arrays."""
    calls: dict[str, Callable[[], Any]] = {}
    for name in FUNCTIONS:
        _add_elementwise(calls, name, "float64")
    for name in BASE:
        _add_elementwise(calls, name, "float32")
    x, y, m, n = T.dvector("x"), T.dvector("y"), T.dmatrix("m"), T.dmatrix("n")
    plain: dict[str, Any] = {"mode": "FAST_COMPILE"}
    fused: dict[str, Any] = {
        "mode": "FAST_RUN",
        "rules": "log-exp",
    }  # kernels of several ops, of the graph as written
    add = function([x, y], x + y, **plain)
    for name, length in (("call", 2), ("near 1", SHORT), ("near 2", LONG), *MIDDLE.items()):
        calls[name] = _call(add, np.ones(length), np.ones(length))
    many: Any = x
    for _ in range(20):
        many = many + y
    calls["calls"] = _call(function([x, y], many, **plain), np.ones(2), np.ones(2))
    _add_lengths(calls, "plain", function([x, y], _mixed(x, y), **fused), 2)
    for outer, inner in AFTER:
        both = OPS[outer].bind()(OPS[inner].bind()(x))
        _add_lengths(calls, f"{outer} {inner}", function([x], both, **fused), 1)
    group = function([m], T.softmax(m, axis=1), shape_hints={m: (4096, 1024)}, **fused)
    calls["group"] = _call(group, np.ones((2, 2)))
    dot = function([m, n], T.dot(m, n), **plain)
    for lengths in PRODUCTS:
        a, b = np.ones(lengths[:2]), np.ones(lengths[1:])
        calls["dot " + " ".join(map(str, lengths))] = _call(dot, a, b)
    factor = function([m], OPS["cholesky"].bind()(m), **plain)
    for order in (30, 300):
        calls[f"cholesky {order}"] = _call(factor, np.eye(order) + 0.5 / order)
    count = T.lscalar("count")
    for name, times in CHAINS.items():
        loop = function([count], _chain(times, count), **fused)
        for steps in (1_000, 11_000):
            calls[f"{name} {steps}"] = _call(loop, np.array(steps))
    return calls


def _mixed(x: Any, y: Any) -> Any:
    parts = [x * k for k in (0.1, 0.2, 0.3, 0.4)]
    for _ in range(3):
        parts = [part * y + x for part in parts]
    return (parts[0] + parts[1]) + (parts[2] + parts[3])


def _chain(times: int, count: Any) -> Any:
    """The last state of a loop over one number, with a multiplication and an addition several times in each step."""

    def step(s: Any) -> Any:
        for _ in range(times):
            s = s * 0.5 + 1.0
        return s

    states, _ = scan(step, outputs_info=T.as_tensor_variable(0.0), n_steps=count)
    return states[-1]


def _call(f: Any, *args: Any) -> Callable[[], Any]:
    return lambda: f(*args)


def _add_elementwise(calls: dict[str, Callable[[], Any]], name: str, dtype: str) -> None:
    declaration = OPS[name]
    inputs = [T.TensorType(dtype, shape=(None,))() for _ in declaration.tensors]
    f = function(inputs, declaration.bind()(*inputs), mode="FAST_COMPILE")
    _add_lengths(calls, f"{name} {dtype}", f, len(inputs), dtype)


def _add_lengths(
    calls: dict[str, Callable[[], Any]], name: str, f: Any, inputs: int, dtype: str = "float64"
) -> None:
    """A function of vectors on short and on long ones."""
    dice = np.random.default_rng(0)
    for length in (SHORT, LONG):
        args = [dice.uniform(0.1, 0.9, length).astype(dtype) for _ in range(inputs)]
        calls[f"{name} {length}"] = _call(f, *args)


def fitted(figures: Figures) -> CostModel:
    """The model whose constants give the measured times.

    Errors   CostError for constants that no machine has
    """
    usual, held = CostModel(), cache_sizes()
    overhead = figures["call"]
    nearest = _slope(figures, "near 1", "near 2", LONG - SHORT) / 24
    levels = [nearest]
    for name, length in MIDDLE.items():
        levels.append(max(levels[-1], (figures[name] - overhead) / length / 24))
    memory = levels[-1]
    moved = 16 * nearest  # an element that is read and one that is written
    flop = statistics.median(_work(figures, name, "float64", moved) / _declared(name) for name in BASE)
    single = statistics.median(_work(figures, name, "float32", moved / 2) / _declared(name) for name in BASE)
    small, large = (max(1e-12, figures[f"cholesky {n}"] - overhead) / (n**3 / 3) for n in (30, 300))
    slower = min(small / large, 8.0)  # near 10 the two orders tell nothing about a larger one
    order = max(0.0, (slower - 1) / (1 / 30 - slower / 300))
    model = CostModel(
        flop=flop,
        single=single / flop,
        byte=memory,
        nearest=levels[0] / memory,
        near=levels[1] / memory,
        far=levels[2] / memory,
        inner=held.get(1, usual.inner),
        cache=held.get(2, usual.cache),
        outer=held.get(3, 2 * usual.outer) / 2,  # other cores use it too
        call=max(1e-10, (figures["calls"] - overhead) / 19),
        group=max(1e-9, figures["group"] - overhead),
        blas_call=max(1e-9, figures["dot 2 2 2"] - overhead),
        factor_flop=large / (1 + order / 300),
        factor_order=order,
        fixed=usual.fixed,
        **_small_flops(figures, flop, nearest),
        **_products(figures, overhead),
    )
    refuse_nonsense(model, usual)
    weights = {name: _work(figures, name, "float64", moved) / flop for name in FUNCTIONS}
    prices = {name: replace(_cost(name), flops=max(1.0, round(w, 1))) for name, w in weights.items()}
    return model.priced(prices)


def _small_flops(figures: Figures, flop: float, nearest: float) -> dict[str, Any]:
    """The constants of ops between others: those of one flop, functions of functions, and what waits for the one before."""
    seconds = _slope(figures, f"plain {SHORT}", f"plain {LONG}", LONG - SHORT) - 0.25 * 24 * nearest
    plain = min(2.0, max(0.05, seconds / PLAIN / flop))
    later = [
        (
            _work(figures, f"{outer} {inner}", "", 16 * nearest)
            - _work(figures, inner, "float64", 16 * nearest)
        )
        / _work(figures, outer, "float64", 16 * nearest)
        for outer, inner in AFTER
    ]
    loop, chain = (_slope(figures, f"{name} 1000", f"{name} 11000", 10_000) for name in CHAINS)
    ops = 2 * (CHAINS["chain"] - CHAINS["loop"])
    waits = max(1.0, (chain - loop) / ops / plain / flop)
    return {
        "plain": plain,
        "after": max(1.0, statistics.median(later)),
        "waits": waits,
        "step": max(1e-10, loop - 2 * plain * waits * flop),
    }


def _products(figures: Figures, overhead: float) -> dict[str, Any]:
    """The constants of products of matrices of several shapes."""

    def per_flop(m: int, k: int, n: int) -> float:
        return max(1e-13, figures[f"dot {m} {k} {n}"] - overhead) / (2 * m * k * n)

    blas = per_flop(384, 384, 384)
    vector = max(1.0, (per_flop(1, 256, 256) + per_flop(256, 256, 1)) / 2 / blas)
    shallow = max(0.1, (per_flop(256, 2, 256) / blas - 1) * 2)
    thin_one = (per_flop(2, 256, 256) + per_flop(256, 256, 2)) / 2 / blas - 1  # thin / 2 + tiny / 512
    thin_both = per_flop(4, 256, 4) / blas - 1 - shallow / 256  # thin / 2 + tiny / 16
    tiny = max(0.0, (thin_both - thin_one) / (1 / 16 - 1 / 512))
    row = per_flop(4096, 16, 1) / blas * 32 - 32 * vector
    return {
        "blas_flop": blas,
        "thin": max(0.1, (thin_one - tiny / 512) * 2),
        "tiny": tiny,
        "shallow": shallow,
        "vector": vector,
        "short": min(max(0.0, row), 30.0 * 16),
    }


def _slope(figures: Figures, first: str, second: str, length: int) -> float:
    return max(1e-14, (figures[second] - figures[first]) / length)


def _work(figures: Figures, name: str, dtype: str, moved: float) -> float:
    """Seconds per element of a function without its traffic."""
    words = f"{name} {dtype}".strip()
    slope = _slope(figures, f"{words} {SHORT}", f"{words} {LONG}", LONG - SHORT)
    return max(slope / 10, slope - moved)


def _cost(name: str) -> Cost:
    cost = OPS[name].cost
    assert isinstance(cost, Cost), name
    return cost


def _declared(name: str) -> float:
    return _cost(name).flops


def refuse_nonsense(
    model: CostModel,
    usual: CostModel,
    names: Sequence[str] = ("flop", "byte", "call", "step", "blas_flop", "factor_flop"),
) -> None:
    """Raise CostError for constants that are far from those of every machine."""
    for name in names:
        found, known = getattr(model, name), getattr(usual, name)
        if not known / PLAUSIBLE <= found <= known * PLAUSIBLE:
            raise CostError(
                f"calibrate: {name} was measured as {found:.3g} s, which no machine has",
                needs=f"something near {known:.3g} s",
                hint="run it again when the machine has less to do",
            )
