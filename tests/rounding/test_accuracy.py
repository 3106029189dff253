"""Errors in bits against real arithmetic, graphs chosen by them, and expressions of FPBench."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.errors import ArgumentError
from eqsat.rounding import read_fpcore
from eqsat.rounding.bits import bits_of_error, float_at, order

x, y = T.dscalars("x", "y")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_places_of_floats_are_in_order_and_lead_back(dtype: str) -> None:
    values = np.array(
        [-np.inf, -2.5, -1e-40, -0.0, 0.0, 1e-40, 1.0, np.nextafter(1, 2, dtype=dtype), np.inf], dtype
    )
    places = order(values)
    assert (np.diff(places) >= 0).all() and places[7] - places[6] == 1 and places[3] == places[4] == 0
    np.testing.assert_array_equal(float_at(places, dtype), values)


def test_errors_count_floats_and_nan_has_all_bits() -> None:
    got = np.array([1.0, np.nextafter(1.0, 2.0), np.nan, np.nan, np.inf])
    want = np.array([1.0, 1.0, 1.0, np.nan, np.inf])
    np.testing.assert_allclose(bits_of_error(got, want), [0, 1, 64, 0, 0])


@pytest.mark.parametrize(
    "written, ranges, least",
    [
        (T.exp(x) - 1, {x: (1e-300, 1e-10)}, 40),
        (T.sqrt(x + 1) - T.sqrt(x), {"x": (1e20, 1e300)}, 40),
        (T.log(1 + x), {x: (1e-300, 1e-20)}, 40),
        ((x + y) - x, {x: (1e20, 1e30), y: (1e-30, 1e-20)}, 40),
        (T.log(1 - x) / T.log(1 + x), {x: (1e-300, 1e-100)}, 40),  # 0 / 0 with few digits
        ((1 + x) - (1 + y), {x: (1e-120, 1e-110), y: (1e-220, 1e-210)}, 40),
    ],
)
def test_digits_that_are_lost_are_seen_however_far_out(written: Any, ranges: Any, least: float) -> None:
    assert eqsat.accuracy(written, ranges, points=32).bits > least


@pytest.mark.parametrize(
    "right", [T.expm1(x), T.log1p(abs(x)), x * y, T.tanh(x), T.softplus(x), T.hypot(x, y)]
)
def test_ops_are_right_to_the_last_place(right: Any) -> None:
    assert eqsat.accuracy(right, points=48).bits < 1.2


def test_the_op_that_loses_the_digits_comes_first() -> None:
    found = eqsat.accuracy((1 - T.cos(x)) / x**2, {x: (1e-8, 1.0)}, points=64)
    assert found.nodes[0].text == "1 - cos(x)" and found.nodes[0].bits > 15 and found.nodes[1].bits < 1.5
    parts = [bits for _, _, bits in found.by_input("x")]
    assert parts[0] > 40 > 8 > parts[-1] and "test_accuracy.py" in str(found)
    picture = found.draw()
    assert picture.count("<circle") == 64 and "bits of error" in picture


def test_arrays_are_points_too() -> None:
    v = T.dvector("v")
    found = eqsat.accuracy(T.sum(v), {v: (-1.0, 1.0)}, points=16)
    assert found.bits < 4 and found.points["v"].shape == (16, 3)
    assert eqsat.accuracy(T.sum(v) - v[0] - v[1], {v: (1e-3, 1e3)}, points=16).bits > 2


def test_what_cannot_be_measured_is_refused_by_name() -> None:
    with pytest.raises(ArgumentError, match="digamma has no formula"):
        eqsat.accuracy(T.digamma(x))
    with pytest.raises(ArgumentError, match="z is no input"):
        eqsat.accuracy(T.exp(x), {"z": (0, 1)})
    with pytest.raises(ArgumentError, match="is no range of x"):
        eqsat.accuracy(T.exp(x), {x: 3})
    with pytest.raises(ArgumentError, match="no point was found"):
        eqsat.accuracy(T.log(x), {x: (-2.0, -1.0)})
    with pytest.raises(ArgumentError, match="objective='accurate'"):
        eqsat.optimize(x, objective="accurate")
    with pytest.raises(ArgumentError, match="is of one output"):
        eqsat.optimize([T.exp(x), x + 1], objective="accuracy")


def test_complex_values_have_no_error_in_bits() -> None:
    z = T.zscalar("z")
    for graph in (z * z, abs(z), T.real(z)):
        with pytest.raises(ArgumentError, match="z is complex"):
            eqsat.accuracy(graph)
    with pytest.raises(ArgumentError, match="z is complex"):
        eqsat.optimize(z * z - 1, objective="accuracy")


def test_ranges_of_integers_are_those_of_their_dtype() -> None:
    i, j = T.bscalar("i"), T.lscalar("j")
    points = eqsat.accuracy(i * 1.0, {i: (-0.5, 1000)}).points["i"]
    assert points.min() >= 0 and points.max() > 100
    assert eqsat.accuracy(j * 1.0, {j: (2.0**62, 1e300)}).points["j"].min() >= 2**62
    with pytest.raises(ArgumentError, match="no int8 lies in the range of i"):
        eqsat.accuracy(i * 1.0, {i: (0.2, 0.8)})


def test_inputs_of_one_name_are_all_told() -> None:
    found = eqsat.accuracy(T.dscalar("x") - T.dscalar("x") + T.dscalar())
    assert list(found.points) == ["x", "x (input 1)", "input 2"]
    assert "by x (input 1) 0.0 from" in str(found)


def test_points_and_answers_are_checked() -> None:
    for wrong in (0, -1, "3", 2.5):
        with pytest.raises(ArgumentError, match="points="):
            eqsat.accuracy(x - 1, points=wrong)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"accept gives an array of shape \(2,\)"):
        eqsat.accuracy(x - 1, accept=lambda given: [True, False])
    assert len(eqsat.accuracy(x - 1, accept=lambda given: True).errors) == 256


sweep = pytest.mark.sweep


@pytest.mark.parametrize(
    "written, ranges, most",
    [
        pytest.param(T.sin(x + y) - T.sin(x), None, 2.0, marks=sweep),
        (T.exp(x) - 2 + T.exp(-x), None, 1.5),
        (1 / (x + 1) - 1 / x, None, 1.5),
        pytest.param(T.arctan(x + 1) - T.arctan(x), None, 1.5, marks=sweep),
        pytest.param(T.cbrt(x + 1) - T.cbrt(x), {x: (0.0, 1e300)}, 1.5, marks=sweep),
        pytest.param(T.log(x + 1) - T.log(x), {x: (1e-300, 1e300)}, 1.5, marks=sweep),
        ((1 - T.cos(x)) / T.sin(x), {x: (1e-300, 1.0)}, 1.5),
    ],
)
def test_the_accuracy_objective_finds_forms_that_keep_digits(written: Any, ranges: Any, most: float) -> None:
    before = eqsat.accuracy(written, ranges).bits
    report = eqsat.optimize(written, objective="accuracy", ranges=ranges)
    best = report.front[0]
    assert best.bits <= most < before and report.optimized == best.outputs
    costs = [m.seconds for m in report.front]
    assert costs == sorted(costs, reverse=True) or len(costs) == 1
    assert "bits" in str(report)
    f = eqsat.function([x, y], report.optimized, on_unused_input="ignore")
    given = 0.7, 1e-3
    want = eqsat.function([x, y], [written], mode="reference", on_unused_input="ignore")(*given)
    np.testing.assert_allclose(f(*given), want, rtol=1e-9)


@pytest.mark.sweep
def test_ranges_get_forms_of_their_own() -> None:
    written = T.log(1 + T.exp(x)) - T.log(
        1 + T.exp(-x)
    )  # x, with digits lost on neither side by the default rules
    report = eqsat.optimize(written, objective="accuracy", ranges={x: (-50.0, 50.0)})
    assert report.front[0].bits <= eqsat.accuracy(written, {x: (-50.0, 50.0)}).bits


CORES = """
; a comment
(FPCore (x) :name "less one" :pre (< 1e-12 x 1e-3) (- (exp x) 1))
(FPCore named (a b) :precision binary32 :pre (and (<= 1 a 2) (> b 0)) (let* ([s (+ a b)] [t (* s 1/3)]) (if (< a b) (fmax s t) (sqrt t))))
(FPCore (x) (while (< x 1) ((x x (+ x 1))) x))
(FPCore (x) :precision binary16 x)
"""


def test_fpcores_are_read_with_ranges_and_conditions() -> None:
    first, second, loop, half = read_fpcore(CORES)
    assert first.name == "less one" and first.ranges == {first.inputs[0]: (1e-12, 1e-3)}
    assert [v.type.dtype for v in second.inputs] == ["float32"] * 2 and second.name == "named"
    value = second.output.eval(dict(zip(second.inputs, [np.float32(1.5), np.float32(0.5)], strict=True)))
    np.testing.assert_allclose(value, np.sqrt(np.float32(2) / 3), rtol=1e-6)
    assert second.ranges[second.inputs[0]] == (1.0, 2.0)
    assert loop.refused == "while has no form here" and "binary16" in half.refused
    with pytest.raises(ArgumentError, match="not closed"):
        read_fpcore("(FPCore (x) x")
    assert read_fpcore(" \n") == []
    with pytest.raises(ArgumentError, match="'/no/file' cannot be read"):
        read_fpcore("/no/file")


CALLS = """
(FPCore half (a) (/ a 2))
(FPCore (x y) :name "calls" (+ (half (* x y)) (half x)))
(FPCore mixed ((! :precision binary32 x) y) (! :precision binary32 (+ (cast y) (! :precision binary64 (* x y)))))
(FPCore (x) :name "functions" (+ (fdim x 1) (round (* (/ x) 5)) (- x)))
(FPCore (x) :name "itself" (itself x))
(FPCore (x) #;(left out) (< 1 x 2))
(FPCore (x) :precision (float 5 16) x)
(FPCore (x) (let ([x 1f0]) x))
(FPCore (x) (+))
(FPCore (x) (remainder x 2))
"""


def test_fpcores_call_each_other_and_round_where_they_say() -> None:
    _, calls, mixed, functions, itself, chain, narrow, wrong, nothing, rest = read_fpcore(CALLS)
    assert float(calls.output.eval(dict(zip(calls.inputs, [3.0, 5.0], strict=True)))) == 9.0
    assert [v.type.dtype for v in [*mixed.inputs, mixed.output]] == ["float32", "float64", "float32"]
    given = np.float32(0.1), 0.3
    want = np.float32(np.float64(np.float32(0.3)) + np.float64(np.float32(0.1)) * 0.3)
    assert mixed.output.eval(dict(zip(mixed.inputs, given, strict=True))) == want
    assert float(functions.output.eval({functions.inputs[0]: 2.0})) == 1.0 + 3.0 - 2.0
    assert chain.output.type.dtype == "bool"
    assert "itself has no form" in itself.refused and "(float 5 16)" in narrow.refused
    assert "1f0 is neither a number" in wrong.refused and nothing.refused
    assert (
        rest.refused == "remainder has no form here"
    )  # NumPy's has the sign of the divisor, C's is the nearest


def test_deep_fpcores_are_read() -> None:
    (core,) = read_fpcore("(FPCore (x) " + "(sqrt " * 20_000 + "x" + ")" * 20_000 + ")")
    assert not core.refused and core.output.owner.op.name == "sqrt"


def test_conditions_that_no_point_meets_are_refused_and_no_crash() -> None:
    (core,) = read_fpcore("(FPCore (x) :pre (and (< 0 x 1) (< 2 (* x x))) (sqrt x))")
    with pytest.raises(ArgumentError, match="no point was found"):
        eqsat.accuracy(core.output, core.ranges, accept=core.accept)


@pytest.mark.sweep
def test_the_command_prints_a_line_for_each(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "some.fpcore"
    file.write_text(CORES)
    assert main(["accuracy", "--show", str(file)]) == 1
    said = capsys.readouterr()
    line = next(t for t in said.out.splitlines() if "less one" in t).split()
    assert float(line[0]) > 10 > 0.5 > float(line[1]) and float(line[2]) < 0.5
    assert "expm1(x)" in said.out and said.err.count("refused") == 2


@pytest.mark.parametrize("loss", [lambda v: T.log(1 + T.exp(v)), lambda v: T.sqrt(v + 1) - T.sqrt(v)])
def test_elements_of_vectors_are_measured_as_numbers_are(loss: Any) -> None:
    bits = [eqsat.accuracy(loss(v), ranges={v: (0.0, 1e4)}).bits for v in (T.dvector("v"), T.dscalar("v"))]
    assert abs(bits[0] - bits[1]) < 3.0, bits
