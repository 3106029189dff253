"""The values of a graph, computed op by op with the NumPy meaning of each op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eqsat.graph.core import Constant
from eqsat.graph.walk import toposort


def evaluate(outputs: Sequence[Any], given: Mapping[Any, Any] | None = None) -> list[Any]:
    """Values of the outputs for values of the inputs, each of which must be of its variable's type."""
    known: dict[Any, Any] = {v: v.type.filter(value) for v, value in (given or {}).items()}

    def value(v: Any) -> Any:
        if v in known:
            return known[v]
        return v.data if isinstance(v, Constant) else v.get_value()

    for node in toposort(outputs, stop=known):
        storage: list[list[Any]] = [[None] for _ in node.outputs]
        node.op.perform(node, [value(v) for v in node.inputs], storage)
        known.update({v: cell[0] for v, cell in zip(node.outputs, storage, strict=True)})
    results = [value(v) for v in outputs]
    for v, result in zip(outputs, results, strict=True):
        assert result.dtype == v.type.dtype, (v, result.dtype)
        assert v.type.filter(result) is result, (v, v.type, result.shape)
    return results


def functions_of_modes(inputs: list[Any], outputs: list[Any], mode: str) -> list[Any]:
    """The function of a mode, and beside FAST_RUN that of mode numpy, which runs the same rewritten graph op by op.

    The latter is made of the graph that was found: to saturate takes most of the time, and finds the same for both.
    """
    import eqsat

    run = eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore")
    if mode != "FAST_RUN":
        return [run]
    found = run.outputs_optimised
    return [run, eqsat.function(inputs, found, mode="reference", on_unused_input="ignore")]


def numeric_gradient(cost: Any, wrt: Any, given: Mapping[Any, Any], step: float = 1e-6) -> Any:
    """Gradient of a scalar graph by central differences, in the variables' own precision."""
    import numpy as np

    start = np.array(given[wrt], float)
    result = np.zeros_like(start)
    for index in np.ndindex(start.shape):
        ends = []
        for sign in (1, -1):
            moved = start.copy()
            moved[index] += sign * step
            ends.append(float(evaluate([cost], {**given, wrt: moved})[0]))
        result[index] = (ends[0] - ends[1]) / (2 * step)
    return result
