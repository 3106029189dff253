"""Updates that are joined to elements of a tensor by a function, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import eqsat.tensor as T
from eqsat.scan import scan


def combined_at(function: Callable[[Any, Any], Any], x: Any, indices: Sequence[Any], y: Any) -> Any:
    """x where ``x[indices]`` has become ``function(x[indices], y)``, once for each index; an index may occur again.

    The index tensors broadcast and pick from the first axes of x.

    Shapes   x: any[a, ..., rest], indices: int[n...], y: any[n..., rest] -> [a, ..., rest]

    >>> combined_at(T.maximum, T.constant([1.0, 5.0]), [T.constant([0, 0, 1])], T.constant([3.0, 2.0, 4.0])).eval()
    array([3., 5.])
    """
    places = T.broadcast_arrays(*indices) if len(indices) > 1 else list(indices)
    count = places[0].ndim
    rows = T.reshape(y, [-1, *(y.shape[a] for a in range(count, y.ndim))], ndim=y.ndim - count + 1)
    lines = [T.reshape(p, [-1], ndim=1) for p in places]

    def step(*given: Any) -> Any:
        *at, row, whole = given
        part = whole[tuple(at)]
        return T.set_subtensor(part, T.cast(function(part, row), x.dtype))

    found, _ = scan(step, sequences=[*lines, rows], outputs_info=x)
    return found[-1]
