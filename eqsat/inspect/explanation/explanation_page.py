"""An explanation as a section of a page, and as a page of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from eqsat.graph.walk import toposort
from eqsat.inspect.comparison.node_costs import graph_seconds, part_of, shares
from eqsat.inspect.explanation.explanation_text import MOST_PLACES, place_lines, summary, values_text
from eqsat.inspect.loop_facts import op_count
from eqsat.inspect.page import Panel, Section, page

if TYPE_CHECKING:
    from eqsat.inspect.explanation.explanation import Explanation


def steps_section(why: Explanation) -> Section:
    """The steps in order."""
    html = f"<p>{escape(summary(why))}</p>" + "".join(f"<p>limit: {escape(t)}</p>" for t in why.limits)
    return Section("Steps from the graph as written", html + "".join(_steps(why)))


def explanation_page(why: Explanation) -> str:
    """The page: the graph as written and the optimised one, and the steps between them."""
    first = _panel("as written", why, why.original, why.lengths)
    last = _panel("optimised", why, why.optimized, why.lengths_after)
    return page("Why the graph is what it is", summary(why), [first, last], [steps_section(why)])


def _panel(title: str, why: Explanation, outputs: Sequence[Any], lengths: Any) -> Panel:
    """One of the graphs, with the number of its ops and its cost."""
    cost, count = graph_seconds(outputs, why.model, lengths), op_count(toposort(outputs))
    caption = f"{count:,} ops, {why.show(cost)}"
    return Panel(title, caption, outputs, shares(outputs, why.model, lengths), part_of(cost, why.model))


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
