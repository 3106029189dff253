"""A program that grows: every step is run on values at once, and is dropped where it has none."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from campaign.compare import perform
from campaign.program import Input, Program, Step, run
from eqsat.errors import EqsatError
from eqsat.graph.core import Constant, Variable
from eqsat.graph.walk import toposort

LARGEST = 600  # elements of a value


class Refused(Exception):
    """A step that the surface refuses, or that has no value (``at_run_time``); holds the error."""

    def __init__(self, text: str, error: BaseException, at_run_time: bool = False) -> None:
        super().__init__(f"{text}: {error}")
        self.text, self.error, self.at_run_time = text, error, at_run_time


class Pool:
    """Inputs and steps so far, as variables and as values."""

    largest = LARGEST

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.inputs: list[Input] = []
        self.steps: list[Step] = []
        self.variables: dict[str, Any] = {}
        self.known: dict[Any, Any] = {}

    def add_input(self, i: Input) -> str:
        from eqsat.tensor import tensor

        self.inputs.append(i)
        variable = self.variables[i.name] = tensor(i.dtype, i.shape, i.name)
        self.known[variable] = i.value
        return i.name

    def value(self, name: str) -> Any:
        return self.known[self.variables[name]]

    def names(self, test: Callable[[Any], bool] = lambda value: True) -> list[str]:
        return [n for n in self.variables if test(self.value(n))]

    def pick(self, test: Callable[[Any], bool] = lambda value: True) -> str | None:
        """A name, the latest more often; None where no value passes the test."""
        found = self.names(test)
        if not found:
            return None
        return self.rng.choice(found[-6:] if self.rng.random() < 0.6 else found)

    def add(self, text: str) -> str:
        """Add a step, or raise Refused."""
        try:
            variable = run(text, self.variables)
        except Exception as error:
            raise Refused(text, error) from None
        return self.keep(text, variable)

    def keep(self, text: str, variable: Any) -> str:
        """Add a step that made a variable; of several results one is taken."""
        if isinstance(variable, (list, tuple)) and variable:
            k = self.rng.randrange(len(variable))
            text, variable = f"{text}[{k}]", variable[k]
        if not isinstance(variable, Variable) or not hasattr(variable.type, "dtype"):
            raise Refused(text, EqsatError("no tensor"))
        if variable.owner is None:
            raise Refused(text, EqsatError("no new value"))
        self.compute(text, variable)
        name = f"r{len(self.steps)}"
        self.steps.append(Step(name, text))
        self.variables[name] = variable
        return name

    def compute(self, text: str, variable: Any) -> None:
        """The value of a new variable; Refused for one that is large or has none."""
        if any(n is not None and n > self.largest for n in variable.type.shape):
            raise Refused(text, EqsatError("large"))
        new: dict[Any, Any] = {}

        def value(v: Any) -> Any:
            if v in self.known:
                return self.known[v]
            return v.data if isinstance(v, Constant) and v not in new else new[v]

        for node in toposort([variable], stop=self.known):
            try:
                perform(node, value, new)
            except Exception as error:
                raise Refused(text, error, at_run_time=node is variable.owner) from None
            if max(np.asarray(new[v]).size for v in node.outputs) > self.largest:
                raise Refused(text, EqsatError("large"))
        self.known.update(new)

    def program(self, outputs: list[str]) -> Program:
        return Program(tuple(self.inputs), tuple(self.steps), tuple(outputs)).pruned()
