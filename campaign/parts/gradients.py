"""Gradients with and without their cost as an output, of losses at extreme points and of the whole public surface.

Against the graph as written, against each other, and where they are smooth against finite differences.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from campaign import compare
from campaign.arrays import numbers
from campaign.check import Failure, Reference, check_mode, run_mode
from campaign.compilers import quick
from campaign.digest import finding
from campaign.parts.graphs import Grower
from campaign.pool import Pool, Refused
from campaign.program import Input, Program
from campaign.trial import Trial

UNIT = "gradients"
STEP = 1e-5
COMPILED = 8  # one function of so many is compiled
EXTREME = [1000.0, -1000.0, 0.0, 3.0, -3.0, 40.0, -40.0, 700.0, 1e-8, -1e-8, 0.5, 1.0]
INNER = [
    "{x}", "{x}", "{x}", "{x} + {y}", "{x} - {y}", "{x} * 2.0", "-{x}", "{x} / 3.0", "{x} - {x}.max({axis}, keepdims=True)", "{x}.T", "T.abs({x})", "{x}[::-1]", "T.dot({x}, {s})", "{x} * {y}", "T.maximum({x}, {y})", "{x} - {x}.mean({axis}, keepdims=True)",
]  # fmt: skip
SQUASHED = [
    "T.softmax({x}, {axis})", "T.sigmoid({x})", "T.exp({x}) / T.exp({x}).sum({axis}, keepdims=True)", "1 / (1 + T.exp(-{x}))", "T.exp({x}) / (1 + T.exp({x}))", "T.tanh({x})", "T.nnet.softmax({x})", "0.5 * (T.tanh({x}) + 1)", "1 - T.sigmoid({x})", "T.exp(-T.softplus({x}))",
    "T.exp({x} - {x}.max({axis}, keepdims=True)) / T.exp({x} - {x}.max({axis}, keepdims=True)).sum({axis}, keepdims=True)", "T.exp(T.log_softmax({x}, {axis}))", "T.erfc({x})", "T.exp(-T.sqr({x}))",
]  # fmt: skip
LOSSES = [
    "T.log({p})", "-T.log({p})", "{t} * T.log({p}) + (1 - {t}) * T.log(1 - {p})", "-{t} * T.log({p})", "T.log({p})[{row}]", "T.sqr({p} - {t})", "(1 - {p}) ** 2 * T.log({p})", "-((1 - {p}) ** 2.0) * {t} * T.log({p})", "{p} * T.log({p})", "T.log(1 - {p})",
    "T.softplus({x}) - {t} * {x}", "T.log(1 + T.exp({x}))", "T.log(1 + T.exp(-T.abs({x}))) + T.maximum({x}, 0)", "T.log(T.sum(T.exp({x}), {axis}))", "T.logsumexp({x}, {axis})", "T.log_softmax({x}, {axis})", "T.nnet.binary_crossentropy({p}, {t})", "T.nnet.categorical_crossentropy({p}, {t})", "T.log_softmax({x}, {axis})[{row}]",
    "T.sqrt(T.sqr({x}).sum({axis}))", "{x} / T.sqrt(T.sqr({x}).sum({axis}, keepdims=True))", "({x} - {x}.mean({axis}, keepdims=True)) / {x}.std({axis}, keepdims=True)", "T.log({x}.var({axis}) + 1e-6)", "T.abs({p} - {t})", "T.xlogy({t}, {p})", "T.log({p} / (1 - {p}))", "T.log({p} + 1e-12)", "T.sqrt({p})", "1 / {p}", "{p} / (1 + {p})", "T.log1p(T.exp({x}))", "T.log(T.cosh({x}))", "T.exp(-T.softplus({x})) * {t}",
]  # fmt: skip
COSTS = [
    "T.sum({e})",
    "T.mean({e})",
    "-T.mean({e})",
    "T.sum({e} * {t})",
    "T.sum({e}) / {e}.shape[0]",
    "T.max({e})",
    "-T.sum({e}, 0).mean()",
]


def loss(rng: random.Random) -> tuple[Pool, list[str], list[str]]:
    """A pool with a loss at extreme points: the names of its costs, and of what they are differentiated by."""
    pool = Pool(rng)
    n, k = rng.choice([1, 2, 3]), rng.choice([1, 2, 4])
    dtype = rng.choice(["float64", "float64", "float32"])
    for j in range(2):
        shape = (n, k)
        points = EXTREME if rng.random() < 0.7 else [0.3, -0.7, 1.1, 2.0, -1.5]
        value = np.array([rng.choice(points) for _ in range(n * k)], dtype).reshape(shape)
        pool.add_input(
            Input(f"v{j}", dtype, tuple(1 if a == 1 and rng.random() < 0.5 else None for a in shape), value)
        )
    targets = np.array([rng.choice([0.0, 1.0, 0.25]) for _ in range(n * k)], dtype).reshape(n, k)
    pool.add_input(Input("v2", dtype, (None, None), targets))
    pool.add_input(Input("v3", dtype, (None, None), numbers(rng, dtype, (k, k), 0.0)))
    costs = [c for c in (cost(pool, rng) for _ in range(rng.choice([1, 2, 4]))) if c]
    return pool, costs, ["v0", "v1"]


def cost(pool: Pool, rng: random.Random) -> str | None:
    """A scalar of a random loss; None where the texts do not fit."""
    names = {
        "axis": str(rng.choice([0, 1, -1])),
        "row": rng.choice(["0", ":, 0", "T.arange(1), [0]", "-1"]),
        "t": "v2",
        "s": "v3",
        "y": "v1",
    }
    try:
        x = rng.choice(INNER).format(x="v0", **names)
        names["x"] = x if x in ("v0", "v1") else pool.add(x)
        names["p"] = pool.add(rng.choice(SQUASHED).format(**names))
        names["e"] = pool.add(rng.choice(LOSSES).format(**names))
        name = pool.add(rng.choice(COSTS).format(**names))
    except Refused:
        return None
    return name if pool.value(name).ndim == 0 else None


def surface(rng: random.Random) -> tuple[Pool, list[str], list[str]]:
    """A pool with a sum of values that random calls of the public surface give."""
    pool = Grower(rng, Trial())
    for _ in range(12):
        pool.step()
    real = pool.names(
        lambda v: v.dtype.kind == "f" and v.size and np.isfinite(v).all() and np.abs(v).max() < 1e6
    )
    made = [n for n in real if n[0] == "r"]
    costs = []
    for name in made[-4:]:
        try:
            costs.append(pool.add(f"T.sum(T.sin({name}))"))
        except Refused:
            continue
    wrt = [i.name for i in pool.inputs if i.dtype in ("float32", "float64")]
    return pool, costs, wrt


def gradients(pool: Pool, costs: Sequence[str], wrt: Sequence[str]) -> list[tuple[str, str, str]]:
    """Steps that are gradients: each with its cost and its input."""
    made = []
    for c in costs:
        for w in wrt:
            try:
                made.append((pool.add(f'T.grad({c}, {w}, disconnected_inputs="raise")'), c, w))
            except Refused:
                continue
    return made


def trial(seed: int) -> Trial:
    """The gradients of one or two costs, as one function with the costs and as one without."""
    rng = random.Random(seed)
    pool, costs, wrt = surface(rng) if seed % 3 == 2 else loss(rng)
    made = gradients(pool, costs, wrt)
    result = Trial(len(made))
    if not made:
        result.count("without gradients")
        return result
    mode = mode_of(seed)
    alone = pool.program([g for g, _, _ in made])
    beside = pool.program([*alone.outputs, *dict.fromkeys(c for _, c, _ in made)])
    with quick():
        compared(result, alone, beside, mode)
        note(result, alone, by_differences(pool, made))
    return result


def compared(result: Trial, alone: Program, beside: Program, mode: str) -> None:
    """Gradients alone, beside their costs, and the two with each other."""
    for program in (alone, beside):
        note(result, program, check_mode(Reference(program), mode))
    if not result.failed:
        note(result, beside, depends(beside, mode, alone=alone), depends)


def mode_of(seed: int) -> str:
    return "FAST_RUN" if seed % COMPILED == 0 else "numpy"


def note(result: Trial, program: Program, failure: Failure | None, again: Any = None) -> None:
    """Count a failure and make it small."""
    if failure is None:
        return
    result.failed += 1
    found = finding(program, failure, again=again)
    result.findings += [found] if found else []


def depends(program: Program, mode: str, rules: Any = None, alone: Program | None = None) -> Failure | None:
    """The failure of an output that is finite beside the others and not without the last, or the other way round."""
    if len(program.outputs) < 2:
        return None
    fewer = alone or replace(program, outputs=program.outputs[:-1]).pruned()
    for name, a, b in zip(program.outputs, run_mode(fewer, mode, rules), run_mode(program, mode, rules)):
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            text = f"{name} is {a} alone, {b} beside {program.outputs[-1]}".replace("\n", "")
            return Failure(mode, "depends", text)
    return None


def by_differences(pool: Pool, made: Sequence[tuple[str, str, str]]) -> Failure | None:
    """The first gradient of the graph as written that differs from finite differences, where two steps agree.

    Everything is moved a little, away from the kinks where numbers are equal.
    """
    noise = np.random.default_rng(len(made))
    given = {pool.variables[i.name]: nearby(i.value, noise) for i in pool.inputs}
    for k, (g, c, w) in enumerate(made):
        value = given[pool.variables[w]]
        if (
            value.dtype != np.float64
            or not value.size
            or not np.isfinite(value).all()
            or np.abs(value).max() > 50
        ):
            continue
        direction = noise.normal(size=value.shape)
        with np.errstate(all="ignore"):
            ours = slope(pool, g, given, direction)
            near, far = (along(pool, c, w, given, direction, step) for step in (STEP, 4 * STEP))
        if np.isfinite([ours, near, far]).all() and close(near, far, 1e-5) and not close(ours, near, 1e-3):
            text = f"{g}, the gradient of {c} by {w}, is {ours} along a direction, by differences {near}"
            return Failure("reference", "differences", text, k)
    return None


def nearby(value: Any, noise: np.random.Generator) -> Any:
    """A floating value with every element moved a little."""
    return value + 0.01 * noise.normal(size=value.shape) if value.dtype == np.float64 else value


def slope(pool: Pool, g: str, given: dict[Any, Any], direction: Any) -> float:
    """A gradient along a direction; NaN where it has no value there."""
    try:
        return float((compare.evaluate([pool.variables[g]], given)[0] * direction).sum())
    except Exception:
        return float("nan")


def close(a: float, b: float, limit: float) -> bool:
    return abs(a - b) <= limit * (1e-2 + abs(a) + abs(b))


def along(pool: Pool, c: str, w: str, given: dict[Any, Any], direction: Any, step: float) -> float:
    """The central difference of a cost in a direction of one input."""
    x, ends = pool.variables[w], []
    for sign in (1, -1):
        try:
            moved = {**given, x: given[x] + sign * step * direction}
            ends.append(float(compare.evaluate([pool.variables[c]], moved)[0]))
        except Exception:
            return float("nan")
    return (ends[0] - ends[1]) / (2 * step)
