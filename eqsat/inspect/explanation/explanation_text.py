"""An explanation as text: each step with its rule, its places and what the values say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from eqsat.inspect.explanation.places import Place
from eqsat.printing.line import pp

if TYPE_CHECKING:
    from eqsat.inspect.explanation.explanation import Explanation, Step

MOST_PLACES = 3
WIDEST = 100


def explanation_text(why: Explanation) -> str:
    """All of an explanation."""
    lines = [summary(why), *(f"limit   {text}" for text in why.limits)]
    if not why.steps and why.rules:
        lines.append(f"rules   {', '.join(r.name for r in why.rules)}")
    lines.append("")
    lines.append(f"as written: {why.show(why.cost)}")
    lines += [f"    {pp(v, WIDEST)}" for v in why.original[:MOST_PLACES]]
    for number, step in enumerate(why.steps, 1):
        lines += step_lines(why, step, number)
    return "\n".join(lines)


def summary(why: Explanation) -> str:
    """The numbers of steps and rules, and a word on whether each rule is needed."""
    if not why.steps:
        few = f"{_count(len(why.rules), 'rule')} of {why.fired} that matched"
        return (
            f"no step was found; {few} may be needed"
            if why.limits
            else "the graph is as written: no rule is needed"
        )
    words = (
        f"{_count(len(why.steps), 'step')} by {_count(len(why.rules), 'rule')} of {why.fired} that matched"
    )
    if why.smallest:
        words += (
            "; it cannot be left out" if len(why.rules) == 1 else "; none can be left out" * bool(why.rules)
        )
    return words


def step_lines(why: Explanation, step: Step, number: int) -> Iterator[str]:
    """One step: the rule, each place, what the values say."""
    yield f"{number}  {step.name}: {why.show(step.cost)}"
    yield f"    {step.equation}"
    for place in step.places[:MOST_PLACES]:
        yield from place_lines(place)
    left = len(step.places) - MOST_PLACES
    if left > 0:
        yield f"    and at {_count(left, 'more place')}"
    yield f"    {values_text(step.difference)}"


def place_lines(place: Place) -> Iterator[str]:
    """One place: the line of the program, both expressions, and what its letters stand for."""
    before, after = place.texts
    yield f"    {place.made_at or 'here'}: {before}"
    yield f"    {' ' * (len(place.made_at or 'here') - 1)}-> {after}"
    for letter, text in place.where:
        yield f"        {letter} = {text}"


def values_text(difference: float | str) -> str:
    """The differences of values, in words."""
    if isinstance(difference, str):
        return f"values not compared: {difference}"
    if difference == 0:
        return "the same values"
    return (
        f"values agree within {difference:.0e}" if difference < 1e-6 else f"VALUES DIFFER by {difference:.1e}"
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"
