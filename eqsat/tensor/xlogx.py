"""x * log(x) and x * log(y) with their limits at x = 0."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.special import xlogy

__all__ = ["xlogx", "xlogy", "xlogy0"]

xlogy0 = xlogy


def xlogx(x: Any) -> Any:
    """x * log(x), and 0 at 0.

    Shapes   x: f[...] -> f[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.xlogx.xlogx([0.0, 1.0]).eval()
    array([0., 0.])
    """
    return xlogy(x, x)
