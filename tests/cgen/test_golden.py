"""The C of some graphs beside the texts in golden/, so that a review sees what a change makes of generated code.

Texts that are meant to differ are accepted by ``pytest tests/cgen/test_golden.py --update-golden``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen import translate
from eqsat.functions.planning import plan_graph
from eqsat.graph.ops.conv import conv_op
from eqsat.graph.ops.pool import pool_max_op
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import graph_inputs
from eqsat.pipeline.preparation import prepare
from eqsat.pipeline.settings import Settings
from eqsat.scan import until

GOLDEN = Path(__file__).parent / "golden"
x, y, s = T.dvector("x"), T.dvector("y"), T.dscalar("s")
m, k = T.dmatrix("m"), T.dmatrix("k")
a, row = T.dtensor3("a"), T.drow("r")
f, z, i, b = T.fvector("f"), T.zmatrix("z"), T.lvector("i"), T.vector("b", "bool")
image, weights = T.dtensor4("image"), T.dtensor4("weights")
short = TensorType("float64", shape=(3, 4))("short")
near = TensorType("float64", shape=(None, 2))("near")
short_rows, g = TensorType("float32", shape=(None, 3))("short_rows"), T.fmatrix("g")
POOL: dict[str, Any] = {"window": (2, 2), "strides": (2, 2), "pads": (0, 0), "partial": False}
CONV: dict[str, Any] = {"border": "half", "strides": (1, 1), "dilation": (1, 1), "groups": 1, "flip": True}
TABLE = T.constant(np.arange(12.0).reshape(3, 4))
MANY = [T.dvector(f"v{n}") for n in range(70)]


def steps(step: Callable[..., Any], *outputs: Any, **options: Any) -> Any:
    """Results of a scan, without its updates."""
    return eqsat.scan(step, outputs_info=list(outputs), **options)[0]


def power() -> Any:
    """A loop that ends when its state is large; how many values were computed is known afterwards."""
    return steps(lambda v: (v * 2, until(v > 99)), s, n_steps=64)


def orbit() -> Any:
    """A loop whose state is a vector of two numbers, made of its own elements."""
    return steps(lambda v: v + 0.1 * T.stack([v[1], -v[0]]), x, n_steps=9)


def walk() -> Any:
    """The gradient of a recurrence, a loop backwards that adds to rows of a buffer."""
    states = steps(lambda r, h: T.tanh(r + T.dot(h, k)), x, sequences=[m])
    return T.grad(T.sum(states[-1]), m)


def pulled() -> Any:
    """Forces on points in a plane, which other points pull at."""
    ends = T.tensor("float64", (None, 2))
    return (m.dimshuffle(0, 1, "x") * (ends.dimshuffle(0, "x", 1) - ends.dimshuffle("x", 0, 1))).sum(0)


def valley() -> Any:
    """The gradient of Rosenbrock's function: parts of zeros are added to."""
    return T.grad((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(), x)


def centred() -> Any:
    """Layer norm of rows of float32."""
    off = g - T.mean(g, 1, keepdims=True)
    return off / T.sqrt(T.mean(T.sqr(off), 1, keepdims=True) + 1e-5)


def nearest() -> list[Any]:
    """Distances to the nearest of some points in a plane, and which it is."""
    away = T.sqr(near.dimshuffle(0, "x", 1) - near.dimshuffle("x", 0, 1) + 1).sum(2)
    return [T.min(away, 1), T.argmin(away, 1)]


def epidemic() -> list[Any]:
    """A loop over three numbers, of which each reads the others."""
    return steps(lambda u, v, w: (u - s * u * v, v + s * u * v - 0.1 * v, w + 0.1 * v), s, s, s, n_steps=50)  # type: ignore[no-any-return]


GRAPHS: dict[str, Callable[[], Sequence[Any]]] = {
    "sum_of_two": lambda: [m + k],
    "broadcast_row": lambda: [m * row + 1],
    "float32": lambda: [T.exp(f) * 2],
    "valley": lambda: [valley()],
    "valley_and_slope": lambda: [(low := (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()), T.grad(low, x)],
    "pulled": lambda: [pulled()],
    "picked_values": lambda: [T.exp(x[i] * y), T.sqr(m[i] - x).sum(1)],
    "joined_values": lambda: [T.concatenate([T.exp(x), y * 2, x[:1]]) * 3],
    "framed": lambda: [T.set_subtensor(T.exp(m)[1:-1, 2:], 0.0) + k],
    "sums_of_joined": lambda: [T.concatenate([T.exp(m), k], 1).sum(0)],
    "complex": lambda: [T.exp(z) * z],
    "integers": lambda: [i // 3 + i % 5],
    "choice": lambda: [T.switch(x > 0, x, y)],
    "cast": lambda: [T.cast(x, "int8"), T.cast(i, "float32")],
    "transposed": lambda: [m.T + k],
    "fused": lambda: [T.exp(x) * y + T.sin(x), T.sum(T.exp(x) * y)],
    "part_of_operand": lambda: [x[1:] - x[:-1]],
    "no_axes": lambda: [s * s],
    "helper_functions": lambda: [T.erfinv(x) + T.sigmoid(x)],
    "scattered": lambda: [T.grad(T.sum(T.sqr(m[i])), m)],
    "rows_of_three": lambda: [T.softmax(short_rows, 1)],
    "norm_of_rows": lambda: [centred()],
    "rows_reduced_over": lambda: [T.softmax(m, 1).sum(0), T.logsumexp(m, 1)],
    "rows_with_a_block": lambda: [T.cumsum(T.softmax(m, 1), 1)],
    "softmax_of_columns": lambda: [T.softmax(m, 0)],
    "folds_of_columns": lambda: [T.max(m, 0), T.sum(m * k, 0)],
    "pairs": lambda: [T.exp(-T.sqr(x.dimshuffle(0, "x") - y.dimshuffle("x", 0))).sum(1)],
    "nearest": nearest,
    "bias_and_relu": lambda: [T.nnet.relu(T.dot(m, k) + row)],
    "convolution_and_pool": lambda: [pool_max_op.bind(**POOL)(T.nnet.relu(conv_op.bind(**CONV)(image, weights) + s))],
    "convolution_backwards": lambda: T.grad(T.sum(T.sqr(conv_op.bind(**CONV)(image, weights))), [image, weights]),
    "loop_of_three_numbers": epidemic,
    "sum_of_all": lambda: [T.sum(m)],
    "sums_of_rows": lambda: [T.sum(m, 1)],
    "sums_of_columns": lambda: [T.sum(m, 0)],
    "sums_of_pairs": lambda: [T.sum(abs(x[:, None] - y[None, :]))],
    "sums_of_groups": lambda: [x[i].inc(y)],
    "sums_of_a_middle_axis": lambda: [T.sum(a, 1)],
    "largest": lambda: [T.max(x), T.min(i)],
    "products": lambda: [T.prod(z, 0)],
    "known_lengths": lambda: [T.sum(short * short, 1), T.any(short > 1)],
    "place_of_largest": lambda: [T.argmax(m, 1)],
    "parts": lambda: [m[1:, ::-2] * 1, m[i[0]] * 1],
    "reshaped": lambda: [T.exp(T.reshape(m, (-1, 2)))],
    "diagonal": lambda: [T.diagonal(m, 1) + 1],
    "filled": lambda: [T.alloc(s, i[0], 3) * 2],
    "joined": lambda: [T.concatenate([x, y, x])],
    "many_joined": lambda: [T.concatenate(MANY)],
    "picked": lambda: [m[i]],
    "written": lambda: [T.inc_subtensor(m[i], row[0])],
    "written_part": lambda: [T.set_subtensor(m[1:, 0], x)],
    "product": lambda: [T.dot(m, k), T.dot(m, x)],
    "batched_product": lambda: [T.batched_dot(a, a)],
    "solved": lambda: [T.linalg.solve(m, k), T.linalg.inv(k)],
    "convolution": lambda: [conv_op.bind(**CONV)(image, weights)],
    "pooled": lambda: [pool_max_op.bind(**POOL)(m)],
    "running": lambda: [T.cumsum(m, 1)],
    "sorted": lambda: [T.sort(x), T.argsort(x)],
    "softmax": lambda: [T.softmax(m, 1)],
    "places": lambda: [b.nonzero()[0], T.arange(i[0])],
    "constants": lambda: [m @ TABLE, x * T.constant(np.array([1.0, 2.0]))],
    "loop_of_rows": lambda: [steps(lambda r, h: T.tanh(r + T.dot(h, k)), x, sequences=[m])],
    "loop_of_numbers": lambda: [steps(lambda r, v: v * 0.5 + r, s, sequences=[x])[-1]],
    "loop_of_short_rows": lambda: [orbit()],
    "loop_of_several_steps_ago": lambda: [steps(lambda r, v, w: 0.6 * w + 0.3 * v + r, {"initial": y, "taps": [-2, -1]}, sequences=[x])],
    "loop_of_lanes": lambda: [steps(lambda r, v: T.tanh(v) * 0.5 + r, y, sequences=[m])],
    "loop_until": lambda: [power()],
    "loop_backwards": lambda: [walk()],
    "loop_in_loop": lambda: [steps(lambda r, v: v + steps(lambda q, w: q * w, s, sequences=[r])[-1], s, sequences=[m])],
    "growing_rows": lambda: [steps(lambda v: T.concatenate([v, v[:1]]), x, n_steps=3)[-1]],
    "branch": lambda: [eqsat.ifelse(s > 0, T.exp(x) * s, x[1:])],
}  # fmt: skip


def own_text(outputs: Sequence[Any], updates: dict[int, int] | None = None, **options: Any) -> str:
    """The C of a graph as written, without what comes first in every unit; ``updates`` are those of a plan."""
    outputs = prepare(outputs, Settings.of("FAST_COMPILE"))
    inputs = [v for v in graph_inputs(outputs) if not hasattr(v, "data")]
    plan = replace(plan_graph(inputs, outputs, fused=True), updates=updates or {})
    return translate(plan, **{"openmp": True, **options}).own


def compare(name: str, text: str, update: bool) -> None:
    """Refuse a text that is not the golden one, or make it that."""
    path = GOLDEN / f"{name}.c"
    if update:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"pytest {__file__} --update-golden accepts it"


@pytest.mark.parametrize("name", GRAPHS)
def test_text_is_the_golden_one(name: str, request: pytest.FixtureRequest) -> None:
    compare(name, own_text(GRAPHS[name]()), request.config.getoption("--update-golden"))


def test_profile_and_one_thread(request: pytest.FixtureRequest) -> None:
    text = own_text([T.exp(m), T.sum(m, 1)], openmp=False, profile=True)
    compare("profile", text, request.config.getoption("--update-golden"))


def test_update_in_place(request: pytest.FixtureRequest) -> None:
    text = own_text([T.inc_subtensor(m[i], row[0]), T.sum(m)], updates={0: 0})
    compare("updated", text, request.config.getoption("--update-golden"))


def test_every_file_is_compared() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*GRAPHS, "profile", "updated"}
