"""The table of ops of ONNX, and how its entries are written: functions of the application and its operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.base.values import dataclass
from eqsat.bridges.onnx.bodies import by_body, has_body
from eqsat.bridges.onnx.reading import ABSENT, READER, Node, as_constant, dtype_of, type_named
from eqsat.bridges.translate import Refused, Table
from eqsat.graph.control.ifelse import ifelse
from eqsat.graph.core import Constant, Variable
from eqsat.graph.interpreter import Interpreter
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.user_op import generic


class OnnxTable(Table):
    """Ops without an entry that ONNX declares as functions of other ops are these."""

    def entry(self, op: Any) -> Any:
        return super().entry(op) or (by_body if has_body(op) else None)


TABLE = OnnxTable()


@dataclass(frozen=True, eq=False)
class Call:
    """An application, as an entry sees it: attributes with their defaults, and the types that are declared."""

    translation: Any
    node: Node

    @property
    def version(self) -> int:
        return self.node.op.version

    @property
    def name(self) -> str:
        return self.node.op.op_name

    def get(self, name: str, default: Any = None) -> Any:
        return self.node.op.get(name, default)

    def number(self, name: str, default: float, x: Any) -> Any:
        """An attribute as a number of the dtype of x."""
        return as_constant(np.asarray(self.get(name, default), x.type.dtype))

    def wants(self, k: int) -> bool:
        """True where the result of this number is used."""
        return k < len(self.node.outputs) and bool(self.node.outputs[k].name)

    def outputs(self, *made: Any) -> list[Any]:
        """As many results as the node has names for."""
        return list(made[: len(self.node.outputs)])

    def rank_of_result(self) -> int | None:
        kind = READER.type_of(self.node.outputs[0])
        return kind.ndim if isinstance(kind, TensorType) else None


def on(*names: str) -> Callable[[Any], Any]:
    """Register an entry: a function of a ``Call`` and the operands, None for those that are left out."""

    def register(entry: Any) -> Any:
        def applied(t: Any, op: Any, node: Node, *operands: Any) -> Any:
            if any(isinstance(x, Variable) and x.type is generic and x is not ABSENT for x in operands):
                raise Refused("an operand that ONNX computes, and that is no tensor")
            return entry(Call(t, node), *(None if x is ABSENT else x for x in operands))

        applied.__doc__ = entry.__doc__
        TABLE.on(*names)(applied)
        return entry

    return register


ELEMENTS: dict[
    str, Any
] = {}  # ops that are one function of their operands, by name; ``to_onnx`` reads it the other way


def plain(**functions: Any) -> None:
    """Ops without attributes that are a function of their operands, which broadcast."""
    ELEMENTS.update(functions)
    for name, f in functions.items():
        on(name)(lambda c, *xs, f=f: f(*aligned(*xs)))


def folded(**functions: Any) -> None:
    """Ops of any number of operands, joined by a function of two."""
    ELEMENTS.update(functions)
    for name, f in functions.items():
        on(name)(lambda c, *xs, f=f: reduce(lambda a, b: f(*aligned(a, b)), xs))


def aligned(*xs: Any) -> list[Any]:
    """Operands of one rank: axes of length 1 in front."""
    rank = max(x.ndim for x in xs)
    return [raised(x, rank) for x in xs]


def raised(x: Any, rank: int) -> Any:
    """x with axes of length 1 in front, up to a rank."""
    return x.dimshuffle(*["x"] * (rank - x.ndim), *range(x.ndim)) if x.ndim < rank else x


def at(x: Any, axis: int, index: Any) -> Any:
    """x with an index on one axis."""
    return x[(slice(None),) * axis + (index,)]


def known(v: Any) -> np.ndarray[Any, Any] | None:
    """The value of an operand that depends on constants alone; None for others."""
    if isinstance(v, Constant):
        return np.asarray(v.data)
    stack, seen = [v], set()
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        if u.owner is None and not isinstance(u, Constant):
            return None
        stack += [] if u.owner is None else u.owner.inputs
    return np.asarray(Interpreter([], [v])()[0])


def required(v: Any, what: str) -> np.ndarray[Any, Any]:
    """The value of an operand, or a refusal that says what is known at run time alone."""
    found = known(v)
    if found is None:
        raise Refused(f"{what} is computed at run time")
    return found


def count_of(v: Any, what: str) -> int:
    """The number of elements of a vector of integers."""
    if v.ndim == 0:
        return 1
    n = v.type.shape[0]
    if n is None:
        raise Refused(f"the number of {what} is computed at run time")
    return int(n)


def integers(v: Any, what: str, count: int | None = None) -> list[Any]:
    """The elements of a vector: numbers where they are known, else scalars of int64."""
    value = known(v)
    if value is not None:
        return [int(n) for n in value.ravel()]
    n = count if count is not None and v.type.shape[0] is None else count_of(v, what)
    return [T.cast(v[k] if v.ndim else v, "int64") for k in range(n)]


def packed(numbers: Sequence[Any]) -> Any:
    """Lengths as a vector of int64."""
    if not numbers:
        return as_constant(np.zeros(0, np.int64))
    if all(isinstance(n, (int, np.integer)) for n in numbers):
        return as_constant(np.asarray(numbers, np.int64))
    return T.stack([T.cast(T.as_tensor(n), "int64") for n in numbers])


def over_axes(
    axes: Any, rank: int, f: Callable[[tuple[int, ...]], Any], among: Sequence[int] | None = None
) -> Any:
    """``f`` of sorted axes; where these are known at run time alone, each choice is a branch of which one is computed.

    ``among`` are the axes that may be asked for; of others the last choice makes an error.
    """
    value = known(axes)
    if value is not None:
        return f(tuple(sorted(int(a) % rank for a in value.ravel())))
    count = count_of(axes, "axes")
    flat = axes if axes.ndim else axes.dimshuffle("x")
    chosen = T.sort(T.mod(T.cast(flat, "int64"), rank))
    choices = list(combinations(range(rank) if among is None else among, count))
    if not choices:
        raise Refused(f"there are no {count} axes to choose")
    found = f(choices[-1])
    for choice in reversed(choices[:-1]):
        here = f(choice)
        met = T.all(T.eq(chosen, as_constant(np.asarray(choice, np.int64))))
        several = isinstance(found, list)
        pairs = zip(here, found) if several else [(here, found)]
        loose = [(_loose(a), _loose(b)) for a, b in pairs]
        made = ifelse(met, [a for a, _ in loose], [b for _, b in loose])
        found = made if several else made[0]
    return found


def _loose(x: Any) -> Any:
    """x as a tensor that may have any lengths, so that branches are of one type."""
    return T.unbroadcast(x, *range(x.ndim)) if x.ndim else x


def number_type(c: Call, attribute: str, default: str) -> str:
    """The dtype that an attribute names."""
    code = c.get(attribute)
    if not code:
        return default
    found = dtype_of(code)
    if found is None:
        raise Refused(f"the type {type_named(code)}")
    return found
