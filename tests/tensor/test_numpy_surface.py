"""Each function of the NumPy surface against NumPy itself: values, dtype and shape.

A row is (name, eqsat, numpy, ranks, dtypes): two callables of one tensor or array. Every row runs in reference
mode for each rank and dtype, on ordinary, empty and negatively strided inputs; the rows of one rank and dtype are
outputs of one compiled function. To cover a further function, add a row.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

DTYPES = ("bool", "int8", "int32", "int64", "uint8", "float32", "float64")
NUMBERS = DTYPES[1:]
FLOATS = DTYPES[5:]
INTEGERS = DTYPES[1:5]
ANY, AXES, MATRIX, VECTOR, CUBE = (0, 1, 2, 3), (1, 2, 3), (2, 3), (1,), (3,)
SHAPES = {0: (), 1: (5,), 2: (3, 4), 3: (2, 3, 2)}
EMPTY: dict[int, list[Any]] = {1: [(0,), (1,)], 2: [(0, 3), (3, 0)], 3: [(2, 0, 3)]}


class Row(NamedTuple):
    """One function with its arguments, and where it is defined."""

    name: str
    ours: Callable[[Any], Any]
    numpy: Callable[[Any], Any]
    ranks: tuple[int, ...] = ANY
    dtypes: tuple[str, ...] = DTYPES
    empty: bool = True  # also defined for tensors without elements
    exact: bool = True


def both(name: str, call: Callable[[Any, Any], Any], *more: Any, **options: Any) -> Row:
    """A row whose text is the same for eqsat and NumPy: ``call(module, x)``."""
    return Row(name, lambda x: call(T, x), lambda x: call(np, x), *more, **options)


def _split(parts: Any) -> Any:
    return list(parts)


def _arange(args: Any) -> Callable[[Any], Any]:
    return lambda m: m.arange(*args)


ROWS = [
    # shape and order
    Row("reshape", lambda x: x.reshape((-1,)), lambda x: x.reshape(-1)),
    Row("reshape ndim", lambda x: x.reshape(T.stack([x.size, 1]), ndim=2), lambda x: x.reshape(x.size, 1)),
    both("ravel", lambda m, x: m.ravel(x)),
    Row("flatten 2", lambda x: T.flatten(x, 2), lambda x: x.reshape(x.shape[0], int(np.prod(x.shape[1:]))), MATRIX),
    both("transpose", lambda m, x: m.transpose(x)),
    both("expand_dims", lambda m, x: m.expand_dims(x, 0)),
    both("expand_dims -1", lambda m, x: m.expand_dims(x, -1)),
    both("expand_dims 0 2", lambda m, x: m.expand_dims(x, (0, 2)), AXES),
    both("squeeze", lambda m, x: m.squeeze(m.expand_dims(x, 0), 0)),
    both("moveaxis", lambda m, x: m.moveaxis(x, 0, -1), AXES),
    both("moveaxis several", lambda m, x: m.moveaxis(x, [0, 1], [-1, -2]), MATRIX),
    both("rollaxis", lambda m, x: m.rollaxis(x, 1), MATRIX),
    both("rollaxis end", lambda m, x: m.rollaxis(x, 0, x.ndim), MATRIX),
    both("swapaxes", lambda m, x: m.swapaxes(x, 0, -1), AXES),
    both("atleast_1d", lambda m, x: m.atleast_1d(x)),
    both("atleast_2d", lambda m, x: m.atleast_2d(x)),
    both("atleast_3d", lambda m, x: m.atleast_3d(x)),
    both("broadcast_to", lambda m, x: m.broadcast_to(m.expand_dims(x, 0), (2, *(x.shape[k] for k in range(x.ndim))))),
    both("broadcast_arrays", lambda m, x: list(m.broadcast_arrays(m.expand_dims(x, 0), m.expand_dims(x, 1))), VECTOR),
    both("flip", lambda m, x: m.flip(x)),
    both("flip 0", lambda m, x: m.flip(x, 0), AXES),
    both("flip several", lambda m, x: m.flip(x, (0, -1)), MATRIX),
    both("fliplr", lambda m, x: m.fliplr(x), MATRIX),
    both("flipud", lambda m, x: m.flipud(x), AXES),
    *(both(f"rot90 {k}", lambda m, x, k=k: m.rot90(x, k), MATRIX) for k in (0, 1, 2, 3, -1)),  # type: ignore[misc]
    both("roll", lambda m, x: m.roll(x, 2), AXES),
    both("roll -1 axis 0", lambda m, x: m.roll(x, -1, 0), AXES),
    both("roll two", lambda m, x: m.roll(x, (1, -2), (0, 1)), MATRIX),
    both("repeat 2", lambda m, x: m.repeat(x, 2)),
    both("repeat 3 axis", lambda m, x: m.repeat(x, 3, 0), AXES),
    both("repeat each", lambda m, x: m.repeat(x, m.arange(x.shape[0]), 0), AXES),
    both("tile 2", lambda m, x: m.tile(x, 2)),
    both("tile 2 1 3", lambda m, x: m.tile(x, (2, 1, 3))),
    # joining and splitting
    both("stack", lambda m, x: m.stack([x, x])),
    both("stack -1", lambda m, x: m.stack([x, x], axis=-1)),
    both("hstack", lambda m, x: m.hstack([x, x])),
    both("vstack", lambda m, x: m.vstack([x, x])),
    both("dstack", lambda m, x: m.dstack([x, x])),
    both("column_stack", lambda m, x: m.column_stack([x, x]), (1, 2)),
    both("concatenate", lambda m, x: m.concatenate([x, x], -1), AXES),
    both("concatenate None", lambda m, x: m.concatenate([x, x], None)),
    Row("join", lambda x: T.join(0, x, x), lambda x: np.concatenate([x, x]), AXES),
    Row("join at", lambda x: T.join(x.ndim - 1 + 0 * x.shape[0], x, x), lambda x: np.concatenate([x, x], -1), AXES),
    both("append", lambda m, x: m.append(x, x)),
    both("append axis", lambda m, x: m.append(x, x, 0), AXES),
    both("array_split", lambda m, x: _split(m.array_split(x, 2)), AXES),
    both("split at", lambda m, x: _split(m.split(x, [1, 2], axis=-1)), AXES),
    both("vsplit", lambda m, x: _split(m.vsplit(m.concatenate([x, x], 0), 2)), MATRIX),
    both("hsplit", lambda m, x: _split(m.hsplit(m.concatenate([x, x], 1), 2)), MATRIX),
    # creation
    both("zeros_like", lambda m, x: m.zeros_like(x)),
    both("ones_like", lambda m, x: m.ones_like(x, dtype="int8")),
    both("full_like", lambda m, x: m.full_like(x, 1)),
    both("full", lambda m, x: m.full((2, *(x.shape[k] for k in range(x.ndim))), 1.5)),
    both("meshgrid", lambda m, x: list(m.meshgrid(x, x[1:])), VECTOR),
    both("meshgrid ij", lambda m, x: list(m.meshgrid(x, x[1:], indexing="ij")), VECTOR),
    both("vander", lambda m, x: m.vander(x, 3), VECTOR, INTEGERS),
    # sorting, searching, counting
    both("sort", lambda m, x: m.sort(x), AXES),
    both("sort 0", lambda m, x: m.sort(x, 0), AXES),
    both("sort None", lambda m, x: m.sort(x, None)),
    Row("argsort", lambda x: T.argsort(x), lambda x: np.argsort(x, kind="stable"), AXES),
    Row("argsort 0", lambda x: T.argsort(x, 0), lambda x: np.argsort(x, 0, kind="stable"), AXES),
    Row("argsort None", lambda x: T.argsort(x, None), lambda x: np.argsort(x, None, kind="stable")),
    Row("topk", lambda x: T.topk(x, 2), lambda x: np.sort(x)[..., -2:], AXES, empty=False),
    Row("topk -2", lambda x: T.topk(x, -2, 0), lambda x: np.sort(x, 0)[:2], AXES),
    Row("argtopk", lambda x: T.argtopk(x, 1), lambda x: np.argsort(x, kind="stable")[..., -1:], AXES),
    both("lexsort", lambda m, x: m.lexsort((x[::-1], x)), VECTOR),
    both("searchsorted", lambda m, x: m.searchsorted(m.sort(x, None), x), ANY),
    both("searchsorted right", lambda m, x: m.searchsorted(m.sort(x, None), x, "right"), ANY),
    Row("searchsorted sorter", lambda x: T.searchsorted(x, x, sorter=T.argsort(x)),
        lambda x: np.searchsorted(x, x, sorter=np.argsort(x, kind="stable")), VECTOR),
    both("digitize", lambda m, x: m.digitize(x, np.array([-1.0, 0.0, 2.0])), ANY),
    both("digitize down", lambda m, x: m.digitize(x, np.array([2.0, 0.0, -1.0]), True), ANY),
    both("unique", lambda m, x: list(m.unique(x, True, True, True))),
    both("bincount", lambda m, x: m.bincount(abs(x) % 4, minlength=2), VECTOR, (*INTEGERS[1:3], "uint8")),
    both("bincount weights", lambda m, x: m.bincount(abs(x) % 4, weights=x), VECTOR, ("int64", "uint8"), empty=False),
    both("isin", lambda m, x: m.isin(x, x[1:3]), AXES),
    both("intersect1d", lambda m, x: m.intersect1d(x, x[1:]), AXES),
    both("setdiff1d", lambda m, x: m.setdiff1d(x, x[1:]), AXES),
    both("union1d", lambda m, x: m.union1d(x, x[1:]), AXES),
    both("setxor1d", lambda m, x: m.setxor1d(x, x[1:]), AXES),
    both("histogram", lambda m, x: list(m.histogram(x, 4)), ANY, NUMBERS, exact=False),
    both("histogram edges", lambda m, x: list(m.histogram(x, np.array([-2.0, 0.0, 1.0, 5.0]))), ANY, NUMBERS),
    # cumulative
    both("cumsum", lambda m, x: m.cumsum(x)),
    both("cumsum 0", lambda m, x: m.cumsum(x, 0), AXES),
    both("cumsum -1", lambda m, x: m.cumsum(x, -1), AXES),
    both("cumprod", lambda m, x: m.cumprod(x)),
    both("cumprod 0", lambda m, x: m.cumprod(x, 0), AXES),
    both("diff", lambda m, x: m.diff(x), AXES),
    both("diff 2 0", lambda m, x: m.diff(x, 2, 0), AXES),
    both("diff ends", lambda m, x: m.diff(x, 1, 0, x, x), AXES),
    both("ediff1d", lambda m, x: m.ediff1d(x), ANY, NUMBERS),
    both("ediff1d ends", lambda m, x: m.ediff1d(x, x, x), ANY, NUMBERS),
    both("trapezoid", lambda m, x: m.trapezoid(x), AXES, NUMBERS, exact=False),
    both("trapezoid dx", lambda m, x: m.trapezoid(x, dx=2, axis=0), AXES, NUMBERS, exact=False),
    both("convolve", lambda m, x: m.convolve(x, x[:3]), VECTOR, DTYPES, empty=False, exact=False),
    both("convolve same", lambda m, x: m.convolve(x, x[:2], "same"), VECTOR, DTYPES, empty=False, exact=False),
    both("convolve valid", lambda m, x: m.convolve(x[:2], x, "valid"), VECTOR, DTYPES, empty=False, exact=False),
    both("interp", lambda m, x: m.interp(x, np.array([-1.0, 0.0, 2.0]), np.array([3.0, 1.0, 7.0])), exact=False),
    both("interp ends", lambda m, x: m.interp(x, np.array([0.0]), np.array([3.0]), -1.0, 9.0), exact=False),
    # padding
    both("pad", lambda m, x: m.pad(x, 1)),
    both("pad pair", lambda m, x: m.pad(x, (1, 2), constant_values=(0, 1)), AXES),
    both("pad pairs", lambda m, x: m.pad(x, ((0, 1), (2, 0)), constant_values=((0, 1), (1, 0))), (2,)),
    *(both(f"pad {k}", lambda m, x, k=k: m.pad(x, (3, 2), mode=k), AXES, empty=False)  # type: ignore[misc]
      for k in ("edge", "reflect", "symmetric", "wrap")),
    *(both(f"pad {k}", lambda m, x, k=k: m.pad(x, (1, 2), mode=k), AXES, NUMBERS, empty=False)  # type: ignore[misc]
      for k in ("maximum", "minimum")),
    both("pad mean", lambda m, x: m.pad(x, (1, 2), mode="mean"), AXES, FLOATS, empty=False, exact=False),
    # closeness and choices
    both("isclose", lambda m, x: m.isclose(x, x[::-1]), AXES, NUMBERS),
    both("allclose", lambda m, x: m.allclose(x, x[::-1]), AXES, NUMBERS),
    both("array_equal", lambda m, x: m.array_equal(x, x[::-1]), AXES),
    both("nan_to_num", lambda m, x: m.nan_to_num(x)),
    both("select", lambda m, x: m.select([x > 1, x > 0], [x, m.zeros_like(x)], m.ones_like(x))),
    both("polyval", lambda m, x: m.polyval(np.array([1, -2, 3], "int64"), x), ANY, ("int64", "float64")),
    both("cov", lambda m, x: m.cov(x), (2,), NUMBERS, empty=False, exact=False),
    both("corrcoef", lambda m, x: m.corrcoef(x), (2,), FLOATS, empty=False, exact=False),
    # reductions
    both("sum", lambda m, x: m.sum(x), exact=False),
    both("prod", lambda m, x: m.prod(x), exact=False),
    both("any", lambda m, x: m.any(x)),
    both("all", lambda m, x: m.all(x)),
    both("max", lambda m, x: m.max(x), empty=False),
    both("argmin", lambda m, x: m.argmin(x), empty=False),
    *(both(f"{f} 0", lambda m, x, f=f: getattr(m, f)(x, axis=0), AXES, empty=False, exact=False)  # type: ignore[misc]
      for f in ("sum", "prod", "any", "all", "max", "min", "argmax", "argmin")),
    *(both(f"{f} keep", lambda m, x, f=f: getattr(m, f)(x, axis=-1, keepdims=True), AXES, empty=False,  # type: ignore[misc]
           exact=False) for f in ("sum", "any", "all", "max", "min")),
    both("mean", lambda m, x: m.mean(x, axis=0), AXES, empty=False, exact=False),
    both("var", lambda m, x: m.var(x, axis=-1, keepdims=True), AXES, empty=False, exact=False),
    both("std", lambda m, x: m.std(x), AXES, empty=False, exact=False),
    # indexing
    both("take", lambda m, x: m.take(x, np.array([0, 2, -1]), axis=-1), VECTOR, empty=False),
    both("where", lambda m, x: m.where(x > 0, x, m.ones_like(x))),
    both("nonzero", lambda m, x: list(m.nonzero(x)), AXES),
    both("compress", lambda m, x: m.compress(x > 0, x), VECTOR),
    both("tril", lambda m, x: m.tril(x), MATRIX),
    both("diagonal", lambda m, x: m.diagonal(x), (2,)),
]  # fmt: skip
FIXED: list[Any] = [
    *((f"arange{a}", _arange(a)) for a in ((5,), (2, 7), (7, 2, -2), (0,), (0.0, 1.0, 0.1))),
    ("linspace", lambda m: m.linspace(0, 1, 7)),
    ("linspace open", lambda m: m.linspace(2.0, -1.0, 4, endpoint=False)),
    ("linspace one", lambda m: m.linspace(3, 9, 1)),
    ("linspace none", lambda m: m.linspace(3, 9, 0)),
    ("linspace int", lambda m: m.linspace(0, 9, 4, dtype="int64")),
    ("linspace bool", lambda m: m.linspace(0, 0.5, 3, dtype="bool")),
    ("linspace rows", lambda m: m.linspace(np.zeros(2), np.ones(2), 3, axis=1)),
    ("logspace", lambda m: m.logspace(0, 3, 4)),
    ("geomspace", lambda m: m.geomspace(1.0, 1000.0, 4)),
    ("geomspace down", lambda m: m.geomspace(-8.0, -1.0, 4, endpoint=False)),
    ("mgrid", lambda m: m.mgrid[0:3, 1:4]),
    ("mgrid complex", lambda m: m.mgrid[0:1:3j]),
    ("ogrid", lambda m: m.ogrid[0:3, 1:4:2]),
    ("indices", lambda m: m.indices((2, 3))),
    ("zeros", lambda m: m.zeros((2, 3))),
    ("ones", lambda m: m.ones((2, 0), "int8")),
    ("full", lambda m: m.full((2, 2), 3)),
    *((f"{w} {n}", lambda m, w=w, n=n: getattr(m, w)(n))
      for w in ("hanning", "hamming", "blackman", "bartlett") for n in (0, 1, 2, 5)),
]  # type: ignore[misc]  # fmt: skip


def listed(result: Any) -> list[Any]:
    """Results as a list, whether there is one or several."""
    return list(result) if isinstance(result, list | tuple) else [result]


def values(dtype: str, shape: Any, seed: int = 0) -> Any:
    """Small numbers of a dtype, with ties, zeros and, where they exist, negative ones."""
    rng = np.random.default_rng(seed + 1)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in FLOATS:
        return np.round(rng.normal(size=shape) * 2, 1).astype(dtype)
    return rng.integers(0 if dtype.startswith("u") else -3, 6, shape).astype(dtype)


def inputs(row: Row, dtype: str, rank: int) -> list[Any]:
    """Ordinary, negatively strided and empty arrays."""
    x = values(dtype, SHAPES[rank], zlib.crc32(row.name.encode()) % 1000)
    found = [x] if rank == 0 else [x, x[::-1], x.T]
    return found + [values(dtype, s) for s in (EMPTY.get(rank, []) if row.empty else [])]


def compare(row: Row, found: Any, x: Any) -> None:
    """Values, dtype and shape are NumPy's."""
    with np.errstate(all="ignore"):
        wanted = listed(row.numpy(x))
    assert len(found) == len(wanted), row.name
    for mine, numpys in zip(found, map(np.asarray, wanted), strict=True):
        text = f"{row.name} of {x.dtype}{list(x.shape)}"
        assert mine.dtype == numpys.dtype, (text, mine.dtype, numpys.dtype)
        assert mine.shape == numpys.shape, (text, mine.shape, numpys.shape)
        if row.exact:
            np.testing.assert_array_equal(mine, numpys, err_msg=text)
        else:
            single = x.dtype == "float32"
            np.testing.assert_allclose(
                mine, numpys, 2e-5 if single else 1e-12, 1e-5 if single else 1e-12, err_msg=text
            )


