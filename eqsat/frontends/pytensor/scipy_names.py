"""Functions that eqsat leaves to SciPy, element by element: special functions, and inverses of distributions.

>>> import eqsat.tensor as T
>>> SPECIAL_FUNCTIONS["gammainc"](2.0, T.constant([0.0, 1.0])).eval().round(6)
array([0.      , 0.264241])
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
from eqsat.gradient import grad_not_implemented, sum_to
from eqsat.graph.constant import as_tensor, pad_left
from eqsat.graph.core import Apply, Op
from eqsat.graph.dtypes import promote, to_float
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

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_gradients: Sequence[Any]
    ) -> list[Any]:
        slopes = SLOPES.get(self.function)
        found = [None] * len(inputs) if slopes is None else slopes(*inputs, outputs[0])
        return [
            grad_not_implemented(self, k, x)
            if d is None
            else sum_to(T.cast(output_gradients[0] * d, x.dtype), x)
            for k, (x, d) in enumerate(zip(inputs, found, strict=True))
        ]


def _common(lengths: Sequence[int | None]) -> int | None:
    wide = {n for n in lengths if n != 1}
    return 1 if not wide else max((n for n in wide if n is not None), default=None)


# ------------------------------------------------------------------------------------------------ special functions

SPECIAL = [
    "gammainc",
    "gammaincc",
    "gammaincinv",
    "gammainccinv",
    "betainc",
    "betaincinv",
    "jv",
    "iv",
    "ive",
    "kv",
    "kve",
    "hyp2f1",
    "owens_t",
]


def _gamma_density(k: Any, x: Any) -> Any:
    return T.exp((k - 1) * T.log(x) - x - T.gammaln(k))


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    logarithm = T.gammaln(a + b) - T.gammaln(a) - T.gammaln(b)
    return T.exp((a - 1) * T.log(x) + (b - 1) * T.log1p(-x) + logarithm)


def _near(name: str, sign: float, other: float, extra: Callable[[Any], Any] = lambda x: 0.0) -> Any:
    """Slopes of a Bessel function, from those of the orders beside it."""

    def slopes(v: Any, x: Any, out: Any) -> list[Any]:
        below, above = call(name)(v - 1, x), call(name)(v + 1, x)
        return [None, sign * 0.5 * (below + other * above) + extra(x) * out]

    return slopes


def _owens_slopes(h: Any, a: Any, out: Any) -> list[Any]:
    of_h = -T.exp(-h * h / 2) * T.erf(a * h / np.sqrt(2)) / (2 * np.sqrt(2 * np.pi))
    return [of_h, T.exp(-h * h * (1 + a * a) / 2) / (2 * np.pi * (1 + a * a))]


SLOPES: dict[str, Callable[..., list[Any]]] = {
    "gammainc": lambda k, x, out: [None, _gamma_density(k, x)],
    "gammaincc": lambda k, x, out: [None, -_gamma_density(k, x)],
    "gammaincinv": lambda k, p, out: [None, 1 / _gamma_density(k, out)],
    "gammainccinv": lambda k, p, out: [None, -1 / _gamma_density(k, out)],
    "betainc": lambda a, b, x, out: [None, None, _beta_density(a, b, x)],
    "betaincinv": lambda a, b, p, out: [None, None, 1 / _beta_density(a, b, out)],
    "jv": _near("jv", 1.0, -1.0),
    "iv": _near("iv", 1.0, 1.0),
    "ive": _near("ive", 1.0, 1.0, lambda x: -T.sgn(x)),
    "kv": _near("kv", -1.0, 1.0),
    "kve": _near("kve", -1.0, 1.0, lambda x: 1.0),
    "hyp2f1": lambda a, b, c, z, out: [None, None, None, a * b / c * call("hyp2f1")(a + 1, b + 1, c + 1, z)],
    "owens_t": _owens_slopes,
}


def call(name: str) -> Callable[..., Any]:
    """A function of tensors, whose dtype is floating."""

    def function(*operands: Any) -> Any:
        given = [as_tensor(v) for v in operands]
        return Elementwise(name, to_float(promote(*(v.dtype for v in given))))(*given)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``scipy.special.{name}``; its gradient is that of the last operand."
    return function


SPECIAL_FUNCTIONS: dict[str, Any] = {name: call(name) for name in SPECIAL}
SPECIAL_FUNCTIONS |= {
    "gammal": lambda k, x: SPECIAL_FUNCTIONS["gammainc"](k, x) * T.gamma(k),
    "gammau": lambda k, x: SPECIAL_FUNCTIONS["gammaincc"](k, x) * T.gamma(k),
    "chi2sf": lambda x, k: SPECIAL_FUNCTIONS["gammaincc"](as_tensor(k) / 2.0, as_tensor(x) / 2.0),
    "kn": SPECIAL_FUNCTIONS["kv"],
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
