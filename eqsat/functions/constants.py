"""Constant folding of the chosen graph: subgraphs of constants alone are computed once, when the function is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.run import computed
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import clone_with, toposort

_SMALL = 1 << 16  # bytes that a result may take whatever it is computed of
_VIEWS = ("view", "shape")


def with_constants(outputs: Sequence[Any]) -> list[Any]:
    """The outputs, in which what depends on constants alone is a constant; the same ones where nothing does.

    A result that takes more memory than twice its operands is left to the function, and so are views and what fails:
    a call meets the same error in its place.

    >>> import numpy as np, eqsat.tensor as T
    >>> from eqsat.functions.constants import with_constants
    >>> x, c = T.dvector("x"), T.constant(np.array([1.0, 4.0]))
    >>> with_constants([x + T.sqrt(c)])[0].owner.inputs[1].data
    array([1., 2.])
    """
    values: dict[Variable, Any] = {}
    worked: set[Variable] = set()  # values that took more than a view
    wanted: set[Variable] = set()
    for node in toposort(outputs):
        found = _value(node, values)
        if found is not None:
            values[node.outputs[0]] = found
            if not _is_view(node) or any(v in worked for v in node.inputs):
                worked.add(node.outputs[0])
        else:
            wanted.update(v for v in node.inputs if v in worked)
    wanted.update(v for v in outputs if v in worked)
    if not wanted:
        return list(outputs)
    return clone_with(outputs, {v: _constant(v, values[v]) for v in wanted})


def _constant(v: Any, value: Any) -> Constant:
    made: Constant = v.type.make_constant(np.array(value, order="C"), v.name)
    made.comes_from(v)
    return made


def _value(node: Apply, values: dict[Variable, Any]) -> Any:
    """The result of an op of constants; None for another, for one that is too large, and where it fails."""
    op: Any = node.op
    known = [values.get(v, v.data if isinstance(v, Constant) else None) for v in node.inputs]
    if not isinstance(op, DeclaredOp) or len(node.outputs) != 1 or not known or any(a is None for a in known):
        return None
    size = _bytes(node, known)
    if size is None or size > max(_SMALL, 2 * sum(np.asarray(a).nbytes for a in known)):
        return None
    found = computed(node, known)
    return None if found is None else found[0]


def _bytes(node: Apply, operands: Sequence[Any]) -> int | None:
    """Bytes of a result before it is computed; None where its lengths are not known."""
    kind = node.outputs[0].type
    if not isinstance(kind, TensorType):
        return None
    shape: Any = kind.shape
    if node.op.declaration.kind == "elemwise":  # type: ignore[attr-defined]
        try:
            shape = np.broadcast_shapes(*(np.shape(a) for a in operands))
        except ValueError:
            return None
    return None if None in shape else int(np.prod(shape, dtype=np.int64)) * np.dtype(kind.dtype).itemsize


def _is_view(node: Apply) -> bool:
    return getattr(getattr(node.op, "declaration", None), "kind", "") in _VIEWS
