"""The types of patterns of rules: their axes of length 1, their numbers of axes, the dtypes that their ops ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from eqsat.egraph.packed import TESTS
from eqsat.egraph.part_schema import hides_ones
from eqsat.egraph.shape_facts import is_typed, type_texts
from eqsat.graph.declare import OPS
from eqsat.rules.pattern import Meta, NewValue, Number, Term, Value, metas_of, subterms
from eqsat.rules.rule import Rule

Parameters = Callable[[Any, str, int], str]  # text of a parameter of a pattern, for an op and its place there


def mask_text(pattern: Any, parameter: Parameters) -> str | None:
    """The mask of a pattern of ops whose mask follows from those of the operands, else None."""
    if isinstance(pattern, Meta):
        return f"?_mask_{pattern.name}"
    if isinstance(pattern, (Number, Value)):
        return "-1"
    if isinstance(pattern, NewValue) or hides_ones(
        pattern.op
    ):  # of these the mask says what is known, not all
        return None
    d = OPS[pattern.op]
    parts = [mask_text(a, parameter) for a in pattern.args]
    known = [p for p in parts if p is not None]
    if len(known) < len(parts) or not is_typed(d):
        return None
    if d.kind == "elemwise":
        return joined(known)
    if d.kind == "reduce":
        return f"(| {parts[0]} {parameter(pattern.params[0], d.name, 0)})"
    mask = type_texts(d)[2]
    words = {f"mask_{t}": p for t, p in zip(d.tensors, known, strict=True)}
    for t, arg in zip(d.tensors, pattern.args, strict=True):
        if f"ndim_{t}" in mask:
            rank = rank_text(arg, parameter)
            if rank is None:
                return None
            words[f"ndim_{t}"] = rank
    words |= {n: parameter(v, d.name, i) for i, (n, v) in enumerate(zip(d.parameters, pattern.params))}
    return substituted(mask, words)


def rank_text(pattern: Any, parameter: Parameters) -> str | None:
    """The number of axes of a pattern, None where the ops of it do not say."""
    if isinstance(pattern, Meta):
        return f"?_ndim_{pattern.name}"
    if not isinstance(pattern, Term):
        return None
    d = OPS[pattern.op]
    text = type_texts(d)[1] if is_typed(d) else ""
    found = [rank_text(a, parameter) if f"ndim_{t}" in text else "" for t, a in zip(d.tensors, pattern.args)]
    if not text or None in found:
        return None
    ranks = {f"ndim_{t}": str(rank) for t, rank in zip(d.tensors, found, strict=True)}
    parameters = enumerate(zip(d.parameters, pattern.params, strict=True))
    ranks |= {n: parameter(v, d.name, i) for i, (n, v) in parameters if re.search(rf"\b{n}\b", text)}
    return substituted(text, ranks)


def substituted(text: str, words: Mapping[str, str]) -> str:
    """Egglog text with other texts for some of its words."""
    parts = text.replace("(", "( ").replace(")", " )").split()
    return " ".join(words.get(w, w) for w in parts)


def joined(masks: list[str]) -> str:
    """Mask of a result that broadcasts: axes of length 1 in all operands."""
    unique = sorted({m for m in masks if m != "-1"})
    text = unique[0] if unique else "-1"
    for m in unique[1:]:
        text = f"(& {text} {m})"
    return text


def is_elementwise(pattern: Any) -> bool:
    """True for a pattern in which every op is elementwise."""
    return all(OPS[p.op].kind == "elemwise" for p in subterms(pattern) if isinstance(p, Term))


def dtypes_of(left: Term, sure: bool = False) -> tuple[Callable[[Any], Any], set[Any]]:
    """Groups of one dtype in a pattern, as a function to one of each, and the domains that signatures tell of operands.

    Operands of an op without letters in its signature count as of one dtype; where that is to be ``sure``, the first one alone
    has that of the result.
    """
    group: dict[Any, Any] = {}

    def find(item: Any) -> Any:
        while group.setdefault(item, item) != item:
            item = group[item]
        return item

    told: set[Any] = set()
    for term in subterms(left):
        if not isinstance(term, Term):
            continue
        d = OPS[term.op]
        letters, _, out = d.signature.partition("->")
        others = [f"t{k}" if sure else "t" for k in range(1, len(term.args))]
        names = letters.split(",") if letters else ["t", *others][: len(term.args)]
        keeps = not is_typed(d) or type_texts(d)[0] == "dtype_x"
        if not letters and keeps:
            out = "t"
        for name, arg in zip(names, term.args, strict=True):
            group[find(arg if name != "a" else (id(term), name, id(arg)))] = find((id(term), name))
            if name == "f":
                told |= {(id(term), name, "float"), (id(term), name, "number")}
            if name == "n":
                told.add((id(term), name, "number"))
        if out in names and out != "a":
            group[find(term)] = find((id(term), out))
    return find, {(find(item[:2]), item[2]) for item in told}


def metas_to_check(left: Term) -> list[tuple[Meta, bool]]:
    """The metavariables whose domain does not follow from an op's signature or from that of another one.

    Each with whether the left side has the same dtype.
    """
    find, known = dtypes_of(left)
    surely, _ = dtypes_of(left, sure=True)
    chosen: list[tuple[Meta, bool]] = []
    for meta in sorted(metas_of(left), key=lambda m: m.name):
        if (find(meta), meta.domain) not in known:
            known.add((find(meta), meta.domain))
            chosen.append((meta, surely(meta) == surely(left)))
    return chosen


def names_to_check(rule: Rule, root_is_asked: bool) -> dict[Meta, str]:
    """The metavariables that are to be limited to their dtypes, each with the class that says of which dtype it is.

    Where that is the left side, of which more is asked anyway, the search has one table less to join.
    """
    found: dict[Meta, str] = {}
    for left, _ in rule.pairs:
        for meta, same in metas_to_check(left):
            if meta.domain in TESTS:
                of_root = same and left is rule.left and root_is_asked
                found.setdefault(meta, "?_e" if of_root else f"?{meta.name}")
    return found
