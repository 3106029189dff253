"""Graphs of FX as bridges read them: calls as nodes, types from the values of the trace, constants, and calls that torch itself makes.

A call with several results has one variable for each, so that FX's ``getitem`` is no call here. A number of Python that is known at run
time alone, as a length, is a tensor without axes.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import fx
from torch._higher_order_ops.effects import with_effects

from eqsat.base.values import dataclass
from eqsat.bridges.translate import Refused
from eqsat.graph.core import Type, Variable
from eqsat.graph.dtypes import ALL
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.user_op import generic

NUMBERS: dict[type, str] = {torch.SymInt: "int64", torch.SymFloat: "float64", torch.SymBool: "bool"}


def dtype_of(dtype: Any) -> str | None:
    """The name of a dtype of torch; None for one that is not here.

    >>> dtype_of(torch.float32), dtype_of(torch.bfloat16)
    ('float32', None)
    """
    name = str(dtype).removeprefix("torch.")
    return name if name in ALL else None


def torch_dtype(name: str) -> Any:
    """The dtype of torch of a name.

    >>> torch_dtype("int64")
    torch.int64
    """
    return getattr(torch, name)


@dataclass(frozen=True)
class Result:
    """A result of a call that has several."""

    node: Any
    index: int


@dataclass(frozen=True, eq=False)
class Attribute:
    """A tensor that a graph holds."""

    value: Any


@dataclass(frozen=True, eq=False)
class Target:
    """The function of a node: ``aten.add.Tensor`` or a function of Python."""

    op_name: str
    function: Any

    @property
    def packet(self) -> str:
        """The name without that of the overload."""
        return self.op_name.rpartition(".")[0] if isinstance(self.function, torch._ops.OpOverload) else ""


class Call:
    """A call of a graph as a node."""

    def __init__(self, node: Any, attributes: dict[Any, Attribute]) -> None:
        target = node.target
        overload = isinstance(target, torch._ops.OpOverload)
        name = str(target) if overload else getattr(target, "__name__", str(target))
        self.op = Target(name if overload else f"python.{name}", target)
        self.given = fx.map_arg((node.args, dict(node.kwargs)), lambda n: Slot(operand(n, attributes)))
        self.inputs = [s.variable for s in slots(self.given)]
        self.value = node.meta.get("val")
        several = isinstance(self.value, (list, tuple))
        self.outputs = [Result(node, k) for k in range(len(self.value))] if several else [node]
        self.within = modules_of(node)

    def arguments(self, operands: Sequence[Any]) -> tuple[Any, dict[str, Any]]:
        """The arguments of the call with operands in the places of variables."""
        left = iter(operands)
        return filled(self.given, left)  # type: ignore[no-any-return]


def modules_of(node: Any) -> str:
    """The modules whose call made a node, each by its path within the one before, as ``layers.3/attention``."""
    paths = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()]
    names, outer = [], ""
    for path in (re.sub(r"^L\['\w+'\]\.?", "", p) for p in paths):
        names.append(path.removeprefix(f"{outer}."))
        outer = path
    return "/".join(filter(None, names))


@dataclass(frozen=True, eq=False)
class Slot:
    """The place of a variable among nested arguments."""

    variable: Any


def slots(tree: Any) -> list[Slot]:
    """The places of variables in the order in which they stand."""
    return [leaf for leaf in torch.utils._pytree.tree_leaves(tree) if isinstance(leaf, Slot)]


def filled(tree: Any, values: Any) -> Any:
    """Nested arguments with values in the places, in order."""
    leaves, form = torch.utils._pytree.tree_flatten(tree)
    return torch.utils._pytree.tree_unflatten(
        [next(values) if isinstance(x, Slot) else x for x in leaves], form
    )


def operand(node: Any, attributes: dict[Any, Attribute]) -> Any:
    """The variable of a node: a result of the call that an item is taken of, or a tensor that the graph holds."""
    if node.op == "call_function" and node.target is operator.getitem:
        source, index = node.args
        if isinstance(source.meta.get("val"), (list, tuple)):
            return Result(source, int(index))
    return attributes.get(node, node)


def calls_of(graph: Any, attributes: dict[Any, Attribute]) -> list[Call]:
    """The calls of a graph in order."""
    return [
        Call(n, attributes) for n in graph.nodes if n.op == "call_function" and operand(n, attributes) is n
    ]


def attributes_of(module: Any) -> dict[Any, Attribute]:
    """The tensors that the nodes of a module's graph ask it for."""
    return {
        n: Attribute(operator.attrgetter(n.target)(module)) for n in module.graph.nodes if n.op == "get_attr"
    }


