"""Indexes of traced arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.core import Variable


def basic(item: Any) -> bool:
    """True for an index by which NumPy gives a view: of whole numbers, slices, None and an ellipsis."""
    parts = item if isinstance(item, tuple) else (item,)
    return all(
        p is None
        or p is Ellipsis
        or isinstance(p, (int, np.integer, slice))
        and not isinstance(p, bool)
        or isinstance(p, Variable)
        and p.type.ndim == 0  # type: ignore[attr-defined]
        and p.type.dtype != "bool"  # type: ignore[attr-defined]
        for p in parts
    )


def has(item: Any, part: Any) -> bool:
    """True for an index of which a part is an object."""
    return any(p is part for p in (item if isinstance(item, tuple) else (item,)))
