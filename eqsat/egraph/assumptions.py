"""Facts that are taken to be known of loaded nodes: what the condition of a rule asks for, stated instead of asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf, nextafter
from typing import Any

from eqsat.egraph.encode import Encoded
from eqsat.egraph.infix import atoms
from eqsat.egraph.schema import BASE
from eqsat.graph.ops.assume import assumed_facts
from eqsat.rules.fact import FACTS, Fact

BIT = re.compile(r"\(!= 0 \(& (\d+) \{told (\w)\}\)\)")  # as (!= 0 (& 4 {told a}))
BOUND = re.compile(r"\((>=?|<=?) \{(lo|hi) (\w)\} (\S+)\)")  # as (> {lo a} 0.0)
TOLD = re.compile(r"\((\w+) \{(\w)\}\)")  # as (nonzero {a})
SAME = re.compile(
    r"\(= (\(o_\w+ [^()]*\)) (\(o_\w+ [^()]*\))\)"
)  # as (= (o_length {a} {c}) (o_length {b} {c}))
RELATIONS = {name for line in BASE for name in re.findall(r"\(relation (\w+) \(T\)\)", line)}
OF_VALUES = re.compile(r"\{(lo|hi|cval|total) ")


def stated(name: str, operands: Sequence[Any], number: Mapping[Any, int]) -> list[str] | None:
    """The commands that state a fact of loaded nodes; None where it cannot be stated.

    ``number`` has the node of each operand that is a tensor. What types tell, as lengths of 1, is not stated: the
    variables have such types.

    >>> stated("positive", ["x"], {"x": 3}), stated("nonzero", ["x"], {"x": 3}), stated("varies", ["x"], {"x": 3})
    (['(set (lo (node 3)) 5e-324)'], ['(nonzero (node 3))'], [])
    """
    at = dict(zip("abc", operands, strict=False))
    texts = {letter: f"(node {number[o]})" if o in number else str(o) for letter, o in at.items()}
    lines: list[str] = []
    for atom in atoms(FACTS[name].text):
        bound, told, bit, same = (form.fullmatch(atom) for form in (BOUND, TOLD, BIT, SAME))
        if bit is not None and at[bit[2]] in number:
            lines.append(f"(set (told (node {number[at[bit[2]]]})) {bit[1]})")
        elif bound is not None and at[bound[3]] in number:
            sign, table, operand, text = bound.groups()
            limit = _limit(text, at)
            if limit is None or (table == "lo") != sign.startswith(">"):
                return None
            if len(sign) == 1:
                limit = nextafter(limit, inf if table == "lo" else -inf)
            lines.append(f"(set ({table} (node {number[at[operand]]})) {limit!r})")
        elif told is not None and told[1] in RELATIONS:
            if at[told[2]] not in number:
                return None
            lines.append(f"({told[1]} (node {number[at[told[2]]]}))")
        elif same is not None:
            lines.append(f"(union {' '.join(side.format(**texts) for side in same.groups())})")
        elif OF_VALUES.search(atom) or bound is not None:
            return None
    return lines


def _limit(text: str, at: Mapping[str, Any]) -> float | None:
    """The number of a bound: as it is written, or that of an operand."""
    given = at.get(text.strip("{}"), None if text.startswith("{") else text)
    try:
        return float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def assumable() -> dict[str, Fact]:
    """The facts of one tensor that users may state of it, by name: those that are offered, and what compares it with 0."""
    return {
        name: f
        for name, f in sorted(FACTS.items())
        if f.operands == ("x",)
        and (f.offered or any(b is not None and b[4] == "0.0" for b in map(BOUND.fullmatch, atoms(f.text))))
        and stated(name, ["x"], {"x": 0})
    }


def asks_order(name: str) -> bool:
    """True for a fact on the order of numbers, which complex numbers do not have."""
    return any(BOUND.fullmatch(atom) for atom in atoms(FACTS[name].text))


def assumed(encoded: Encoded) -> tuple[str, ...]:
    """The commands that state what the user takes to be known of values of a graph."""
    lines: list[str] = []
    for node in encoded.nodes:
        for name in assumed_facts(node.op):
            lines += stated(name, node.outputs, encoded.number) or ()
    return tuple(lines)
