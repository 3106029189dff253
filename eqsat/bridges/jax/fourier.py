"""Discrete Fourier transforms over the last axes."""

from __future__ import annotations

from typing import Any

import eqsat.tensor as T
from eqsat.bridges.jax.matrices import TABLE


@TABLE.on("fft")
def fourier(t: Any, op: Any, node: Any, x: Any) -> Any:
    """Of as many axes as there are lengths; inverses are divided by the number of elements."""
    lengths, kind = [int(n) for n in op.params["fft_lengths"]], op.params["fft_type"]
    if 0 in node.outputs[0].aval.shape:
        return T.zeros(node.outputs[0].aval.shape, dtype=t.reader.type_of(node.outputs[0]).dtype)
    function = getattr(T.fft, f"{kind.name.lower()}n")
    return function(x, s=lengths, axes=tuple(range(-len(lengths), 0)))
