"""The rows of the specification on writing to parts: set_subtensor, inc_subtensor, and what is written in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen.c.source import translate
from eqsat.errors import ArgumentError, AxisError, BoundsError, DTypeError, RankError, ShapeError
from eqsat.functions.planning import plan_graph
from tests.tensor.test_indexing import CUBE, MATRIX, check, check_gradient

ROWS = np.array([0, 2, 0, -1])
KEEP = np.array([True, False, True, False])


# ------------------------------------------------------------------------------------------------- assignment


@pytest.mark.seed("G008")
def test_assignment_names_the_functions_that_do_it() -> None:
    a, b = T.dvector("a"), T.dscalar("b")
    with pytest.raises(TypeError, match=r"a cannot be assigned to.*\n.*set_subtensor.*inc_subtensor"):
        a[5] = b
    with pytest.raises(TypeError, match=r"set_subtensor.*inc_subtensor"):
        a[5] += b
    with pytest.raises(ArgumentError, match=r"set_subtensor.*inc_subtensor"):
        a[a > 0] -= b


# ---------------------------------------------------------------------------------------------------- writing


def parts(x: Any, i: Any, m: Any) -> list[Any]:
    """Parts of a 5 by 4 matrix, of which the index arrays may name an element twice."""
    return [
        x[2], x[-1, 1], x[1:3], x[::-2, 1:], x[:, 0], x[None, 1:, None], x[...], x[i], x[:, i], x[i, i], x[i[:, None], i[:2]],
        x[1:, i], x[i, None, 1:], x[m], x[m[:, 0]], x[:, KEEP], x[m[:, 0], 2], x.take(i), x.take(i, 1), x.diagonal(1),
    ]  # fmt: skip


def places(array: Any, i: Any, m: Any) -> list[Any]:
    """Where in a matrix of numbers 0, 1, ... the parts lie."""
    x = np.arange(array.size).reshape(array.shape)
    return [np.asarray(p) for p in parts(x, i, m)]


def written(array: Any, where: Any, value: Any, add: bool) -> Any:
    """NumPy's assignment, or np.add.at, to a part of a copy."""
    result = array.copy()
    if add:
        np.add.at(result.reshape(-1), where, np.broadcast_to(value, where.shape))
    else:
        result.reshape(-1)[where] = value
    return result


def values_for(where: Any) -> Any:
    return 100.0 + np.arange(where.size).reshape(where.shape)


def sets() -> tuple[list[Any], list[Any]]:
    x, i, m = T.dmatrix("x"), T.lvector("i"), T.matrix("m", dtype="bool")
    outputs = []
    for part, where in zip(parts(x, i, m), places(MATRIX, ROWS, MATRIX > 0), strict=True):
        y = values_for(where)
        outputs += [
            T.set_subtensor(part, y),
            T.inc_subtensor(part, y),
            part.set(y[..., :1] if y.ndim else y),
            part.inc(0.5),
        ]
    return [x, i, m], [*outputs, x]


@pytest.mark.seed("G009", "G010", "G011")
def test_writes_are_numpys(seed_mode: str) -> None:
    wanted = []
    for where in places(MATRIX, ROWS, MATRIX > 0):
        y = values_for(where)
        first = y[..., :1] if y.ndim else y
        wanted += [
            written(MATRIX, where, v, add) for v, add in ((y, False), (y, True), (first, False), (0.5, True))
        ]
    before = MATRIX.copy()
    check(sets, [*wanted, before], seed_mode, MATRIX, ROWS, MATRIX > 0)
    assert np.array_equal(before, MATRIX)


def spread() -> tuple[list[Any], list[Any]]:
    x, s, r, i = T.dtensor3("x"), T.dscalar("s"), T.dvector("r"), T.lvector("i")
    outputs = [f(p, v) for f in (T.set_subtensor, T.inc_subtensor) for p in (x[1], x[:, 1:], x[i], x[..., i[1:2]], x[i, :, 0:1])
               for v in (s, T.addbroadcast(r[:1], 0), 3)]  # fmt: skip
    outputs += [
        T.inc_subtensor(x[1], r),
        T.set_subtensor(x[:, 1:3], r),
        T.inc_subtensor(x[i], r),
        x[i, 1:].inc(r),
    ]
    return [x, s, r, i], outputs


@pytest.mark.seed("G011")
def test_values_broadcast(seed_mode: str) -> None:
    i, s, r = np.array([2, 0, 2]), np.array(0.5), np.array([10.0, 20.0])

    def done(item: Any, v: Any, add: bool) -> Any:
        result = CUBE.copy()
        if add:
            np.add.at(result, item, v)
        else:
            result[item] = v
        return result

    items = [(1,), (slice(None), slice(1, None)), (i,), (..., i[1:2]), (i, slice(None), slice(0, 1))]
    wanted = [done(item, v, add) for add in (False, True) for item in items for v in (s, r[:1], 3)]
    wanted += [
        done((1,), r, True),
        done((slice(None), slice(1, 3)), r, False),
        done((i,), r, True),
        done((i, slice(1, None)), r, True),
    ]
    check(spread, wanted, seed_mode, CUBE, s, r, i)


