"""Every elementwise op in C against its meaning, over all dtypes, lengths and special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.graph.ops
import eqsat.tensor as T
from eqsat.errors import DTypeError
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import ALL, COMPLEX, FLOATS, INEXACT, to_real
from eqsat.graph.tensor_type import TensorType

NAMES = sorted(
    name for name, d in OPS.items() if d.kind == "elemwise" and d.meaning.__module__.startswith("eqsat.")
)
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.0,
    1e-300,
    700.0,
    -700.0,
    20.0,
    float("inf"),
    -float("inf"),
    float("nan"),
]
# libmvec is allowed 4 units; a remainder loses the ratio of its operands
ULPS = {"float32": 16.0, "float64": 16.0, "complex64": 16.0, "complex128": 16.0}
WIDER = {"pow": 4, "sin": 4, "cos": 4}
# where SciPy loses digits itself: beside roots and poles, and in the square under an exponential
WIDER |= {"digamma": 40, "polygamma": 40, "gammaln": 4, "erfc": 4, "erfcx": 8, "ndtr": 8}
WIDER |= {"i0": 4, "i1": 4}
ABSOLUTE = dict.fromkeys(["digamma", "polygamma", "gammaln"], 1e-14)
ABSOLUTE |= {
    "j0": 1e-9,
    "j1": 1e-9,
}  # SciPy loses the phase of integers up to 2**63; test_special.py has the rest
assert eqsat.graph.ops


def numbers(dtype: str, count: int, seed: int) -> np.ndarray:
    dice = np.random.default_rng(seed)
    if dtype == "bool":
        return dice.integers(0, 2, count).astype(bool)
    if dtype in FLOATS:
        values = np.concatenate([np.array(SPECIAL), dice.normal(size=max(count - len(SPECIAL), 0)) * 3])[
            :count
        ]
        with np.errstate(all="ignore"):
            return dice.permutation(values).astype(dtype)
    if dtype in COMPLEX:
        parts = [numbers(to_real(dtype), count, seed + k) for k in (0, 1)]
        return (parts[0] + 1j * np.nan_to_num(parts[1], posinf=2, neginf=3)).astype(dtype)
    info = np.iinfo(dtype)
    edges = np.array([0, 1, 2, 3, info.max, info.min, info.max - 1, info.min // 2, 7, 5], dtype)
    small = dice.integers(0 if info.min == 0 else -9, 10, max(count - len(edges), 0)).astype(dtype)
    return dice.permutation(np.concatenate([edges, small])[:count])


def bound(name: str) -> list[Any]:
    declaration = OPS[name]
    if "dtype" in declaration.parameters:
        return [declaration.bind(dtype=d) for d in ALL]
    return [declaration.bind()]


def applications(name: str, dtype: str) -> list[Any]:
    """Vectors of a dtype and an op on them, for every form of the op that takes them."""
    found = []
    for op in bound(name):
        letters = op.declaration.signature.partition("->")[0].split(",")
        ins = [
            TensorType("bool" if k == "?" else dtype, shape=(None,))(f"x{i}") for i, k in enumerate(letters)
        ]
        try:
            op(*ins)
            found.append((found[0][0] if found else ins, op))
        except DTypeError:
            continue
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_c_equals_the_meaning(name: str, check: Any) -> None:
    for group in (FLOATS, COMPLEX, [d for d in ALL if d not in INEXACT]):
        applied = [form for dtype in group for form in applications(name, dtype)]
        if not applied:
            continue
        inputs = list({v: None for ins, _ in applied for v in ins})
        outputs = [op(*ins) for ins, op in applied]
        calls = [
            [numbers(v.type.dtype, count, count + 31 * k) for k, v in enumerate(inputs)]
            for count in (0, 1, 3, 64, 1000)
        ]
        ulps = ULPS.get(group[0], 8) * WIDER.get(name, 1)
        check(inputs, outputs, *calls, ulps=ulps, atol=ABSOLUTE.get(name, 0))


def of_both(op: Any, x: Any, y: Any) -> Any:
    """The op of two operands; None where it is of other dtypes."""
    try:
        return op(x, y)
    except DTypeError:
        return None


def test_all_pairs_of_special_values(check: Any) -> None:
    for dtype in FLOATS:
        x, y = (TensorType(dtype, shape=(None,))(n) for n in "xy")
        names = [n for n in NAMES if len(OPS[n].tensors) == 2 and OPS[n].signature != "i,i->i"]
        names.remove(
            "polygamma"
        )  # SciPy loses more; the test above and tests/graph/ops/test_special.py look at it
        outputs = [made for n in names if (made := of_both(OPS[n].bind(), x, y)) is not None]
        assert len(outputs) > 20
        with np.errstate(all="ignore"):
            values = np.array(SPECIAL).astype(dtype)
        a, b = (g.ravel().copy() for g in np.meshgrid(values, values))
        check([x, y], outputs, [a, b], ulps=64)


def test_signs_of_zero_survive(compiled: Any) -> None:
    x = TensorType("float64", shape=(None,))("x")
    from eqsat.graph.ops.elemwise import neg, sqrt

    f = compiled([x], [neg(x), sqrt(x)])
    for got in f(np.array([0.0, -0.0])):
        assert list(np.signbit(got)) in ([True, False], [False, True])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "int8", "complex128"])
@pytest.mark.parametrize("body", [lambda x, y: x * y - x, lambda x, y: T.exp(x) / (y * y + 3)])
def test_bits_do_not_depend_on_where_operands_lie(dtype: str, body: Any) -> None:
    """Operands that begin anywhere on a line of memory, or between two elements of one, give the same bits."""
    x, y = (T.tensor(dtype, shape=(None,), name=name) for name in "xy")
    f = eqsat.function([x, y], body(x, y))
    draw, n = np.random.default_rng(0), 5003
    values = [draw.normal(0, 2, n).astype(dtype) for _ in "xy"]
    seen = set()
    for shift in (0, 1, 8, 16, 24, 33):
        moved = []
        for k, value in enumerate(values):
            room = np.zeros(value.nbytes + 256, "int8")
            first = -room.ctypes.data % 64 + shift * (1 + k)
            part = room[first : first + value.nbytes].view(dtype)
            part[:] = value
            moved.append(part)
        seen.add(f(*moved).tobytes())
    assert len(seen) == 1
