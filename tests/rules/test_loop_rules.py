"""Every rule on loops keeps its promise, needs its condition, and does what it says in the e-graph."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from eqsat import verify
from eqsat.graph.loops import collect_op, final_op
from eqsat.graph.ops.cumulate import cumsum_op
from eqsat.graph.ops.elemwise import add, exp, mul
from eqsat.graph.ops.linalg import batched_op, dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.rules.facts import covers, fixed, moves
from eqsat.rules.loops import (
    L,
    axes,
    axis,
    e,
    i,
    is_new_value,
    k,
    n,
    o,
    old,
    p,
    row,
    stack,
    w,
    x,
    y,
)
from eqsat.rules.pattern import later, under_time, without_time
from eqsat.rules.rule import Rule, all_rules, rule
from eqsat.verify.egraph_trial import drawn_for, tried
from eqsat.verify.instances import is_loop_rule
from eqsat.verify.loop_promises import holds, instances
from eqsat.verify.result import KEPT
from eqsat.verify.sweep import needs_check

RULES = [r for r in all_rules() if "scan" in r.tags]
GENERATED = {r.name for r in RULES if r.scheme}
CONDITIONAL = [r for r in RULES if needs_check(r)]


@pytest.mark.sweep
@pytest.mark.parametrize("one", RULES, ids=lambda r: r.name)
def test_keeps_its_promise_needs_its_condition_and_fires(one: Rule) -> None:
    found = verify.verify(one, 6 if one.name in GENERATED else 90, proof=False)
    assert found.verdict == KEPT and found.joined, str(found)


def test_every_rule_on_loops_is_tagged_and_cited() -> None:
    assert {r.name for r in all_rules() if is_loop_rule(r)} == {r.name for r in RULES}
    text = Path(__file__, "../../../docs/sources.bib").resolve().read_text()
    assert {r.cite for r in RULES} <= {"definition", *re.findall(r"@\w+\{(\w+),", text)}


def test_every_op_by_elements_has_rules_for_every_choice_of_operands_that_change() -> None:
    names = {r.name for r in RULES}
    assert {"loop-row-exp-t", "loop-stack-exp-t"} <= names
    for name, forms in (
        ("add", ("tt", "tf")),
        ("sub", ("tt", "tf", "ft")),
    ):  # add has its operands in either order
        assert {f"loop-{way}-{name}-{form}" for way in ("row", "stack") for form in forms} <= names
    assert sum(name.startswith("loop-row-switch-") for name in names) == 7


# ------------------------------------------------------------------------------------------ through the e-graph


@pytest.mark.sweep
@pytest.mark.parametrize("one", [r for r in RULES if r.name not in GENERATED], ids=lambda r: r.name)
def test_finds_its_patterns_where_only_the_left_side_stands(one: Rule) -> None:
    drawn = drawn_for(one)
    assert drawn is not None and tried(one, [drawn.left], drawn.table)[0] > 0


@pytest.mark.sweep
@pytest.mark.parametrize("one", [r for r in CONDITIONAL if r.name not in GENERATED], ids=lambda r: r.name)
def test_does_not_fire_outside_its_condition(one: Rule) -> None:
    for _, drawn in zip(range(5), instances(one, 2000, seed=4, inside=False)):
        assert tried(one, [drawn.left], drawn.table)[0] == 0


# ------------------------------------------------------------------------------------- what the sweep catches

TOTAL = final_op(i, add(old(i), e), n, loop=L, open=o)


def wrong(name: str, left: Any, right: Any, **fields: Any) -> Rule:
    return rule(name, left, right, tags=["scan"], cite="definition", **{"tier": "rounds", **fields})


WRONG = [
    wrong("axes-not-counted-on", sum_op(row(x), axes=axes), row(sum_op(x, axes=axes))),
    wrong("axes-counted-twice", stack(sum_op(x, axes=axes)), sum_op(stack(x), axes=later(later(axes))), when=moves(x, L)),
    wrong("length-not-counted-on", length_op(row(x), axis=axis), length_op(x, axis=axis)),
    wrong("pattern-not-lifted", dimshuffle_op(row(x), pattern=p), row(dimshuffle_op(x, pattern=p))),
    wrong("row-not-fixed", mul(row(x), y), row(mul(x, under_time(y)))),
    wrong("stack-not-fixed", stack(mul(x, y)), mul(stack(x), under_time(y)), when=moves(x, L)),
    wrong("no-axis-of-time", mul(row(x), y), row(mul(x, y)), when=fixed(y, L)),
    wrong("step-is-no-sum", TOTAL, add(i, without_time(sum_op(stack(e), axes=(0,)), e))),
    wrong("sum-without-start", TOTAL, without_time(sum_op(stack(e), axes=(0,)), e), when=is_new_value(k)),
    wrong("sum-for-cumsum", stack(add(old(i), e)), add(under_time(i), stack(e)), when=is_new_value(k)),
    wrong("cumsum-without-start", stack(add(old(i), e)), cumsum_op(stack(e), axis=0), when=is_new_value(k)),
    wrong("state-is-still", old(i), i),
    wrong("all-rows-of-one-that-may-stop", collect_op(row(x), n, loop=L, open=o), x, when=covers(x, (0,))),
    wrong("products-swapped", stack(dot_op(x, y)), batched_op(stack(y), stack(x)), when=moves(x, L) & moves(y, L)),
    wrong("matrix-forgotten", stack(dot_op(x, w)), stack(x), when=fixed(w, L) & moves(x, L)),
    wrong("uneven-stacked", stack(sum_op(x, axes=axes)), sum_op(stack(x), axes=later(axes)), when=moves(x, L)),
    wrong("another-op", exp(row(x)), row(mul(x, x)), tier="exact"),
    wrong("rounds-only", final_op(i, add(old(i), e), n, loop=L, open=o), add(i, without_time(sum_op(stack(e), axes=(0,)), e)), when=is_new_value(k), tier="exact"),
]  # fmt: skip


@pytest.mark.parametrize("one", WRONG, ids=lambda r: r.name)
def test_sweep_catches_a_wrong_rule(one: Rule) -> None:
    assert verify.find_failures(one, guarded=False, count=100)


def test_sweep_catches_a_condition_without_need() -> None:
    idle = rule("idle", exp(row(x)), row(exp(x)), tier="exact", when=fixed(x, L), cite="definition")
    assert not verify.breaks_outside(idle, count=40)


def test_failure_says_where_and_why() -> None:
    text = str(verify.find_failures(WRONG[4], guarded=False, count=40)[0])
    assert text.startswith(
        "row-not-fixed: mul(elem{L}(x), y) = elem{L}(mul(x, dimshuffle{lead(y)}(y))) [rounds]\n  at    "
    )
    assert "depend" in text


def test_instances_are_of_every_kind() -> None:
    one = all_rules()["loop-stack-add-tf"]
    found = list(instances(one, 120, seed=0))
    assert all(map(holds, found))
    assert {d.steps for d in found} >= {0, 1, 2, 3} and {d.open for d in found} == {0, 1}
    assert {d.around is None for d in found} == {True, False}
    assert {d.left.type.dtype for d in found} >= {"float64", "float32", "int64", "int8"}
    assert {d.left.ndim for d in found} == {1, 2, 3, 4}
    assert any(d.table.recurrences for d in found) and not all(d.table.recurrences for d in found)
