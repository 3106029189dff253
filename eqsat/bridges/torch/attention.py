"""Attention over rows of queries, keys and values, and its gradient.

torch's own decomposition of the first op gives the weights where the op promises logarithms of sums, which the gradient reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.torch.reading import value_of
from eqsat.bridges.torch.table import At, number, on, to
from eqsat.bridges.translate import Refused


def _scores(q: Any, k: Any, dropout: float, causal: bool, mask: Any, scale: Any) -> tuple[Any, Any]:
    """Products of queries and keys, -inf where a query does not see a key, and the factor in them."""
    if dropout:
        raise Refused("dropout draws from torch's generator")
    factor = T.reciprocal(T.sqrt(to(q.shape[-1], q.dtype))) if scale is None else number(scale, q.dtype)
    made = T.matmul(q * factor, T.swapaxes(k, -1, -2))
    if causal:
        rows, columns = (T.arange(made.shape[a]) for a in (2, 3))
        seen = T.le(columns.dimshuffle("x", 0), rows.dimshuffle(0, "x"))
        made = T.switch(seen, made, number(-np.inf, q.dtype))
    return made if mask is None else made + to(mask, q.dtype), factor


def _each(c: At, first: int) -> int:
    """The number of heads of queries, the operand ``first``, for a head of keys."""
    heads, own = (value_of(v).shape[1] for v in c.node.inputs[first : first + 2])
    if str(heads) == str(own):
        return 1
    if not isinstance(heads, int) or not isinstance(own, int):
        raise Refused("a number of heads that is known at run time alone")
    return heads // own


def _added(x: Any, count: int) -> Any:
    """Gradients of heads that were used ``count`` times, added."""
    if count == 1:
        return x
    b, heads, n, d = (x.shape[a] for a in range(4))
    return T.sum(T.reshape(x, [b, heads // count, count, n, d], ndim=5), axis=2)


@on("_scaled_dot_product_flash_attention_for_cpu")
def attention(
    c: At, q: Any, k: Any, v: Any, dropout: float = 0.0, causal: bool = False, *, attn_mask: Any = None, scale: Any = None
) -> list[Any]:  # fmt: skip
    """Mixed values, and the logarithms of the sums by which the weights were divided; nothing for a query that sees no key."""
    count = _each(c, 0)
    k, v = (x if count == 1 else T.repeat(x, count, axis=1) for x in (k, v))
    scores, _ = _scores(q, k, dropout, causal, attn_mask, scale)
    weights = T.softmax(scores, axis=-1)
    if attn_mask is not None:
        blind = T.all(T.eq(scores, number(-np.inf, q.dtype)), axis=-1, keepdims=True)
        weights = T.switch(blind, number(0, q.dtype), weights)
    return [T.matmul(weights, v), T.logsumexp(scores, axis=-1)]


@on("_scaled_dot_product_flash_attention_for_cpu_backward")
def attention_gradient(
    c: At, dy: Any, q: Any, k: Any, v: Any, y: Any, sums: Any, dropout: float, causal: bool, *, attn_mask: Any = None, scale: Any = None
) -> list[Any]:  # fmt: skip
    """The weights are computed again."""
    count = _each(c, 1)
    k, v = (x if count == 1 else T.repeat(x, count, axis=1) for x in (k, v))
    scores, factor = _scores(q, k, dropout, causal, attn_mask, scale)
    blind = T.eq(sums, number(-np.inf, q.dtype))
    weights = T.exp(scores - T.switch(blind, number(np.inf, q.dtype), sums).dimshuffle(0, 1, 2, "x"))
    inner = T.matmul(dy, T.swapaxes(v, -1, -2)) - T.sum(dy * y, axis=-1, keepdims=True)
    slopes = weights * inner * factor
    made = T.matmul(T.swapaxes(slopes, -1, -2), q), T.matmul(T.swapaxes(weights, -1, -2), dy)
    return [T.matmul(slopes, k), *(_added(x, count) for x in made)]
