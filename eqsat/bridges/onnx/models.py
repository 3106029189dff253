"""A model of ONNX as variables of eqsat, and as a function of arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

from eqsat.bridges.onnx import control, elements, fourier, networks, recurrent, shapes  # noqa: F401, with their entries
from eqsat.bridges.onnx.reading import (
    HELD_AS,
    READER,
    Operation,
    Scope,
    Value,
    as_constant,
    dtype_of,
    nodes_of,
    type_named,
)
from eqsat.bridges.onnx.table import TABLE
from eqsat.bridges.translate import Refused, Translation
from eqsat.errors import ArgumentError
from eqsat.functions.function import function
from eqsat.graph.tensor_type import TensorType


class OnnxTranslation(Translation):
    """A graph of ONNX that becomes one of eqsat; errors name the node and the op."""

    def label(self, node: Any) -> str:
        """The op, and the node by its own name or by that of its first result."""
        made = next((v.name for v in node.outputs if v.name), "")
        return f"{node.op.op_name} ({node.proto.name or made})"


class FromOnnx:
    """A model as a graph: ``inputs`` and ``outputs`` are variables, ``function()`` compiles them.

    Tensors of float16 and bfloat16 are float32 inside; the function takes and gives them as the model declares. ``counts`` has the ops
    that were met, ``foreign`` those that ONNX's reference implementation runs.
    """

    def __init__(
        self,
        inputs: list[Any],
        outputs: list[Any],
        codes: tuple[list[int], list[int]],
        translation: Translation,
    ) -> None:
        self.inputs, self.outputs, self._codes = inputs, outputs, codes
        self.counts: Counter[str] = translation.counts
        self.foreign: dict[str, str] = translation.foreign

    def __iter__(self) -> Any:
        return iter((self.inputs, self.outputs))

    @cached_property
    def names(self) -> list[str]:
        """The names of the inputs."""
        return [v.name for v in self.inputs]

    def function(self, **settings: Any) -> OnnxFunction:
        """The compiled model; settings are those of ``eqsat.function``."""
        settings.setdefault("on_unused_input", "ignore")
        flat = [v for made in self.outputs for v in (made if isinstance(made, list) else [made])]
        return OnnxFunction(self, function(self.inputs, flat, **settings))


class OnnxFunction:
    """A compiled model: takes the arrays of its inputs, by position or by name, and gives a list of results."""

    def __init__(self, model: FromOnnx, compiled: Any) -> None:
        self.model, self.compiled = model, compiled

    @property
    def report(self) -> Any:
        """The report of the compiled function."""
        return self.compiled.report

    def __call__(self, *arrays: Any, **named: Any) -> list[Any]:
        names = self.model.names
        given = dict(zip(names, arrays)) | named
        if missing := [n for n in names if n not in given]:
            raise ArgumentError(
                f"the model's inputs {', '.join(missing)} are missing", needs=", ".join(names)
            )
        codes, kinds = self.model._codes
        held = [_held(given[n], code) for n, code in zip(names, codes, strict=True)]
        found = iter(self.compiled(*held))
        return [
            [next(found) for _ in made] if isinstance(made, list) else _stored(next(found), code)
            for made, code in zip(self.model.outputs, kinds, strict=True)
        ]


def _held(array: Any, code: int) -> Any:
    array = numpy_helper.to_array(array) if isinstance(array, onnx.TensorProto) else array
    return np.asarray(array).astype(HELD_AS[code]) if code in HELD_AS else array


def _stored(array: Any, code: int) -> Any:
    return array.astype(helper.tensor_dtype_to_np_dtype(code)) if code in HELD_AS else array


def from_onnx(
    model: str | Path | onnx.ModelProto, constants: Mapping[str, Any] | None = None, opaque: bool = True
) -> FromOnnx:
    """The inputs and outputs of a model, a path or what ``onnx.load`` gives, as variables.

    ``constants`` are values for inputs that do not change. An op that eqsat cannot say is run by ONNX's reference implementation, with a
    warning that names it; with ``opaque=False`` it is refused.

    Errors   ``Refused`` with the name of an op and the reason; ArgumentError for constants that are no inputs
    """
    proto = model if isinstance(model, onnx.ModelProto) else onnx.load(str(model))
    if len(proto.functions):
        from onnx import inliner

        proto = inliner.inline_local_functions(proto)
    typed = _inferred(proto)
    graph = typed.graph
    versions = {_domain(o.domain): o.version for o in proto.opset_import}
    scope = Scope(versions, [*graph.value_info, *graph.output, *graph.input])
    held = {t.name: t for t in graph.initializer}
    for name, tensor in held.items():
        scope.new(name, tensor)
    if len(graph.sparse_initializer):
        raise Refused("sparse initializers")
    fixed = dict(constants or {})
    inputs, codes, given = [], [], []
    for info in graph.input:
        if info.name in held:
            continue
        value = scope.new(info.name)
        if info.name in fixed:
            inputs.append((value, as_constant(fixed.pop(info.name))))
            continue
        kind = _input_type(value)
        codes.append(value.code)
        given.append(kind(info.name))
        inputs.append((value, given[-1]))
    if fixed:
        raise ArgumentError(
            f"the model has no inputs {', '.join(fixed)}",
            among=(next(iter(fixed)), [v.name for v in graph.input]),
        )
    translation = OnnxTranslation(TABLE, READER, opaque)
    nodes = nodes_of(graph.node, scope)
    outputs = [scope.value(v.name) for v in graph.output]
    made = translation.graph(nodes, [v for v, _ in inputs], outputs, [x for _, x in inputs])
    translation.tell()
    return FromOnnx(given, made, (codes, [v.code for v in outputs]), translation)


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else str(name)


def _inferred(proto: Any) -> Any:
    """The model with the types that ONNX infers; as it is where its inference fails."""
    try:
        return shape_inference.infer_shapes(proto, data_prop=True)
    except Exception:  # of many kinds, for models that run all the same
        return proto


def _input_type(value: Value) -> TensorType:
    if value.kind != "tensor_type":
        raise Refused(f"the input {value.name} is a {str(value.kind).removesuffix('_type')}")
    kind = READER.type_of(value)
    if not isinstance(kind, TensorType):
        if dtype_of(value.code) is None:
            raise Refused(f"tensors of {type_named(value.code)}")
        raise Refused(f"the input {value.name} has no rank")
    return kind


def coverage() -> str:
    """Every op of ONNX's newest set with the way in which it is translated, from the table itself.

    >>> print(coverage().splitlines()[1])
    Abs                        entry
    """
    version = onnx.defs.onnx_opset_version()
    names = sorted({s.name for s in onnx.defs.get_all_schemas() if s.domain == "" and not s.deprecated})
    ways = {}
    for name in names:
        op = Operation(name, "", version, {})
        ways[name] = "entry" if name in TABLE.entries else "body" if TABLE.entry(op) else "-"
    counts = Counter(ways.values())
    head = f"{len(names)} ops of opset {version}: {counts['entry']} with an entry, {counts['body']} by their bodies, {counts['-']} neither"
    return "\n".join([head, *(f"{name:26} {way}" for name, way in ways.items())])


__all__ = ["FromOnnx", "OnnxFunction", "coverage", "from_onnx"]
