"""Bits of numbers: as another dtype, counted, and the neighbours of floating numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.constant import as_tensor, beside, cast_to
from eqsat.graph.dtypes import FLOATS, INTEGERS, check_dtype, promote, to_float
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops import rounding as r
from eqsat.graph.ops.bits import bits_float, float_bits
from eqsat.tensor.sorting import integers_only


def _unsigned(x: Any) -> Any:
    return cast_to(x, f"uint{8 * np.dtype(x.dtype).itemsize}")


def bitcast(x: Any, dtype: Any) -> Any:
    """The bits of x as numbers of another dtype of the same width.

    Shapes   x: [...] -> [...], elementwise
    Errors   ArgumentError for a dtype of another width, for bool and for complex numbers

    >>> import eqsat.tensor as T
    >>> T.bitcast(T.constant(1.0), "uint32").eval(), T.bitcast(T.constant(1.0), "int32").eval().dtype
    (array(1065353216, dtype=uint32), dtype('int32'))
    """
    x, dtype = as_tensor(x), check_dtype(dtype)
    known = all(name in INTEGERS + FLOATS for name in (x.dtype, dtype))
    if not known or np.dtype(x.dtype).itemsize != np.dtype(dtype).itemsize:
        raise ArgumentError(
            f"bitcast: {x.dtype} cannot be seen as {dtype}",
            operands=[(str(x), x)],
            needs="two dtypes of one width, integers or floats",
        )
    if x.dtype == dtype:
        return x
    if x.dtype in FLOATS:
        x = float_bits(x, dtype=f"uint{8 * np.dtype(dtype).itemsize}")
    return bits_float(x, np.zeros((), dtype)) if dtype in FLOATS else cast_to(x, dtype)


def bit_count(x: Any) -> Any:
    """The number of bits of an integer that are set, as ``numpy.bitwise_count`` of one without sign.

    Shapes   x: int[...] -> uint8[...], elementwise
    Errors   DTypeError for what is no integer

    >>> import eqsat.tensor as T
    >>> T.bit_count(T.constant([0, 7, -1], dtype="int8")).eval()
    array([0, 3, 8], dtype=uint8)
    """
    x = cast_to(_unsigned(integers_only("bit_count", as_tensor(x))), "uint64")
    for places, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        kept = np.uint64(mask)
        x = e.add(e.and_(x, kept), e.and_(r.right_shift(x, np.uint64(places)), kept))
    return cast_to(r.right_shift(e.mul(x, np.uint64(0x0101010101010101)), np.uint64(56)), "uint8")


def nextafter(x: Any, y: Any) -> Any:
    """The neighbour of x, among the numbers of its dtype, in the direction of y; y where they are equal.

    Shapes   x, y: f[...] -> f[...], elementwise
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.nextafter(T.constant([1.0, 0.0]), 2.0).eval() > [1.0, 0.0]
    array([ True,  True])
    """
    x = as_tensor(x)
    y = beside(y, x)
    dtype = to_float(promote(x.dtype, y.dtype))
    x, y = cast_to(x, dtype), cast_to(y, dtype)
    word = f"uint{8 * np.dtype(dtype).itemsize}"
    bits, one = bitcast(x, word), np.asarray(1, word)
    outwards = e.eq(e.gt(y, x), e.gt(x, 0))
    moved = bitcast(e.switch(outwards, e.add(bits, one), e.sub(bits, one)), dtype)
    first = r.copysign(bitcast(as_tensor(one), dtype), y)
    found = e.switch(e.eq(x, 0), first, moved)
    return e.switch(e.eq(x, y), y, e.switch(e.or_(e.isnan(x), e.isnan(y)), e.add(x, y), found))
