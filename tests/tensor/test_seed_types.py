"""Types row by row of the specification: patterns of broadcasting, and arithmetic in every dtype."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen.c.operand import CTYPE
from eqsat.errors import DTypeError, RankError, ShapeError
from eqsat.graph.core import Type
from eqsat.graph.dtypes import ALL, REAL
from eqsat.graph.tensor_type import TensorType

seed = pytest.mark.seed
TWELVE = [*REAL[1:], "complex64", "complex128"]
PATTERNS: list[tuple[bool, ...]] = [
    (),
    (True,),
    (True, True),
    (False,),
    (False, False),
    (False,) * 5,
    (True, False),
    (False, True),
    (False, True, False),
    (True, False, False),
    (False, False, False),
]


def shape_of(pattern: tuple[bool, ...]) -> tuple[int, ...]:
    return tuple(1 if one else 2 + k for k, one in enumerate(pattern))


@functools.cache
def echo(mode: str) -> Any:
    """One function with an input of each pattern, which gives twice its arguments."""
    inputs = [TensorType("float64", p)(f"x{k}") for k, p in enumerate(PATTERNS)]
    return eqsat.function(inputs, [x * 2 for x in inputs], mode=mode)


@pytest.mark.parametrize(
    "number",
    [pytest.param(k, marks=[seed("C001"), seed(f"C{k + 2:03}")]) for k in range(len(PATTERNS))],
)
def test_patterns_are_enforced_when_a_function_is_called(number: int, seed_mode: str) -> None:
    pattern, f = PATTERNS[number], echo(seed_mode)
    kind = TensorType("float64", list(pattern))
    assert kind.broadcastable == pattern and kind == TensorType("float64", pattern)
    given = [np.arange(np.prod(shape_of(p))).reshape(shape_of(p)) + 0.5 for p in PATTERNS]
    np.testing.assert_array_equal(f(*given)[number], given[number] * 2)

    def call(value: Any) -> Any:
        return f(*given[:number], value, *given[number + 1 :])

    for wrong in (given[number][None], given[number][0]) if pattern else (np.zeros(1),):
        with pytest.raises(RankError, match=f"input x{number}: .*{len(pattern)} dimensions needed"):
            call(np.asarray(wrong))
    for axis, one in enumerate(pattern):
        value = np.ones([4 if a == axis else n for a, n in enumerate(shape_of(pattern))])
        if one:
            with pytest.raises(ShapeError, match=f"axis {axis} has length 4, not 1"):
                call(value)
        else:
            np.testing.assert_array_equal(call(value)[number], value * 2)


@seed("C013")
def test_an_axis_that_does_not_broadcast_may_have_length_1(seed_mode: str) -> None:
    x, y = T.dmatrices("xy")
    f = eqsat.function([x, y], x + y, mode=seed_mode)
    assert f(np.ones((1, 3)), np.ones((1, 3))).tolist() == [[2, 2, 2]]
    assert T.dmatrix.filter(np.ones((1, 3))).shape == (1, 3) and x.broadcastable == (False, False)


@seed("C014")
@seed("C015")
@seed("C016")
def test_broadcasting_follows_the_types(seed_mode: str) -> None:
    v, m, n = T.dvector("v"), T.dmatrix("m"), T.dmatrix("n")
    a, b = TensorType("float64", (False, True, False))("a"), TensorType("float64", (True, False, False))("b")
    outputs = [v + m, a + b, m + n]
    assert [x.broadcastable for x in outputs] == [(False, False), (False,) * 3, (False, False)]
    f = eqsat.function([v, m, n, a, b], outputs, mode=seed_mode)
    rng = np.random.default_rng(0)
    values = [rng.normal(size=s) for s in ((3,), (5, 3), (5, 3), (2, 1, 4), (1, 3, 4))]
    wanted = [values[0] + values[1], values[3] + values[4], values[1] + values[2]]
    for have, want in zip(f(*values), wanted, strict=True):
        np.testing.assert_array_equal(have, want)
    with pytest.raises(ShapeError) as error:
        f(values[0], np.ones((1, 3)), *values[2:])
    text = str(error.value)
    assert text.startswith("add: axis 0 has the lengths 1 in m and 5 in n at run time\n  m  ")
    assert text.count("made at test_seed_types.py:") == 2 and "T.addbroadcast(x, axis)" in text
    with pytest.raises(ShapeError):  # plain lengths that differ, too
        f(values[0], np.ones((4, 3)), *values[2:])


@seed("C017")
@seed("C018")
def test_ndim_and_dtype_are_known_when_the_graph_is_built() -> None:
    for dtype in TWELVE:
        for pattern in PATTERNS:
            kind = TensorType(dtype, pattern)
            assert kind.ndim == len(kind.broadcastable) == (kind() + kind()).ndim
            assert kind.dtype == dtype == kind().dtype and type(kind.dtype) is str


@functools.cache
def arithmetic(mode: str) -> tuple[Any, dict[str, Any]]:
    """One function with two vectors of every dtype, and what NumPy gives for each."""
    inputs, outputs, given, wanted = [], [], [], {}
    for dtype in TWELVE:
        x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
        a = (np.arange(6) + 1).astype(dtype)
        b = (np.arange(6)[::-1] * 3 + 2).astype(dtype)
        if dtype.startswith("complex"):
            a, b = a * (1 - 2j), b * (2 + 1j)
            a, b = a.astype(dtype), b.astype(dtype)
        inputs += [x, y]
        given += [a, b]
        outputs += [x + y, x * y, -x, x.sum(), x[1], x[::-2], x.reshape((2, 3))]
        wanted[dtype] = [a + b, a * b, -a, a.sum(), a[1], a[::-2], a.reshape(2, 3)]
    f = eqsat.function(inputs, outputs, mode=mode)
    values, size = f(*given), len(wanted["int8"])
    return f, {d: (values[k * size : (k + 1) * size], wanted[d]) for k, d in enumerate(TWELVE)}


@pytest.mark.parametrize(
    "dtype", [pytest.param(d, marks=seed(f"C{19 + k:03}")) for k, d in enumerate(TWELVE)]
)
def test_every_dtype_computes_as_numpy(dtype: str, seed_mode: str) -> None:
    f, results = arithmetic(seed_mode)
    for have, want in zip(*results[dtype], strict=True):
        assert have.dtype == want.dtype and have.shape == want.shape
        np.testing.assert_allclose(have, want, rtol=1e-6 if have.dtype.kind in "fc" else 0)
    if seed_mode == "FAST_RUN" and f.c_source is not None:
        assert CTYPE[dtype] + " " in f.c_source


@seed("C031")
@seed("C034")
def test_tensor_types_are_types_that_make_variables() -> None:
    assert issubclass(TensorType, Type)
    z = TensorType("uint16", (False, True))("z")
    assert isinstance(z, T.TensorVariable) and (z.name, z.dtype, z.ndim) == ("z", "uint16", 2)
    assert isinstance(z.type.filter([[1], [2]]), np.ndarray)


@seed("C032")
def test_one_class_has_the_operators_of_all_tensors() -> None:
    classes = (T.TensorVariable, T.TensorConstant, T.TensorSharedVariable)
    names = [
        "__add__",
        "__radd__",
        "__getitem__",
        "__abs__",
        "T",
        "shape",
        "dimshuffle",
        "sum",
        "astype",
        "conj",
    ]
    for cls in classes:
        assert issubclass(cls, T._tensor_py_operators)
        assert all(getattr(cls, n) is getattr(T._tensor_py_operators, n) for n in names)


@seed("C033")
def test_patterns_come_as_lists_or_tuples_of_known_dtypes() -> None:
    assert TensorType("int8", [True, False]) == TensorType("int8", (True, False))
    for dtype in ALL:
        assert TensorType(dtype, ()).dtype == dtype
    for wrong in ("float99", "complex256", "", None, "object"):
        with pytest.raises(DTypeError, match="unknown dtype"):
            TensorType(wrong, ())


# ------------------------------------------------------------------------------------------------ conversions


@functools.cache
def casts(mode: str) -> dict[tuple[str, str], tuple[Any, Any]]:
    """Values of every cast that there is, from one function, beside those of NumPy."""
    inputs, outputs, pairs, given = [], [], [], {}
    for source in TWELVE:
        x = T.vector("x", dtype=source)
        given[source] = np.array([0, 1, 2.75, 100] if source[0] in "fc" else [0, 1, 3, 100]).astype(source)
        if source.startswith("complex"):
            given[source] = given[source] + 2j
        if source.startswith("int"):
            given[source][1] = -3
        inputs.append(x)
        for target in TWELVE:
            if target.startswith("complex") or not source.startswith("complex"):
                outputs.append(T.cast(x, target) if len(pairs) % 2 else x.astype(target))
                pairs.append((source, target))
    values = eqsat.function(inputs, outputs, mode=mode)(*given.values())
    return {p: (v, np.asarray(given[p[0]], p[1])) for p, v in zip(pairs, values, strict=True)}


@seed("H015")
@seed("D030")
@pytest.mark.parametrize("source", TWELVE)
def test_cast(source: str, seed_mode: str) -> None:
    for target in TWELVE:
        if source.startswith("complex") and not target.startswith("complex"):
            for build in (lambda x, t: T.cast(x, t), lambda x, t: x.astype(t)):
                with pytest.raises(DTypeError) as error:
                    build(T.vector("x", dtype=source), target)
                assert str(error.value).startswith(f"cast: x is {source} and cannot become {target}")
                assert "T.real(x), T.imag(x) or T.abs(x)" in str(error.value)
            continue
        have, want = casts(seed_mode)[source, target]
        assert have.dtype == want.dtype == target
        np.testing.assert_array_equal(have, want)
