"""Rules that were written for other programs, in the forms of their files."""

from __future__ import annotations

import json
from typing import Any

import pytest

import eqsat
from eqsat.bridges.rules.files import lines_of
from eqsat.cli import main
from eqsat.errors import ArgumentError

EGG = """
fn rules() -> Vec<Rewrite> { vec![
    rw!("swap"; "(hypot ?a ?b)" => "(hypot ?b ?a)"),
    // rw!("left-out"; "(+ ?a 1)" => "?a"),
    rewrite!("cancel"; "(/ ?a ?a)" => "1"
        if is_not_zero("?a")),
    rw!("both"; "(- (- ?a))" <=> "(abs (+ ?a (* 0 ?a)))"),
    rw!("known"; "(pow ?x ?c)" => "(exp (* ?c (ln ?x)))" if is_const("?c") if is_pos("?x")),
    rw!("odd"; "(+ ?a ?b)" => "(+ ?b ?a)" if some_other("?a")),
    rw!("program"; "(f ?a)" => { Apply { a: 1 } } if x),
]}
"""
HERBIE = """#lang racket
(define-syntax-rule (define-rules group [rname input output] ...) (begin (define-rule rname input output) ...))
; a comment with (a bracket
(define-rules arithmetic
  [square-plus-* (* (+ a b) (+ a b)) (+ (* a a) (+ (* 2 (* a b)) (* b b)))]
  #;[left-out (+ a 1) a #:unsound] ; not here
  [half-turn (sin (+ x (PI))) (neg (sin x))]
  [one 1 (exp 0)]
  [safe (/ a (* b 1/2)) (sound-/ (* 2 a) b 0)])
(define-ruleset* more (a b c) #:type ([a real] [b real] [c real])
  [fdim-max (fmax (- a b) 0) (fdim a b)])
"""
AXIOMS = """
AC_NONE, AC_SIGMOID, \\
AC_RELU = range(3)
axioms = [
    (ForAll([ax,x,y], relu_0(concat_0(ax, x, y)) == concat_0(ax, relu_0(x), relu_0(y))), lambda: [(1 == 2)]),
    # (ForAll([x], relu_0(x) == x), None),
    (ForAll([x,y], split_1(0, concat_0(0, x, y)) == y), None),
]
lemmas = [
    matmul_0(const_imm_0()) == const_imm_0(),
]
print 'Python 2'
"""
TENSAT = """(matmul 0 ?x (ewadd ?y ?z))=>(ewadd (matmul 0 ?x ?y) (matmul 0 ?x ?z))
(matmul 0 ?x ?u)=>(split_0 (split 1 (matmul 0 ?x (concat 1 2 ?u ?v))))
(matmul 0 ?x ?v)=>(split_1 (split 1 (matmul 0 ?x (concat 1 2 ?u ?v))))
(conv2d 1 1 0 0 ?x (smul ?k ?w))=>(smul (conv2d 1 1 0 0 ?x ?k) ?w)
(conv2d 1 1 0 0 ?x (enlarge 3 3 ?k))=>(conv2d 1 1 0 0 ?x ?k)
"""


def verdicts(found: Any) -> list[str]:
    """The verdict of each line."""
    return [one.verdict for one in found]


def test_egg_programs_are_read_with_conditions_and_without_comments() -> None:
    found = eqsat.import_rules(EGG)
    assert [one.line.name for one in found] == [
        "swap",
        "cancel",
        "both",
        "both-reversed",
        "known",
        "odd",
        "program",
    ]
    assert str(found.lines[1].rules[0].when) == "nonzero(a)"
    known = found.lines[4].rules[0]
    assert "single(c)" in str(known.when) and "positive(x)" in str(known.when)
    assert found.lines[5].refused == "the condition some_other has no form here"
    assert found.lines[6].refused == "a side is a program, not an expression"


def test_conditions_keep_rules_where_they_hold_and_lines_without_them_are_broken() -> None:
    found = eqsat.import_rules("(sqrt (* ?a ?a)) => ?a if (>= ?a 0)\n(sqrt (* ?a ?a)) => ?a", verify=True)
    assert verdicts(found) == ["kept", "BROKEN"] and "a=" in found.lines[1].point
    assert [r.name for r in found.rules] == ["imported.1"]


def test_racket_forms_are_read_whatever_stands_beside_the_rules() -> None:
    found = eqsat.import_rules(HERBIE)
    assert [one.line.name for one in found] == ["square-plus-*", "half-turn", "one", "safe", "fdim-max"]
    assert [one.line.number for one in found] == [5, 7, 8, 9, 11]
    assert found.lines[0].rules[0].name == "imported.square-plus-mul"
    assert "no variables" in found.lines[2].refused and "switch(eq(b, 0), 0, " in str(found.lines[3].rules[0])


def test_axioms_become_a_rule_for_each_axis_and_splits_know_their_lengths() -> None:
    found = eqsat.import_rules(AXIOMS)
    assert verdicts(found) == ["read", "read", "refused"]
    assert [r.name for r in found.lines[0].rules] == ["imported.5-1", "imported.5-2"]
    assert "length{0}(x)" in str(found.lines[1].rules[0])


def test_two_lines_that_share_variables_are_one_rule_of_two_outputs() -> None:
    found = eqsat.import_rules(TENSAT)
    assert verdicts(found) == ["read"] * 4 + ["refused"] and "enlarge" in found.lines[4].refused
    assert len(found.lines[1].rules[0].pairs) == 2 and len(found.rules) == 3
    held = eqsat.import_rules("\n".join(TENSAT.splitlines()[:3]), verify=True, points=12)
    assert verdicts(held) == ["kept"] * 3
    alone = eqsat.import_rules(TENSAT.splitlines()[1])
    assert "the left side does not" in alone.lines[0].refused


