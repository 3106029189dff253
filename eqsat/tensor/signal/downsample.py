"""The older name of max pooling."""

from __future__ import annotations

from eqsat.base.names import late_names
from eqsat.tensor.signal.pool import max_pool_2d, max_pool_2d_same_size

__all__ = ["max_pool_2d", "max_pool_2d_same_size"]

late_names(__name__)
