"""Cost models as objects: prices of single ops, models that count, subclasses, and what every op costs under them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat import costs
from eqsat.costs import Cost, CostModel
from eqsat.errors import CostError
from eqsat.graph.declare import OPS, DeclaredOp, find_op
from eqsat.graph.ops.elemwise import add, exp

MODELS = {"seconds": CostModel(), "flops": costs.flops(), "traffic": costs.traffic(), "nodes": costs.nodes()}
DOT = find_op("dot", ())

# Parameters with which ops that need some are looked at, and the lengths of operands and results as functions of n.
GIVEN: dict[str, Any] = {
    "axes": (0,),
    "axis": 0,
    "dtype": "float64",
    "pattern": (0, 1),
    "lower": 1,
    "unit": 0,
    "full": 0,
    "cutoff": 1e-9,
    "add": 1,
    "ndim": 2,
    "window": (2, 2),
    "right": 0,
    "parts": 2,
}


def bound(name: str) -> DeclaredOp | None:
    """The op with parameters that do not matter for its cost, None where they do."""
    declaration = OPS[name]
    if any(p not in GIVEN for p in declaration.parameters):
        return None
    return DeclaredOp(declaration, tuple(GIVEN[p] for p in declaration.parameters))


def ranks_of(name: str) -> list[int]:
    """The number of axes of each operand, from the signature where it says more than two."""
    d = OPS[name]
    count = max(2, len(d.tensors))
    axes = d.shapes.of(len(d.tensors)) if d.shapes else ()
    named = [len(a.before) + len(a.after) if a.rest is None else 2 for a in axes] or [2] * count
    return [4 if name.startswith("pool") else max(2, n) for n in named]


@pytest.mark.parametrize("model", MODELS)
def test_every_op_costs_a_finite_time_that_grows_with_its_lengths(model: str) -> None:
    looked_at = 0
    for name in OPS:
        op = bound(name)
        if op is None or name.startswith("conv"):
            continue
        ranks = ranks_of(name)
        operands = [[(n,) * rank for rank in ranks] for n in (0, 1, 2, 17, 300)]
        shapes = [max(ins, key=len) for ins in operands]
        for itemsize in (1, 4, 8, 16):
            seconds = [
                MODELS[model].op_seconds(op, ins[: len(op.declaration.tensors)] or ins, s, itemsize)
                for ins, s in zip(operands, shapes, strict=True)
            ]
            assert all(0 <= s < math.inf for s in seconds), (name, seconds)
            assert seconds == sorted(seconds), (name, itemsize, seconds)
        looked_at += 1
    assert looked_at > 140


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("itemsize", [4, 8])
def test_products_cost_more_the_longer_each_length_is(axis: int, itemsize: int) -> None:
    for rest in ((1, 1), (1, 50), (50, 1), (2, 3), (300, 300), (4000, 4000)):
        last = 0.0
        for n in (0, 1, 2, 3, 4, 8, 31, 64, 65, 1000, 5000):
            m, k, p = (*rest[:axis], n, *rest[axis:])
            now = CostModel().op_seconds(DOT, [(m, k), (k, p)], (m, p), itemsize)
            assert now >= last, (m, k, p)
            last = now


def test_thin_products_take_longer_per_flop() -> None:
    def per_flop(m: int, k: int, n: int) -> float:
        return CostModel().op_seconds(DOT, [(m, k), (k, n)], (m, n), 8) / (2 * m * k * n)

    assert per_flop(512, 512, 512) * 2 < per_flop(512, 2, 512) < per_flop(512, 1, 512)
    assert per_flop(512, 512, 512) * 2 < per_flop(512, 512, 1) < per_flop(16, 1, 1)


def test_a_price_is_a_number_a_cost_or_a_function() -> None:
    usual = CostModel()
    once = usual.op_seconds(exp, [(10,)], (10,), 8)
    for price in (2000, Cost(flops=2000), lambda op, ins, out: Cost(flops=2000)):
        dear = usual.priced({"exp": price})
        assert dear.op_seconds(exp, [(10,)], (10,), 8) == pytest.approx(once + 1980 * 10 * usual.flop)
        assert dear.op_seconds(add, [(10,), (10,)], (10,), 8) == usual.op_seconds(
            add, [(10,), (10,)], (10,), 8
        )
    flat = usual.priced({"dot": 1})
    assert flat.op_seconds(DOT, [(9, 9), (9, 9)], (9, 9), 8) < usual.op_seconds(
        DOT, [(9, 9), (9, 9)], (9, 9), 8
    )
    both = usual.priced({"exp": 1}).priced({"log": 2})
    assert [name for name, _ in both.prices] == ["exp", "log"]


def test_a_price_changes_the_chosen_graph() -> None:
    x = T.dvector("x")
    dear = CostModel().priced({"mul": 1e6})
    (usual,), (other,) = eqsat.optimize(x * x * x).optimized, eqsat.optimize(x * x * x, model=dear).optimized
    assert eqsat.pp(usual) == "((x * x) * x)" and eqsat.pp(other) == "(x ** 3.0)"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: CostModel(flop=-1.0), "flop is -1.0"),
        (lambda: CostModel(byte=float("nan")), "byte is nan"),
        (lambda: CostModel(thin="a"), "thin is 'a'"),  # type: ignore[arg-type]
        (lambda: CostModel().priced({"exq": 1}), "there is no op 'exq'"),
        (lambda: CostModel().priced({"exp": -1}), "exp cannot cost -1"),
        (lambda: Cost(flops=-4), "Cost(flops=-4, "),
        (lambda: Cost(calls=math.nan), "flops, bytes, calls and order"),
        (lambda: Cost(bytes="a"), "flops, bytes, calls and order"),  # type: ignore[arg-type]
        (lambda: CostModel().priced({"exp": "much"}), "exp cannot cost 'much'"),  # type: ignore[dict-item]
    ],
)
def test_nonsense_is_refused(make: Any, said: str) -> None:
    with pytest.raises(CostError) as caught:
        make()
    assert said in str(caught.value)


class Flat(CostModel):
    """Every op costs one second."""

    def op_seconds(self, op: Any, operands: Sequence[Any], out: Any, itemsize: int) -> float:
        return 1.0


def test_a_subclass_prices_ops_by_any_rule_and_is_not_kept() -> None:
    x = T.dvector("x")
    report = eqsat.optimize(T.log(T.exp(x)) + 1, model=Flat())
    assert report.cost_after == 1.0
    assert Flat().key() is None and CostModel().key() is not None
    assert CostModel().priced({"exp": lambda op, ins, out: Cost()}).key() is None
    assert CostModel().priced({"exp": 3}).key() != CostModel().key() != costs.nodes().key()
    assert eqsat.function([x], x * 2 + x, model=Flat())([1.0]) == [3.0]


@pytest.mark.parametrize("seconds", [math.nan, -1.0, None, math.inf, "a", True])
def test_a_subclass_that_gives_no_cost_is_named_with_the_op(seconds: Any) -> None:
    class Odd(CostModel):
        def op_seconds(self, *given: Any) -> float:
            return seconds  # type: ignore[no-any-return]

    with pytest.raises(CostError, match=rf"^Odd: op_seconds of exp is {seconds!r}\n"):
        eqsat.optimize(T.exp(T.dvector("x")), model=Odd())


def test_a_function_of_a_price_may_give_a_number_and_nothing_else() -> None:
    by_number = CostModel().priced({"exp": lambda op, ins, out: 5})
    plain = CostModel().priced({"exp": 5})
    given = ([(10,)], (10,), 8)
    assert by_number.op_seconds(exp, *given) == plain.op_seconds(exp, *given)
    for wrong in (None, math.nan, "a"):
        model = CostModel().priced({"exp": lambda op, ins, out, wrong=wrong: wrong})
        with pytest.raises(CostError, match=f"^the price of exp in CostModel.* is {wrong!r}\n"):
            eqsat.optimize(T.exp(T.dvector("x")), model=model)


def test_models_that_count_choose_by_what_they_count() -> None:
    x = T.TensorType("float64", (100,))("x")
    cube = x * x * x
    assert eqsat.optimize(cube, model=costs.nodes()).cost_after == 1
    assert eqsat.optimize(cube, model=costs.flops()).cost_after == 200
    assert (
        str(eqsat.optimize(cube, model=costs.flops()))
        .splitlines()[1]
        .startswith("cost    200 flops -> 200 flops")
    )
    assert costs.nodes().trips(100.0) == 1.0 and costs.flops().trips(100.0) == 100.0
