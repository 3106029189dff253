"""Writers of loops, branches and graphs that are ops: Loop and If of ONNX, whose bodies read what is computed around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx import helper

from eqsat.bridges.onnx.writers import FAR
from eqsat.bridges.onnx.writing import Writer, code_of, info_of, writes
from eqsat.bridges.translate import Refused
from eqsat.graph.control.ifelse import IfElse, LazyIfElse
from eqsat.graph.control.op_from_graph import OpFromGraph
from eqsat.graph.dtypes import BOOL
from eqsat.graph.tensor_type import TensorType
from eqsat.scan.mappings import buffer_rows
from eqsat.scan.op import Scan
from eqsat.scan.utils import first_offset, grouped

STACKED = ("mit_sot", "sit_sot", "nit_sot")  # what a loop gives of all steps
COUNT, TRUTH = TensorType("int64", shape=()), TensorType(BOOL, shape=())
Typed = tuple[str, TensorType]  # a value, and its type


def _block(w: Writer, inputs: Sequence[Typed], results: Sequence[Typed]) -> Any:
    """The nodes of the block that is being written as a graph, whose results are values that it makes."""
    made = [(w.emit("Identity", name), kind) for name, kind in results]
    infos = [[info_of(name, kind) for name, kind in pairs] for pairs in (inputs, made)]
    return helper.make_graph(w.nodes, "block", *infos)


def _truth(w: Writer, condition: str) -> str:
    return (
        condition if w.dtypes[condition] == BOOL else w.emit("Cast", condition, dtype=BOOL, to=code_of(BOOL))
    )


def _open(variables: Sequence[Any]) -> list[TensorType]:
    """The types of variables, their lengths left open.

    Errors   Refused for what is no tensor
    """
    if not all(isinstance(v.type, TensorType) for v in variables):
        raise Refused("a value that is no tensor")
    return [TensorType(v.type.dtype, shape=(None,) * v.ndim) for v in variables]


@writes(IfElse, LazyIfElse)
def branches(w: Writer, node: Any, condition: str, *operands: str) -> list[str]:
    """Only the branch that is taken is computed, where the branches hold what they compute."""
    kinds, blocks = _open(node.outputs), []
    sides: list[tuple[list[Any], list[Any], Sequence[str]]]
    if isinstance(node.op, IfElse):
        sides = [([], [], names) for names in node.op.branches([condition, *operands])]
    else:
        parts = zip(node.op.graphs, node.op.split([condition, *operands]), strict=True)
        sides = [(g.inputs, g.outputs, names) for g, names in parts]
    for inputs, outputs, names in sides:
        with w.inside(dict(zip(inputs, names))):
            results = w.written(outputs) if outputs else names
            blocks.append(_block(w, [], list(zip(results, kinds, strict=True))))
    given = dict(zip(("then_branch", "else_branch"), blocks, strict=True))
    return w.emit_block("If", [_truth(w, condition)], kinds, **given)


@writes(OpFromGraph)
def graph(w: Writer, node: Any, *operands: str) -> list[str]:
    inner = node.op.graph
    with w.inside(dict(zip(inner.inputs, operands, strict=True)), w.nodes):
        return w.written(inner.outputs)


@writes(Scan)
def loop(w: Writer, node: Any, n_steps: str, *operands: str) -> list[str]:
    """A Loop: it carries buffers and the last values of states, and stacks what its steps compute."""
    op, info = node.op, node.op.info
    given = info.split("outer_in", [n_steps, *operands])
    outer = info.split("outer_in", node.inputs)
    inner, made = info.split("inner_in", op.inner_inputs), info.split("inner_out", op.inner_outputs)
    spans = [first_offset(taps) for taps in info.mit_sot_in_slices]
    windows = [_first(w, x, n) for x, n in zip(given["mit_sot"], spans, strict=True)]
    carried = [*given["mit_mot"], *windows, *given["sit_sot"], *given["shared"]]
    kinds = _open([*outer["mit_mot"], *outer["mit_sot"], *inner["sit_sot"], *inner["shared"]])
    step, go_on = w.fresh("step", "int64"), w.fresh("go_on", BOOL)
    state = [w.fresh("state", kind.dtype) for kind in kinds]
    several = len(given["mit_mot"])
    buffers, windows, single = state[:several], state[several:][: len(spans)], state[several + len(spans) :]
    with w.inside({}):
        starts = [buffer_rows(info, k)[0] for k in range(several)]
        rows = [
            *(_row(w, x, step) for x in given["seqs"]),
            *(
                _row(w, x, _place(w, step, first + t))
                for x, first, taps in zip(buffers, starts, info.mit_mot_in_slices, strict=True)
                for t in taps
            ),
            *(
                _row(w, x, w.constant(n + t))
                for x, n, taps in zip(windows, spans, info.mit_sot_in_slices, strict=True)
                for t in taps
            ),
        ]
        w.names.update(zip(op.inner_inputs, [*rows, *single, *given["non_seqs"]], strict=True))
        new = info.split("inner_out", w.written(op.inner_outputs))
        writes_of = grouped(new["mit_mot"], info.mit_mot_out_slices)
        for k, (first, taps) in enumerate(zip(starts, info.mit_mot_out_slices, strict=True)):
            for t, value in zip(taps, writes_of[k], strict=True):
                buffers[k] = _with_row(w, buffers[k], _place(w, step, first + t), value)
        later = [_moved_on(w, x, value) for x, value in zip(windows, new["mit_sot"], strict=True)]
        stays = [w.emit("Not", _truth(w, v)) for v in new["cond"]] or [go_on]
        last = [*buffers, *later, *new["sit_sot"], *new["shared"]]
        values = [v for kind in STACKED for v in zip(new[kind], _open(made[kind]), strict=True)]
        body = _block(
            w,
            [(step, COUNT), (go_on, TRUTH), *zip(state, kinds, strict=True)],
            [(stays[0], TRUTH), *zip(last, kinds, strict=True), *values],
        )
    stacks = [TensorType(kind.dtype, shape=(None, *kind.shape)) for _, kind in values]
    found = w.emit_block("Loop", [n_steps, w.constant(True, BOOL), *carried], [*kinds, *stacks], body=body)
    ends = found[: len(kinds)]
    return [*ends[:several], *found[len(kinds) :], *ends[len(kinds) - len(given["shared"]) :]]


def _first(w: Writer, x: str, n: int) -> str:
    return w.emit("Slice", x, w.constant([0]), w.constant([n]), w.constant([0]))  # type: ignore[no-any-return]


def _row(w: Writer, x: str, place: str) -> str:
    return w.emit("Gather", x, place, axis=0)  # type: ignore[no-any-return]


def _place(w: Writer, step: str, offset: int) -> str:
    return w.emit("Add", step, w.constant(offset)) if offset else step


def _with_row(w: Writer, x: str, place: str, value: str) -> str:
    """x with another row."""
    at = w.emit("Reshape", place, w.constant([1, 1]))
    return w.emit("ScatterND", x, at, w.emit("Unsqueeze", value, w.constant([0])))  # type: ignore[no-any-return]


def _moved_on(w: Writer, window: str, value: str) -> str:
    """The rows of a window but the first, and a new one."""
    rest = w.emit("Slice", window, w.constant([1]), w.constant([FAR]), w.constant([0]))
    return w.emit("Concat", rest, w.emit("Unsqueeze", value, w.constant([0])), axis=0)  # type: ignore[no-any-return]
