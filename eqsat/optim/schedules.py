"""Rates that change while a network is trained: functions of the step, a variable or a number that counts from 0.

An optimiser takes a function of the step as its rate: ``adam(loss, weights, lambda step: cosine(step, 0.01, 1000))``. Any other
function of a variable does as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.tensor import TensorVariable


def _count(step: Any) -> Any:
    return T.cast(T.as_tensor_variable(step), "float64")


def constant(step: Any, rate: Any) -> TensorVariable:
    """The same rate at every step.

    >>> from eqsat import optim
    >>> optim.constant(7, 0.1).eval().item()
    0.1
    """
    return T.as_tensor_variable(rate) + 0 * _count(step)


def exponential(step: Any, rate: Any, factor: Any, steps: Any = 1, staircase: bool = False) -> TensorVariable:
    """rate * factor ** (step / steps); with ``staircase=True`` the exponent is cut to an integer.

    >>> from eqsat import optim
    >>> optim.exponential(20, 0.5, 0.5, steps=10).eval().item()
    0.125
    """
    exponent = _count(step) / steps
    return rate * T.pow(T.as_tensor_variable(factor), T.floor(exponent) if staircase else exponent)


def cosine(step: Any, rate: Any, steps: Any, end: Any = 0.0) -> TensorVariable:
    """From ``rate`` to ``end`` along half a cosine of a length of ``steps``; then ``end``.

    Source   Loshchilov & Hutter 2017, equation 5, without restarts

    >>> from eqsat import optim
    >>> [round(optim.cosine(k, 0.5, 10).eval().item(), 6) for k in (0, 5, 10, 20)]
    [0.5, 0.25, 0.0, 0.0]
    """
    part = T.clip(_count(step) / steps, 0.0, 1.0)
    return end + (rate - end) * 0.5 * (1 + T.cos(math.pi * part))


def piecewise(step: Any, rates: Sequence[Any], begins: Sequence[Any]) -> TensorVariable:
    """The first rate, then from each step in ``begins`` on the next one.

    Errors   ArgumentError where there is not one rate more than there are beginnings

    >>> from eqsat import optim
    >>> [optim.piecewise(k, [0.5, 0.25, 0.125], [10, 20]).eval().item() for k in (9, 10, 25)]
    [0.5, 0.25, 0.125]
    """
    if len(rates) != len(begins) + 1:
        raise ArgumentError(
            f"piecewise: {len(rates)} rates and {len(begins)} beginnings",
            needs="one rate more than beginnings",
        )
    found = constant(step, rates[0])
    for rate, begin in zip(rates[1:], begins):
        found = T.switch(_count(step) >= begin, rate, found)
    return found


def warmup(step: Any, rate: Any, steps: Any) -> TensorVariable:
    """A rate, or a schedule at this step, that grows in equal parts to its height over the first ``steps`` steps.

    Source   Goyal et al. 2017, section 2.2

    >>> from eqsat import optim
    >>> [optim.warmup(k, optim.constant(k, 0.5), 4).eval().item() for k in (0, 1, 3, 9)]
    [0.125, 0.25, 0.5, 0.5]
    """
    return rate * T.minimum((_count(step) + 1) / steps, 1.0)
