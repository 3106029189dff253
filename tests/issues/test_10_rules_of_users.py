"""Rules as users write them: like-shaped fillings, pi, conditions on matrices, numbers alone, and what is refused with a way out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.errors import ArgumentError, RuleError
from eqsat.rules.fact import FACTS
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule as declared
from eqsat.verify import verify

u, v = eqsat.metavars("u v")
s = eqsat.metavars("s", ndim=0)
A, B, C = eqsat.metavars("A B C", ndim=2)
x, f = T.dmatrix("x"), T.fvector("f")
known = eqsat.conditions

LIKE: list[tuple[Callable[[], Any], Callable[[Any], Any], str]] = [
    (lambda: (T.cos(u) ** 2 + T.sin(u) ** 2, T.ones_like(u)), lambda z: T.cos(z) ** 2 + T.sin(z) ** 2, "fill(u, 1)"),
    (lambda: (T.sinh(u) - T.sinh(u), T.zeros_like(u)), lambda z: T.sinh(z) - T.sinh(z), "fill(u, 0)"),
    (lambda: (T.cosh(u) / T.cosh(u) + 1, T.full_like(u, 2.0)), lambda z: T.cosh(z) / T.cosh(z) + 1, "fill(u, 2)"),
    (lambda: (T.exp(T.ones_like(u)) * u, np.e * u), lambda z: T.exp(T.ones_like(z)) * z, "2.718281828459045"),
    (lambda: (T.sinh(A) * T.zeros_like(A), T.zeros_like(A)), lambda z: T.sinh(z) * T.zeros_like(z), "fill(A, 0)"),
]  # fmt: skip


@pytest.mark.parametrize(("sides", "graph", "text"), LIKE, ids=range(len(LIKE)))
def test_fillings_in_the_shape_of_a_metavariable(sides: Any, graph: Any, text: str) -> None:
    mine = eqsat.rule("mine", *sides(), tier="extends", tags="backward")
    assert text in str(mine) and verify(mine).verdict == "kept"
    assert eqsat.optimize(graph(x), rules=mine).rules["mine"] >= 1


NUMBERS: list[tuple[Callable[[Any], Any], Callable[[Any], Any], str]] = [
    (lambda z: T.sin(z + 2 * np.pi), T.sin, "loose"),
    (lambda z: T.cos(z + np.pi), lambda z: -T.cos(z), "loose"),
    (T.log2, lambda z: T.log(z) / np.log(2), "rounds"),
    (lambda z: z * 0.1 + z * 0.2, lambda z: z * 0.3, "rounds"),
    (lambda z: T.exp(z) * 10, lambda z: T.exp(z + np.log(10.0)), "loose"),
]


@pytest.mark.parametrize(("left", "right", "tier"), NUMBERS, ids=range(len(NUMBERS)))
def test_numbers_that_float32_does_not_hold(left: Any, right: Any, tier: str) -> None:
    mine = eqsat.rule("mine", left(u), right(u), tier=tier)
    found = verify(mine)
    assert found.verdict == "kept" and found.proof == "proved", str(found)
    with eqsat.config.change_flags(autocast_float="float32"):
        graphs = [left(f)]
    for graph in [*graphs, left(x)]:
        report = eqsat.optimize(graph, rules=mine)
        assert report.rules["mine"] == 1 and report.optimized[0].type.dtype == graph.type.dtype
    assert mine.rounds_numbers and not eqsat.rule("other", T.exp(u) * 0.5, u, tier="loose").rounds_numbers


def test_rules_of_eqsat_compute_such_numbers() -> None:
    with pytest.raises(RuleError, match=r"float32 does not hold 0\.1"):
        declared("mine", T.exp(reals("z")) + 0.1, reals("z"), cite="definition")


def test_a_wrong_number_is_found_out() -> None:
    assert verify(eqsat.rule("mine", T.sin(u + 6.28), T.sin(u), tier="loose")).verdict == "BROKEN"
    assert verify(eqsat.rule("mine", T.sin(u + 2 * np.pi), T.cos(u), tier="loose")).verdict == "BROKEN"


REFUSED: list[tuple[Callable[[], Any], str, str | None]] = [
    (lambda: (u - u, 0), "the left side has as many dimensions as u, the right side 0", "T.full_like(u, 0)"),
    (lambda: (T.exp(A) * 0, 1.5), "the left side has 2 dimensions, the right side 0", "T.full_like(A, 1.5)"),
    (lambda: (u * v, T.constant(1.0)), "the left side has as many dimensions as u, v, the right side 0", "T.full_like(u, 1.0)"),
    (lambda: (A @ B, A[0]), "the left side has 2 dimensions, the right side 1", None),
]  # fmt: skip


@pytest.mark.parametrize(("sides", "what", "hint"), REFUSED, ids=range(len(REFUSED)))
@pytest.mark.parametrize("tier", ["loose", "exact"])
def test_sides_of_other_shapes_are_refused(sides: Any, what: str, hint: str | None, tier: str) -> None:
    with pytest.raises(RuleError) as error:
        eqsat.rule("mine", *sides(), tier=tier)
    assert str(error.value).startswith(f"rule mine: {what}\n") and error.value.hint == hint


def test_a_number_is_a_side_where_the_other_has_no_axes() -> None:
    mine = eqsat.rule("mine", T.sinh(s) - T.sinh(s), 0, tier="extends")
    assert verify(mine).verdict == "kept"
    z = T.dscalar("z")
    report = eqsat.optimize(T.sinh(z) - T.sinh(z), rules=mine)
    assert report.rules["mine"] == 1 and report.nodes_after == 0


def test_a_rule_of_numbers_alone_is_tried_and_told() -> None:
    right, wrong = (eqsat.rule("mine", T.sin(T.constant(0.0)), n, tier="exact") for n in (0.0, 1.0))
    assert (verify(right).verdict, verify(right).points) == ("never fires", 2)  # numbers are folded before
    found = verify(wrong)
    assert found.verdict == "BROKEN" and "numbers in float" in str(found)


def test_a_rule_without_points_is_not_called_broken(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    never = eqsat.rule("mine", T.log(u) + u, u, when=(u > 0) & (u < 0))
    found = verify(never)
    assert found.verdict == "not tried" and not found and "nothing is known of the promise" in str(found)
    assert found.as_json()["verdict"] == "not tried"
    file = tmp_path / "mine.py"
    file.write_text(
        "import eqsat, eqsat.tensor as T\nu = eqsat.metavars('u')\n"
        "RULES = [eqsat.rule('mine', T.log(u) + u, u, when=(u > 0) & (u < 0))]\n"
    )
    assert main(["rules", "verify", "--module", str(file), "-n", "1"]) == 1
    assert "1 rule: 1 not tried" in capsys.readouterr().out


MATRICES: dict[str, Callable[[], Any]] = {
    "symmetric": lambda: eqsat.rule("mine", T.linalg.inv(A).T, T.linalg.inv(A), when=known.symmetric(A), tags="backward"),
    "identity": lambda: eqsat.rule("mine", A @ B, B, when=known.identity(A), tier="extends"),
    "congruent": lambda: eqsat.rule("mine", A @ B + A @ C, A @ (B + C), when=known.congruent(B, C), tags="backward"),
    "posdef": lambda: eqsat.rule("mine", T.log(T.linalg.det(A)), T.log(T.linalg.det(A.T)), when=known.posdef(A), tags="backward"),
    "closes": lambda: eqsat.rule("mine", T.linalg.det(A @ B), T.linalg.det(B.T @ A.T), when=known.closes(A, B), tags="backward"),
}  # fmt: skip


@pytest.mark.parametrize("name", MATRICES)
def test_conditions_on_matrices(name: str) -> None:
    mine = MATRICES[name]()
    found = verify(mine)
    assert found.verdict == ("idle condition" if name == "closes" else "kept"), str(found)  # det asks for it
    assert re.search(rf"\b{name}\([AB]", str(mine))


def test_conditions_on_matrices_are_known_of_graphs() -> None:
    low = T.linalg.cholesky(T.dmatrix("K"))
    assert eqsat.optimize(T.linalg.inv(low @ low.T).T, rules=MATRICES["symmetric"]()).rules["mine"] == 1
    assert "mine" not in eqsat.optimize(T.linalg.inv(low).T, rules=MATRICES["symmetric"]()).rules


def test_conditions_are_those_of_the_facts_and_of_the_guide() -> None:
    offered = {name for name, fact in FACTS.items() if fact.offered} - known.PREDICATES.keys()
    assert set(known.__all__) == {*offered, "predicate"} <= set(dir(known))
    guide = (Path(eqsat.__file__).parents[1] / "docs" / "rules.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)\([a-z, ]*\)`", guide.partition("## Matrices")[2].partition("```")[0]))
    assert {"closes", "posdef", "lower"} <= named <= set(known.__all__)
    for name in offered:
        text = getattr(known, name).__doc__
        assert FACTS[name].doc in text and f">>> print(eqsat.conditions.{name}(" in text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: known.posdef(T.dmatrix("K")), "posdef: K is no metavariable"),
        (lambda: known.closes(A, 2), "closes: 2 is no metavariable"),
        (lambda: known.whole(u), "whole: u is no metaconstant"),
        (lambda: known.invariant(u, "rows"), "invariant: 'rows' are no axes"),
    ],
)
def test_operands_of_conditions_are_checked(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(RuleError, match=re.escape(text)):
        call()
    with pytest.raises(TypeError, match="missing a required argument"):
        known.closes(A)


def test_the_name_of_a_rule_is_no_rule() -> None:
    with pytest.raises(
        ArgumentError, match=r"is text\n  needs  a rule\n  try    eqsat.rules.all_rules\(\)\['log-exp'\]"
    ):
        verify("log-exp")  # type: ignore[arg-type]
