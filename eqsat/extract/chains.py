"""Costs of products of matrices by their lengths, and the best brackets of a long chain."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.egraph.chains import Price
from eqsat.graph.dtypes import ALL
from eqsat.graph.ops.elemwise import mul
from eqsat.graph.ops.linalg import dot_op


def product_price(model: Any) -> Price:
    """Seconds of a product under a cost model; of a column with a row that of the elementwise product, if less.

    >>> from eqsat.extract.cost import CostModel
    >>> from eqsat.graph.dtypes import CODE
    >>> price = product_price(CostModel())
    >>> price(CODE["float64"], 10, 1, 10) < price(CODE["float64"], 10, 2, 10)
    True
    """

    def price(dtype: int, m: float, k: float, n: float) -> float:
        size = np.dtype(ALL[dtype]).itemsize
        operands = [(m, k), (k, n)]
        seconds = model.checked_seconds(dot_op, operands, (m, n), size)
        return min(seconds, model.checked_seconds(mul, operands, (m, n), size)) if k == 1 else seconds

    return price
