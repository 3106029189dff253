"""Functions that eqsat leaves to SciPy, element by element: special functions, and inverses of distributions.

>>> import eqsat.tensor as T
>>> SPECIAL_FUNCTIONS["chi2sf"](T.constant([0.0, 1.0]), 2.0).eval().round(6)
array([1.      , 0.606531])
>>> Elementwise("poisson", "int64")(T.constant(0.5), T.constant(4.0)).eval()
array(4)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from eqsat import tensor
from eqsat.graph.constant import as_tensor, pad_left
from eqsat.graph.core import Apply, Op
from eqsat.graph.tensor_type import TensorType

T: Any = tensor


class Elementwise(Op):
    """A function of SciPy on tensors that broadcast.

    Shapes   [...], ... -> [...], as NumPy broadcasts lengths of 1 that the types know
    """

    __props__ = ("function", "dtype")

    def __init__(self, function: str, dtype: str) -> None:
        self.function, self.dtype, self.name = function, dtype, function

    def make_node(self, *inputs: Any) -> Apply:
        given = [as_tensor(v) for v in inputs]
        ndim = max(v.ndim for v in given)
        padded = [pad_left(v, ndim) for v in given]
        shape = [_common([v.type.shape[axis] for v in padded]) for axis in range(ndim)]
        return Apply(self, padded, [TensorType(self.dtype, shape=shape)()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        """Ask SciPy."""
        with np.errstate(all="ignore"):
            output_storage[0][0] = np.asarray(scipy_function(self.function)(*inputs), self.dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """The lengths of the operands where they are not 1."""
        lengths, kinds = [], [v.type for v in node.inputs if isinstance(v.type, TensorType)]
        for axis in range(kinds[0].ndim):
            wide = [k for k, kind in enumerate(kinds) if kind.shape[axis] != 1]
            lengths.append(shapes[wide[0] if wide else 0][axis])
        return [lengths]


def _common(lengths: Sequence[int | None]) -> int | None:
    wide = {n for n in lengths if n != 1}
    return 1 if not wide else max((n for n in wide if n is not None), default=None)


# ------------------------------------------------------------------------------------------------ special functions

SPECIAL_FUNCTIONS: dict[str, Any] = {
    "gammal": lambda k, x: T.gammainc(k, x) * T.gamma(k),
    "gammau": lambda k, x: T.gammaincc(k, x) * T.gamma(k),
    "chi2sf": lambda x, k: T.gammaincc(as_tensor(k) / 2.0, as_tensor(x) / 2.0),
    "kn": T.kv,
}

# --------------------------------------------------------------------------------------------------- distributions


class Inverse(NamedTuple):
    """The parameters of a distribution with their defaults, the dtype of a draw, and its inverse.

    The inverse is the name of a distribution of SciPy, or a function of ``scipy.stats``, the part and the parameters.
    """

    parameters: str
    dtype: str
    at: str | Callable[..., Any]


def _real(parameters: str, at: str | Callable[..., Any]) -> Inverse:
    return Inverse(parameters, "floatX", at)


def _whole(parameters: str, at: str | Callable[..., Any]) -> Inverse:
    return Inverse(parameters, "int64", at)


def _triangle(s: Any, u: Any, left: Any, mode: Any, right: Any) -> Any:
    return s.triang.ppf(u, (mode - left) / (right - left), left, right - left)


def _on_circle(s: Any, u: Any, mu: Any, kappa: Any) -> Any:
    return np.remainder(s.vonmises.ppf(u, kappa, mu) + np.pi, 2 * np.pi) - np.pi


QUANTILES: dict[str, Inverse] = {
    "beta": _real("alpha beta", "beta"),
    "betabinom": _whole("n a b", "betabinom"),
    "cauchy": _real("loc=0 scale=1", "cauchy"),
    "gamma": _real("shape scale", lambda s, u, k, scale: s.gamma.ppf(u, k, 0, scale)),
    "gengamma": _real("alpha=1 p=1 lambd=1", lambda s, u, a, p, scale: s.gengamma.ppf(u, a / p, p, 0, scale)),
    "geometric": _whole("p", "geom"),
    "halfcauchy": _real("loc=0 scale=1", "halfcauchy"),
    "halfnormal": _real("loc=0 scale=1", "halfnorm"),
    "hypergeometric": _whole("ngood nbad nsample", lambda s, u, a, b, n: s.hypergeom.ppf(u, a + b, a, n)),
    "invgamma": _real("shape scale", lambda s, u, k, scale: s.invgamma.ppf(u, k, 0, scale)),
    "laplace": _real("loc=0 scale=1", "laplace"),
    "logistic": _real("loc=0 scale=1", "logistic"),
    "nbinom": _whole("n p", "nbinom"),
    "pareto": _real("b scale=1", lambda s, u, b, scale: s.pareto.ppf(u, b, 0, scale)),
    "poisson": _whole("lam=1", "poisson"),
    "rayleigh": _real("scale=1", lambda s, u, scale: s.rayleigh.ppf(u, 0, scale)),
    "t": _real("df loc=0 scale=1", "t"),
    "triangular": _real("left mode right", _triangle),
    "truncexpon": _real("b loc=0 scale=1", "truncexpon"),
    "vonmises": _real("mu kappa", _on_circle),
    "wald": _real("mean=1 scale=1", lambda s, u, mean, scale: s.invgauss.ppf(u, mean / scale, 0, scale)),
    "weibull": _real("shape", "weibull_min"),
}


def scipy_function(name: str) -> Callable[..., Any]:
    """The function of SciPy, or its inverse, that computes an op; SciPy is loaded by the first call."""
    if name not in QUANTILES:
        return getattr(import_module("scipy.special"), name)  # type: ignore[no-any-return]
    stats, at = import_module("scipy.stats"), QUANTILES[name].at
    return getattr(stats, at).ppf if isinstance(at, str) else partial(at, stats)
