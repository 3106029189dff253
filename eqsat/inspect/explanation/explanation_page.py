"""An explanation as a section of a page, and as a page of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from eqsat.inspect.comparison.node_costs import shares
from eqsat.inspect.explanation.explanation_text import MOST_PLACES, place_lines, summary, values_text
from eqsat.inspect.page import Panel, Section, page

if TYPE_CHECKING:
    from eqsat.inspect.explanation.explanation import Explanation


def steps_section(why: Explanation) -> Section:
    """The steps in order."""
    html = f"<p>{escape(summary(why))}</p>" + "".join(f"<p>limit: {escape(t)}</p>" for t in why.limits)
    return Section("Steps from the graph as written", html + "".join(_steps(why)))


def explanation_page(why: Explanation) -> str:
    """The page: the graph as written and the last one, and the steps between them."""
    first = Panel(
        "as written", why.show(why.cost), why.original, shares(why.original, why.model, why.lengths)
    )
    last = replace(first, title="optimised")
    if why.steps:
        step = why.steps[-1]
        costs = shares(step.outputs, why.model, step.lengths)
        last = Panel("optimised", why.show(step.cost), step.outputs, costs)
    return page("Why the graph is what it is", summary(why), [first, last], [steps_section(why)])


def _steps(why: Explanation) -> Iterator[str]:
    for number, step in enumerate(why.steps, 1):
        lines = [line for place in step.places[:MOST_PLACES] for line in place_lines(place)]
        text = "\n".join(line.removeprefix("    ") for line in lines)
        more = len(step.places) - MOST_PLACES
        yield (
            f"<h3>{number}. {escape(step.name)}: {escape(why.show(step.cost))}</h3>"
            f'<div class="code">{escape(step.equation)}</div><pre>{escape(text)}</pre>'
            + (f"<p>and at {more} more places</p>" if more > 0 else "")
            + f"<p>{escape(values_text(step.difference))}</p>"
        )
