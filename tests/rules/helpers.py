"""Optimise small expressions and look at what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eqsat.egraph.encode import encode
from eqsat.egraph.reading import Saturated
from eqsat.egraph.saturate import saturate
from eqsat.egraph.scheduler import Budget
from eqsat.extract.algebra import Extracted, extract
from eqsat.extract.cost import CostModel
from eqsat.graph.core import Constant, Variable
from eqsat.graph.walk import toposort
from eqsat.rules.rule import select_rules

HALF_A_CALL = CostModel().call / 2
BUDGET = Budget(20000, 20000, 5.0)


@dataclass
class Optimised:
    """An extracted graph, its cost in seconds by the model, and the rules that matched."""

    outputs: list[Any]
    cost: float
    fired: dict[str, int]
    saturated: Saturated
    extracted: Extracted

    def ops(self) -> Counter[str]:
        """How often each op occurs, without moves of axes, which cost nothing."""
        return ops_of(self.outputs)

    def __str__(self) -> str:
        return "; ".join(map(show, self.outputs))


def ops_of(outputs: Sequence[Any]) -> Counter[str]:
    """How often each op occurs in a graph, dimshuffles left out."""
    names = Counter(plain_name(n) for n in toposort(outputs))
    del names["dimshuffle"]
    return names


def plain_name(node: Any) -> str:
    """The op's name; x * x counts as a square and x + x as a multiple, which cost the same."""
    if node.op.name in ("mul", "add") and node.inputs[0] is node.inputs[1]:
        return "sqr" if node.op.name == "mul" else "mul"
    return str(node.op.name)


def optimise(outputs: Any, rules: Any = None) -> Optimised:
    """The cheapest graph that the rules find."""
    wanted = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    encoded = encode(wanted)
    saturated = saturate(encoded, select_rules(rules), BUDGET)
    extracted = extract(encoded, saturated, CostModel(), 0.2)
    return Optimised(extracted.outputs, extracted.extraction.cost, saturated.matches(), saturated, extracted)


def show(v: Variable) -> str:
    """A variable as nested text, axes not shown where they only move."""
    if isinstance(v, Constant):
        data = np.asarray(v.data)
        return f"{data.reshape(-1)[0]:g}" if data.size == 1 else str(data.tolist())
    if v.owner is None:
        return str(v.name or v)
    inside = ", ".join(show(i) for i in v.owner.inputs)
    name = str(v.owner.op.name)  # type: ignore[attr-defined]
    return inside if name == "dimshuffle" else f"{name}({inside})"


def assert_best(written: Any, expected: Any, rules: Any = None, by: str | None = None) -> Optimised:
    """The expression must become as cheap as the expected one is, with the same ops; ``by`` must have matched."""
    found = optimise(written, rules)
    best = optimise(expected, rules)
    want = list(expected) if isinstance(expected, (list, tuple)) else [expected]
    text = (
        f"\n  found    {found}\n  cost     {found.cost:.6g}"
        f"\n  expected {'; '.join(map(show, want))}\n  which is {best} after rewriting\n  cost     {best.cost:.6g}"
        f"\n  fired    {found.fired}"
    )
    assert found.cost <= best.cost + HALF_A_CALL, "dearer than expected:" + text
    assert found.cost >= best.cost - HALF_A_CALL, "cheaper than expected:" + text
    assert found.ops() == best.ops(), "other ops than expected:" + text
    if by is not None:
        assert by in found.fired, f"{by} did not fire:" + text
    return found


def assert_stays(written: Any, rules: Any = None) -> None:
    """The expression must come out with the ops that it was written with."""
    found = optimise(written, rules)
    want = list(written) if isinstance(written, (list, tuple)) else [written]
    assert found.ops() == ops_of(want), (
        f"\n  written {'; '.join(map(show, want))}\n  found   {found}\n  {found.fired}"
    )


def numbers(outputs: Sequence[Any], values: dict[Any, Any]) -> list[Any]:
    """Values of variables by the ops' own meaning, for values of the leaves."""
    known: dict[Any, Any] = dict(values)
    for node in toposort(list(outputs)):
        inputs = [i.data if isinstance(i, Constant) else known[i] for i in node.inputs]
        store: list[list[Any]] = [[None] for _ in node.outputs]
        node.op.perform(node, inputs, store)  # type: ignore[attr-defined]
        known.update({out: cell[0] for out, cell in zip(node.outputs, store, strict=True)})
    return [v.data if isinstance(v, Constant) else known[v] for v in outputs]
