"""Models of ONNX as bridges read them: nodes in order, the values between them, types from ONNX's own inference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from eqsat.base.values import dataclass
from eqsat.bridges.translate import Refused
from eqsat.graph.core import Type, Variable
from eqsat.graph.dtypes import ALL
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.user_op import generic

DEFAULT_DOMAIN = ""
HELD_AS = {  # types in which tensors are only stored: computed with in these
    onnx.TensorProto.FLOAT16: "float32",
    onnx.TensorProto.BFLOAT16: "float32",
}
ABSENT = generic.make_constant(None)


def dtype_of(code: int) -> str | None:
    """The dtype in which tensors of an element type are computed; None where there is none."""
    if code in HELD_AS:
        return HELD_AS[code]
    if code == onnx.TensorProto.UNDEFINED or code == onnx.TensorProto.STRING:
        return None
    name = np.dtype(helper.tensor_dtype_to_np_dtype(code)).name
    return name if name in ALL else None


def type_named(code: int) -> str:
    """The name of an element type.

    >>> type_named(1)
    'FLOAT'
    """
    return str(onnx.TensorProto.DataType.Name(code))


@dataclass(frozen=True, eq=False)
class Value:
    """A value of a graph: its name, its declared type, and the array of an initializer."""

    name: str
    proto: Any = None
    data: Any = None

    @property
    def code(self) -> int:
        """The element type of a tensor; 0 where it is not known, or the value is no tensor."""
        if self.data is not None:
            return int(self.data.data_type)
        return int(self.proto.tensor_type.elem_type) if self.kind == "tensor_type" else 0

    @property
    def kind(self) -> str | None:
        """Tensor, sequence, optional; None where nothing is declared."""
        return None if self.proto is None else self.proto.WhichOneof("value")


@dataclass(frozen=True, eq=False)
class Operation:
    """The op of a node: its name, the version of its set, its attributes."""

    op_name: str
    domain: str
    version: int
    attributes: dict[str, Any]

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute, text as ``str``."""
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value


@dataclass(frozen=True, eq=False)
class Node:
    """An application; ``captured`` are values of the outside that its graphs use, behind the other operands."""

    op: Operation
    inputs: list[Value]
    outputs: list[Value]
    proto: Any
    given: int
    scope: Any

    @property
    def captured(self) -> list[Value]:
        return self.inputs[self.given :]

    @property
    def within(self) -> str:
        """The modules in the name of the node, as in ``/layers.3/attention/MatMul``."""
        return str(self.proto.name).strip("/").rpartition("/")[0]


