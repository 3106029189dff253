"""Arithmetic on known numbers within the analyses, so that no rule meets a sum of numbers that is not yet one."""

from __future__ import annotations

from eqsat.egraph.infix import operation
from eqsat.egraph.packed import MASK, OF_FLOATS, PARTS, TESTS
from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.properties import additive

# a number with the dtype and rank of what has the bits i
SOME_NUMBER = f"(Num {{0}} 0 {PARTS['dtype'].format('i')} {PARTS['ndim'].format('i')})"


def fold_rules(d: Declaration) -> list[str]:
    """Arithmetic on known numbers within the analyses, so that no rule meets a sum of numbers that is not yet one."""
    result = operation(d.real or "", dict(zip(d.tensors, "uw"))) if d.kind == "elemwise" else ""
    if not result:
        return []
    finds = " ".join(f"(= {v} (cval {t}))" for v, t in zip("uw", d.tensors))
    term = f"(o_{d.name} {' '.join(d.tensors)})"
    lines = [f"(rule ((= e {term}) {finds} (= q {result})) ((set (folded e) q)) :ruleset facts)"]
    for t in additive(d):  # of 0, whose sign is not known
        known = [
            f"(= v_{o} (cval {o}))" + (f" (!= v_{o} 0.0)" if o in d.poles else "")
            for o in d.tensors
            if o != t
        ]
        body = " ".join([f"(= e {term}) (= 0.0 (cval {t})) {OF_FLOATS}", *known])
        lines.append(f"(rule ({body}) ((set (cval e) 0.0)) :ruleset facts)")
    if nothing := is_nothing(d):
        single = f"{OF_FLOATS} {TESTS['single'].format('i')}"
        lines.append(f"(rule ({nothing} {OF_FLOATS}) ((set (cval e) 0.0)) :ruleset facts)")
        lines.append(f"(rule ({nothing} {single}) ((union e {SOME_NUMBER.format('0.0')})) :ruleset facts)")
    return lines


def is_nothing(d: Declaration) -> str:
    """The body of a rule on a sum or difference of two numbers that is 0, which then has no sign; empty for other ops."""
    if d.real not in ("x + y", "x - y"):
        return ""
    x, y = d.tensors
    zero = f"(= 0.0 ({d.real[2]} u w))"
    return f"(= e (o_{d.name} {x} {y})) (= u (cval {x})) (= w (cval {y})) (!= u 0.0) {zero}"


def filled_numbers(ops: set[str], known: set[str]) -> list[str]:
    """Rules that a result that is a known number, and has the shape of a filling, is a filling too: else rules bred sums of numbers."""
    among = ops if "fill" in known else ops | known if "fill" in ops else set()
    same = f"(= 0 (& {MASK} (^ i (info m))))"  # the model alone has the shape of the result
    lines = []
    for d in [OPS[name] for name in sorted(among)]:
        if d.kind != "elemwise" or not operation(d.real or "", dict.fromkeys(d.tensors, "u")):
            continue
        term = f"(o_{d.name} {' '.join(d.tensors)})"
        for x in d.tensors[: 1 if d.commutative else None]:
            found = f"(= {x} (o_fill m k)) {OF_FLOATS} {same}"
            made = f"(union e (o_fill m {SOME_NUMBER.format('v')}))"
            lines.append(f"(rule ((= v (cval e)) (!= v 0.0) (= e {term}) {found}) ({made}) :ruleset facts)")
            if is_nothing(d):
                made = f"(union e (o_fill m {SOME_NUMBER.format('0.0')}))"
                lines.append(f"(rule ({is_nothing(d)} {found}) ({made}) :ruleset facts)")
    return lines
