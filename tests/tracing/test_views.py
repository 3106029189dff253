"""Views and copies: a write by a traced program reaches what it reaches in NumPy, however the arrays lie in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.errors import EqsatError, TracingError

# ------------------------------------------------------------------------------------- arrays that lie in several ways

MATRIX = np.arange(24.0).reshape(4, 6) + 1
WIDE = np.arange(96.0).reshape(8, 12) + 1
LAYOUTS: dict[str, Callable[[], np.ndarray]] = {
    "in rows": lambda: MATRIX.copy(),
    "in columns": lambda: np.asfortranarray(MATRIX),
    "every other row": lambda: WIDE.copy()[::2, :6],
    "every other column": lambda: WIDE.copy()[:4, ::2],
    "reversed": lambda: MATRIX.copy()[::-1],
    "backwards": lambda: MATRIX.copy()[::-1, ::-1],
    "vector": lambda: MATRIX[0].copy(),
    "every other": lambda: WIDE[0].copy()[::2],
    "reversed vector": lambda: MATRIX[0].copy()[::-1],
    "cube": lambda: WIDE.copy().reshape(4, 6, 4),
}

# what a program makes of an argument before it takes a view of it
BASES: dict[str, Callable[[Any], Any]] = {
    "itself": lambda a: a,
    "copied": lambda a: a.copy(),
    "copied as it lies": lambda a: np.copy(a),
    "computed": lambda a: a * 2,
    "turned": lambda a: a.T + 1,
    "a part": lambda a: a[1:],
    "a view of one": lambda a: a[None].T,
    "made in columns": lambda a: np.zeros((4, 6), order="F"),
}

VIEWS: dict[str, Callable[[Any], Any]] = {
    "all": lambda a: a[...],
    "part": lambda a: a[1:3],
    "steps": lambda a: a[::-2],
    "T": lambda a: a.T,
    "ravel": lambda a: a.ravel(),
    "np.ravel": lambda a: np.ravel(a),
    "ravel of T": lambda a: a.T.ravel(),
    "ravel of part": lambda a: a[:, :2].ravel(),
    "ravel of steps": lambda a: a[::2].ravel(),
    "reshape": lambda a: a.reshape(-1),
    "np.reshape": lambda a: np.reshape(a, (2, -1)),
    "reshape of T": lambda a: np.reshape(a.T, -1),
    "reshape of steps": lambda a: a[::2].reshape(-1),
    "split an axis": lambda a: a.reshape(2, -1, *a.shape[1:]),
    "flatten": lambda a: a.flatten(),
    "split": lambda a: np.split(a, 2)[0],
    "split at": lambda a: np.split(a, [1, 2])[1],
    "split columns": lambda a: np.split(a, 2, axis=1)[1],
    "array_split": lambda a: np.array_split(a, 3)[1],
    "hsplit": lambda a: np.hsplit(a, 2)[1],
    "vsplit": lambda a: np.vsplit(a, 2)[1],
    "dsplit": lambda a: np.dsplit(a, 2)[1],
    "squeeze": lambda a: a[None].squeeze(0),
    "np.squeeze": lambda a: np.squeeze(a[None]),
    "squeeze nothing": lambda a: np.squeeze(a),
    "expand_dims": lambda a: np.expand_dims(a, 1),
    "atleast_1d": lambda a: np.atleast_1d(a),
    "atleast_2d": lambda a: np.atleast_2d(a),
    "atleast_3d": lambda a: np.atleast_3d(a),
    "flip": lambda a: np.flip(a),
    "flip rows": lambda a: np.flip(a, 0),
    "fliplr": lambda a: np.fliplr(a),
    "rot90": lambda a: np.rot90(a),
    "rot90 twice": lambda a: np.rot90(a, 2),
    "moveaxis": lambda a: np.moveaxis(a, 0, -1),
    "rollaxis": lambda a: np.rollaxis(a, 1),
    "swapaxes": lambda a: a.swapaxes(0, 1),
    "transpose": lambda a: np.transpose(a),
    "einsum diagonal": lambda a: np.einsum("ii->i", a[:4, :4]),
    "einsum T": lambda a: np.einsum("ij->ji", a),
    "diagonal": lambda a: np.diagonal(a),
    "diag": lambda a: np.diag(a),
    "broadcast_to": lambda a: np.broadcast_to(a, (2, *a.shape)),
    "astype": lambda a: a.astype("f8"),
    "astype without copy": lambda a: a.astype("f8", copy=False),
    "astype other": lambda a: a.astype("f4", copy=False),
    "array": lambda a: np.array(a),
    "array without copy": lambda a: np.array(a, copy=None),
    "array of two axes": lambda a: np.array(a, copy=None, ndmin=2),
    "asarray": lambda a: np.asarray(a),
    "asarray other": lambda a: np.asarray(a, dtype="f4"),
    "ascontiguousarray": lambda a: np.ascontiguousarray(a),
    "ascontiguousarray of T": lambda a: np.ascontiguousarray(a.T),
    "conj": lambda a: a.conj(),
    "np.conj": lambda a: np.conj(a),
    "real": lambda a: a.real,
    "np.real": lambda a: np.real(a),
    "copy": lambda a: a.copy(),
    "positive": lambda a: +a,
    "repeat": lambda a: np.repeat(a, 1, 0),
    "tile": lambda a: np.tile(a, 1),
    "pad": lambda a: np.pad(a, 0),
    "clip": lambda a: np.clip(a, None, None),
    "meshgrid": lambda a: np.meshgrid(a.reshape(-1), a.reshape(-1))[0],
    "take": lambda a: np.take(a, 0, axis=0),
    "take rows": lambda a: np.take(a, [0, 1], axis=0),
    "roll": lambda a: np.roll(a, 0),
    "concatenate": lambda a: np.concatenate([a]),
    "hstack": lambda a: np.hstack([a]),
    "rows by index": lambda a: a[[0, 1]],
    "columns by index": lambda a: a[:, [0, 1]].reshape(-1),
    "sorted": lambda a: np.sort(a, axis=0).reshape(-1),
    "nan_to_num": lambda a: np.nan_to_num(a),
    "tril": lambda a: np.tril(a, 99),
    "where": lambda a: np.where(True, a, a),
    "flat": lambda a: a.flat[:],
    "squeeze of ravel": lambda a: np.squeeze(a.ravel()[None]),
    "part of ravel": lambda a: a.ravel()[1:],
    "flip of reshape": lambda a: np.flip(a.reshape(2, -1), 1).T,
    "split of T": lambda a: np.split(a.T, 2)[0].T,
}


def write_all(a: Any, p: Any) -> None:
    p[...] = -5


def add(a: Any, p: Any) -> None:
    p += 1


def write_first(a: Any, p: Any) -> None:
    p[0] = -7


def write_below(a: Any, p: Any) -> None:
    a[...] = -3


def write_both(a: Any, p: Any) -> None:
    a[0] = -1
    p[-1] = -2
    a *= 2


WRITES = [write_all, add, write_first, write_below, write_both]
CASES = [(base, view) for base in BASES for view in VIEWS]


def program(base: str, view: str, write: Callable[[Any, Any], None]) -> Callable[[Any], Any]:
    made, viewed = BASES[base], VIEWS[view]

    def run(a: Any) -> Any:
        below = made(a)
        part = viewed(below)
        write(below, part)
        return below, part

    return run


def outcome(function: Callable[[Any], Any], layout: str) -> tuple[Any, Any]:
    """The result of a function, or the error that it raises, and its argument afterwards."""
    a = LAYOUTS[layout]()
    try:
        return function(a), a
    except (EqsatError, ValueError, IndexError, TypeError, DeprecationWarning) as error:
        return error, a


def difference(made: Any, plain: Any, layout: str) -> str:
    """Text of the difference between a jitted program and the plain one; none where NumPy refuses the shapes."""
    wanted, after = outcome(plain, layout)
    found, now = outcome(made, layout)
    if isinstance(wanted, Exception):
        wrong = "read-only" in str(wanted) and not isinstance(found, TracingError)
        return f"{found} in place of {wanted!r}" if wrong else ""
    if isinstance(found, Exception):
        return f"refused, {found}"
    same = all(np.array_equal(x, y) for x, y in zip((*found, now), (*wanted, after), strict=True))
    return "" if same else f"{found} in place of {wanted}"


def compared(base: str, view: str, write: Any) -> Iterator[str]:
    """The layouts with which a program does something else than NumPy."""
    plain = program(base, view, write)
    made = eqsat.jit(plain, mode="reference")
    for layout in LAYOUTS:
        said = difference(made, plain, layout)
        if said:
            yield f"{write.__name__}, {layout}: {said}"


@pytest.mark.filterwarnings("error::DeprecationWarning")
@pytest.mark.parametrize(("base", "view"), CASES)
@pytest.mark.sampled(60)
def test_a_write_reaches_what_it_reaches_in_numpy(base: str, view: str) -> None:
    assert [said for write in WRITES for said in compared(base, view, write)] == []


def by_number(a: Any) -> Any:
    np.put(a, [1, 2], 5.0)
    np.fill_diagonal(a.T, 0)
    a.flat[::3] = 2
    np.copyto(a.T, a.T * 2)
    return a


def into_views(a: Any) -> Any:
    flat = a.ravel()
    np.add(flat, 1, out=flat)
    np.add.at(flat, [0, 0], 1)
    flat.sort()
    return a


def into_products(a: Any) -> Any:
    product = a @ a.T
    product.reshape(-1)[::5] = 0
    return product


def into_columns_by_index(a: Any) -> Any:
    columns = a[:, [0, 1]]  # which NumPy lays in columns
    flat = columns.ravel()
    flat[1] = 9
    return columns


def into_spectra(a: Any) -> Any:
    spectrum = np.fft.fft(a, axis=0)
    flat = spectrum.ravel()
    flat[1] = 9
    return spectrum


def meshes(a: Any) -> Any:
    first, _ = np.meshgrid(a[0], a[1], copy=False)
    a[0] = 0
    return first


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "program", [by_number, into_views, into_products, into_columns_by_index, into_spectra, meshes]
)
def test_functions_that_write(program: Any) -> None:
    made = eqsat.jit(program, mode="reference")
    for layout in [name for name in LAYOUTS if LAYOUTS[name]().ndim == 2]:
        (wanted, after), (found, now) = outcome(program, layout), outcome(made, layout)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
        np.testing.assert_array_equal(now, after)


@pytest.mark.c
def test_a_program_is_compiled_for_each_layout_that_matters_and_for_no_other() -> None:
    def first(a: Any) -> Any:
        flat = a.ravel()
        flat[0] = 9
        return a, flat

    made = eqsat.jit(first)
    for _ in range(2):
        for layout in ("in rows", "in columns", "every other row", "in rows"):
            assert difference(made, first, layout) == ""
    assert len(made.functions) == 3
    read = eqsat.jit(lambda a: a.ravel() * 2)
    for layout in ("in rows", "in columns", "every other row"):
        np.testing.assert_array_equal(read(LAYOUTS[layout]()), LAYOUTS[layout]().ravel() * 2)
    assert len(read.functions) == 1


def test_a_view_by_lengths_that_only_a_call_has_is_refused_where_it_is_written() -> None:
    def columns(a: Any, n: int) -> Any:
        flat = a[:, :n].reshape(-1)  # a view where n is the number of columns
        flat[0] = 9
        return a

    with pytest.raises(TracingError, match="a copy or a view"):
        eqsat.jit(columns)(MATRIX.copy(), 3)


def test_arrays_without_elements_are_written_to_no_effect() -> None:
    def run(a: Any) -> Any:
        flat = a.T.ravel()
        flat += 1
        return a

    assert eqsat.jit(run, mode="reference")(np.ones((0, 3))).shape == (0, 3)


def test_many_steps_before_a_view() -> None:
    def run(a: Any) -> Any:
        b = a
        for _ in range(3000):
            b = np.squeeze(-b)
        b.reshape(-1)[0] = 9
        return b[0, 0]

    assert eqsat.jit(run, mode="reference")(MATRIX.copy()) == 9


def test_a_gradient_of_a_function_that_writes_a_copy() -> None:
    def loss(a: Any) -> Any:
        flat = a.ravel()
        flat[0] = 0
        return np.sum(a * a)

    gradient = eqsat.jit(lambda a: eqsat.value_and_grad(loss)(a * 1)[1], mode="reference")
    for layout, kept in (("in rows", 0), ("in columns", 2)):  # of the product a * 1, in columns too
        a = LAYOUTS[layout]()
        wanted = 2 * a
        wanted[0, 0] = kept
        np.testing.assert_array_equal(gradient(a), wanted)
