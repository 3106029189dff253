"""The rows of the specification on indexing: reading, masks, picking functions, gradients."""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import BoundsError
from tests.reference import numeric_gradient

DICE = np.random.default_rng(4)
MATRIX = DICE.normal(size=(5, 4))
CUBE = DICE.normal(size=(3, 4, 2))


@functools.cache
def compiled(key: str, mode: str, build: Any) -> Any:
    """The function that computes what ``build`` gives: inputs and outputs; one compilation per test and mode."""
    inputs, outputs = build()
    return eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore")


def check(build: Any, wanted: Any, mode: str, *values: Any) -> None:
    """Outputs of a graph against NumPy's values, dtypes and shapes."""
    found = compiled(build.__qualname__, mode, build)(*values)
    assert len(found) == len(wanted)
    for k, (a, b) in enumerate(zip(found, map(np.asarray, wanted), strict=True)):
        assert a.dtype == b.dtype and a.shape == b.shape, (k, a.dtype, a.shape, b.dtype, b.shape)
        np.testing.assert_array_equal(a, b, err_msg=str(k))


def check_gradient(out: Any, given: dict[Any, Any], mode: str = "reference") -> None:
    """Gradients of a weighted sum for the float64 inputs against differences, rtol 1e-4."""
    place = T.arange(1, out.size + 1).reshape(out.shape, ndim=out.ndim)
    cost = (T.sqr(out) * T.cos(place)).sum()
    targets = [v for v in given if v.dtype == "float64"]
    grads = T.grad(cost, targets)
    found = eqsat.function(list(given), grads, mode=mode, on_unused_input="ignore")(*given.values())
    for target, dx in zip(targets, found, strict=True):
        np.testing.assert_allclose(dx, numeric_gradient(cost, target, given), rtol=1e-4, atol=1e-7)


# --------------------------------------------------------------------------------------------- basic indexing


