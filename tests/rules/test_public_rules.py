"""Rules that users write as expressions: what they become, that they take part, and what a mistake is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import verify
from eqsat.egraph.compile_rule import guards_shape
from eqsat.errors import ArgumentError, CostError, RuleError
from eqsat.rules import RuleSet, all_rules, default_rules
from eqsat.rules.rule import select_rules
from eqsat.verify.sweep import POINTS

x, y, c = eqsat.metavars("x y c")
A, B, C = eqsat.metavars("A B C", ndim=2)
v, w = eqsat.metavars("v w", ndim=1)
n = eqsat.metavars("n", dtype="int")
p = eqsat.metavars("p", dtype="bool")
k, m = eqsat.metaconstants("k m")
s, t = eqsat.metaaxes("s t")
WHEN = eqsat.conditions
BACKWARD = ["backward"]

# ----------------------------------------------------------------------------------------------- what is read


def text(left: Any, right: Any, **options: Any) -> str:
    """The text of a rule, without its name and tier."""
    return re.sub(r"^r: | \[\w+\]$", "", str(eqsat.rule("r", left, right, **options)))


@pytest.mark.parametrize(
    ("left", "right", "options", "reads"),
    [
        (T.log(T.exp(x)), x, {}, "log(exp(x)) = x"),
        (2 * x + 0.5, 0.5 + x * 2, {}, "add(mul(2, x), 0.5) = add(0.5, mul(x, 2))"),
        (T.switch(p, x, x), x, {}, "switch(p, x, x) = x"),
        (T.maximum(n, n), n, {}, "maximum(n, n) = n"),
        (abs(-x), T.abs(x), {"when": (x > 0) & (0 <= c) & T.neq(x, 0)}, None),
        (T.sum(x * c, axis=s), T.sum(x, axis=s) * c, {"when": WHEN.invariant(c, s)}, "sum{s}(mul(x, c)) = mul(sum{s}(x), c) when invariant(c, s)"),
        (T.prod(T.prod(x, axis=s), axis=t), T.prod(x, axis=s | t), {"when": WHEN.disjoint(s, t)}, "prod{t}(prod{s}(x)) = prod{|(s, t)}(x) when disjoint(s, t)"),
        (A.T.T, A, {}, "dimshuffle{(1, 0)}(dimshuffle{(1, 0)}(A)) = A when rank(A, 2)"),
        ((A @ B) @ C, A @ (B @ C), {}, "dot(dot(A, B), C) = dot(A, dot(B, C)) when rank(A, 2) and rank(B, 2) and rank(C, 2)"),
        (T.sum(A, axis=0)[1:], T.sum(A[:, 1:], axis=0), {}, None),
        (T.concatenate([v, w])[::-1], T.concatenate([w[::-1], v[::-1]]), {}, None),
        (T.exp(k * A), T.exp(A) ** k, {}, "exp(mul(k, A)) = pow(exp(A), k) when single(k) and rank(k, 2) and rank(A, 2)"),
        (lambda a, b: T.exp(a) * T.exp(b), lambda b, a: T.exp(a + b), {}, "mul(exp(a), exp(b)) = exp(add(a, b))"),
        (lambda a=A: a + a, lambda a=A: 2 * a, {}, "add(A, A) = mul(2, A) when rank(A, 2)"),
    ],
)  # fmt: skip
def test_sides_are_read_off_their_graphs(left: Any, right: Any, options: Any, reads: str | None) -> None:
    if reads is None:
        with pytest.raises(RuleError, match="does not bind c") if options else _nothing():
            text(left, right, **options)
    else:
        assert text(left, right, **options) == reads


def _nothing() -> Any:
    from contextlib import nullcontext

    return nullcontext()


@pytest.mark.parametrize(
    ("when", "reads"),
    [
        (x > 0, "positive(x)"),
        (x >= 0, "nonneg(x)"),
        (x < 0, "negative(x)"),
        (x <= 0, "nonpos(x)"),
        (0 < x, "positive(x)"),
        (T.neq(x, 0), "nonzero(x)"),
        (x >= y, "at_least(x, y)"),
        (x <= y, "at_least(y, x)"),
        (k > 2, "single(k) and above(k, 2.0)"),
        (k < -1, "single(k) and below(k, -1.0)"),
        (WHEN.finite(x) & (y > 0) & WHEN.bounded(y), "finite(x) and bounded(y) and positive(y)"),
        ((y > 0) & WHEN.finite(x), "finite(x) and positive(y)"),
        (WHEN.covers(x, s) & WHEN.invariant(y, s | t), "covers(x, s) and invariant(y, |(s, t))"),
        (WHEN.whole(k) & WHEN.short(m), "single(k) and single(m) and whole(k) and short(m)"),
    ],
)
def test_conditions(when: Any, reads: str) -> None:
    left = T.sum(T.sum(x + y, axis=s), axis=t) + (k * m if "k" in reads else 0)
    one = eqsat.rule("r", T.exp(left), left, when=when)
    wanted = (
        reads if "k" not in reads or "m" in reads else reads.replace("single(k)", "single(k) and single(m)")
    )
    assert str(one.when) == wanted


# ------------------------------------------------------------------------------------------- what they promise

SOUND = {
    "sum-scale": eqsat.rule("sum-scale", T.sum(c * x, axis=s), c * T.sum(x, axis=s), when=WHEN.invariant(c, s), tags=BACKWARD),
    "move": eqsat.rule("move", T.sum(A.T * B), T.sum(A * B.T), tags=BACKWARD),
    "vector": eqsat.rule("vector", A @ (B @ v), (A @ B) @ v, tags=BACKWARD),
    "constant": eqsat.rule("constant", (k * A) @ B, k * (A @ B), tags=BACKWARD),
    "part": eqsat.rule("part", T.exp(A)[0], T.exp(A[0]), tier="exact"),
    "powers": eqsat.rule("powers", (x**k) ** m, x ** (k * m), when=x > 0, tier="loose"),
    "relu": eqsat.rule("relu", T.maximum(x, 0) * 2, T.maximum(2 * x, 0), tier="extends"),
}  # fmt: skip


@pytest.mark.parametrize("one", SOUND.values(), ids=lambda r: r.name)
def test_they_are_verified_as_the_rules_of_eqsat(one: Any) -> None:
    assert not verify.find_failures(one, guards_shape(one))


@pytest.mark.parametrize(
    "one",
    [
        eqsat.rule("no-condition", T.max(c * x, axis=s), c * T.max(x, axis=s), when=WHEN.invariant(c, s)),
        eqsat.rule("not-symmetric", A.T @ B, A @ B.T),
        eqsat.rule("other-part", T.exp(A)[0], T.exp(A[1])),
        eqsat.rule("sign", abs(k * x), k * abs(x), when=k < 1),
    ],
    ids=lambda r: r.name,
)
def test_wrong_ones_are_found(one: Any) -> None:
    assert verify.find_failures(one, guards_shape(one), count=POINTS)


# ---------------------------------------------------------------------------------------------- in the e-graph

X, Y = T.dmatrix("X"), T.dmatrix("Y")
u, z = T.dvector("u"), T.dscalar("z")


@pytest.mark.parametrize(
    ("one", "graph"),
    [
        (eqsat.rule("own", T.cos(x) ** 2 + T.sin(x) ** 2, 1 + 0 * x), T.cos(u) ** 2 + T.sin(u) ** 2),
        (SOUND["move"], T.sum(X.T * Y)),
        (SOUND["vector"], X @ (Y @ u)),
        (SOUND["constant"], (3.0 * X) @ Y),
        (SOUND["part"], T.exp(X)[0]),
        (SOUND["relu"], T.maximum(X, 0) * 2),
        (SOUND["powers"], ((1 + T.sqr(u)) ** 1.5) ** 3.0),
        (eqsat.rule("float32", T.erf(x) - 1, -T.erfc(x)), T.erf(T.fvector("f")) - 1),
        (eqsat.rule("ints", n * 2, n + n), T.lvector("i") * 2),
        (eqsat.rule("rows", v + A, A + v), u + X),
    ],
    ids=lambda a: getattr(a, "name", ""),
)
def test_they_match_what_users_write(one: Any, graph: Any) -> None:
    assert eqsat.optimize(graph, rules=one).rules[one.name]


def test_functions_compiled_with_them_give_the_same_values() -> None:
    rng = np.random.default_rng(0)
    values = [rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)]
    outputs = [T.sum(X.T * Y), X @ (Y @ u), (3.0 * X) @ Y, T.exp(X)[0], T.maximum(X, 0) * 2]
    mine = default_rules() + list(SOUND.values())
    for a, b in zip(
        eqsat.function([X, Y, u], outputs, rules=mine)(*values),
        eqsat.function([X, Y, u], outputs, mode="reference")(*values),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_metavariables_may_have_any_name() -> None:
    names = eqsat.metavars("e r1 n1 c1 v1 p1 swap mask_e dtype_r1 lit0 new")
    e, r1, n1, c1, v1, p1, swap, mask_e, dtype_r1, lit0, new = names
    left = T.log(T.exp(e * r1 + n1 - c1)) * v1 / p1 + swap * mask_e - dtype_r1 * lit0 + T.maximum(new, 0)
    right = (e * r1 + n1 - c1) * v1 / p1 + swap * mask_e - dtype_r1 * lit0 + T.maximum(new, 0)
    odd = eqsat.rule("odd-names", left, right, when=(v1 > 0) & (mask_e > 0), tier="loose")
    tensors = [1 + T.sqr(T.dvector(n.name)) for n in names]
    terms = dict(zip([n.name for n in names], tensors, strict=True))
    graph = T.log(T.exp(terms["e"] * terms["r1"] + terms["n1"] - terms["c1"])) * terms["v1"] / terms["p1"]
    graph += terms["swap"] * terms["mask_e"] - terms["dtype_r1"] * terms["lit0"]
    assert "odd-names" not in eqsat.optimize(graph, rules=odd).rules
    graph = T.log(T.exp(terms["e"] * terms["r1"] + terms["n1"] - terms["c1"])) * terms["v1"] / terms["p1"]
    graph = (
        graph
        + terms["swap"] * terms["mask_e"]
        - terms["dtype_r1"] * terms["lit0"]
        + T.maximum(terms["new"], 0)
    )
    assert "odd-names" in eqsat.optimize(graph, rules=odd).rules


def test_what_is_kept_of_a_compiled_function_tells_rules_apart() -> None:
    near = [eqsat.rule("near", T.sin(x), T.cos(x) + number, tier="loose") for number in (1.0, 1.0 + 2.0**-20)]
    assert str(near[0]) == str(near[1])
    first, second = (eqsat.function([u], T.sin(u), rules=RuleSet([one])) for one in near)
    assert RuleSet([near[0]]).key() != RuleSet([near[1]]).key()
    assert first.report.rules["near"] == second.report.rules["near"] == 1


def test_a_rule_that_forbids_its_own_numbers_is_not_applied_to_others() -> None:
    half = eqsat.rule("half", x**k, T.sqrt(x) ** (2 * k), when=k < 1)
    assert "half" in eqsat.optimize(u**0.75, rules=half).rules
    assert "half" not in eqsat.optimize(u**1.75, rules=half).rules
    assert "half" not in eqsat.optimize(u**z, rules=half).rules


def test_a_number_on_the_left_of_moved_axes_is_a_single_one() -> None:
    turned = eqsat.rule("turned", (A * 2).T, A.T * 2)
    assert not verify.find_failures(turned, guards_shape(turned))
    assert "turned" in eqsat.optimize((X * 2).T, rules=turned).rules
    assert "turned" not in eqsat.optimize((X * T.fill(Y, 2.0)).T, rules=turned).rules


# ---------------------------------------------------------------------------------------------------- rule sets


def test_sets_add_subtract_and_filter() -> None:
    own = SOUND["part"]
    assert len(default_rules() + own) == len(default_rules()) + 1
    assert (default_rules() + own) - own == default_rules()
    assert (
        default_rules() - "log-exp"
        == default_rules() - {"log-exp"}
        == default_rules() - [all_rules()["log-exp"]]
    )
    assert not (all_rules() - "loose").tiers("loose")
    assert all_rules().where(lambda r: r.name == "log-exp") == RuleSet([all_rules()["log-exp"]])
    assert select_rules(["exact", own]) == default_rules().tiers("exact") + own
    assert select_rules(own) == RuleSet([own])


# ------------------------------------------------------------------------------------------------------ mistakes


def told(call: Callable[[], Any]) -> str:
    """The whole message of a RuleError, lines of this file as N."""
    with pytest.raises(RuleError) as caught:
        call()
    return re.sub(r"(test_public_rules\.py):\d+", r"\1:N", str(caught.value))


MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: eqsat.rule("r", T.exp(x), x + y),
        "rule r: the right side names y, the left side does not\n"
        "  y      f64[?, ?, ?, ?, ?]   made at test_public_rules.py:N\n"
        "  needs  metavariables that the left side binds",
    ),
    (lambda: eqsat.rule("r", T.max(x, axis=s), T.max(x, axis=t)), "rule r: the left side does not bind t"),
    (lambda: eqsat.rule("r", T.exp(x), x, when=y > 0), "rule r: the left side does not bind y"),
    (lambda: eqsat.rule("r", x, T.exp(x)), "rule r: the left side x is not an op applied to something"),
    (
        lambda: eqsat.rule("r", T.sum(v.reshape((1, 1, 1, 1, v.shape[0]))), T.sum(v)),
        "rule r: rules do not see reshape{5}\n"
        "  reshape  f64[1, 1, 1, 1, ?]   made at test_public_rules.py:N\n"
        "  needs    ops that rules see: elementwise ones, reductions, products of matrices, moves of axes, parts, joins",
    ),
    (
        lambda: eqsat.rule("r", T.sum(A, axis=0), A),
        "rule r: the left side has 1 dimensions, the right side 2\n"
        "  left   f64[?]   made at test_public_rules.py:N\n"
        "  right  f64[?, ?]   made at test_public_rules.py:N\n"
        "  needs  sides of one rank",
    ),
    (
        lambda: eqsat.rule("r", T.exp(v), T.gt(v, 0)),
        "rule r: the left side is float64, the right side bool\n"
        "  left   f64[?]   made at test_public_rules.py:N\n"
        "  right  bool[?]   made at test_public_rules.py:N\n"
        "  needs  sides of one dtype\n"
        "  try    T.cast",
    ),
    (
        lambda: eqsat.rule("r", T.exp(x), x, tier="fast"),
        "rule r: unknown tier 'fast'\n  needs  one of exact, extends, rounds, stabilises, loose",
    ),
    (
        lambda: eqsat.rule("r", T.exp(x), x, when="positive"),
        "rule r: when='positive' is no condition\n"
        "  needs  a comparison such as x > 0, or one of eqsat.conditions, joined by & and |",
    ),
    (
        lambda: eqsat.rule("r", T.exp(x), x, when=T.neq(x, 2)),
        "rule r: the e-graph cannot tell whether this comparison holds\n"
        "  neq    bool[?, ?, ?, ?, ?]   made at test_public_rules.py:N\n"
        "  needs  <, <=, > or >= between metavariables, terms of them and numbers, or T.neq(x, 0), joined by & and |\n"
        "  try    eqsat.conditions",
    ),
    (
        lambda: eqsat.rule("r", T.exp(x), x, when=~WHEN.finite(x)),
        "the e-graph never knows that finite(x) does not hold\n"
        "  needs  a comparison after ~, or the opposite fact",
    ),
    (
        lambda: default_rules() + eqsat.rule("log-exp", T.exp(x), x),
        "two rules are named 'log-exp'\n"
        "  one    log-exp: log(exp(x)) = x [stabilises]\n"
        "  other  log-exp: exp(x) = x [rounds]\n"
        "  try    another name, or rules - 'log-exp' + mine",
    ),
    (
        lambda: eqsat.rule("r", T.exp(u), u),
        "rule r: u is no metavariable\n"
        "  u      f64[?]   made at test_public_rules.py:N\n"
        "  needs  metavariables and numbers\n"
        '  try    u = eqsat.metavars("u", ndim=1)',
    ),
    (
        lambda: eqsat.rule("r", v + np.array([1.0, 2.0]), v),
        "rule r: a constant of several elements cannot stand in a rule\n"
        "  constant  f64[2]   made at test_public_rules.py:N\n"
        "  needs     numbers and metavariables\n"
        "  try       eqsat.metaconstants for numbers that differ from graph to graph",
    ),
    (
        lambda: eqsat.rule("r", T.sum(x), T.sum(x + 0)),
        "rule r: sum{(0, 1, 2, 3, 4)} depends on the number of dimensions of x\n"
        "  sum    f64[1, 1, 1, 1, 1]   made at test_public_rules.py:N\n"
        "  needs  metavariables of a known rank, or axes that are left open\n"
        '  try    eqsat.metavars("x", ndim=2), or axis=eqsat.metaaxes("s")',
    ),
    (
        lambda: eqsat.rule("r", x * A, A * x),
        "rule r: mul depends on the number of dimensions of x\n"
        "  mul    f64[?, ?, ?, ?, ?]   made at test_public_rules.py:N\n"
        "  needs  metavariables of a known rank\n"
        '  try    eqsat.metavars("x", ndim=2)',
    ),
    (
        lambda: eqsat.rule("r", x.T, x),
        "rule r: dimshuffle{(4, 3, 2, 1, 0)} depends on the number of dimensions of x\n"
        "  dimshuffle  f64[?, ?, ?, ?, ?]   made at test_public_rules.py:N\n"
        "  needs       metavariables of a known rank\n"
        '  try         eqsat.metavars("x", ndim=2)',
    ),
    (lambda: eqsat.rule("r", x + y, x + y), "rule r: both sides are add(x, y)"),
    (
        lambda: eqsat.rule("my rule", T.exp(x), x),
        "a rule cannot be named 'my rule'\n  needs  letters, digits, - and _",
    ),
    (
        lambda: eqsat.rule("r", T.exp(x), "x"),
        "rule r: a side is 'x', of the class str\n  needs  an expression over metavariables",
    ),
    (
        lambda: eqsat.rule("r", (T.exp(x), T.log(x)), (x,)),
        "rule r: the left side has 2 outputs, the right side 1",
    ),
    (
        lambda: eqsat.rule("r", T.exp(eqsat.metavars("a")), eqsat.metavars("a")),
        "rule r: the sides name two metavariables a\n"
        "  left   f64[?, ?, ?, ?, ?]   made at test_public_rules.py:N\n"
        "  right  f64[?, ?, ?, ?, ?]   made at test_public_rules.py:N\n"
        "  needs  one of them on both sides",
    ),
    (
        lambda: eqsat.rule("r", (k * A) + (k * v).sum(), A),
        "rule r: k stands beside tensors of 2 and of 1 dimensions\n  needs  a metaconstant for each",
    ),
    (lambda: eqsat.metavars(""), "metavars: '' holds no names\n  needs  text such as \"x y\""),
    (lambda: eqsat.metavars("_e"), "metavars: '_e' holds no names\n  needs  text such as \"x y\""),
    (lambda: eqsat.metavars("x x"), "metavars: x is named twice in 'x x'"),
    (lambda: eqsat.metavars("x", ndim=-1), "metavars: ndim=-1\n  needs  None, or a number from 0 to 4"),
    (
        lambda: eqsat.metavars("x", dtype="float16"),
        "metavars: a rule has no metavariables of 'float16'\n  needs  one of float, int, number, bool, any\n  try    float",
    ),
    (
        lambda: WHEN.whole(x),
        "whole: x is no metaconstant\n  needs  one made by metaconstants",
    ),
    (lambda: WHEN.invariant(x, -1), "invariant: -1 are no axes\n  needs  metaaxes, or numbers counted from 0"),
    (
        lambda: WHEN.finite(u),
        "finite: u is no metavariable\n  needs  one made by metavars or metaconstants",
    ),
    (lambda: WHEN.finite(x) ^ (x > 0), "conditions are joined by & and |, not by xor"),
    (
        lambda: WHEN.finite(x) and x > 0,
        "the condition finite(x) has no truth value\n  needs  conditions joined by &, not by and",
    ),
    (
        lambda: eqsat.optimize(T.exp(u), rules=5),
        "5 is no rule\n  needs  rules, sets of rules, or names of rules, tags and tiers",
    ),
    (
        lambda: eqsat.optimize(T.exp(u), rules=[3]),
        "3 is no rule\n  needs  rules, sets of rules, or names of rules, tags and tiers",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), MISTAKES, ids=[m.partition("\n")[0] for _, m in MISTAKES])
def test_a_mistake_is_told(call: Callable[[], Any], message: str) -> None:
    assert told(call) == message


def test_a_minus_in_a_list_applies_to_what_stands_before_it() -> None:
    rules = default_rules()
    less = rules - "log-exp"
    assert select_rules([rules, "-log-exp"]) == less == rules + "-log-exp"
    assert select_rules(["-log-exp"]) == less
    assert select_rules([rules, "-log-exp", "log-exp"]) == rules
    with pytest.raises(RuleError, match="no rule named 'log-exp'"):
        select_rules([less, "-log-exp"])


def test_a_tag_may_be_given_as_text() -> None:
    for tags, words in (("backward", {"backward"}), ("a, b", {"a", "b"}), (["c"], {"c"})):
        assert eqsat.rule("mine", T.exp(T.log(x)), x, tier="loose", tags=tags).tags == words


def test_comparisons_joined_by_the_word_and_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"(?s)no truth value.*try +conditions joined by &"):
        eqsat.rule("r", T.exp(x), x, when=(x > 0) and (x < 5))


def test_a_condition_that_nothing_fits_is_said() -> None:
    u = eqsat.metavars("u")
    never = eqsat.rule("never", T.exp(T.log1p(u)) - 1, u, when=(u > 0) & (u < 0))
    found = verify.verify(never)
    assert not found and "no point fits the condition: no number u does" in str(found)


def test_the_output_that_is_wrong_is_named_and_a_point_is_shown_once() -> None:
    u, v, c, s = eqsat.metavars("u"), eqsat.metavars("v"), eqsat.metaconstants("c"), eqsat.metaaxes("s")
    second = verify.verify(eqsat.rule("second", (u + v, u - v), (v + u * 1, v - u)))
    assert str(second).splitlines()[-1].strip().startswith("output 1: left ")
    summed = str(verify.verify(eqsat.rule("summed", T.sum(c * u, axis=s), T.sum(u, axis=s) + c)))
    assert summed.count("u=") == 1 and "    at    c=" in summed


@pytest.mark.parametrize("rank", [None, 2])
@pytest.mark.parametrize("function", [T.mean, T.var, T.std])
def test_what_counts_elements_is_refused_over_open_axes(function: Any, rank: int | None) -> None:
    u, s = eqsat.metavars("u", ndim=rank), eqsat.metaaxes("s")
    with pytest.raises(ArgumentError, match="how many elements there are along s is not known"):
        function(u, axis=s)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"extractor": len}, "extractor=<built-in function len> is not a name"),
        ({"extractor": "none"}, "extractor 'none' is not known"),
        ({"seconds": "a"}, "seconds is 'a'"),
        ({"seconds": -1}, "seconds is -1"),
        ({"seconds": float("nan")}, "seconds is nan"),
        ({"seconds": True}, "seconds is True"),
    ],
)
def test_extractors_and_seconds_that_are_none_are_refused(options: Any, said: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        eqsat.optimize(T.exp(T.dvector("x")), **options)
    assert str(caught.value).startswith(said)


def test_what_is_no_cost_model_is_refused() -> None:
    for call in (lambda: eqsat.optimize(T.exp(u), model=5), lambda: eqsat.function([u], T.exp(u), model=0)):
        with pytest.raises(CostError, match="is no cost model"):
            call()
