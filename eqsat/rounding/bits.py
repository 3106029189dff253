"""Bits of error: the logarithm of the number of floats between a result and the real value."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
INTEGERS = {"float64": "int64", "float32": "int32", "float16": "int16"}


def order(x: Array) -> Array:
    """The place of floats among all floats of their dtype, as integers; both zeros have the place 0."""
    name = np.dtype(x.dtype).name
    bits = np.asarray(x).view(INTEGERS[name]).astype("int64")
    top = np.int64(np.iinfo(INTEGERS[name]).max)
    return np.where(bits < 0, -(bits & top), bits)


def float_at(place: Array, dtype: str) -> Array:
    """The floats at places: the inverse of ``order``.

    >>> float_at(order(np.array([-1.5, 0.0, 2.0])), "float64")
    array([-1.5,  0. ,  2. ])
    """
    place = np.asarray(place, "int64")
    size = np.abs(place).astype(INTEGERS[dtype]).view(dtype)
    return np.where(place < 0, -size, size)


def bits_of_error(got: Array, want: Array) -> Array:
    """log2(1 + the number of floats from one to the other); all bits of the dtype where one is NaN and the other is not.

    >>> bits_of_error(np.array([1.0, 2.0, np.nan]), np.array([1.0, 3.0, 1.0])).round(1)
    array([ 0., 51., 64.])
    """
    all_bits = 8.0 * got.dtype.itemsize
    a, b = order(got), order(want)
    of_one_sign = (a < 0) == (b < 0)  # else the difference may not be an int64
    apart = np.where(
        of_one_sign,
        np.abs(np.where(of_one_sign, a - b, 0)),
        np.abs(a.astype("float64")) + np.abs(b.astype("float64")),
    )
    bits = np.minimum(np.log2(1.0 + apart), all_bits)
    none = np.isnan(got) | np.isnan(want)
    return np.where(none, np.where(np.isnan(got) & np.isnan(want), 0.0, all_bits), bits)
