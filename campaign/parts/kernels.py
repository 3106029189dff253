"""Kernels over arrays of many sizes and strides: the values of the graph as written, and the same bits on 1, 2 and 4 threads."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import eqsat
from campaign.arrays import laid_out
from campaign.check import Failure, Reference, called, told
from campaign.compilers import shared_out, usual
from campaign.digest import finding
from campaign.pool import Pool, Refused
from campaign.program import Input, Program
from campaign.trial import Trial

UNIT = "functions"
THREADS = (1, 2, 4)
LENGTHS = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 129, 257, 1000)
MOST = 20_000  # elements of an input

SAME = [  # values of the shape of all inputs
    "T.exp({a})", "T.tanh({a})", "T.sqr({a})", "T.log1p(T.abs({a}))", "T.erf({a})", "T.sin({a}) * 2", "{a} * {b}", "{a} - {b}", "{a} + {k}", "{a} * {k}",
    "{a} / (1 + T.sqr({b}))", "T.maximum({a}, {b})", "T.switch(T.gt({a}, {b}), {a}, {k})", "T.sigmoid({a} - {k})", "{a} - {a}.mean({axis}, keepdims=True)",
    "T.softmax({a}, {axis})", "T.log_softmax({a}, {axis})", "T.cumsum({a}, {axis})", "T.exp({a} - {a}.max({axis}, keepdims=True))",
    "{a}[::-1]", "{a}[..., ::-1]", "T.roll({a}, 2, {axis})", "T.concatenate([{a}[1:], {b}[:1]])", "T.concatenate([{a}[::2], {b}[1::2]])", "T.concatenate([{a}[..., 1:], {b}[..., :1]], -1)",
    "T.set_subtensor({a}[1:], {b}[1:] * 2)", "T.inc_subtensor({a}[..., ::2], 0.5)", "T.set_subtensor({a}[0], {b}[-1])", "T.pad({a}, 1)[(slice(1, -1),) * {a}.ndim]",
    "{a}[v9]", "T.inc_subtensor({a}[v9], {b})", "T.inc_subtensor(T.zeros_like({a})[v9], {b}[v9])", "T.set_subtensor({a}[v9], 0.5)",
    "T.dot(T.dot({a}, {b}.T), {a}) / {size}", "T.dot(T.softmax(T.dot({a}, {b}.T), 1), {b})",
]  # fmt: skip
FOLDED = [
    "{a}.sum({over}, keepdims=True)", "{a}.mean({over}, keepdims=True)", "{a}.var({over}, keepdims=True)", "{a}.max({over}, keepdims=True)",
    "{a}.min({over}, keepdims=True)", "T.logsumexp({a}, {over}, keepdims=True)", "T.sum({a} * {b}, {over}, keepdims=True)",
]  # fmt: skip
LAST = [  # of any shape
    "T.dot({a}, {b}[0])", "T.dot({a}.T, {b})", "T.exp(-T.sqr({a}[:, None] - {b}[None]).sum(2)).sum(1)", "T.abs({a}[:, None] - {b}[None]).sum(2).min(0)",
    "T.sum({a})", "T.outer({a}.sum(-1), {b}.sum(-1))", "{a}.T * 2", "{a}.flatten()[1:]", "T.argmax({a}, {axis})", "T.concatenate([{a}, {b}, {a}])",
    'T.grad(T.sum(T.tanh({a})), v0, disconnected_inputs="ignore")', 'T.grad(T.sum(T.sqr({a} - {k})), v0, disconnected_inputs="ignore")',
]  # fmt: skip


class Grower(Pool):
    """Grows values of one shape, and folds of them that broadcast with it."""

    largest = 400_000

    def __init__(self, seed: int) -> None:
        super().__init__(random.Random(seed))
        self.dice = np.random.default_rng(seed)
        self.dtype = self.rng.choice(["float64", "float32"])
        self.shape = self.drawn_shape()
        self.same = [self.add_input(self.numbers(f"v{k}")) for k in range(self.rng.randint(1, 3))]
        self.folded = [*self.same]
        length = self.shape[0]
        places = self.dice.integers(-length, length, length) if length else np.zeros(0, "int64")
        self.add_input(Input("v9", "int64", (None,), places))

    def drawn_shape(self) -> tuple[int, ...]:
        while True:
            shape = tuple(self.rng.choice(LENGTHS) for _ in range(self.rng.choice([1, 2, 2, 3])))
            if np.prod([max(n, 1) for n in shape]) <= MOST:
                return shape

    def numbers(self, name: str) -> Input:
        """An input of the shape; now and then with an element that is not finite."""
        value = self.dice.standard_normal(self.shape).astype(self.dtype)
        if value.size and self.rng.random() < 0.15:
            value.flat[self.rng.randrange(value.size)] = self.rng.choice([np.nan, np.inf, -np.inf, -0.0])
        base, layout = laid_out(self.rng, value)
        lengths = self.shape if self.rng.random() < 0.3 else tuple(1 if n == 1 else None for n in self.shape)
        return Input(name, self.dtype, lengths, base, layout)

    def filled(self, text: str) -> str:
        rng, rank = self.rng, len(self.shape)
        over = sorted(rng.sample(range(rank), rng.randint(1, rank)))
        return text.format(
            a=rng.choice(self.same[-4:]),
            b=rng.choice(self.same),
            k=rng.choice(self.folded),
            axis=rng.randrange(rank),
            over=tuple(over),
            size=max(self.shape[0], 1),
        )

    def step(self, texts: list[str]) -> str | None:
        """Add a step; None where it is refused."""
        try:
            name = self.add(self.filled(self.rng.choice(texts)))
        except Refused:
            return None
        value = self.value(name)
        if value.dtype == self.dtype and value.ndim == len(self.shape):
            self.same += [name] * (value.shape == self.shape)
            self.folded += [name] * all(n in (1, m) for n, m in zip(value.shape, self.shape, strict=True))
        return name


def grow(seed: int) -> Program:
    """The program of a seed."""
    grower = Grower(seed)
    made = [
        grower.step(FOLDED if grower.rng.random() < 0.3 else SAME) for _ in range(grower.rng.randint(2, 8))
    ]
    made += [grower.step(LAST) for _ in range(grower.rng.randint(0, 2))]
    names = [name for name in made if name]
    return grower.program(list(dict.fromkeys(names[-grower.rng.randint(1, 4) :])) or ["v0"])


def failure_of(program: Program, mode: str = "FAST_RUN", rules: Any = None) -> Failure | None:
    """The first failure of a program that is rewritten once and compiled for each number of threads."""
    reference = Reference(program)
    copies = [v.copy() for v in reference.values]
    try:
        rewritten = list(eqsat.optimize(reference.outputs, rules=rules).optimized)
        results = {n: on_threads(n, reference, rewritten) for n in THREADS}
    except Exception as error:
        return Failure(mode, type(error).__name__, told(error))
    if any(v.tobytes() != c.tobytes() for v, c in zip(reference.values, copies, strict=True)):
        return Failure(mode, "input", "an input was changed")
    for n in THREADS[1:]:
        for k, name in enumerate(program.outputs):
            if np.asarray(results[n][k]).tobytes() != np.asarray(results[1][k]).tobytes():
                return Failure(mode, "threads", f"{name} has other bits on {n} threads than on one", k)
    return reference.wrong(mode, results[1], rewritten=True)


def on_threads(count: int, reference: Reference, rewritten: list[Any]) -> list[Any]:
    """Results of a rewritten program on so many threads."""
    with eqsat.config.change_flags(threads=count):
        return called("FAST_COMPILE", reference.inputs, rewritten, reference.values)


def trial(seed: int) -> Trial:
    """One function, compiled for each number of threads."""
    program = grow(seed)
    result = Trial(1)
    result.count("outputs", len(program.outputs))
    with usual(), shared_out():
        failure = failure_of(program)
        if failure is not None:
            result.failed = 1
            found = finding(program, failure, again=failure_of)
            result.findings += [found] if found else []
    return result
