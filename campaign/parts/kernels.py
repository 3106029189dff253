"""Programs of all forms of kernels: the graph as written, fused and rewritten, has its values, and the same bits on 1, 2 and 4 threads."""

from __future__ import annotations

import atexit
import random
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import eqsat
from campaign.arrays import laid_out, numbers
from campaign.check import Failure, Reference, called, told
from campaign.compilers import shared_out, small_blocks, usual
from campaign.digest import finding
from campaign.forms import forms
from campaign.pool import Pool, Refused
from campaign.program import Input, Program
from campaign.sentences import FAMILIES
from campaign.trial import Trial
from eqsat.cgen import find_target
from eqsat.cgen.runtime.load import tidied
from eqsat.errors import EqsatError
from eqsat.functions.constants import with_constants
from eqsat.functions.planning import plan_graph
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.walk import clone_with
from eqsat.pipeline.preparation import prepare
from eqsat.pipeline.preparation import told as in_words
from eqsat.pipeline.settings import Settings

UNIT = "functions"
THREADS = (1, 2, 4)
MEMORY = 1 << 28  # bytes that growing a program may take
SHORT = (0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33)
MIDDLE = (1, 2, 3, 8, 16, 33, 64, 65, 100, 129, 257, 1000)
LONG: tuple[tuple[int, ...], ...] = (
    (70_001,), (4097, 17), (20_000, 3), (3, 20_001), (300, 301), (2, 40_000), (61, 33, 35), (9, 4, 31, 33), (1500, 64),
)  # fmt: skip


class Grower(Pool):
    """Grows values of one shape, folds of them that broadcast with it, and values of other shapes."""

    largest = 400_000

    def __init__(self, seed: int) -> None:
        super().__init__(random.Random(seed))
        rng = self.rng
        self.dice = np.random.default_rng(seed)
        self.main = rng.choice(
            ["float64"] * 5 + ["float32"] * 5 + ["complex64", "complex128", "int64", "int32", "uint8", "bool"]
        )
        self.shape = self.drawn_shape()
        dtypes = [self.main, self.main] + [rng.choice([self.main, "float32", "int16", "bool"])]
        self.same = [self.add_input(self.drawn(d, self.shape)) for d in dtypes[: rng.randint(1, 3)]]
        self.folded = [*self.same]
        self.extra: dict[str, str] = {}
        self.drawn_lengths: dict[str, int] = {}
        length = self.shape[0]
        places = self.dice.integers(-length, length, length) if length else np.zeros(0, "int64")
        kind = rng.choice(["int64", "int64", "int32"])
        self.add_input(Input("v9", kind, (None,), places.astype(kind)))

    def drawn_shape(self) -> tuple[int, ...]:
        rng = self.rng
        kind = rng.random()
        if kind < 0.12:
            return rng.choice(LONG)
        lengths, most = (SHORT, 3000) if kind < 0.7 else (MIDDLE, 20_000)
        while True:
            shape = tuple(rng.choice(lengths) for _ in range(rng.choice([1, 1, 2, 2, 2, 2, 3, 3, 4])))
            if np.prod([max(n, 1) for n in shape]) <= most:
                return shape

    def drawn(self, dtype: str, shape: Sequence[int]) -> Input:
        """An input of a shape, of any layout; its type knows some of the lengths."""
        name, rng = f"v{len(self.inputs) + (len(self.inputs) >= 9)}", self.rng
        if dtype in FLOATS or dtype.startswith("complex"):
            value = self.dice.standard_normal(shape).astype(dtype)
            if value.size and rng.random() < 0.15:
                value.flat[rng.randrange(value.size)] = rng.choice([np.nan, np.inf, -np.inf, -0.0])
        else:
            value = numbers(rng, dtype, tuple(shape))
        base, layout = laid_out(rng, value)
        if rng.random() < 0.08 and value.ndim and value.size:
            base, layout = np.array(value[:1]), f"np.broadcast_to({{}}, {value.shape})"
        known = rng.choice([0.0, 0.5, 1.0])
        lengths = tuple(n if rng.random() < (0.7 if n == 1 else known) else None for n in shape)
        return Input(name, dtype, lengths, base, layout)

    # ------------------------------------------------------------------------------------------------- operands

    def given(self, key: str, shape: Sequence[int]) -> str:
        """An input made once, when a step first asks for it."""
        if key not in self.extra:
            self.extra[key] = self.add_input(self.drawn(self.floating(), shape))
        return self.extra[key]

    def floating(self) -> str:
        return self.main if self.main in FLOATS or self.main.startswith("complex") else "float64"

    def filled(self, text: str) -> str:
        """A sentence with its names filled in."""
        rng, rank, shape = self.rng, len(self.shape), self.shape
        a, b = rng.choice(self.same[-4:]), rng.choice(self.same)
        few = f"{a}[:40]" if shape[0] > 40 else a
        over = tuple(sorted(rng.sample(range(rank), rng.randint(1, rank))))
        names: dict[str, Any] = {
            "a": a,
            "b": b,
            "few": few,
            "over": over,
            "v9": "v9",
            "axis": rng.randrange(rank),
        }
        names |= {"k": rng.choice(self.folded), "mid": min(1, rank - 1), "size": max(shape[0], 1)}
        names |= {"start": rng.choice([f"T.zeros_like({a}.sum(0))", f"{b}.mean(0)", f"T.ones_like({a}[-1])"])}
        names["u"] = rng.choice([name for name in self.variables if name != "v9"])
        for name in ("w", "bias", "square", "square_last", "k0", "filters", "deep", "groups", "a4"):
            if f"{{{name}}}" in text:
                names[name] = self.operand(name, a)
        return text.format(**names)

    def operand(self, name: str, a: str) -> Any:
        """An operand of a shape that fits the program's."""
        shape = self.shape
        channels = ((1, 1) + shape)[-3] if len(shape) < 4 else shape[1]
        if name == "a4":
            return (
                a
                if len(shape) == 4
                else f"{a}.dimshuffle({', '.join(repr(x) for x in self.image(len(shape)))})"
            )
        if name == "groups":
            return channels
        shapes = {
            "w": (shape[-1], self.extra_lengths("w")), "bias": (self.extra_lengths("w"),), "square": (shape[0], shape[0]),
            "square_last": (shape[-1], shape[-1]), "k0": (), "filters": (self.extra_lengths("o"), channels, 3, 3), "deep": (channels, 1, 3, 3),
        }  # fmt: skip
        if np.prod(shapes[name]) > self.largest:
            raise Refused(name, ValueError("large"))
        return self.given(name, shapes[name])

    def extra_lengths(self, key: str) -> int:
        """A length of a matrix or of filters, drawn once."""
        return self.drawn_lengths.setdefault(key, self.rng.choice((1, 2, 5, 16, 17, 40)))

    @staticmethod
    def image(rank: int) -> list[Any]:
        """The axes of a value seen as a batch of images."""
        return ["x"] * (4 - rank) + list(range(rank))

    def step(self, family: str) -> str | None:
        """Add a step; None where it is refused."""
        try:
            name = self.add(self.filled(self.rng.choice(FAMILIES[family])))
        except Refused:
            return None
        value = self.value(name)
        if value.ndim == len(self.shape):
            self.same += [name] * (value.shape == self.shape)
            self.folded += [name] * all(n in (1, m) for n, m in zip(value.shape, self.shape, strict=True))
        return name


