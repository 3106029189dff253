"""softmax, log_softmax and logsumexp: one pass for the maximum, one for the sum, none that overflows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.graph.c_operand import COperand, CWriter, loops
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.elemwise import exp, mul
from eqsat.graph.ops.reduce import reduced_dims, reduced_type, sum_op
from eqsat.graph.parameters import AXES


def _shifted(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    top = np.max(x, axis=axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    return top, np.subtract(x, top)


def _rows_c(finish: str) -> Any:
    """C of softmax-like ops: per row the maximum, the sum of exponentials, then ``finish`` per element."""

    def write(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
        (x,) = ins
        axes = op.params["axes"]
        kept = [a for a in range(len(x.n)) if a not in axes]
        f = "f" if x.dtype == "float32" else ""
        index = [f"r{axes.index(a)}" if a in axes else f"i{kept.index(a)}" for a in range(len(x.n))]
        lengths = [x.n[a] for a in axes]
        v = x.at(index)
        simd = "\n#pragma omp simd reduction(+:total)\n"
        last = len(axes) - 1

        def inner(body: str, pragma: str = "") -> str:
            loop = f"{pragma}for (int64_t r{last} = 0; r{last} < {lengths[-1]}; r{last}++) {{ {body} }}"
            return loops(lengths[:-1], loop, index="r")

        top = inner(f"{x.ctype} v = {v}; top = v > top ? v : top;")
        add = inner(f"total += exp{f}({v} - top);", simd)
        target = out.at(index if finish else ["0" if a in axes else index[a] for a in range(len(x.n))])
        each = (
            inner(f"{target} = {finish.format(v=v, f=f)};", "\n#pragma omp simd\n")
            if finish
            else f"{target} = ({x.ctype})(top + logs);"
        )
        body = (
            f"{x.ctype} top = -INFINITY; {top} if (!(top > -INFINITY && top < INFINITY)) top = 0; "
            f"double total = 0; {add} double logs = log(total); (void)logs; {each}"
        )
        w.emit(loops([x.n[a] for a in kept], body))

    return write


def _rows_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    return Cost(flops=40.0 * float(np.prod(ins[0])))


def _same_dims(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    return list(ins[0].n)


@structural(
    "block",
    name="softmax",
    type_text=("dtype_x", "ndim_x", "mask_x"),
    parameters={"axes": AXES},
    infer=lambda op, x: x.type,
    grad=lambda op, inputs, out, dy: [out * (dy - sum_op(mul(dy, out), axes=op.params["axes"]))],
    dims=_same_dims,
    c=_rows_c("exp{f}({v} - top) / total"),
    cost=_rows_cost,
    image=(0.0, 1.0),
)
def softmax_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """exp(x) / sum(exp(x)) over axes, without overflow: the maximum is subtracted first."""
    _, shifted = _shifted(x, axes)
    e = np.exp(shifted)
    return (e / np.sum(e, axis=axes, keepdims=True, dtype=np.float64)).astype(x.dtype)


@structural(
    "block",
    name="log_softmax",
    type_text=("dtype_x", "ndim_x", "mask_x"),
    parameters={"axes": AXES},
    infer=lambda op, x: x.type,
    grad=lambda op, inputs, out, dy: [dy - exp(out) * sum_op(dy, axes=op.params["axes"])],
    dims=_same_dims,
    c=_rows_c("({v} - top) - logs"),
    cost=_rows_cost,
    image=(-float("inf"), 0.0),
)
def log_softmax_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """x - log(sum(exp(x))) over axes, without overflow and without the logarithm of 0."""
    _, shifted = _shifted(x, axes)
    total = np.sum(np.exp(shifted), axis=axes, keepdims=True, dtype=np.float64)
    return (shifted - np.log(total)).astype(x.dtype)


@structural(
    "block",
    name="logsumexp",
    type_text=("dtype_x", "ndim_x", "(| mask_x axes)"),
    parameters={"axes": AXES},
    infer=reduced_type,
    grad=lambda op, inputs, out, dy: [dy * softmax_op(inputs[0], axes=op.params["axes"])],
    dims=reduced_dims,
    c=_rows_c(""),
    cost=_rows_cost,
)
def logsumexp_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """log(sum(exp(x))) over axes, without overflow; -inf over an axis of length 0."""
    top, shifted = _shifted(x, axes)
    return (top + np.log(np.sum(np.exp(shifted), axis=axes, keepdims=True, dtype=np.float64))).astype(x.dtype)
