"""All that is known of a rule, as text: what it says, what its tier promises, where it is from, and examples."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from eqsat.egraph.compile_rule import guards_shape
from eqsat.rules.rule import Rule
from eqsat.verify.instances import is_loop_rule
from eqsat.verify.loop_promises import complaint, instances, told
from eqsat.verify.opposite_rules import reverses
from eqsat.verify.points import points
from eqsat.verify.promises import check_types, failures_outside
from eqsat.verify.proof import proof_status
from eqsat.verify.sides import Floats, Point, Undefined
from eqsat.verify.sweep import needs_check

PROMISES = {
    "exact": "the same bits for every input",
    "extends": "the same wherever the left side is finite; may be defined where that is not",
    "rounds": "the same real number with a few units in the last place of rounding",
    "stabilises": "the same real number; the right side keeps range or accuracy, the left is priced out",
    "loose": "equal over the reals, may cancel or overflow; runs only where it is asked for",
}
PHASES = {
    "shrink": "shrink: runs until nothing changes",
    "divide": "shrink: runs until nothing changes, once it is known which divisors are zero",
    "stabilise": "shrink: runs until nothing changes, and on what was new when a limit was met",
    "grow": "grow: runs within limits, as the right side is larger",
}
SMALL = 8  # elements of an operand in an example
MANY = 400  # points among which examples are looked for


def about(rule: Rule, rules: Iterable[Rule] = (), examples: int = 2) -> str:
    """A description of a rule; its reverse is looked for among ``rules``.

    >>> from eqsat.rules.rule import all_rules
    >>> from eqsat.verify.rule_description import about
    >>> print(about(all_rules()["log-exp"], all_rules(), examples=0))  # doctest: +ELLIPSIS
    log-exp
      left      log(exp(x))
      right     x
      tier      stabilises: the same real number; the right side keeps range or accuracy, the left is priced out
      tags      inverse, through
      phase     shrink: runs until nothing changes, and on what was new when a limit was met
      source    definition
      declared  ...functions.py:...
      proof     proved
    """
    facts = [("left", str(left)) for left, _ in rule.pairs] + [
        ("right", str(right)) for _, right in rule.pairs
    ]
    facts += [("when", str(rule.when))] if rule.when is not None else []
    facts += [("tier", f"{rule.tier}: {PROMISES[rule.tier]}")]
    facts += [("tags", ", ".join(sorted(rule.tags)))] if rule.tags else []
    facts += [("phase", PHASES[rule.phase]), ("source", source(rule.cite)), ("declared", rule.made_at)]
    facts += [("proof", proof_status(rule))]
    facts += [("reverse", r.name) for r in reverses(rule, rules)]
    facts += [("holds", text) for text in islice(examples_inside(rule), examples)]
    if needs_check(rule):
        facts += [("needs when", text) for text in islice(examples_outside(rule), examples)]
    width = 2 + max(len(name) for name, _ in facts)
    return "\n".join([rule.name, *(f"  {name:<{width}}{text}" for name, text in facts)])


def source(key: str) -> str:
    """A source in full, from docs/sources.bib where that is there."""
    fields = sources().get(key)
    if fields is None:
        return key
    people = fields.get("author", "").replace(" and ", "; ")
    place = (
        fields.get("journal") or fields.get("booktitle") or fields.get("publisher") or fields.get("note", "")
    )
    parts = [people, fields.get("title", ""), place, fields.get("year", "")]
    return ", ".join(filter(None, parts)) + f" [{key}]"


@cache
def sources() -> dict[str, dict[str, str]]:
    """The entries of docs/sources.bib: fields by name, without the marks of TeX."""
    path = Path(__file__).resolve().parents[2] / "docs" / "sources.bib"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    entries = re.findall(r"@\w+\{(\w+),(.*?)\n\}", text, flags=re.S)
    return {
        key: {name: plain(v) for name, v in re.findall(r"(\w+)\s*=\s*\{(.*)\}", body)}
        for key, body in entries
    }


def plain(text: str) -> str:
    """Text of a field: umlauts as letters, no braces."""
    text = re.sub(r'\{\\"(\w)\}|\\"(\w)', lambda m: (m[1] or m[2]) + "\u0308", text)
    return unicodedata.normalize("NFC", re.sub(r"[{}]|\\", "", text))


def examples_inside(rule: Rule) -> Iterator[str]:
    """Small points inside the condition, with the value of both sides."""
    if is_loop_rule(rule):
        for drawn in instances(rule, MANY):
            if complaint(drawn, guards_shape(rule)) is None:
                yield str(told(drawn))
        return
    for point in points(rule, MANY):
        left, wrong = check_types(rule, point, guards_shape(rule))
        if left is None or wrong or not all(map(short, point.values.values())):
            continue
        values = both_values(rule, point, left.type.dtype, left.type.ndim)
        if values is not None:
            yield f"{point}: {values}"


def short(value: Any) -> bool:
    """True for a value that an example may show: few numbers, all of them finite."""
    return 0 < value.size <= SMALL and (value.dtype.kind != "f" or bool(np.isfinite(value).all()))


def both_values(rule: Rule, point: Point, dtype: str, ndim: int) -> str | None:
    """Both sides at a point, in words; None where they are no numbers."""
    with np.errstate(all="ignore"):
        try:
            left, right = (np.asarray(Floats(point, dtype, ndim).run(s)) for s in (rule.left, rule.right))
        except Undefined:
            return None
    if left.dtype.kind == "f" and not np.isfinite(left).all():
        return None
    return f"left {left.tolist()}, right {right.tolist()}"


def examples_outside(rule: Rule) -> list[str]:
    """Points outside the condition at which the rule would be wrong, and why; those of few words first."""
    failures = islice((f for f in failures_outside(rule, MANY, seed=1) if f is not None), 20)
    return sorted((f"{f.point}: {f.why}" for f in failures), key=len)
