"""A program: typed inputs with values, steps of one line of Python each, and outputs; a graph or a text to paste."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T

NAME = re.compile(r"\b[rv]\d+\b")
MOST_WRITTEN = 4000  # numbers of an input
INFINITE = {"inf": np.inf, "nan": np.nan}
NAMESPACE: dict[str, Any] = {"T": T, "np": np, "eqsat": eqsat, **INFINITE}


@dataclass(frozen=True, eq=False)
class Input:
    """An input: the lengths that its type knows, and a value, which is ``base`` seen through ``layout``.

    ``layout`` is Python text after an array, such as ``"[::-1]"`` or ``".T"``, or text around one, which stands at ``{}``.
    """

    name: str
    dtype: str
    shape: tuple[int | None, ...]
    base: Any
    layout: str = ""

    @property
    def value(self) -> Any:
        return eval(self._seen("base"), {"base": self.base, "np": np})

    def _seen(self, text: str) -> str:
        """The text of an array seen through the layout."""
        return self.layout.replace("{}", text) if "{}" in self.layout else f"{text}{self.layout}"

    def declared(self) -> str:
        return f'{self.name} = T.tensor("{self.dtype}", {self.shape}, "{self.name}")'

    def written(self) -> str:
        """The value as Python text; a large one as others of its kind."""
        if self.base.size > MOST_WRITTEN:
            drawn = f"np.random.default_rng(0).normal(size={self.base.shape}).astype({self.dtype!r})"
            return self._seen(drawn)
        numbers = f"np.array({self.base.tolist()}, {self.dtype!r})"
        empty = f".reshape({self.base.shape})" if self.base.size == 0 else ""
        return self._seen(f"{numbers}{empty}")


@dataclass(frozen=True)
class Step:
    """``name = text``, where the text names earlier inputs and steps."""

    name: str
    text: str

    def reads(self) -> list[str]:
        return NAME.findall(self.text)

    def __str__(self) -> str:
        return f"{self.name} = {self.text}"


@dataclass(frozen=True, eq=False)
class Program:
    """Inputs, steps and the names of the outputs."""

    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]

    def pruned(self) -> Program:
        """The program without inputs and steps that no output needs."""
        needed, kept = set(self.outputs), []
        for step in reversed(self.steps):
            if step.name in needed:
                needed.update(step.reads())
                kept.append(step)
        inputs = tuple(i for i in self.inputs if i.name in needed)
        return replace(self, inputs=inputs, steps=tuple(reversed(kept)))

    def variables(self) -> dict[str, Any]:
        """Every input and step as a variable, by name."""
        known = {i.name: T.tensor(i.dtype, i.shape, i.name) for i in self.inputs}
        for step in self.steps:
            known[step.name] = run(step.text, known)
        return known

    def values(self) -> list[Any]:
        return [i.value for i in self.inputs]

    def graph(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Inputs and outputs as variables, and the values of the inputs."""
        known = self.variables()
        return [known[i.name] for i in self.inputs], [known[o] for o in self.outputs], self.values()

    def text(self, mode: str = "FAST_RUN") -> str:
        """Python that shows the program in a mode and as written."""
        lines = ["import numpy as np, eqsat, eqsat.tensor as T"]
        body = [i.declared() for i in self.inputs] + [str(s) for s in self.steps]
        values = [i.written() for i in self.inputs]
        if any(word in " ".join([*body, *values]) for word in ("nan", "inf")):
            lines.append("nan, inf = np.nan, np.inf")
        inputs, outputs = (", ".join(names) for names in ([i.name for i in self.inputs], self.outputs))
        return "\n".join(
            [
                *lines,
                *body,
                f'for mode in ("reference", "{mode}"):',
                f'    f = eqsat.function([{inputs}], [{outputs}], mode=mode, on_unused_input="ignore")',
                f"    print(mode, f({', '.join(values)}))",
            ]
        )


@cache
def _code(text: str) -> Any:
    return compile(text, "<step>", "eval")


def run(text: str, known: Mapping[str, Any], tensors: Any = T) -> Any:
    """Evaluate the text of a step over variables; ``tensors`` is what it calls ``T``."""
    return eval(_code(text), {**NAMESPACE, "T": tensors}, dict(known))


def used(steps: Iterable[Step]) -> set[str]:
    return {name for s in steps for name in s.reads()}


def renamed(step: Step, old: str, new: str) -> Step:
    """The step with one name that it reads changed."""
    return Step(step.name, NAME.sub(lambda m: new if m.group() == old else m.group(), step.text))


def substituted(steps: Sequence[Step], old: str, new: str) -> tuple[Step, ...]:
    return tuple(renamed(s, old, new) for s in steps if s.name != old)
