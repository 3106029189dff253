"""The four objects of every graph: Variable, Apply, Op and Type, and Constant, a variable with a value."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any, ClassVar

from eqsat.errors import ArgumentError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_FIXED_LINE: ContextVar[str | None] = ContextVar("fixed_line", default=None)
_USER_FILES: dict[str, str] = {}  # path of a source file -> its name, empty for the files of eqsat


def user_line() -> str | None:
    """File and line of the nearest caller outside eqsat, as ``train.py:41``."""
    fixed = _FIXED_LINE.get()
    if fixed is not None:
        return fixed
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        name = _USER_FILES.get(path)
        if name is None:
            name = _USER_FILES[path] = "" if path.startswith(_PACKAGE) else path.rpartition(os.sep)[2]
        if name:
            return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return None


@contextmanager
def one_line(line: str | None) -> Iterator[None]:
    """Give all variables made inside the ``with`` block one line; looking for it once saves time."""
    token = _FIXED_LINE.set(line)
    try:
        yield
    finally:
        _FIXED_LINE.reset(token)


class Type:
    """A set of constraints on values; calling a type makes a variable of it."""

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Value as this type stores it; raises a TypeError or ValueError where it does not fit."""
        raise NotImplementedError

    def make_variable(self, name: str | None = None) -> Variable:
        """New variable of this type that no op computes."""
        return Variable(self, None, None, name)

    def __call__(self, name: str | None = None) -> Any:
        return self.make_variable(name)

    def is_super(self, other: Type) -> bool:
        """True where every value of ``other`` is a value of this type."""
        return self == other

    def short(self) -> str:
        """Text used in error messages."""
        return str(self)


class Variable:
    """A node that stands for a value: an input, a constant or an output of an Apply.

    ``type`` constrains the value, ``owner`` is the Apply that computes it or None, ``index`` its place among
    the owner's outputs, ``name`` what the user calls it.
    """

    __slots__ = ("type", "owner", "index", "name", "made_at", "tag", "__weakref__")

    def __init__(
        self, type: Type, owner: Apply | None = None, index: int | None = None, name: str | None = None
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise ArgumentError(
                f"the name of a variable is text, not {name!r}", hint="x = T.vector('x')", name=name
            )
        self.type = type
        self.owner = owner
        self.index = index
        self.name = name
        self.made_at = user_line()

    def clone(self, name: str | None = None) -> Variable:
        """New variable of the same type without an owner."""
        return self.type.make_variable(self.name if name is None else name)

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        if self.owner is not None:
            return f"{self.owner.op}.{self.index}"
        return f"<{self.type.short()}>"

    def __repr__(self) -> str:
        return str(self)

    def __getstate__(self) -> Any:
        raise ArgumentError(
            "a variable is pickled as part of its graph",
            hint="eqsat.graph.pickling.dumps(variables), which does not recurse",
        )


class Constant(Variable):
    """A variable with a value that never changes; it needs no place among a function's inputs."""

    __slots__ = ("_data",)

    def __init__(self, type: Type, data: Any, name: str | None = None) -> None:
        super().__init__(type, None, None, name)
        self._data = type.filter(data)

    @property
    def data(self) -> Any:
        """The value; it cannot be set again."""
        return self._data

    @data.setter
    def data(self, value: Any) -> None:
        raise ArgumentError("the value of a constant cannot change", hint="eqsat.shared(value)", value=value)

    def clone(self, name: str | None = None) -> Variable:
        return self

    def __str__(self) -> str:
        return self.name if self.name is not None else f"{self.data}"


class Apply:
    """One application of an op: it sets ``owner`` and ``index`` of its outputs."""

    __slots__ = ("op", "inputs", "outputs", "tag", "__weakref__")

    def __init__(self, op: Op, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        self.op = op
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        for variable in self.inputs:
            if not isinstance(variable, Variable):
                raise ArgumentError(f"input {variable!r} of Apply is not a Variable", op=op)
        for index, output in enumerate(self.outputs):
            if not isinstance(output, Variable):
                raise ArgumentError(f"output {output!r} of Apply is not a Variable", op=op)
            if output.owner is not None and output.owner is not self:
                raise ArgumentError(f"{output} is already an output of {output.owner.op}", op=op)
            output.owner = self
            output.index = index

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.inputs))})"

    @property
    def out(self) -> Variable:
        """The output of an op that has one."""
        (output,) = self.outputs
        return output


class Op:
    """The definition of a computation; equal where class and ``__props__`` are equal.

    A user's op gives ``make_node`` and ``perform``; ``grad`` where it can be differentiated.
    """

    __props__: ClassVar[tuple[str, ...] | None] = None
    name: str

    def make_node(self, *inputs: Any) -> Apply:
        """An Apply of this op with fresh outputs; raises where the inputs do not fit."""
        raise NotImplementedError(f"{type(self).__name__} has no make_node")

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        """Compute the outputs of ``node`` into ``output_storage[i][0]``: the op's meaning in NumPy."""
        raise NotImplementedError(f"{type(self).__name__} has no perform")

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Sequence[Any]:
        """Gradient of the cost for each input, None where it does not depend on it."""
        raise NotImplementedError(f"{type(self).__name__} has no grad")

    def __call__(self, *inputs: Any, **keywords: Any) -> Any:
        node = self.make_node(*inputs, **keywords)
        return node.outputs[0] if len(node.outputs) == 1 else list(node.outputs)

    def properties(self) -> Hashable:
        """What makes two ops of one class equal."""
        if self.__props__ is None:
            return id(self)
        return tuple(getattr(self, name) for name in self.__props__)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(self) is type(other) and self.properties() == other.properties()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self.properties()))

    def __str__(self) -> str:
        return getattr(self, "name", None) or type(self).__name__

    def __repr__(self) -> str:
        return str(self)
