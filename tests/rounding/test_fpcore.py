"""FPCore: what is read, with which values, and in which words the rest is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.cli import main
from eqsat.rounding import read_fpcore


def value(text: str, *given: float) -> float:
    """The value of an expression at a point."""
    (core,) = read_fpcore(text)
    assert not core.refused, core.refused
    return float(core.output.eval(dict(zip(core.inputs, given, strict=True))))


def measured(text: str) -> Any:
    """The error of an expression under its condition."""
    (core,) = read_fpcore(text)
    return eqsat.accuracy(core.output, core.ranges, accept=core.accept)


@pytest.mark.parametrize(
    "body, want",
    [
        ("(if (!= x 2 x) 1 0)", 0.0),  # all differ, not only neighbours
        ("(if (!= x 2 4) 1 0)", 1.0),
        ("(if (< x 2 1) 1 0)", 0.0),
        ("(+ x 1e400)", np.inf),
        ("(+ x -1e999999999)", -np.inf),
        ("(+ x 1e-999999999)", 1.0),
        ("(+ x (digits 123 -2 10))", 2.23),
        ("(+ x (digits 1 9999 10))", np.inf),
        ("(let* ((x (+ x 1)) (x (* x 2))) x)", 4.0),
        ("(let ((x 5) (y x)) (- x y))", 4.0),
    ],
)
def test_values(body: str, want: float) -> None:
    assert value(f"(FPCore (x) {body})", 1.0) == want


@pytest.mark.parametrize(
    "core, why",
    [
        ("(FPCore (x) :round toZero (+ x 1))", "results are rounded to nearestEven, not toZero"),
        ("(FPCore (x) (! :round toPositive (+ x 1)))", "results are rounded to nearestEven, not toPositive"),
        ("(FPCore (x x) x)", "two arguments are named x"),
        ("(FPCore (x) (let ((a 1) (a 2)) a))", "two values of let are named a"),
        ("(FPCore (x) (let ((a)) a))", "let does not begin with pairs of a name and an expression"),
        ("(FPCore (x) (let (a 1) a))", "let does not begin with pairs of a name and an expression"),
        ("(FPCore (x) (let ((a 1)) a x))", "let has 2 bodies, not one"),
        ("(FPCore (x) (! :precision binary32 x x))", "! has 2 bodies, not one"),
        ("(FPCore (x) (cast x x))", "cast has 2 bodies, not one"),
        ("(FPCore (x) (digits 1 2))", "digits has other operands than a mantissa, an exponent and a base"),
        (
            "(FPCore (x) (digits 1 99999999999 10))",
            "digits has no form here for the base 10 and the exponent 99999999999",
        ),
        ("(FPCore (x) (if (< x) 1 0))", "< of 1 operands has no form here"),
    ],
)
def test_what_has_no_form_is_refused_in_words(core: str, why: str) -> None:
    assert [c.refused for c in read_fpcore(core)] == [why]


def test_rounding_to_nearest_and_names_in_quotes_are_read() -> None:
    (core,) = read_fpcore(r'(FPCore (x) :name "a \"b\" \\ c" :round nearestEven x)')
    assert (core.name, core.refused) == (r'a "b" \ c', "")


def test_ranges_are_those_of_all_parts_and_of_one_of_some() -> None:
    condition = "(and (or (< 1 x 2) (< 3 x 4 y)) (> 10 y))"
    (core,) = read_fpcore(f"(FPCore (x y) :pre {condition} (/ x y))")
    x, y = core.inputs
    most = float(np.finfo("float64").max)
    assert core.ranges == {x: (1.0, 4.0), y: (-most, 10.0)}
    found = eqsat.accuracy(core.output, core.ranges, accept=core.accept)
    assert len(found.errors) == 256
    assert not np.any((found.points["x"] >= 2) & (found.points["x"] <= 3))
    (narrow,) = read_fpcore("(FPCore (x) :precision binary32 :pre (< 0 x 1e300) (sqrt x))")
    assert np.isfinite(eqsat.accuracy(narrow.output, narrow.ranges).points["x"]).all()


def test_arguments_that_only_the_condition_reads() -> None:
    found = measured("(FPCore (x y) :pre (and (< 0 y) (< 1 x 2)) (/ 1 x))")
    assert len(found.errors) == 256 and list(found.points) == ["x"]
    assert measured("(FPCore (x) :pre (< 0 x 1) 3)").bits == 0.0


def test_a_branch_that_is_not_taken_need_not_be_real() -> None:
    found = measured(
        "(FPCore (x) :pre (< -2 x 2) (if (< 1 (* x x)) (sqrt (- (* x x) 1)) (sqrt (- 1 (* x x)))))"
    )
    assert len(found.errors) == 256 and found.worst < 20
    beyond = abs(found.points["x"]) > 1
    assert beyond.any() and not beyond.all()


def test_a_file_without_expressions_is_refused(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "other.py"
    file.write_text("x = 1")
    assert main(["accuracy", str(file)]) == 2
    assert "other.py holds no FPCore" in capsys.readouterr().err
