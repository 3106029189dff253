"""The steps of a function as its report shows them: what each computes, reads and writes, and its time by the cost model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.functions.profile import step_text
from eqsat.graph.core import Constant, Variable
from eqsat.graph.plan import Branch, Call, Loop, Plan, Rows, Step
from eqsat.inspect.planned_step import PlannedStep
from eqsat.inspect.report import Report
from eqsat.pipeline.settings import Settings


def show_steps(report: Report, plan: Plan, settings: Settings) -> Report:
    """The report, which tells the steps of a plan where it is asked for them."""
    known: Any = report.known

    def steps() -> list[PlannedStep]:
        from eqsat.extract.step_costs import shape_of

        return planned_steps(plan.steps, settings.model, shape_of if known is None else known.of)

    def drawn() -> list[Variable]:
        from eqsat.extract.step_costs import shape_of
        from eqsat.functions.step_graph import step_graph

        return step_graph(plan, settings.model, shape_of if known is None else known.of)

    report.planned, report.step_graph = steps, drawn
    return report


def with_steps(report: Report) -> Report:
    """The report of a graph that is not compiled, which tells the steps that a function of it would have."""
    settings = report.settings
    if settings is None or not report.optimized:
        return report

    def steps() -> list[PlannedStep]:
        from eqsat.extract.step_costs import shape_of
        from eqsat.functions.planning import plan_graph
        from eqsat.graph.walk import graph_inputs

        inputs = [v for v in graph_inputs(report.optimized) if not isinstance(v, Constant)]
        plan = plan_graph(
            inputs, report.optimized, True, settings.model, settings.without, rounds=settings.rounds
        )
        known: Any = report.known
        return planned_steps(plan.steps, settings.model, shape_of if known is None else known.of)

    report.planned = steps
    return report


def planned_steps(
    steps: Sequence[Step], model: Any, shape: Any, seconds: Sequence[float] = ()
) -> list[PlannedStep]:
    """The steps of a plan in order, without views, which take no time; ``seconds`` are theirs where they are inside a group."""
    from eqsat.extract.step_costs import step_cost

    found = []
    for number, step in enumerate(steps):
        kind, text = step_text(step)
        if isinstance(step, Call) and kind == "view":
            continue
        cost = step_cost(step, model, shape)
        took = seconds[number] if seconds else cost.seconds
        found.append(
            PlannedStep(kind, text, cost.read, cost.written, took, tuple(_inside(step, model, shape)))
        )
    return found


def _inside(step: Step, model: Any, shape: Any) -> list[PlannedStep]:
    """The steps of a group, of one step of a loop, or of the sides of a branch one after the other."""
    from eqsat.extract.group_costs import members_seconds

    if isinstance(step, Rows):
        return planned_steps(step.members, model, shape, [*members_seconds(step, model, shape)])
    if isinstance(step, Branch):
        return [inner for side in step.sides for inner in planned_steps(side.plan.steps, model, shape)]
    return planned_steps(step.plan.steps, model, shape) if isinstance(step, Loop) else []
