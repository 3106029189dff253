"""The growth of an e-graph as SVG: its rows after each run of a ruleset, and below the matches of the busiest rules."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from eqsat.inspect.drawing.boxes import cut, text_width
from eqsat.inspect.drawing.marks import number, safe, text_mark
from eqsat.inspect.drawing.style import DARK, FITS, FONT, LIGHT

WIDTH, HEIGHT = 640.0, 170.0  # of the picture, of the curve
LEFT, RIGHT, TOP = 64.0, 14.0, 34.0
EDGE = 8.0  # where headings begin
ROW = 18.0  # of a rule
MOST_RULES = 14


def growth_plot(phases: Sequence[Any], title: str = "growth of the e-graph", width: float = WIDTH) -> str:
    """SVG of the phases of saturation: a curve of rows, and a row of squares for each of the busiest rules.

    ``width`` is that of the picture. A square is one run of the rule's ruleset, the darker the more often the rule matched.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> "log-exp" in growth_plot(eqsat.optimize(T.log(T.exp(x))).phases)
    True
    """
    runs = [(p.name, run) for p in phases for run in p.history]
    total: Counter[str] = Counter()
    for _, run in runs:
        total.update(run.matches)
    rules = [name for name, _ in total.most_common(MOST_RULES)]
    names = max([LEFT, *(text_width(cut(r), 9.5) + 18 for r in rules)])
    step = (width - names - RIGHT - 46) / max(1, len(runs))
    marks = [*_curve(runs, names, step), *_strips(runs, rules, total, names, step)]
    height = TOP + HEIGHT + 44 + ROW * len(rules) + 14
    left = len(total) - len(rules)
    if left > 0:
        marks.append(
            text_mark(EDGE, height - 2, f"and {left} rules that matched less often", "eq-caption gr-start")
        )
        height += 10
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="eqsat-growth" role="img" aria-label="{safe(title)}" '
            f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}" '
            f"><title>{safe(title)}</title><style>{FITS}{STYLE}</style>",
            f'<rect class="gr-page" width="{number(width)}" height="{number(height)}" rx="8"/>',
            *marks,
            "</svg>\n",
        ]
    )


def _curve(runs: Sequence[tuple[str, Any]], left: float, step: float) -> list[str]:
    """Axes, a band for each phase, and the rows after each run."""
    most = max((run.rows for _, run in runs), default=1)
    top = nice(most)
    bottom = TOP + HEIGHT
    marks = [text_mark(EDGE, 18, "rows after each run of a ruleset", "gr-heading gr-start")]
    for k in range(5):
        y = bottom - HEIGHT * k / 4
        marks.append(
            f'<path class="gr-rule" d="M{number(left)} {number(y)}H{number(left + step * len(runs))}"/>'
        )
        marks.append(text_mark(left - 8, y + 3.5, f"{top * k / 4:,.0f}", "gr-small gr-end"))
    marks += _bands(runs, left, step)
    points = [(left + step * (k + 0.5), bottom - HEIGHT * run.rows / top) for k, (_, run) in enumerate(runs)]
    if points:
        path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        marks.append(f'<path class="gr-line" d="M{path}"/>')
    for (x, y), (name, run) in zip(points, runs, strict=True):
        what = f"{name}: {run.rows:,} rows after {run.seconds * 1e3:.0f} ms" + (
            f", {run.ruleset}" if run.ruleset else ", at first"
        )
        marks.append(
            f'<circle class="gr-dot" cx="{number(x)}" cy="{number(y)}" r="3"><title>{safe(what)}</title></circle>'
        )
    return marks


def _bands(runs: Sequence[tuple[str, Any]], left: float, step: float) -> list[str]:
    """A word below each phase, and a line where it begins."""
    starts = [k for k, (_, run) in enumerate(runs) if not run.ruleset] + [len(runs)]
    marks = []
    bottom = TOP + HEIGHT
    free = left
    for a, b in pairwise(starts):
        x = left + step * a
        marks.append(f'<path class="gr-border" d="M{number(x)} {number(TOP)}V{number(bottom + 5)}"/>')
        name = runs[a][0]
        middle = left + step * (a + b) / 2
        half = text_width(name, 9.5) / 2
        if middle - half >= free:
            marks.append(text_mark(middle, bottom + 16, name, "gr-small"))
            free = middle + half + 4
    return marks


def _strips(
    runs: Sequence[tuple[str, Any]], rules: Sequence[str], total: Counter[str], left: float, step: float
) -> list[str]:
    """For each rule a row of squares, one for each run in which it matched."""
    top = TOP + HEIGHT + 44
    marks = (
        [text_mark(EDGE, top - 8, "matches of the busiest rules in each run", "gr-heading gr-start")]
        if rules
        else []
    )
    most = max((count for _, run in runs for count in run.matches.values()), default=1)
    for line, rule in enumerate(rules):
        y = top + ROW * line
        marks.append(text_mark(left - 8, y + 12, cut(rule), "gr-small gr-end"))
        marks.append(text_mark(left + step * len(runs) + 8, y + 12, f"{total[rule]:,}", "gr-small gr-start"))
        for k, (name, run) in enumerate(runs):
            count = run.matches.get(rule, 0)
            if count:
                strength = 0.25 + 0.75 * math.log1p(count) / math.log1p(most)
                size = f'width="{number(max(1.5, step - 1.5))}" height="{number(ROW - 4)}"'
                marks.append(
                    f'<rect class="gr-cell" x="{number(left + step * k + 0.75)}" y="{number(y + 2)}" {size} rx="2" '
                    f'opacity="{strength:.2f}"><title>{safe(f"{rule}: {count:,} matches in {name}")}</title></rect>'
                )
    return marks


def nice(value: float) -> float:
    """The smallest number of one leading digit, or of one and a half, that is no less, for an axis.

    >>> nice(7), nice(120), nice(1100)
    (8, 150, 1500)
    """
    power = 10 ** max(0, math.floor(math.log10(max(value, 1))))
    return next(
        power * k if k != 1.5 else power * 3 // 2
        for k in (1, 1.5, 2, 3, 4, 5, 6, 8, 10)
        if power * k >= value
    )


def _theme(theme: dict[str, str]) -> str:
    stroke = theme["input"].split()[1]
    return (
        f".eqsat-growth .gr-page{{fill:{theme['page']}}}.eqsat-growth text{{fill:{theme['text']}}}"
        f".eqsat-growth .gr-small,.eqsat-growth .eq-caption{{fill:{theme['faint']}}}"
        f".eqsat-growth .gr-rule{{stroke:{theme['rule']}}}.eqsat-growth .gr-border{{stroke:{theme['line']}}}"
        f".eqsat-growth .gr-line{{stroke:{stroke}}}.eqsat-growth .gr-dot{{fill:{stroke}}}"
        f".eqsat-growth .gr-cell{{fill:{theme['new'].split()[1]}}}"
    )


STYLE = (
    f".eqsat-growth text{{font-family:{FONT};font-size:9.5px;text-anchor:middle}}"
    ".eqsat-growth .gr-heading{font-size:11px;font-weight:600}.eqsat-growth .gr-start{text-anchor:start}"
    ".eqsat-growth .gr-end{text-anchor:end}.eqsat-growth path{fill:none}"
    ".eqsat-growth .gr-line{stroke-width:1.8;stroke-linejoin:round}.eqsat-growth .gr-border{stroke-dasharray:2 3}"
    f"{_theme(LIGHT)}@media (prefers-color-scheme: dark){{{_theme(DARK)}}}"
)
