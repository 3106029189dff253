"""The values of a random program while it grows: names, kinds, and which can take part in a step."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from campaign.scans.programs import Input, Kind, Let

FLOATS = ("float64", "float32")


class NothingFits(Exception):
    """No value at hand can take part in a step."""


@dataclass
class Scope:
    """The values that a body can use: its own and those around it."""

    around: Scope | None = None
    own: dict[str, Kind] = field(default_factory=dict)
    body: list[Any] = field(default_factory=list)

    @property
    def depth(self) -> int:
        return 0 if self.around is None else 1 + self.around.depth

    def everything(self) -> dict[str, Kind]:
        return {**(self.around.everything() if self.around else {}), **self.own}


class Values:
    """What one program holds; ``smooth`` ones have derivatives that differences can measure."""

    def __init__(self, seed: str, smooth: bool = False) -> None:
        self.seed, self.smooth = seed, smooth
        self.rng = random.Random(seed)
        self.counter = 0
        self.inputs: list[Input] = []
        self.shared: list[Input] = []
        self.sizes: dict[str, int | None] = {
            "1": 1,
            "A": self.rng.choice([2, 3]),
            "B": self.rng.choice([2, 3, 4]),
            "U": 1,
        }
        self.sizes["N"] = self.rng.choice([*range(1, 8)] * 2 + [0])
        self.sizes["NN"] = self.rng.choice([1, 2, 4, 5, 6])
        self.dtypes = (
            ["float64"] if smooth else self.rng.choice([["float64"], ["float64"], ["float32"], list(FLOATS)])
        )
        self.top = Scope()
        self.used: set[str] = set()

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def name(self, letter: str) -> str:
        self.counter += 1
        return f"{letter}{self.counter}"

    def put(self, scope: Scope, op: str, args: Sequence[str], kind: Kind, *params: Any) -> str:
        name = self.name("v")
        scope.body.append(Let(name, op, tuple(args), params))
        scope.own[name] = kind
        return name

    def dim(self, size: int | None) -> str:
        """A length of its own."""
        name = self.name("d")
        self.sizes[name] = size
        return name

    def input(self, kind: Kind, number: int | None = None, letter: str = "x") -> str:
        name = self.name(letter)
        self.inputs.append(Input(name, kind, number, number is None and self.chance(0.25)))
        self.top.own[name] = kind
        return name

    def kind(self, scope: Scope, name: str) -> Kind:
        return scope.everything()[name]

    def pick(self, scope: Scope, test: Callable[[Kind], bool]) -> str:
        """A value that passes the test, likely a late one of the scope's own."""
        own = [v for v, k in scope.own.items() if test(k)]
        fresh = [v for v in own if v not in self.used]
        if fresh and self.chance(0.6):
            return self.take(self.rng.choice(fresh))
        outer = [v for v, k in (scope.around.everything() if scope.around else {}).items() if test(k)]
        if own and (not outer or self.chance(0.75)):
            return self.take(self.rng.choice(own[-5:] if self.chance(0.6) else own))
        if not outer:
            raise NothingFits
        return self.take(self.rng.choice(outer))

    def take(self, name: str) -> str:
        self.used.add(name)
        return name

    def sized(self, kind: Kind) -> bool:
        return all(self.sizes[d] is not None for d in kind.dims)

    def full(self, kind: Kind) -> bool:
        """True where nothing has length 0."""
        return all(self.sizes[d] for d in kind.dims)

    @staticmethod
    def floating(kind: Kind) -> bool:
        return kind.dtype in FLOATS

    @staticmethod
    def whole(kind: Kind) -> bool:
        return kind.dtype.startswith("int")

    @staticmethod
    def joined(a: Sequence[str], b: Sequence[str]) -> tuple[str, ...] | None:
        """The lengths of a broadcast pair, None where they do not fit."""
        long, short = (a, b) if len(a) >= len(b) else (b, a)
        padded = ["1"] * (len(long) - len(short)) + list(short)
        if any(p != q and "1" not in (p, q) for p, q in zip(long, padded)):
            return None
        return tuple(q if p == "1" else p for p, q in zip(long, padded))
