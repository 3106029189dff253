"""``to_onnx``: a graph of eqsat as a model of ONNX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from os import PathLike
from typing import Any

import numpy as np
import onnx
from onnx import checker, helper, numpy_helper, shape_inference

from eqsat.base.notices import warn
from eqsat.base.values import dataclass
from eqsat.bridges.onnx import elements  # noqa: F401, with its entries
from eqsat.bridges.onnx.table import ELEMENTS
from eqsat.bridges.translate import Refused
from eqsat.errors import ArgumentError, EqsatError
from eqsat.functions.function import Function
from eqsat.graph.control.branches import lazy_form
from eqsat.graph.core import Apply, Constant, Variable, one_line
from eqsat.graph.declare import OPS
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import graph_inputs, toposort
from eqsat.tensor.shared import TensorSharedVariable

OPSET = 21
IR_VERSION = 10
WRITERS: dict[Any, Callable[..., Any]] = {}  # by the names of ops, or their classes
SPELLINGS: dict[Any, Callable[..., Any]] = {}
SHORT = {"float32": "float", "float64": "double"}  # names of types in ONNX's schemas, where they are others
TRUTH = {"tensor(bool)"}
LESS = ("erfc", "ndtr")  # spelled by erf, with fewer digits of small results
Names = str | list[str]


@dataclass(frozen=True, eq=False)
class Alias:
    """A result that is spelled in other ops: it has the name of another variable."""

    results: list[Variable]
    spelled: list[Variable]


def writes(*names: Any) -> Callable[[Any], Any]:
    """Register the writer of ops, by names or classes: a function of the ``Writer``, the node, and the names of its operands; it gives names of results."""

    def register(writer: Any) -> Any:
        WRITERS.update(dict.fromkeys(names, writer))
        return writer

    return register


def spelled(*names: str, dtype: str | None = None) -> Callable[[Any], Any]:
    """Register ops that are written as other ops of eqsat: a function of the node and its operands.

    With a dtype it is for that alone, where onnxruntime lacks the op that ONNX has.
    """

    def register(spelling: Any) -> Any:
        SPELLINGS.update(dict.fromkeys([(name, dtype) if dtype else name for name in names], spelling))
        return spelling

    return register


@cache
def of_elements() -> dict[str, list[str]]:
    """The ops of ONNX that are one op of eqsat, by the name of the latter: the table of the import, read the other way."""
    found: dict[str, list[str]] = {}
    for name, f in ELEMENTS.items():
        if (op := _one_op(name, f)) is not None:
            found.setdefault(op, []).append(name)
    return found


def _one_op(name: str, f: Callable[..., Any]) -> str | None:
    """The op of eqsat that a function applies to its operands as they are; None where it does more."""
    formal = onnx.defs.get_schema(name, OPSET).inputs
    many = formal * 2 if formal[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic else formal
    for dtype in ("float64", "int64", "bool"):
        given = [TensorType("bool" if set(k.types) == TRUTH else dtype, shape=())() for k in many]
        try:
            node = f(*given).owner
        except EqsatError:
            continue
        if node is not None and list(node.inputs) == given:
            return str(node.op.name)
    return None


class Writer:
    """Nodes and constants of a graph of ONNX; values have names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.names: dict[Variable, str] = {}
        self.dtypes: dict[str, str] = {}
        self.short: set[str] = set()  # ops that are written in a form with fewer digits
        self._held: dict[Any, str] = {}
        self._spelled: dict[Apply, Apply] = {}  # nodes that take the place of another one

    def fresh(self, wanted: str, dtype: str) -> str:
        """A name that no value has yet."""
        name, k = wanted, 0
        while name in self.dtypes:
            name, k = f"{wanted}_{k}", k + 1
        self.dtypes[name] = dtype
        return name

    def emit(self, op: str, *operands: str, dtype: str = "", count: int = 1, **attributes: Any) -> Any:
        """The names of the results of an op; the dtype is that of the first operand unless another is given."""
        refused = unfit(op, [self.dtypes[n] for n in operands])
        if refused:
            raise Refused(refused)
        names = [self.fresh(op.lower(), dtype or self.dtypes[operands[0]]) for _ in range(count)]
        self.nodes.append(helper.make_node(op, operands, names, **attributes))
        return names[0] if count == 1 else names

    def constant(self, value: Any, dtype: str = "int64", name: str = "constant") -> str:
        """The name of an array that the model holds; one for equal arrays."""
        array = np.asarray(value, dtype, order="C")
        key = (array.dtype.name, array.shape, array.tobytes())
        if key not in self._held:
            self._held[key] = self.fresh(name, array.dtype.name)
            self.initializers.append(numpy_helper.from_array(array, self._held[key]))
        return self._held[key]

    def of(self, v: Any) -> str:
        """The name of a variable that was written, or of a constant."""
        if v not in self.names and isinstance(v, Constant) and isinstance(v.type, TensorType):
            self.names[v] = self.constant(v.data, v.type.dtype, v.name or "constant")
        return self.names[v]

    def emit_block(self, op: str, operands: Sequence[str], kinds: Sequence[Any], **blocks: Any) -> list[str]:
        """The names of the results, of some types, of an op that holds graphs."""
        names = [self.fresh(op.lower(), kind.dtype) for kind in kinds]
        self.nodes.append(helper.make_node(op, operands, names, **blocks))
        return names

    @contextmanager
    def inside(self, names: dict[Variable, str], nodes: list[Any] | None = None) -> Iterator[None]:
        """For the length of a ``with`` block a graph of its own, whose inputs have names; its nodes are apart unless a list is given."""
        around = self.nodes, self.names
        self.nodes, self.names = [] if nodes is None else nodes, dict(names)
        yield
        self.nodes, self.names = around

    def written(self, outputs: Sequence[Any]) -> list[str]:
        """Write the nodes that the outputs need, and give the names of these; ops without a writer are spelled in those that have one."""
        work: list[Any] = toposort(outputs, list(self.names))[::-1]
        while work:
            step = work.pop()
            if isinstance(step, Alias):
                self.names.update(zip(step.results, map(self.of, step.spelled), strict=True))
            elif step.outputs[0] not in self.names:
                work += self._step(step)
        return [self.of(v) for v in outputs]

    def _step(self, node: Apply) -> list[Any]:
        """Write a node, or give what takes its place, last one first."""
        name = getattr(node.op, "name", str(node.op))
        own = (name, getattr(node.outputs[0].type, "dtype", None))
        try:
            writer = WRITERS.get(type(node.op)) or WRITERS.get(name) or derived(name)
            if own in SPELLINGS:
                made = SPELLINGS[own](node, *node.inputs)
            elif writer is not None:
                made = writer(self, node, *map(self.of, node.inputs))
                self.names.update(zip(node.outputs, made if isinstance(made, list) else [made], strict=True))
                return []
            else:
                made = spelling(name)(node, *node.inputs)
        except EqsatError as why:
            raise refusal(self._spelled.get(node, node), why.message) from why
        many = list(made) if isinstance(made, (list, tuple)) else [made]
        if name in LESS:
            self.short.add(name)
        steps = toposort(many, node.inputs)[::-1]
        self._spelled.update(dict.fromkeys(steps, self._spelled.get(node, node)))
        return [Alias(node.outputs, many), *steps]


