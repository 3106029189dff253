"""Laws of conversions to a dtype that holds all values: elements keep their order, and stable forms reach what is converted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.cast import cast_op
from eqsat.rules.facts import widens
from eqsat.rules.heads import HEADS, operand_of
from eqsat.rules.pattern import Meta, Term, numbers, parameters, reals
from eqsat.rules.rule import Rule, all_rules, rule
from eqsat.rules.schemes.operands import applied
from eqsat.rules.schemes.scheme import scheme

x, dtype = numbers("x"), parameters("_dtype")


def orders_elements(d: Declaration) -> bool:
    """True for an op of one tensor that chooses elements, or their places, by their order."""
    seen = len(d.tensors) == 1 and not d.opaque and d.outputs == 1 and {*d.parameters} <= {"axes", "axis"}
    return bool(d.ordered) and d.kind != "elemwise" and seen


@scheme(
    "order-of-converted",
    "max(cast(x)) = cast(max(x)), argmax(cast(x)) = argmax(x), where the dtype holds all values of x",
    holds=orders_elements,
    needs=lambda op: [(op, "cast")],
)
def of_converted(d: Declaration) -> Iterator[Rule]:
    """Elements are chosen before they are converted."""
    chosen = applied(d, x)
    right = cast_op(chosen, dtype=dtype) if d.ordered == "values" else chosen
    left = applied(d, cast_op(x, dtype=dtype))
    yield rule(f"{d.name}-of-converted", left, right, tier="exact", when=widens(x, dtype))


# -------------------------------------------------------------------------------------- heads of stable forms


@lru_cache(maxsize=4)
def headed(version: int) -> dict[str, list[str]]:
    """The heads of stable forms that rules know of functions of one tensor, by the names of these, among the ops declared by now."""
    found: dict[str, list[str]] = {}
    for r in all_rules().tagged("through"):
        for name, head in HEADS.items():
            inside = operand_of(head, r.left)
            if isinstance(inside, Term) and len(inside.args) == 1 and isinstance(inside.args[0], Meta):
                found.setdefault(inside.op, []).append(name)
    return found


def has_head(d: Declaration) -> bool:
    """True for a function of floats with a stable form under some head."""
    return len(d.tensors) == 1 and d.signature.startswith("f") and d.name in headed(OPS.version)


@scheme(
    "head-of-converted",
    "h(cast(f(x))) = h(f(cast(x))), for the heads h of stable forms of f",
    holds=has_head,
    needs=lambda op: [("cast", op)],
)
def head_of_converted(d: Declaration) -> Iterator[Rule]:
    """The operand is converted to a wider dtype, not what has overflowed or lost its digits in a narrow one."""
    v = reals("x")
    for name in dict.fromkeys(headed(OPS.version)[d.name]):
        of = HEADS[name].of
        left, right = of(cast_op(applied(d, v), dtype=dtype)), of(applied(d, cast_op(v, dtype=dtype)))
        options: dict[str, Any] = {"tier": "stabilises", "when": widens(v, dtype), "grows": False}
        yield rule(f"{name}-of-converted-{d.name}", left, right, **options)


RULES = [of_converted, head_of_converted]
