"""Complex numbers: their parts, and how they are made.

Products and quotients follow NumPy: products without C's recovery of infinities, quotients by Smith's scaling.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.constant import as_tensor
from eqsat.graph.declare import Cost, elemwise
from eqsat.graph.dtypes import COMPLEX, to_float
from eqsat.graph.ops.elemwise import cos, mul, sin


def _turned(x: Any, dy: Any) -> Any:
    """A real gradient times i, in the complex dtype of x."""
    return mul(dy, np.asarray(1j, x.type.dtype))


@elemwise(name="real", c="__real__ {x}", signature="c->c", real_result=True, grad=lambda x, dy: dy)
def real_op(x: Any) -> Any:
    """Real part of complex numbers."""
    return np.real(x)


@elemwise(name="imag", c="__imag__ {x}", signature="c->c", real_result=True, grad=_turned)
def imag_op(x: Any) -> Any:
    """Imaginary part of complex numbers."""
    return np.imag(x)


@elemwise(
    name="conj",
    c="(~{x})",
    signature="c->c",
    grad=lambda x, dy: conj(dy),
    undoes="conj",
)
def conj_op(x: Any) -> Any:
    """Complex conjugate."""
    return np.conj(x)


@elemwise(
    name="angle",
    c="atan2{f}(__imag__ {x}, __real__ {x})",
    signature="c->c",
    real_result=True,
    grad=lambda x, dy: _turned(x, dy) / conj(x),
    cost=Cost(flops=50),
)
def angle_op(x: Any) -> Any:
    """Angle of complex numbers in radians, from -pi to pi."""
    return np.angle(x)


@elemwise(
    name="complex",
    c="eq_cmake__{T}({re}, {im})",
    signature="f,f->c",
    grad=lambda re, im, dy: (real(dy), imag(dy)),
)
def complex_op(re: Any, im: Any) -> Any:
    """Complex numbers of their real and imaginary parts."""
    re, im = np.broadcast_arrays(re, im)
    result = np.empty(re.shape, np.result_type(re, np.complex64))
    result.real, result.imag = re, im
    return result


# ------------------------------------------------------------------------------------------- for the user


def real(x: Any) -> Any:
    """Real part, as numpy.real; a real tensor is its own.

    Shapes   x: [...] -> [...], elementwise

    >>> import eqsat.tensor as T
    >>> T.real([1 + 2j, 3j]).eval()
    array([1., 0.])
    """
    x = as_tensor(x)
    return real_op(x) if x.type.dtype in COMPLEX else x


def imag(x: Any) -> Any:
    """Imaginary part, as numpy.imag; zeros of its own dtype for a real tensor.

    Shapes   x: [...] -> [...], elementwise

    >>> import eqsat.tensor as T
    >>> T.imag([1 + 2j, 3.0]).eval()
    array([2., 0.])
    """
    from eqsat.graph.ops.create import zeros_like

    x = as_tensor(x)
    return imag_op(x) if x.type.dtype in COMPLEX else zeros_like(x)


def conj(x: Any) -> Any:
    """Complex conjugate, as numpy.conj; a real tensor is its own.

    Shapes   x: [...] -> [...], elementwise

    >>> import eqsat.tensor as T
    >>> T.conj([1 + 2j, 3.0]).eval()
    array([1.-2.j, 3.-0.j])
    """
    x = as_tensor(x)
    if x.type.dtype not in COMPLEX:
        return x
    if x.owner is not None and x.owner.op == conj_op:
        return x.owner.inputs[0]
    return conj_op(x)


def angle(x: Any) -> Any:
    """Angle in radians, as numpy.angle: of real numbers 0, or pi below 0; NaN stays NaN.

    Shapes   x: [...] -> f[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.angle([1.0, -1.0]).eval()
    array([0.        , 3.14159265])
    """
    x = as_tensor(x)
    if x.type.dtype in COMPLEX:
        return angle_op(x)
    return angle_op(complex_op(x, np.zeros((), to_float(x.type.dtype))))


def complex(real: Any, imag: Any) -> Any:
    """Complex numbers of real and imaginary parts: complex64 of float32, else complex128.

    Shapes   re: f[n], im: f[n] -> c[n]; lengths of 1 by type broadcast
    Errors   DTypeError where a part is complex

    >>> import eqsat.tensor as T
    >>> T.complex(1.0, 2.0).eval().item()
    (1+2j)
    """
    return complex_op(real, imag)


def complex_from_polar(modulus: Any, angle: Any) -> Any:
    """Complex numbers of a modulus and an angle in radians.

    Shapes   modulus, angle: f[...] -> complex[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.complex_from_polar(2.0, 0.0).eval().item()
    (2+0j)
    """
    return complex_op(mul(modulus, cos(angle)), mul(modulus, sin(angle)))
