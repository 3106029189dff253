"""Graphs as one line of mathematics, of bounded length and depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eqsat.graph.core import Apply, Variable
from eqsat.graph.inner_graphs import FIXED, Inside, insides
from eqsat.graph.parts import index_parts
from eqsat.printing.leaf_texts import leaf_text

NESTED_LEVELS = 40  # deeper operands are left out

OPERATORS = {  # signs, and how strongly each binds in Python
    "lt": ("<", 1), "le": ("<=", 1), "gt": (">", 1), "ge": (">=", 1), "eq": ("==", 1), "neq": ("!=", 1),
    "or": ("|", 2), "xor": ("^", 3), "and": ("&", 4), "add": ("+", 5), "sub": ("-", 5),
    "mul": ("*", 6), "truediv": ("/", 6), "floordiv": ("//", 6), "mod": ("%", 6), "pow": ("**", 8),
}  # fmt: skip
INFIX = {name: sign for name, (sign, _) in OPERATORS.items()}
PREFIX, PREFIX_LEVEL = {"neg": "-", "invert": "~"}, 7


def pp(variable: Variable, limit: int = 2000) -> str:
    """The variable as one line of mathematics; what is nested too deeply or beyond ``limit`` becomes ``…``.

    A loop is written as the equations of its outputs, each followed by its initial value, and the range of t.

    >>> import eqsat.tensor as T
    >>> x, w = T.vector("x"), T.matrix("w")
    >>> pp(T.exp(x + 1) / T.dot(x, w.T).sum())
    '(exp((x + 1.0)) / squeeze(sum(squeeze(dot(x, w.T)), (0))))'
    >>> import eqsat
    >>> pp(eqsat.scan(lambda a, s: s + a, x, T.constant(0.0))[0])
    'scan(s[t] = (s[t-1] + x[t]) from 0.0, t < length(x, 0))'
    """
    return labelled(variable, {}, limit)


def labelled(variable: Variable, labels: Mapping[Variable, str], limit: int) -> str:
    """The variable as ``pp`` writes it, with names for some variables that it is computed from."""
    pieces: list[str] = []
    length = 0
    within = dict(labels)  # what variables inside loops are called
    stack: list[tuple[str | Variable, int]] = [(variable, 0)]
    while stack:
        item, level = stack.pop()
        if not isinstance(item, str):
            deep = level > NESTED_LEVELS and item.owner is not None
            parts: list[str | Variable] = ["…"] if deep else _parts(item, within)
            stack.extend((part, level + 1) for part in reversed(parts))
            continue
        pieces.append(item)
        length += len(item)
        if length > limit:
            return "".join(pieces)[: limit - 1] + "…"
    return "".join(pieces)


def _parts(variable: Variable, within: dict[Variable, str]) -> list[str | Variable]:
    """Text of one op with its operands left to be printed."""
    node = variable.owner
    if variable in within:
        return [within[variable]]
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
    if name == "subtensor":
        return [node.inputs[0], *index_parts(node.op.params["pattern"], node.inputs[1:])]  # type: ignore[attr-defined]
    loop = next((g for g in insides(node) if g.steps is not None), None)
    return _call(variable, node, name) if loop is None else _loop(variable, node, loop, within)


def _loop(variable: Variable, node: Apply, loop: Inside, within: dict[Variable, str]) -> list[str | Variable]:
    """The equations of a loop."""
    parts: list[str | Variable] = [str(node.op), "("]
    for port in loop.inputs:
        if port.variable is None or port.outer is None:
            continue
        outer = node.inputs[port.outer]
        within[port.variable] = port.label
        if port.kind in (FIXED, "sequence") and not (outer.name and port.label.startswith(outer.name)):
            parts += [port.label, " = " if port.kind == FIXED else " of ", outer, ", "]
    starts = {j: node.inputs[loop.inputs[i].outer or 0] for j, i in loop.back}
    for j, port in enumerate(loop.outputs):
        parts += [f"{port.label} = ", port.variable]
        parts += [" from ", starts[j], ", "] if j in starts else [", "]
    parts += ["t < ", loop.steps, ")"]
    return [*parts, f"[{variable.index}]"] if len(node.outputs) > 1 else parts


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