@pytest.mark.seed("G009", "G010", "G007")
def test_gradients_of_writes(seed_mode: str) -> None:
    x, i, m = T.dmatrix("x"), T.lvector("i"), T.matrix("m", dtype="bool")
    where = places(MATRIX, ROWS, MATRIX > 0)
    chosen = [0, 3, 5, 7, 8, 9, 10, 13, 16, 17, 19]
    ys = [T.TensorType("float64", (None,) * where[k].ndim)(f"y{k}") for k in chosen]
    pieces = parts(x, i, m)
    outs = [
        f(pieces[k], y) for f in (T.set_subtensor, T.inc_subtensor) for k, y in zip(chosen, ys, strict=True)
    ]
    given = {x: MATRIX, i: ROWS, m: MATRIX > 0}
    given |= {y: np.cos(values_for(where[k])) for k, y in zip(chosen, ys, strict=True)}
    check_gradient(T.stack(outs), given, seed_mode)


def test_only_the_value_that_stays_has_a_gradient() -> None:
    x, y, i = T.dvector("x"), T.dvector("y"), T.lvector("i")
    out = T.set_subtensor(x[i], y)
    dx, dy = T.grad((out * T.as_tensor_variable([1.0, 2.0, 4.0])).sum(), [x, y])
    f = eqsat.function([x, y, i], [out, dx, dy])
    out, dx, dy = f([9.0, 9.0, 9.0], [5.0, 6.0, 7.0], [1, 1, -3])
    assert out.tolist() == [7, 6, 9] and dx.tolist() == [0, 0, 4] and dy.tolist() == [0, 2, 1]
    _, _, dy = f([9.0, 9.0, 9.0], [5.0, 6.0, 7.0], [0, -3, 0])
    assert dy.tolist() == [0, 0, 1]
    known = T.grad(T.set_subtensor(x[[0, 2]], y).sum(), y)
    assert "switch" not in str(
        eqsat.dprint(known, file="str")
    )  # nothing is masked where the indices are known to differ


def test_keywords_of_older_programs_are_taken() -> None:
    x = T.dvector("x")
    out = [
        T.set_subtensor(x[1:], 0.0, inplace=True, tolerate_inplace_aliasing=True),
        T.inc_subtensor(x[:1], 1.0, inplace=False),
    ]
    out += [
        T.inc_subtensor(x[:1], 5.0, set_instead_of_inc=True),
        T.inc_subtensor(x[[0, 0]], 1.0, ignore_duplicates=False),
    ]
    f = eqsat.function([x], out, mode="reference")
    assert [v.tolist() for v in f([1.0, 2.0])] == [[1, 0], [2, 2], [5, 2], [3, 2]]


# --------------------------------------------------------------------------------------------------- in place


def calls(outputs: list[Any], inputs: list[Any]) -> str:
    return translate(plan_graph(inputs, eqsat.optimize(outputs).optimized, True), False).source


@pytest.mark.seed("G012")
@pytest.mark.c
def test_a_write_to_a_temporary_takes_its_memory() -> None:
    x, y, i = T.dmatrix("x"), T.dvector("y"), T.lvector("i")
    e = T.exp(x)
    for part, buffers in ((e[1], 0), (e[i], 1), (e[:, i], 1), (e.diagonal(), 1)):
        new = T.inc_subtensor(part, 1.0)
        text = calls([new], [x, i])  # exp is computed in the memory of the output
        assert text.count("if (eq_give(c,") == 1 and "if (eq_take(c," not in text
        inside = calls([T.log(new)], [x, i])  # here it lies in the workspace, unless all of it is one kernel
        assert inside.count("if (eq_take(c,") == buffers
    f = eqsat.function(
        [x, y, i],
        [T.set_subtensor(T.set_subtensor(e[1], y)[i], 0.0), T.set_subtensor(x[i], y), x],
        mode="FAST_RUN",
    )
    given = MATRIX.copy()
    first, second, third = f(given, MATRIX[0], ROWS)
    assert np.array_equal(given, MATRIX) and np.array_equal(third, MATRIX)
    assert not any(np.shares_memory(a, given) for a in (first, second, third))
    wanted = np.exp(MATRIX)
    wanted[1] = MATRIX[0]
    wanted[ROWS] = 0
    np.testing.assert_allclose(first, wanted, rtol=1e-14)


@pytest.mark.seed("G012")
@pytest.mark.c
def test_a_temporary_that_is_read_later_is_copied() -> None:
    x = T.dmatrix("x")
    e = T.exp(x)
    new = T.set_subtensor(e[1:], e[:-1])
    f = eqsat.function([x], [T.set_subtensor(e[0], 0.0), T.log(e).sum(), new, T.inc_subtensor(new[0], 1.0)])
    zero, total, moved, more = f(MATRIX)
    want = np.exp(MATRIX)
    np.testing.assert_allclose(total, MATRIX.sum(), rtol=1e-12)
    assert (zero[0] == 0).all() and np.allclose(zero[1:], want[1:])
    assert np.allclose(moved, np.concatenate([want[:1], want[:-1]])) and np.allclose(more[0], want[0] + 1)