def value_of(variable: Any) -> Any:
    """The tensor, without elements, or the number that the trace had."""
    if isinstance(variable, Result):
        return variable.node.meta["val"][variable.index]
    return variable.value if isinstance(variable, Attribute) else variable.meta.get("val")


def is_token(variable: Any) -> bool:
    """True for what torch hands from one call with an effect to the next one, which has no elements."""
    if isinstance(variable, Result):
        return variable.node.target is with_effects and variable.index == 0
    users = getattr(variable, "users", ())
    return any(u.target is with_effects and u.args[0] is variable for u in users)


def kind_of(value: Any) -> Type | None:
    """The type of a tensor or of a number that is known at run time; None for what eqsat does not have."""
    if isinstance(value, torch.Tensor):
        dtype = dtype_of(value.dtype)
        if dtype is None or value.layout is not torch.strided:
            return None
        return TensorType(dtype, shape=tuple(n if isinstance(n, int) else None for n in value.shape))
    dtype = NUMBERS.get(type(value))
    return TensorType(dtype, shape=()) if dtype else None


def array_of(tensor: Any) -> np.ndarray[Any, Any]:
    """The elements of a tensor, which share its memory where they can."""
    if tensor.device.type != "cpu":
        raise Refused(f"a tensor on {tensor.device}")
    tensor = tensor.detach()
    if tensor.is_conj():
        tensor = tensor.resolve_conj()
    return np.asarray((tensor.resolve_neg() if tensor.is_neg() else tensor).numpy())


def plain(value: Any, kind: Type | None) -> Any:
    """A tensor or number of torch as an array, and what is no tensor here as it is."""
    if not isinstance(kind, TensorType):
        return value
    return array_of(value) if isinstance(value, torch.Tensor) else np.asarray(value, kind.dtype)


def theirs(value: Any, like: Any) -> Any:
    """An array as a tensor of torch, or as a number where the trace had one."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    if not isinstance(like, torch.Tensor):
        return value.item()
    return torch.from_numpy(np.asarray(value))


class TorchReader:
    """Reads variables and calls of a graph of FX."""

    library = "torch"

    def type_of(self, variable: Any) -> Type | None:
        """The type with the lengths that the trace knew."""
        return None if is_token(variable) else kind_of(value_of(variable))

    def constant(self, variable: Any) -> Variable | None:
        """A tensor that the graph holds."""
        if not isinstance(variable, Attribute):
            return None
        kind = self.type_of(variable)
        if not isinstance(kind, TensorType):
            return generic.make_constant(variable.value)  # type: ignore[no-any-return]
        return kind.make_constant(array_of(variable.value))

    def name_of(self, variable: Any) -> str | None:
        """None: the names of a graph are those of its ops."""
        return None

    def run(self, node: Call, values: Sequence[Any]) -> Sequence[Any]:
        """The results, by torch."""
        given = [theirs(writable(x), value_of(v)) for v, x in zip(node.inputs, values, strict=True)]
        arguments, named = node.arguments(given)
        with torch.no_grad():
            found = node.op.function(*arguments, **named)
        many = found if isinstance(node.value, (list, tuple)) else [found]
        return [plain(x, self.type_of(v)) for x, v in zip(many, node.outputs, strict=True)]


def writable(value: Any) -> Any:
    """An array that may be written to, as torch asks for."""
    return value.copy() if isinstance(value, np.ndarray) and not value.flags.writeable else value


READER = TorchReader()


def placeholders(graph: Any) -> list[Any]:
    """The inputs of a graph."""
    return [n for n in graph.nodes if n.op == "placeholder"]


def results(graph: Any, attributes: dict[Any, Attribute]) -> list[Any]:
    """The results of a graph: variables, numbers and None."""
    (node,) = (n for n in graph.nodes if n.op == "output")
    given = node.args[0]
    listed: Iterable[Any] = given if isinstance(given, (list, tuple)) else [given]
    return [operand(v, attributes) if isinstance(v, fx.Node) else v for v in listed]
