"""What all bridges share, with a library of two ops."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.bridges.translate import Refused, Table, Translation
from eqsat.errors import EqsatWarning


class Twice: ...


class Odd: ...


@dataclass(eq=False)
class Value:
    data: Any = None
    name: str | None = None


@dataclass(eq=False)
class Node:
    op: Any
    inputs: list[Value]
    outputs: list[Value] = field(default_factory=lambda: [Value()])


class Reading:
    """Reads graphs of vectors of float64."""

    library = "small"

    def type_of(self, variable: Value) -> Any:
        return eqsat.TensorType("float64", shape=(None,))

    def constant(self, variable: Value) -> Any:
        return None if variable.data is None else T.constant(variable.data)

    def name_of(self, variable: Value) -> str | None:
        return variable.name

    def run(self, node: Node, values: Sequence[Any]) -> Sequence[Any]:
        return [values[0] + 1]


TABLE = Table()


@TABLE.on("Twice")
def twice(translation: Any, op: Any, node: Node, x: Any) -> Any:
    if node.inputs[0].name == "refused":
        raise Refused("it is named so")
    return T.cast(x * 2, "float32")  # the promised dtype is restored


def translated(*ops: Any, name: str = "x") -> tuple[Any, Any, Translation]:
    """A chain of ops, as input, output and translation."""
    value, nodes = Value(name=name), []
    first = value
    for op in ops:
        nodes.append(Node(op, [value], [Value(name=f"after {type(op).__name__}")]))
        value = nodes[-1].outputs[0]
    x = T.dvector(name)
    translation = Translation(TABLE, Reading())
    (y,) = translation.graph(nodes, [first], [value], [x])
    return x, y, translation


def test_entries_become_graphs_in_the_promised_dtype() -> None:
    x, y, translation = translated(Twice(), Twice())
    assert y.type.dtype == "float64" and y.name == "after Twice" and not translation.foreign
    np.testing.assert_array_equal(eqsat.function([x], y)([1.0, 2.0]), [4.0, 8.0])


def test_what_has_no_entry_runs_as_it_is_and_is_named_once() -> None:
    x, y, translation = translated(Odd(), Twice(), Odd())
    np.testing.assert_array_equal(eqsat.function([x], y)([1.0]), [5.0])
    assert translation.foreign == {"Odd": "it has no entry"} and translation.counts["Odd"] == 2
    with pytest.warns(
        EqsatWarning, match=r"these ops of small run as they are, through small: Odd \(it has no entry\)"
    ):
        translation.tell()


def test_a_refusal_says_why() -> None:
    _, y, translation = translated(Twice(), name="refused")
    assert translation.foreign == {"Twice": "it is named so"}
    assert pickle.loads(pickle.dumps(y)).owner.op.name == "small:Twice"


def test_variables_are_made_at_the_library() -> None:
    _, y, _ = translated(Twice())
    assert y.made_at == "small"


def test_chains_are_walked_without_recursion() -> None:
    x, y, _ = translated(*[Twice() for _ in range(3000)])
    assert sum(1 for _ in eqsat.graph.ancestors([y])) > 3000 and x is not y
