"""Every rule keeps the promise of its tier, has a source, needs its condition, and does what it says in the e-graph."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from eqsat import verify
from eqsat.egraph.compile_rule import guards_shape
from eqsat.egraph.encode import encode
from eqsat.egraph.saturate import saturate
from eqsat.egraph.scheduler import Budget
from eqsat.errors import RuleError
from eqsat.graph.ops.elemwise import add, exp, log, log1p, mul, neg, sqrt
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.softmax import softmax_op
from eqsat.rules.pattern import Value, invariant, parameters, reals, subterms
from eqsat.rules.rule import Rule, RuleSet, all_rules, default_rules, rule, select_rules

x, y, z, c = reals("x y z c")
s, t = parameters("s t")
RULES = [r for r in all_rules() if "scan" not in r.tags]  # test_loop_rules.py has the others
GUARDS = {"varies", "single", "shared_left", "shared_right", "weights_in_order"}  # they limit growth
CONDITIONAL = [
    r for r in RULES if any(fact not in GUARDS for fact, _ in verify.facts_of(r)) and "turned" not in r.tags
]  # parts of any kind are parts of what is computed: turned stacks alone are worth it


@pytest.mark.parametrize("one", RULES, ids=lambda r: r.name)
def test_keeps_its_promise(one: Rule) -> None:
    failures = verify.find_failures(one, guards_shape(one))
    assert not failures, "\n".join(map(str, failures))


@pytest.mark.parametrize("one", CONDITIONAL, ids=lambda r: r.name)
def test_condition_is_needed(one: Rule) -> None:
    assert verify.breaks_outside(one), f"{one}: no point outside the condition breaks the rule"


def test_every_rule_has_a_source() -> None:
    text = Path(__file__, "../../../docs/sources.bib").resolve().read_text()
    known = {"definition", *re.findall(r"@\w+\{(\w+),", text)}
    assert {r.cite for r in RULES} <= known
    assert known <= {r.cite for r in RULES} | {"definition"}, "a source that no rule cites"


def test_there_are_rules_of_every_tier() -> None:
    count = Counter(r.tier for r in RULES)
    assert set(count) == {"exact", "extends", "rounds", "stabilises", "loose"}
    assert len(RULES) > 100
    assert not [r for r in default_rules() if r.tier == "loose"]


# ------------------------------------------------------------------------------------- what the sweep catches

WRONG = [
    rule("wrong-sign", neg(x - y), x - y, tier="exact", cite="definition"),
    rule("wrong-tier", (x + y) + z, x + (y + z), tier="rounds", cite="definition"),
    rule("missing-condition", exp(log(x)), x, tier="extends", when=None, cite="definition"),
    rule("sign-unknown", log(x * y), log(x) + log(y), tier="rounds", cite="definition"),
    rule(
        "wrong-axis",
        sum_op(sum_op(x, axes=s), axes=t),
        sum_op(x, axes=s),
        tier="rounds",
        tags=["backward"],
        cite="definition",
    ),
    rule(
        "varying-factor",
        sum_op(x * c, axes=s),
        sum_op(x, axes=s) * c,
        tier="rounds",
        tags=["backward"],
        cite="definition",
    ),
    rule("unstable", log1p(x), log(1 + x), tier="rounds", cite="definition"),
    rule("overflows", sqrt(x) * sqrt(y), sqrt(x * y), tier="rounds", cite="definition"),
    rule("lost-zero", x * 0, x - x, tier="exact", cite="definition"),
    rule("wrong-function", softmax_op(x, axes=s), exp(x), tier="stabilises", cite="definition"),
    rule("wrong-number", add(x, x), mul(3, x), tier="loose", cite="definition"),
]
CAUGHT = [r for r in WRONG if r.name != "missing-condition"]


@pytest.mark.parametrize("one", CAUGHT, ids=lambda r: r.name)
def test_sweep_catches_a_wrong_rule(one: Rule) -> None:
    assert verify.find_failures(one, guarded=False)


def test_sweep_catches_a_condition_without_need() -> None:
    assert not verify.breaks_outside(
        rule("idle", neg(neg(x)), x, tier="exact", when=x > 0, cite="definition")
    )


def test_failure_says_where_and_why() -> None:
    text = str(verify.find_failures(WRONG[0], guarded=False)[0])
    assert text.startswith("wrong-sign: neg(sub(x, y)) = sub(x, y) [exact]\n  at    x=[")
    assert "left" in text and "right" in text


# ------------------------------------------------------------------------------------------ through the e-graph


def build(one: Rule) -> tuple[Any, Any, verify.Point] | None:
    """Both sides of a rule as graphs over variables, at a point inside its condition."""
    for point in verify.points(one, 40, seed=3):
        left, wrong = verify.check_types(one, point, guards_shape(one))
        small = all(v.size < 40 for v in point.values.values())
        if left is not None and not wrong and small:
            graph = verify.Graph(point)
            made = graph.run(one.left)
            if 0 in made.type.shape and any(word in str(one.left) for word in ("subtensor", "pool")):
                continue  # what has no elements is left alone
            graph.root_dtype, graph.root_ndim = made.type.dtype, made.type.ndim
            return made, graph.run(one.right), point
    return None


@pytest.mark.parametrize("one", [r for r in RULES if r.when is None and not r.multiset], ids=lambda r: r.name)
def test_fires_and_joins_both_sides(one: Rule) -> None:
    built = build(one)
    assert built is not None
    left, right, _ = built
    encoded = encode([left, right])
    result = saturate(encoded, RuleSet([one]), Budget(2000, 2000, 5.0))
    if any(p.function == "value" for p in subterms(one.right) if isinstance(p, Value)):
        return  # needs a number that is known; tests of the single rules show these
    a, b = (result.class_of[k] for k in encoded.roots)
    assert a == b, f"{one}\n  {left.owner}\n  {right.owner}"


def test_a_rule_added_by_a_user_takes_part() -> None:
    mine = rule("sqrt-of-product-of-exps", sqrt(exp(x) * exp(x)), exp(x), tier="rounds", cite="definition")
    assert not verify.find_failures(mine, guards_shape(mine))
    built = build(mine)
    assert built is not None
    encoded = encode([built[0]])
    result = saturate(encoded, default_rules() + [mine], Budget(2000, 2000, 5.0))
    assert "sqrt-of-product-of-exps" in result.matches()


# -------------------------------------------------------------------------------------------------- the language


def test_right_side_may_not_name_what_the_left_does_not_bind() -> None:
    with pytest.raises(RuleError, match="does not bind y"):
        rule("unbound", exp(x), x + y, cite="definition")


def test_unknown_tier_is_refused() -> None:
    with pytest.raises(RuleError, match="unknown tier"):
        rule("tier", exp(x), x, tier="fast", cite="definition")


def test_left_side_must_apply_an_op() -> None:
    with pytest.raises(RuleError, match="not an op"):
        rule("meta", x, exp(x), cite="definition")


def test_two_rules_of_one_name_are_refused() -> None:
    a = rule("same", exp(x), x, cite="definition")
    b = rule("same", log(x), x, cite="definition")
    with pytest.raises(RuleError, match="two rules"):
        RuleSet([a, b])


def test_condition_compares_with_zero_only() -> None:
    with pytest.raises(RuleError, match="compares a metavariable with 0"):
        rule("bound", exp(x), x, when=x > 1, cite="definition")


def test_selection_by_tier_tag_and_name() -> None:
    assert {r.tier for r in select_rules("loose")} == {"loose"}
    assert "distribute" in [r.name for r in select_rules("expand")]
    assert [r.name for r in select_rules("log-exp")] == ["log-exp"]
    assert "exp-mul" not in [r.name for r in select_rules("-exp-mul")]
    assert "factor" in [r.name for r in select_rules("default,factor")]
    with pytest.raises(RuleError, match="no rule named"):
        select_rules("no-such-rule")


def test_a_rule_reads_as_it_is_written() -> None:
    text = str(all_rules()["sum-of-multiple"])
    assert text == "sum-of-multiple: sum{s}(mul(n, c)) = mul(sum{s}(n), c) when invariant(c, s) [rounds]"
    assert str(invariant(c, (0, 1))) == "invariant(c, (0, 1))"


@pytest.mark.parametrize(
    "name", ["log-exp", "sub-self", "exp-mul", "neg-neg", "factor", "log-pow", "mul-div-cancel"]
)
def test_sympy_agrees(name: str) -> None:
    pytest.importorskip("sympy")
    assert verify.proved(all_rules()[name]) is not False
