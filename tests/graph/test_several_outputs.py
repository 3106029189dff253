"""Declared ops with several results: every room keeps them apart, and computes the op once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen.c.operand import COperand, CWriter, loops
from eqsat.errors import DeclarationError, ShapeError
from eqsat.graph.declare import Cost, forget_op, structural
from eqsat.graph.ops.max_and_argmax import max_and_argmax_op
from eqsat.graph.pickling import dumps, loads
from eqsat.graph.walk import toposort
from eqsat.printing import dprint
from tests.reference import evaluate, numeric_gradient


def _split_c(w: CWriter, op: Any, ins: Sequence[COperand], outs: Sequence[COperand]) -> None:
    (x,), (whole, rest, count) = ins, outs
    body = f"{x.ctype} v = {x.at(['i0'])}, q = floor(v / 2); {whole.at(['i0'])} = q; {rest.at(['i0'])} = v - 2 * q;"
    w.emit(loops(x.n, body))
    w.emit(f"{count.scalar()} = {x.n[0]};")


@pytest.fixture
def halves() -> Iterator[Any]:
    @structural(
        "block",
        outputs=3,
        infer=lambda op, x: (x.type, x.type, x.type.clone(dtype="int64", shape=())),
        grad=lambda op, inputs, outs, dys: [dys[1]],
        dims=lambda w, op, ins: [ins[0].n, ins[0].n, []],
        c=_split_c,
        cost=lambda op, ins, out: Cost(flops=4 * ins[0][0]),
    )
    def halves(x: Any) -> Any:
        """Whole number of twos, what is left, and how many numbers there are."""
        return np.floor(x / 2), x - 2 * np.floor(x / 2), len(x)

    yield halves
    forget_op("halves")


VALUE = np.array([5.0, -1.5, 8.25])


def test_all_modes_give_all_results_and_any_one(halves: Any, mode: str) -> None:
    x = T.dvector("x")
    whole, rest, count = halves(T.exp(x) * 1)
    cases = [[whole, rest, count], [rest], [count, rest * whole], [whole + rest, rest, rest], [count * 2]]
    for outputs in cases:
        f = eqsat.function([x], outputs, mode=mode)
        wanted = evaluate(outputs, {x: VALUE})
        for _ in range(2):
            for a, b in zip(f(VALUE), wanted, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12)
                assert a.dtype == b.dtype


def test_equal_applications_become_one_and_others_stay_apart(halves: Any) -> None:
    x, y = T.dvectors("x", "y")
    first, second, third = halves(x), halves(x), halves(y)
    f = eqsat.function([x, y], [first[0] + second[1], third[0], third[2]])
    nodes = [n for n in toposort(eqsat.printing.outputs_of(f)) if n.op is halves]
    assert len(nodes) == 2
    a, b, n = f(VALUE, VALUE[:2])
    np.testing.assert_array_equal(a, np.floor(VALUE / 2) + VALUE % 2)
    np.testing.assert_array_equal(b, np.floor(VALUE[:2] / 2))
    assert n == 2


def test_results_feed_the_same_op_again(halves: Any) -> None:
    x = T.dvector("x")
    outputs, v = [], x
    for _ in range(5):
        v, rest, count = halves(v)
        outputs += [rest, count]
    f = eqsat.function([x], outputs)
    for a, b in zip(f(VALUE * 100), evaluate(outputs, {x: VALUE * 100}), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_cost_is_paid_once(halves: Any) -> None:
    x = T.dvector("x")
    one = eqsat.optimize([halves(x)[0]]).cost_before
    two = eqsat.optimize(halves(x)[:2]).cost_before
    assert two < one * 1.5


def test_the_gradient_gets_one_entry_per_result(halves: Any) -> None:
    x = T.dvector("x")
    whole, rest, count = halves(x)
    np.testing.assert_array_equal(T.grad(rest.sum(), x).eval({x: VALUE}), np.ones(3))
    np.testing.assert_array_equal(T.grad((rest * count).sum(), x).eval({x: VALUE}), np.full(3, 3.0))
    np.testing.assert_array_equal(T.grad(whole.sum(), x).eval({x: VALUE}), np.zeros(3))


def test_text_and_pickle_keep_the_results_apart(halves: Any) -> None:
    x = T.dvector("x")
    whole, rest, _ = halves(x)
    assert [str(v) for v in (whole, rest)] == ["halves(x)[0]", "halves(x)[1]"]
    assert "halves.1" in dprint([whole, rest], file="str")
    copy = loads(dumps([whole, rest, x]))
    assert copy[0].owner is copy[1].owner and [v.index for v in copy[:2]] == [0, 1]
    np.testing.assert_array_equal(copy[1].eval({copy[2]: VALUE}), VALUE % 2)


def test_only_an_opaque_block_has_several_results() -> None:
    for kind, fields in (("view", {}), ("block", {"in_place": 0})):
        with pytest.raises(DeclarationError, match="pair: only a block that is opaque"):

            @structural(kind, outputs=2, infer=lambda op, x: (x.type, x.type), **fields)
            def pair(x: Any) -> Any:
                """Two of them."""
                return x, x


# --------------------------------------------------------------------------------------------- max_and_argmax


def test_max_and_argmax_is_numpy(mode: str) -> None:
    x, i = T.dtensor3("x"), T.btensor3("i")
    axes = [(0,), (1,), (0, 2), (0, 1, 2)]
    outputs = [v for t in (x, i) for a in axes for v in max_and_argmax_op(t, axes=a)]
    f = eqsat.function([x, i], outputs, mode=mode)
    rng = np.random.default_rng(0)
    value = rng.integers(-4, 4, (3, 4, 5))
    given = np.where(rng.random((3, 4, 5)) < 0.05, np.nan, value)
    found = iter(f(given, value.astype("int8")))
    for v in (given, value.astype("int8")):
        for a in axes:
            best, place = next(found), next(found)
            np.testing.assert_array_equal(best, v.max(a, keepdims=True))
            kept = [k for k in range(3) if k not in a]
            flat = v.transpose(*kept, *a).reshape(*(v.shape[k] for k in kept), -1)
            np.testing.assert_array_equal(place.ravel(), flat.argmax(-1).ravel())
            assert best.dtype == v.dtype and place.dtype == np.int64
    with pytest.raises(ShapeError, match="max_and_argmax: an axis of length 0"):
        f(np.zeros((0, 4, 5)), value.astype("int8"))


def test_the_gradient_of_the_maximum_goes_to_the_first(mode: str) -> None:
    x = T.dmatrix("x")
    best, place = max_and_argmax_op(x, axes=(0, 1))
    f = eqsat.function([x], T.grad(best.sum() * 3 + place.sum(), x), mode=mode)
    np.testing.assert_array_equal(f([[1.0, 4.0], [4.0, 2.0]]), [[0, 3], [0, 0]])
    cost = (max_and_argmax_op(x * x, axes=(1,))[0] ** 2).sum()
    value = np.random.default_rng(1).normal(size=(3, 4))
    wanted = numeric_gradient(cost, x, {x: value})
    np.testing.assert_allclose(T.grad(cost, x).eval({x: value}), wanted, atol=1e-6)
