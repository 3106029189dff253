"""Graphs as bytes and back without recursion: whatever is pickled first brings its graph as a flat list.

A variable that an op computes is pickled as (list of applications in order, end mark, application, index). While
that list is written, its variables are written as (application, index) only, since the pickler has seen their
applications already; so sharing between all that is pickled together is kept by the pickler itself. The end mark
closes the list. ``copy.deepcopy`` takes the same way.
"""

from __future__ import annotations

import pickle
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.walk import toposort


def dumps(variables: Sequence[Variable]) -> bytes:
    """Bytes of variables with the graphs they depend on; shared variables keep their values.

    >>> import eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> (y,) = loads(dumps([T.exp(x)]))
    >>> y
    exp(x)
    >>> y.owner.inputs
    [x]
    """
    return pickle.dumps(list(variables))


def loads(data: bytes) -> list[Any]:
    """The variables that ``dumps`` was given, as new objects."""
    return list(pickle.loads(data))


class _Open(threading.local):
    """The list that this thread is writing: the one list that is open, or None."""

    def __init__(self) -> None:
        self.mark: weakref.ref[Any] | None = None

    def holds(self, node: Apply) -> bool:
        """True for an application that the open list holds."""
        mark = None if self.mark is None else self.mark()
        return mark is not None and node in mark.nodes


_open = _Open()


class _EndMark:
    """Stands behind a list of applications; pickling it closes the list, and so does an error on the way."""

    def __init__(self, nodes: list[Apply]) -> None:
        self.nodes = set(nodes)
        self.outer = _open.mark
        _open.mark = weakref.ref(self)

    def __reduce__(self) -> Any:
        _open.mark, self.outer = self.outer, None
        self.nodes = set()
        return (_nothing, ())


def _nothing() -> None:
    return None


def reduce_variable(v: Any) -> Any:
    """The reduction of a variable for pickle and copy."""
    if v.owner is None:
        value = (v.data,) if isinstance(v, Constant) else None
        return (
            _leaf,
            (type(v), v.type, v.name, _origin(v), v.notes(), value),
            None if value else _own_fields(v),
        )
    if _open.holds(v.owner):
        return (_output, (v.owner, v.index))
    nodes = toposort([v])
    return (_last_output, (nodes, _EndMark(nodes), v.owner, v.index))


def reduce_apply(node: Apply) -> Any:
    """The reduction of an application for pickle and copy."""
    rows = [(type(v), v.type, v.name, _origin(v), v.notes()) for v in node.outputs]
    piece = (node.op, node.inputs, rows, node.notes())
    if _open.holds(node):
        return (_apply, piece)
    nodes = toposort(node.inputs)
    return (_last_apply, (nodes, _EndMark(nodes), *piece))


def _own_fields(v: Any) -> dict[str, Any] | None:
    """Fields that the class of a variable adds to Variable, such as the container of a shared variable.

    It is pickled as the state, after the variable, so that it may contain the variable.
    """
    classes = type(v).__mro__[: type(v).__mro__.index(Variable)]
    names = [name for cls in classes for name in vars(cls).get("__slots__", ()) if not name.startswith("__")]
    found = {name: getattr(v, name) for name in names if hasattr(v, name)} | getattr(v, "__dict__", {})
    return found or None


def _leaf(cls: Any, kind: Any, name: str | None, origin: Any, notes: Any, value: Any) -> Any:
    if value is not None:
        variable = cls(kind, *value, name)
        if hasattr(variable.data, "setflags"):
            variable.data.setflags(write=False)
    else:
        variable = cls.__new__(cls)
        Variable.__init__(variable, kind, None, None, name)
    return _noted(variable, origin, notes)


def _origin(v: Any) -> Any:
    """The user's line, and the name scope where there is one."""
    return (v.made_at, v.scope) if v.scope else v.made_at


def _noted(variable: Any, origin: Any, notes: Any) -> Any:
    variable.made_at, variable.scope = origin if isinstance(origin, tuple) else (origin, "")
    if notes is not None:
        variable.tag = notes
    return variable


def _apply(op: Any, inputs: Any, rows: Any, notes: Any) -> Apply:
    outputs = [_noted(cls(kind, None, None, name), place, tag) for cls, kind, name, place, tag in rows]
    node = Apply(op, inputs, outputs)
    if notes is not None:
        node.tag = notes
    return node


def _last_apply(nodes: Any, mark: Any, *piece: Any) -> Apply:
    return _apply(*piece)


def _output(node: Apply, index: int) -> Any:
    return node.outputs[index]


def _last_output(nodes: Any, mark: Any, node: Apply, index: int) -> Any:
    return node.outputs[index]
