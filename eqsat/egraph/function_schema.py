"""Analysis of functions: values of which rules know the logarithm, or the value less one, and values made of exponentials.

A rule with the tag ``through`` states that something is known of a function; the rules that ask for it (their facts are those
of eqsat/rules/facts_of_functions.py) say of which terms it then is known too: of ``b * y``, if there is a rule on
``log(b * y)`` where something is known of b. What is known of a value is one number, a bit for each fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from typing import Any, NamedTuple

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.properties import turns
from eqsat.rules.between import forms, shown
from eqsat.rules.facts_of_functions import ABSENT, BITS, EXP, EXPS, LOG, OVER, SHIFTED, SIGNED, bits_of
from eqsat.rules.heads import HEADS, operand_of
from eqsat.rules.pattern import Meta, Parameter, Term, metas_of, subterms
from eqsat.rules.rule import Rule, all_rules

SCHEMA = ["(function known (T) i64 :merge (| old new))"]
ALL = sum(BITS.values())


class Line(NamedTuple):
    """A rule of the analysis: its op, of which operand it needs which bits, and what it makes of them; in egglog, and in Python."""

    text: str
    op: str
    place: int
    needs: int
    sets: int
    hands_on: bool = False  # what is known of an operand, but that an exponential is then made of one

    def made(self, known: int) -> int:
        """The bits of a result, where some are known of an operand."""
        if not self.hands_on:
            return self.sets if known & self.needs or not self.needs else 0
        return known & ~EXP | ((LOG | EXPS) if known & EXP else 0)


def function_rules(fresh: Iterable[str], known: Iterable[str]) -> list[str]:
    """The analysis for some ops beside known ones: of what some function among them has and some rule asks for."""
    new, old = set(fresh), set(known)
    both, had = new | old, found_of(frozenset(old))
    found = found_of(frozenset(both))
    weighed, before = set(factors()) & both if found else set(), set(factors()) & old if had else set()
    there = shifts(old) if before else []
    return [
        *(factors()[op] for op in sorted(weighed - before)),
        *(SIGNS if weighed and not before else ()),
        *(text for text in (shifts(both) if weighed else ()) if text not in there),
    ] + [
        line.text
        for line in lines()
        if line.op in both
        and line.sets & found
        and (line.needs & found or not line.needs)
        and (line.op in new or not (line.sets & had and (line.needs & had or not line.needs)))
    ]


@lru_cache(maxsize=256)
def found_of(ops: frozenset[str]) -> int:
    """The bits that values of some ops can have, where a rule on the ops asks for one of them."""
    here = [line for line in lines() if line.op in ops]
    found = 0
    for _ in range(len(BITS)):
        for line in here:
            found |= line.sets if line.needs & found or not line.needs else 0
    return found if found & asked(ops) else 0


def asked(ops: Set[str]) -> int:
    """The bits that rules on some ops ask for."""
    found = 0
    for r in all_rules().asking_functions(ops):
        for bits in r.functions:
            found |= bits
    return found


def facts_of(r: Rule) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """The facts that a rule asks for."""
    return r.when.facts if r.when is not None else ()


@lru_cache(maxsize=1)
def lines() -> tuple[Line, ...]:
    """All rules of the analysis."""
    return tuple(dict.fromkeys([*seeds(), *of_shown(), *of_made(), *of_divided()]))


SIGNS = [
    f"(rule ((= k (known e)) (= v ({bound} e)) ({test} v 0.0)) ((set (known e) {SIGNED})) :ruleset facts)"
    for bound, test in (("lo", ">="), ("hi", "<="))
]


@lru_cache(maxsize=1)
def exponentials() -> frozenset[str]:
    """The ops of one operand that are exponentials."""
    return frozenset(line.op for line in seeds() if line.sets == EXP and len(OPS[line.op].tensors) == 1)


def shifts(ops: Set[str]) -> list[str]:
    """The rules that an exponential of elements less the largest of them is shifted, for those of some ops that are so."""
    if "sub" not in ops:
        return []
    exps = sorted(exponentials() & ops)
    largest = [n for n in sorted(ops) if OPS[n].reduces == "maximum" and "axes" in OPS[n].parameters]
    return [
        f"(rule ((= m (o_{name} x p)) (= s (o_sub x m)) (= e (o_{op} s))) ((set (known e) {SHIFTED})) :ruleset facts)"
        for op in exps
        for name in largest
    ]


@lru_cache(maxsize=1)
def factors() -> dict[str, str]:
    """By the op around it, the rule that a value has bits, be they 0, where laws ask that its sign is not known."""
    found: dict[str, set[int]] = {}
    for r in [r for r in all_rules().rules if r.functions]:
        asked = {operands[0] for name, operands in facts_of(r) if name in ABSENT}
        for t in [t for t in subterms(r.left) if isinstance(t, Term)]:
            found.setdefault(t.op, set()).update(k for k, a in enumerate(t.args) if a in asked)
    return {op: known_to_be(op, sorted(places)) for op, places in found.items() if places}


def known_to_be(op: str, places: Iterable[int]) -> str:
    """The rule that operands of an op in some places have bits, be they 0."""
    names = [f"t{k}" for k in range(len(OPS[op].tensors))]
    zeros = " ".join(f"(set (known {names[k]}) 0)" for k in places)
    params = [f"p_{p}" for p in OPS[op].parameters]
    return f"(rule ((= e (o_{op} {' '.join([*names, *params])}))) ({zeros}) :ruleset facts)"


def seeds() -> Iterator[Line]:
    """The functions of which a rule with the tag ``through`` knows something."""
    for r in all_rules().tagged("through"):
        for head in HEADS.values():
            inside = operand_of(head, r.left)
            if isinstance(inside, Term) and plain(inside):
                bits = bits_of(head.known(inside).facts[0][0])
                if bits == LOG:  # exp itself, or an exponential to another base
                    other = LOG | EXPS if ("add", "mul") in [t[:2] for t in turns(OPS[inside.op])] else LOG
                    bits = EXP if isinstance(r.right, Meta) else other
                yield line(inside, [], bits)


def plain(pattern: Term) -> bool:
    """True for an op of metavariables alone."""
    return all(isinstance(a, Meta) for a in pattern.args)


def of_shown() -> Iterator[Line]:
    """Facts of the elements of an operand pass to the elements that an op shows of it."""
    made = f"(& {ALL - EXP + SHIFTED} (| k (* {LOG | EXPS} (& k {EXP}))))"  # of exp, no longer exp itself
    for d in forms():
        for t in shown(d):
            text = f"(rule ((= e {term(d)}) (= k (known t_{t}))) ((set (known e) {made})) :ruleset facts)"
            yield Line(text, d.name, d.tensors.index(t), ALL, ALL - EXP, hands_on=True)


def term(d: Declaration) -> str:
    """The op over the variables t_<tensor>, with its parameters; one that must have a value for it has the value."""
    name, value = d.elements_if or ("", 0)
    params = (str(value) if p == name else f"p_{p}" for p in d.parameters)
    return f"(o_{d.name} {' '.join('t_' + t for t in d.tensors)} {' '.join(params)})"


def of_made() -> Iterator[Line]:
    """Facts that rules ask of an operand inside a head pass to the term around it, as does being made of exponentials."""
    told = {d.name for d in forms() if shown(d)}
    for r in [r for r in all_rules().rules if r.functions]:
        signs = [m.name for m in sorted(metas_of(r.left), key=str) if ("nonneg", (m,)) in facts_of(r)]
        for name, operands in facts_of(r):
            bits = bits_of(name)
            inside = around(r, operands[0]) if bits else None
            if inside is None or inside.op in told or not plain(inside):
                continue
            nonneg = [f"(= low_{m} (lo {m})) (>= low_{m} 0.0)" for m in signs]
            logs = bits & (LOG | EXPS)
            yield line(inside, nonneg, LOG if logs else bits, operands[0].name, bits | (EXP if logs else 0))
            if logs:
                yield line(inside, [], EXPS, operands[0].name, EXPS | EXP)


def of_divided() -> Iterator[Line]:
    """Facts of values divided by a function of known logarithm, and of linear ops applied to such quotients."""
    for name, quotient in (("truediv", "(o_truediv w d)"), ("reciprocal", "(o_reciprocal d)")):
        nonneg = "(= low (lo d)) (>= low 0.0)"
        yield Line(made_text(quotient, nonneg, OVER, "d", LOG), name, -1, LOG, OVER)
    for d in OPS.values():
        operands = d.linear.replace(",", " ").split() if d.kind == "elemwise" and not d.shows() else []
        for t in operands[:1] if d.commutative else operands:
            if not d.parameters:
                text = made_text(term(d), "", OVER, f"t_{t}", OVER)
                yield Line(text, d.name, d.tensors.index(t), OVER, OVER)


def around(r: Rule, operand: Meta) -> Any:
    """The term that the left side of a rule has a head over, where an operand is one of its operands; else None."""
    for head in HEADS.values():
        inside = operand_of(head, r.left)
        if isinstance(inside, Term) and operand in inside.args:
            return inside
    return None


def line(pattern: Term, finds: list[str], sets: int, operand: str = "", needs: int = 0) -> Line:
    """A rule that sets bits of a term of metavariables, where one of its operands has some bit."""
    place = next((k for k, a in enumerate(pattern.args) if a.name == operand), 0)
    text = made_text(text_of(pattern), " ".join(finds), sets, operand, needs)
    return Line(text, pattern.op, place, needs, sets)


def made_text(pattern: str, finds: str, sets: int, operand: str, needs: int) -> str:
    """Egglog text of a rule that sets bits of a term."""
    known = f"(= k (known {operand})) (!= 0 (& {needs} k)) " if needs else ""
    return f"(rule ((= e {pattern}) {known}{finds}) ((set (known e) {sets})) :ruleset facts)"


def text_of(pattern: Any) -> str:
    """Egglog text of a term of metavariables."""
    if not isinstance(pattern, Term):
        return str(pattern.name)
    values = [str(v.name if isinstance(v, Parameter) else v) for v in pattern.params]
    return f"(o_{pattern.op} {' '.join(map(text_of, pattern.args))} {' '.join(values)})"
