"""The report of a rewriting: the graphs, the costs, the rules that fired, and the limits that were met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from eqsat.base.laps import Laps
from eqsat.base.notices import warn_once
from eqsat.inspect.report import Report
from eqsat.inspect.unstable_form import Form, form_of

if TYPE_CHECKING:
    from eqsat.egraph.reading import Saturated
    from eqsat.pipeline.program import Rewriting


def report_of(found: Rewriting, before: Mapping[str, float]) -> Report:
    """The report of a rewriting and of the seconds before it; it tells the price of unstable forms apart from the costs."""
    laps = Laps()
    outputs, several = found.outputs(), found.variants()
    if several:
        laps.lap("variants")
    extraction, settings = found.extracted.extraction, found.program.settings
    penalty = settings.model.unstable
    written = extraction.cost if extraction.written_cost is None else extraction.written_cost
    marked = sum(e.unstable for e in found.saturated.enodes)  # costs may be so high without any
    kept = _kept(found)
    return Report(
        found.program.outputs,
        outputs,
        max(0.0, extraction.bound - len(kept) * penalty),
        found.saturated.matches(),
        found.saturated.phases,
        {**before, **found.seconds, **laps.seconds},
        _budgets(found.saturated),
        found.extracted.e_nodes,
        found.extracted.classes,
        found.saturated.rules,
        extraction.method,
        unstable_before=min(int(written // penalty), marked),
        unstable_after=len(kept),
        kept=kept,
        model=settings.model,
        settings=settings,
        variants=several,
        known=found.extracted.known,
        on_functions=found.program.on_functions,
    )


def _kept(found: Rewriting) -> list[Form]:
    """The forms of the chosen graph that a rule knows to be unstable."""
    made = found.extracted
    return [form_of(v) for v, e in zip(made.made.values(), made.chosen, strict=True) if e.unstable]


def _budgets(saturated: Saturated) -> list[str]:
    """The limits that were met, said once."""
    words = {"nodes": "rows", "seconds": "seconds", "iterations": "iterations"}
    met = [
        f"phase {p.name} stopped at its limit of {words[p.stopped]} after {p.seconds:.2f} s and {p.rows} rows"
        for p in saturated.phases
        if p.stopped != "saturated"
    ]
    if saturated.left_out:
        met.append(f"{saturated.left_out} rules that pair terms are left out of so large a graph")
    if saturated.retried:
        warn_once(f"contradiction {saturated.retried[-1]}", saturated.retried[-1])
    if met:
        warn_once(
            "budget", f"{met[0]}; the best graph found so far is used (config.egraph_seconds, egraph_nodes)"
        )
    return [*met, *saturated.retried]
