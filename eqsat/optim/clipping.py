"""Gradients within bounds, for an optimiser in place of the loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import eqsat.tensor as T
from eqsat.errors import ArgumentError


def clip_by_value(gradients: Sequence[Any], most: Any) -> list[Any]:
    """Gradients with every element between -most and most; NaN stays NaN.

    Errors   ArgumentError for a number that is not positive

    >>> import eqsat.tensor as T
    >>> from eqsat import optim
    >>> [g] = optim.clip_by_value([T.constant([-3.0, 0.5])], 1.0)
    >>> g.eval()
    array([-1. ,  0.5])
    """
    _check("clip_by_value", most)
    return [T.clip(g, -_like(most, g), _like(most, g)) for g in _tensors(gradients)]


def clip_by_norm(gradients: Sequence[Any], most: Any) -> list[Any]:
    """Gradients each of which is scaled down to the Euclidean length ``most`` where it is longer.

    Errors   ArgumentError for a number that is not positive

    >>> import eqsat.tensor as T
    >>> from eqsat import optim
    >>> [g] = optim.clip_by_norm([T.constant([3.0, 4.0])], 1.0)
    >>> g.eval()
    array([0.6, 0.8])
    """
    _check("clip_by_norm", most)
    return [_shortened(g, T.sqrt(T.sum(T.sqr(g))), most) for g in _tensors(gradients)]


def clip_by_global_norm(gradients: Sequence[Any], most: Any) -> list[Any]:
    """Gradients that are scaled down together where their common Euclidean length is above ``most``.

    Errors   ArgumentError for a number that is not positive
    Source   Pascanu, Mikolov & Bengio 2013, algorithm 1

    >>> import eqsat.tensor as T
    >>> from eqsat import optim
    >>> first, second = optim.clip_by_global_norm([T.constant([3.0]), T.constant([4.0])], 1.0)
    >>> first.eval().round(6), second.eval().round(6)
    (array([0.6]), array([0.8]))
    """
    _check("clip_by_global_norm", most)
    given = _tensors(gradients)
    if not given:
        return []
    squares = [T.sum(T.sqr(g)) for g in given]
    norm = T.sqrt(sum(squares[1:], squares[0]))
    return [_shortened(g, norm, most) for g in given]


def _tensors(gradients: Sequence[Any]) -> list[Any]:
    return [
        T.as_tensor_variable(g) for g in (gradients if isinstance(gradients, (list, tuple)) else [gradients])
    ]


def _like(most: Any, g: Any) -> Any:
    """A number in the dtype of a gradient."""
    return T.cast(T.as_tensor_variable(most), g.dtype)


def _shortened(g: Any, norm: Any, most: Any) -> Any:
    """A gradient times most over its norm, where that is less than one."""
    return T.switch(norm > most, g * T.cast(most / norm, g.dtype), g)


def _check(name: str, most: Any) -> None:
    if isinstance(most, (int, float)) and not most > 0:
        raise ArgumentError(f"{name}: the bound is {most}", needs="a positive number")
