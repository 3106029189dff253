"""Graphs of which each has kernels of one form, the device texts that they give, and many texts as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from eqsat.cgen.cuda import source as printer
from eqsat.cgen.cuda.costs import RECORDED, constants
from eqsat.cgen.cuda.source import KERNEL, TYPES, translate
from eqsat.cgen.cuda.unit import DeviceUnit
from eqsat.cgen.texts import device_text, host_text
from eqsat.extract.cost import CostModel
from eqsat.functions.planning import plan_graph
from eqsat.graph.walk import graph_inputs
from eqsat.pipeline.preparation import prepare
from eqsat.pipeline.settings import Settings

H200 = CostModel(**constants(RECORDED["sm_90"]))
x, y, s, u = T.fmatrix("x"), T.fmatrix("y"), T.fscalar("s"), T.fvector("u")
d, i, a = T.dmatrix("d"), T.lvector("i"), T.ftensor3("a")
short = T.TensorType("float32", shape=(None, 3))("short")
few = T.TensorType("float32", shape=(8,))("few")
wide = T.TensorType("float32", shape=(64, 1_000_000))("wide")
z, v = T.tensor("complex64", (None, None), name="z"), T.tensor("complex128", (None,), name="v")
images, filters = T.ftensor4("images"), T.ftensor4("filters")
table = T.constant(np.arange(40.0, dtype="float32"))


def steps(step: Callable[..., Any], *outputs: Any, **options: Any) -> Any:
    """Results of a scan, without its updates."""
    return eqsat.scan(step, outputs_info=list(outputs), **options)[0]


def norm() -> Any:
    """Layer norm of rows."""
    off = x - T.mean(x, 1, keepdims=True)
    return off / T.sqrt(T.mean(T.sqr(off), 1, keepdims=True) + np.float32(1e-5))


def epidemic() -> list[Any]:
    """Many epidemics, each a recurrence of three numbers."""
    return steps(lambda v, w, z: (v - s * v * w, w + s * v * w - 0.1 * w, z + 0.1 * w), u, u, u, n_steps=50)  # type: ignore[no-any-return]


FORMS: dict[str, Callable[[], Sequence[Any]]] = {
    "contiguous": lambda: [T.exp(x) * y + 1],
    "contiguous_of_two_widths": lambda: [T.cast(d, "float32") * x],
    "strided": lambda: [x[::2, ::-1] * s],
    "strided_rows": lambda: [x[::2, 4:] * y[1::2, 4:] + s],
    "broadcast": lambda: [x * u.dimshuffle("x", 0) + y.sum(1, keepdims=True)],
    "transposed": lambda: [x.T + y],
    "sums_of_rows": lambda: [T.sum(x * y, 1)],
    "largest_of_rows": lambda: [T.max(x, 1), T.argmax(x, 1)],
    "sums_of_columns": lambda: [T.sum(T.exp(x), 0)],
    "sum_of_all": lambda: [T.sum(T.sqr(x))],
    "sums_of_a_middle_axis": lambda: [T.sum(a, 1)],
    "rows_of_three": lambda: [T.softmax(short, 1)],
    "softmax": lambda: [T.softmax(x, 1)],
    "norm": lambda: [norm()],
    "softmax_backwards": lambda: [T.grad(T.sum(T.softmax(x, 1) * y), x)],
    "lanes": epidemic,
    "loop_of_a_block": lambda: [steps(lambda r, h: T.tanh(r + T.dot(h, y)), u, sequences=[x])],
    "loop_of_rows": lambda: [steps(lambda r, h: T.tanh(r + T.dot(h, y)), x, sequences=[a])],
    "loop_of_launches": lambda: [steps(lambda h: T.tanh(T.dot(h, h)), x, n_steps=3)[-1]],
    "loop_of_few_numbers": lambda: [steps(lambda h: h * 0.5 + 1, few, n_steps=9)[-1]],
    "picked": lambda: [x[i] * 2],
    "written": lambda: [T.set_subtensor(x[:, 0], u)],
    "added": lambda: [T.inc_subtensor(x[i], y)],
    "joined": lambda: [T.concatenate([x, T.exp(y)], 1)],
    "running": lambda: [T.cumsum(d, 1)],
    "product": lambda: [T.nnet.relu(T.dot(x, y) + u)],
    "product_with_a_vector": lambda: [T.dot(x, u), T.dot(u, y)],
    "products": lambda: [T.batched_dot(a, a)],
    "convolution": lambda: [T.nnet.conv2d(images, filters), T.grad(T.sum(T.sqr(T.nnet.conv2d(images, filters))), filters)],
    "draws": lambda: [T.random.RandomStream(3).uniform(size=(40,))],
    "constant": lambda: [u * table],
    "complex_numbers": lambda: [T.exp(z) * v + 1, T.sum(z * T.conj(z), 1), T.prod(z, 0), T.dot(z, v), T.arcsin(v) / T.sqrt(v) ** v],
    "helpers": lambda: [T.digamma(d) + i // 3],
}  # fmt: skip


def source_of(outputs: Sequence[Any], model: CostModel = H200) -> str:
    """Both texts of a graph as written, planned for a GPU."""
    outputs = prepare(outputs, Settings.of("FAST_COMPILE"))
    inputs = [v for v in graph_inputs(outputs) if not hasattr(v, "data")]
    return translate(plan_graph(inputs, outputs, fused=True, model=model), False).own


def kernels_and_launches(source: str) -> str:
    """The kernels of a function with what they use, and behind them the lines of the host that launch them."""
    lines = [line.strip() for line in host_text(source).splitlines() if "eq_launch(" in line]
    kernels = (device_text(source) or "").removeprefix(TYPES)
    return kernels + "".join(f"// {line}\n" for line in lines)


def kernels_in(text: str) -> Iterator[tuple[str, str]]:
    """Names and texts of the kernels of a device text."""
    found = [*KERNEL.finditer(text)]
    for one, after in zip_longest(found, found[1:]):
        yield one.group(1), text[one.start() : after.start() if after else len(text)]


def united(texts: Iterable[str], most: int = 1000) -> list[str]:
    """Device texts with the kernels of some, each once, as many as that in one: a call of the compiler is not made for each."""
    kernels: dict[str, None] = {}
    for text in texts:
        kernels |= {body.replace(f" {name}(", " @NAME(", 1): None for name, body in kernels_in(text)}
    found = []
    for k in range(0, len(kernels), most):
        unit = DeviceUnit(False)
        unit.kernels = {body: number for number, body in enumerate([*kernels][k : k + most])}
        found.append(printer.device_text(unit))
    return found
