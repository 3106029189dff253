"""The steps of a compiled function on a page: a table, and a picture with a frame around what each step holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eqsat.base.units import times
from eqsat.inspect.drawing import draw
from eqsat.inspect.page import Section
from eqsat.inspect.page.tables import html_table
from eqsat.inspect.planned_step import nested, short_bytes

if TYPE_CHECKING:
    from eqsat.inspect.report import Report

MOST_DRAWN = 40  # steps of a function whose picture is on the page
SPACE = "\N{NO-BREAK SPACE}" * 3


def steps_section(report: Report, name: str = "the function") -> Section:
    """The section of a report of a compiled function."""
    html = steps_table(report)
    if report.step_graph is not None and sum(1 for s in report.steps for _ in nested(s)) <= MOST_DRAWN:
        html += f'<div class="picture">{draw(report, steps=True)}</div>'
    return Section(f"Steps of {name}: {len(report.steps)}", html, len(report.steps) <= 12)


def steps_table(report: Report) -> str:
    """A table of the steps of a function, those inside of others after them."""
    steps = [found for s in report.steps for found in nested(s)]
    rows = [
        (SPACE * depth + s.kind, s.text, short_bytes(s.read), short_bytes(s.written), took)
        for (s, depth), took in zip(steps, times(*(s.seconds for s, _ in steps)), strict=True)
    ]
    return html_table(("step", "computes", "reads", "writes", "time"), rows, right=(2, 3, 4), code=(1,))
