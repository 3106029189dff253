"""Ops between the two parts of a stable form: a part, a pick, a choice, a join, a filling, a loop.

``log(erfc(x)[i])`` is ``log(erfc(x))[i]``, of which a rule knows the inside. So it is with every op that only shows elements of its
operands, by its declaration: a view, or an op with ``elements``; and with every head of a stable form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import reciprocal
from eqsat.graph.ops.reduce import max_op, min_op
from eqsat.graph.seen import is_transparent
from eqsat.rules.condition import ALL_AXES
from eqsat.rules.facts import alike, varies
from eqsat.rules.facts_of_functions import known_log
from eqsat.rules.heads import HEADS, Head
from eqsat.rules.pattern import Term, anything, bools, indices, parameters, places, reals, shapes
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.scheme import scheme

MOST = {"scalars": 2, "lengths": 3}  # operands of one kind; parts with more bounds are parts of parts
OTHERS = {
    "n": places,
    "scalars": places,
    "lengths": places,
    "indices": indices,
    "shape": shapes,
    "condition": bools,
}
MOVED = {"dimshuffle"}  # rules/transpose.py moves what it does to all elements, and marks follow it

x, over, under = reals("x over under")
s = parameters("s")
VARYING = known_log(under) & varies(over)  # a number has no parts of its own


def forms() -> Iterator[Declaration]:
    """The declarations of the ops that rules see, those of variadic ops by the number of operands."""
    for name in sorted(OPS):
        yield from forms_of(OPS[name])


def forms_of(d: Declaration) -> list[Declaration]:
    """An op as rules see it: a variadic one by the number of operands."""
    return [OPS[f"{d.name}_{n}"] for n in d.forms] if d.forms else [d]


def shown(d: Declaration) -> tuple[str, ...]:
    """The operands of which every element of a result is one; empty for other ops."""
    return d.shows() if is_transparent(d) else ()


def applied(d: Declaration, operands: dict[str, Any]) -> Term:
    """An op with metavariables for its parameters, but for one that must have a value for its elements to be shown."""
    values = [parameters(f"q_{name}") for name in d.parameters]
    if d.elements_if is not None:
        values[list(d.parameters).index(d.elements_if[0])] = d.elements_if[1]
    return Term(d.name, tuple(operands[t] for t in d.tensors), tuple(values))


def operands_of(d: Declaration) -> dict[str, Any]:
    """Metavariables for the operands of an op that shows elements of some."""
    letters = dict(zip(d.tensors, d.signature.partition("->")[0].split(","), strict=False))
    made = {}
    for t in d.tensors:
        other = {"?": bools, "a": anything}.get(
            letters.get(t, ""), OTHERS.get(t.rstrip("0123456789"), anything)
        )
        made[t] = reals(t) if t in shown(d) else other(t)
    return made


def through(name: str, head: Head, d: Declaration) -> Iterator[Rule]:
    """The head of what an op shows of an operand of which more is known is what the op shows of the heads."""
    operands = operands_of(d)
    heads = {t: head.of(v) if t in shown(d) else v for t, v in operands.items()}
    for t in shown(d):
        end = f"-{t}" if len(shown(d)) > 1 else ""
        yield rule(
            f"{name}-through-{d.name}{end}",
            head.of(applied(d, operands)),
            applied(d, heads),
            tier="stabilises",
            when=head.behind(operands[t]),
            tags=["scan"] if d.kind == "loop" else [],
            grows=False,
        )


def quotients(d: Declaration) -> Iterator[Rule]:
    """A part, pick or choice of a quotient is the quotient of those of its operands, where more is known of the divisor."""
    (t,) = shown(d)
    operands = operands_of(d)
    whole = d.kind == "elemwise" or d.name in MOVED  # operands of these may broadcast
    for name, inside, outside, when in (
        ("one-over", reciprocal(under), lambda of: reciprocal(of(under)), known_log(under)),
        (
            "quotient",
            over / under,
            lambda of: of(over) / of(under),
            VARYING if whole else VARYING & alike(over, under, ALL_AXES),
        ),
    ):
        yield rule(
            f"{name}-through-{d.name}",
            applied(d, {**operands, t: inside}),
            outside(lambda v: applied(d, {**operands, t: v})),
            tier="exact",
            when=when,
            grows=False,
        )


def few(d: Declaration) -> bool:
    """True for a form of not too many operands of one kind; what is written is picked by one index array."""
    counts = {kind: sum(t.startswith(kind) for t in d.tensors) for kind in (*MOST, "indices")}
    return (
        all(counts[kind] <= most for kind, most in MOST.items()) and len(d.shows()) + counts["indices"] <= 3
    )


def shows_some(d: Declaration) -> bool:
    """True for an op that has a form which shows elements of not too many operands."""
    return any(shown(f) and few(f) for f in forms_of(d))


@scheme(
    "head-through-shown",
    "h(op(x)) = op(h(x)), for the heads h of stable forms",
    holds=lambda d: shows_some(d) and d.name not in MOVED,
    needs=lambda op: [op],
    tags=["scan"],
    about_functions=True,
)
def heads_of_shown(d: Declaration) -> Iterator[Rule]:
    """The heads of stable forms of what an op shows of its operands."""
    able = [f for f in forms_of(d) if shown(f) and few(f)]
    return (r for f in able for name, head in HEADS.items() for r in through(name, head, f))


@scheme(
    "quotient-through-shown",
    "op(x / y) = op(x) / op(y), where more is known of y",
    holds=lambda d: shows_some(d) and d.kind != "loop",
    needs=lambda op: [op],
    about_functions=True,
)
def quotients_of_shown(d: Declaration) -> Iterator[Rule]:
    """Quotients as an op shows them."""
    return (r for f in forms_of(d) if len(shown(f)) == 1 and few(f) for r in quotients(f))


RULES = [
    heads_of_shown,
    quotients_of_shown,
    *(
        rule(
            f"{name}-through-{op.name}",
            head.of(op(x, axes=s)),
            (other if name == "one-less" else op)(head.of(x), axes=s),
            tier="stabilises",
            when=head.known(x) & (x >= 0) if name == "log" and op is max_op else head.known(x),
            grows=False,
        )
        for name, head in HEADS.items()
        if not name.startswith("log1p")  # which has no value below -1
        for op, other in ((max_op, min_op), (min_op, max_op))
    ),
]
