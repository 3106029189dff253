"""The sentence that says which lengths do not fit, the same where a graph is made and where it runs."""

from __future__ import annotations

from eqsat.lengths.bound import Equal
from eqsat.lengths.expression import Place


def unequal(op: str, axis: int, first: int, other: int) -> str:
    """The sentence for an axis along which a call finds two operands, of which these are the places, of other lengths.

    >>> unequal("add", 0, 0, 2).format(3, 4, o=["x", "y", "z"])
    'add: axis 0 has the lengths 3 in x and 4 in z at run time'
    """
    return (
        f"{op}: axis {axis} has the lengths {{0}} in {{o[{first}]}} and {{1}} in {{o[{other}]}} at run time"
    )


def mismatch(op: str, count: int, equal: Equal, place: Place, first: Place | None) -> str:
    """The sentence for a length ``{1}`` at a place where ``{0}``, which stands at the first place, is needed.

    ``{o[k]}`` stands for the name of operand k, of which there are ``count``.

    >>> equal = Equal("k", ((0, 1), (1, 0)))
    >>> mismatch("dot", 2, equal, (1, 0), (0, 1)).format(64, 10, o=["x", "w"])
    'dot(x, w): k is 64 in x but 10 in w'
    """
    operand, axis = place
    here = f"{{o[{operand}]}}"
    if first is None:
        return f"{op}: axis {axis} of {here} has length {{1}}, not {{0}}"
    if isinstance(equal.name, int):
        return f"{op}: axis {equal.name} has the lengths {{0}} and {{1}}"
    if first[0] == operand and axis == first[1] + 1:
        return f"{op}: {here} is {{0}} by {{1}}, not square"
    if first[0] == operand:
        return f"{op}: axes {first[1]} and {axis} of {here} have the lengths {{0}} and {{1}}"
    listed = ", ".join(f"{{o[{k}]}}" for k in range(count))
    return f"{op}({listed}): {equal.name} is {{0}} in {{o[{first[0]}]}} but {{1}} in {here}"
