"""Ops on matrices that give NaN for a matrix that fails, where the op beside them raises an error: made from its declaration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from eqsat.errors import LinAlgError
from eqsat.graph.core import Variable
from eqsat.graph.walk import rebuild, toposort

SUFFIX = "_or_nan"


def twin(d: Any) -> Any:
    """The declaration of the op that gives NaN where that of ``d`` raises."""
    grad = None if d.grad is None else partial(_grad, d.grad)
    meaning = partial(_each, d)
    meaning.__doc__ = d.doc
    doc = f"{d.doc.replace(d.doc.partition(chr(10))[0], _first_line(d), 1)}"
    return replace(
        d, name=d.name + SUFFIX, meaning=meaning, grad=grad, raises=d.name, called=d.called or d.name, doc=doc
    )


def _first_line(d: Any) -> str:
    first: str = d.doc.partition("\n")[0]
    return f"{first.rstrip('.')}; NaN for a matrix that fails."


def or_nan(op: Any) -> Any:
    """The op that gives NaN where this one raises an error for a matrix.

    >>> from eqsat.graph.ops.decompose import cholesky_op
    >>> or_nan(cholesky_op).name
    'cholesky_or_nan'
    """
    from eqsat.graph.declare import OPS, Declaration, find_op

    name = op.name + SUFFIX
    return OPS[name] if isinstance(op, Declaration) else find_op(name, op.values)


def raises(op: Any) -> bool:
    """True for an op that raises an error for a matrix, and beside which there is one that gives NaN."""
    d = getattr(op, "declaration", None)
    return d is not None and bool(d.failure) and not d.raises


def _grad(grad: Any, op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    """The gradient of the op that raises, in which no op raises."""
    found = grad(op, inputs, outputs, gradients)
    known = [v for group in (inputs, outputs, gradients) for v in _listed(group)]
    made = iter(quiet([v for v in found if v is not None], known))
    return [None if v is None else next(made) for v in found]


def _listed(group: Any) -> list[Any]:
    return [v for v in group if v is not None] if isinstance(group, (list, tuple)) else [group]


def quiet(outputs: Sequence[Variable], stop: Sequence[Variable]) -> list[Variable]:
    """A graph over some variables with the ops that give NaN in place of those that raise."""
    new: dict[Variable, Variable] = {}
    for node in toposort(outputs, stop=stop):
        inputs = [new.get(v, v) for v in node.inputs]
        if raises(node.op):
            fresh = or_nan(node.op).make_node(*inputs).outputs
        elif inputs == node.inputs:
            continue
        else:
            fresh = rebuild(node, inputs)
        new.update(zip(node.outputs, fresh, strict=True))
    return [new.get(v, v) for v in outputs]


# --------------------------------------------------------------------------------------------------- the meaning


def _each(d: Any, *values: Any, **parameters: Any) -> Any:
    """The results of an op for stacks of matrices, NaN for each that fails."""
    try:
        return d.meaning(*values, **parameters)
    except LinAlgError:
        pass
    cores = [len(axes.before) + len(axes.after) for axes in d.shapes.operands]
    batch = np.broadcast_shapes(*(v.shape[: v.ndim - c] for v, c in zip(values, cores, strict=True)))
    stacks = [
        np.broadcast_to(v, (*batch, *v.shape[v.ndim - c :])) for v, c in zip(values, cores, strict=True)
    ]
    found = [_one(d, [v[index] for v in stacks], parameters) for index in np.ndindex(batch)]
    results = tuple(np.reshape(np.stack(r), (*batch, *r[0].shape)) for r in zip(*found, strict=True))
    return results if d.outputs > 1 else results[0]


def _one(d: Any, values: list[Any], parameters: dict[str, Any]) -> list[Any]:
    """The results for one matrix; of the lengths that a unit matrix has where it fails."""
    try:
        return _listed_results(d, values, parameters)
    except LinAlgError:
        unit = np.eye(*values[0].shape, dtype=values[0].dtype)
        return [np.full_like(r, np.nan) for r in _listed_results(d, [unit, *values[1:]], parameters)]


def _listed_results(d: Any, values: list[Any], parameters: dict[str, Any]) -> list[Any]:
    found = d.meaning(*values, **parameters)
    return list(found) if d.outputs > 1 else [found]
