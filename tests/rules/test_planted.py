"""Deliberately wrong rules: each is caught by verify; those that mix types also by the e-graph, and by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DebugModeError, RuleError
from eqsat.graph.declare import OPS
from eqsat.graph.loops import final_op
from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.cumulate import cumsum_op
from eqsat.graph.ops.elemwise import (
    abs,
    add,
    clip,
    cos,
    eq,
    exp,
    fill,
    floordiv,
    ge,
    gt,
    isnan,
    log,
    log1p,
    lt,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    sigmoid,
    sign,
    sin,
    softplus,
    sqr,
    sqrt,
    switch,
    tanh,
    truediv,
)
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import count_op, max_op, prod_op, sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.ops.softmax import softmax_op
from eqsat.rules.facts import invariant, moves, single
from eqsat.rules.loops import L, e, i, is_new_value, k, n, o, old, row, stack
from eqsat.rules.loops import x as rows
from eqsat.rules.pattern import anything, integers, parameters, reals, without_time
from eqsat.rules.rule import Rule, default_rules, rule
from eqsat.verify import verify
from eqsat.verify.result import BROKEN, IDLE

a, b = anything("a b")
x, y, z, c = reals("x y z c")
m, w = integers("m w")
s, t, p, q, d = parameters("s t p q d")
TOTAL = final_op(i, add(old(i), e), n, loop=L, open=o)


def swap(v: Any) -> Any:
    return dimshuffle_op(v, pattern=p)


def wrong(name: str, left: Any, right: Any, tier: str = "rounds", **fields: Any) -> Rule:
    return rule(name, left, right, tier=tier, cite="definition", **fields)


PLANTED = [
    wrong("wrong-sign", neg(x - y), x - y, "exact"),
    wrong("wrong-sign-of-odd-function", sin(neg(x)), sin(x), "exact"),
    wrong("wrong-function", 1 - sqr(sin(x)), sqr(sin(x)), "loose"),
    wrong("wrong-constant", log1p(exp(x)) * 2, softplus(x) * 3, "loose"),
    wrong("constant-forgotten", tanh(x * 0.5) + 1, sigmoid(x), "loose"),
    wrong("missing-condition", sqrt(sqr(x)), x, "extends"),
    wrong("condition-of-the-wrong-sign", abs(x), x, "exact", when=x <= 0),
    wrong("condition-on-the-wrong-operand", log(x * y), log(x) + log(y), when=x > 0),
    wrong("bound-left-out", minimum(maximum(x, y), z), clip(x, z, y), "exact"),
    wrong("strict-for-not-strict", ge(x, y), gt(x, y), "exact"),
    wrong("ties", switch(lt(x, y), x, y), switch(lt(x, y), y, x), "exact"),
    wrong("nan", switch(lt(x, y), x, y), minimum(x, y), "exact"),
    wrong("nan-is-no-number", isnan(x), lt(x, x), "exact"),
    wrong("signed-zero", x + 0, x, "exact"),
    wrong("infinity", x * 0, x - x, "exact"),
    wrong("sign-of-zero-is-one", sign(x) * sign(x), sign(abs(x)) + 0 * x + 1, "loose"),
    wrong("exact-but-rounds", (x * y) * z, x * (y * z), "exact"),
    wrong("rounds-but-cancels", (x + y) + z, x + (y + z)),
    wrong("rounds-but-overflows", sqrt(x) * sqrt(y), sqrt(x * y)),
    wrong("rounds-but-underflows", truediv(x, y * z), truediv(truediv(x, y), z), when=None),
    wrong("stabilises-but-destabilises", softplus(x), log(1 + exp(x)), "stabilises"),
    wrong("loses-small-numbers", log1p(x), log(1 + x), "stabilises"),
    wrong("integer-division", floordiv(m * w, w), m, "exact"),
    wrong("division-of-negatives", neg(floordiv(m, w)), floordiv(neg(m), w), "exact"),
    wrong("remainder-of-negatives", mod(neg(m), w), neg(mod(m, w)), "exact"),
    wrong("integers-wrap", maximum(m + 1, m), m + 1, "exact"),
    wrong("wrong-at-one-number", switch(eq(x, 17.25), x + 1, x), x, "exact"),
    wrong("dtype-of-a-model", sum_op(fill(x, c), axes=s), c * count_op(x, axes=s), when=invariant(c, s)),
    wrong("no-value-over-the-reals", log(x * y), log(x) + log(y), "loose"),
    wrong("wrong-dtype", exp(log(x)), cast_op(x, dtype="float64")),
    wrong("wrong-dtype-of-truth", switch(gt(x, 0), x, x), gt(x, 0), "exact"),
    wrong("narrower-on-the-way", cast_op(cast_op(a, dtype=s), dtype=t), cast_op(a, dtype=t), "exact"),
    wrong("order-of-sum-and-exp", exp(sum_op(x, axes=s)), sum_op(exp(x), axes=s), "loose"),
    wrong("wrong-axis", cumsum_op(neg(x), axis=0), neg(cumsum_op(x, axis=1)), "exact"),
    wrong("wrong-axes", softmax_op(x, axes=s), softmax_op(x, axes=(0,)), "exact"),
    wrong("wrong-order-of-axes", swap(dimshuffle_op(a, pattern=q)), swap(a), "exact"),
    wrong("wrong-transposition", neg(dot_op(x, y)), dot_op(y, neg(x)), tags=["backward"]),
    wrong("counted-twice", neg(dot_op(x, x)), dot_op(neg(x), x + x), tags=["backward"]),
    wrong("counted-once", sum_op(x + y, axes=s), sum_op(x, axes=s) + sum_op(y, axes=s), tags=["backward"]),
    wrong("wrong-count", sum_op(x + c, axes=s), sum_op(x, axes=s) + c, when=single(c), tags=["backward"]),
    wrong("missing-broadcast-guard", dot_op(x + y, z), dot_op(x, z) + dot_op(y, z), tags=["backward"]),
    wrong("largest-of-negatives", max_op(neg(x), axes=s), neg(max_op(x, axes=s)), "exact"),
    wrong("largest-of-products", max_op(x * x, axes=s), sqr(max_op(x, axes=s))),
    wrong("empty-product", prod_op(m, axes=s), prod_op(m, axes=s) * sum_op(m, axes=s), "exact"),
    wrong("sum-for-running-sum", cumsum_op(x, axis=0), cumsum_op(neg(x), axis=0), tags=["backward"]),
    wrong("softmax-without-sum", softmax_op(x, axes=s), exp(x), "stabilises"),
    wrong("parts-swapped", join_op(a, b, axis=0), join_op(b, a, axis=0), "exact"),
    wrong("part-off-by-one", part_op(part_op(a, pattern=p), pattern=q), part_op(a, pattern=p), "exact"),
    wrong("scan-total-without-start", TOTAL, without_time(sum_op(stack(e), axes=(0,)), e), when=is_new_value(k), tags=["scan"]),
    wrong("scan-state-is-still", old(i), i, tags=["scan"]),
    wrong("scan-one-step-late", stack(add(old(i), e)), stack(old(i)), when=is_new_value(k), tags=["scan"]),
    wrong("scan-pushed-with-another-op", exp(row(rows)), row(mul(rows, rows)), "exact", tags=["scan"]),
    wrong("scan-wrong-sign", stack(neg(rows)), stack(rows), when=moves(rows, L), tags=["scan"]),
]  # fmt: skip


def test_lengths_along_which_tensors_are_joined_have_nothing_to_do_with_each_other() -> None:
    rows = OPS["subtensor"].bind(pattern=(("slice", "?", None, None), ("slice", None, None, None)))
    x, y = eqsat.metavars("x y", ndim=2)
    joined = T.concatenate([x, y])
    long = eqsat.conditions.covers(x, (0, 1)) & eqsat.conditions.covers(y, (0, 1))
    for when in (None, long):
        wrong = eqsat.rule("tail", rows(joined, y.shape[0]), y, when=when, tier="exact")
        assert verify(wrong).verdict == "BROKEN"
        good = eqsat.rule("tail", rows(joined, x.shape[0]), y, when=when, tier="exact")
        assert verify(good, outside=False).verdict == "kept"


@pytest.mark.parametrize("one", PLANTED, ids=lambda r: r.name)
def test_verify_catches_what_was_planted(one: Rule) -> None:
    found = verify(one, 60, proof=False, outside=False, egraph=False)
    assert found.verdict == BROKEN and not found and found.failures[0].point.values, str(found)


def test_there_are_many_kinds() -> None:
    assert len(PLANTED) >= 40 and {r.tier for r in PLANTED} >= {
        "exact",
        "extends",
        "rounds",
        "stabilises",
        "loose",
    }


def test_a_condition_without_need_is_told() -> None:
    idle = wrong("idle", neg(neg(x)), x, "exact", when=x > 0)
    found = verify(idle, 10)
    assert found.verdict == IDLE and found and "also outside the condition" in str(found)


# ------------------------------------------------------------------------------------- caught by the e-graph

MIXED = [
    (wrong("dtype-mixed", exp(sin(x)), cast_op(sin(x), dtype="float64")), "float32"),
    (wrong("truth-for-number", exp(sin(x)), gt(sin(x), 0)), "float64"),
    (wrong("number-for-truth", gt(exp(sin(x)), 0.5), sin(x)), "float64"),
    (wrong("small-for-large", exp(sin(x)), cast_op(sin(x), dtype="int8")), "float64"),
]


@pytest.mark.parametrize(("one", "dtype"), MIXED, ids=lambda r: str(getattr(r, "name", "")))
def test_the_e_graph_refuses_rules_that_mix_types(one: Rule, dtype: str) -> None:
    v = T.vector("v", dtype=dtype)
    with pytest.raises(
        RuleError, match=f"rule {one.name} makes values of different dtypes or ranks equal"
    ) as caught:
        eqsat.optimize([T.exp(T.sin(v)) * 2, T.exp(T.sin(v)) > 0.5], rules=default_rules() + [one])
    assert "test_planted.py:" in str(caught.value) and not verify(one, 30, proof=False, egraph=False)


# ------------------------------------------------------------------------------------- caught by values


def test_check_compares_values_and_names_the_rule() -> None:
    u, v = T.dvectors("u", "v")
    loss = T.exp(u - v) + T.cos(u)
    inputs = {u: [1.0, 2.0], v: [3.0, 5.0]}
    right = wrong("right", cos(neg(x)), cos(x), "exact")
    assert eqsat.optimize(loss, rules=default_rules() + [right], check=inputs).e_nodes > 3
    planted = wrong("planted", x - y, y - x)
    with pytest.raises(DebugModeError, match="two forms that the rules made equal differ") as caught:
        eqsat.optimize(loss, rules=default_rules() + [right, planted], check=inputs)
    assert caught.value.facts["rules"] == ["planted"]
    assert "planted: sub(x, y) = sub(y, x)" in str(caught.value) and "test_planted.py:" in str(caught.value)
    with pytest.raises(ArgumentError, match="there is no value of v"):
        eqsat.optimize(loss, check={u: np.ones(2)})
    assert eqsat.optimize(loss, check={"u": [1.0, 2.0], v: [3.0, 5.0]}).e_nodes > 3
    assert eqsat.optimize(loss + eqsat.shared(np.ones(2), "s"), check=inputs).e_nodes > 3
    with pytest.raises(ArgumentError, match="check: 'w': the graph reads no input of that name"):
        eqsat.optimize(loss, check={"w": 1.0})
    with pytest.raises(ArgumentError, match=r"check=\[1.0\] is not a dict"):
        eqsat.optimize(loss, check=[1.0])  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [[1.0], "ab", [[1.0], [1.0, 2.0]], 1.0j, None])
def test_check_takes_values_of_the_type_of_the_variable(value: Any) -> None:
    m = T.dmatrix("m")
    with pytest.raises(ArgumentError) as caught:
        eqsat.optimize(T.exp(m), check={m: value})
    assert str(caught.value).startswith(f"check: {value!r} is no value of m: ")
    assert "\n  m    f64[?, ?]   made at test_planted.py:" in str(caught.value)


def test_rules_that_are_wrong_only_together_are_found() -> None:
    from eqsat.base.smallest import smallest

    rules = list(default_rules())[:40]
    pair = {rules[7].name, rules[31].name}
    found, least = smallest(rules, lambda some: pair <= {r.name for r in some})
    assert {r.name for r in found} == pair and least
