"""The frame of every optimiser: gradients of parameters, the tensors that it remembers, and the updates of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError
from eqsat.gradient import grad
from eqsat.graph.core import Variable
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.updates import OrderedUpdates
from eqsat.tensor.shared import TensorSharedVariable, shared

Rate = Any  # a number, a scalar, or a function of the step that gives one


class Descent:
    """The updates of one call of an optimiser, as they come together."""

    def __init__(self, name: str, rate: Rate) -> None:
        self.name, self.rate = name, rate
        self.updates = OrderedUpdates()
        self._step: TensorSharedVariable | None = None

    @property
    def step(self) -> TensorSharedVariable:
        """The number of steps before this one: a shared variable, there for optimisers and rates that read it."""
        if self._step is None:
            self._step = shared(np.int64(0), f"{self.name}_step")
            self.updates[self._step] = self._step + 1
        return self._step

    def current_rate(self) -> Any:
        """The rate of this step."""
        return (
            self.rate(self.step) if callable(self.rate) and not isinstance(self.rate, Variable) else self.rate
        )


class Parameter:
    """One parameter of a descent: its gradient, and the states that the optimiser keeps of it, which begin at zero."""

    def __init__(self, descent: Descent, variable: TensorSharedVariable, gradient: Any, rate: Any) -> None:
        self.descent, self.variable = descent, variable
        self.gradient = T.cast(T.as_tensor_variable(gradient), variable.dtype)
        self.rate = self.number(rate)

    def number(self, value: Any) -> Any:
        """A number in the parameter's dtype."""
        return T.cast(T.as_tensor_variable(value), self.variable.dtype)

    def state(self, name: str) -> TensorSharedVariable:
        """A new state of the parameter's shape, all zero."""
        zeros = np.zeros_like(self.variable.get_value(borrow=True))
        return shared(zeros, f"{self.variable}_{self.descent.name}_{name}", shape=self.variable.type.shape)

    def follow(self, state: TensorSharedVariable, value: Any) -> Any:
        """The value that a state has from the next step on."""
        new = self.descent.updates[state] = T.cast(value, state.dtype)
        return new

    def average(self, name: str, value: Any, keep: Any) -> Any:
        """The new value of a running average, ``keep`` of the old one and the rest of ``value``."""
        return self.follow_average(self.state(name), value, keep)

    def follow_average(self, state: TensorSharedVariable, value: Any, keep: Any) -> Any:
        """The same for a state that was read before."""
        return self.follow(state, self.number(keep) * state + self.number(1 - keep) * value)


def descend(
    name: str, loss: Any, parameters: Sequence[Any], rate: Rate, change: Callable[[Parameter], Any]
) -> OrderedUpdates:
    """The updates that add ``change`` of each parameter to it."""
    parameters = list(parameters) if isinstance(parameters, (list, tuple)) else [parameters]
    check_parameters(name, parameters)
    descent = Descent(name, rate)
    now = descent.current_rate()
    for variable, gradient in zip(parameters, gradients(name, loss, parameters)):
        added = change(Parameter(descent, variable, gradient, now))
        descent.updates[variable] = variable + T.cast(added, variable.dtype)
    return descent.updates


def gradients(name: str, loss: Any, parameters: Sequence[Any]) -> list[Any]:
    """The gradients of a loss, or those that are given in its place, one for each parameter."""
    if not isinstance(loss, (list, tuple)):
        return list(grad(loss, parameters))
    if len(loss) != len(parameters):
        raise ArgumentError(f"{name}: {len(loss)} gradients for {len(parameters)} parameters")
    return list(loss)


def check_parameters(name: str, parameters: Sequence[Any]) -> None:
    """Raise where a parameter cannot be updated by small steps."""
    for k, p in enumerate(parameters):
        if not isinstance(p, TensorSharedVariable):
            raise ArgumentError(
                f"{name}: parameter {k}, {p}, is not a shared variable",
                hint="eqsat.shared(value), which keeps the value between calls",
            )
        if p.dtype not in FLOATS:
            raise DTypeError(
                f"{name}: parameter {p} is {p.dtype}", operands=[(str(p), p)], needs="float32 or float64"
            )
