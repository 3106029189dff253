"""Every op that is not elementwise in C against its meaning, over strides, lengths and dtypes; and its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import BoundsError, ShapeError
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import ALL
from eqsat.graph.ops.determinant import logdet_op
from eqsat.graph.ops.factored import lu_factors, lu_solve
from eqsat.graph.ops.max_and_argmax import max_and_argmax_op
from eqsat.graph.tensor_type import TensorType

DICE = np.random.default_rng(0)


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    return [DICE.normal(size=shape) for shape in shapes]


def test_products(check: Any) -> None:
    x, y, v, w = T.matrix("x"), T.matrix("y"), T.vector("v"), T.vector("w")
    outputs = [
        T.dot(x, y),
        T.dot(x, v),
        T.dot(w, x),
        T.dot(v, v),
        T.outer(v, w),
        T.dot(y.T, x.T),
        T.dot(x[::2, ::-1], y),
    ]
    for m, k, n in [
        (3, 4, 5),
        (1, 4, 5),
        (3, 1, 5),
        (3, 4, 1),
        (1, 1, 1),
        (0, 4, 5),
        (3, 0, 5),
        (3, 4, 0),
        (40, 50, 60),
    ]:
        check([x, y, v, w], outputs, arrays((m, k), (k, n), (k,), (m,)), ulps=1e4)


def test_products_of_every_dtype(check: Any) -> None:
    for dtype in ALL:
        x, y = (TensorType(dtype, shape=(None, None))(n) for n in "xy")
        values = [DICE.integers(0, 2, s).astype(dtype) for s in [(3, 4), (4, 5)]]
        check([x, y], [T.dot(x, y), T.dot(y.T, x.T)], values)


def test_products_in_batches(check: Any) -> None:
    x, y = T.tensor3("x"), T.tensor3("y")
    outputs = [T.batched_dot(x, y), T.batched_dot(y.dimshuffle(0, 2, 1), x.dimshuffle(0, 2, 1))]
    check([x, y], outputs, *[arrays((b, 3, 4), (b, 4, 5)) for b in (0, 1, 6)], ulps=1e4)


def test_parts(check: Any) -> None:
    x, i, j = T.matrix("x"), T.lscalar("i"), T.lscalar("j")
    outputs = [
        x[1:3], x[::-1], x[::2, 1:], x[-2:, :-1], x[i], x[:, j], x[i, j], x[i:], x[:i, j:], x[i:j], x[j:i:-1], x[5:2],
        x[None, 1], x[..., 0], x[-100:100],
    ]  # fmt: skip
    calls = [[*arrays((4, 6)), np.array(a), np.array(b)] for a, b in [(0, 0), (1, 3), (-1, -2), (3, -6)]]
    check([x, i, j], outputs, *calls)


def test_picks(check: Any) -> None:
    x, i, j = T.tensor3("x"), T.lvector("i"), T.lmatrix("j")
    outputs = [x[i], x[:, i], x[:, :, i], x[i, i], x[i, :, i], x[j], x[:, j], x[i, 1:], x[j, 0]]
    check([x, i, j], outputs, [*arrays((4, 5, 6)), np.array([0, -1, 2, 2]), np.array([[0, 1], [-4, 3]])])


def test_writes(check: Any) -> None:
    x, y, v, i = T.matrix("x"), T.matrix("y"), T.vector("v"), T.lvector("i")
    outputs = [
        T.set_subtensor(x[1:3], y[1:3]), T.inc_subtensor(x[::2], 2.0), T.set_subtensor(x[:, 0], 1.0),
        T.inc_subtensor(x[:, ::-1], v), T.set_subtensor(x[i], y[i]), T.inc_subtensor(x[i], v),
        T.inc_subtensor(x[:, i], 1.0), T.set_subtensor(T.exp(x)[1], v), T.inc_subtensor(T.exp(x)[i], 1.0),
    ]  # fmt: skip
    check([x, y, v, i], outputs, [*arrays((4, 6), (4, 6), (6,)), np.array([0, 2, 2, -1])])


def test_masks_and_rows(check: Any) -> None:
    x, m, i, j = T.tensor3("x"), T.matrix("m", dtype="bool"), T.lvector("i"), T.lmatrix("j")
    outputs = [
        x[m], x[m, 0], x[m[:, 0]], x[x > 0], x.nonzero(True), T.nonzero(m)[1],
        T.set_subtensor(x[m], 0.0), T.inc_subtensor(x[x > 0], x[x > 0]), T.inc_subtensor(x[i], x[0]),
        T.inc_subtensor(x[j], x[j]), T.inc_subtensor(x[j], 1.0), T.set_subtensor(x[i], x[::-1, ::-1][i]),
        T.set_subtensor(x[i, ::2], x[:, ::2][i]), T.inc_subtensor(x.take(i, 1, "clip"), 1.0), T.set_subtensor(T.exp(x)[i], 2.0),
    ]  # fmt: skip
    calls = []
    for n in ((3, 4, 5), (2, 1, 1), (2, 3, 1)):
        calls.append(
            [*arrays(n), DICE.random(n[:2]) < 0.5, np.array([0, 1, 1, -1]), np.array([[0, -1], [1, 1]])]
        )
    check([x, m, i, j], outputs, *calls)


def test_diagonals(check: Any) -> None:
    x, v = T.tensor3("x"), T.vector("v")
    outputs = [x.diagonal(k, *axes) for k in (-9, -1, 0, 2) for axes in ((0, 1), (2, 0))]
    outputs += [T.set_subtensor(x.diagonal(k), 7.0) for k in (-1, 0, 1)]
    outputs += [
        T.inc_subtensor(x.diagonal(0, 2, 1)[0], v),
        T.diag(v),
        T.alloc_diag(x, -2, 3, 1),
        T.fill_diagonal(x[0], 1.0),
    ]
    check([x, v], outputs, [*arrays((3, 4, 5), (4,))], [*arrays((2, 1, 1), (1,))])


def test_an_overlapping_write_reads_the_old_values(check: Any) -> None:
    x = T.matrix("x")
    e = x * 2
    check([x], [T.set_subtensor(e[1:], e[:-1])], arrays((5, 3)))


def test_shapes(check: Any) -> None:
    x, n = T.matrix("x"), T.lscalar("n")
    outputs = [
        x.reshape((6, 4)), x.T.reshape((-1, 3)), x[::2].reshape((-1,)), x.flatten(), x.shape, x.T.shape, x.reshape((n, -1)),
        T.specify_shape(x, (None, 6)), T.assert_op(x.T, x < 99, n > 0), T.alloc(x[0], n, 6), T.zeros_like(x), T.ones_like(x.T), T.arange(n), T.arange(2, n),
        T.arange(n, 0, -2), T.arange(0.0, 1.0, 0.1), T.alloc(3, n, n), T.trace(x[:, :4]), T.unbroadcast(x[:1], 0),
        x.T.reshape((2, 3, 4)).dimshuffle(2, "x", 0, 1),
    ]  # fmt: skip
    check([x, n], outputs, *[[*arrays((4, 6)), np.array(k)] for k in (1, 2, 8)])


def test_joins(check: Any) -> None:
    x, y, v = T.matrix("x"), T.matrix("y"), T.vector("v")
    outputs = [
        T.concatenate([x, y], 0),
        T.concatenate([x.T, y.T, x.T], 1),
        T.stack([v, 2 * v]),
        T.stack([v, v], axis=1),
    ]
    check([x, y, v], outputs, *[arrays((a, 4), (b, 4), (5,)) for a, b in [(2, 3), (0, 3), (0, 0)]])


def test_rows(check: Any) -> None:
    for make in (T.matrix, T.fmatrix):
        x = make("x")
        outputs = [f(x, axis=a) for f in (T.softmax, T.log_softmax, T.logsumexp) for a in (0, 1)]
        outputs += [f(x, axis=a) for f in (T.argmax, T.argmin) for a in (0, 1, None)]
        outputs += [v for axes in ((0,), (1,), (0, 1)) for v in max_and_argmax_op(x, axes=axes)]
        values = DICE.normal(size=(30, 40)).astype(x.type.dtype) * 5
        special = values[:5, :5].copy()
        special[1, 2], special[2, 2], special[3] = np.inf, np.nan, -np.inf
        check(
            [x],
            outputs,
            [values],
            [values[:1, :1].copy()],
            [special],
            ulps=100,
            atol=1e-5 if make is T.fmatrix else 1e-14,
        )


def test_every_dtype_moves(check: Any) -> None:
    for dtype in ALL:
        x, i = TensorType(dtype, shape=(None, None))("x"), T.lvector("i")
        outputs = [x.T, x[::2], x[i], T.concatenate([x, x]), x.reshape((-1,)), T.set_subtensor(x[1], x[0])]
        outputs += [T.inc_subtensor(x[i], x[i])]
        values = DICE.integers(0, 2, (3, 4)).astype(dtype)
        check([x, i], outputs, [values, np.array([2, 0, 2])])


def test_factors_that_systems_share(check: Any) -> None:
    """Factors of LU and the systems solved with them; logarithms of determinants, of stacks too."""
    rng = np.random.default_rng(5)
    a, b, stack = T.dmatrix("a"), T.dmatrix("b"), T.dtensor3("stack")
    factors = lu_factors(a)
    outputs = [lu_solve(factors, b, turned=k) for k in (0, 1)]
    outputs += [logdet_op(v, absolute=k) for v in (a, stack) for k in (0, 1)]
    for n, m, count in [(4, 3, 3), (1, 1, 1), (3, 0, 2), (0, 2, 0)]:
        matrix, several = (rng.normal(size=(*k, n, n)) + 3 * np.eye(n) for k in ((), (count,)))
        for v in (matrix, matrix.T, matrix[::-1, ::-1]):
            check([a, b, stack], outputs, [v, rng.normal(size=(n, m)), several])


def test_counts(check: Any) -> None:
    x = T.dtensor3("x")
    outputs = [OPS["count"].bind(axes=axes)(x) for axes in ((0,), (1, 2), (0, 1, 2))]
    for shape in ((2, 3, 4), (1, 1, 1), (0, 3, 2)):
        check([x], outputs, [np.ones(shape)])


def test_nothing_is_forgotten() -> None:
    used = "alloc arange argmax argmin batched_dot concatenate dimshuffle dot forget_shape gather length log_softmax "
    used += "cholesky det eig eigh eigvalsh expm inv lu_factor matmul pinv qr slogdet solve solve_triangular svd svdvals "
    used += "max_and_argmax nonzero within diagonal set_diagonal add_rows set_rows "
    used += "logsumexp make_vector reshape scatter set_part softmax specify_shape subtensor "
    used += "conv conv_input conv_kernel pool_max pool_sum pool_route pool_pick pool_spread neighbourhoods "  # test_windows.py
    used += "sort argsort cumsum cumprod cummax cummin logcumsumexp recurrence searchsorted run_starts bins spread part_ends convolve "  # test_order.py
    used += "rows_dot sum_dots first_rows count logdet lu_factors lu_solve "
    used += "assertion assume concatenate_at clip_gradient scale_gradient zero_gradient disconnect_gradient transfer"
    # tests/graph/test_every_op.py runs a block that is not named here, by its signature
    own = {
        n
        for n, d in OPS.items()
        if (d.kind == "view" or (d.kind == "block" and not d.shapes))
        and d.meaning.__module__.startswith("eqsat.")
    }
    assert own - set(used.split()) == set()


def test_products_of_stacks_and_first_rows(check: Any) -> None:
    """The products that loops leave behind, over operands in every order of memory."""
    x, y, z = T.tensor3("x"), T.tensor3("y"), T.matrix("z")
    each, both = OPS["rows_dot"].bind(), OPS["sum_dots"].bind()
    rows = OPS["first_rows"].bind(what="x")(x, T.shape(z)[0])
    turned = x.dimshuffle(0, 2, 1).dimshuffle(0, 2, 1)[::-1, ::2]
    outputs = [each(x, z), each(turned, z), both(y, x), both(y[:, :, ::-1], x[::-1, :, ::-1]), rows]
    for n, m, k, p in [(5, 3, 4, 2), (4, 1, 4, 3), (4, 3, 1, 2), (4, 1, 1, 1), (6, 0, 2, 2), (9, 5, 8, 7)]:
        check([x, y, z], outputs, arrays((n, m, k), (n, p, m), (k, p)), ulps=1e4)


def test_working_memory_is_as_large_as_the_text_of_a_block_takes_it_to_be(compiled: Any) -> None:
    """A stack of one matrix has a distance between matrices in memory, and none in the text of a block."""
    x, y = T.dmatrix("x"), T.dmatrix("y")
    stacks = x.dimshuffle("x", 1, 0), y.dimshuffle("x", 0, 1)
    both = [OPS["sum_dots"].bind()(*stacks), OPS["sum_dots"].bind()(stacks[0], T.concatenate([stacks[1]], 0))]
    f = compiled([x, y], both)
    a, b = np.ones((300, 200)), np.ones((300, 100))
    for got in f(a, b):
        np.testing.assert_array_equal(got, np.full((200, 100), 300.0))


# ------------------------------------------------------------------------------------------------------ errors


def first_lines(compiled: Any, inputs: list[Any], output: Any, *values: Any) -> list[str]:
    with pytest.raises((ShapeError, BoundsError)) as error:
        compiled(inputs, [output])(*values)
    return str(error.value).splitlines()


def test_errors_name_the_lengths_and_the_line(compiled: Any) -> None:
    x, y, n = T.matrix("x"), T.matrix("y"), T.lscalar("n")
    a, b = np.zeros((3, 4)), np.zeros((4, 4))
    lines = first_lines(compiled, [x, y], x + T.exp(y), a, b)
    assert lines[0] == "add: axis 0 has the lengths 3 in x and 4 in exp(y) at run time"
    assert lines[1].split() == ["x", "f64[?,", "?]", "made", "at", f"{x.made_at}"]
    assert lines[-3].split(maxsplit=1)[1].startswith("x + exp(y)   written at test_ops.py:")
    assert lines[-2].split(maxsplit=1) == [
        "needs",
        "equal lengths; length 1 broadcasts only where the type says so",
    ]
    assert lines[-1].split(maxsplit=1)[1].startswith("T.row, T.col, T.addbroadcast(x, axis)")
    assert (
        first_lines(compiled, [x, y], T.dot(x, y), a, a)[0] == "dot(x, y): k is 4 in x but 3 in y at run time"
    )
    lines = first_lines(compiled, [x, n], x[:, n], a, np.array(9))
    assert lines[0] == "index 9 is outside axis 1, which has length 4"
    assert lines[1].startswith("  x    f64[?, ?]   made at test_ops.py:")
    lines = first_lines(compiled, [x, n], x[T.stack([n, n])], a, np.array(-4))
    assert lines[0] == "index -4 is outside axis 0, which has length 3"
    lines = first_lines(compiled, [x], x.reshape((5, -1)), a)
    assert lines[0] == "reshape: 12 elements do not fit the new shape"
    assert first_lines(compiled, [n], T.arange(0, 5, n), np.array(0))[0] == "arange: the step is 0"
    assert first_lines(compiled, [n], T.alloc(1.0, n), np.array(-1))[0] == "alloc: the length -1 is negative"
    assert (
        first_lines(compiled, [x], T.specify_shape(x, (None, 3)), a)[0]
        == "specify_shape: axis 1 has length 4, not 3"
    )


def test_an_error_leaves_the_function_usable(compiled: Any) -> None:
    x, y = T.vector("x"), T.vector("y")
    f = compiled([x, y], [T.exp(x) * 2, x + y])
    for _ in range(3):
        with pytest.raises(ShapeError):
            f(np.zeros(3), np.zeros(2))
        assert f(np.ones(2), np.ones(2))[1].tolist() == [2.0, 2.0]