def unfit(op: str, dtypes: Sequence[str]) -> str:
    """The reason why an op of ONNX does not take operands of some dtypes; empty where it does."""
    formal = onnx.defs.get_schema(op, OPSET).inputs
    for k, dtype in enumerate(dtypes):
        taken = formal[min(k, len(formal) - 1)].types
        if f"tensor({SHORT.get(dtype, dtype)})" not in taken:
            return f"{op} of ONNX takes no {dtype}"
    return ""


def derived(name: str) -> Any:
    """The writer of an op that the table of the import, or a declaration, says."""
    declared = OPS.find(name)
    if declared is None:
        return None
    if declared.identity or declared.unmoved:
        return lambda w, node, x, *rest: x
    candidates = of_elements().get(name)
    return None if candidates is None else lambda w, node, *operands: fitting(w, candidates, operands)


def fitting(w: Writer, candidates: Sequence[str], operands: Sequence[str]) -> Names:
    """The result of the first op that takes the operands; comparisons give truth values."""
    dtypes = [w.dtypes[n] for n in operands]
    op = next((c for c in candidates if not unfit(c, dtypes)), candidates[0])
    result = onnx.defs.get_schema(op, OPSET).outputs[0].types
    dtype = "bool" if set(result) == TRUTH else dtypes[-1]
    return w.emit(op, *operands, dtype=dtype)  # type: ignore[no-any-return]


