"""A variable in a sentence: its name, or the expression that computes it, as somebody would write it and shortened."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.inner_graphs import insides
from eqsat.graph.parts import index_parts
from eqsat.printing.leaf_texts import leaf_text
from eqsat.printing.line import INFIX, OPERATORS, PREFIX, PREFIX_LEVEL

LONGEST = 60  # characters of an expression
LONGEST_LEAF = 24  # characters of a name or a number in it
MOST_OPERANDS = 4  # of an op; others are left out

STRENGTH = {name: level for name, (_, level) in OPERATORS.items()} | dict.fromkeys(PREFIX, PREFIX_LEVEL)
ATOM = max(STRENGTH.values()) + 1


class Place:
    """The place of an operand in a text; an operator weaker than ``strength`` stands in parentheses there."""

    __slots__ = ("variable", "strength", "parts")

    def __init__(self, variable: Variable, strength: int = 0) -> None:
        self.variable = variable
        self.strength = strength
        self.parts: Parts = ["…"]


Parts = list[str | Place]


def short(variable: Variable, limit: int = LONGEST) -> str:
    """The name of a variable, or its expression as it would be written, with ``…`` for what makes it too long.

    Operands are written out level by level as long as there is room, so that parentheses are always closed. Axes that only
    broadcast, conversions without loss and parameters that say nothing are left out.

    >>> import eqsat.tensor as T
    >>> x, w = T.dvector("x"), T.dmatrix("w")
    >>> short(T.exp(x + 1) / T.dot(w, x).sum()), short(w.T.max(0)[1:])
    ('exp(x + 1) / sum(dot(w, x))', 'max(w.T, axis=0)[1:]')
    >>> short(T.log(T.exp(x) * (T.sqr(x) + 3 * x)) - T.sum(w[0] * x), 40)
    'log(exp(x) * (… + …)) - sum(w[0] * x)'
    """
    variable = _unbroadcast(variable)
    if variable.name is not None:
        return variable.name
    return _cut(_leaf(variable), limit) if variable.owner is None else computed(variable, limit)


def computed(variable: Variable, limit: int = LONGEST) -> str:
    """The expression of a result, whatever it is called.

    >>> import eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> y = T.exp(x)
    >>> y.name = "y"
    >>> computed(y), computed(y + 1)
    ('exp(x)', 'y + 1')
    """
    assert variable.owner is not None
    root, labels = Place(variable), dict[Variable, str]()
    root.parts = _applied(variable, labels)
    if _length(root.parts) > limit:
        return _cut(f"{_name(variable.owner)}(…)", limit)
    _fill(root, limit, labels)
    return _text(root)


def applied(op: str, operands: Sequence[str]) -> str:
    """An op, named as ``str`` does, of operands that are texts.

    >>> applied("mul", ["x + 1", "y"]), applied("sum{(0)}", ["x"])
    ('(x + 1) * y', 'sum{(0)}(x)')
    """
    names = [_cut(name) for name in operands]
    if op in INFIX and len(names) == 2:
        return f" {INFIX[op]} ".join(f"({name})" if " " in name else name for name in names)
    return f"{op}({', '.join(names)})"


def _fill(root: Place, limit: int, labels: dict[Variable, str]) -> None:
    """Write operands out, those of a level before those below, where the whole stays within a limit."""
    length, waiting = _length(root.parts), deque(_places(root))
    while waiting and length < limit:
        place = waiting.popleft()
        parts = _written(place.variable, place.strength, labels)
        longer = length - 1 + _length(parts)
        if longer <= limit:
            place.parts, length = parts, longer
            waiting.extend(_places(place))


def _places(place: Place) -> list[Place]:
    return [p for p in place.parts if isinstance(p, Place)]


def _length(parts: Parts) -> int:
    return sum(len(p) if isinstance(p, str) else 1 for p in parts)


def _text(root: Place) -> str:
    pieces: list[str] = []
    stack: Parts = [root]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            pieces.append(part)
        else:
            stack += part.parts[::-1]
    return "".join(pieces)


def _cut(text: str, limit: int = LONGEST_LEAF) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _leaf(variable: Variable) -> str:
    """Text of a variable that no op computes; of a number no more digits than tell it from others."""
    if (
        isinstance(variable, Constant)
        and getattr(variable.data, "ndim", -1) == 0
        and variable.data.dtype.kind == "f"
    ):
        return f"{variable.data:.6g}"
    return leaf_text(variable)


def _written(variable: Variable, strength: int, labels: dict[Variable, str]) -> Parts:
    """One op with places for its operands, in parentheses where it is weaker than its surroundings ask."""
    variable = _seen(variable)
    if variable in labels:
        return [labels[variable]]
    if variable.name is not None or variable.owner is None:
        return [_cut(variable.name or _leaf(variable))]
    weak = STRENGTH.get(getattr(variable.owner.op, "name", ""), ATOM) < strength
    parts = _applied(variable, labels)
    return ["(", *parts, ")"] if weak else parts


def _applied(variable: Variable, labels: dict[Variable, str]) -> Parts:
    """An op with places for its operands."""
    node = variable.owner
    assert node is not None
    name = getattr(node.op, "name", "")
    loop = next((g for g in insides(node) if g.steps is not None), None)
    if loop is not None:
        return _loop(variable, node, loop, labels)
    return _operator(node, name) or WRITERS.get(name, _general)(variable, node)


def _seen(variable: Variable) -> Variable:
    """The variable that somebody wrote: behind axes that only broadcast or are dropped, and conversions without loss."""
    while True:
        variable = _unbroadcast(variable)
        node = variable.owner
        if variable.name is not None or node is None or getattr(node.op, "name", "") != "cast":
            return variable
        (x,) = node.inputs
        if not np.can_cast(x.type.dtype, variable.type.dtype):  # type: ignore[attr-defined]
            return variable
        variable = x


def _unbroadcast(variable: Variable) -> Variable:
    """The variable behind axes that only broadcast, or that a sum or an index kept and something dropped."""
    while variable.name is None and variable.owner is not None:
        inner = _behind(variable.owner)
        if inner is None:
            break
        variable = inner
    return variable


def _behind(node: Apply) -> Variable | None:
    if getattr(node.op, "name", "") != "dimshuffle":
        return None
    (x,) = node.inputs
    pattern, axes = node.op.params["pattern"], tuple(range(x.type.ndim))  # type: ignore[attr-defined]
    kept = tuple(p for p in pattern if p != "x")
    if kept == pattern and kept == tuple(sorted(kept)):
        return (
            x if x.name is None and x.owner is not None else None
        )  # axes that a sum kept; of an input, written
    return x if kept == axes and pattern == ("x",) * (len(pattern) - len(kept)) + kept else None


def _operator(node: Apply, name: str) -> Parts:
    """An operator between or before its operands."""
    own = STRENGTH.get(name, ATOM)
    if name in INFIX and len(node.inputs) == 2:
        left, right = (ATOM, own) if name == "pow" else (own + (own == 1), own + 1)
        return [Place(node.inputs[0], left), f" {INFIX[name]} ", Place(node.inputs[1], right)]
    return [PREFIX[name], Place(node.inputs[0], own)] if name in PREFIX else []


def _dimshuffle(variable: Variable, node: Apply) -> Parts:
    (x,) = node.inputs
    pattern, ndim = node.op.params["pattern"], x.type.ndim  # type: ignore[attr-defined]
    kept = tuple(p for p in pattern if p != "x")
    if kept == tuple(range(ndim)):
        return [Place(x, ATOM), "[" + ", ".join("None" if p == "x" else ":" for p in pattern) + "]"]
    if kept == pattern == tuple(range(ndim))[::-1]:
        return [Place(x, ATOM), ".T"]
    if kept == pattern and len(kept) == ndim:
        return [Place(x, ATOM), f".transpose{pattern}"]
    if kept == pattern == tuple(sorted(kept)):
        return ["squeeze(", Place(x), ")"]
    return [Place(x, ATOM), f".dimshuffle{pattern}"]


def _product(variable: Variable, node: Apply) -> Parts:
    """A product; a vector is a matrix in it, which nobody wrote."""
    name = getattr(node.op, "name", "")
    return [f"{name}(", Place(_vector(node.inputs[0])), ", ", Place(_vector(node.inputs[1])), ")"]


def _vector(x: Variable) -> Variable:
    """The vector behind a matrix of one row or column."""
    added = getattr(x.owner and x.owner.op, "name", "") == "dimshuffle" and x.name is None
    inner = x.owner.inputs[0] if added and x.owner is not None else x
    return inner if getattr(inner.type, "ndim", 0) == 1 else x


def _length_of(variable: Variable, node: Apply) -> Parts:
    return [Place(node.inputs[0], ATOM), f".shape[{node.op.params['axis']}]"]  # type: ignore[attr-defined]


def _make_vector(variable: Variable, node: Apply) -> Parts:
    """A shape, or a list of numbers."""
    owners = [v.owner for v in node.inputs]
    whole = [o.inputs[0] for k, o in enumerate(owners) if o and _is_length(o, k)]
    if whole and len(whole) == len(owners) == whole[0].type.ndim and len(set(whole)) == 1:  # type: ignore[attr-defined]
        return [Place(whole[0], ATOM), ".shape"]
    return ["[", *_listed(node.inputs), "]"]


def _is_length(node: Apply, axis: int) -> bool:
    op: Any = node.op
    return getattr(op, "name", "") == "length" and op.params["axis"] == axis


def _subtensor(variable: Variable, node: Apply) -> Parts:
    index = index_parts(node.op.params["pattern"], map(Place, node.inputs[1:]))  # type: ignore[attr-defined]
    return [Place(node.inputs[0], ATOM), *index]


def _first_rows(variable: Variable, node: Apply) -> Parts:
    """As many rows as a loop reads, which is a slice to a reader."""
    return [Place(node.inputs[0], ATOM), "[:", Place(node.inputs[1]), "]"]


def _set_part(variable: Variable, node: Apply) -> Parts:
    params = node.op.params  # type: ignore[attr-defined]
    x, y, *scalars = node.inputs
    index = index_parts(params["pattern"], map(Place, scalars))
    name = "inc_subtensor" if params["add"] else "set_subtensor"
    return [f"{name}(", Place(x, ATOM), *index, ", ", Place(y), ")"]


def _gather(variable: Variable, node: Apply) -> Parts:
    """Elements picked by arrays, as they are written in NumPy."""
    pattern = node.op.params["pattern"]  # type: ignore[attr-defined]
    last = max(k for k, p in enumerate(pattern) if p >= 0)
    parts: Parts = [Place(node.inputs[0], ATOM), "["]
    for k, p in enumerate(pattern[: last + 1]):
        parts += [", "] * (k > 0)
        parts.append(":" if p < 0 else Place(node.inputs[1 + p]))
    return [*parts, "]"]


def _loop(variable: Variable, node: Apply, loop: Any, labels: dict[Variable, str]) -> Parts:
    """The equation of one output of a loop."""
    if variable.index is None or variable.index >= len(loop.outputs):
        return _general(variable, node)
    labels.update(
        {p.variable: p.label for p in loop.inputs if p.variable is not None and p.outer is not None}
    )
    output = loop.outputs[variable.index]
    return [f"{_cut(str(node.op))}({output.label} = ", Place(output.variable), ")"]


def _general(variable: Variable, node: Apply) -> Parts:
    """A call, with the parameters that say something by their names."""
    said = [f"{key}={value}" for key, value in _parameters(node)]
    parts: Parts = [f"{_name(node)}(", *_listed(node.inputs, said), ")"]
    return [*parts, f"[{variable.index}]"] if len(node.outputs) > 1 else parts


def _listed(operands: Sequence[Variable], said: Sequence[str] = ()) -> Parts:
    """Operands and texts with commas between them; of many operands the first and the last."""
    few = len(operands) <= MOST_OPERANDS
    items: Parts = [Place(v) for v in (operands if few else operands[: MOST_OPERANDS - 1])]
    items += said if few else ["…", Place(operands[-1]), *said]
    separated: Parts = []
    for item in items:
        separated += [", ", item] if separated else [item]
    return separated


def _name(node: Apply) -> str:
    return _cut(str(getattr(node.op, "name", None) or str(node.op).partition("{")[0]))


def _parameters(node: Apply) -> list[tuple[str, Any]]:
    """The parameters of an op that a reader needs: flags that are set, a type, and axes that are not all."""
    ndim = max([getattr(v.type, "ndim", 0) for v in node.inputs], default=0)
    said: list[tuple[str, Any]] = []
    for key, value in getattr(node.op, "params", {}).items():
        if key in ("axis", "axes"):
            axes = value if isinstance(value, tuple) else (value,)
            if len(axes) < ndim:
                said.append(("axis", axes[0] if len(axes) == 1 else axes))
        elif key != "ndim" and value and isinstance(value, (int, float, str)):
            said.append((key, value))
    return said


WRITERS: dict[str, Callable[[Variable, Apply], Parts]] = {
    "dimshuffle": _dimshuffle,
    "first_rows": _first_rows,
    "dot": _product,
    "length": _length_of,
    "make_vector": _make_vector,
    "subtensor": _subtensor,
    "set_part": _set_part,
    "gather": _gather,
}
