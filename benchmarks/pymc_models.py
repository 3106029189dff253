"""PyMC's log densities with their gradients: eqsat beside Numba, one thread each, and PyTensor's interpreter for the values.

    python benchmarks/pymc_models.py --models radon,epidemic --rounds 60
    python benchmarks/pymc_models.py --posteriors                 also means of posteriors, within three of their errors

Microseconds of a call from Python, the least of many short rounds that alternate; seconds of the first compilation. Compilation of
Numba is kept between runs where PYTENSOR_FLAGS=base_compiledir=... names a folder: give a fresh one to compare it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Sequence
from typing import Any

for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ.setdefault(f"{name}_NUM_THREADS", "1")

import numpy as np  # noqa: E402  after the numbers of threads

BACKENDS = ("NUMBA", "EQSAT")


def density(model: Any) -> tuple[Any, list[Any], np.ndarray]:
    """The joined parameters, the log density and its gradient over them, and a point."""
    import pymc as pm
    import pytensor

    logp = model.logp()
    slopes = pytensor.grad(logp, model.value_vars)
    point = model.initial_point(random_seed=0)
    both = [logp, pytensor.tensor.concatenate([g.ravel() for g in slopes])]
    made, joined = pm.pytensorf.join_nonshared_inputs(point=point, outputs=both, inputs=model.value_vars)
    start = np.concatenate([np.ravel(point[v.name]) for v in model.value_vars])
    return joined, made, start + 0.1 * np.random.default_rng(3).normal(size=start.shape)


def compiled(joined: Any, outputs: list[Any], mode: Any) -> tuple[Any, float]:
    """A function and the seconds in which it was made and first called."""
    from pymc.pytensorf import compile

    start = time.perf_counter()
    f = compile([joined], outputs, mode=mode)
    f.trust_input = True
    return f, time.perf_counter() - start


def distance(found: Sequence[Any], wanted: Sequence[Any]) -> float:
    """The largest relative difference of results; infinite where one is finite and the other is not."""
    worst = 0.0
    for a, b in zip(found, wanted, strict=True):
        both = np.isfinite(a) & np.isfinite(b)
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return float("inf")
        worst = max(worst, float(np.max(np.where(both, np.abs(a - b) / (1 + np.abs(b)), 0), initial=0)))
    return worst


def least(functions: dict[str, Any], x: np.ndarray, rounds: int) -> dict[str, float]:
    """The least seconds of a call of each, in rounds that alternate."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, f in functions.items():
            count = max(3, min(300, int(0.002 / best[name]) if np.isfinite(best[name]) else 3))
            start = time.perf_counter()
            for _ in range(count):
                f(x)
            best[name] = min(best[name], (time.perf_counter() - start) / count)
    return best


def row(model: Any, rounds: int, backends: Sequence[str]) -> dict[str, Any]:
    """The figures of a model."""
    from pytensor.compile.mode import Mode

    joined, outputs, x = density(model)
    wanted = compiled(joined, outputs, Mode(linker="py", optimizer="fast_compile"))[0](x)
    functions, first = {}, {}
    for name in backends:
        functions[name], first[name] = compiled(joined, outputs, name)
        start = time.perf_counter()
        found = functions[name](x)
        first[name] += time.perf_counter() - start
    foreign = functions["EQSAT"].maker.linker.translation.foreign
    return {
        "error": distance(found, wanted),
        "foreign": foreign,
        "first": first,
        **least(functions, x, rounds),
    }


def table(names: Sequence[str], rounds: int, backends: Sequence[str]) -> list[str]:
    """Print a row for each model; what is wrong with any is told in the end."""
    from gallery import MODELS

    print(
        f"{'model':28s}{'Numba us':>10s}{'eqsat us':>10s}{'ratio':>8s}{'Numba s':>9s}{'eqsat s':>9s}{'error':>10s}"
    )
    ratios, seconds, wrong = [], np.zeros(len(backends)), []
    for name in names:
        found = row(MODELS[name](), rounds, backends)
        ours, theirs = found["EQSAT"], found.get("NUMBA", float("nan"))
        ratios.append(theirs / ours)
        first = found["first"]
        seconds += [first[b] for b in backends]
        print(
            f"{name:28s}{theirs * 1e6:10.1f}{ours * 1e6:10.1f}{ratios[-1]:8.2f}"
            f"{first.get('NUMBA', float('nan')):9.1f}{first['EQSAT']:9.1f}{found['error']:10.1e}",
            flush=True,
        )
        wrong += [f"{name}: {op} is foreign: {why}" for op, why in found["foreign"].items()]
        wrong += [f"{name}: the values differ by {found['error']:.1e}"] * (not found["error"] < 1e-9)
        wrong += [f"{name}: slower than Numba"] * bool(ratios[-1] < 1)
    print(f"geometric mean of the ratios {np.exp(np.mean(np.log(ratios))):.2f}, least {min(ratios):.2f}")
    print(
        "first compilations in sum: "
        + ", ".join(f"{b} {s:.1f} s" for b, s in zip(backends, seconds, strict=True))
    )
    return wrong


def posteriors(names: Sequence[str]) -> list[str]:
    """Compare the means of posteriors that both backends sample; the error is that of the Monte Carlo method."""
    import arviz
    import pymc as pm

    from gallery import MODELS

    wrong = []
    for name in names:
        drawn = {}
        for backend in BACKENDS:
            keywords = {
                "compile_kwargs": {"mode": backend},
                "progressbar": False,
                "random_seed": 7,
                "cores": 1,
            }
            start = time.perf_counter()
            with MODELS[name]():
                drawn[backend] = arviz.summary(pm.sample(1000, tune=1000, chains=2, **keywords))
            print(f"{name}: {backend} sampled in {time.perf_counter() - start:.1f} s", flush=True)
        a, b = (drawn[k] for k in BACKENDS)
        away = np.abs(a["mean"] - b["mean"]) / np.hypot(a["mcse_mean"], b["mcse_mean"]).clip(lower=5e-4)
        print(f"{name}: the means differ by {away.max():.2f} Monte Carlo errors at most")
        wrong += [f"{name}: a mean differs by {away.max():.2f} errors"] * bool(away.max() > 3)
    return wrong


def main() -> int:
    try:
        import pymc  # noqa: F401
    except ImportError:
        print("nothing to measure: PyMC is not installed (pip install 'eqsat[pytensor]' pymc)")
        return 0
    warnings.filterwarnings("ignore", module="(pytensor|pymc|numba|arviz).*")
    import eqsat.bridges.pytensor  # noqa: F401  registers the mode
    from gallery import MODELS

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", help="names with commas between; all without it")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--backends", default=",".join(BACKENDS))
    parser.add_argument("--posteriors", action="store_true", help="sample three models with both")
    chosen = parser.parse_args()
    names = chosen.models.split(",") if chosen.models else list(MODELS)
    if unknown := [n for n in names if n not in MODELS]:
        parser.error(f"no model is called {', '.join(unknown)}; there are {', '.join(MODELS)}")
    wrong = table(names, chosen.rounds, [b for b in BACKENDS if b in chosen.backends.split(",")])
    if chosen.posteriors:
        wrong += posteriors(["eight_schools", "ordered_logistic", "two_groups"])
    print("\n".join(wrong) or "no foreign op, no value that differs, no model slower")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
