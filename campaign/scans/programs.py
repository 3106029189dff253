"""Scan programs as data, and their two meanings: a graph made with ``eqsat.scan``, and loops over arrays.

A program is a list of statements. A ``Let`` names the result of an op; a ``Loop`` names the outputs of a scan, and
its body is again a list of statements. The loops over arrays follow docs/scan.md and share nothing with the library.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Kind:
    """A dtype and the names of the lengths; "1" is a length that the graph knows to be one."""

    dtype: str
    dims: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"{self.dtype}[{', '.join(self.dims)}]"


@dataclass(frozen=True)
class Input:
    """An input, or a shared variable; ``number`` is the value of one that counts steps, ``known`` a known shape."""

    name: str
    kind: Kind
    number: int | None = None
    known: bool = False


@dataclass(frozen=True)
class Let:
    """The result of an op."""

    name: str
    op: str
    args: tuple[str, ...]
    params: tuple[Any, ...] = ()

    def lines(self) -> list[str]:
        return [f"{self.name} = {self.op}({', '.join([*self.args, *map(repr, self.params)])})"]


@dataclass(frozen=True)
class Rows:
    """A sequence of a loop, with a name for the row of each tap."""

    source: str
    taps: tuple[int, ...]
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """An output of a loop: the name outside, what a step computes, its kind; with taps a state."""

    name: str
    value: str
    kind: Kind
    initial: str = ""
    taps: tuple[int, ...] = ()
    reads: tuple[str, ...] = ()


@dataclass(frozen=True)
class Loop:
    """A scan; ``n_steps`` is a number, the name of a variable or None, ``given`` the names passed as non-sequences."""

    sequences: tuple[Rows, ...]
    results: tuple[Result, ...]
    body: tuple[Any, ...]
    n_steps: int | str | None = None
    backwards: bool = False
    given: tuple[tuple[str, str], ...] = ()  # name outside, name inside
    updates: tuple[tuple[str, str], ...] = ()
    until: str | None = None
    truncate: int = -1

    def lines(self) -> list[str]:
        head = [f"steps {self.n_steps}"] if self.n_steps is not None else []
        head += ["backwards"] * self.backwards + [f"truncate {self.truncate}"] * (self.truncate > 0)
        found = [f"{', '.join(r.name for r in self.results)} = loop {' '.join(head)}".rstrip()]
        found += [f"    {', '.join(s.rows)} = {s.source}[t] {list(s.taps)}" for s in self.sequences]
        found += [
            f"    {', '.join(r.reads)} = state {list(r.taps)} from {r.initial}"
            for r in self.results
            if r.taps
        ]
        found += [f"    {inner} = given {outer}" for outer, inner in self.given]
        found += ["    " + line for s in self.body for line in s.lines()]
        found += [f"    {r.name}[t] = {r.value}    {r.kind}" for r in self.results]
        found += [f"    {s} <- {v}" for s, v in self.updates]
        return found + [f"    until {self.until}"] * (self.until is not None)


@dataclass(frozen=True)
class Program:
    """Inputs, shared variables, statements, and the names of the outputs; ``sizes`` are the lengths by name."""

    seed: str
    inputs: tuple[Input, ...]
    shared: tuple[Input, ...]
    body: tuple[Any, ...]
    outputs: tuple[str, ...]
    sizes: Mapping[str, int | None] = field(default_factory=dict)

    def __str__(self) -> str:
        sizes = ", ".join(f"{k}={v}" for k, v in self.sizes.items())
        found = [f"program {self.seed}: {sizes}"]
        for what, inputs in (("input", self.inputs), ("shared", self.shared)):
            found += [
                f"{what} {i.name}: {i.kind}{' known' * i.known}"
                + (f" = {i.number}" if i.number is not None else "")
                for i in inputs
            ]
        return "\n".join(
            [*found, *(line for s in self.body for line in s.lines()), "-> " + ", ".join(self.outputs)]
        )

    def values(self, call: int = 0, longer: int = 0) -> dict[str, Any]:
        """Values of inputs and shared variables; for a later call others, along time (dims named N) longer."""
        return {i.name: self._value(i, call, longer) for i in (*self.inputs, *self.shared)}

    def _value(self, i: Input, call: int, longer: int) -> Any:
        rng = np.random.default_rng([zlib.crc32(f"{self.seed} {i.name}".encode()), call])
        if i.number is not None:
            return np.asarray(i.number, i.kind.dtype)
        shape = [self.sizes[d] + (longer if d.startswith("N") and not i.known else 0) for d in i.kind.dims]  # type: ignore[operator]
        if i.kind.dtype.startswith("float"):
            return np.asarray(rng.uniform(-1, 1, shape), i.kind.dtype)
        return np.asarray(rng.integers(0, 5, shape), i.kind.dtype)