def random_item(dice: random.Random, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Integers, slices with any step, None and at most one Ellipsis."""
    count = dice.randint(0, len(shape))
    ends = dice.randint(0, count)
    axes = [*range(ends), *range(len(shape) - count + ends, len(shape))]
    item: list[Any] = []
    for number, axis in enumerate(axes):
        n = shape[axis]
        if number == ends:
            item.append(Ellipsis)
        if dice.random() < 0.4:
            item.append(dice.randint(-n, n - 1))
        else:
            a, b = (dice.choice([None, dice.randint(-n - 2, n + 2)]) for _ in range(2))
            item.append(slice(a, b, dice.choice([None, 1, 2, 3, -1, -2])))
        if dice.random() < 0.25:
            item.append(None)
    if ends == count:
        item.append(Ellipsis) if dice.random() < 0.5 else None
    return tuple(item)


SHAPES = [(6,), (4, 5), (3, 4, 2), (2, 3, 2, 4)]
ITEMS = [
    (shape, [random_item(random.Random(1000 * rank + k), shape) for k in range(15)])
    for rank, shape in enumerate(SHAPES)
]


def sixty() -> tuple[list[Any], list[Any]]:
    inputs = [T.TensorType("float64", (None,) * len(s))(f"x{k}") for k, s in enumerate(SHAPES)]
    return inputs, [x[i] for x, (_, items) in zip(inputs, ITEMS, strict=True) for i in items]


@pytest.mark.seed("G001")
def test_sixty_random_indices(seed_mode: str) -> None:
    values = [DICE.normal(size=s) for s in SHAPES]
    wanted = [v[i] for v, (_, items) in zip(values, ITEMS, strict=True) for i in items]
    assert len(wanted) == 60
    kinds = [type(e).__name__ for _, items in ITEMS for item in items for e in item]
    assert {"int", "slice", "NoneType", "ellipsis"} <= set(kinds)
    check(sixty, wanted, seed_mode, *values)


@pytest.mark.seed("G001")
def test_gradients_of_random_indices(seed_mode: str) -> None:
    x = T.dtensor3("x")
    items = [i for i in ITEMS[2][1] if CUBE[i].size][:6]
    check_gradient(T.concatenate([x[i].flatten() for i in items]), {x: CUBE}, seed_mode)


def symbolic_bounds() -> tuple[list[Any], list[Any]]:
    x, (i, j, k) = T.dmatrix("x"), T.iscalars("i", "j", "k")
    return [x, i, j, k], [x[i:j:k], x[:, i::k], x[j, 1:], x[i, j], x[i:, :j], x[..., j], x[i:i]]


@pytest.mark.seed("G002")
def test_symbolic_indices_and_bounds(seed_mode: str) -> None:
    cases = [(0, 3, 1), (1, 3, 2), (-1, -3, -1), (4, 0, -2), (-4, 3, 1), (3, 1, 1), (0, 0, -1)]
    for i, j, k in cases:
        x = MATRIX
        wanted = [x[i:j:k], x[:, i::k], x[j, 1:], x[i, j], x[i:, :j], x[..., j], x[i:i]]
        check(symbolic_bounds, wanted, seed_mode, x, *map(np.int32, (i, j, k)))
    with pytest.raises(BoundsError, match="index 9 is outside axis 0, which has length 5"):
        compiled(symbolic_bounds.__qualname__, seed_mode, symbolic_bounds)(MATRIX, *map(np.int32, (9, 1, 1)))


# ------------------------------------------------------------------------------------------------ index arrays


def picks() -> tuple[list[Any], list[Any]]:
    x, y, i, j, m = T.dmatrix("x"), T.dtensor3("y"), T.lvector("i"), T.ivector("j"), T.lmatrix("m")
    outputs = [
        x[[0, 2]], x[:, i], x[i, j], x[i], x[m], x[m, 1], x[1:, j], x[i, None, j], x[None, i], x[np.array([[1], [-1]]), j],
        y[i, :, [0, 1, 0]], y[:, i, [0, 1, 0]], y[i, ..., 1], y[..., i[:2] * 0], y[m, 0], y[0, :, m * 0], y[[]], x[[], []],
        x[[2, 2, 2]], y[i, 1:3, j * 0], x[T.stack([i[0], i[1]])],
    ]  # fmt: skip
    return [x, y, i, j, m], outputs


@pytest.mark.seed("G003")
def test_integer_arrays(seed_mode: str) -> None:
    x, y, i, j, m = (
        MATRIX,
        CUBE,
        np.array([0, 2, -1]),
        np.array([1, 3, 1], "int32"),
        np.array([[0, 1], [2, 2]]),
    )
    e = np.zeros(0, int)
    wanted = [
        x[[0, 2]], x[:, i], x[i, j], x[i], x[m], x[m, 1], x[1:, j], x[i, None, j], x[None, i], x[np.array([[1], [-1]]), j],
        y[i, :, [0, 1, 0]], y[:, i, [0, 1, 0]], y[i, ..., 1], y[..., i[:2] * 0], y[m, 0], y[0, :, m * 0], y[e], x[e, e],
        x[[2, 2, 2]], y[i, 1:3, j * 0], x[i[:2]],
    ]  # fmt: skip
    check(picks, wanted, seed_mode, x, y, i, j, m)


@pytest.mark.seed("G003", "G007")
def test_the_gradient_of_a_pick_adds_up_what_is_picked_twice(seed_mode: str) -> None:
    x, i, m = T.dmatrix("x"), T.lvector("i"), T.lmatrix("m")
    parts = [x[i], x[:, i], x[i, i], x[m], x[m, 1], x[i[:, None], i], x[1:, i], x[i, None]]
    out = T.concatenate([p.flatten() for p in parts])
    check_gradient(out, {x: MATRIX, i: np.array([0, 2, 0, -2]), m: np.array([[1, 1], [4, -1]])}, seed_mode)


# ----------------------------------------------------------------------------------------------------- masks


def masked() -> tuple[list[Any], list[Any]]:
    x, y, m, r = T.dmatrix("x"), T.dtensor3("y"), T.matrix("m", dtype="bool"), T.vector("r", dtype="bool")
    i8 = T.bvector("i8")
    keep = np.array([True, False, True, False])
    outputs = [
        x[m], x[r], x[:, keep], x[r, 1], x[r, 1:], x[r, :, None], y[:, keep], y[x[:3] > 0], y[x[:3] > 0, 0], y[..., [True, False]],
        x[[True, False, True, False, True], [0, 1, 0]], x[x > 9], x[i8], x[m].sum(), y[None, [True, True, False]],
        x[T.eq(x, x)], y[[0, 1], :, [True, True]], x[~m], x[r][:, keep],
    ]  # fmt: skip
    return [x, y, m, r, i8], outputs


@pytest.mark.seed("G004")
def test_a_bool_array_is_a_mask_and_an_int8_array_holds_indices(seed_mode: str) -> None:
    x, y = MATRIX, CUBE
    m, r, i8 = x > 0.1, np.array([True, False, False, True, True]), np.array([1, 0, 1], "int8")
    keep = np.array([True, False, True, False])
    big = x[:3] > 0
    wanted = [
        x[m], x[r], x[:, keep], x[r, 1], x[r, 1:], x[r, :, None], y[:, keep], y[big], y[big, 0], y[..., [True, False]],
        x[[True, False, True, False, True], [0, 1, 0]], x[x > 9], x[i8], x[m].sum(), y[None, [True, True, False]],
        x[x == x], y[[0, 1], :, [True, True]], x[~m], x[r][:, keep],
    ]  # fmt: skip
    found = compiled(masked.__qualname__, seed_mode, masked)(x, y, m, r, i8)
    for k, (a, b) in enumerate(zip(found, map(np.asarray, wanted), strict=True)):
        assert a.dtype == b.dtype and a.shape == b.shape, k
        np.testing.assert_allclose(a, b, rtol=1e-14, err_msg=str(k))
    with pytest.raises(
        BoundsError, match="a mask has length 2 on its axis 0, the axis that it indexes has 5"
    ):
        compiled(masked.__qualname__, seed_mode, masked)(x, y, m, r[:2], i8)


def comparisons() -> tuple[list[Any], list[Any]]:
    t = T.dmatrix("t")
    return [t], [t[(t > 4).nonzero()], t[t > 4], T.as_tensor_variable(t)[(t > 4).nonzero()].sum()]


@pytest.mark.seed("G005")
def test_the_nonzero_idiom(seed_mode: str) -> None:
    n = np.arange(9.0).reshape(3, 3)
    check(comparisons, [n[n > 4], n[n > 4], n[n > 4].sum()], seed_mode, n)


@pytest.mark.seed("G006")
def test_an_indexed_expression_is_evaluated(seed_mode: str) -> None:
    t = T.arange(9)
    assert t[1::2].eval(mode=seed_mode).tolist() == [1, 3, 5, 7]
    assert t.reshape((3, 3))[::2].eval(mode=seed_mode).tolist() == [[0, 1, 2], [6, 7, 8]]
    n = np.arange(9)
    assert t[t > 4].eval(mode=seed_mode).tolist() == n[n > 4].tolist()
    x = T.dvector("x")
    assert x[x > 1].eval({x: [0.0, 2.0, 3.0]}, mode=seed_mode).tolist() == [2, 3]


@pytest.mark.seed("G004", "G005", "G007")
def test_the_gradient_of_a_mask(seed_mode: str) -> None:
    x, r = T.dmatrix("x"), T.vector("r", dtype="bool")
    parts = [
        x[x > 0],
        x[r],
        x[:, np.array([True, False, True, True])],
        T.nonzero_values(x),
        x[(x > 0).nonzero()],
    ]
    check_gradient(
        T.concatenate([p.flatten() for p in parts]),
        {x: MATRIX, r: np.array([True, False, True, True, False])},
        seed_mode,
    )


# --------------------------------------------------------------------------------- methods: nonzero, take, diagonal


def nonzeros() -> tuple[list[Any], list[Any]]:
    x, i = T.dmatrix("x"), T.ltensor3("i")
    outputs = [
        *x.nonzero(),
        x.nonzero(return_matrix=True),
        *T.nonzero(i),
        i.nonzero(True),
        x.nonzero_values(),
        i.nonzero_values(),
    ]
    outputs += [
        T.flatnonzero(x),
        T.argwhere(i),
        T.nonzero_values(x),
        (x > 0).nonzero()[1],
        T.nonzero([0.0, np.nan])[0],
    ]
    return [x, i], outputs


@pytest.mark.seed("D034", "D035")
def test_nonzero(seed_mode: str) -> None:
    for shape in ((3, 4), (0, 4), (2, 1)):
        x = np.where(DICE.random(shape) < 0.5, 0.0, DICE.normal(size=shape))
        i = DICE.integers(0, 2, (*shape, 2))
        wanted = [
            *x.nonzero(),
            np.array(x.nonzero()),
            *i.nonzero(),
            np.array(i.nonzero()),
            x[x.nonzero()],
            i[i.nonzero()],
        ]
        wanted += [np.flatnonzero(x), np.argwhere(i), x[x.nonzero()], (x > 0).nonzero()[1], np.array([1])]
        check(nonzeros, wanted, seed_mode, x, i)


def taken() -> tuple[list[Any], list[Any]]:
    x, i, m = T.dmatrix("x"), T.lvector("i"), T.lmatrix("m")
    outputs = [
        x.take(i),
        x.take(i, 0),
        x.take(m, axis=1),
        x.take(m),
        x.take(2),
        x.take(1, -1),
        T.take(x, [], 0),
    ]
    for mode in ("wrap", "clip"):
        outputs += [
            x.take(9 * i, mode=mode),
            x.take(9 * m, 0, mode),
            x.take(7 * i, axis=-1, mode=mode),
            x.take(-7, 0, mode),
        ]
    return [x, i, m], outputs


@pytest.mark.seed("D031")
def test_take(seed_mode: str) -> None:
    x, i, m = MATRIX, np.array([0, 3, -1, 3]), np.array([[1, 0], [-2, 3]])
    wanted = [
        x.take(i),
        x.take(i, 0),
        x.take(m, axis=1),
        x.take(m),
        x.take(2),
        x.take(1, -1),
        np.take(x, np.zeros(0, int), 0),
    ]
    for mode in ("wrap", "clip"):
        wanted += [
            x.take(9 * i, mode=mode),
            x.take(9 * m, 0, mode=mode),
            x.take(7 * i, axis=-1, mode=mode),
            x.take(-7, 0, mode=mode),
        ]
    check(taken, wanted, seed_mode, x, i, m)
    with pytest.raises(BoundsError, match="index 20 is outside axis 0, which has length 20"):
        compiled(taken.__qualname__, seed_mode, taken)(x, np.array([20]), m * 0)


@pytest.mark.seed("D031")
def test_the_gradient_of_take(seed_mode: str) -> None:
    x, i = T.dmatrix("x"), T.lvector("i")
    parts = [x.take(i), x.take(i, 1), x.take(9 * i, 0, "wrap"), x.take(9 * i, 1, "clip")]
    check_gradient(
        T.concatenate([p.flatten() for p in parts]), {x: MATRIX, i: np.array([0, 3, -1, 3])}, seed_mode
    )


def diagonals() -> tuple[list[Any], list[Any]]:
    x, y = T.dmatrix("x"), T.dtensor3("y")
    outputs = [x.diagonal(k) for k in (-9, -1, 0, 1, 2)] + [x.diagonal(k, 1, 0) for k in (-1, 0, 1)]
    outputs += [y.diagonal(k, a, b) for k in (-1, 0, 1) for a, b in ((0, 1), (1, 0), (0, 2), (-1, 1))]
    return [x, y], [*outputs, T.diagonal(x).sum()]


@pytest.mark.seed("D029")
def test_diagonal(seed_mode: str) -> None:
    for x, y in ((MATRIX, CUBE), (MATRIX[:1], CUBE[:, ::-1, :1]), (np.zeros((0, 3)), np.zeros((2, 0, 2)))):
        wanted = [x.diagonal(k) for k in (-9, -1, 0, 1, 2)] + [x.diagonal(k, 1, 0) for k in (-1, 0, 1)]
        wanted += [y.diagonal(k, a, b) for k in (-1, 0, 1) for a, b in ((0, 1), (1, 0), (0, 2), (-1, 1))]
        found = compiled(diagonals.__qualname__, seed_mode, diagonals)(x, y)
        for a, b in zip(found, [*wanted, x.diagonal().sum()], strict=True):
            assert a.shape == b.shape and a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-14)


@pytest.mark.seed("D029")
def test_the_gradient_of_a_diagonal(seed_mode: str) -> None:
    x, y = T.dmatrix("x"), T.dtensor3("y")
    parts = [x.diagonal(), x.diagonal(1, 1, 0), x.diagonal(-1), y.diagonal(1, 2, 1), y.diagonal(0, 1, 0)]
    check_gradient(T.concatenate([p.flatten() for p in parts]), {x: MATRIX, y: CUBE}, seed_mode)


# ---------------------------------------------------------------------------------- eyes, triangles, permutations


def eyes() -> tuple[list[Any], list[Any]]:
    n, m, k = T.lscalars("n", "m", "k")
    x, f = T.dmatrix("x"), T.fmatrix("f")
    outputs = [
        T.eye(n, m, k),
        T.eye(n),
        T.eye(3),
        T.eye(3, 5, dtype="int8"),
        T.eye(n, dtype="float32"),
        T.identity(n),
    ]
    outputs += [T.eye(4, 3, j) for j in (-1, 0, 1)] + [
        T.identity_like(x),
        T.identity_like(f),
        T.identity_like(f, "int64"),
    ]
    outputs += [T.tri(n, m, k), T.tri(3, dtype="bool"), T.tril(x, k), T.triu(x, k), T.tril(f), T.triu(x[0])]
    outputs += [
        *T.tril_indices(n, k, m),
        *T.triu_indices(n, k, m),
        *T.tril_indices_from(x),
        *T.triu_indices_from(x, k),
    ]
    return [n, m, k, x, f], outputs


@pytest.mark.seed("E012", "E013")
def test_eyes_and_triangles(seed_mode: str) -> None:
    for n, m, k in ((3, 4, 0), (4, 2, -1), (2, 5, 1), (0, 3, 0), (3, 3, 7)):
        x, f = DICE.normal(size=(n + 1, m)), DICE.normal(size=(n, m)).astype("float32")
        wanted = [
            np.eye(n, m, k),
            np.eye(n),
            np.eye(3),
            np.eye(3, 5, dtype="int8"),
            np.eye(n, dtype="float32"),
            np.identity(n),
        ]
        wanted += [np.eye(4, 3, j) for j in (-1, 0, 1)]
        wanted += [np.eye(*x.shape), np.eye(*f.shape, dtype="float32"), np.eye(*f.shape, dtype="int64")]
        wanted += [
            np.tri(n, m, k),
            np.tri(3, dtype=bool),
            np.tril(x, k),
            np.triu(x, k),
            np.tril(f),
            np.triu(x[0]),
        ]
        wanted += [
            *np.tril_indices(n, k, m),
            *np.triu_indices(n, k, m),
            *np.tril_indices_from(x),
            *np.triu_indices_from(x, k),
        ]
        check(eyes, wanted, seed_mode, *map(np.int64, (n, m, k)), x, f)
    eqsat.config.floatX = "float32"
    assert T.eye(3).dtype == "float32" and T.tri(3).dtype == "float32"


def permuted() -> tuple[list[Any], list[Any]]:
    x, y, p = T.dmatrix("x"), T.lmatrix("y"), T.lvector("p")
    outputs = [
        T.permute_row_elements(a, b, back)
        for a, b in ((x, y), (x, p), (x[0], y), (x[0], p))
        for back in (False, True)
    ]
    return [x, y, p], [*outputs, T.inverse_permutation(y), T.inverse_permutation(p)]


@pytest.mark.seed("E022")
def test_permuted_rows(seed_mode: str) -> None:
    x, y, p = MATRIX, np.array([DICE.permutation(4) for _ in range(5)]), DICE.permutation(4)
    wanted = []
    for a, b in ((x, y), (x, np.tile(p, (5, 1))), (np.tile(x[0], (5, 1)), y), (x[:1], p[None])):
        forward, back = np.take_along_axis(a, b, -1), np.empty_like(a)
        np.put_along_axis(back, b, a, -1)
        wanted += [forward, back]
    wanted[-2:] = [w[0] for w in wanted[-2:]]
    check(permuted, [*wanted, np.argsort(y, -1), np.argsort(p)], seed_mode, x, y, p)
    v, i = T.dmatrix("v"), T.lmatrix("i")
    out = T.concatenate([T.permute_row_elements(v, i), T.permute_row_elements(v, i, True)])
    check_gradient(out, {v: x, i: y}, seed_mode)


# ---------------------------------------------------------------------------------------- NumPy's other functions


def others() -> tuple[list[Any], list[Any]]:
    x, i, j, c = T.dmatrix("x"), T.lmatrix("i"), T.lvector("j"), T.lvector("c")
    outputs = [
        T.take_along_axis(x, i, 0), T.take_along_axis(x, j, None),
        T.put_along_axis(x, i, 7.0, 0), T.put_along_axis(x, j, 7.0, None),
        T.choose(j, [x[0, 0], x[1], 3.0]), T.choose(i, [x[:2], -x[:2], x[2:4]]), T.choose(j, x[:3]), j.choose([1, 2, 3]),
        T.choose(5 * j, x, mode="wrap"), T.choose(5 * j - 3, [x[0], x[1]], mode="clip"),
        T.compress(c, x, 0), x.compress(c), x.compress([False, True], axis=1), T.extract(x > 0, x),
        x[T.ix_([0, 2], j)], x[T.ix_([True, False, True, False, False], [1])],
        *T.unravel_index(i, (4, 3)), *T.unravel_index(i, x.shape[:2], order="F"), T.unravel_index(j, 9)[0],
        T.ravel_multi_index((j, j), (3, 4)), T.ravel_multi_index((j, 2 * j), x.shape, mode=("wrap", "clip"), order="F"),
        T.diag(x[0]), T.diag(x, 1), T.diag(x[0], -2), T.diagflat(x[:2], 1), T.alloc_diag(x, 1, 2, 0), T.AllocDiag(-1)(x[0]),
        T.fill_diagonal(x, 2.0), T.fill_diagonal_offset(x, x[0, 0], -1), T.fill_diagonal(T.stack([x[:2, :2], x[2:4, :2]]), 1),
    ]  # fmt: skip
    return [x, i, j, c], outputs


def test_other_functions_of_numpy(mode: str) -> None:
    x, i, j, c = (
        MATRIX,
        np.array([[0, 1, 2, 0], [2, 1, 0, 1]]),
        np.array([2, 0, 1, 1]),
        np.array([0, 1, 0, 1]),
    )

    def put(a: Any, *args: Any) -> Any:
        result = a.copy()
        np.put_along_axis(result, *args)
        return result

    def filled(a: Any, val: Any) -> Any:
        result = a.copy()
        np.fill_diagonal(result, val)
        return result

    below = x.copy()
    below[np.arange(1, 5), np.arange(4)] = x[0, 0]
    raised = np.zeros((5, 5, 5))
    for k in range(4):
        raised[k + 1, :, k] = x[:, k]
    wanted = [
        np.take_along_axis(x, i, 0),  np.take_along_axis(x, j, None), put(x, i, 7.0, 0), put(x, j, 7.0, None),
        np.choose(j, [x[0, 0], x[1], 3.0]), np.choose(i, [x[:2], -x[:2], x[2:4]]), np.choose(j, x[:3]),
        np.choose(j, [1, 2, 3]).astype("int8"), np.choose(5 * j, x, mode="wrap"), np.choose(5 * j - 3, [x[0], x[1]], mode="clip"),
        np.compress(c, x, 0), x.compress(c), x.compress([False, True], axis=1), np.extract(x > 0, x),
        x[np.ix_([0, 2], j)], x[np.ix_([True, False, True, False, False], [1])],
        *np.unravel_index(i, (4, 3)), *np.unravel_index(i, x.shape, order="F"), np.unravel_index(j, 9)[0],
        np.ravel_multi_index((j, j), (3, 4)), np.ravel_multi_index((j, 2 * j), x.shape, mode=("wrap", "clip"), order="F"),
        np.diag(x[0]), np.diag(x, 1), np.diag(x[0], -2), np.diagflat(x[:2], 1), raised, np.diag(x[0], -1),
        filled(x, 2.0), below, filled(np.stack([x[:2, :2], x[2:4, :2]]), 1),
    ]  # fmt: skip
    check(others, wanted, mode, x, i, j, c)
