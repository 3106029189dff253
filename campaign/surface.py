"""The public functions of ``eqsat.tensor``, and how each can be called: found by trying it on small operands.

Nothing is listed but what cannot take part: what gives no tensor, draws numbers, or trusts a promise of its caller.
"""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

import eqsat.tensor as T
from campaign.pool import Pool, Refused
from campaign.program import Input
from eqsat.graph.declare import OPS, DeclaredOp
from eqsat.graph.dtypes import ALL

MODULES = {"T": T, "T.nnet": T.nnet, "T.linalg": T.linalg, "T.signal": T.signal}
ELSEWHERE = (
    "eqsat.gradient",
    "eqsat.tensor.constructors",
    "eqsat.graph.user_op",
    "eqsat.tensor.shared",
    "eqsat.graph.constant",
)
WITHOUT_VALUE = {"empty", "empty_like"}  # their elements are anything
TRUSTING = {
    "prod_without_zeros",
    "mul_without_zeros",
    "h_softmax",
}  # wrong where their caller does not keep a promise
COMBINATIONS = 120  # ways that are tried for a function
MOST_WAYS = 40
RANKS = {"f": (1, 2, 0, 3, 4), "i": (1, 0, 2), "b": (1, 2), "c": (1, 2)}
DTYPES = {"f": "float64", "i": "int64", "b": "bool", "c": "complex128"}
LITERALS = ("1", "2", "0", "(2, 3)", "0.5", "[{f1}, {f1}]", "[{f2}, {f2}]")


@dataclass(frozen=True)
class Function:
    """A public function: the text that names it, its operands without defaults, and the parameters that have some."""

    path: str
    required: tuple[str, ...]
    optional: tuple[tuple[str, Any, str], ...]
    many: bool


def functions() -> list[Function]:
    """Every public function that can take part, once, under its first name."""
    return list(_functions().values())


@cache
def _functions() -> dict[str, Function]:
    found: dict[str, Function] = {}
    seen: set[int] = set()
    for prefix, module in MODULES.items():
        for name in sorted(getattr(module, "__all__", dir(module))):
            thing = getattr(module, name)
            if name[0] == "_" or id(thing) in seen or not takes_part(name, thing):
                continue
            seen.add(id(thing))
            found[f"{prefix}.{name}"] = described(f"{prefix}.{name}", thing)
    return found


def takes_part(name: str, thing: Any) -> bool:
    if isinstance(thing, (type, ModuleType)) or not callable(thing) or name in WITHOUT_VALUE | TRUSTING:
        return False
    if isinstance(thing, DeclaredOp):
        return True
    return inspect.isfunction(thing) and not thing.__module__.startswith(ELSEWHERE)


def described(path: str, thing: Any) -> Function:
    if isinstance(thing, DeclaredOp):
        return Function(path, thing.declaration.tensors, (), False)
    parameters = inspect.signature(thing).parameters.values()
    plain = [p for p in parameters if p.kind is not p.VAR_POSITIONAL]
    required = tuple(p.name for p in plain if p.default is p.empty and p.kind is not p.VAR_KEYWORD)
    optional = tuple((p.name, p.default, str(p.annotation)) for p in plain if p.default is not p.empty)
    return Function(path, required, optional, any(p.kind is p.VAR_POSITIONAL for p in parameters))


def declared_ops() -> list[Function]:
    """Elementwise ops that the public surface does not name as they are."""
    known = {id(thing) for module in MODULES.values() for thing in vars(module).values()}
    ops = [
        d
        for d in OPS.values()
        if d.kind == "elemwise" and not d.parameters and "eqsat." in d.meaning.__module__
    ]
    return [
        Function(f'eqsat.graph.declare.OPS["{d.name}"]', d.tensors, (), False)
        for d in ops
        if id(d.bind()) not in known
    ]


# ---------------------------------------------------------------------------------------------------- ways to call

Way = tuple[str, ...]  # of each operand: a literal, or a kind and a rank, as "f2"


@cache
def ways(function: Function) -> tuple[Way, ...]:
    """Operands with which a function gives a value on operands of length 3."""
    rng = random.Random(function.path)
    found = []
    for way in itertools.islice(candidates(function, rng), COMBINATIONS):
        pool = samples()
        try:
            pool.add(f"{function.path}({', '.join(filled(way, lambda kind: f'v{KINDS.index(kind)}'))})")
        except Refused:
            continue
        found.append(way)
        if len(found) == MOST_WAYS:
            break
    return tuple(found)


KINDS = [f"{kind}{rank}" for kind, ranks in RANKS.items() for rank in ranks]


def samples() -> Pool:
    """A pool with one operand of each kind and rank."""
    pool = Pool(random.Random(0))
    rng = np.random.default_rng(0)
    for k, kind in enumerate(KINDS):
        shape = (3,) * int(kind[1])
        value = (
            rng.integers(0, 3, shape)
            if kind[0] in "ib"
            else rng.uniform(0.25, 0.75, shape) + 2 * (np.eye(3) if len(shape) == 2 else 0)
        )
        pool.add_input(
            Input(f"v{k}", DTYPES[kind[0]], (None,) * len(shape), np.array(value, DTYPES[kind[0]]))
        )
    return pool


def candidates(function: Function, rng: random.Random) -> Iterator[Way]:
    """Ways that may work: the common ones first, then any."""
    count = len(function.required) + (rng.randint(1, 2) if function.many else 0)
    choices = [*KINDS, *LITERALS]
    if not count:
        yield ()
        return
    if count == 1:
        yield from ((c,) for c in choices)
        return
    for same in KINDS:
        yield (same,) * count
    for _ in range(10 * COMBINATIONS):
        yield tuple(rng.choice(choices) for _ in range(count))


def filled(way: Sequence[str], operand: Any) -> list[str]:
    """Texts of operands; ``operand(kind)`` names a tensor of a kind."""
    made = []
    for item in way:
        if item in KINDS:
            made.append(operand(item))
        elif "{" in item:
            made.append(item.format(**{k: operand(k) for k in KINDS if "{" + k + "}" in item}))
        else:
            made.append(item)
    return made


def options(function: Function, rng: random.Random) -> str:
    """Some of the keywords with random values, as text."""
    made = []
    for name, default, annotation in function.optional:
        chance = 0.6 if name == "axis" else 0.2
        if rng.random() < chance and (text := option(name, default, annotation, rng)) is not None:
            made.append(f"{name}={text}")
    return "".join(f", {m}" for m in made)


def option(name: str, default: Any, annotation: str, rng: random.Random) -> str | None:
    """A value of a keyword by its name, default and type; None for one that cannot be guessed."""
    if "inplace" in name or name in ("no_zeros_in_input", "assume_unique", "ignore_duplicates"):
        return None
    if name == "dtype" or name == "acc_dtype":
        return repr(rng.choice(ALL))
    if name == "axis":
        return rng.choice(["0", "-1", "1", "None", "(0, 1)"])
    if isinstance(default, bool):
        return str(not default)
    if isinstance(default, int):
        return str(rng.randint(-2, 3))
    return None
