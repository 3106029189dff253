"""Groups of rows that threads hold in registers: values, bits in both orders of threads, which groups they are, registers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen.cuda.compile import compiled, find_compiler
from eqsat.errors import ShapeError
from tests.cuda.orders import in_both_orders

pytestmark = [pytest.mark.c, pytest.mark.cuda]
HELD = "const int64_t eq_of_row"
SHAPES = [(3, 5), (5, 64), (2, 512), (3, 513), (7, 1023), (2, 2048), (3, 3000), (1, 8192), (2, 8193), (300, 1), (0, 4), (3, 0)]  # fmt: skip


def norm(x: Any, gain: Any, bias: Any) -> Any:
    """Layer norm."""
    off = x - x.mean(-1, keepdims=True)
    return off / T.sqrt((off * off).mean(-1, keepdims=True) + np.float32(1e-5)) * gain + bias


def slope(s: Any, dy: Any) -> Any:
    """The gradient of a softmax."""
    return s * (dy - (s * dy).sum(-1, keepdims=True))


x, y, g, b = T.fmatrix("x"), T.fmatrix("y"), T.fvector("g"), T.fvector("b")
PROGRAMS = {
    "softmax": ([x], [T.softmax(x, axis=1)]),
    "log-softmax and its parts": ([x], [T.log_softmax(x, axis=1), x.max(1)]),
    "norm": ([x, g, b], [norm(x, g, b)]),
    "norm of a sum that is kept": ([x, y, g, b], [norm(x + y, g, b), x + y]),
    "elements less their mean, and sums": ([x], [x - x.mean(1, keepdims=True), x.sum(1), (x * x).sum(1)]),
    "gradient of softmax": ([x, y], [slope(x, y)]),
    "doubles and floats": ([x], [T.softmax(x.astype("float64"), axis=1).astype("float32") * x]),
}


def known(inputs: Any, outputs: Any, rows: int = 32768, length: int = 1024) -> Any:
    """A function for the emulated device, for lengths that pay a group."""
    hints = {v: (rows, length)[2 - v.ndim :] for v in inputs}
    with config.change_flags(cuda_device="emulated"):
        return eqsat.function(inputs, outputs, target="cuda", shape_hints=hints)


def drawn(inputs: Any, shape: tuple[int, int], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape[2 - v.ndim :]).astype(v.dtype) for v in inputs]


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_of_the_processor_and_the_same_bits_in_both_orders(name: str) -> None:
    inputs, outputs = PROGRAMS[name]
    ours, theirs = known(inputs, outputs), eqsat.function(inputs, outputs, target="c")
    assert HELD in ours.cuda_source
    for shape in SHAPES:
        values = drawn(inputs, shape)
        if not shape[1] and "parts" in name:
            with pytest.raises(ShapeError, match="an axis of length 0 has no max"):
                ours(*values)
            continue
        for found, wanted in zip(in_both_orders(ours, values), theirs(*values), strict=True):
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(found, wanted, rtol=3e-5, atol=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_that_are_none(name: str) -> None:
    inputs, outputs = PROGRAMS[name]
    ours, theirs = known(inputs, outputs), eqsat.function(inputs, outputs, target="c")
    values = drawn(inputs, (5, 70))
    values[0][1, 3], values[0][2, :2], values[0][3, 69] = np.nan, np.inf, -np.inf
    for found, wanted in zip(ours(*values), theirs(*values), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=3e-5, atol=1e-6)


def test_rows_that_begin_anywhere() -> None:
    rows = x[:, 1:]
    ours = known([x], [T.softmax(rows, axis=1)])
    theirs = eqsat.function([x], T.softmax(rows, axis=1), target="c")
    for shape in ((6, 65), (3, 1025), (4, 1), (5, 12)):
        (value,) = drawn([x], shape)
        np.testing.assert_allclose(in_both_orders(ours, [value])[0], theirs(value), rtol=1e-5, atol=1e-7)


def test_rows_of_several_axes_are_rows() -> None:
    """Rows in the middle of an array: all of them go to threads, whatever axis the plan splits."""
    a = T.tensor("float32", (8, 64, 256), name="a")
    scaled = T.softmax(a * np.float32(0.125), axis=2)
    with config.change_flags(cuda_device="emulated"):
        ours = eqsat.function([a], [scaled], target="cuda")
    assert HELD in ours.cuda_source and ours.cuda_source.count("__global__") == 1
    value = np.random.default_rng(1).normal(size=(8, 64, 256)).astype("float32")
    (found,) = in_both_orders(ours, [value])
    np.testing.assert_allclose(found, eqsat.function([a], scaled, target="c")(value), rtol=1e-5)


def test_a_result_in_the_place_of_its_operand() -> None:
    s = eqsat.shared(np.random.default_rng(2).normal(size=(40, 100)).astype("float32"))
    wanted = s.get_value()
    with config.change_flags(cuda_device="emulated"):
        f = eqsat.function([], [], updates=[(s, T.softmax(s, axis=1))], target="cuda")
    step = eqsat.function([x], T.softmax(x, axis=1), target="c")
    for _ in range(3):
        f()
        wanted = step(wanted)
    np.testing.assert_allclose(s.get_value(), wanted, rtol=1e-5)


def test_sums_over_rows_are_none_of_what_is_in_them() -> None:
    """The total of all rows' sums, and gradients that count the largest of a row."""
    for outputs in ([T.sum(T.logsumexp(x, axis=1))], [T.grad(T.sum(T.sqr(x.max(1))), x), x.sum(1).sum()]):
        ours, theirs = known([x], outputs), eqsat.function([x], outputs, target="c")
        for shape in ((2, 3), (5, 70), (0, 4)):
            (value,) = drawn([x], shape)
            for found, wanted in zip(ours(value), theirs(value), strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_columns_are_no_rows() -> None:
    ours = known([x], [T.softmax(x, axis=0)], 1024, 4096)
    assert HELD not in ours.cuda_source and "eq_count" not in ours.cuda_source
    (value,) = drawn([x], (50, 33))
    np.testing.assert_allclose(ours(value)[0], eqsat.function([x], T.softmax(x, axis=0), target="c")(value), rtol=1e-5)  # fmt: skip


@pytest.mark.skipif(find_compiler() is None, reason="neither NVRTC nor nvcc")
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.sampled(2)
def test_vectors_and_registers(program: str) -> None:
    inputs, outputs = PROGRAMS[program]
    text = str(known(inputs, outputs).cuda_source)
    (name,) = re.findall(rf"(eq_k\d+)\([^)]*{HELD}", text)
    said = compiled(text, "sm_90", options=("--ptxas-options=-v",)).said
    said = said.split(f"'{name}' for")[1].split("Compiling")[0]
    assert max(map(int, re.findall(r"(\d+) bytes spill", said))) <= 8 * (program == "doubles and floats")
    assert all(int(n) <= 128 for n in re.findall(r"Used (\d+) registers", said))
    ptx = compiled(text, "sm_90", form="ptx").content.decode(errors="replace")
    assert "ld.global.v4" in ptx or "ld.global.v2" in ptx or "ld.global.nc.v" in ptx
    assert "st.global.v4" in ptx or "st.global.v2" in ptx
