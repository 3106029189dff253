"""Ops on arrays of NumPy, as a call in the reference mode computes and refuses them."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.tensor_type import TensorType

LANES = 64  # more elements than NumPy computes at once


def refuse_as_in_a_call(op: Any, args: list[Any]) -> None:
    """Raise the error with which a call refuses operands for their lengths or values, where the op has one beside its meaning."""
    check = op.declaration.check
    if check is not None:
        operands = [
            TensorType(v.dtype.name, shape=tuple(1 if n == 1 else None for n in v.shape))() for v in args
        ]
        check(op.make_node(*operands), args)


def by_elements(op: Any, args: list[Any]) -> Any:
    """The result of an elementwise op, rounded in one way: NumPy rounds some functions in another one where elements are apart,
    and at the end of an array."""
    whole = np.broadcast_arrays(*args)
    size = whole[0].size
    padded = [np.resize(v, size + LANES) for v in whole] if size else whole
    return np.asarray(op.compute(*padded)).reshape(-1)[:size].reshape(whole[0].shape)
