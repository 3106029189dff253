"""Discrete Fourier transforms, of complex and of real tensors, as numpy.fft has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant, Variable
from eqsat.graph.dtypes import FLOATS, INEXACT, to_real
from eqsat.graph.ops.complex import conj
from eqsat.graph.ops.create import alloc, arange
from eqsat.graph.ops.elemwise import floordiv, lt, minimum, mul, reciprocal, sqrt, sub, switch, truediv
from eqsat.graph.ops.fourier import fourier_op, half_fourier_op, real_fourier_op
from eqsat.graph.ops.join import concatenate, normal_axis
from eqsat.graph.ops.shape import length, scalar_integers
from eqsat.graph.ops.subscript import getitem
from eqsat.tensor.rearrange import moveaxis, roll

__all__ = [
    *("fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft"),
    *("irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"),
]

Lengths = Sequence[Any] | None
FORWARD = {
    "backward": 0.0,
    "ortho": -0.5,
    "forward": -1.0,
}  # powers of the length by which a transform is multiplied
OTHER = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _norm(name: str, norm: str | None) -> str:
    norm = norm or "backward"
    if norm not in FORWARD:
        raise ArgumentError(f"{name}: norm does not take {norm!r}", among=(norm, list(FORWARD)))
    return norm


def _length(name: str, n: Any) -> Any:
    """A length that is given, as a 0-d int64."""
    (found,) = scalar_integers(name, [n])
    if isinstance(found, Constant) and found.data < 1:
        raise ArgumentError(f"{name}: {int(found.data)} is no length of an axis", needs="n > 0")
    return cast_to(found, "int64")


def _tensor(name: str, x: Any, axis: int) -> Any:
    """The operand with the axis last; integers are computed in float64."""
    x = as_tensor(x)
    x = x if x.type.dtype in INEXACT else cast_to(x, "float64")
    return moveaxis(x, normal_axis(name, axis, x.ndim, x), -1)


def _fitted(x: Any, n: Any) -> Any:
    """The first n elements of the last axis, with zeros behind them where there are fewer."""
    last = x.ndim - 1
    have = length(x, last)
    if isinstance(have, Constant) and isinstance(n, Constant) and int(have.data) == int(n.data):
        return x
    cut = getitem(x, (Ellipsis, slice(None, n)))
    missing = sub(n, minimum(have, n))
    if isinstance(missing, Constant) and not int(missing.data):
        return cut
    zero = np.zeros((), x.type.dtype)
    return concatenate([cut, alloc(zero, *(length(x, a) for a in range(last)), missing)], axis=last)


def _scaled(y: Any, n: Any, power: float) -> Any:
    """A result times a power of a length, in its own precision."""
    if not power:
        return y
    count = cast_to(n, to_real(y.type.dtype))
    return mul(y, reciprocal(sqrt(count) if power == -0.5 else count))


def _one(name: str, x: Any, n: Any, axis: int, power: float, inverse: int) -> Any:
    x = _tensor(name, x, axis)
    count = length(x, x.ndim - 1) if n is None else _length(name, n)
    return moveaxis(_scaled(fourier_op(_fitted(x, count), inverse=inverse), count, power), -1, axis)


def fft(x: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any:
    """Discrete Fourier transform along an axis: the sums of x[j] exp(-2 pi i j k / n) over j, for k from 0 to n - 1.

    ``n`` elements are taken, with zeros behind them where there are fewer; it may be symbolic. ``norm`` is "backward",
    "ortho", which divides by the root of n, or "forward", which divides by n.

    Shapes   x: any[..., m] -> c[..., n]
    Errors   AxisError for an axis that x does not have; ShapeError at run time for no elements

    >>> import eqsat.tensor as T
    >>> T.fft.fft([1.0, 2.0, 3.0, 4.0]).eval()
    array([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])
    """
    return _one("fft", x, n, axis, FORWARD[_norm("fft", norm)], 0)


def ifft(x: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any:
    """Inverse of ``fft`` along an axis.

    Shapes   x: any[..., m] -> c[..., n]
    Errors   AxisError for an axis that x does not have; ShapeError at run time for no elements

    >>> import eqsat.tensor as T
    >>> T.fft.ifft(T.fft.fft([1.0, 2.0, 4.0])).eval().real
    array([1., 2., 4.])
    """
    return _one("ifft", x, n, axis, FORWARD[OTHER[_norm("ifft", norm)]], 1)


def rfft(x: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any:
    """The transform of real numbers along an axis, for k from 0 to n / 2: the others are conjugates of these.

    Shapes   x: f[..., m] -> c[..., n // 2 + 1]
    Errors   DTypeError for complex numbers; AxisError for an axis that x does not have; ShapeError at run time for no elements

    >>> import eqsat.tensor as T
    >>> T.fft.rfft([1.0, 2.0, 3.0, 4.0]).eval()
    array([10.+0.j, -2.+2.j, -2.+0.j])
    """
    power, x = FORWARD[_norm("rfft", norm)], _tensor("rfft", x, axis)
    count = length(x, x.ndim - 1) if n is None else _length("rfft", n)
    return moveaxis(_scaled(real_fourier_op(_fitted(x, count)), count, power), -1, axis)


def irfft(x: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any:
    """Inverse of ``rfft`` along an axis: real numbers, 2 (m - 1) of them unless ``n`` says how many.

    Shapes   x: any[..., m] -> f[..., n]
    Errors   AxisError for an axis that x does not have; ShapeError at run time for no elements

    >>> import eqsat.tensor as T
    >>> T.fft.irfft(T.fft.rfft([1.0, 2.0, 4.0]), n=3).eval()
    array([1., 2., 4.])
    """
    power, x = FORWARD[OTHER[_norm("irfft", norm)]], _tensor("irfft", x, axis)
    count = mul(2, sub(length(x, x.ndim - 1), 1)) if n is None else _length("irfft", n)
    half = _fitted(x, floordiv(count, 2) + 1)
    return moveaxis(_scaled(half_fourier_op(half, count), count, power), -1, axis)


def hfft(x: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any:
    """The transform of numbers of which the second half are conjugates of the first, which is real.

    Shapes   x: any[..., m] -> f[..., n], n = 2 (m - 1) where it is not given
    Errors   AxisError for an axis that x does not have; ShapeError at run time for no elements

    >>> import eqsat.tensor as T
    >>> T.fft.hfft([1.0, 2.0, 3.0]).eval()
    array([ 8., -2.,  0., -2.])
    """
    return irfft(conj(as_tensor(x)), n, axis, OTHER[_norm("hfft", norm)])


def ihfft(x: Any, n: Any = None, axis: int = -1, norm: str | None = None) -> Any:
    """Inverse of ``hfft`` along an axis.

    Shapes   x: f[..., m] -> c[..., n // 2 + 1]
    Errors   DTypeError for complex numbers; AxisError for an axis that x does not have; ShapeError at run time for no elements

    >>> import eqsat.tensor as T
    >>> T.fft.ihfft([8.0, -2.0, 0.0, -2.0]).eval().real
    array([1., 2., 3.])
    """
    return conj(rfft(x, n, axis, OTHER[_norm("ihfft", norm)]))


def _several(name: str, x: Any, s: Lengths, axes: Sequence[int] | None) -> list[tuple[int, Any]]:
    """Axes, each with its length or None; the last ones where only lengths are given."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(-len(s), 0)
    if s is not None and len(s) != len(axes):
        raise ArgumentError(f"{name}: {len(axes)} axes have {len(s)} lengths", operands=[(str(x), x)])
    if not axes:
        raise ArgumentError(f"{name}: there is no axis to transform", operands=[(str(x), x)])
    found = [normal_axis(name, a, x.ndim, x) for a in axes]
    return list(zip(found, [None] * len(found) if s is None else s, strict=True))


def fftn(x: Any, s: Lengths = None, axes: Sequence[int] | None = None, norm: str | None = None) -> Any:
    """``fft`` along several axes, all where none are given; ``s`` has their lengths.

    Shapes   x: any[..., m, n] -> c[..., m, n]
    Errors   AxisError for an axis that x does not have; ArgumentError for other numbers of lengths than axes

    >>> import eqsat.tensor as T
    >>> T.fft.fftn([[1.0, 2.0], [3.0, 4.0]]).eval().real
    array([[10., -2.],
           [-4.,  0.]])
    """
    x = as_tensor(x)
    for axis, n in reversed(_several("fftn", x, s, axes)):
        x = fft(x, n, axis, norm)
    return x


def ifftn(x: Any, s: Lengths = None, axes: Sequence[int] | None = None, norm: str | None = None) -> Any:
    """Inverse of ``fftn``.

    Shapes   x: any[..., m, n] -> c[..., m, n]
    Errors   AxisError for an axis that x does not have; ArgumentError for other numbers of lengths than axes

    >>> import eqsat.tensor as T
    >>> T.fft.ifftn([[10.0, -2.0], [-4.0, 0.0]]).eval().real
    array([[1., 2.],
           [3., 4.]])
    """
    x = as_tensor(x)
    for axis, n in reversed(_several("ifftn", x, s, axes)):
        x = ifft(x, n, axis, norm)
    return x


def rfftn(x: Any, s: Lengths = None, axes: Sequence[int] | None = None, norm: str | None = None) -> Any:
    """``rfft`` along the last of several axes, then ``fft`` along the others.

    Shapes   x: f[..., m, n] -> c[..., m, n // 2 + 1]
    Errors   DTypeError for complex numbers; AxisError for an axis that x does not have; ArgumentError for other numbers of
             lengths than axes

    >>> import eqsat.tensor as T
    >>> T.fft.rfftn(T.ones((2, 3, 4))).eval().shape
    (2, 3, 3)
    """
    x = as_tensor(x)
    *others, (last, n) = _several("rfftn", x, s, axes)
    x = rfft(x, n, last, norm)
    for axis, n in reversed(others):
        x = fft(x, n, axis, norm)
    return x


def irfftn(x: Any, s: Lengths = None, axes: Sequence[int] | None = None, norm: str | None = None) -> Any:
    """Inverse of ``rfftn``; the last axis has 2 (m - 1) elements unless ``s`` says how many.

    Shapes   x: any[..., m, k] -> f[..., m, n]
    Errors   AxisError for an axis that x does not have; ArgumentError for other numbers of lengths than axes

    >>> import eqsat.tensor as T
    >>> x = T.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> T.fft.irfftn(T.fft.rfftn(x)).eval()
    array([[1., 2.],
           [3., 4.]])
    """
    x = as_tensor(x)
    *others, (last, n) = _several("irfftn", x, s, axes)
    for axis, m in others:
        x = ifft(x, m, axis, norm)
    return irfft(x, n, last, norm)


def fft2(x: Any, s: Lengths = None, axes: Sequence[int] = (-2, -1), norm: str | None = None) -> Any:
    """``fft`` along two axes, the last ones where none are given.

    Shapes   x: any[..., m, n] -> c[..., m, n]
    Errors   AxisError for an axis that x does not have; ArgumentError for other numbers of lengths than axes

    >>> import eqsat.tensor as T
    >>> T.fft.fft2(T.ones((3, 2, 2))).eval().shape
    (3, 2, 2)
    """
    return fftn(x, s, axes, norm)


def ifft2(x: Any, s: Lengths = None, axes: Sequence[int] = (-2, -1), norm: str | None = None) -> Any:
    """Inverse of ``fft2``.

    Shapes   x: any[..., m, n] -> c[..., m, n]
    Errors   AxisError for an axis that x does not have; ArgumentError for other numbers of lengths than axes

    >>> import eqsat.tensor as T
    >>> T.fft.ifft2([[4.0, 0.0], [0.0, 0.0]]).eval().real
    array([[1., 1.],
           [1., 1.]])
    """
    return ifftn(x, s, axes, norm)


def rfft2(x: Any, s: Lengths = None, axes: Sequence[int] = (-2, -1), norm: str | None = None) -> Any:
    """``rfftn`` along two axes, the last ones where none are given.

    Shapes   x: f[..., m, n] -> c[..., m, n // 2 + 1]
    Errors   DTypeError for complex numbers; AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.fft.rfft2(T.ones((4, 4))).eval().shape
    (4, 3)
    """
    return rfftn(x, s, axes, norm)


def irfft2(x: Any, s: Lengths = None, axes: Sequence[int] = (-2, -1), norm: str | None = None) -> Any:
    """Inverse of ``rfft2``.

    Shapes   x: any[..., m, k] -> f[..., m, n]
    Errors   AxisError for an axis that x does not have; ArgumentError for other numbers of lengths than axes

    >>> import eqsat.tensor as T
    >>> T.fft.irfft2(T.fft.rfft2(T.ones((4, 4)))).eval().shape
    (4, 4)
    """
    return irfftn(x, s, axes, norm)


def _over(places: Any, n: Any, d: Any) -> Any:
    step = as_tensor(d)
    dtype = step.type.dtype if isinstance(d, Variable) and step.type.dtype in FLOATS else "float64"
    return truediv(cast_to(places, dtype), mul(cast_to(n, dtype), cast_to(step, dtype)))


def fftfreq(n: Any, d: Any = 1.0) -> Any:
    """The frequencies of the results of ``fft`` of n samples that lie ``d`` apart, in cycles a unit of d.

    Shapes   n, d: [] -> f[n]

    >>> import eqsat.tensor as T
    >>> T.fft.fftfreq(4, 0.5).eval()
    array([ 0. ,  0.5, -1. , -0.5])
    """
    n = _length("fftfreq", n)
    place = arange(n)
    return _over(switch(lt(place, floordiv(n + 1, 2)), place, sub(place, n)), n, d)


def rfftfreq(n: Any, d: Any = 1.0) -> Any:
    """The frequencies of the results of ``rfft`` of n samples that lie ``d`` apart.

    Shapes   n, d: [] -> f[n // 2 + 1]

    >>> import eqsat.tensor as T
    >>> T.fft.rfftfreq(4, 0.5).eval()
    array([0. , 0.5, 1. ])
    """
    n = _length("rfftfreq", n)
    return _over(arange(floordiv(n, 2) + 1), n, d)


def _shifted(name: str, x: Any, axes: Any, sign: int) -> Any:
    x = as_tensor(x)
    listed = range(x.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    for axis in [normal_axis(name, a, x.ndim, x) for a in listed]:
        x = roll(x, mul(sign, floordiv(length(x, axis), 2)), axis)
    return x


def fftshift(x: Any, axes: Any = None) -> Any:
    """Results of a transform with the frequency 0 in the middle of each axis.

    Shapes   x: any[...] -> any[...]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.fft.fftshift([0, 1, 2, -2, -1]).eval()
    array([-2, -1,  0,  1,  2])
    """
    return _shifted("fftshift", x, axes, 1)


def ifftshift(x: Any, axes: Any = None) -> Any:
    """Inverse of ``fftshift``.

    Shapes   x: any[...] -> any[...]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.fft.ifftshift([-2, -1, 0, 1, 2]).eval()
    array([ 0,  1,  2, -2, -1])
    """
    return _shifted("ifftshift", x, axes, -1)
