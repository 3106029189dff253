"""Classes of values that hold forms of two dtypes, or of two numbers of axes: a rule has made unlike things equal.

The bits of a class are those of all its forms (packed.py), so the e-graph itself refuses most such rules but not all. Rules
that come with eqsat are verified; the e-graph is looked through where there are others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from eqsat.egraph.saturate import ENode, Saturated
from eqsat.egraph.shape_facts import is_typed, type_texts
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import ALL
from eqsat.rules.rule import Rule, all_rules


def has_own(rules: Sequence[Rule]) -> bool:
    """True where a rule does not come with eqsat."""
    known = {r.name: r for r in all_rules()}
    return any(known.get(r.name) is not r and known.get(r.name) != r for r in rules)


def mixed_types(found: Saturated) -> str:
    """The types of a class and of a form in it that differ, in words; empty where there are no such."""
    for e in found.enodes:
        dtype, elementwise = types_of(e.op)
        if dtype is not None and e.children:
            place, number = dtype
            sources = e.children if number is None else (number, *e.params)
            made = found.dtype.get(sources[place]) if number is None else sources[place]
            if made is not None and found.dtype.get(e.cls, made) != made:
                return f"{e.op} of {ALL[made]} and {ALL[found.dtype[e.cls]]}"
        if elementwise and other_rank(found, e):
            return f"{e.op} of other ranks than its operands"
    return ""


def other_rank(found: Saturated, e: ENode) -> bool:
    """True where an operand has another number of axes than the class that an elementwise form of it stands in."""
    rank = found.ndim.get(e.cls)
    return any(found.ndim.get(c, rank) != rank for c in e.children)


@lru_cache(maxsize=1024)
def types_of(op: str) -> tuple[tuple[int, int | None] | None, bool]:
    """The origin of the dtype of an op's result, and whether the op is elementwise.

    It is the place of an operand and None, or a place in the code that is known and the parameters of the e-node.
    """
    d = OPS.find(op)
    if d is None or not is_typed(d):
        return None, False
    text, elementwise = type_texts(d)[0], d.kind == "elemwise"
    if text.startswith("dtype_"):
        return (d.tensors.index(text.removeprefix("dtype_")), None), elementwise
    if text.isdigit():
        return (0, int(text)), elementwise
    return ((1 + list(d.parameters).index(text), 0) if text in d.parameters else None), elementwise
