"""Facts of results that declarations of ops state, as egglog rules: intervals, signs, zeros, order, and of what elements they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from math import inf
from typing import Any

from eqsat.egraph.infix import prefix
from eqsat.egraph.integer_bounds import is_arithmetic, small_integers
from eqsat.egraph.packed import OF_FLOATS, UNDEFINED, joined, with_bit
from eqsat.egraph.type_rules import applied, is_told, shown
from eqsat.graph.declare import Declaration
from eqsat.graph.properties import monotone

# the table of a fact of signs, and how it compares with 0
SIDES = {"nonneg": ("lo", ">="), "nonpos": ("hi", "<=")}
OTHER = {"lo": "hi", "hi": "lo"}


def fact_rules(d: Declaration) -> list[str]:
    """Rules for intervals, signs, zeros and fillings that an op's declaration states."""
    lines = []
    term = applied(d)
    lines += [interval_rule(d, term, which, text) for which, text in d.interval]
    lines += small_integers(d, term)
    lines += [stated_fact(d, term, text) for text in d.facts]
    lines += order_facts(d, term)
    if d.elements_if or not is_told(d):
        lines += element_facts(d, term)
    lines += [
        f"(rule ((= e {term}) (= 0.0 (cval t_{t})) {OF_FLOATS}) ({with_bit('i', UNDEFINED)}) :ruleset facts)"
        for t in d.poles
    ]
    return lines


def element_facts(d: Declaration, term: str) -> list[str]:
    """Rules that pass facts of every element of some operands to a result that is made of them."""
    name, value = d.elements_if or ("", 0)
    head = f"(= e {term})" + (f" (= {value} par_{name})" if name else "")
    if is_told(d):
        return [f"(rule ({head}) ({shown(d)}) :ruleset facts)"]
    sources = ["t_" + t for t in d.shows()]
    return shared_facts(head, sources) if sources else []


def shared_facts(head: str, sources: Sequence[str]) -> list[str]:
    """Rules that give a value what is true of all elements of some others."""

    def rule(finds: list[str], effect: str) -> str:
        return f"(rule ({head} {' '.join(finds)}) ({effect}) :ruleset facts)"

    lines = [rule([f"(= v (cval {t}))" for t in sources], "(set (cval e) v)")]
    for table, pick in (("lo", "min"), ("hi", "max")):
        bounds = [f"v{i}" for i in range(len(sources))]
        finds = [f"(= v{i} ({table} {t}))" for i, t in enumerate(sources)]
        lines.append(rule(finds, f"(set ({table} e) {joined(pick, bounds)})"))
    passed = ("nonzero", "finite", "unsigned")
    return lines + [rule([f"({fact} {t})" for t in sources], f"({fact} e)") for fact in passed]


def interval_rule(d: Declaration, term: str, which: str, text: str) -> str:
    """A bound of the result from bounds of the operands; for floats, since integers wrap."""
    text = prefix(text)
    words = set(text.replace("(", " ").replace(")", " ").split())
    finds = [f"(= {k}_{t} ({k} t_{t}))" for k in ("lo", "hi") for t in d.tensors if f"{k}_{t}" in words]
    tests = f" {OF_FLOATS} (>= v -1e300) (<= v 1e300)" if is_arithmetic(text) else ""
    return f"(rule ((= e {term}) {' '.join(finds)} (= v {text}){tests}) ((set ({which} e) v)) :ruleset facts)"


def stated_fact(d: Declaration, term: str, text: str) -> str:
    """A rule for a fact in words: ``nonneg if nonneg x, nonneg y``; ``float`` limits it to floats."""
    head, _, body = text.partition(" if ")
    guard = OF_FLOATS if head.startswith("float") or "same" in body else ""
    name = head.removeprefix("float_").removeprefix("float ")
    conditions = []
    for part in filter(None, (p.strip() for p in body.split(","))):
        fact, *operands = part.split()
        if fact == "same":
            conditions.append(f"(= t_{operands[0]} t_{operands[1]})")
        elif fact in SIDES:
            table, sign = SIDES[fact]
            conditions.append(
                f"(= {table}_{operands[0]} ({table} t_{operands[0]})) ({sign} {table}_{operands[0]} 0.0)"
            )
        else:
            conditions.append(f"({fact} t_{operands[0]})")
    effect = f"(set ({SIDES[name][0]} e) 0.0)" if name in SIDES else f"({name} e)"
    if "nonneg" in body and not guard and d.kind == "elemwise" and d.name in ("mul", "pow"):
        guard = OF_FLOATS
    return f"(rule ((= e {term}) {' '.join(conditions)} {guard}) ({effect}) :ruleset facts)"


def order_facts(d: Declaration, term: str) -> list[str]:
    """Bounds of the result of a function that rises or falls with its operand, where that is above or below a number.

    The numbers are those at which the result is one that floats hold, as log(x) >= 0 for x >= 1. Integers may wrap. The operand is to
    be known to lie in the domain: what is said of no number would hold of all that rules make of it.
    """
    always = [m for m in monotone(d) if not m.signs] if d.kind == "elemwise" and len(d.tensors) == 1 else []
    wraps = "" if d.image is not None else f" {OF_FLOATS}"
    lines = []
    for m in always:
        low, high = d.image or (-inf, inf)
        for at, result in known_results(d.real, m.operand):
            for table, sign in SIDES.values():
                end = table if m.rises else OTHER[table]
                if result > low if end == "lo" else result < high:
                    known = f"(= b ({table} t_{m.operand})) ({sign} b {at!r}){wraps}{inside(d, OTHER[table])}"
                    lines.append(f"(rule ((= e {term}) {known}) ((set ({end} e) {result!r})) :ruleset facts)")
    return lines


def inside(d: Declaration, table: str) -> str:
    """The condition that the operand of a function lies in its domain on one side; empty where that has no end."""
    end, sign = (d.domain[0], ">=") if table == "lo" else (d.domain[1], "<=")
    return f" (= c ({table} t_{d.tensors[0]})) ({sign} c {end!r})" if math.isfinite(end) else ""


NAMES: dict[str, Any] = {
    **vars(math),
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
    "Max": max,
    "Min": min,
}


@cache
def known_results(formula: str | None, name: str = "x") -> list[tuple[float, float]]:
    """Numbers, and the results of a formula of one operand over the reals where floats of all dtypes hold these.

    >>> known_results("log(x)"), known_results("sinh(x)"), known_results("erfcinv(x)")
    ([(1.0, 0.0)], [(0.0, 0.0)], [])
    """
    found = []
    for at in (-1.0, 0.0, 1.0):
        try:
            result = float(eval(formula or "nan", {"__builtins__": {}}, {**NAMES, name: at}))
        except (
            NameError,
            ArithmeticError,
            ValueError,
            TypeError,
        ):  # no value there, or a function that math has not
            continue
        if abs(result) <= 1 and 2 * result == round(2 * result):
            found.append((at, result + 0.0))
    return found
