"""Preparation of a graph for rewriting: it replaces ops that are graphs, branches, constants and shapes of opaque ops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.ops.modifiers import without_identities
from eqsat.graph.ops.shape import length, length_beside
from eqsat.graph.ops.specify import specify, unbroadcast_like
from eqsat.graph.run import computed
from eqsat.graph.shapes import length_of
from eqsat.graph.tensor_type import TensorType, shorten
from eqsat.graph.user_op import call_infer_shape
from eqsat.graph.walk import rebuild, toposort

if TYPE_CHECKING:
    from eqsat.pipeline.settings import Settings


def as_outputs(caller: str, outputs: Any) -> list[Variable]:
    """A list of the outputs, which are variables."""
    given = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    for output in given:
        if not isinstance(output, Variable):
            raise ArgumentError(
                f"{caller}: {shorten(output)} is not a variable", needs="a variable or a list of them"
            )
    return given


def named_outputs(caller: str, graphs: Any) -> dict[str, list[Variable]]:
    """Outputs by the name of the graph; those without one are numbered."""
    if isinstance(graphs, Variable):
        graphs = [graphs]
    if not isinstance(graphs, (Mapping, Iterable)):
        raise ArgumentError(
            f"{caller}: {shorten(graphs)} is no graph", needs="outputs by name, or a list of outputs"
        )
    if not isinstance(graphs, Mapping):
        graphs = {str(v if getattr(v, "name", None) else k): v for k, v in enumerate(graphs)}
    if not graphs:
        raise ArgumentError(f"{caller}: there are no graphs", needs="outputs by name, or a list of outputs")
    return {str(name): as_outputs(caller, outputs) for name, outputs in graphs.items()}


def prepare(outputs: Sequence[Any], settings: Settings | None = None) -> list[Any]:
    """The outputs with graphs of ops written out, branches inside their ifelse, and lengths without the op.

    With settings, ops that run graphs of their own are told to compile them under these. Graphs of declared ops alone come back as
    they are.
    """
    outputs = without_identities(outputs)
    nodes = toposort(outputs)
    if all(isinstance(node.op, DeclaredOp) and not _is_told(node) for node in nodes):
        return list(outputs)
    steps = [_written_out]
    if settings is None or settings.mode.rewrite:
        steps += [_shape_known, _folded]
    result = without_identities(_replaced(outputs, steps))
    from eqsat.graph.control.branches import has_ifelse, lazy_form

    if has_ifelse(toposort(result)):
        new = lazy_form(result)
        result = [new.get(v, v) for v in result]
    return result if settings is None else told(result, settings)


def told(outputs: Sequence[Any], settings: Settings) -> list[Any]:
    """The outputs, in which ops that run graphs of their own are told the settings under which to compile them."""
    if settings.mode.name == "reference" or not any(hasattr(node.op, "told") for node in toposort(outputs)):
        return list(outputs)
    inside = settings.inside
    return _replaced(outputs, [lambda node: _told(node, inside)])


def _replaced(outputs: Sequence[Any], steps: Sequence[Any]) -> list[Any]:
    """The outputs where the first step that has something for a node takes its place, again until none has."""
    new: dict[Variable, Any] = {}
    waiting = [v.owner for v in reversed(outputs) if v.owner is not None]
    done: set[Apply] = set()
    while waiting:
        node = waiting.pop()
        if node in done:
            continue
        missing = [v.owner for v in node.inputs if v.owner is not None and v.owner not in done]
        if missing:
            waiting.append(node)
            waiting.extend(missing)
            continue
        made = _renewed(node, [_final(new, v) for v in node.inputs])
        found = next((f for f in (step(made[0].owner) for step in steps) if f is not None), None)
        if found is not None:
            made = [_as_before(f, v) for f, v in zip(found, node.outputs, strict=True)]
            again = [v.owner for v in made if v.owner is not None and v.owner not in done]
            if again:
                new.update(zip(node.outputs, made, strict=True))
                done.add(node)
                waiting.extend(again)
                continue
        done.add(node)
        new.update((a, b) for a, b in zip(node.outputs, made, strict=True) if a is not b)
    return [_final(new, v) for v in outputs]


def _final(new: dict[Variable, Any], v: Any) -> Any:
    while v in new:
        v = new[v]
    return v


def _renewed(node: Apply, inputs: list[Any]) -> list[Any]:
    same = all(a is b for a, b in zip(inputs, node.inputs, strict=True))
    return node.outputs if same else rebuild(node, inputs)


def _as_before(value: Any, model: Any) -> Any:
    """A replacement with the type of what it replaces, and its name."""
    if isinstance(model.type, TensorType):
        value = unbroadcast_like(specify(value, model.type.shape), model)
    if value.owner is not None and value.name is None:
        value.name = model.name
    return value


# -------------------------------------------------------------------------------------------------------- steps


def _written_out(node: Apply) -> list[Any] | None:
    """The graph of an op that is to be inlined."""
    write = getattr(node.op, "written_out", None)
    return None if write is None else write(node)


def _shape_known(node: Apply) -> list[Any] | None:
    """A length of a result by the signature or the rule of the op, which does not need the result."""
    op: Any = node.op
    if _is_told(node):
        return [length_beside(node.inputs[0], op.params["axis"])]
    if not isinstance(op, DeclaredOp) or op.name != "length":
        return None
    maker = node.inputs[0].owner
    if maker is None or isinstance(maker.op, DeclaredOp) or not hasattr(maker.op, "infer_shape"):
        return None
    shapes = call_infer_shape(maker, [_shape(v) for v in maker.inputs])
    lengths = shapes[node.inputs[0].index]  # type: ignore[index]
    found = None if lengths is None else lengths[op.params["axis"]]
    return None if found is None or found is node.outputs[0] else [found.astype("int64")]


def _is_told(node: Apply) -> bool:
    """True for a length that follows from those of the operands of the op."""
    op: Any = node.op
    length_known = isinstance(op, DeclaredOp) and op.name == "length"
    return length_known and length_of(node.inputs[0], op.params["axis"]) is not None


def _shape(v: Any) -> Any:
    return tuple(length(v, k) for k in range(v.ndim)) if isinstance(v.type, TensorType) else None


def _folded(node: Apply) -> list[Any] | None:
    """The results of an opaque op of constants, computed now."""
    if isinstance(node.op, DeclaredOp) or not node.inputs:
        return None
    if not all(isinstance(v, Constant) for v in node.inputs) or not node.op.do_constant_folding(None, node):
        return None
    found = computed(node, [_own(v.data) for v in node.inputs])  # type: ignore[attr-defined]
    return found and [v.type.make_constant(value) for v, value in zip(node.outputs, found, strict=True)]


def _own(value: Any) -> Any:
    return value.copy() if hasattr(value, "copy") else value


def _told(node: Apply, settings: Settings) -> list[Any] | None:
    """An op that runs graphs, told how to compile them."""
    turn = getattr(node.op, "told", None)
    if turn is None or node.op.settings is settings:  # type: ignore[attr-defined]
        return None
    made: list[Any] = turn(settings).make_node(*node.inputs).outputs
    for old, new in zip(node.outputs, made, strict=True):
        new.name = old.name
        new.comes_from(old)
    return made
