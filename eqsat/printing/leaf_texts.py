"""The words of graphs that every way of printing uses: outputs, leaves and values."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.fgraph import FunctionGraph
from eqsat.graph.inner_graphs import Inside
from eqsat.graph.tensor_type import describe_array, shorten


def outputs_of(obj: Any) -> list[Variable]:
    """The output variables that a variable, an application, a list of variables, a graph or a function stands for.

    Errors   ArgumentError where obj is none of these
    """
    found = obj.outputs if isinstance(obj, (Apply, FunctionGraph)) else getattr(obj, "outputs_optimised", obj)
    outputs = list(found) if isinstance(found, (list, tuple)) else [found]
    for output in outputs:
        if not isinstance(output, Variable):
            raise ArgumentError(
                f"{shorten(output)} is not a variable",
                needs="a variable, a list of variables or a compiled function",
            )
    return outputs


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


def steps_text(graph: Inside) -> tuple[str, str]:
    """The number of steps of a loop, and the words behind that number."""
    from eqsat.printing.line import pp

    count = pp(graph.steps, 40)
    unit = " step" if count == "1" else " steps"
    return count, unit + (" at most, until a condition holds" if graph.until else "")


def wrapped(items: Iterable[str], first: str, rest: str, width: int = 100) -> list[str]:
    """Items in lines of about a width, none of them broken; ``first`` and ``rest`` stand before the lines."""
    text = ", ".join(item.replace(" ", "\0") for item in items)
    options = {"break_long_words": False, "break_on_hyphens": False}
    lines = textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, **options)  # type: ignore[arg-type]
    return [line.replace("\0", " ") for line in lines]
