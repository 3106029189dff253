"""``optimize(objective="accuracy")``: graphs by measured error, over the e-graph with forms that do not pay everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable
from eqsat.graph.ops.elemwise import lt, switch
from eqsat.inspect.report import Report
from eqsat.inspect.rewriting_report import report_of
from eqsat.pipeline.program import Program, Rewriting
from eqsat.printing.short_text import short
from eqsat.rounding.branches import Branches, branched
from eqsat.rounding.measure import error, floats
from eqsat.rounding.points import Accept, Points, drawn_points
from eqsat.rounding.search import AccurateForms

SEARCHED, TESTED = 64, 256  # points at which forms are compared, and at which the chosen ones are measured
NODES = 1000  # e-nodes, of each of which the real value is computed


@dataclass(frozen=True)
class Measured:
    """A graph with its mean error, in bits at points that the search did not see, and its cost in seconds by the model.

    >>> from eqsat.rounding import Measured
    >>> import eqsat.tensor as T
    >>> print(Measured([T.log1p(T.dscalar("x"))], 0.0, 2e-8))
    0.0 bits, 20.0 ns by the model: log1p(x)
    """

    outputs: list[Any]
    bits: float
    seconds: float

    def __str__(self) -> str:
        cost = "as written" if self.seconds == inf else f"{self.seconds * 1e9:.1f} ns by the model"
        return f"{self.bits:.1f} bits, {cost}: {short(self.outputs[0], 88)}"


def accurate(
    prepared: list[Any],
    settings: Any,
    objective: str,
    ranges: Mapping[Variable | str, Any] | None,
    accept: Accept | None = None,
) -> Report:
    """The report of a graph chosen by its error; ``report.front`` has the graphs between the most accurate and the cheapest.

    Errors   ArgumentError for several outputs, loops, and ops without a formula over the reals
    """
    if len(prepared) > 1:
        raise ArgumentError(f"optimize: objective={objective!r} is of one output, not {len(prepared)}")
    flags = tuple((name, NODES if name == "egraph_nodes" else value) for name, value in settings.flags)
    program = Program(prepared, replace(settings, flags=flags))
    points = drawn_points(prepared, ranges, SEARCHED, 1, accept)
    found = program.in_turn(program.encoded())
    if found.extracted.loops:
        raise ArgumentError(f"optimize: objective={objective!r} is not of graphs with loops")
    front = _front(found, points, prepared, ranges, accept)
    report = report_of(found, {})
    best = front[0]
    return replace(
        report, optimized=best.outputs, method=objective, front=front, original=prepared, variants=[]
    )


def _front(found: Rewriting, points: Points, written: list[Any], ranges: Any, accept: Any) -> list[Measured]:
    """The graphs of which none is both as accurate and as cheap as another one, the most accurate first."""
    forms = AccurateForms(found.posed, points)
    kept = forms.outputs()[0]
    builder = forms.builder()
    candidates = [(forms.graph(f, builder), f.seconds) for f in kept]
    split = branched(points, kept)
    if split is not None:
        candidates.append((_switched(split, forms, builder), sum(f.seconds for f in split.forms)))
    candidates.append((found.outputs()[0], min((f.seconds for f in kept), default=0.0)))
    candidates.append((written[0], inf))
    unseen = drawn_points(written, ranges, TESTED, 2, accept)
    measured = [Measured([y], _bits(y, unseen), seconds) for y, seconds in candidates]
    front: list[Measured] = []
    for m in sorted(measured, key=lambda m: (round(m.bits, 1), m.seconds)):
        if all(m.seconds < other.seconds for other in front):
            front.append(m)
    return front


def _bits(y: Any, points: Points) -> float:
    """The mean error of a graph that is equal to the one for which points were drawn."""
    return float(error(floats([y], points)[y], points.wanted[0], points.count).mean())


def _switched(split: Branches, forms: AccurateForms, builder: Any) -> Any:
    """The graph of forms by ranges."""
    parts = [forms.graph(f, builder) for f in split.forms]
    made = parts[-1]
    for limit, part in zip(reversed(split.limits), reversed(parts[:-1]), strict=True):
        made = switch(lt(split.input, limit), part, made)
    return made


def accurate_of(core: Any, default: Any) -> tuple[Measured, float, float]:
    """The most accurate graph of an FPCore expression; the error as it is written, and that of another form of it."""
    from eqsat.optimise import OBJECTIVES
    from eqsat.pipeline.modes import MODES
    from eqsat.pipeline.preparation import prepare
    from eqsat.pipeline.settings import Settings

    written = prepare([core.output])
    settings = Settings.of(MODES["FAST_RUN"], OBJECTIVES["accuracy"], outputs=written)
    report = accurate(written, settings, "accuracy", core.ranges, core.accept)
    points = drawn_points(written, core.ranges, TESTED, 2, core.accept)
    return report.front[0], _bits(written[0], points), _bits(prepare([default])[0], points)
