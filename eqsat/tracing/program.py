"""A traced program: the graph that a Python function built, and how its results are put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from eqsat.base.caller import line_of
from eqsat.base.pytrees import Form, flatten, mapped, unflatten
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, TracingError
from eqsat.graph.core import Variable, one_line
from eqsat.tracing.arguments import Kind
from eqsat.tracing.bounds import ARGUMENTS
from eqsat.tracing.layouts import Layout, layout_of
from eqsat.tracing.memory import Memory
from eqsat.tracing.names import StandIns
from eqsat.tracing.open_traces import check_own, open_trace
from eqsat.tracing.traced import OF_KIND, Traced


@dataclass(frozen=True)
class Leaf:
    """One leaf of the result: a computed array, a number made of one, an argument as it came, or a value that is always the same."""

    result: int | None = None
    number: type | None = None
    argument: int | None = None
    value: Any = None


@dataclass(frozen=True)
class Program:
    """The inputs by their leaves, the outputs, the form of the result, and the arguments that are written."""

    inputs: Sequence[tuple[int, Any]]
    outputs: Sequence[Any]
    form: Form
    leaves: Sequence[Leaf]
    writes: Sequence[tuple[int, int]]  # the leaf of an argument, and the output with its new elements
    layouts: Sequence[
        tuple[int, Layout]
    ] = ()  # how arguments lie for which the program holds, where that matters

    def fits(self, arguments: Sequence[Any]) -> bool:
        """True where the leaves of the arguments lie in memory as the program takes it."""
        return all(layout_of(np.asarray(arguments[k])) == layout for k, layout in self.layouts)

    @property
    def simple(self) -> bool:
        """True where the results are put into containers as they are."""
        return not self.writes and all(
            leaf.result is not None and leaf.number is None for leaf in self.leaves
        )

    def result(self, computed: Sequence[Any], arguments: Sequence[Any]) -> Any:
        """The result of a call, of what the graph computed and the leaves of the arguments; writes into arguments are done."""
        for place, number in self.writes:
            written(arguments[place], computed[number], arguments)
        return unflatten(self.form, [self._leaf(leaf, computed, arguments) for leaf in self.leaves])

    @staticmethod
    def _leaf(leaf: Leaf, computed: Sequence[Any], arguments: Sequence[Any]) -> Any:
        if leaf.result is not None:
            return computed[leaf.result] if leaf.number is None else leaf.number(computed[leaf.result])
        return leaf.value if leaf.argument is None else arguments[leaf.argument]


def written(array: Any, new: Any, arguments: Sequence[Any]) -> None:
    """Put new elements into an argument that the function writes.

    Errors   ArgumentError where another argument shares its memory, and would have changed with it
    """
    others = [a for a in arguments if isinstance(a, np.ndarray)]
    if sum(np.may_share_memory(array, a) for a in others) > 1:
        raise ArgumentError(
            "an argument that the function writes shares its memory with another one",
            hint="x.copy() for one of them",
        )
    np.copyto(array, new)


def trace(
    function: Callable[..., Any], form: Form, leaves: Sequence[tuple[str, Any]], kinds: Sequence[Kind]
) -> Program:
    """The program of a function for arguments of some kinds."""
    inputs, given, stands, line = [], [], StandIns(), line_of(function)
    for k, ((path, value), kind) in enumerate(zip(leaves, kinds, strict=True)):
        if kind.tensor is None:
            assert kind.option is not None
            given.append(stands.of(kind.option.value))
            continue
        with one_line(line):
            variable = kind.tensor.make_variable(path)
        ARGUMENTS.add(variable)
        inputs.append((k, variable))
        given.append(_given(variable, k, value, kind.number is not None))
    arguments, keywords = unflatten(form, given)
    with open_trace():
        answer = stands.called(function, arguments, keywords)
        refuse_changes(form, given, (arguments, keywords))
        made = _program(inputs, [t for t in given if type(t) is Traced], mapped(stands.behind, answer))
    check_own(getattr(function, "__name__", "jit"), made.outputs, [v for _, v in inputs])
    return made


def _given(variable: Any, leaf: int, value: Any, number: bool) -> Traced:
    """A stand-in of an argument, which knows how the one of this call lies in memory."""
    array = np.asarray(value)
    memory = Memory(variable, leaf, layout_of(array))
    memory.example = array.shape or value
    return Traced(memory, number, loose=not isinstance(value, np.ndarray))


def refuse_changes(form: Form, given: Sequence[Any], after: Any) -> None:
    """Raise the error of a function that puts other things into a list or a dict that it is given: the caller's would not change."""
    before = unflatten(form, given)  # a static tuple is one leaf of the form, and has parts here
    (found, now), (known, was) = flatten(after), flatten(before)
    if now != was or any(v is not w for (_, v), (_, w) in zip(found, known, strict=True)):
        raise TracingError(
            "the function puts something else into a list, a dict or an object that it is given, and the caller's would stay as it is",
            hint="return a new one, as {**params, 'w': w}; x[...] = y and x += y write into the arrays themselves",
        )


def _program(inputs: Sequence[tuple[int, Any]], given: Sequence[Traced], answer: Any) -> Program:
    found, form = flatten(answer, "result")
    outputs: list[Any] = []
    leaves = [_leaf(path, value, outputs) for path, value in found]
    writes = []
    for x in given:
        assert isinstance(x.place, Memory) and x.place.argument is not None
        if x.place.writes:
            outputs.append(x.variable)
            writes.append((x.place.argument, len(outputs) - 1))
    asked = [x.place for x in given if x.place.asked]
    return Program(inputs, outputs, form, leaves, writes, [(p.argument, p.layout) for p in asked])  # type: ignore


def _leaf(path: str, value: Any, outputs: list[Any]) -> Leaf:
    if type(value) is Traced:
        if isinstance(value.place, Memory) and value.place.argument is not None:
            return Leaf(argument=value.place.argument)
        outputs.append(value.variable)
        return Leaf(len(outputs) - 1, OF_KIND[value.dtype.kind] if value.number else None)
    if isinstance(value, Variable):
        outputs.append(value)
        return Leaf(len(outputs) - 1)
    if isinstance(value, Iterable) and not isinstance(
        value, (np.ndarray, np.generic, str, bytes, range, type)
    ):
        raise ArgumentError(
            f"{path} is of the class {type(value).__name__}, whose parts are not looked into",
            needs="arrays, numbers, and tuples, lists, dicts, named tuples and dataclasses of them",
        )
    return Leaf(value=np.asarray(value) if isinstance(value, np.ndarray) else value)