class Scope:
    """The names of a graph, and those of the graphs around it; ``version`` is that of the ops of each domain."""

    def __init__(
        self, versions: dict[str, int], infos: Iterable[Any] = (), outer: Scope | None = None
    ) -> None:
        self.versions, self.outer = versions, outer
        self.protos = {v.name: v.type for v in infos}
        self.values: dict[str, Value] = {}

    def value(self, name: str) -> Value:
        """The value of a name, looked for outside where it is not made here."""
        found = self.found(name)
        return found if found is not None else self.new(name)

    def found(self, name: str) -> Value | None:
        """The value of a name; None where it is not made yet."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        return None

    def new(self, name: str, data: Any = None) -> Value:
        """A value that is made in this graph."""
        value = self.values[name] = Value(name, self.protos.get(name), data)
        return value


def free_names(graph: Any) -> list[str]:
    """The names of the outside that a graph uses, in the order of their use; graphs within it count."""
    found: dict[str, None] = {}
    stack: list[tuple[Any, frozenset[str]]] = [(graph, frozenset())]
    while stack:
        g, seen = stack.pop()
        own = (
            seen
            | {v.name for v in g.input}
            | {t.name for t in g.initializer}
            | {n for x in g.node for n in x.output}
        )
        used = [n for x in g.node for n in x.input] + [v.name for v in g.output]
        found.update(dict.fromkeys(n for n in used if n and n not in own))
        stack += [(inner, own) for x in g.node for inner in inner_graphs(x)]
    return list(found)


def inner_graphs(node: Any) -> Iterator[Any]:
    """The graphs among the attributes of a node."""
    for a in node.attribute:
        if a.type == onnx.AttributeProto.GRAPH:
            yield a.g
        elif a.type == onnx.AttributeProto.GRAPHS:
            yield from a.graphs


def nodes_of(protos: Iterable[Any], scope: Scope, attributes: dict[str, Any] | None = None) -> list[Node]:
    """Nodes over values; in the body of a function ``attributes`` are those of the call."""
    made = []
    for proto in protos:
        inputs = [scope.value(n) if n else EMPTY for n in proto.input]
        held = dict.fromkeys(n for g in inner_graphs(proto) for n in free_names(g))
        captured = [scope.value(n) for n in held]
        outputs = [scope.new(n) if n else Value("") for n in proto.output]
        op = Operation(
            proto.op_type,
            _domain(proto),
            scope.versions.get(_domain(proto), 1),
            _attributes(proto, attributes),
        )
        made.append(Node(op, inputs + captured, outputs, proto, len(inputs), scope))
    return made


EMPTY = Value("")


def _domain(proto: Any) -> str:
    return DEFAULT_DOMAIN if proto.domain == "ai.onnx" else str(proto.domain)


def _attributes(proto: Any, given: dict[str, Any] | None) -> dict[str, Any]:
    found = {}
    for a in proto.attribute:
        if a.ref_attr_name:
            if given is not None and a.ref_attr_name in given:
                found[a.name] = given[a.ref_attr_name]
        else:
            found[a.name] = helper.get_attribute_value(a)
    return found


def array_of(tensor: Any) -> np.ndarray[Any, Any]:
    """The elements of a TensorProto in the dtype in which they are computed."""
    dtype = dtype_of(tensor.data_type)
    if dtype is None:
        raise Refused(f"tensors of {type_named(tensor.data_type)}")
    return np.asarray(numpy_helper.to_array(tensor)).astype(dtype)


class OnnxReader:
    """Reads values and nodes of ONNX."""

    library = "onnx"

    def type_of(self, variable: Value) -> Type | None:
        """The type of a tensor with the lengths that ONNX infers; None where the rank is not known."""
        if variable.kind != "tensor_type" or not variable.proto.tensor_type.HasField("shape"):
            return None
        dtype = dtype_of(variable.code)
        if dtype is None:
            return None
        dims = variable.proto.tensor_type.shape.dim
        return TensorType(dtype, shape=tuple(d.dim_value if d.HasField("dim_value") else None for d in dims))

    def constant(self, variable: Value) -> Variable | None:
        """An initializer; an operand that is left out is a constant that holds None."""
        if variable is EMPTY:
            return ABSENT
        if variable.data is None:
            return None
        return as_constant(array_of(variable.data), variable.name)

    def name_of(self, variable: Value) -> str | None:
        """The name in the model."""
        return variable.name or None

    def run(self, node: Node, values: Sequence[Any]) -> Sequence[Any]:
        """The results by ONNX's reference implementation."""
        from onnx.reference import ReferenceEvaluator

        operands = [v for v in node.inputs if v is not EMPTY]
        names = [v.name for v in operands]
        infos = [helper.make_value_info(v.name, v.proto or onnx.TypeProto()) for v in operands]
        outputs = [
            helper.make_value_info(v.name, v.proto or onnx.TypeProto()) for v in node.outputs if v.name
        ]
        graph = helper.make_graph([node.proto], node.op.op_name, infos, outputs)
        opsets = [helper.make_opsetid(d, n) for d, n in node.scope.versions.items()]
        given = [x for x, v in zip(values, node.inputs, strict=True) if v is not EMPTY]
        found = iter(
            ReferenceEvaluator(helper.make_model(graph, opset_imports=opsets)).run(
                None, dict(zip(names, given))
            )
        )
        return [next(found) if v.name else None for v in node.outputs]


def as_constant(data: Any, name: str | None = None) -> Variable:
    """A constant with the lengths of an array."""
    data = np.asarray(data)
    return TensorType(data.dtype.name, shape=data.shape).make_constant(data, name)


READER = OnnxReader()
