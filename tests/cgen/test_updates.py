"""A shared variable is updated in its own memory where nobody can see it, and never otherwise."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen.c.source import translate
from eqsat.cgen.ir.updates import updates_last
from eqsat.errors import BoundsError, ShapeError
from eqsat.functions.planning import plan_graph

pytestmark = pytest.mark.c
VALUE = np.random.default_rng(0).normal(size=(50, 4))
INDEX = np.array([3, 7, 3, -1])


def place(shared: Any) -> int:
    """Where the value of a shared variable lies, without holding on to it."""
    return int(shared.get_value(borrow=True).ctypes.data)


class Model:
    """A step of SGD on an embedding, and the same step by hand."""

    def __init__(self) -> None:
        self.w = eqsat.shared(VALUE, "w")
        self.i, self.c = T.lvector("i"), T.dscalar("c")
        cost = T.sqr(self.w[self.i]).sum()
        self.step = eqsat.function([self.i], cost, updates=[(self.w, self.w - 0.1 * T.grad(cost, self.w))])

    def wanted(self, value: Any) -> Any:
        result = value.copy()
        np.add.at(result, INDEX, -0.2 * value[INDEX])
        return result


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


def test_an_update_takes_the_memory_of_what_it_updates(model: Model) -> None:
    model.w.set_value(VALUE)
    before = place(model.w)
    for _ in range(3):
        old = model.w.get_value()
        model.step(INDEX)
        np.testing.assert_allclose(model.w.get_value(), model.wanted(old), rtol=1e-12)
        assert place(model.w) == before
    model.step([3, 7, 3])  # arguments that have to be converted
    assert place(model.w) == before


def test_who_holds_the_value_never_sees_it_change(model: Model) -> None:
    model.w.set_value(VALUE)
    for hold in (lambda a: a, lambda a: a[1:], memoryview, lambda a: a.T):
        held = hold(model.w.get_value(borrow=True))
        copy = np.array(held)
        model.step(INDEX)
        assert np.array_equal(np.asarray(held), copy)
        del held
    gc.collect()
    before = place(model.w)
    model.step(INDEX)
    assert place(model.w) == before


def test_an_array_that_the_user_lent_is_his_as_long_as_he_holds_it(model: Model) -> None:
    mine = VALUE.copy()
    model.w.set_value(mine, borrow=True)
    model.step(INDEX)
    assert np.array_equal(mine, VALUE)
    np.testing.assert_allclose(model.w.get_value(), model.wanted(VALUE), rtol=1e-12)
    whole = np.stack([VALUE, VALUE])
    model.w.set_value(whole[0], borrow=True)  # a window onto memory that another array owns
    model.step(INDEX)
    assert np.array_equal(whole[0], VALUE)


def test_a_call_that_fails_has_changed_nothing(model: Model) -> None:
    w, v = eqsat.shared(VALUE, "w"), eqsat.shared(VALUE, "v")
    i, j, y = T.lvector("i"), T.lvector("j"), T.dmatrix("y")
    new = T.inc_subtensor(T.inc_subtensor(w[i], y)[j], 1.0)
    f = eqsat.function([i, j, y], updates=[(w, new), (v, T.set_subtensor(v[j], 5.0))])
    good, bad, rows = np.array([1, 2]), np.array([1, 50]), np.ones((2, 4))
    places = place(w), place(v)
    for given, kind in (
        ((good, bad, rows), BoundsError),
        ((bad, good, rows), BoundsError),
        ((good, good, rows[:1]), ShapeError),
    ):
        with pytest.raises(kind):
            f(*given)
        assert np.array_equal(w.get_value(), VALUE) and np.array_equal(v.get_value(), VALUE)
    f(good, np.array([2, 2, 0]), rows)
    assert (place(w), place(v)) == places
    wanted = VALUE.copy()
    np.add.at(wanted, np.array([1, 2, 2, 2, 0]), 1.0)
    np.testing.assert_allclose(w.get_value(), wanted, rtol=1e-14)


def test_outputs_are_computed_from_the_old_value() -> None:
    w, i = eqsat.shared(VALUE, "w"), T.lvector("i")
    outputs = [w, w[0], w.sum(), w[i]]
    f = eqsat.function([i], outputs, updates=[(w, T.set_subtensor(w[i], 0.0))])
    whole, row, total, rows = f(INDEX)
    assert (
        np.array_equal(whole, VALUE) and np.array_equal(row, VALUE[0]) and np.array_equal(rows, VALUE[INDEX])
    )
    np.testing.assert_allclose(total, VALUE.sum())
    assert (w.get_value()[INDEX] == 0).all() and not np.shares_memory(whole, w.get_value(borrow=True))


def test_a_new_value_that_is_read_elsewhere_is_made_first() -> None:
    w, i = eqsat.shared(VALUE, "w"), T.lvector("i")
    new = T.set_subtensor(w[:, 1], 3.0)
    rows, total = eqsat.function([i], [new[i], new.sum()], updates=[(w, new)])(INDEX)
    wanted = VALUE.copy()
    wanted[:, 1] = 3.0
    assert np.array_equal(rows, wanted[INDEX]) and np.array_equal(w.get_value(), wanted)
    np.testing.assert_allclose(total, wanted.sum())


def test_updates_that_read_from_each_other_read_the_old_values() -> None:
    w, v = eqsat.shared(VALUE, "w"), eqsat.shared(-VALUE, "v")
    f = eqsat.function([], updates=[(w, T.set_subtensor(w[:2], v[2:4])), (v, T.set_subtensor(v[:2], w[:2]))])
    f()
    assert np.array_equal(w.get_value()[:2], -VALUE[2:4]) and np.array_equal(v.get_value()[:2], VALUE[:2])
    g = eqsat.function([], updates=[(w, T.set_subtensor(w[1:], w[:-1]))])
    old = w.get_value()
    g()
    assert np.array_equal(w.get_value()[1:], old[:-1])


def planned(inputs: list[Any], outputs: list[Any], updates: dict[int, int]) -> tuple[Any, int, list[int]]:
    plan = plan_graph(inputs, eqsat.optimize(outputs).optimized, True)
    plan.updates = updates
    return updates_last(plan)


def test_only_a_chain_of_writes_takes_the_memory() -> None:
    w, i, y = T.dmatrix("w"), T.lvector("i"), T.dmatrix("y")
    chain = T.inc_subtensor(T.set_subtensor(w[i], y)[0], 1.0)
    assert planned([w, i, y], [w.sum(), chain], {1: 0})[1:] == (2, [-1, 0])
    for other in (
        w * 2,
        T.set_subtensor((w * 2)[i], y),
        T.set_subtensor(w[i], w[:3]),
        T.set_subtensor(w[i], y) * 3,
    ):
        assert planned([w, i, y], [other], {0: 0})[2] == [-1]
    middle = T.set_subtensor(w[i], y)
    assert planned([w, i, y], [middle, T.inc_subtensor(middle[0], 1.0)], {1: 0})[1:] == (0, [-1, -1])


def test_the_text_checks_all_updates_before_one_is_written() -> None:
    w, i = T.dmatrix("w"), T.lvector("i")
    plan = plan_graph([w, i], [T.set_subtensor(w[i], 0.0)], True)
    plan.updates = {0: 0}
    text = translate(plan, False).source
    assert text.index("c->dry = 1;") < text.index("c->dry = 0;") and "eq_reuse_0[] = {0}" in text
