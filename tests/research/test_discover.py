"""discover: rules over some ops, which are verified, follow from no others, and are the same for a seed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.errors import ArgumentError, DTypeError
from eqsat.graph.declare import OPS, elemwise, forget_op
from eqsat.research import search
from eqsat.research.batch import Pair, Question, asked
from eqsat.research.discovery import Discovery
from eqsat.research.grammar import Grammar
from eqsat.research.promise import gains
from eqsat.research.said import Said, facts_of_elements
from eqsat.research.terms import Terms
from eqsat.rules.fact import FACTS, fact
from eqsat.rules.facts import rank
from eqsat.rules.pattern import reals
from eqsat.rules.rule import Rule, RuleSet
from eqsat.rules.rule import rule as law_of
from eqsat.verify import breaks_outside, load_rules, verify, verify_set
from eqsat.verify.sources import load_module

x, y = eqsat.metavars("x y")


def equations(found: Discovery) -> set[str]:
    return {r.equation for r in found.rules}


@pytest.fixture(scope="module")
def of_exp() -> Discovery:
    return eqsat.discover("exp,log,add,neg", size=4, from_=[])


@pytest.fixture
def bent() -> Iterator[None]:
    """An op that is -x but for large numbers, and one that is -x exactly."""
    elemwise(c="({x} > 1e3 ? 0 : -{x})", signature="f->f", name="bent")(
        lambda x: np.where(x > 1e3, 0 * x, -x)
    )
    elemwise(c="(-{x})", signature="f->f", name="turned")(lambda x: -x)
    yield
    forget_op("bent")
    forget_op("turned")


@pytest.mark.sweep
def test_laws_of_exp_log_add_and_neg_are_found_in_their_tiers(of_exp: Discovery) -> None:
    tiers = {r.equation: r.tier for r in of_exp.rules}
    assert tiers["log(exp(x)) = x"] == "stabilises" and tiers["neg(neg(x)) = x"] == "exact"
    assert tiers["add(x, neg(x)) = fill(x, 0)"] == "extends"  # of infinity there is no difference


def test_what_is_found_keeps_its_promise_at_other_points_and_together(of_exp: Discovery) -> None:
    assert [r.name for r in of_exp.rules if not verify(r, seed=11)] == []
    assert verify_set(of_exp.rules, graphs=6, seed=5)


def test_no_rule_follows_from_the_others(of_exp: Discovery) -> None:
    for rule in of_exp.rules:
        assert not eqsat.derive(rule, from_=[r for r in of_exp.rules if r is not rule])


def test_every_candidate_follows_or_is_refused(of_exp: Discovery) -> None:
    counted = of_exp.follow + len(of_exp.rules) + len(of_exp.refused)
    assert of_exp.candidates == counted and of_exp.follow > 0 and not of_exp.stopped


@pytest.mark.sweep
def test_a_seed_gives_the_same_rules_and_another_the_same_laws(of_exp: Discovery) -> None:
    again = eqsat.discover(["exp", "log", "add", "neg"], size=4, from_=[])
    assert again.python() == of_exp.python()
    other = eqsat.discover("exp,log,add,neg", size=4, from_=[], seed=3)
    assert equations(other) == equations(of_exp)


@pytest.mark.sweep
def test_beyond_known_rules_only_what_they_do_not_show_is_found() -> None:
    known = [eqsat.rule("mine", T.neg(T.neg(x)), x, tier="exact")]
    found = eqsat.discover("neg,abs", size=3, from_=known)
    assert equations(found) == {"abs(x) = x", "abs(x) = neg(x)", "abs(neg(x)) = abs(x)"}
    without = eqsat.discover("neg,abs", size=3, from_=known, conditions=False)
    assert equations(without) == {"abs(neg(x)) = abs(x)", "abs(abs(x)) = abs(x)"}
    assert not eqsat.discover("exp,log,neg", size=4)


@pytest.mark.sweep
def test_no_term_of_another_candidate_is_a_step() -> None:
    found = eqsat.discover("sub,neg,abs", size=4, from_=[])
    assert "abs(sub(x, y)) = abs(sub(y, x))" in equations(
        found
    )  # by abs(neg(sub(x, y))), which is no side of it


def test_an_op_of_the_user_is_seen_by_its_values(bent: None) -> None:
    found = eqsat.discover("neg,turned", size=3, from_=[])
    assert "turned(x) = neg(x)" in equations(found)
    assert 'OPS["turned"](x)' in found.python()


def test_what_is_equal_at_drawn_points_alone_is_refused(bent: None) -> None:
    found = eqsat.discover("neg,bent", size=3, from_=[])
    assert "bent(x) = neg(x)" not in equations(found) and "neg(neg(x)) = x" in equations(found)
    assert any(text.startswith('OPS["bent"](x) = ') for text, _ in found.refused)


def test_wrong_candidates_have_no_tier_of_a_number() -> None:
    larger = gains(eqsat.rule("r", T.exp(T.log(x)), abs(x)), "float64", 0)
    assert larger.tiers == ("extends",)  # a larger domain is no rounding
    smaller = gains(eqsat.rule("r", T.log(x * y), T.log(x) + T.log(y)), "float64", 0)
    assert smaller.tiers == ()
    nearly = gains(eqsat.rule("r", T.maximum(x, -50.0), x), "float64", 0)
    assert nearly.wrong and nearly.tiers == ()
    flat = gains(eqsat.rule("r", T.log1p(T.expm1(x)), x), "float64", 0)
    assert flat.tiers == ("stabilises",)  # at -1000 there is a value that 40 digits do not show
    assert gains(eqsat.rule("r", T.log(T.exp(x)), x), "float32", 0).tiers == ("stabilises",)


def test_rules_that_make_different_functions_one_contradict() -> None:
    terms = Terms(Grammar.of("exp,log,abs"))
    pairs = [Pair(k, terms.first[k]) for n in (2, 3) for k in terms.grow(n)]
    place = next(k for k, n in enumerate(terms.nodes) if n.op is not None and n.op.name == "abs")
    given = (("x", Said("nonneg")),)
    variables = terms.variables

    def contradiction(rule: Rule, pair: Pair) -> bool:
        return asked(Question(terms, [*pairs, pair], RuleSet([rule]), variables)).contradiction

    wrong = eqsat.rule("wrong", abs(x), x)
    assert not contradiction(eqsat.rule("good", T.log(T.exp(x)), x), Pair(place, place))
    assert contradiction(wrong, Pair(place, place))
    assert not asked(Question(terms, [Pair(place, 0, given)], RuleSet([wrong]), variables)).contradiction


@pytest.mark.sweep
def test_integers_and_bools_have_rules_too() -> None:
    assert "maximum(x, minimum(x, y)) = x" in equations(
        eqsat.discover("maximum,minimum", 5, "int64", [], conditions=False)
    )
    found = equations(eqsat.discover("and,or,invert", 5, "bool", []))
    assert {"invert(invert(x)) = x", "and(x, or(x, y)) = x"} <= found


def conditional(found: Discovery) -> set[str]:
    return {f"{r.equation} when {r.when}" for r in found.rules if r.when is not None}


@pytest.mark.sweep
def test_a_law_has_the_weakest_condition_that_it_needs() -> None:
    found = eqsat.discover("log,exp,log1p,expm1,sqr,sqrt", size=3, from_=[])
    assert conditional(found) >= {
        "exp(log(x)) = x when nonneg(x)",
        "expm1(log1p(x)) = x when not_below(x, -1.0)",
        "sqrt(sqr(x)) = x when nonneg(x)",
    }
    for rule in found.rules:
        assert verify(rule, seed=5, egraph=False) and (rule.when is None or breaks_outside(rule))
    text = found.python()
    assert "when=(x >= 0)" in text and "when=(x >= -1.0)" in text


@pytest.mark.parametrize(
    ("ops", "dtype"), [("mod,floordiv", "int64"), ("and,xor,eq", "bool"), ("lt,abs", "float64")]
)
def test_numbers_are_written_in_their_dtype(ops: str, dtype: str, tmp_path: Path) -> None:
    found = eqsat.discover(ops, 3, dtype, from_=[], conditions=False)
    file = tmp_path / "rules.py"
    file.write_text(found.python())
    assert found.rules and sorted(map(str, load_rules(str(file)))) == sorted(map(str, found.rules))


def test_conditions_of_some_facts_alone_are_tried() -> None:
    found = eqsat.discover("exp,log,log1p,expm1", 3, from_=[], conditions=["not_below"])
    assert conditional(found) == {"expm1(log1p(x)) = x when not_below(x, -1.0)"}
    for ranks, name in (((), "covers"), ((2,), "nonneg")):
        with pytest.raises(ArgumentError, match=f"there is no condition named '{name}'"):
            eqsat.discover("exp,log", 3, ranks=ranks, conditions=[name])


def test_a_comparison_with_a_number_is_a_condition() -> None:
    for when, text in ((x >= -1.0, "not_below(x, -1.0)"), (0.5 >= x, "not_above(x, 0.5)")):
        assert str(eqsat.rule("r", T.exp(T.log1p(x)), x + 1, when=when, tier="loose").when) == text


def test_facts_of_several_variables_are_asked_for_where_each_is_needed() -> None:
    found = eqsat.discover("abs,mul", size=4, from_=[], numbers=[])
    assert any("nonneg(x)" in line and "nonneg(y)" not in line for line in conditional(found))
    assert "abs(mul(x, y)) = mul(x, y) when nonpos(x) and nonpos(y)" in conditional(found)


def test_conditions_come_from_the_table_of_facts() -> None:
    made = fact("above_one", "lo(a) > 1.0", lambda x: not np.any(x <= 1), "x > 1.")
    facts_of_elements.cache_clear()
    try:
        elemwise(c="({x} > 1 ? {x} : 0)", signature="f->f", name="kept_above_one")(
            lambda x: np.where(x > 1, x, 0 * x)
        )
        found = eqsat.discover("kept_above_one", size=2, from_=[])
        assert conditional(found) == {f"kept_above_one(x) = x when {made(reals('x'))}"}
    finally:
        forget_op("kept_above_one")
        del FACTS["above_one"]
        facts_of_elements.cache_clear()


def test_terms_that_are_told_apart_make_larger_ones(bent: None) -> None:
    found = eqsat.discover("neg,bent", size=4, from_=[], conditions=False)
    assert "bent(bent(x)) = x" not in equations(found)
    assert any("bent" in text and "neg" in text for text, _ in found.refused)


@pytest.mark.sweep
def test_a_search_goes_on_where_it_was_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = eqsat.discover("neg,abs", size=4, from_=[])
    first = eqsat.discover("neg,abs", size=3, from_=[], folder=tmp_path)
    path = next(tmp_path.glob("*.jsonl"))
    before = path.read_text()
    path.write_text(before + '["cut off')
    again = eqsat.discover("neg,abs", size=3, from_=[], folder=tmp_path)
    assert again.python() == first.python() and path.read_text().startswith(before)
    longer = eqsat.discover("neg,abs", size=4, from_=[], folder=tmp_path)
    assert longer.python() == whole.python()
    monkeypatch.setattr(search, "tried", None)  # every answer is there
    assert eqsat.discover("neg,abs", size=4, from_=[], folder=tmp_path).python() == whole.python()


@pytest.mark.sweep
def test_the_rules_do_not_depend_on_who_does_the_work() -> None:
    alone = eqsat.discover("neg,abs,mul", size=3, from_=[])
    with ThreadPoolExecutor(3) as pool:
        assert eqsat.discover("neg,abs,mul", size=3, from_=[], executor=pool).python() == alone.python()


@pytest.mark.sweep
def test_the_rules_are_the_same_in_several_processes(tmp_path: Path) -> None:
    ops = tmp_path / "back_op.py"
    ops.write_text(
        "from eqsat.graph.declare import elemwise\n"
        'back = elemwise(c="(-{x})", signature="f->f", name="back")(lambda x: -x)\n'
    )
    try:
        load_module(str(ops))
        alone = eqsat.discover("back,abs", size=3, from_=[])
        several = eqsat.discover("back,abs", size=3, from_=[], processes=2, modules=[str(ops)])
        assert several.python() == alone.python()
    finally:
        forget_op("back")


def test_a_number_beside_matrices_is_held_against_the_reals() -> None:
    x, y = reals("x y")
    law = law_of("t", x * (y + 1), x + x * y, tier="loose", when=rank(x, 2) & rank(y, 2))
    seen = gains(law, "float64", 0)
    assert not seen.wrong and not seen.exact
    wrong = law_of("w", x * (y + 1), x + x * y * 1.0009765625, tier="loose", when=rank(x, 2) & rank(y, 2))
    assert gains(wrong, "float64", 0).wrong


@pytest.mark.sweep
def test_laws_of_joins_products_and_numbers_of_matrices() -> None:
    found = eqsat.discover("add,mul,concatenate", size=5, ranks=(2,), seconds=60)
    laws = [str(r) for r in found.rules]
    assert any("concatenate_2{0}(x, concatenate_2{0}(y, z))" in law for law in laws), laws
    assert any("mul(x, add(y, 1)) = add(x, mul(x, y))" in law for law in laws), laws


def cut(axis: int, *bounds: Any) -> Any:
    """The op that takes a part of a matrix along an axis, between bounds of which ``"?"`` come as operands."""
    full = ("slice", None, None, None)
    return OPS["subtensor"].bind(
        pattern=tuple(("slice", *bounds, None) if a == axis else full for a in (0, 1))
    )


@pytest.mark.sweep
def test_parts_of_joins_are_pieces_and_lengths_that_differ_are_told_apart() -> None:
    ops = [OPS[name].bind(axis=0) for name in ("concatenate", "length")]
    ops += [cut(0, "?", None), cut(0, None, "?")]
    limits: dict[str, Any] = {"ranks": (2,), "numbers": [], "operations": 3}
    found = eqsat.discover(ops, size=6, from_=[], conditions=["covers"], **limits)
    end = "subtensor_2{[?:]}"
    joined = "(concatenate_2{0}(x, y), length{0}"
    x, y = eqsat.metavars("x y", ndim=2)
    whole, at = T.concatenate([x, y]), x.shape[0]
    for law in (eqsat.rule("first", whole[:at], x), eqsat.rule("second", whole[at:], y)):
        assert eqsat.derive(law, found.rules), f"{law} is found, perhaps as a join of one piece"
    assert f"{end}{joined}(x)) = y" in equations(found)
    assert f"{end}{joined}(y)) = y" not in equations(found), "only where both have one length"
    assert "concatenate_1{0}(x) = x" in equations(found)
    assert all(verify(rule, seed=7) for rule in found.rules)
    wider = eqsat.discover(ops, size=6, from_=[], **limits)
    part = eqsat.rule("part", x[: y.shape[0]], x, when=eqsat.conditions.equal_lengths(x, y, 0))
    assert eqsat.derive(part, wider.rules) and any("equal_lengths" in line for line in conditional(wider))


@pytest.mark.sweep
def test_joins_of_joins_are_one_where_lengths_are_known_to_be_equal() -> None:
    joins = [OPS["concatenate"].bind(axis=axis) for axis in (0, 1)]
    found = eqsat.discover(joins, size=7, from_=[], ranks=(2,), numbers=[], operations=3)
    x, y, z, w = eqsat.metavars("x y z w", ndim=2)
    rows = [T.concatenate(pair, axis=1) for pair in ((x, y), (z, w))]
    columns = [T.concatenate(pair, axis=0) for pair in ((x, z), (y, w))]
    when = eqsat.conditions.equal_lengths(x, z, 1)
    law = eqsat.rule("blocks", T.concatenate(rows, axis=0), T.concatenate(columns, axis=1), when=when)
    assert eqsat.derive(law, found.rules)


@pytest.mark.sweep
def test_terms_of_seven_parts_have_four_variables_and_as_many_operations_as_are_asked_for() -> None:
    move, join = OPS["dimshuffle"].bind(pattern=(1, 0)), OPS["concatenate"].bind(axis=0)
    found = eqsat.discover([OPS["add"], move, join], size=7, from_=[], ranks=(2,), numbers=[], operations=3)
    assert {"dimshuffle{(1, 0)}(dimshuffle{(1, 0)}(x)) = x"} <= equations(found)
    law = "concatenate_2{0}(add(x, y), add(z, w)) = add(concatenate_2{0}(x, z), concatenate_2{0}(y, w))"
    assert law in equations(found)


def test_a_tensor_times_a_scalar_is_tried() -> None:
    move = OPS["dimshuffle"].bind(pattern=(1, 0))
    found = eqsat.discover(["mul", move], size=4, from_=[], ranks=(0, 2), numbers=[])
    spread = "dimshuffle{(x, x)}(a)"
    law = f"dimshuffle{{(1, 0)}}(mul({spread}, x)) = mul({spread}, dimshuffle{{(1, 0)}}(x))"
    assert law in equations(found)


@pytest.mark.sweep
def test_laws_of_whole_tensors_are_found() -> None:
    found = eqsat.discover("dimshuffle,dot", size=5, from_=[], ranks=(2,), numbers=[])
    assert equations(found) >= {
        "dimshuffle{(1, 0)}(dimshuffle{(1, 0)}(x)) = x",
        "dot(dot(x, y), z) = dot(x, dot(y, z))",
    }
    assert all(verify(rule, seed=7) for rule in found.rules)


def test_a_law_of_broadcast_sums_has_a_condition_on_axes(tmp_path: Path) -> None:
    found = eqsat.discover("sum,add", size=4, from_=[], ranks=(1,), numbers=[])
    assert "sum{(0,)}(sum{(0,)}(u)) = sum{(0,)}(u)" in equations(found)
    file = tmp_path / "of_vectors.py"
    file.write_text(found.python())
    assert {r.equation for r in load_rules(str(file))} == equations(found)


def test_time_that_is_over_is_said_once() -> None:
    found = eqsat.discover("exp,log,add,neg", size=5, from_=[], seconds=0.01)
    assert found.stopped and str(found).count("the time was over") == 1


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(ArgumentError, match="discover: there is no op named 'epx'"):
        eqsat.discover("epx")
    with pytest.raises(ArgumentError, match="discover: sum is not elementwise"):
        eqsat.discover("exp,sum")
    with pytest.raises(ArgumentError, match="discover: there are no ops"):
        eqsat.discover("")
    with pytest.raises(ArgumentError, match=r"discover: ranks=\(7,\)"):
        eqsat.discover("exp", ranks=(7,))
    with pytest.raises(ArgumentError, match="cannot be written"):
        eqsat.discover("exp", folder=__file__)
    with pytest.raises(ArgumentError, match="discover: size=1"):
        eqsat.discover("exp", size=1)
    with pytest.raises(DTypeError, match="discover: no rules are looked for over complex128"):
        eqsat.discover("exp", dtype="complex128")


def test_the_command_writes_a_file_that_verify_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ops = tmp_path / "ops_of_mine.py"
    ops.write_text(
        "from eqsat.graph.declare import elemwise\n"
        'back = elemwise(c="(-{x})", signature="f->f", name="back")(lambda x: -x)\n'
    )
    file = tmp_path / "found_rules.py"
    try:
        command = ["rules", "discover", "--ops", "neg,back", "--size", "3", "--from", "none"]
        assert main([*command, "--module", str(ops), "--output", str(file)]) == 0
        assert "back(x)" in capsys.readouterr().out
        loaded = load_rules(str(file))
        assert "back(x) = neg(x)" in {r.equation for r in loaded}
        assert main(["rules", "verify", str(file), "--seed", "9", "-n", "1"]) == 0
        capsys.readouterr()
        assert main([*command, "--json"]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert {line["rule"] for line in lines} == {r.name for r in loaded}
        assert main(["rules", "discover", "--ops", "neg", "--size", "2", "--from", "none"]) == 1
    finally:
        forget_op("back")
