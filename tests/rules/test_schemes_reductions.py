"""Reductions and running ops, all that are declared and one that a test declares, times joins, parts, fills, orders and functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import verify
from eqsat.errors import BoundsError, DeclarationError
from eqsat.graph.declare import OPS, Cost, Declaration, Reduction, forget_op, structural
from eqsat.graph.parameters import AXES
from eqsat.graph.properties import additive
from eqsat.graph.walk import toposort
from eqsat.rules.schemes import compared_functions, functions, reductions
from eqsat.rules.schemes.operands import sees
from eqsat.rules.schemes.reductions import element, fold_of
from eqsat.rules.schemes.scheme import Scheme
from eqsat.verify.result import IDLE, KEPT
from tests.rules.helpers import optimise

SCHEMES = [*reductions.RULES, *functions.RULES, *compared_functions.RULES]
REDUCTIONS = sorted(name for name, d in OPS.items() if reductions.reduces(d))
RUNNING = sorted(name for name, d in OPS.items() if d.accumulates)
LONG = 6000


def odd_count(x: Any, *, axes: tuple[int, ...]) -> Any:
    """True where an odd number of elements is true."""
    return np.sum(x, axis=axes, keepdims=True) % 2 == 1


def declared(reduces: str) -> Declaration:
    """A reduction of the user, which puts exclusive or between elements."""
    made = structural(
        "reduce",
        name="odd_count_of_ours",
        parameters={"axes": AXES},
        signature="x->x[axes:=1]",
        reduction=Reduction("{a} ^ {b}", lambda dtype: 0, "^"),
        cost=lambda op, ins, out: Cost(flops=float(np.prod(ins[0]))),
        reduces=reduces,
    )(odd_count)
    assert isinstance(made, Declaration)
    return made


@pytest.fixture
def ours() -> Iterator[Declaration]:
    yield declared("xor")
    forget_op("odd_count_of_ours")


def operand(d: Declaration, *shape: int | None) -> Any:
    """A variable of a dtype that a reduction takes."""
    return T.TensorType({"bool": "bool"}.get(element(d).domain, "float64"), shape=shape or (None,))("x")


def over(d: Declaration, x: Any, *axes: int) -> Any:
    """A reduction, over all axes where none are given."""
    return d(x, axes=axes or tuple(range(x.ndim)))


def check_laws(d: Declaration) -> None:
    """Every law of reductions reaches an op: what is joined, filled, turned, reshaped or taken apart is so no longer."""
    u, v, x = operand(d, LONG), operand(d, 2 * LONG), operand(d, None, None)
    number = operand(d, 1)
    joined = optimise(over(d, T.concatenate([u, v]))).ops()
    assert "concatenate" not in joined and joined[d.name] == 2, joined
    beside = optimise(over(d, T.concatenate([x, operand(d, None, None)], axis=1), 0)).ops()
    assert beside["concatenate"] == 1 and beside[d.name] == 2, beside
    assert str(optimise(over(d, x, 1)[3])) == f"{d.name}(subtensor(x))"
    orders = optimise(
        [
            over(d, v),
            over(d, v[::-1]),
            over(d, T.reshape(v, (2, -1))),
            over(d, T.sort(v)),
        ]
    )
    assert orders.ops()[d.name] == 1, str(orders)
    assert optimise([over(d, x), over(d, x.T)]).ops()[d.name] == 1
    assert optimise(over(d, over(d, x, 0), 0, 1)).ops()[d.name] == 1
    filled = optimise(over(d, T.alloc(number, LONG, 1)))
    assert filled.ops()[d.name] == 0 or not (fold_of(d).repeats or fold_of(d).idempotent), str(filled)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_laws_reach_every_reduction(name: str) -> None:
    check_laws(OPS[name])


def test_laws_reach_a_reduction_of_the_user(ours: Declaration) -> None:
    check_laws(ours)


def test_what_is_made_of_a_reduction_of_the_user_is_right(ours: Declaration) -> None:
    u, v = operand(ours, 3), operand(ours, 4)
    f = eqsat.function([u, v], over(ours, T.concatenate([u, v])))
    for bits in range(128):
        values = np.array([bits >> k & 1 for k in range(7)], bool)
        assert f(values[:3], values[3:]) == odd_count(values, axes=(0,))


def test_laws_of_a_reduction_of_the_user_are_kept(ours: Declaration) -> None:
    rules = [r for s in reductions.RULES for r in s.rules(ours)]
    assert len(rules) > 10
    for one in rules:
        found = verify.verify(one, 8, proof=False)
        assert found.verdict == KEPT, str(found)


@pytest.mark.parametrize("fold", ["and", "or", "maximum"])
def test_another_op_between_elements_is_refused(fold: str) -> None:
    with pytest.raises(DeclarationError, match=r"joins the rows|of the one element"):
        declared(fold)
    assert "odd_count_of_ours" not in OPS


@pytest.mark.parametrize("name", RUNNING)
def test_laws_reach_every_running_op(name: str) -> None:
    d = OPS[name]
    (total,) = [r for r in REDUCTIONS if OPS[r].reduces == d.accumulates]
    x, m = T.dvector("x"), T.dmatrix("m")
    whole = d(x, axis=0)
    assert optimise(whole[-1]).ops().keys() <= {"subtensor", total, d.accumulates}
    assert optimise(whole[0]).ops().keys() <= {"subtensor"}
    assert optimise(d(T.tensor("float64", (9,)), axis=0)[7]).ops().keys() <= {"subtensor", total}
    beyond = eqsat.function([x], whole[7], mode="numpy")  # whether it has 8 elements is not known
    with pytest.raises(BoundsError, match="index 7 is outside axis 0, which has length 3"):
        beyond(np.ones(3))
    back = OPS.get(fold_of(d).inverse)  # of an extreme nothing is taken back
    assert back is None or optimise(back(whole[1:], whole[:-1])).ops().keys() <= {"subtensor"}
    assert optimise([d(m, axis=0), d(m.T, axis=1)]).ops()[name] == 1
    part = optimise(d(m, axis=0)[:5, 3])
    assert str(part) == f"{name}(subtensor(m))"


@pytest.mark.parametrize(
    "name", sorted(n for n, d in OPS.items() if sees(d) and not d.elements and additive(d))
)
def test_sums_are_taken_before_additive_ops(name: str) -> None:
    d = OPS[name]
    m, c = T.dmatrix("m"), T.drow("c")
    for t in additive(d):
        given = [m if o == t else T.addbroadcast(c, 0) for o in d.tensors]
        for total in reductions.summing():
            params = {"axes": (0,)} if "axes" in total.parameters else {"axis": 0}
            found = optimise(total(d(*given), **params))
            inside = found.outputs[0].owner
            assert total.name in str(found), str(found)
            if total.reduces:
                assert str(found).startswith((f"{name}({total.name}(m)", f"{name}(c, {total.name}(m)")), (
                    str(found),
                    inside,
                )


@pytest.mark.parametrize("one", reductions.RULES, ids=lambda s: s.name)
def test_a_scheme_holds_for_several_ops_and_says_its_law(one: Scheme) -> None:
    assert len(one.ops()) > 1 and one.law and all(r.scheme == one.name for r in one.every())


@pytest.mark.parametrize("rows, columns, inner", [(3, 5, 4), (5, 3, 4), (4, 4, 2), (1, 6, 3)])
def test_the_diagonal_of_a_product_of_any_lengths_is_a_sum(rows: int, columns: int, inner: int) -> None:
    a, b = T.dmatrices("a", "b")
    for of in (T.diagonal, T.trace):
        out = of(T.dot(a, b))
        assert "dot" not in optimise(out).ops()
        x, y = np.random.default_rng(0).normal(size=(rows, inner)), np.ones((inner, columns))
        want = np.diagonal(x @ y) if of is T.diagonal else np.trace(x @ y)
        assert np.allclose(eqsat.function([a, b], out)(x, y), want)


def test_empty_pieces_of_a_join_have_no_extreme_and_stay_joined() -> None:
    x, y = T.dvectors("x", "y")
    f = eqsat.function([x, y], T.max(T.concatenate([x, y])))
    assert f([], [1.0, 2.0]) == 2
    g = eqsat.function([x, y], T.sum(T.concatenate([x, y])))
    assert g([], [1.0, 2.0]) == 3


@pytest.mark.sweep
@pytest.mark.parametrize("one", SCHEMES, ids=lambda s: s.name)
def test_every_instance_keeps_its_promise(one: Scheme) -> None:
    for rule in one.every():
        for seed in range(4):  # few points lie outside of a condition that is rarely needed
            found = verify.verify(rule, 12, seed=seed, proof=False)
            if found.verdict != IDLE:
                break
        assert found.verdict == KEPT, str(found)


def test_a_loop_that_folds_is_a_reduction_of_the_user(ours: Declaration) -> None:
    steps, _ = eqsat.scan(lambda row, s: s ^ row, T.TensorType("bool", (LONG,))("x"), T.constant(False))
    found = eqsat.optimize(steps[-1]).optimized[0]
    names = {node.op.name for node in toposort([found])}
    assert ours.name in names and "scan" not in names, names


def test_picked_rows_alone_are_reduced_and_sorted(ours: Declaration) -> None:
    few: Any = T.TensorType("int64", shape=(2,))("few")
    truth, x = operand(ours, LONG, 9), T.TensorType("float64", (LONG, 9))("x")
    for along in (ours(truth, axes=(1,)), T.sort(x, axis=1), T.cumsum(x, axis=1)):
        found = optimise(along[few])
        op = along.owner.op.name
        (node,) = (n for n in toposort(found.outputs) if n.op.name == op)
        rows: Any = node.inputs[0]
        assert rows.type.shape[0] == 2, str(found)
