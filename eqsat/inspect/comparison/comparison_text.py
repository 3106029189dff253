"""A comparison as text: totals, the parts in both, and a line for each op that only one graph holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eqsat.base.text_tables import table
from eqsat.inspect.comparison.align import Line
from eqsat.inspect.comparison.node_costs import shown
from eqsat.inspect.planned_step import step_lines

if TYPE_CHECKING:
    from eqsat.inspect.comparison.comparison import Comparison

MOST_LINES = 60  # of one part


def comparison_text(found: Comparison) -> str:
    """All of a comparison."""
    parts = [_totals(found), ""]
    parts.append(
        _heading("in both", found.alignment.shared_ops, found.alignment.shared_seconds, found.models)
    )
    parts += _lines(found.shared, found.models, found.alignment.shared_ops)
    for letter, lines in zip("ab", found.alignment.only, strict=True):
        total = tuple(map(sum, zip(*(line.seconds for line in lines), strict=True)))
        parts += ["", _heading(f"only in {letter}", len(lines), total, found.models)]
        parts += _lines(lines, found.models)
    parts += ["", *_outputs(found)]
    for letter, side in zip("ab", (found.a, found.b), strict=True):
        if side.report is not None and (steps := side.report.steps):
            parts += ["", f"steps of {letter}: {len(steps)}", *step_lines(steps)]
    return "\n".join(parts)


def _totals(found: Comparison) -> str:
    rows = []
    a, b = (g.total for g in found.graphs)
    both = [m.show_all(*pair) for pair, m in zip(zip(a, b, strict=True), found.models.values(), strict=True)]
    totals = dict(zip("ab", zip(*both, strict=True), strict=True))
    for letter, side, graph in zip("ab", (found.a, found.b), found.graphs, strict=True):
        size = len(graph.priced)
        rows.append((letter, side.name, _ops(size), *totals[letter]))
    text = table(("", "", "", *found.models), rows, right=range(2, 3 + len(found.models)))
    lines = text.splitlines()[len(found.models) == 1 :]
    several = [f"{name}: {m}" for name, m in found.models.items()]
    more = [found.lengths] if found.lengths else []
    return "\n".join([*lines, *several[: len(several) * (len(several) > 1)], verdict(found), *more])


def verdict(found: Comparison) -> str:
    """A sentence that says which graph costs less; by each model where there are two."""
    words = []
    for k, name in enumerate(found.models):
        a, b = (g.total[k] for g in found.graphs)
        by = f"the {name}" if len(found.models) > 1 else str(found.models[name])
        words.append(f"{_cheaper(a, b)} by {by}")
    return "the graphs are the same" if found.same else "; ".join(words)


def _cheaper(a: float, b: float) -> str:
    if abs(a - b) <= 1e-9 * max(a, b):
        return "both cost the same"
    less, letter, other = (b, "b", "a") if b < a else (a, "a", "b")
    if not less:
        return f"{letter} costs nothing"
    return f"{letter} is {max(a, b) / less:.2f} times cheaper than {other}"


def _ops(count: int) -> str:
    return f"{count:,} op{'s' * (count != 1)}"


def _heading(title: str, ops: int, seconds: Sequence[float], models: Mapping[str, Any]) -> str:
    words = [f", {w}" for w in _costs(seconds, models)]
    return f"{title}: {_ops(ops)}" + ("".join(words) if ops else "")


def _costs(seconds: Sequence[float], models: Mapping[str, Any]) -> list[str]:
    """A cost in words by each model."""
    return [shown(s, m) for s, m in zip(seconds, models.values(), strict=False)]


def _lines(lines: Sequence[Line], models: Mapping[str, Any], folded: int = 0) -> list[str]:
    """A table of lines; of more than 60 those that cost most are named last."""
    if not lines:
        return []
    shown = sorted(lines, key=lambda n: -n.seconds[0])[:MOST_LINES]
    kept = [line for line in lines if line in shown] if len(lines) > MOST_LINES else list(lines)
    rows = [
        (
            f"  {line}",
            _ops(line.ops) if folded else line.type,
            *_costs(line.seconds, models),
            line.made_at or "",
        )
        for line in kept
    ]
    text = table(("",) * len(rows[0]), rows, right=range(2, 2 + len(models))).splitlines()[1:]
    left = len(lines) - len(kept)
    return text + [f"  and {left} more, which cost less"] * bool(left)


def _outputs(found: Comparison) -> list[str]:
    rows = []
    for k, (first, second) in enumerate(found.alignment.outputs):
        name = found.a.outputs[k].name or (f"output {k}" if len(found.a.outputs) > 1 else "output")
        rows.append((name, f"a: {first}", f"b: {second}" if second != first else "b: the same"))
    lines = table(("", "", ""), rows).splitlines()[1:] if rows else []
    for letter, names in zip("ab", found.inputs_only, strict=True):
        lines += [f"only {letter} reads {', '.join(names)}"] * bool(names)
    return lines
