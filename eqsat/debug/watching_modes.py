"""Modes that run the rewritten graph op by op and see the operands and results of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.errors import NanGuardError
from eqsat.functions.executable import Executable
from eqsat.graph.core import Apply, Variable
from eqsat.graph.interpreter import Interpreter
from eqsat.graph.operand_names import operands_of
from eqsat.graph.tensor_type import describe_array
from eqsat.optimise import rewritten
from eqsat.pipeline.modes import Mode
from eqsat.pipeline.settings import Settings


def watched(
    inputs: Sequence[Variable], outputs: Sequence[Variable], settings: Settings
) -> tuple[Interpreter, Executable]:
    """The rewritten graph as an interpreter, and the executable that runs it."""
    report = rewritten(list(outputs), settings)
    interpreter = Interpreter(inputs, report.optimized)
    return interpreter, Executable(interpreter, report.optimized, report)


@dataclass(frozen=True, repr=False)
class MonitorMode(Mode):
    """Runs op by op and calls ``post_func(place, node, operands, results)`` after each.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> show = MonitorMode(post_func=lambda place, node, operands, results: print(place, node.op, *results))
    >>> eqsat.function([x], T.exp(x) - 1 + x, mode=show)(0.0)
    0 expm1 0.0
    1 add 0.0
    array(0.)
    """

    name: str = "MonitorMode"
    rewrite: bool = True
    compiled: bool = False
    doc: str = "the rewritten graph, op by op in NumPy, with a function called after each op"
    post_func: Callable[[int, Apply, list[Any], list[Any]], None] | None = None

    def runner(self, inputs: Sequence[Variable], outputs: Sequence[Variable], settings: Settings) -> Any:
        interpreter, executable = watched(inputs, outputs, settings)
        place = {node: k for k, node in enumerate(interpreter.nodes)}
        report = self.post_func
        if report is not None:
            interpreter.watch = lambda node, operands, results: report(place[node], node, operands, results)
        return executable


@dataclass(frozen=True, repr=False)
class NanGuardMode(Mode):
    """Runs op by op and raises where a value is NaN, infinite, or beyond 1e10 in size.

    The graph is the rewritten one: what a rewriting makes stable does not count as a mistake.

    Errors   NanGuardError that names the op, its operands and the lines on which they were made

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> f = eqsat.function([x], T.log(x) * 2, mode=NanGuardMode(inf_is_error=False))
    >>> try:
    ...     f(-1.0)
    ... except eqsat.errors.NanGuardError as error:
    ...     print(error.message)
    log(x) gives NaN
    """

    name: str = "NanGuardMode"
    rewrite: bool = True
    compiled: bool = False
    doc: str = "the rewritten graph, op by op in NumPy; NaN, infinite and too big values are errors"
    nan_is_error: bool = True
    inf_is_error: bool = True
    big_is_error: bool = True
    biggest: float = 1e10

    def runner(self, inputs: Sequence[Variable], outputs: Sequence[Variable], settings: Settings) -> Any:
        interpreter, executable = watched(inputs, outputs, settings)
        interpreter.watch = self._look

        def call(*values: Any) -> list[Any]:
            for v, value in zip(inputs, values, strict=False):
                self._refuse(value, f"the input {v} holds", [(str(v), v)])
            return interpreter(*values)

        return Executable(call, executable.outputs, executable.report)

    def _look(self, node: Apply, operands: list[Any], results: list[Any]) -> None:
        for k, result in enumerate(results):
            self._refuse(result, f"{node.outputs[k]} gives", operands_of(node))

    def _refuse(self, value: Any, start: str, operands: Sequence[tuple[str, Any]]) -> None:
        fault = self._fault(value)
        if fault is not None:
            raise NanGuardError(f"{start} {fault}", operands=operands, value=describe_array(value))

    def _fault(self, value: Any) -> str | None:
        """The fault of an array, or None."""
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
            return None
        if self.nan_is_error and np.isnan(value).any():
            return "NaN"
        if self.inf_is_error and np.isinf(value).any():
            return "infinity"
        finite = value[np.isfinite(value)]
        if self.big_is_error and finite.size and np.abs(finite).max() > self.biggest:
            return f"{np.abs(finite).max():.3g}, which is above {self.biggest:.3g}"
        return None