def rows_of(dtype: str, rank: int) -> list[Row]:
    """The rows that are defined for a dtype and a rank."""
    return [r for r in ROWS if dtype in r.dtypes and rank in r.ranks]


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_reference_is_numpy(row: Row) -> None:
    for dtype in row.dtypes:
        for rank in row.ranks:
            x = TensorType(dtype, shape=(None,) * rank)("x")
            outs = listed(row.ours(x))
            for value in inputs(row, dtype, rank):
                compare(row, evaluate(outs, {x: value}), value)


@pytest.mark.c
@pytest.mark.parametrize("dtype, rank", [("float64", 2), ("float64", 1), ("float64", 0), ("int8", 1), ("bool", 2),
                                         ("float32", 3)])  # fmt: skip
@pytest.mark.sampled(2)
def test_compiled_is_numpy(dtype: str, rank: int) -> None:
    x = TensorType(dtype, shape=(None,) * rank)("x")
    rows = rows_of(dtype, rank)
    outs = [listed(r.ours(x)) for r in rows]
    f = eqsat.function(
        [x], [v for several in outs for v in several], mode="FAST_RUN" if rank == 1 else "FAST_COMPILE"
    )
    base = values(dtype, SHAPES[rank], 11)
    for value in [base] if rank == 0 else [base, base[::-1], base.T]:
        found = iter(f(value))
        for row, several in zip(rows, outs, strict=True):
            compare(row, [next(found) for _ in several], value)


@pytest.mark.parametrize("name, call", FIXED, ids=[name for name, _ in FIXED])
def test_without_inputs_is_numpy(name: str, call: Any) -> None:
    compare(Row(name, call, lambda x: call(np), exact=False), evaluate(listed(call(T))), np.zeros(()))
