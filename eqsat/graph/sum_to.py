"""A gradient summed over the axes on which its variable was broadcast."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.specify import specify, unbroadcast_like


def sum_to(piece: Any, variable: Any) -> Any:
    """Tensor summed over the axes on which a variable was broadcast, so that it has the variable's type."""
    shape = variable.type.shape
    axes = tuple(a for a, n in enumerate(piece.type.shape) if n != 1 and shape[a] == 1)
    piece = unbroadcast_like(sum_op(piece, axes=axes) if axes else piece, variable)
    return specify(piece, shape)
