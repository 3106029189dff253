"""A report as a page: both graphs, costs by node, the rules that matched, phases, and how the e-graph grew."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from eqsat.base.units import time_text, times
from eqsat.inspect.comparison.comparison_page import comparison_page
from eqsat.inspect.drawing.growth import growth_plot
from eqsat.inspect.page import Section
from eqsat.inspect.page.tables import html_table, tiles
from eqsat.inspect.steps_section import steps_section as steps_of

if TYPE_CHECKING:
    from eqsat.inspect.explanation import Explanation
    from eqsat.inspect.report import Report


def report_page(report: Report, why: Explanation | None = None, title: str = "") -> str:
    """The text of the page; with an explanation its steps are a section."""
    from eqsat.inspect.explanation.explanation_page import steps_section

    sections = []
    if why is not None:
        sections.append(steps_section(why))
    sections += [steps_of(report)] if report.planned is not None else []
    if report.unstable:
        sections.append(_unstable(report))
    sections += [_rules(report), _phases(report), _growth(report)]
    if report.loops:
        sections.append(Section("Loops", f"<pre>{escape(chr(10).join(map(str, report.loops)))}</pre>"))
    lead = f"{report.nodes_before} ops as written, {report.nodes_after} optimised"
    return comparison_page(
        report.compared, sections, lead, title or "What the optimiser did", _summary(report)
    )


def _summary(report: Report) -> str:
    costs = report.compared.show_all(report.cost_before, report.cost_after, report.bound)
    facts = [
        *zip(("as written", "optimised", report.claim()), costs, strict=True),
        ("e-nodes", f"{report.e_nodes:,}"),
        ("classes", f"{report.e_classes:,}"),
        ("rules tried", f"{report.rules_tried:,}"),
        ("time of the optimiser", time_text(sum(report.seconds.values()))),
    ]
    said = [report.stability(), *report.range_lines()[:1], *report.budgets]
    notes = "".join(f"<p>{escape(text)}</p>" for text in said if text)
    if report.fallback:
        notes += f"<p>the graph is compiled as written: {escape(report.fallback)}</p>"
    return tiles(facts) + notes


def _unstable(report: Report) -> Section:
    rows = [(f.text, f.made_at or "", f.why or "a rule knows a stable form") for f in report.unstable]
    html = html_table(("form", "made at", "why"), rows, code=(0,), name="unstable forms")
    return Section(f"Unstable forms left: {len(rows)}", html)


def _rules(report: Report) -> Section:
    rows = []
    for name, count in sorted(report.rules.items(), key=lambda item: (-item[1], item[0])):
        sides = "" if report.settings is None else str(report.settings.rules[name]).removeprefix(f"{name}: ")
        rows.append((name, f"{count:,}", sides))
    html = (
        html_table(("rule", "matches", "equation"), rows, right=(1,), code=(2,), name="rules")
        if rows
        else "<p>none</p>"
    )
    return Section(f"Rules that matched: {len(rows)}", html, len(rows) <= 12)


def _phases(report: Report) -> Section:
    took = times(*(p.seconds for p in report.phases))
    rows = [
        (p.name, t, str(p.iterations), f"{p.rows:,}", p.stopped)
        for p, t in zip(report.phases, took, strict=True)
    ]
    html = html_table(("phase", "time", "iterations", "rows", "stopped by"), rows, right=(1, 2, 3))
    stages = list(zip(report.seconds, times(*report.seconds.values()), strict=True))
    return Section("Phases and stages", html + html_table(("stage", "time"), stages, right=(1,)), False)


def _growth(report: Report) -> Section:
    plots = (("wide", 1000.0), ("narrow", 340.0))
    html = "".join(f'<div class="picture {k}">{growth_plot(report.phases, width=w)}</div>' for k, w in plots)
    return Section("Growth of the e-graph", html)
