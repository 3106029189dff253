"""A check of the user, ``T.Assert``: its value is the first operand, in every mode, gradient, batch and loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, AssertError, LinAlgError
from eqsat.graph.walk import toposort

x, v = T.dvector("x"), T.dvector("v")


def test_the_value_is_the_first_operand(mode: str) -> None:
    y = T.Assert("x {0} is not positive")(x, x > 0, x.sum() < 10, 1)
    f = eqsat.function([x], [T.exp(y).sum(), y + 1], mode=mode)
    np.testing.assert_allclose(f([1.0, 2.0])[0], np.exp([1.0, 2.0]).sum())
    for bad in ([-1.0, 2.0], [9.0, 2.0]):
        with pytest.raises(AssertError) as error:
            f(bad)
        assert str(error.value).splitlines()[0] == "x {0} is not positive"
        assert "made at test_10_assert.py:" in str(error.value)
    with pytest.raises(AssertionError):
        f([0.0])


def test_a_check_may_raise_another_class(mode: str) -> None:
    f = eqsat.function([x], T.exp(T.Assert("singular", LinAlgError)(x, x > 0)), mode=mode)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        f([-1.0])
    with pytest.raises(ArgumentError, match=r"is no class of eqsat\.errors"):
        T.Assert("text", ValueError)


@pytest.mark.parametrize("condition", [0, False, 0.0, np.zeros(2), [1, 0]])
def test_a_constant_that_is_false_fails_when_the_function_runs(condition: Any, mode: str) -> None:
    f = eqsat.function([x], T.assert_op(x, condition), mode=mode)
    with pytest.raises(AssertionError, match="Assert failed!"):
        f([1.0])


@pytest.mark.parametrize("condition", [1, True, -2.5, np.ones(2), [], [[True], [True]]])
def test_a_constant_that_is_true_holds(condition: Any) -> None:
    assert eqsat.function([x], T.assert_op(x, condition), mode="numpy")([3.0]).tolist() == [3.0]


def test_gradients_and_forward_derivatives_pass(mode: str) -> None:
    y = T.log(T.Assert("positive")(x, x > 0)).sum()
    f = eqsat.function([x, v], [T.grad(y, x), T.Rop(y, x, v)], mode=mode)
    assert [np.asarray(r).tolist() for r in f([1.0, 2.0], [1.0, 4.0])] == [[1.0, 0.5], 3.0]
    with pytest.raises(AssertionError, match="positive"):
        f([1.0, -2.0], [1.0, 1.0])


def test_a_check_in_a_loop_is_made_in_its_step(mode: str) -> None:
    found = eqsat.scan(lambda r: T.Assert("row")(2 * r, r > 0), x)[0]
    f = eqsat.function([x], found, mode=mode)
    assert f([1.0, 2.0]).tolist() == [2.0, 4.0] and f([]).tolist() == []
    with pytest.raises(AssertionError, match="row"):
        f([1.0, -2.0])


def test_a_check_is_made_for_a_whole_batch() -> None:
    m = T.dmatrix("m")
    rows = eqsat.graph.vectorize_graph(T.Assert("row")(x, x.sum() > 0), {x: m})
    assert rows.eval({m: [[1.0], [2.0]]}).tolist() == [[1.0], [2.0]]
    with pytest.raises(AssertionError, match="row"):
        rows.eval({m: [[1.0], [-2.0]]})


def test_only_the_branch_that_is_taken_is_checked() -> None:
    b = T.bscalar("b")
    f = eqsat.function([b, x], eqsat.ifelse(b, T.Assert("x")(x, x > 0), x))
    assert f(0, [-1.0]).tolist() == [-1.0]
    with pytest.raises(AssertionError):
        f(1, [-1.0])


def test_what_an_assert_takes() -> None:
    with pytest.raises(ArgumentError, match="there is no condition"):
        T.Assert("text")(x)
    with pytest.raises(ArgumentError, match="is no text"):
        T.Assert(3)  # type: ignore[arg-type]
    assert T.Assert("a") == T.Assert("a") != T.Assert("b") and len({T.Assert("a"), T.Assert("a")}) == 1


def test_a_pickled_function_still_checks() -> None:
    import pickle

    f = pickle.loads(pickle.dumps(eqsat.function([x], T.Assert("pickled")(x, x > 0))))
    with pytest.raises(AssertionError, match="pickled"):
        f([-1.0])


def ops_of(expression: Any) -> list[str]:
    """The ops of the cheapest graph, in order."""
    return [n.op.name for n in toposort(eqsat.optimize(expression).optimized)]


POSITIVE = T.Assert("x")(x, x.sum() > 0)


@pytest.mark.parametrize(
    ("expression", "ops"),
    [
        (T.exp(T.assert_op(x, [1, 1])), ["exp"]),
        (T.exp(T.assert_op(x, T.eq(x.shape[0], x.shape[0]), True)), ["exp"]),
        (T.assert_op(T.assert_op(x, x.sum() > 0), x.sum() > 0), ["sum", "gt", "assertion"]),
        (POSITIVE.shape[0], ["length"]),
        (T.zeros_like(POSITIVE), ["length", "alloc"]),
        (T.log(T.assert_op(T.exp(x), x.sum() > 0)), ["sum", "gt", "assertion"]),
        (T.log(1 + T.exp(POSITIVE)), ["sum", "gt", "softplus", "assertion"]),
        (T.exp(2 * POSITIVE)[0], ["subtensor", "mul", "exp", "sum", "gt", "assertion"]),
    ],
)
def test_rules_drop_what_holds_and_see_past_the_rest(expression: Any, ops: list[str]) -> None:
    assert sorted(n for n in ops_of(expression) if n != "dimshuffle") == sorted(ops)


def test_what_is_used_is_checked_however_it_is_rewritten(mode: str) -> None:
    y = POSITIVE
    outputs = [T.log(T.softmax(y)), y - y.mean(), T.sqr(T.sqrt(y)), (y * 2)[1:], T.log(T.exp(y)), y + y]
    for out in outputs:
        f = eqsat.function([x], out, mode=mode)
        f([1.0, 2.0])
        with pytest.raises(AssertionError):
            f([-1.0, -2.0])