def spelling(name: str) -> Any:
    """The way to write an op in others: one of those that are listed, or that its declaration says.

    Errors   Refused where there is none
    """
    if name in SPELLINGS:
        return SPELLINGS[name]
    declared = OPS.find(name)
    if declared is None or declared.spelled is None:
        raise Refused("it has no form in ONNX")
    forms = declared.spelled
    return lambda node, *operands: next(iter(forms(*operands).values()))


def refusal(node: Apply, why: str) -> ArgumentError:
    """The error for an op that cannot be written, with the line that made it."""
    name = str(node.op)
    return ArgumentError(
        f"to_onnx: {name}: {why}",
        operands=[(getattr(node.op, "name", name), node.outputs[0])],
        hint="f.export(folder) writes C",
    )


def to_onnx(f: Any, path: str | PathLike[str] | None = None, inputs: Sequence[Any] | None = None) -> Any:
    """A compiled function, or outputs, as a model of ONNX; see ``eqsat.to_onnx``."""
    given, outputs, named = _subject(f, inputs)
    w = Writer()
    with one_line("to_onnx"):
        infos = [_input(w, v, f"in{k}") for k, v in enumerate(given)]
        _hold_shared(w, outputs)
        w.written(outputs)
        results = [_result(w, v, name) for v, name in zip(outputs, named, strict=True)]
    graph = helper.make_graph(w.nodes, "eqsat", infos, results, w.initializers)
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="eqsat")
    checker.check_model(model)
    shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    if w.short:
        warn(f"to_onnx: {', '.join(sorted(w.short))}: written by erf, small results have an absolute error")
    if path is not None:
        onnx.save(model, path)
    return model


def _subject(f: Any, inputs: Sequence[Any] | None) -> tuple[list[Any], list[Any], list[str]]:
    """Inputs, outputs and the names of the outputs, of a function or of variables."""
    if isinstance(f, Function):
        if f.updated:
            names = ", ".join(str(v) for v in f.updated)
            raise ArgumentError(f"to_onnx: {f} updates {names}", needs="a function without updates")
        roots: list[Any] = f.roots
        return list(f.inputs), list(f.outputs_optimised), [v.name or f"out{k}" for k, v in enumerate(roots)]
    outputs = list(f) if isinstance(f, (list, tuple)) else [f]
    lazy = lazy_form(outputs, inputs or ())
    outputs, named = [lazy.get(v, v) for v in outputs], outputs
    held = Constant | TensorSharedVariable
    found = [v for v in graph_inputs(outputs) if not isinstance(v, held)]
    return list(inputs or found), outputs, [v.name or f"out{k}" for k, v in enumerate(named)]


def _input(w: Writer, v: Any, name: str) -> Any:
    """The declaration of an input."""
    if not isinstance(v.type, TensorType):
        raise ArgumentError(f"to_onnx: {v} is no tensor", operands=[(str(v), v)])
    w.names[v] = w.fresh(v.name or name, v.type.dtype)
    return info_of(w.names[v], v.type)


def _hold_shared(w: Writer, outputs: Sequence[Any]) -> None:
    """Shared variables become arrays that the model holds."""
    for v in graph_inputs(outputs):
        if v not in w.names and not isinstance(v, Constant):
            if not isinstance(v, TensorSharedVariable):
                raise ArgumentError(f"to_onnx: {v} has no value", needs="all inputs", operands=[(str(v), v)])
            w.names[v] = w.fresh(v.name or "shared", v.type.dtype)
            w.initializers.append(numpy_helper.from_array(np.asarray(v.get_value()), w.names[v]))


def _result(w: Writer, v: Any, name: str) -> Any:
    """The declaration of a result, which has a name of its own."""
    own = w.fresh(name, v.type.dtype)
    w.nodes.append(helper.make_node("Identity", [w.of(v)], [own]))
    return info_of(own, v.type)


def info_of(name: str, kind: TensorType) -> Any:
    """The declaration of a value."""
    return helper.make_tensor_value_info(name, code_of(kind.dtype), list(kind.shape))


def code_of(dtype: str) -> int:
    """The number of an element type."""
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
