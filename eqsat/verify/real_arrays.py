"""The words of formulas over the reals that ops on whole arrays declare; NaN where there is no result.

An op says ``real="exp(x) / total(exp(x), axes)"``: its operands are arrays of mpmath numbers, its parameters have their names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from eqsat.graph.ops.reduce import place_along

Array = Any


def exp(x: Array) -> Array:
    """The exponential of every element."""
    return np.asarray(np.frompyfunc(mpmath.exp, 1, 1)(x), object)


def log(x: Array) -> Array:
    """The logarithm of every element; NaN for those that have no real one."""
    return np.asarray(np.frompyfunc(lambda v: mpmath.log(v) if v > 0 else mpmath.nan, 1, 1)(x), object)


def ones(x: Array) -> Array:
    """1 for every element."""
    return np.full(x.shape, mpmath.mpf(1), object)


def total(x: Array, axes: tuple[int, ...]) -> Array:
    """The sum along axes, which stay with length 1."""
    return np.asarray(np.sum(x, axis=axes, keepdims=True), object)


def greatest_at(x: Array, axes: tuple[int, ...]) -> Array:
    """The place of the first largest element along axes."""
    return np.asarray(place_along(np.argmax, x, axes), object)


def least_at(x: Array, axes: tuple[int, ...]) -> Array:
    """The place of the first smallest element along axes."""
    return np.asarray(place_along(np.argmin, x, axes), object)


def with_rows(x: Array, a: Array, y: Array, i: Array) -> Array:
    """A copy of which some rows have got a * y."""
    made = x.copy()
    np.add.at(made, np.array([int(k) for k in i], int), a * y)
    return made


def unknown(shape: tuple[int, ...]) -> Array:
    """An array of NaN."""
    return np.full(shape, mpmath.nan, object)


def eliminated(a: Array, b: Array) -> tuple[Any, Array | None]:
    """Determinant of a, and the solution x of a x = b, None for a singular matrix; elimination with row exchanges."""
    a, b, det = a.copy(), b.copy(), mpmath.mpf(1)
    n = len(a)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(a[i, k]))
        if not mpmath.isfinite(a[pivot, k]) or a[pivot, k] == 0:
            return a[pivot, k] * 0, None
        if pivot != k:
            a[[k, pivot]], b[[k, pivot]], det = a[[pivot, k]], b[[pivot, k]], -det
        det *= a[k, k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i] = a[i] - factor * a[k]
            b[i] = b[i] - factor * b[k]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            b[k] = b[k] - a[k, j] * b[j]
        b[k] = b[k] / a[k, k]
    return det, b


def solve(a: Array, b: Array) -> Array:
    """Solution of a system."""
    x = eliminated(a, b)[1]
    return unknown(b.shape) if x is None else x


def unit(n: int) -> Array:
    """The unit matrix."""
    return np.array([[mpmath.mpf(i == j) for j in range(n)] for i in range(n)], object).reshape(n, n)


def factors(a: Array) -> Array:
    """A matrix itself, for its factors: only what is solved with them counts."""
    return np.vstack([a.T, np.zeros((1, len(a)), object)])


def triangle(a: Array, lower: int, one: int = 0) -> Array:
    """One triangle of a matrix, with ones on the diagonal on demand."""
    made = np.tril(a) if lower else np.triu(a)
    return made - np.diag(np.diag(made)) + unit(len(a)) if one else made


def cholesky(a: Array) -> Array:
    """The lower factor; NaN for a matrix that is not positive definite."""
    n, made = len(a), np.full(a.shape, mpmath.mpf(0), object)
    for i in range(n):
        for j in range(i + 1):
            rest = a[i, j] - sum((made[i, k] * made[j, k] for k in range(j)), mpmath.mpf(0))
            if i == j and not rest > 0:
                return unknown(a.shape)
            made[i, j] = mpmath.sqrt(rest) if i == j else rest / made[j, j]
    return made


def det(a: Array) -> Array:
    """The determinant."""
    return np.asarray(eliminated(a, unit(len(a)))[0], object)


def log_det(a: Array, absolute: int) -> Array:
    """Logarithm of the determinant, or of its size."""
    found = det(a).item()
    found = abs(found) if absolute else found
    return np.asarray(mpmath.log(found) if found > 0 else mpmath.nan, object)


def exponential(a: Array) -> Array:
    """The exponential of a matrix; NaN where an element is none."""
    if not all(mpmath.isfinite(v) for v in a.flat):
        return unknown(a.shape)
    return np.array(mpmath.expm(mpmath.matrix(a.tolist())).tolist(), object).reshape(a.shape)


def with_diagonal(x: Array, y: Array, pattern: tuple[int, int, int], add: int) -> Array:
    """A copy with another diagonal."""
    made = x.copy()
    places = np.diagonal(np.arange(made.size).reshape(made.shape), *pattern)
    made.reshape(-1)[places] = (made.reshape(-1)[places] if add else 0) + y
    return made


def each(function: Callable[..., Array]) -> Callable[..., Array]:
    """A function of matrices for stacks of them."""

    def run(*operands: Array, **parameters: Any) -> Array:
        if operands[0].ndim == 2:
            return function(*operands, **parameters)
        items = [run(*some, **parameters) for some in zip(*operands, strict=True)]
        return np.stack([np.asarray(v, object) for v in items])

    return run
