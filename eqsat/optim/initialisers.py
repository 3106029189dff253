"""Initial values of weights: arrays for ``eqsat.shared``, the same for the same seed.

Inputs and outputs of a unit are counted as products with weights and convolutions have them: axes 0 and 1 of a matrix, ``x @ w``; axes 1 and 0
of filters ``[outputs, inputs, ...]``, times the elements of a filter. ``fans=(inputs, outputs)`` says it for other layouts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.dtypes import FLOATS

Seed = Any  # an integer, or a numpy.random.Generator
Fans = tuple[int, int] | None
Array = np.ndarray[Any, Any]


def glorot_uniform(shape: Sequence[int], seed: Seed, dtype: str | None = None, fans: Fans = None) -> Array:
    """Uniform numbers with the variance 2 / (inputs + outputs), for tanh and sigmoid.

    Errors   RankError for fewer than two axes without ``fans``
    Source   Glorot & Bengio 2010, equation 16

    >>> from eqsat import optim
    >>> w = optim.glorot_uniform((100, 50), seed=0)
    >>> w.shape, bool(abs(w).max() <= 0.2)
    ((100, 50), True)
    """
    return _scaled("glorot_uniform", _uniform, shape, seed, dtype, fans, lambda i, o: 2 / (i + o))


def glorot_normal(shape: Sequence[int], seed: Seed, dtype: str | None = None, fans: Fans = None) -> Array:
    """Normal numbers with the variance 2 / (inputs + outputs), for tanh and sigmoid.

    Errors   RankError for fewer than two axes without ``fans``
    Source   Glorot & Bengio 2010, equation 12

    >>> from eqsat import optim
    >>> round(optim.glorot_normal((400, 400), seed=0).std().item(), 2)
    0.05
    """
    return _scaled("glorot_normal", _normal, shape, seed, dtype, fans, lambda i, o: 2 / (i + o))


def he_uniform(shape: Sequence[int], seed: Seed, dtype: str | None = None, fans: Fans = None) -> Array:
    """Uniform numbers with the variance 2 / inputs, for rectifiers.

    Errors   RankError for fewer than two axes without ``fans``
    Source   He, Zhang, Ren & Sun 2015, equation 10

    >>> from eqsat import optim
    >>> bool(abs(optim.he_uniform((600, 10), seed=0)).max() <= 0.1)
    True
    """
    return _scaled("he_uniform", _uniform, shape, seed, dtype, fans, lambda i, o: 2 / i)


def he_normal(shape: Sequence[int], seed: Seed, dtype: str | None = None, fans: Fans = None) -> Array:
    """Normal numbers with the variance 2 / inputs, for rectifiers.

    Errors   RankError for fewer than two axes without ``fans``
    Source   He, Zhang, Ren & Sun 2015, equation 10

    >>> from eqsat import optim
    >>> optim.he_normal((8, 3, 5, 5), seed=0, dtype="float32").dtype  # filters of a convolution
    dtype('float32')
    """
    return _scaled("he_normal", _normal, shape, seed, dtype, fans, lambda i, o: 2 / i)


def lecun_uniform(shape: Sequence[int], seed: Seed, dtype: str | None = None, fans: Fans = None) -> Array:
    """Uniform numbers with the variance 1 / inputs, for selu.

    Errors   RankError for fewer than two axes without ``fans``
    Source   LeCun, Bottou, Orr & Müller 1998, equation 16

    >>> from eqsat import optim
    >>> bool(abs(optim.lecun_uniform((300, 10), seed=0)).max() <= 0.1)
    True
    """
    return _scaled("lecun_uniform", _uniform, shape, seed, dtype, fans, lambda i, o: 1 / i)


def lecun_normal(shape: Sequence[int], seed: Seed, dtype: str | None = None, fans: Fans = None) -> Array:
    """Normal numbers with the variance 1 / inputs, for selu.

    Errors   RankError for fewer than two axes without ``fans``
    Source   LeCun, Bottou, Orr & Müller 1998, equation 16

    >>> from eqsat import optim
    >>> round(optim.lecun_normal((400, 400), seed=0).std().item(), 2)
    0.05
    """
    return _scaled("lecun_normal", _normal, shape, seed, dtype, fans, lambda i, o: 1 / i)


def orthogonal(shape: Sequence[int], seed: Seed, dtype: str | None = None, gain: float = 1.0) -> Array:
    """``gain`` times a random matrix with orthonormal columns, or rows where it is wide; further axes are counted to the rows' lengths.

    Errors   RankError for fewer than two axes
    Source   Saxe, McClelland & Ganguli 2014; Mezzadri 2007, so that each matrix is equally likely

    >>> import numpy as np
    >>> from eqsat import optim
    >>> w = optim.orthogonal((4, 3), seed=0)
    >>> bool(abs(w.T @ w - np.eye(3)).max() < 1e-12)
    True
    """
    rows, columns = _matrix_lengths("orthogonal", shape)
    normal = _generator(seed).standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(normal)
    q = q * np.where(np.diagonal(r) < 0, -1.0, 1.0)
    return (gain * (q if rows >= columns else q.T)).reshape(tuple(shape)).astype(_dtype("orthogonal", dtype))


def _matrix_lengths(name: str, shape: Sequence[int]) -> tuple[int, int]:
    """The first length, and the product of the others."""
    if len(shape) < 2:
        raise RankError(f"{name}: shape {tuple(shape)} has fewer than two axes")
    return int(shape[0]), math.prod(shape[1:])


def _scaled(
    name: str,
    draw: Callable[[np.random.Generator, float, tuple[int, ...]], Array],
    shape: Sequence[int],
    seed: Seed,
    dtype: str | None,
    fans: Fans,
    variance: Callable[[int, int], float],
) -> Array:
    """Numbers with a variance that depends on the inputs and outputs of a unit."""
    inputs, outputs = _fans(name, shape) if fans is None else fans
    root = math.sqrt(variance(max(inputs, 1), max(outputs, 1)))
    return draw(_generator(seed), root, tuple(shape)).astype(_dtype(name, dtype))


def _uniform(generator: np.random.Generator, root: float, shape: tuple[int, ...]) -> Array:
    bound = math.sqrt(3) * root
    return generator.uniform(-bound, bound, shape)


def _normal(generator: np.random.Generator, root: float, shape: tuple[int, ...]) -> Array:
    return generator.normal(0.0, root, shape)


def _fans(name: str, shape: Sequence[int]) -> tuple[int, int]:
    """The inputs and the outputs of a unit, read off a shape."""
    if len(shape) < 2:
        raise RankError(
            f"{name}: shape {tuple(shape)} does not say how many inputs a unit has",
            hint="fans=(inputs, outputs)",
        )
    if len(shape) == 2:
        return int(shape[0]), int(shape[1])
    return math.prod(shape[1:]), int(shape[0]) * math.prod(shape[2:])


def _generator(seed: Seed) -> np.random.Generator:
    if seed is None:
        raise ArgumentError("an initial value needs a seed", hint="seed=0")
    return np.random.default_rng(seed)


def _dtype(name: str, dtype: str | None) -> str:
    found = dtype or str(config.floatX)
    if found not in FLOATS:
        raise DTypeError(f"{name}: dtype={found!r}", needs="float32 or float64")
    return found