@contextmanager
def little_memory() -> Iterator[None]:
    """Refuse what takes much memory, such as all pairs of a long vector, before it takes the time to fill it."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def grow(seed: int) -> Program:
    """The program of a seed."""
    grower = Grower(seed)
    rng, families = grower.rng, list(FAMILIES)
    made: list[str] = []
    tries, steps = 0, rng.choice([2, 3, 4, 5, 6, 7, 8, 16])
    with little_memory():
        while len(made) < steps and tries < 3 * steps + 12:
            tries += 1
            made += [name for name in [grower.step(rng.choice(families))] if name]
    count = len(made) if rng.random() < 0.2 else rng.randint(1, 4)
    return grower.program(list(dict.fromkeys(made[-count:])) or ["v0"])


# --------------------------------------------------------------------------------------------------- what is tried


def failure_of(program: Program, mode: str = "fused", rules: Any = None) -> Failure | None:
    """The first failure of a program in a mode."""
    if mode == "updates":
        return in_shared(program, rules)
    reference = Reference(program)
    copies = [np.array(v) for v in reference.values]
    try:
        results = RUNS[mode](reference, rules)
    except Exception as error:
        return Failure(mode, type(error).__name__, told(error))
    if any(np.asarray(v).tobytes() != c.tobytes() for v, c in zip(reference.values, copies, strict=True)):
        return Failure(mode, "input", "an input was changed")
    for n, values in zip(THREADS[1:], results[1:], strict=False):
        for k, name in enumerate(program.outputs):
            if np.asarray(values[k]).tobytes() != np.asarray(results[0][k]).tobytes():
                return Failure(mode, "threads", f"{name} has other bits on {n} threads than on one", k)
    return reference.wrong(mode, results[0], rewritten=mode not in ("fused", "FAST_COMPILE"))


def on_threads(reference: Reference, outputs: Sequence[Any]) -> list[list[Any]]:
    """Values of a graph in fused kernels on each number of threads."""
    c = find_target("c")
    tools: Any = c.tools(objects(), True)
    text = c.print(plan_graph(reference.inputs, outputs, fused=True), tools)
    found = []
    for count in THREADS:
        made = c.load(text.source, text.meta, text.opaque, replace(tools, threads=count))
        values = made.call_raw(*reference.values)
        found.append(list(made.call_raw(*tidied(reference.values)) if values is None else values))
    return found


def in_shared(program: Program, rules: Any = None) -> Failure | None:
    """The failure of a function that keeps an output in a shared variable, in place of an input of its type, in two calls."""
    inputs, outputs, values = program.graph()
    pairs = [(v, o) for v in inputs for o in outputs if v.type == o.type]
    if not pairs:
        return None
    old, new = pairs[0]
    k, place = inputs.index(old), outputs.index(new)
    state = eqsat.shared(np.array(values[k]), shape=old.type.shape)
    given = [v for v in inputs if v is not old]
    made = clone_with(outputs, {old: state})
    with eqsat.config.change_flags(threads=2):
        f = eqsat.function(given, made, updates={state: made[place]}, rules=rules, on_unused_input="ignore")
    for _ in range(2):
        try:
            reference = Reference(program)
        except EqsatError:  # what is kept are indices that lie outside
            return None
        found = [np.asarray(v) for v in f(*(v for n, v in enumerate(values) if n != k))]
        failure = reference.wrong("updates", found, rewritten=True)
        kept = np.asarray(state.get_value())
        if failure is None and kept.tobytes() != found[place].tobytes():
            failure = Failure(
                "updates", "state", f"{program.outputs[place]} is {found[place]}, the variable {kept}"
            )
        if failure is not None:
            return failure
        after = replace(program.inputs[k], base=kept, layout="")
        program = replace(program, inputs=(*program.inputs[:k], after, *program.inputs[k + 1 :]))
    return None


@cache
def objects() -> str:
    """A folder in which the objects of this process are found again by other numbers of threads."""
    made = tempfile.mkdtemp(prefix="campaign-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def rewritten(reference: Reference, rules: Any = None) -> list[Any]:
    """The outputs as rules make them."""
    best = eqsat.optimize(reference.outputs, rules=rules).optimized
    return with_constants(in_words(best, Settings.of("FAST_RUN")))


def as_written(reference: Reference) -> list[Any]:
    """The outputs as every mode prepares them."""
    return prepare(reference.outputs, Settings.of("FAST_COMPILE"))


def by_name(mode: str) -> Callable[[Reference, Any], list[list[Any]]]:
    """A run of the function that a user makes."""
    return lambda reference, rules: [
        called(mode, reference.inputs, reference.outputs, reference.values, rules)
    ]


RUNS: dict[str, Callable[[Reference, Any], list[list[Any]]]] = {
    "fused": lambda reference, rules: on_threads(reference, as_written(reference)),
    "FAST_RUN": lambda reference, rules: on_threads(reference, rewritten(reference, rules)),
    "exact": lambda reference, rules: on_threads(reference, rewritten(reference, rules or "exact")),
    "numpy": by_name("numpy"),
    "FAST_COMPILE": by_name("FAST_COMPILE"),
    "DebugMode": by_name("DebugMode"),
}


def modes_of(seed: int) -> list[str]:
    """The modes of a seed: the kernels of the graph as written, and one of the others."""
    others = ["FAST_RUN", "exact", "numpy", "FAST_RUN", "exact", "FAST_COMPILE"]
    return [
        "fused",
        others[seed % len(others)],
        *["DebugMode"] * (seed % 20 == 0),
        *["updates"] * (seed % 7 < 2),
    ]


def trial(seed: int) -> Trial:
    """One program in every mode."""
    program = grow(seed)
    result = Trial()
    result.count("outputs", len(program.outputs))
    inputs, outputs, _ = program.graph()
    for name, number in forms(
        plan_graph(inputs, prepare(outputs, Settings.of("FAST_COMPILE")), fused=True)
    ).items():
        result.count(f"{name}:", number)
    with usual(), shared_out(), small_blocks() if seed % 2 else nullcontext():
        for mode in modes_of(seed):
            result.tried += 1
            failure = failure_of(program, mode)
            if failure is not None:
                result.failed += 1
                found = finding(program, failure, again=failure_of)
                result.findings += [found] if found else []
    return result
