"""Optimisers: plain functions that give the updates of one step, for ``function(updates=)``.

Each takes a scalar loss, or a list of gradients, and the shared variables that are to be trained. The rate is a number, a scalar
variable, or a function of the step, the number of steps before this one. What an optimiser remembers lies in shared variables
of its own, in the dtype of the parameter; each call makes new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import eqsat.tensor as T
from eqsat.graph.updates import OrderedUpdates
from eqsat.optim.descent import Parameter, Rate, descend


def sgd(loss: Any, parameters: Sequence[Any], learning_rate: Rate = 0.01) -> OrderedUpdates:
    """Gradient descent: p - rate * g.

    Errors   ArgumentError for a parameter that is not shared; DTypeError for one that is not real

    >>> import eqsat
    >>> from eqsat import optim
    >>> w = eqsat.shared(1.0, "w")
    >>> step = eqsat.function([], w**2, updates=optim.sgd(w**2, [w], 0.25))
    >>> step().item(), step().item(), w.get_value().item()
    (1.0, 0.25, 0.25)
    """
    return descend("sgd", loss, parameters, learning_rate, lambda p: -p.rate * p.gradient)


def momentum(
    loss: Any,
    parameters: Sequence[Any],
    learning_rate: Rate = 0.01,
    momentum: Any = 0.9,
    nesterov: bool = False,
) -> OrderedUpdates:
    """Gradient descent with a velocity: v = momentum * v - rate * g, then p + v.

    With ``nesterov=True`` p + momentum * v - rate * g, which looks one step ahead.

    Errors   ArgumentError for a parameter that is not shared; DTypeError for one that is not real
    Source   Polyak 1964; Sutskever, Martens, Dahl & Hinton 2013, equations 1 to 4

    >>> import eqsat
    >>> from eqsat import optim
    >>> w = eqsat.shared(1.0, "w")
    >>> step = eqsat.function([], w, updates=optim.momentum(w**2, [w], 0.25, momentum=0.5))
    >>> step().item(), step().item(), step().item()
    (1.0, 0.5, 0.0)
    """

    def change(p: Parameter) -> Any:
        keep, pull = p.number(momentum), p.rate * p.gradient
        old = p.state("velocity")
        velocity = p.follow(old, keep * old - pull)
        return keep * velocity - pull if nesterov else velocity

    return descend("momentum", loss, parameters, learning_rate, change)


def _adam_direction(p: Parameter, beta1: Any, beta2: Any, epsilon: Any) -> Any:
    """The mean of the gradients over the root of the mean of their squares, both freed of their start at zero."""
    count = p.descent.step + 1
    mean = p.average("mean", p.gradient, beta1) / p.number(1 - T.pow(beta1, count))
    square = p.average("square", T.sqr(p.gradient), beta2) / p.number(1 - T.pow(beta2, count))
    return mean / (T.sqrt(square) + p.number(epsilon))


def adam(
    loss: Any,
    parameters: Sequence[Any],
    learning_rate: Rate = 0.001,
    beta1: Any = 0.9,
    beta2: Any = 0.999,
    epsilon: Any = 1e-8,
) -> OrderedUpdates:
    """Adam: steps along a running mean of the gradients, over the root of that of their squares.

    Errors   ArgumentError for a parameter that is not shared; DTypeError for one that is not real
    Source   Kingma & Ba 2015, algorithm 1

    >>> import eqsat
    >>> from eqsat import optim
    >>> w = eqsat.shared(1.0, "w")
    >>> step = eqsat.function([], w, updates=optim.adam(w**2, [w], 0.25))
    >>> step().item(), round(step().item(), 6)  # the first step has the length of the rate
    (1.0, 0.75)
    """

    def change(p: Parameter) -> Any:
        return -p.rate * _adam_direction(p, beta1, beta2, epsilon)

    return descend("adam", loss, parameters, learning_rate, change)


def adamw(
    loss: Any,
    parameters: Sequence[Any],
    learning_rate: Rate = 0.001,
    beta1: Any = 0.9,
    beta2: Any = 0.999,
    epsilon: Any = 1e-8,
    weight_decay: Any = 0.01,
) -> OrderedUpdates:
    """Adam with decay of the weights beside it: p - rate * (adam's direction + weight_decay * p).

    Errors   ArgumentError for a parameter that is not shared; DTypeError for one that is not real
    Source   Loshchilov & Hutter 2019, algorithm 2, with the rate as its schedule

    >>> import eqsat
    >>> from eqsat import optim
    >>> w = eqsat.shared(1.0, "w")
    >>> step = eqsat.function([], w, updates=optim.adamw(w**2, [w], 0.25, weight_decay=0.5))
    >>> step().item(), round(step().item(), 6)
    (1.0, 0.625)
    """

    def change(p: Parameter) -> Any:
        decay = p.number(weight_decay) * p.variable
        return -p.rate * (_adam_direction(p, beta1, beta2, epsilon) + decay)

    return descend("adamw", loss, parameters, learning_rate, change)


def rmsprop(
    loss: Any, parameters: Sequence[Any], learning_rate: Rate = 0.001, rho: Any = 0.9, epsilon: Any = 1e-8
) -> OrderedUpdates:
    """RMSprop: p - rate * g / (root of a running mean of g**2 + epsilon).

    Errors   ArgumentError for a parameter that is not shared; DTypeError for one that is not real
    Source   Tieleman & Hinton 2012, lecture 6.5

    >>> import eqsat
    >>> from eqsat import optim
    >>> w = eqsat.shared(1.0, "w")
    >>> step = eqsat.function([], w, updates=optim.rmsprop(w**2, [w], 0.25, rho=0.75))
    >>> step().item(), round(step().item(), 6)
    (1.0, 0.5)
    """

    def change(p: Parameter) -> Any:
        square = p.average("square", T.sqr(p.gradient), rho)
        return -p.rate * p.gradient / (T.sqrt(square) + p.number(epsilon))

    return descend("rmsprop", loss, parameters, learning_rate, change)


def adadelta(
    loss: Any, parameters: Sequence[Any], learning_rate: Rate = 1.0, rho: Any = 0.95, epsilon: Any = 1e-6
) -> OrderedUpdates:
    """Adadelta: gradients scaled by the lengths of the last steps over those of the last gradients.

    Errors   ArgumentError for a parameter that is not shared; DTypeError for one that is not real
    Source   Zeiler 2012, algorithm 1

    >>> import eqsat
    >>> from eqsat import optim
    >>> w = eqsat.shared(1.0, "w")
    >>> step = eqsat.function([], w, updates=optim.adadelta(w**2, [w], epsilon=0.25))
    >>> step().item(), round(step().item(), 6)
    (1.0, -0.490712)
    """

    def change(p: Parameter) -> Any:
        small, steps = p.number(epsilon), p.state("steps")
        square = p.average("square", T.sqr(p.gradient), rho)
        moved = -T.sqrt(steps + small) / T.sqrt(square + small) * p.gradient
        p.follow_average(steps, T.sqr(moved), rho)
        return p.rate * moved

    return descend("adadelta", loss, parameters, learning_rate, change)


def adagrad(
    loss: Any, parameters: Sequence[Any], learning_rate: Rate = 0.01, epsilon: Any = 1e-8
) -> OrderedUpdates:
    """Adagrad: p - rate * g / (root of the sum of all g**2 + epsilon).

    Errors   ArgumentError for a parameter that is not shared; DTypeError for one that is not real
    Source   Duchi, Hazan & Singer 2011, section 1, with the diagonal

    >>> import eqsat
    >>> from eqsat import optim
    >>> w = eqsat.shared(1.0, "w")
    >>> step = eqsat.function([], w, updates=optim.adagrad(w**2, [w], 0.25))
    >>> step().item(), round(step().item(), 6)
    (1.0, 0.75)
    """

    def change(p: Parameter) -> Any:
        old = p.state("square")
        total = p.follow(old, old + T.sqr(p.gradient))
        return -p.rate * p.gradient / (T.sqrt(total) + p.number(epsilon))

    return descend("adagrad", loss, parameters, learning_rate, change)
