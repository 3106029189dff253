"""Ops that compute lengths, and views that change nothing but a shape: pages hide them at first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.dtypes import INTEGERS
from eqsat.graph.walk import toposort
from eqsat.graph.work import Cost


@dataclass(frozen=True)
class Hidden:
    """The ops that a page hides: ``lengths`` with all their lines, ``views`` whose operand takes their place."""

    lengths: frozenset[Apply]
    views: frozenset[Apply]

    def __contains__(self, node: Any) -> bool:
        return node in self.lengths or node in self.views


def shape_arithmetic(outputs: Sequence[Variable]) -> Hidden:
    """The ops of a graph that compute lengths of which nothing but shapes is made, and the views that keep all elements in order.

    >>> import eqsat.tensor as T
    >>> x = T.dmatrix("x")
    >>> hidden = shape_arithmetic([T.exp(T.reshape(x, (x.shape[0] * 2, -1)))])
    >>> sorted({n.op.name for n in hidden.lengths}), [n.op.name for n in hidden.views]
    (['length', 'make_vector', 'mul', 'subtensor'], ['reshape'])
    """
    nodes, results = toposort(outputs), {v.owner for v in outputs}
    views = {n for n in nodes if n not in results and _keeps_rows(n)}
    return Hidden(frozenset(_lengths(nodes, results)), frozenset(views))


def _keeps_rows(node: Apply) -> bool:
    """True for a view that shows all elements of its operand in their order."""
    told = getattr(getattr(node.op, "declaration", None), "in_rows", False)
    return bool(told(node.op) if callable(told) else told)


def _lengths(nodes: Sequence[Apply], results: Collection[Any]) -> set[Apply]:
    """Ops whose values follow from lengths alone, and of which nothing but lengths is made."""
    found: set[Apply] = set()
    for node in nodes:
        if _of_few_integers(node) and (_reads_a_length(node) or _follows(node, found)):
            found.add(node)
    needed: set[Apply] = {n for n in results if n is not None}
    for node in reversed(nodes):
        if node in found and node not in needed:
            continue
        found.discard(node)
        needed.update(v.owner for v in _values_read(node) if v.owner is not None)
    return found


def _follows(node: Apply, found: set[Apply]) -> bool:
    declaration: Any = node.op.declaration  # type: ignore[attr-defined]
    plain = declaration.kind in ("elemwise", "view") or declaration.cost == FREE
    return plain and all(
        v.owner in found if v.owner is not None else isinstance(v, Constant) for v in node.inputs
    )


def _of_few_integers(node: Apply) -> bool:
    """True for a declared op whose results are integers or vectors of them."""
    kinds: list[Any] = [v.type for v in node.outputs]
    return hasattr(node.op, "declaration") and all(
        getattr(k, "ndim", 2) <= 1 and k.dtype in INTEGERS for k in kinds
    )


def _reads_a_length(node: Apply) -> bool:
    """True for an op that reads no element: it costs nothing, and shows none."""
    declaration: Any = node.op.declaration  # type: ignore[attr-defined]
    return (
        declaration.kind == "block"
        and declaration.cost == FREE
        and not declaration.shows()
        and not declaration.linear
    )


def _values_read(node: Apply) -> list[Variable]:
    """The operands of an op of which more is made than lengths."""
    declaration: Any = getattr(node.op, "declaration", None)
    if declaration is None or declaration.variadic and declaration.tensors[-1] in declaration.sized_by:
        first = [] if declaration is None else declaration.tensors[:-1]
        return node.inputs if declaration is None else node.inputs[: len(first)]
    named = zip(declaration.tensors, node.inputs, strict=False)
    more = node.inputs[len(declaration.tensors) :]
    return [v for name, v in named if name not in declaration.sized_by] + more


FREE = Cost(flops=0, bytes=0, calls=0)
