"""ifelse computes one branch, in every mode, with gradients that are ifelse too."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from reference import evaluate, numeric_gradient

import eqsat
import eqsat.tensor as T
from eqsat import ifelse
from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.walk import toposort

CALLS: list[str] = []


def counted(name: str) -> Any:
    """An op that doubles a vector and notes that it ran."""

    def run(x: Any) -> Any:
        CALLS.append(name)
        return x * 2

    run.__name__ = name
    return eqsat.as_op([T.dvector], [T.dvector])(run)


left, right, both, deep = map(counted, ("left", "right", "both", "deep"))


def calls(f: Any, *args: Any) -> tuple[Any, list[str]]:
    """Results of a call and the names of the ops that ran."""
    CALLS.clear()
    return f(*args), sorted(CALLS)


def test_only_the_branch_that_is_taken_runs(mode: str) -> None:
    c, d, x = T.dscalar("c"), T.dscalar("d"), T.dvector("x")
    common = both(T.tanh(x))
    inner = ifelse(d > 0, deep(common), T.exp(common))
    a, b = ifelse(c > 0, [left(common) + 1, inner], [right(x), common])
    z = ifelse(c > 0, left(common) * 3, x)
    f = eqsat.function([c, d, x], [a, b, z], mode=mode)
    v = np.arange(3.0)
    t = 2 * np.tanh(v)
    got, ran = calls(f, 1.0, 1.0, v)
    assert ran == ["both", "deep", "left", "left"] or ran == ["both", "deep", "left"]
    for g, want in zip(got, [2 * t + 1, 2 * t, 6 * t], strict=True):
        np.testing.assert_allclose(g, want)
    got, ran = calls(f, 1.0, -1.0, v)
    assert "deep" not in ran and "right" not in ran
    np.testing.assert_allclose(got[1], np.exp(t))
    got, ran = calls(f, -1.0, 1.0, v)
    assert ran == ["both", "right"]
    for g, want in zip(got, [2 * v, t, v], strict=True):
        np.testing.assert_allclose(g, want)


def test_what_an_output_needs_is_computed_whatever_the_condition(mode: str) -> None:
    c, x = T.bscalar("c"), T.dvector("x")
    seen = left(x)
    f = eqsat.function([c, x], [ifelse(c, seen * 2, right(seen)), seen], mode=mode)
    assert calls(f, 1, [1.0])[1] == ["left"] and calls(f, 0, [1.0])[1] == ["left", "right"]


def test_gradients_run_one_branch_and_see_no_nan_of_the_other(mode: str) -> None:
    c, x, w = T.dscalar("c"), T.dvector("x"), eqsat.shared(np.arange(1.0, 4.0), "w")
    middle = x * w
    z = ifelse(c > 0, T.sqrt(middle), T.exp(x) * w)
    dx, dw, dm = T.grad(z.sum(), [x, w, middle])
    second = T.grad(dx.sum(), x)
    f = eqsat.function([c, x], [z, dx, dw, dm, second], mode=mode)
    v, s = np.array([0.0, 1.0, 2.0]), np.arange(1.0, 4.0)
    _, gx, gw, gm, _ = f(1.0, v + 1)
    np.testing.assert_allclose(gx, 0.5 * np.sqrt(s / (v + 1)))
    np.testing.assert_allclose(gw, 0.5 * np.sqrt((v + 1) / s))
    np.testing.assert_allclose(gm, 0.5 / np.sqrt(s * (v + 1)))
    _, gx, gw, gm, gg = f(-1.0, v)
    for g, want in zip((gx, gw, gm, gg), (np.exp(v) * s, np.exp(v), 0 * v, np.exp(v) * s), strict=True):
        np.testing.assert_allclose(g, want)


def test_forward_derivatives_run_one_branch(seed_mode: str) -> None:
    c, x, v = T.dscalar("c"), T.dvector("x"), T.dvector("v")
    z = ifelse(c > 0, T.sin(x), T.exp(x))
    second = T.Rop(T.grad(z.sum(), x), x, v)
    f = eqsat.function([c, x, v], [T.Rop(z, x, v), second], mode=seed_mode)
    p, q = np.array([0.3, 0.5]), np.array([1.0, 2.0])
    for got, want in zip(f(1.0, p, q), [np.cos(p) * q, -np.sin(p) * q], strict=True):
        np.testing.assert_allclose(got, want)
    for got, want in zip(f(-1.0, p, q), [np.exp(p) * q] * 2, strict=True):
        np.testing.assert_allclose(got, want)


def test_gradients_against_differences() -> None:
    x, y = T.dvector("x"), T.dscalar("y")
    z = ifelse(y > 0, T.sin(x) * y, T.exp(x * y)).sum() * y
    given = {x: np.array([0.3, -0.7]), y: np.array(0.5)}
    for value in (0.5, -0.5):
        given[y] = np.array(value)
        for v in (x, y):
            got = evaluate([T.grad(z, v)], given)[0]
            np.testing.assert_allclose(got, numeric_gradient(z, v, given), rtol=1e-4, atol=1e-7)


def test_rules_hold_inside_a_branch() -> None:
    from eqsat.pipeline.preparation import prepare
    from eqsat.pipeline.settings import Settings

    x, c = T.dvector("x"), T.dscalar("c")
    f = eqsat.function([c, x], ifelse(c > 0, T.log(T.exp(x)), x * 2), mode="numpy")
    np.testing.assert_allclose(f(1.0, [1000.0]), [1000.0])
    (node,) = [n for n in toposort(prepare([f.outputs[0]], Settings.of("numpy"))) if n.op.name == "ifelse"]
    assert node.op.settings.mode.name == "numpy"  # type: ignore[attr-defined]


def test_objects_shared_variables_and_lengths() -> None:
    a, b, c = eqsat.generic("a"), eqsat.generic("b"), T.bscalar("c")
    assert eqsat.function([c, a, b], ifelse(c, a, b))(0, {"a"}, {"b"}) == {"b"}
    w, x = eqsat.shared(np.zeros(2), "w"), T.dvector("x")
    f = eqsat.function([c, x], ifelse(c, w + x, w), updates=[(w, ifelse(c, w + 1, w * 2))])
    assert f(1, [5.0, 6.0]).tolist() == [5, 6] and f(0, [5.0, 6.0]).tolist() == [1, 1]
    assert w.get_value().tolist() == [2, 2]
    n = eqsat.function([c, x], ifelse(c, left(x), right(x)[:1]).shape[0])
    assert n(1, [1.0, 2.0]) == 2 and n(0, [1.0, 2.0]) == 1


def test_equal_branches_are_one_op_and_ifelse_pickles() -> None:
    from eqsat.graph.control.branches import lazy_form

    x, c = T.dvector("x"), T.bscalar("c")
    p, q = ifelse(c, T.exp(x), x), ifelse(c, T.exp(x), x)
    first, second = (lazy_form([v])[v].owner.op for v in (p, q))
    assert first == second and hash(first) == hash(second) and first is not second
    other = lazy_form([r := ifelse(c, T.exp(x), x + 1)])[r].owner.op
    assert other != first
    v = lazy_form([p])[p]
    c2, x2, v2 = pickle.loads(pickle.dumps([c, x, v]))
    assert v2.eval({c2: 0, x2: [2.0]}).tolist() == [2.0] and v2.owner.op == first


def test_a_constant_condition_is_folded_and_the_interpreter_of_tests_runs_it() -> None:
    x = T.dvector("x")
    z = ifelse(x.sum() > 0, x + 1, x - 1)
    assert evaluate([z], {x: np.ones(1)})[0].tolist() == [2]
    assert ifelse(1, T.constant([1.0, 2.0]), T.constant([3.0])).eval().tolist() == [1, 2]


def test_forms_and_names() -> None:
    x, y = T.dvectors("x", "y")
    assert T.ifelse is ifelse and ifelse(1, x, y, name="z").name == "z"
    assert isinstance(ifelse(1, [x], [y]), list)
    row = ifelse(1, T.drow(), T.dmatrix())
    assert row.type == T.dmatrix and ifelse(1, T.fvector(), x).dtype == "float64"
    lengths = ifelse(1, T.zeros((2,)), T.zeros((2,)))
    assert lengths.type.shape == (2,)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda x: ifelse(x, x, x), RankError, "ifelse: the condition has 1 dimensions, not 0"),
        (lambda x: ifelse(1, [x], x), ArgumentError, "ifelse: one branch is a list and the other is not"),
        (lambda x: ifelse(1, [x], [x, x]), ArgumentError, "ifelse: the branches have 1 and 2 variables"),
        (lambda x: ifelse(1, x, 1.0), RankError, "ifelse: the branches have 1 and 0 dimensions"),
        (lambda x: ifelse(1, x, eqsat.generic()), DTypeError, "ifelse: the branches differ in type"),
    ],
)
def test_mistakes(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        make(T.dvector("x"))
    assert str(raised.value).splitlines()[0] == text


@pytest.mark.sweep
def test_a_chain_of_5000_choices_and_a_deep_branch_do_not_recurse() -> None:
    c = T.bscalar("c")
    x = y = T.dscalar("x")
    for _ in range(5_000):
        y = ifelse(c, y + 1, y)
    f = eqsat.function([c, x], y, mode="reference")
    assert f(0, 3.0) == 3.0
    z = x
    for _ in range(20_000):
        z = z + 1
    assert eqsat.function([c, x], ifelse(c, z, x), mode="reference")(1, 0.0) == 20_000
