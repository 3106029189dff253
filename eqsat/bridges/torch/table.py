"""The table of ops of ATen, and how its entries are written: functions of the call and its arguments as ATen names them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
import torch

import eqsat.tensor as T
from eqsat.base.values import dataclass
from eqsat.bridges.torch.reading import Call, kind_of, torch_dtype
from eqsat.bridges.translate import Refused, Table
from eqsat.graph.core import Variable
from eqsat.graph.dtypes import COMPLEX
from eqsat.graph.tensor_type import TensorType

ALL = slice(None)


class TorchTable(Table):
    """Ops by the names of their overloads, else by those that all overloads share."""

    def entry(self, op: Any) -> Any:
        found = super().entry(op) or self.entries.get(op.packet)
        draws = torch.Tag.nondeterministic_seeded in getattr(op.function, "tags", ())
        return found if found is not None or not draws else drawn


def drawn(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """Never: numbers of torch's generator, which ``torch.manual_seed`` sets, are drawn by torch."""
    raise Refused("it draws from torch's generator")


TABLE = TorchTable()


@dataclass(frozen=True, eq=False)
class At:
    """A call, as an entry sees it: what the trace says of its results."""

    translation: Any
    node: Call

    @property
    def name(self) -> str:
        """The name of the op, without ``aten`` and the overload."""
        return self.node.op.op_name.split(".")[1]

    @property
    def overload(self) -> str:
        return self.node.op.op_name.rpartition(".")[2]

    def kind(self, index: int = 0) -> TensorType:
        """The type of a result."""
        value = self.node.value
        found = kind_of(value[index] if isinstance(value, (list, tuple)) else value)
        if not isinstance(found, TensorType):
            raise Refused("the result is no tensor of numbers")
        return found

    @property
    def dtype(self) -> str:
        """The dtype of the first result."""
        return str(self.kind().dtype)

    @property
    def count(self) -> int:
        return len(self.node.outputs)

    def wants(self, index: int) -> bool:
        """True where a result is asked for."""
        return self.node.value[index] is not None

    def lengths(self, x: Any = None, start: int = 0) -> list[Any]:
        """The lengths of the result, or of a variable, from an axis on; refused where they are known at run time alone."""
        shape = (self.kind() if x is None else x.type).shape[start:]
        if any(n is None for n in shape):
            raise Refused("lengths that are known at run time alone")
        return list(shape)


def on(*names: str) -> Callable[[Any], Any]:
    """Register an entry: a function of an ``At`` and the arguments of the call."""

    def register(entry: Any) -> Any:
        takes = signature(entry)

        def applied(t: Any, op: Any, node: Call, *operands: Any) -> Any:
            given, named = node.arguments(operands)
            try:
                takes.bind(None, *given, **named)
            except TypeError as why:
                raise Refused(f"its arguments: {why}") from None
            return entry(At(t, node), *given, **named)

        TABLE.on(*(n if n.startswith(("prims.", "python.")) else f"aten.{n}" for n in names))(applied)
        return entry

    return register


def is_variable(x: Any) -> bool:
    """True for a variable, False for a number of Python."""
    return isinstance(x, Variable)


def number(value: Any, dtype: str) -> Any:
    """A number of Python, or a variable, in a dtype."""
    if is_variable(value):
        return value if value.dtype == dtype else T.cast(value, dtype)
    return T.constant(np.asarray(value).astype(dtype))


def to(x: Any, dtype: str) -> Any:
    """x in a dtype: a truth value is whether a number is not 0, and of a complex number the real part is left."""
    if not is_variable(x):
        return number(x, dtype)
    if x.dtype == dtype:
        return x
    if dtype == "bool":
        return T.neq(x, number(0, x.dtype))
    if x.dtype in COMPLEX and dtype not in COMPLEX:
        x = T.real(x)
    return T.cast(x, dtype)


@cache
def _example(dtype: str, scalar: bool) -> Any:
    return torch.empty(() if scalar else (1,), dtype=torch_dtype(dtype), device="meta")


def common_dtype(*xs: Any) -> str:
    """The dtype of operands together, as torch promotes: tensors with axes before those without, these before numbers."""
    kinds = [_example(x.dtype, x.ndim == 0) if is_variable(x) else x for x in xs]
    kinds.sort(key=lambda k: not isinstance(k, torch.Tensor))
    found = kinds[0]
    for other in kinds[1:]:
        name = str(torch.result_type(found, other)).removeprefix("torch.")
        found = _example(name, not (getattr(found, "ndim", 0) or getattr(other, "ndim", 0)))
    if isinstance(found, torch.Tensor):
        return str(found.dtype).removeprefix("torch.")
    return str(np.asarray(found).dtype)


def together(*xs: Any) -> list[Any]:
    """Operands in their common dtype."""
    dtype = common_dtype(*xs)
    return [to(x, dtype) for x in xs]


def elements(**functions: Callable[..., Any]) -> None:
    """Ops that are a function of their operands in the dtype of the result."""
    for name, f in functions.items():
        on(name, f"prims.{name}")(lambda c, *xs, f=f: f(*(to(x, c.dtype) for x in xs)))


def comparisons(**functions: Callable[..., Any]) -> None:
    """Ops that are a function of their operands in the dtype that these have together."""
    for name, f in functions.items():
        on(name, f"prims.{name}")(lambda c, *xs, f=f: f(*together(*xs)))


def axis_of(dim: int, x: Any) -> int:
    """An axis from the front; a tensor without axes has one."""
    return int(dim) % max(x.ndim, 1)


def axes_of(dim: Any, x: Any) -> tuple[int, ...]:
    """Axes from the front; all where none is named."""
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return tuple(range(x.ndim))
    named: Iterable[int] = dim if isinstance(dim, (list, tuple)) else [dim]
    return tuple(axis_of(d, x) for d in named) if x.ndim else ()


def reshaped(x: Any, shape: Any) -> Any:
    """x in another shape."""
    return T.reshape(x, list(shape), ndim=len(shape))


def filled(shape: Any, value: Any, dtype: str) -> Any:
    """A tensor with one number everywhere."""
    value = number(value, dtype)
    return T.alloc(value, *shape) if len(shape) else value
