"""DebugMode: every rewrite and every compiled op is compared by value with the reference, at every call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eqsat.base.notices import warn_once
from eqsat.base.values import dataclass
from eqsat.debug.class_values import Equalities, compare_classes
from eqsat.errors import DebugModeError
from eqsat.functions.compile import build
from eqsat.functions.executable import Executable
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.interpreter import Interpreter
from eqsat.graph.operand_names import operands_of
from eqsat.graph.ops.assume import assumed_facts
from eqsat.graph.run import destroyed
from eqsat.graph.walk import toposort
from eqsat.pipeline.modes import MODES, Mode
from eqsat.pipeline.program import Program
from eqsat.pipeline.settings import Settings
from eqsat.rules.fact import FACTS

CLOSE = {"float32": 1e-3, "complex64": 1e-3}  # of whole graphs; 1e-6 for wider dtypes


@dataclass(frozen=True, repr=False)
class DebugMode(Mode):
    """Runs a function in every way and compares: slow, for the search for a wrong rule, op or compiler.

    At every call the graph as written runs op by op in NumPy, the rewritten graph op by op in C, and the fused function
    as FAST_RUN has it. All forms that the rules made equal are computed too and compared. An op that overwrites an operand has to say so in its ``destroy_map``.

    Errors   DebugModeError that names the op, or the two forms, that disagree

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.function([x], T.log(1 + T.exp(x)), mode="DebugMode")([0.0])
    array([0.69314718])
    """

    name: str = "DebugMode"
    rewrite: bool = True
    compiled: bool = False
    doc: str = "every rewrite and every compiled op is compared with the reference, at every call"

    def runner(self, inputs: Sequence[Variable], outputs: Sequence[Variable], settings: Settings) -> Any:
        checked = _Checked(list(inputs), list(outputs), settings)
        return Executable(checked, checked.fast.outputs, checked.fast.report)


class _Checked:
    """All ways of running one graph."""

    def __init__(self, inputs: list[Variable], outputs: list[Variable], settings: Settings) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.written = Interpreter(inputs, outputs)
        fast = replace(MODES["FAST_RUN"], fuse=settings.mode.fuse, without=settings.without)
        self.fast = build(inputs, outputs, replace(settings, mode=fast))
        self.nodes = toposort(self.fast.outputs, stop=inputs)
        self.parts = [v for node in self.nodes for v in node.outputs]
        self.single = build(inputs, self.parts, replace(settings, mode=MODES["FAST_COMPILE"]))
        program = Program(outputs, settings)
        self.equal = Equalities(program, program.encoded())

    def __call__(self, *values: Any) -> list[Any]:
        known: dict[Variable, Any] = dict(zip(self.inputs, values, strict=True))
        kept = copies(known, self.inputs)

        def watch(node: Apply, operands: Sequence[Any], results: Sequence[Any]) -> None:
            check_kept(node, kept, operands)
            known.update(zip(node.outputs, results, strict=True))
            kept.update(copies(known, node.outputs))
            check_assumed(node, operands)

        self.written.watch = watch
        wanted = self.written(*values)
        found = self.fast.call(*values)
        self._check_rewrites(known)
        self._check_ops(dict(zip(self.inputs, values, strict=True)), self.single.call(*values))
        for variable, value, reference in zip(self.outputs, found, wanted, strict=True):
            if unlike(value, reference, CLOSE.get(getattr(variable.type, "dtype", ""), 1e-6), False):
                raise DebugModeError(
                    f"DebugMode: {variable} is {_shown(value)}, the graph as written gives {_shown(reference)}",
                    operands=[(str(variable), variable)],
                )
        return found  # type: ignore[no-any-return]

    def _check_rewrites(self, known: dict[Variable, Any]) -> None:
        if met := compare_classes(self.equal, known):
            warn_once("debug", f"DebugMode: {met}")

    def _check_ops(self, known: dict[Variable, Any], computed: Sequence[Any]) -> None:
        """Each op in C against its meaning in NumPy, on the operands that C computed."""
        known.update(zip(self.parts, computed, strict=True))
        for node in self.nodes:
            if not isinstance(node.op, DeclaredOp):
                continue
            operands = [v.data if isinstance(v, Constant) else known[v] for v in node.inputs]
            storage: list[list[Any]] = [[None] for _ in node.outputs]
            node.op.perform(node, operands, storage)
            for variable, box in zip(node.outputs, storage, strict=True):
                self._check_op(node, variable, known[variable], box[0])

    def _check_op(self, node: Apply, result: Variable, value: Any, reference: Any) -> None:
        precision = 1e-4 if value.dtype in (np.float32, np.complex64) else 1e-9
        if unlike(value, reference, precision, True):
            raise DebugModeError(
                f"DebugMode: {result} gives {_shown(value)} in C, its meaning is {_shown(reference)}",
                operands=operands_of(node),
            )


def copies(known: dict[Variable, Any], variables: Sequence[Variable]) -> dict[Variable, Any]:
    """Copies of the values of variables that are arrays."""
    return {v: known[v].copy() for v in variables if isinstance(known[v], np.ndarray)}


def check_kept(node: Apply, kept: dict[Variable, Any], operands: Sequence[Any]) -> None:
    """Refuse an op that has overwritten an operand and did not say so."""
    said = destroyed(node)
    for k, (variable, value) in enumerate(zip(node.inputs, operands, strict=True)):
        if variable in kept and k not in said and unlike(value, kept[variable], 0.0, True):
            raise DebugModeError(
                f"DebugMode: {node.op} overwrites its operand {variable}",
                operands=operands_of(node),
                hint=f"write into a copy, or declare it: destroy_map = {{0: [{k}]}} in the class of the op",
            )


def check_assumed(node: Apply, operands: Sequence[Any]) -> None:
    """Refuse a value that is not what the user has told of it."""
    for name in assumed_facts(node.op):
        if not FACTS[name].holds(operands[0]):
            raise DebugModeError(
                f"DebugMode: {node.inputs[0]} is assumed to be {name}, and is {_shown(operands[0])}",
                operands=operands_of(node),
            )


def unlike(value: Any, reference: Any, precision: float, everywhere: bool) -> bool:
    """True where values differ by more than a part of the largest; NaN and infinities count if ``everywhere``."""
    if not isinstance(reference, np.ndarray):
        return False
    if value.dtype != reference.dtype or value.shape != reference.shape:
        return True
    if reference.dtype.kind not in "fc":
        return not np.array_equal(value, reference)
    good = np.isfinite(reference)
    if everywhere and not np.array_equal(good, np.isfinite(value)):
        return True
    if not np.isfinite(value[good]).all():
        return True
    room = precision * (np.max(np.abs(reference[good]), initial=0.0) + 1e-30)
    return bool(np.any(np.abs(value[good] - reference[good]) > room))


def _shown(value: Any) -> str:
    text = np.array2string(np.asarray(value), threshold=8, edgeitems=2).replace("\n", "")
    return text if len(text) <= 80 else text[:79] + "…"
