"""Small random programs without anything degenerate, for parts that try what is around a function."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

import eqsat
from campaign.check import Reference
from campaign.pool import Pool, Refused
from campaign.program import Input, Program
from eqsat.errors import EqsatError

TEXTS = [
    "T.exp({a} * {n})", "T.tanh({a}) + {n}", "{a} * {b}", "{a} - {b} * {n}", "T.sigmoid({a} - {n})", "T.sin({a} * {n})", "{a}.sum(0) + {n}", "T.softplus({a})", "T.sqrt(T.sqr({a}) + {n})", "T.log({n} + T.sqr({b}))", "{a}[::-1] * {n}", "T.cumsum({a})", "T.concatenate([{a}, {b}])[:3]", "T.maximum({a}, {b} * {n})", "T.sort({a})", "T.outer({a}, {b}).sum(1)",
]  # fmt: skip


def grow(seed: int, steps: int = 4) -> Program:
    """The program of a seed: two vectors, a few steps."""
    rng = random.Random(seed)
    pool = Pool(rng)
    for k in range(2):
        pool.add_input(Input(f"v{k}", "float64", (None,), np.array([rng.uniform(-1, 1) for _ in range(3)])))
    names = ["v0", "v1"]
    while len(names) < steps + 2:
        number = f"{rng.uniform(0.5, 2.0):.9f}"
        text = rng.choice(TEXTS).format(a=rng.choice(names[-3:]), b=rng.choice(names), n=number)
        try:
            name = pool.add(text)
        except Refused:
            continue
        if pool.value(name).shape == (3,):
            names.append(name)
    return pool.program(names[-2:])


def outcome(program: Program, mode: str = "FAST_RUN") -> str | None:
    """What is wrong with a program in a mode, warnings aside; an error of ours is an answer, not a failure."""
    reference = Reference(program)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results: Any = eqsat.function(reference.inputs, reference.outputs, mode=mode)(*reference.values)
        except EqsatError:
            return None
    failure = reference.wrong(mode, results, rewritten=True)
    return failure.text if failure else None
