"""Activation functions of neural networks; none overflows, and no gradient is NaN where the value is finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.constant import as_tensor, beside, cast_to, refuse_complex
from eqsat.graph.dtypes import to_float
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.special import ndtr

SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def _floating(x: Any) -> Any:
    x = as_tensor(x)
    refuse_complex("an activation function", x)
    return cast_to(x, to_float(x.dtype))


def _number(value: float, x: Any) -> Any:
    return np.asarray(value, x.dtype)


def relu(x: Any, alpha: Any = 0) -> Any:
    """x above zero, ``alpha * x`` below; the gradient at 0 is ``alpha``.

    Shapes   x: [...] -> [...], elementwise

    >>> import eqsat.tensor as T
    >>> T.relu([-2.0, 3.0]).eval(), T.relu([-2.0, 3.0], 0.5).eval()
    (array([0., 3.]), array([-1.,  3.]))
    """
    x = as_tensor(x)
    if isinstance(alpha, (int, float)) and alpha == 0:
        return e.maximum(_number(0, x), x)
    return e.switch(e.gt(x, 0), x, x * beside(alpha, x))


def _below(x: Any) -> Any:
    return e.minimum(x, _number(0, x))


def elu(x: Any, alpha: Any = 1) -> Any:
    """x above zero, ``alpha * (exp(x) - 1)`` below. Source: Clevert, Unterthiner & Hochreiter 2016.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.elu([-1000.0, 2.0]).eval()
    array([-1.,  2.])
    """
    x = _floating(x)
    return e.switch(e.gt(x, 0), x, beside(alpha, x) * e.expm1(_below(x)))


def selu(x: Any) -> Any:
    """``elu`` with the slope and scale that keep mean 0 and variance 1. Source: Klambauer et al. 2017.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.selu([-1000.0, 0.0, 1.0]).eval().round(4)
    array([-1.7581,  0.    ,  1.0507])
    """
    x = _floating(x)
    return _number(SELU_SCALE, x) * elu(x, _number(SELU_ALPHA, x))


def gelu(x: Any, approximate: bool = False) -> Any:
    """x times the normal distribution function of x, or its approximation by tanh.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers
    Source   Hendrycks & Gimpel 2016

    >>> import eqsat.tensor as T
    >>> T.gelu([-1.0, 0.0, 1.0]).eval().round(4)
    array([-0.1587,  0.    ,  0.8413])
    """
    x = _floating(x)
    if approximate:
        half = _number(0.5, x)
        inner = _number(np.sqrt(2 / np.pi), x) * (x + _number(0.044715, x) * (x * x * x))
        return half * x * (1 + e.tanh(inner))
    return x * ndtr(x)


def silu(x: Any) -> Any:
    """x times the logistic function of x, also called swish.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.silu([-1000.0, 0.0, 2.0]).eval().round(4)
    array([-0.    ,  0.    ,  1.7616])
    """
    x = _floating(x)
    return x * e.sigmoid(x)


def softsign(x: Any) -> Any:
    """x / (1 + abs(x)).

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.softsign([-3.0, 0.0, 1.0]).eval()
    array([-0.75,  0.  ,  0.5 ])
    """
    x = _floating(x)
    return x / (1 + e.abs(x))


def mish(x: Any) -> Any:
    """x * tanh(softplus(x)). Source: Misra 2019.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.mish([-1.0, 0.0, 1.0]).eval().round(4)
    array([-0.3034,  0.    ,  0.8651])
    """
    x = _floating(x)
    return x * e.tanh(e.softplus(x))


def logit(x: Any) -> Any:
    """log(x / (1 - x)), the inverse of the logistic function.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.logit([0.0, 0.5, 0.75]).eval().round(4)
    array([  -inf, 0.    , 1.0986])
    """
    x = _floating(x)
    return e.log(x) - e.log1p(-x)


def log_sigmoid(x: Any) -> Any:
    """log(sigmoid(x)) without the logarithm of 0.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.log_sigmoid([-1000.0, 1000.0]).eval()
    array([-1000.,    -0.])
    """
    return -e.softplus(-_floating(x))


def hard_sigmoid(x: Any) -> Any:
    """0.2 * x + 0.5, limited to the range from 0 to 1.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.hard_sigmoid([-3.0, 0.0, 1.0]).eval()
    array([0. , 0.5, 0.7])
    """
    x = _floating(x)
    return e.clip(x * _number(0.2, x) + _number(0.5, x), _number(0, x), _number(1, x))


def ultra_fast_sigmoid(x: Any) -> Any:
    """Logistic function approximated piece by piece with an error below 0.02, and no exponential.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.ultra_fast_sigmoid([0.0, 2.0]).eval()
    array([0.5  , 0.875])
    """
    x = _floating(x)
    half = x * _number(0.5, x)
    size = e.abs(half)
    curve = _number(1.5, x) * half / (1 + size)
    line = _number(0.935409070603099, x) + _number(0.0458812946797165, x) * (size - _number(1.7, x))
    flat = e.switch(e.lt(size, 3), line, _number(0.99505475368673, x))
    rise = e.switch(e.lt(size, _number(1.7, x)), curve, e.sign(x) * flat)
    return _number(0.5, x) * (1 + rise)
