"""Axes that are found to have length 1 after what they were computed from was typed.

A part has length 1 along an axis where the length of the whole is known, and inside a loop that may be known of a sum and not of
its terms. A rule that equates the two gives the class of the terms an axis of length 1 that none of its operands has. Another rule that then
takes an operand elsewhere would join axes of lengths 1 and n as though they were equal. So what is known of a result is
told to what it is computed from: an elementwise result has length 1 only where all operands do, and an element of a
sequence only where the sequence does. Outside of loops the lengths of all parts are known, and nothing is to be told.
"""

from __future__ import annotations

import re

from eqsat.egraph.packed import MASK
from eqsat.egraph.shape_facts import type_texts
from eqsat.egraph.type_rules import applied
from eqsat.graph.declare import Declaration

_SAME = re.compile(r"[(&\s]*mask_\w+(?:[\s)(&]*mask_\w+)*[\s)]*")  # the axes of all operands
_ROWS = re.compile(r"\(\s*>>\s*mask_(\w+)\s+1\s*\)")  # those of a sequence, without the first

SCHEMA = [
    "(function least (T) i64 :merge (& old new))",  # axes of length 1 by the operands of each e-node, where they tell
    "(relation narrow (T))",  # classes in which others are known
]
RULE = f"(rule ((= a (least e)) (= i (info e)) (!= a (& i {MASK}))) ((narrow e)) :ruleset facts)"
MOVED = (
    "(rule ((= e (o_dimshuffle x p)) (pattern_axis p a b) (= i (info e)) (!= 0 (& i a)) (= j (info x)) (= 0 (& j b))) "
    "((set (info x) (| j b)) (narrow x)) :ruleset facts)"
)


def told(d: Declaration) -> dict[str, str]:
    """The operands of which a result tells the axes of length 1, as text with the bits ``i`` of the result."""
    if d.name == "dimshuffle" or d.indexing:
        return {}
    mask = type_texts(d)[2]
    if _SAME.fullmatch(mask):
        return dict.fromkeys(re.findall(r"mask_(\w+)", mask), f"(& i {MASK})")
    found = _ROWS.fullmatch(mask)
    return {found[1]: f"(<< (& i {MASK}) 1)"} if found else {}


def narrow_rule(d: Declaration) -> list[str]:
    """The rule that tells the operands of an op."""
    if d.name == "dimshuffle":
        return [MOVED]
    texts = told(d)
    if not texts:
        return []
    finds = " ".join(f"(= j_{t} (info t_{t}))" for t in texts)
    sets = " ".join(f"(set (info t_{t}) (| j_{t} {text})) (narrow t_{t})" for t, text in texts.items())
    return [f"(rule ((narrow e) (= e {applied(d)}) (= i (info e)) {finds}) ({sets}) :ruleset facts)"]
