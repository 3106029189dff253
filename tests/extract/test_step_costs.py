"""Costs of steps: what kernels read and write, at which level of memory, and how they look at their operands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.costs.caches import cache_sizes
from eqsat.extract.cost import CostModel
from eqsat.extract.step_costs import plan_seconds, step_cost, turns
from eqsat.functions.planning import plan_graph
from eqsat.graph.plan import Kernel, Loop

MODEL = CostModel()


def of_type(*shape: int | None, dtype: str = "float64") -> Any:
    return T.TensorType(dtype, shape=shape)()


def steps(inputs: list[Any], output: Any) -> list[Any]:
    return plan_graph(inputs, [output], True, MODEL).steps


def kernel_of(inputs: list[Any], output: Any) -> Any:
    (found,) = (s for s in steps(inputs, output) if isinstance(s, Kernel))
    return step_cost(found, MODEL)


def test_bytes_and_flops_are_those_of_the_operands_and_ops() -> None:
    x, y = of_type(100), of_type(100, dtype="float32")
    found = kernel_of([x, y], T.exp(x) * x + y)
    assert (found.read, found.written) == (1200, 800)
    exp: Any = eqsat.graph.declare.OPS["exp"].cost
    assert found.flops >= 100 * (exp.flops + 2 * MODEL.plain)


def test_a_byte_takes_longer_the_farther_it_comes_from() -> None:
    held = [1e3, 4e4, 7e4, 5e5, 1.5e6, 1e7, 2e7, 1e9]
    times = [MODEL.traffic(1.0, h) for h in held]
    assert times == sorted(times) and times[0] < times[3] < times[5] < times[-1] == MODEL.byte
    assert MODEL.traffic(3e8) == 3e8 * MODEL.byte


def test_what_fits_a_little_less_is_partly_in_the_cache() -> None:
    model = CostModel(inner=10.0, cache=100.0, outer=1000.0, nearest=0.1, near=0.2, far=0.4)
    assert [round(model.part(h), 3) for h in (10, 15, 20, 100, 150, 1000, 1500, 2000)] == [
        *(0.1, 0.15, 0.2, 0.2, 0.3, 0.4, 0.7, 1.0)
    ]


def test_a_kernel_computes_while_it_moves() -> None:
    slow = MODEL.traffic(1e9)
    assert MODEL.kernel_seconds(0, 1e9) == pytest.approx(slow + MODEL.call)
    hidden = MODEL.kernel_seconds(0.5 * slow / MODEL.flop, 1e9)
    assert slow < hidden < 1.5 * slow
    assert MODEL.kernel_seconds(0, 1e9, held=1e4) < 0.3 * slow


def test_short_rows_and_searches_for_nan_cost_more() -> None:
    short, long = (kernel_of([x], x.sum(1)) for x in (of_type(10_000, 4), of_type(40, 1000)))
    assert short.seconds > 1.5 * long.seconds
    x = of_type(1000)
    assert kernel_of([x], x.max()).seconds > kernel_of([x], x.sum()).seconds


@pytest.mark.parametrize(
    ("look", "turned"),
    [
        (lambda x: x.T, True),
        (lambda x: x[:, ::-1], True),
        (lambda x: x[:, ::2], True),
        (lambda x: x[:, 0], True),
        (lambda x: x[::-1], False),
        (lambda x: x[1:], False),
        (lambda x: x[:, 1:], False),
        (lambda x: x[:, :1], False),
        (lambda x: x[0], False),
        (lambda x: x.dimshuffle("x", 0, 1), False),
        (lambda x: x.dimshuffle(0, 1, "x"), False),
    ],
)
def test_views_that_jump_are_found(look: Any, turned: bool) -> None:
    assert turns(look(T.dmatrix("x")).owner.op, 2) is turned


def test_a_transposed_operand_costs_more() -> None:
    x = of_type(300, 300)
    plain, turned = (sum(step_cost(s, MODEL).seconds for s in steps([x], y)) for y in (x * 2, x.T * 2))
    assert turned > 1.5 * plain


def test_a_loop_costs_its_steps() -> None:
    def seconds(count: int) -> float:
        x = of_type(count)
        states, _ = eqsat.scan(lambda r, h: T.tanh(h * 0.5 + r), sequences=[x], outputs_info=[T.zeros(())])
        plan = plan_graph([x], eqsat.optimize([states]).optimized, True, MODEL)
        assert any(isinstance(s, Loop) for s in plan.steps)
        return plan_seconds(plan, MODEL)

    assert seconds(20_000) > 8 * seconds(2_000)


def test_picking_from_memory_costs_more_than_from_a_cache() -> None:
    i = of_type(1000, dtype="int64")
    near, far = (
        sum(step_cost(s, MODEL).seconds for s in steps([x, i], x[i])) for x in (of_type(1000), of_type(10**7))
    )
    assert far > 2 * near


def test_sizes_of_caches_are_those_that_the_system_tells(tmp_path: Path) -> None:
    for k, (level, kind, size) in enumerate(
        [("1", "Data", "48K"), ("1", "Instruction", "64K"), ("2", "Unified", "2M"), ("3", "Unified", "x")]
    ):
        folder = tmp_path / f"index{k}"
        folder.mkdir()
        for name, text in (("level", level), ("type", kind), ("size", size)):
            (folder / name).write_text(text + "\n")
    assert cache_sizes(tmp_path) == {1: 48 << 10, 2: 2 << 20}
    assert cache_sizes(tmp_path / "nothing") == {}


def test_lengths_can_be_given() -> None:
    x = T.dvector("x")
    (step,) = steps([x], x * 2 + 1)
    long = step_cost(step, MODEL, lambda v: (10**6,) if v.type.ndim else ())
    assert long.read == 8e6 and np.isclose(step_cost(step, MODEL).read, 8 * 256)
