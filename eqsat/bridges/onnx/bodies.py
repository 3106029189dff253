"""Ops that ONNX declares as functions of other ops: their bodies in place of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import onnx
from onnx import helper, shape_inference

from eqsat.bridges.onnx.reading import ABSENT, EMPTY, Node, Operation, Scope, nodes_of
from eqsat.bridges.translate import Refused


@cache
def _schema(name: str, version: int, domain: str) -> Any:
    try:
        return onnx.defs.get_schema(name, version, domain)
    except onnx.defs.SchemaError:
        return None


def has_body(op: Operation) -> bool:
    """True for an op that is a function of others."""
    schema = _schema(op.op_name, op.version, op.domain)
    return schema is not None and bool(schema.has_function or schema.has_context_dependent_function)


def by_body(t: Any, op: Operation, node: Node, *operands: Any) -> Any:
    """The results of the body of an op's function."""
    schema = _schema(op.op_name, op.version, op.domain)
    types = [_declared(v, x) for v, x in zip(node.inputs, operands, strict=True)]
    if schema.has_function:
        body = schema.function_body
    else:
        kinds = [kind.SerializeToString() for kind in types]
        body = onnx.FunctionProto()
        text = schema.get_context_dependent_function(node.proto.SerializeToString(), kinds)
        if not text:
            raise Refused("its function has no body for these operands")
        body.ParseFromString(text)
    graph = _typed(body, node.proto, types)
    versions = {o.domain: o.version for o in body.opset_import} or dict(node.scope.versions)
    scope = Scope(versions, [*graph.value_info, *graph.input, *graph.output])
    inputs = [scope.new(name) for name in body.input]
    given = [*operands, *[ABSENT] * (len(inputs) - len(operands))]
    nodes = nodes_of(graph.node, scope)
    wanted = [scope.value(name) for name, v in zip(body.output, node.outputs) if v.name]
    made = iter(t.graph(nodes, inputs, wanted, given))
    return [next(made) if v.name else ABSENT for v in node.outputs]


def _declared(value: Any, operand: Any) -> Any:
    """The type of an operand as ONNX writes it; the empty one of what is left out."""
    if value is EMPTY or operand is ABSENT:
        return onnx.TypeProto()
    if value.proto is not None:
        return value.proto
    if isinstance(operand, list):
        raise Refused("an operand that is a sequence")
    code = value.code or helper.np_dtype_to_tensor_dtype(operand.type.numpy_dtype)
    return helper.make_tensor_type_proto(code, [n if n is not None else None for n in operand.type.shape])


def _typed(body: Any, call: Any, types: Sequence[Any]) -> Any:
    """The nodes of a body with the attributes of the call, and the types that ONNX infers."""
    given = {a.name: a for a in body.attribute_proto} | {a.name: a for a in call.attribute}
    nodes = []
    for node in body.node:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        _filled(copy, given)
        nodes.append(copy)
    known = {n: k for n, k in zip(body.input, types) if k.WhichOneof("value") is not None}
    infos = [onnx.ValueInfoProto(name=n, type=k) for n, k in known.items()]
    graph = helper.make_graph(nodes, "body", infos, [onnx.ValueInfoProto(name=n) for n in body.output])
    model = helper.make_model(graph, opset_imports=body.opset_import, ir_version=onnx.IR_VERSION)
    try:
        return shape_inference.infer_shapes(model, data_prop=True).graph
    except Exception:  # of many kinds, for bodies that run all the same
        return graph


def _filled(node: Any, given: dict[str, Any]) -> None:
    """Write the attributes of a call where a node refers to them; those that the call lacks go."""
    stack = [node]
    while stack:
        one = stack.pop()
        kept = []
        for a in one.attribute:
            if a.ref_attr_name:
                if a.ref_attr_name not in given:
                    continue
                found = onnx.AttributeProto()
                found.CopyFrom(given[a.ref_attr_name])
                found.name = a.name
                kept.append(found)
            else:
                kept.append(a)
                stack += [n for g in [a.g, *a.graphs] for n in g.node]
        copies = [onnx.AttributeProto.FromString(a.SerializeToString()) for a in kept]
        if len(copies) != len(one.attribute) or any(a.ref_attr_name for a in one.attribute):
            del one.attribute[:]
            one.attribute.extend(copies)
