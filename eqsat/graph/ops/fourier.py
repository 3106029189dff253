"""Discrete Fourier transforms along the last axis, without a factor; real rows have half as many results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.errors import ShapeError
from eqsat.graph.batch_rules import first_only, leading
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.create import arange
from eqsat.graph.ops.elemwise import eq, mul, or_, switch
from eqsat.graph.ops.shape import length
from eqsat.graph.parameters import INTEGER

EMPTY = "fft: an axis has no elements"


def _transform(name: str, x: Any, *count: int) -> Any:
    """A function of scipy.fft without the factor that inverse transforms have there."""
    import scipy.fft

    if not (count or x.shape[-1:])[0]:
        raise ShapeError(EMPTY)
    factor = "backward" if name in ("fft", "rfft") else "forward"
    return getattr(scipy.fft, name)(x, *count, norm=factor)


def _cost(per_element: float) -> Callable[..., Cost]:
    def cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
        longest = max(ins[0][-1], out[-1], 2.0)
        rows = float(np.prod(out[:-1]))
        return Cost(flops=per_element * rows * longest * float(np.log2(longest)))

    return cost


def _fourier_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """The kernel is symmetric, so that its conjugate transpose is the one with the other sign."""
    return [fourier_op(dy, inverse=1 - op.params["inverse"])]


def _once(half: Any, count: Any) -> Any:
    """True for the frequencies of which no other one is the conjugate: the first, and the last of an even number."""
    place = arange(length(half, half.ndim - 1))
    return or_(eq(place, 0), eq(mul(place, 2), count))


def _real_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """The real part of the sum over the frequencies that there are; the op in the other direction counts most of them twice."""
    (x,) = inputs
    count = length(x, x.ndim - 1)
    return [half_fourier_op(switch(_once(dy, count), dy, mul(dy, 0.5)), count)]


def _half_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    half, count = inputs
    found = real_fourier_op(dy)
    return [switch(_once(half, count), found, mul(found, 2.0)), None]


@structural(
    "block",
    name="fourier",
    signature="(...,n)->(...,n)",
    dtypes="c->c",
    parameters={"inverse": INTEGER},
    batch=leading,
    grad=_fourier_grad,
    linear="x",
    cost=_cost(5.0),
)
def fourier_op(x: Any, *, inverse: int) -> Any:
    """The sums of x[j] exp(-2 pi i j k / n) over j for each k; with ``inverse`` of x[j] exp(2 pi i j k / n)."""
    return _transform("ifft" if inverse else "fft", x)


@structural(
    "block",
    name="real_fourier",
    signature="(...,n)->(...,n//2+1)",
    dtypes="f->c",
    batch=leading,
    grad=_real_grad,
    linear="x",
    cost=_cost(2.5),
)
def real_fourier_op(x: Any) -> Any:
    """The sums of x[j] exp(-2 pi i j k / n) over j for k up to n / 2; those of the other k are conjugates of these."""
    return _transform("rfft", x)


@structural(
    "block",
    name="half_fourier",
    signature="(...,m),()->(...,n)",
    dtypes="c,i->f",
    batch=first_only,
    grad=_half_grad,
    linear="x",
    cost=_cost(2.5),
)
def half_fourier_op(x: Any, n: Any) -> Any:
    """The n real sums of x[k] exp(2 pi i j k / n) over all k, from the x[k] up to n / 2, of which the others are conjugates."""
    return _transform("irfft", x, int(n))
