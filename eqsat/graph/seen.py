"""The view of rules on a graph: the ops that are transparent to them, and the scalars that stand in vectors of lengths."""

from __future__ import annotations

import re
from typing import Any

from eqsat.graph.core import Apply, Variable
from eqsat.graph.declare import OPS, Declaration, DeclaredOp
from eqsat.graph.dtypes import COMPLEX


def is_transparent(declaration: Declaration) -> bool:
    """True for an op that the e-graph sees into: a fixed number of tensors, and a type that rules can derive."""
    if declaration.variadic or "c" in re.split(",|->", declaration.signature):
        return False
    if declaration.form_of:
        return True
    if declaration.opaque or declaration.outputs > 1:
        return False
    known = declaration.shapes is not None or declaration.type_text is not None
    return known or declaration.name == "dimshuffle"


def seen_name(apply: Apply) -> str | None:
    """The op, or the form of it, that rules may match; None for an application that is opaque to them.

    Rules are about real numbers, so nothing in it is complex.
    """
    op = apply.op
    name = op.declaration.seen_as(len(apply.inputs)) if isinstance(op, DeclaredOp) else None
    if name is None or not is_transparent(OPS[name]):
        return None
    kinds = zip(op.declaration.parameters.values(), op.values)  # type: ignore[attr-defined]
    if not all(kind.fits is None or kind.fits(v) for kind, v in kinds):
        return None
    real = all(v.type.dtype not in COMPLEX for v in (*apply.inputs, *apply.outputs))  # type: ignore[attr-defined]
    return name if real else None


def only_shown(v: Any) -> Any:
    """The operand of which every element of a tensor is one, as of a part or a filling; None where several are, or none."""
    d: Any = getattr(getattr(v.owner, "op", None), "declaration", None)
    shown: tuple[str, ...] = () if d is None or d.elements_if is not None else d.shows()
    if len(shown) != 1 or (d.variadic and shown[0] == d.tensors[-1]):
        return None
    return v.owner.inputs[d.tensors.index(shown[0])]


def element_of_vector(apply: Apply) -> Variable | None:
    """The scalar that is an element of a vector of scalars, as ``x.shape[0]`` is the length of x; else None."""
    op: Any = apply.op
    maker: Any = apply.inputs[0].owner if isinstance(op, DeclaredOp) and op.name == "subtensor" else None
    if maker is None or not isinstance(maker.op, DeclaredOp) or maker.op.name != "make_vector":
        return None
    (entry,) = op.params["pattern"]
    if entry[0] == "slice" or isinstance(entry[1], str):
        return None
    found: Variable = maker.inputs[entry[1]]
    return found if found.type == apply.outputs[0].type else None