def test_calls_without_ends_of_lines_are_read_one_after_the_other() -> None:
    found = eqsat.import_rules("ewadd(x,y)==ewadd(y,x)smul(matmul(x,y),w)==matmul(x,smul(y,w))")
    assert verdicts(found) == ["read", "read"]
    assert "rank(w, 0)" in str(found.lines[1].rules[0])
    scaled = eqsat.import_rules("(smul (smul ?x ?y) ?w)=>(smul ?x (smul ?y ?w))", verify=True)
    assert verdicts(scaled) == ["kept"] and "rank(y, 0)" in str(scaled.lines[0].rules[0])


def test_json_of_ruler_is_read_once_and_both_ways() -> None:
    one = {"lhs": "(- ?a ?a)", "rhs": "0", "bidirectional": False}
    two = {"lhs": "(* ?a ?b)", "rhs": "(* ?b ?a)", "bidirectional": True}
    text = json.dumps(
        {
            "params": {"seed": 0},
            "all_eqs": [one, two],
            "new_eqs": [one],
            "rules": ["(abs (~ ?a)) ==> (abs ?a)"],
        }
    )
    assert [one.line.text for one in eqsat.import_rules(text)] == [
        "(- ?a ?a) ==> 0", "(* ?a ?b) <=> (* ?b ?a)", "(* ?a ?b) <=> (* ?b ?a)", "(abs (~ ?a)) ==> (abs ?a)",
    ]  # fmt: skip


def test_dtypes_follow_from_where_variables_stand() -> None:
    truths = eqsat.import_rules("(! (! ?x)) ==> ?x\n(&& ?x (< ?a ?a)) ==> 0", verify=True)
    assert verdicts(truths) == ["kept", "kept"]
    whole = eqsat.import_rules(
        "(& ?a (~ ?a)) ==> 0\n(+ (~ ?a) 1) ==> (- ?a)\n(/ (* ?a 2) 2) ==> ?a", verify=True
    )
    assert verdicts(whole) == ["kept", "kept", "BROKEN"]  # 2 * 2**62 overflows
    assert verdicts(eqsat.import_rules("(/ (* ?a 2) 2) ==> ?a", verify=True)) == ["kept"]


def test_lengths_that_the_right_side_alone_needs_to_be_equal_are_a_condition() -> None:
    blocks = "(concat 0 (concat 1 ?x ?y) (concat 1 ?z ?w))=>(concat 1 (concat 0 ?x ?z) (concat 0 ?y ?w))"
    shared = "(concat 0 (matmul 0 ?x ?y) (matmul 0 ?z ?y))=>(matmul 0 (concat 0 ?x ?z) ?y)"
    found = eqsat.import_rules(f"{blocks}\n{shared}", verify=True)
    assert verdicts(found) == ["kept", "kept"]
    first, second = (str(r.when) for r in found.rules)
    assert "equal_lengths(x, z, 1)" in first and "equal_lengths" not in second


def test_what_no_rule_says_is_refused_with_the_reason() -> None:
    for text, why in (
        ("?a => (+ ?a 0)", "stands for every value"),
        ("(sin 0) => 0", "no variables"),
        ("(f ?a) => ?a", "f has no form here"),
        ("(+ ?a 1) => (+ ?b 1)", "does not"),
        ("(+ ?a b) => ?a", "b is neither a number"),
        ("(+ ?a (1 => ?a", "not closed"),
        ("(hypot ?a) => ?a", "hypot"),
        ("(< ?a ?b) => (+ ?a ?b)", "true or false"),
        ("(&& ?a (+ ?a 1)) => ?a", "true or false"),
    ):
        assert why in eqsat.import_rules(text).lines[0].refused, text
    for mixed in (
        'rewrite!("c"; "(+ ?a ?a)" => "(* 2 ?a)")\n(max ?a ?a) ==> ?a',
        "(abs (- ?a ?b)) ==> (abs (- ?b ?a))\n(define-rules t [s (sin (asin x)) x])",
        'rewrite!("c"; "(+ ?a ?a)" => "(* 2 ?a)")\n(define-rules t [s (sin (asin x)) x])',
    ):
        with pytest.raises(ArgumentError, match=r"the text holds .* and .*\n  needs  one notation in a file"):
            eqsat.import_rules(mixed)
    for text in ("", "no rules at all\n", "{", '{"a": 1}', "f(x == g(x)"):
        with pytest.raises(ArgumentError):
            eqsat.import_rules(text + "\n")
    with pytest.raises(ArgumentError, match="cannot be read"):
        eqsat.import_rules("/no/such/file.rules")
    with pytest.raises(ArgumentError, match="unknown tier"):
        eqsat.import_rules("(+ ?a 0) => ?a", tier="good")


def test_deep_sides_are_read() -> None:
    deep = "(neg " * 3000 + "?a" + ")" * 3000
    assert lines_of(f"{deep} => ?a")[0].left[0] == "neg"


def test_the_command_says_what_follows_and_in_which_size(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "some.rules"
    file.write_text("(log (exp ?a)) ==> ?a\n(sin ?a) ==> (cos ?a)\n")
    assert main(["rules", "import", str(file), "--verify", "--derivable", "--tier", "best"]) == 1
    said = capsys.readouterr().out
    first, second = (next(t for t in said.splitlines() if f"some.{k} " in t).split() for k in (1, 2))
    assert (
        first[2] == "kept"
        and first[4] == "yes"
        and int(first[5]) > 1
        and second[2] == "BROKEN"
        and second[4] == "no"
    )
    assert "2 lines: 1 kept, 1 BROKEN; 1 of 2 follow from the known rules" in said and "at    a=[" in said
    assert main(["rules", "import", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["verdict"] == "read"