# ------------------------------------------------------------------------------------------------------ errors

X = T.TensorType("float64", (3, 4))("x")
V = T.lvector("v")
WRONG: list[tuple[Any, type[Exception], str]] = [
    (lambda: X[[True, False]], BoundsError, "the mask has length 2 on its axis 0, x has 3 on its axis 0"),
    (lambda: X[[[True]], 0], BoundsError, "x has 2 dimensions, the index names 3"),
    (lambda: X[T.scalar("b", dtype="bool")], DTypeError, "b is not an index of x"),
    (lambda: X[np.bool_(True)], DTypeError, "True_? is not an index of x"),
    (lambda: T.dscalar("s").nonzero(), RankError, "nonzero: s has no axes"),
    (lambda: X.take([0.5]), DTypeError, "take: .* is not an index"),
    (lambda: X.take(0, mode="bounce"), ArgumentError, "take: there is no mode 'bounce'"),
    (lambda: X.take(0, 2), AxisError, "take: x has no axis 2"),
    (lambda: T.take_along_axis(X, V, 0), RankError, "the indices have 1 dimensions, the tensor 2"),
    (lambda: T.compress(X, X), RankError, "the condition has 2 dimensions, not 1"),
    (lambda: T.choose(V, []), ArgumentError, "there are no choices"),
    (lambda: T.choose(V, T.dscalar("s")), RankError, "the choices have no axis"),
    (lambda: T.ix_([[1]]), RankError, "has 2 dimensions, not 1"),
    (lambda: T.unravel_index(V, T.lvector("n")), RankError, "the number of lengths in n is not known"),
    (lambda: T.unravel_index(V, (2, 3), "A"), ArgumentError, "there is no order 'A'"),
    (lambda: T.unravel_index(V, ()), ArgumentError, "there are no lengths"),
    (lambda: T.ravel_multi_index((V,), (2, 3)), ShapeError, "1 indices, 2 lengths and 2 modes"),
    (lambda: T.inverse_permutation(T.lscalar("k")), RankError, "k has no axis"),
    (lambda: T.permute_row_elements(X, T.lscalar("k")), RankError, "a scalar has no rows"),
    (lambda: T.dvector("d").diagonal(), RankError, "d has 1 dimensions, not 2 or more"),
    (lambda: X.diagonal(0.5), ArgumentError, "the offset 0.5 is not an integer"),
    (lambda: X.diagonal(0, 1, -1), AxisError, "axis1 and axis2 are both axis 1"),
    (lambda: T.identity_like(V), RankError, "v has 1 dimensions, not 2"),
    (lambda: T.tril(T.dscalar("s")), RankError, "tril: s has no axes"),
    (lambda: T.alloc_diag(T.dscalar("s")), RankError, "s has no axis"),
    (lambda: T.alloc_diag(V, 0.5), ArgumentError, "the offset 0.5 is not an integer"),
    (lambda: T.diag(T.dtensor3("c")), RankError, "c has 3 dimensions, not 1 or 2"),
    (lambda: T.fill_diagonal(V, 0), RankError, "v has 1 dimensions, not 2 or more"),
    (lambda: T.fill_diagonal(np.zeros((2, 2, 3)), 0), ShapeError, "the lengths .* differ"),
    (lambda: T.set_subtensor(X.diagonal(), np.zeros(2)), ShapeError, "axis 0 of the value has length 2, the part has 3"),
    (lambda: T.set_subtensor(X[[0, 1]], np.zeros((3, 4))), ShapeError, "axis 0 of the value has length 3, the part has 2"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_wrong_is_said_when_the_graph_is_built(number: int) -> None:
    build, kind, text = WRONG[number]
    with pytest.raises(kind, match=text):
        build()


def failing() -> tuple[list[Any], list[Any]]:
    x, v, m = T.dmatrix("x"), T.lvector("v"), T.vector("m", dtype="bool")
    return [x, v, m], [
        T.choose(v, [1.0, 2.0]),
        T.unravel_index(v, (1, 2))[0],
        x[m],
        x.diagonal().set(T.cast(v, "float64")),
    ]


def test_what_only_values_show_is_said_when_the_function_is_called(mode: str) -> None:
    from tests.tensor.test_indexing import compiled

    x, good = np.zeros((2, 2)), np.array([True, False])
    f = compiled(failing.__qualname__, mode, failing)
    assert f(x, np.array([0, 1]), good)[2].shape == (1, 2)
    for v, m, kind, text in (
        ([0, 2], good, BoundsError, "the index 2 is outside the range from 0 to 1"),
        ([0, -1], good, BoundsError, "the index -1 is outside the range from 0 to 1"),
        (
            [0, 1],
            np.array([True]),
            BoundsError,
            "a mask has length 1 on its axis 0, the axis that it indexes has 2",
        ),
        ([0, 1, 1], good, ShapeError, "set_subtensor: axis 0 of the value has length 3, the part has 2"),
    ):
        with pytest.raises(kind, match=text):
            f(x, np.array(v), m)
