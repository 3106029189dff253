"""Ops of ATen that torch does not write in terms of others, written so in torch's own functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F

aten = torch.ops.aten


def _kept_apart(mask: Any, kind: int | None) -> Any:
    """A mask over heads, places and keys; of kind 0 it lies over places and keys, of kind 1 over batch and keys."""
    mask = mask != 0
    return mask[:, None, None, :] if kind == 1 else mask


def _attention(x: Any, heads: int, inner: tuple[Any, Any], outer: tuple[Any, Any], mask: Any) -> Any:
    """Attention of places to places of the same sequence; what a mask names has no weight."""
    queries, keys, values = (
        part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in F.linear(x, *inner).chunk(3, -1)
    )
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    return F.linear((scores.softmax(-1) @ values).transpose(1, 2).flatten(2), *outer)


def encoder_layer(
    x: Any, width: int, heads: int, qkv_w: Any, qkv_b: Any, out_w: Any, out_b: Any, gelu: bool, norm_first: bool, eps: float,
    norm_w: Any, norm_b: Any, other_w: Any, other_b: Any, up_w: Any, up_b: Any, down_w: Any, down_b: Any, mask: Any = None, mask_type: int | None = None,
) -> Any:  # fmt: skip
    """A layer of ``nn.TransformerEncoder``, which torch runs as one op where nothing is learnt."""
    norms = ((norm_w, norm_b), (other_w, other_b))
    first, second = (lambda v, p=p: F.layer_norm(v, (width,), *p, eps) for p in norms)
    hidden = F.gelu if gelu else F.relu
    mask = None if mask is None else _kept_apart(mask, mask_type)
    attend = lambda v: _attention(v, heads, (qkv_w, qkv_b), (out_w, out_b), mask)
    feed = lambda v: F.linear(hidden(F.linear(v, up_w, up_b)), down_w, down_b)
    if norm_first:
        x = x + attend(first(x))
        return x + feed(second(x))
    x = first(x + attend(x))
    return second(x + feed(x))


def product_of_three(
    a: Any, b: Any, c: Any, new_a: Sequence[int], new_b: Sequence[int], new_c: Sequence[int], summed: Sequence[int], unrolled: int = 1
) -> Any:  # fmt: skip
    """The product of three tensors with new axes of length 1 at some places, summed over axes."""
    axes = range(a.ndim + len(new_a))
    subscripts = [[k for k in axes if k not in new] for new in (new_a, new_b, new_c)]
    left = [k for k in axes if k not in summed]
    return torch.einsum(a, subscripts[0], b, subscripts[1], c, subscripts[2], left)


def weight_norm_gradient(dw: Any, v: Any, g: Any, norms: Any, axis: int) -> tuple[Any, Any]:
    """The gradients of ``v g / norms``, whose norms are those of v over the other axes, in v and in g."""
    others = [k for k in range(v.ndim) if k != axis % v.ndim]
    along = (dw * v).sum(others, keepdim=True) / norms
    return (dw - v * along / norms) * (g / norms), along


def distance_gradient(d: Any, x: Any, y: Any, p: float, found: Any) -> Any:
    """The gradient of the distances of rows of x to rows of y in x; 0 where they meet."""
    if p not in (1, 2):
        return NotImplemented
    apart = x.unsqueeze(-2) - y.unsqueeze(-3)
    slope = apart.sign() if p == 1 else apart / found.where(found != 0, 1).unsqueeze(-1)
    return (slope * d.unsqueeze(-1)).sum(-2)


WRITTEN_OUT: dict[Any, Callable[..., Any]] = {
    aten._transformer_encoder_layer_fwd.default: encoder_layer,
    aten._trilinear.default: product_of_three,
    aten._weight_norm_interface_backward.default: weight_norm_gradient,
    aten._cdist_backward.default: distance_gradient,
}
