"""Graphs as text: a tree with ids, and one line of mathematics; neither recurses, and both bound their length."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.tensor_type import describe_array, shorten
from eqsat.graph.walk import toposort

INDENTED_LEVELS = 40  # deeper lines say how much deeper they are instead of being indented further
NESTED_LEVELS = 40  # deeper operands of one-line text are left out
ELLIPSIS = "···"


def debugprint(
    obj: Any, ids: bool = True, print_type: bool = False, depth: int | None = None, file: Any = None
) -> str | None:
    """Tree of each output: ops, names, constants, and an id per node; a node's operands are printed once.

    ``obj`` is a variable, a list of variables, or a compiled function, whose optimised outputs are printed
    with the place of each op in the order of execution. ``depth`` is the number of levels to print.
    ``file=None`` prints to standard output, ``file="str"`` returns the text instead.

    Errors   ArgumentError where obj is none of these, or depth is less than 1

    >>> import eqsat.tensor as T
    >>> x = T.vector("x")
    >>> y = T.exp(x)
    >>> print(debugprint(y * (y + x), file="str"))
    mul [id A]
     ├─ exp [id B]
     │  └─ x [id C]
     └─ add [id D]
        ├─ exp [id B]
        │  └─ ···
        └─ x [id C]
    """
    if depth is not None and depth < 1:
        raise ArgumentError(f"debugprint: depth is at least 1, not {depth}", depth=depth)
    outputs = outputs_of(obj)
    order = toposort(outputs) if hasattr(obj, "outputs_optimised") else []
    tree = _Tree(ids, print_type, depth, {node: place for place, node in enumerate(order)})
    text = "\n".join(tree.lines(outputs))
    if file == "str":
        return text
    print(text, file=sys.stdout if file is None else file)
    return None


dprint = debugprint


def outputs_of(obj: Any) -> list[Variable]:
    """The output variables that a variable, a list of variables or a compiled function stands for.

    Errors   ArgumentError where obj is none of these
    """
    found = getattr(obj, "outputs_optimised", obj)
    outputs = list(found) if isinstance(found, (list, tuple)) else [found]
    for output in outputs:
        if not isinstance(output, Variable):
            raise ArgumentError(
                f"{shorten(output)} is not a variable",
                needs="a variable, a list of variables or a compiled function",
            )
    return outputs


@dataclass
class _Tree:
    """What is printed so far, and how."""

    ids: bool
    print_type: bool
    depth: int | None
    order: Mapping[Apply, int]
    letters: dict[Apply | Variable, str] = field(default_factory=dict)
    expanded: set[Apply] = field(default_factory=set)
    inner: dict[Apply, None] = field(default_factory=dict)

    def lines(self, outputs: list[Variable]) -> Iterator[str]:
        for output in outputs:
            yield from self._tree(output)
        shown: set[Apply] = set()
        while len(shown) < len(self.inner):
            node = next(n for n in self.inner if n not in shown)
            yield from self._inner_graph(node, first=not shown)
            shown.add(node)

    def _inner_graph(self, node: Apply, first: bool) -> Iterator[str]:
        yield "\nInner graphs:\n" if first else ""
        yield self._mark(f"{node.op}", node)
        for output in node.op.inner_outputs:  # type: ignore[attr-defined]
            yield from self._tree(output, " ← ")

    def _tree(self, root: Variable, start: str = "") -> Iterator[str]:
        stack = [(root, start, " " * len(start), 1)]
        while stack:
            variable, first, rest, level = stack.pop()
            yield first + self._label(variable)
            node = variable.owner
            if node is None or not node.inputs:
                continue
            if node in self.expanded:
                yield _branch(rest, level, last=True)[0] + ELLIPSIS
            elif self.depth is None or level < self.depth:
                self.expanded.add(node)
                last = len(node.inputs) - 1
                for i, operand in reversed(list(enumerate(node.inputs))):
                    stack.append((operand, *_branch(rest, level, i == last), level + 1))

    def _label(self, variable: Variable) -> str:
        node = variable.owner
        if node is None:
            text = self._mark(leaf_text(variable), variable)
            named = isinstance(variable, Constant) and variable.name
        else:
            text = self._mark(f"{node.op}" + (f".{variable.index}" if len(node.outputs) > 1 else ""), node)
            named = variable.name
            if hasattr(node.op, "inner_outputs"):
                self.inner.setdefault(node)
        text += f" <{variable.type.short()}>" if self.print_type else ""
        text += f" '{variable.name}'" if named else ""
        return text + (f" {self.order[node]}" if node is not None and node in self.order else "")

    def _mark(self, text: str, key: Apply | Variable) -> str:
        letter = self.letters.setdefault(key, letters(len(self.letters)))
        return f"{text} [id {letter}]" if self.ids else text


def _branch(rest: str, level: int, last: bool) -> tuple[str, str]:
    """What stands before an operand, and before the lines below it."""
    if level > INDENTED_LEVELS:
        return f" ⋮ (+{level - INDENTED_LEVELS}) ", rest
    return rest + (" └─ " if last else " ├─ "), rest + ("   " if last else " │ ")


def letters(number: int) -> str:
    """The number in letters: A to Z, AA to AZ, BA and so on.

    >>> letters(0), letters(25), letters(26), letters(702)
    ('A', 'Z', 'AA', 'AAA')
    """
    text = ""
    while number >= 0:
        text = chr(ord("A") + number % 26) + text
        number = number // 26 - 1
    return text


def leaf_text(variable: Variable) -> str:
    """Text of a variable that no op computes: the value of a constant, else the name, else the type."""
    if isinstance(variable, Constant):
        return value_text(variable.data)
    return variable.name if variable.name is not None else f"<{variable.type.short()}>"


def value_text(value: Any) -> str:
    """A constant's value on one short line; of a large array its type and, if there is one, its only value.

    >>> value_text(np.ones((2, 2))), value_text(np.zeros(1000)), value_text(np.arange(50))
    ('[[1.0, 1.0], [1.0, 1.0]]', 'f64[1000] of 0.0', 'i64[50]')
    """
    if not isinstance(value, np.ndarray):
        return shorten(value)
    if value.ndim == 0:
        return str(value)
    if 0 < value.size <= 6:
        return str(value.astype(str).tolist()).replace("'", "")
    first = value.reshape(-1)[:1]
    same = value.size > 0 and bool(np.all(value == first))
    return describe_array(value) + (f" of {first[0]}" if same else "")


# ---------------------------------------------------------------------------------------------- one line

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "neq": "!=", "and": "&", "or": "|", "xor": "^",
}  # fmt: skip
PREFIX = {"neg": "-", "invert": "~"}


def pp(variable: Variable, limit: int = 2000) -> str:
    """The variable as one line of mathematics; what is nested too deeply or beyond ``limit`` becomes ``…``.

    >>> import eqsat.tensor as T
    >>> x, w = T.vector("x"), T.matrix("w")
    >>> pp(T.exp(x + 1) / T.dot(x, w.T).sum())
    '(exp((x + 1.0)) / squeeze(sum(squeeze(dot(x, w.T)), (0))))'
    """
    pieces: list[str] = []
    length = 0
    stack: list[tuple[str | Variable, int]] = [(variable, 0)]
    while stack:
        item, level = stack.pop()
        if not isinstance(item, str):
            deep = level > NESTED_LEVELS and item.owner is not None
            parts: list[str | Variable] = ["…"] if deep else _parts(item)
            stack.extend((part, level + 1) for part in reversed(parts))
            continue
        pieces.append(item)
        length += len(item)
        if length > limit:
            return "".join(pieces)[: limit - 1] + "…"
    return "".join(pieces)


def _parts(variable: Variable) -> list[str | Variable]:
    """Text of one op with its operands left to be printed."""
    node = variable.owner
    if node is None:
        return [variable.name or leaf_text(variable)]
    name = getattr(node.op, "name", str(node.op))
    if name in INFIX and len(node.inputs) == 2:
        return ["(", node.inputs[0], f" {INFIX[name]} ", node.inputs[1], ")"]
    if name in PREFIX:
        return ["(" + PREFIX[name], node.inputs[0], ")"]
    if name == "dimshuffle":
        before, after = _view_text(node.op.params["pattern"], node.inputs[0].type.ndim)  # type: ignore[attr-defined]
        return [before, node.inputs[0], after]
    return _call(variable, node, name)


def _view_text(pattern: tuple[Any, ...], ndim: int) -> tuple[str, str]:
    """Text around the operand of a dimshuffle in NumPy's notation; new axes on the left are implied."""
    kept = tuple(p for p in pattern if p != "x")
    if kept == tuple(range(ndim)):
        if pattern == ("x",) * (len(pattern) - ndim) + kept:
            return "", ""
        return "", "[" + ", ".join("None" if p == "x" else ":" for p in pattern) + "]"
    if kept == pattern == tuple(range(ndim))[::-1]:
        return "", ".T"
    if kept == pattern and len(kept) == ndim:
        return "", f".transpose{pattern}"
    return ("squeeze(", ")") if kept == pattern == tuple(sorted(kept)) else ("dimshuffle(", f", {pattern})")


def _call(variable: Variable, node: Apply, name: str) -> list[str | Variable]:
    inside = str(node.op).partition("{")[2].removesuffix("}")
    arguments: list[str | Variable] = [*node.inputs, inside] if inside else [*node.inputs]
    parts: list[str | Variable] = [name, "("]
    for place, argument in enumerate(arguments):
        parts += [", ", argument] if place else [argument]
    return [*parts, ")" + (f"[{variable.index}]" if len(node.outputs) > 1 else "")]
