"""DebugMode finds wrong rules and wrong C; NanGuardMode and MonitorMode see every value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import function
from eqsat.debug import DebugMode, MonitorMode, NanGuardMode
from eqsat.errors import DebugModeError, NanGuardError, RuleError
from eqsat.graph.declare import elemwise, forget_op
from eqsat.pipeline.modes import get_mode
from eqsat.rules.pattern import reals
from eqsat.rules.rule import default_rules, rule


def test_debug_mode_gives_the_results() -> None:
    x, w = T.dmatrix("x"), eqsat.shared(np.ones((3, 2)), "w")
    loss = T.log(T.sum(T.exp(T.dot(x, w)))) + T.mean(x.argmax(axis=1)) / 2
    f = function([x], [loss, T.grad(loss, w)], updates=[(w, w * 0.5)], mode="DebugMode")
    g = function([x], [loss, T.grad(loss, w)], mode="reference")
    data = np.random.default_rng(0).normal(size=(4, 3))
    for expected, found in zip(g(data), f(data), strict=True):
        np.testing.assert_allclose(found, expected)
    assert w.get_value()[0, 0] == 0.5 and f.mode == DebugMode() and f.report is not None
    assert f(np.zeros((0, 3)) + 1.0)[1].shape == (3, 2)


def test_debug_mode_finds_a_wrong_rule() -> None:
    x, y = reals("x y")
    wrong = rule("wrong", x - y, y - x, cite="definition")
    a, b = T.dvectors("a", "b")
    f = function([a, b], T.exp(a - b), mode="DebugMode", rules=default_rules() + [wrong])
    with pytest.raises(DebugModeError, match="two forms that the rules made equal differ") as caught:
        f([1.0, 2.0], [3.0, 5.0])
    assert "wrong" in str(caught.value)
    assert f([1.0], [1.0]) == [1.0]


@pytest.fixture
def lying_op() -> Iterator[Any]:
    @elemwise(c="({x} + 2)", signature="f->f")
    def plus_one(x: Any) -> Any:
        """One more, says the meaning; two more, says the C text."""
        return x + 1

    yield plus_one
    forget_op("plus_one")


@pytest.mark.c
def test_debug_mode_finds_an_op_whose_c_differs(lying_op: Any) -> None:
    x = T.dvector("x")
    f = function([x], lying_op(x) * 3, mode="DebugMode")
    with pytest.raises(DebugModeError) as caught:
        f([1.0])
    message = str(caught.value)
    assert "plus_one(x) gives [3.] in C, its meaning is [2.]" in message
    assert "f64[?]   made at test_modes_that_look.py" in message


def test_nan_guard_names_the_op_and_the_line() -> None:
    x = T.dvector("x")
    f = function([x], T.sqrt(x) * 2, mode="NanGuardMode")
    np.testing.assert_array_equal(f([4.0]), [4.0])
    with pytest.raises(NanGuardError) as caught:
        f([-1.0])
    assert str(caught.value).startswith("sqrt(x) gives NaN\n  x ") and "test_modes_that_look.py" in str(
        caught.value
    )
    with pytest.raises(NanGuardError, match="the input x holds NaN"):
        f([np.nan])
    with pytest.raises(NanGuardError, match="the input x holds infinity"):
        f([np.inf])
    with pytest.raises(NanGuardError, match="the input x holds 1e\\+11, which is above 1e\\+10"):
        f([1e11])


def test_nan_guard_lets_through_what_it_is_told() -> None:
    x = T.dvector("x")
    guard = NanGuardMode(nan_is_error=False, inf_is_error=False, big_is_error=False)
    f = function([x], T.log(x) * 2, mode=guard)
    assert np.isnan(f([-1.0]))[0] and f([0.0])[0] == -np.inf and f([1e300])[0] > 0
    with pytest.raises(NanGuardError, match=r"log\(x\) gives infinity"):
        function([x], T.log(x), mode=NanGuardMode(nan_is_error=False))([0.0])


def test_nan_guard_looks_at_the_stable_form() -> None:
    x = T.dvector("x")
    np.testing.assert_array_equal(function([x], T.log(1 + T.exp(x)), mode="NanGuardMode")([800.0]), [800.0])


def test_monitor_sees_every_op_in_order() -> None:
    seen: list[Any] = []
    x = T.dscalar("x")
    watch = MonitorMode(
        post_func=lambda place, node, operands, results: seen.append((place, node.op.name, *operands))
    )
    assert function([x], T.exp(T.tanh(x)), mode=watch)(0.0) == 1.0
    assert seen == [(0, "tanh", 0.0), (1, "exp", 0.0)]
    assert function([x], x + 1, mode=MonitorMode())(1.0) == 2.0


def test_modes_without_some_rules() -> None:
    x = T.dvector("x")
    y = T.log(T.exp(x))
    assert function([x], y).outputs_optimised == [x]
    without = get_mode("FAST_RUN").excluding("log-exp", "inplace")
    f = function([x], y, mode=without)
    assert f.outputs_optimised != [x] and "excluding log-exp" in repr(f)
    assert without != get_mode("FAST_RUN")
    again = without.including("log-exp")
    assert function([x], y, mode=again).outputs_optimised == [x]
    with pytest.raises(RuleError, match="no-such-rule"):
        function([x], y, mode=get_mode("FAST_RUN").excluding("no-such-rule"))
    assert function([x], y, mode=without, rules="default").outputs_optimised == [x]


@pytest.mark.c
def test_a_mode_without_fusion_gives_every_op_a_kernel() -> None:
    x = T.dvector("x")
    y = T.tanh(T.exp(x) + 1)
    fused = function([x], y)
    single = function([x], y, mode=get_mode("FAST_RUN").excluding("fusion"))
    assert single.c_source is not None and fused.c_source is not None
    assert single.c_source.count("eq_spread(c") > fused.c_source.count("eq_spread(c")
    np.testing.assert_array_equal(single([0.5]), fused([0.5]))


def test_old_names_of_modes() -> None:
    assert get_mode("DEBUG_MODE") == DebugMode() and get_mode("py").name == "reference"


def test_an_op_that_overwrites_its_operand_is_named() -> None:
    x = T.dvector("x")

    @eqsat.as_op(itypes=[T.dvector], otypes=[T.dvector])
    def first_gone(a: Any) -> Any:
        a[0] = 99.0
        return a * 2

    for operand, name in ((x, "x"), (x * 2, "x * 2")):
        f = eqsat.function([x], [first_gone(operand), x + 1], mode="DebugMode")
        with pytest.raises(DebugModeError, match=re.escape(f"first_gone overwrites its operand {name}\n")):
            f(np.ones(3))
