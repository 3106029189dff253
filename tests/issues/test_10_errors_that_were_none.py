"""Graphs and calls that Theano, PyTensor and NumPy take, and the classes of the errors that are left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.gradient as G
import eqsat.tensor as T
from eqsat.errors import (
    AxisError,
    DTypeError,
    MissingInputError,
    NullTypeGradError,
    RankError,
    UnusedInputError,
)
from eqsat.scan import until

a, b = T.dmatrices("a", "b")
v, p = T.dvectors("v", "p")
s, t = T.dscalars("s", "t")
i, n = T.iscalar("i"), T.lscalar("n")
SHARED = eqsat.shared(np.ones((2, 2)), "SHARED")
EYE, IS = np.eye(2), T.ivector("IS")

# ---------------------------------------------------------------------------------------------- strict


@pytest.mark.parametrize(
    ("fn", "others"),
    [
        (lambda r: r * s, []),
        (lambda r, p: r.sum() + p.shape[0], [T.dot(a, b) + 1.0]),
        (lambda r, p: r.sum() + p.shape[0], [T.tanh(T.dot(SHARED, b)) + 1]),
        (lambda r, p: (r.sum() * T.zeros_like(p)).sum(), [T.exp(SHARED)]),
        (lambda r, w: r + SHARED + w, [SHARED]),
        (lambda r: {SHARED: SHARED + r}, []),
    ],
)
def test_strict_scans_list_shared_variables(fn: Any, others: Any) -> None:
    eqsat.scan(fn, T.dmatrix("rows"), non_sequences=others, strict=True)


@pytest.mark.parametrize(
    ("fn", "others"),
    [
        (lambda r: r + SHARED, []),
        (lambda r, w: r + T.exp(SHARED) * w, [s]),
        (lambda r, w: r + w + SHARED, [T.exp(SHARED)]),
        (lambda r: (r, until(SHARED.sum() > 0)), []),
    ],
)
def test_strict_scans_name_what_is_not_listed(fn: Any, others: Any) -> None:
    with pytest.raises(MissingInputError, match=r"fn uses SHARED, [^$]*non_sequences=\[SHARED\]"):
        eqsat.scan(fn, T.dmatrix("rows"), non_sequences=others, strict=True)


# ---------------------------------------------------------------------------------------------- dtypes

DTYPES = ("bool", "int8", "uint8", "int32", "int64", "float32", "float64", "complex64")
KIND = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


@pytest.mark.parametrize("write", [T.set_subtensor, T.inc_subtensor])
@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_writing_casts_within_a_kind_of_numbers(write: Any, to: str, dtype: str) -> None:
    x, y = T.tensor(to, (None,)), T.tensor(dtype, (None,))
    if KIND[np.dtype(y.dtype).kind] > KIND[np.dtype(x.dtype).kind]:
        with pytest.raises(DTypeError, match="does not fit"):
            write(x[1:], y)
        return
    values = np.arange(3).astype(x.dtype), np.array([0, 1]).astype(y.dtype)
    wanted = values[0].copy()
    wanted[1:] = (
        values[1].astype(x.dtype) if write is T.set_subtensor else wanted[1:] + values[1].astype(x.dtype)
    )
    found = eqsat.function([x, y], write(x[1:], y), mode="reference")(*values)
    np.testing.assert_array_equal(found, wanted)
    assert found.dtype == x.dtype


@pytest.mark.parametrize(
    ("dtype", "value", "fits"),
    [
        *[("float32", c, True) for c in (0.1, 3, np.float64(0.3), np.inf, np.nan, 1e38, [0.1, 0.2])],
        *[("float32", c, False) for c in (1e300, [0.1, -1e300], 1j)],
        *[("int8", c, True) for c in (1, -128, 2.0, np.int64(7), [1.0, 2.0], True)],
        *[("int8", c, False) for c in (128, 0.5, np.nan, [1, 300])],
        *[("uint8", c, True) for c in (255, 0)],
        *[("uint8", c, False) for c in (-1, 256)],
        *[("bool", c, True) for c in (True, 1, 0.0)],
        *[("bool", c, False) for c in (2, 0.5)],
        ("complex64", 0.1, True),
    ],
)
def test_numbers_that_are_known_must_fit(dtype: str, value: Any, fits: bool) -> None:
    x = T.tensor(dtype, (2,))
    if fits:
        assert T.set_subtensor(x[:], value).dtype == dtype
        return
    with pytest.raises(DTypeError, match="does not fit"):
        T.set_subtensor(x[:], value)


def test_gradients_of_a_written_value_are_of_its_dtype() -> None:
    x, y = T.fvector("x"), T.dvector("y")
    g = T.grad((T.set_subtensor(x[1:], y) ** 2).sum(), y)
    assert g.dtype == "float64" and g.eval({x: np.ones(3, "float32"), y: [1.0, 2.0]}).tolist() == [2.0, 4.0]


SCALARS = [
    np.int64(3),
    np.int8(-1),
    np.uint64(7),
    np.float64(2.0),
    np.float32(0.5),
    np.int64(300),
    np.bool_(True),
]
SCALARS += [np.array(3), np.array(0.5), np.uint64(2**63), np.float64(0.1), np.float64(np.nan)]


@pytest.mark.parametrize("mode", ["reference", "FAST_COMPILE"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float32"])
def test_a_scalar_is_taken_where_its_value_fits(dtype: str, mode: str) -> None:
    x = T.tensor(dtype, ())
    f = eqsat.function([x], T.stack([x, x]), mode=mode)
    for value in SCALARS:
        with np.errstate(all="ignore"):
            held = np.asarray(value).astype(dtype)
        safe = np.can_cast(np.asarray(value).dtype, dtype, "safe")
        if safe or np.array_equal(held, value, equal_nan=True):
            assert f(value)[0] == held or np.isnan(value)
            continue
        with pytest.raises(DTypeError, match="could change values"):
            f(value)


def test_arrays_are_still_converted_only_where_no_value_could_change() -> None:
    with pytest.raises(DTypeError):
        eqsat.function([IS], IS * 1)(np.array([1, 2]))


@pytest.mark.parametrize(
    ("x", "y", "floatX", "dtype"),
    [
        *[
            (x, x, "float32", "float32")
            for x in (i, n, T.bscalar(), T.tensor("uint64", ()), T.tensor("bool", ()))
        ],
        *[(i, y, "float32", "float32") for y in (n, 2, T.bscalar())],
        *[(i, y, "float32", "float64") for y in (s, np.float64(2.0))],
        *[(x, x, "float64", "float64") for x in (i, n)],
        (n, T.fscalar(), "float32", "float64"),
    ],
)
def test_a_quotient_of_integers_has_the_dtype_of_floatX(x: Any, y: Any, floatX: str, dtype: str) -> None:
    with eqsat.config.change_flags(floatX=floatX):
        assert (x / y).dtype == T.true_div(x, y).dtype == dtype
    assert (i / i).dtype == "float64"


# ------------------------------------------------------------------------------------------- gradients


@pytest.mark.parametrize(
    ("inputs", "derivative", "values", "wanted"),
    [
        ([s], lambda: T.grad(3 * s, s), [1.0], 3.0),
        ([s, t], lambda: T.grad(s + t, s), [1.0, 2.0], 1.0),
        ([s, t], lambda: 2 + T.grad(s * t, s), [1.0, 2.0], 4.0),
        ([a, b], lambda: T.grad((a * b).sum(), a), [EYE, 2 * EYE], 2 * EYE),
        ([v], lambda: T.hessian((v**2).sum(), v), [[1.0, 2.0]], 2 * EYE),
        ([v], lambda: T.jacobian(2 * v, v), [[1.0, 2.0]], 2 * EYE),
        ([v, p], lambda: T.Rop(2 * v, v, p), [[1.0, 2.0], [1.0, 0.0]], [2.0, 0.0]),
        ([v, p], lambda: T.Lop(2 * v, v, p), [[1.0, 2.0], [1.0, 0.0]], [2.0, 0.0]),
        ([v, p], lambda: T.hessian_vector_product((v**2).sum(), v, p), [[1.0, 2.0], [1.0, 0.0]], [2.0, 0.0]),
        ([s], lambda: G.subgraph_grad([s], [], cost=3 * s)[0][0], [1.0], 3.0),
        ([s], lambda: T.grad(T.grad(3 * s**2, s), s), [1.0], 6.0),
    ],
)
def test_a_derivative_may_be_given_the_inputs_of_its_function(
    inputs: Any, derivative: Callable[[], Any], values: Any, wanted: Any
) -> None:
    np.testing.assert_allclose(eqsat.function(inputs, derivative(), mode="reference")(*values), wanted)


def test_inputs_are_unused_where_the_function_does_not_read_them_either() -> None:
    with pytest.raises(UnusedInputError, match="input t"):
        eqsat.function([s, t], T.grad(3 * s, s))
    with pytest.raises(UnusedInputError, match="input s"):
        eqsat.function([s, t], T.grad(3 * s, s) * t, givens={s: T.exp(t)})
    with pytest.raises(UnusedInputError, match="input s"):
        eqsat.function([s, t], t)
    assert eqsat.function([t], T.grad(3 * s, s), givens={s: T.exp(t)}, mode="reference")(1.0) == 3.0


@pytest.mark.parametrize(
    ("cost", "cut", "wrt", "wanted"),
    [
        (lambda: s * 2, lambda: [s], lambda: s, 2.0),
        (lambda: s**2 + s, lambda: [s], lambda: s, 7.0),
        (lambda: Y**2 + s, lambda: [Y], lambda: Y, 18.0),
        (lambda: Y**2 + s, lambda: [Y], lambda: s, 1.0),
        (lambda: eqsat.ifelse(s > 0, Y**2, s) + s, lambda: [Y], lambda: s, 1.0),
        (lambda: eqsat.ifelse(s > 0, Y**2, s) + s, lambda: [Y], lambda: Y, 18.0),
    ],
)
def test_a_variable_that_is_considered_constant_has_a_gradient_of_its_own(
    cost: Any, cut: Any, wrt: Any, wanted: float
) -> None:
    assert float(T.grad(cost(), wrt(), consider_constant=cut()).eval({s: 3.0})) == wanted


Y = s * 3


def test_a_vector_of_a_hessian_product_may_be_the_variable_itself() -> None:
    product = T.hessian_vector_product((v**3).sum(), v, v)
    assert product.eval({v: [1.0, 2.0]}).tolist() == [6.0, 24.0]
    product = T.hessian_vector_product((v**3).sum(), v, p)
    table = T.jacobian(product, p).eval({v: [1.0, 2.0], p: [1.0, 1.0]})
    assert table.tolist() == [[6.0, 0.0], [0.0, 12.0]]


@pytest.mark.parametrize("known", [0.6, lambda: s, lambda: T.fscalar("s32")])
@pytest.mark.parametrize("x", [i, T.bscalar(), T.tensor("uint8", ()), T.tensor("bool", ())], ids=str)
def test_a_known_gradient_of_an_integer_is_kept(x: Any, known: Any) -> None:
    given = known() if callable(known) else known
    found = G.grad(None, x, known_grads={x: given})
    value = found.eval({given: np.float32(0.6)} if callable(known) else {})
    assert abs(float(value) - 0.6) < 1e-6


# ------------------------------------------------------------------------------------- until, lists, classes


@pytest.mark.parametrize(
    ("condition", "steps"),
    [
        (lambda h: h, 1),
        (lambda h: T.switch(h < 2, h, 0.0), 3),
        (lambda h: T.cast(h < 2, "float32"), 3),
        (lambda h: T.cast(h < 2, "uint8"), 3),
        (lambda h: T.complex(0.0, T.cast(h < 2, "float64")), 3),
        (lambda h: h * 0.0, 5),
        (lambda h: T.switch(h < 2, np.nan, 0.0), 3),
    ],
)
def test_until_takes_any_number(condition: Any, steps: int, mode: str) -> None:
    values, _ = eqsat.scan(
        lambda h: (h - 1.0, until(condition(h))), outputs_info=[T.constant(3.0)], n_steps=5
    )
    assert len(eqsat.function([], values, mode=mode)()) == steps


def test_numpy_adds_and_multiplies_lists_of_variables() -> None:
    assert float(np.sum([s, s]).eval({s: 3.0})) == 6.0 and float(np.prod([s, s, 2]).eval({s: 3.0})) == 18.0
    assert np.sum([a, b], axis=0).eval({a: EYE, b: EYE}).tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert int(np.prod([a.shape[0], a.shape[1]]).eval({a: np.ones((2, 3))})) == 6
    for use in (
        lambda: np.asarray([s, s]),
        lambda: np.array(s),
        lambda: np.mean([s, s]),
        lambda: np.linalg.norm([s]),
    ):
        with pytest.raises(TypeError, match="no array"):
            use()


@pytest.mark.parametrize(
    ("use", "classes"),
    [
        (lambda: T.set_subtensor(v[1:], a), (RankError, TypeError, ValueError)),
        (lambda: T.Rop(v, [v], [v, v]), (ValueError, TypeError)),
        (lambda: T.grad(v, v), (TypeError, ValueError)),
        (lambda: T.grad(i, i), (TypeError,)),
        (lambda: T.grad(s, t), (ValueError,)),
        (lambda: a.sum(axis=3), (AxisError, ValueError, IndexError)),
        (lambda: eqsat.function([v], v * 1)(EYE), (TypeError,)),
        (lambda: eqsat.function([v], v * 1), ()),
    ],
)
def test_errors_are_of_the_classes_that_programs_catch(use: Any, classes: Any) -> None:
    if not classes:
        use()
    for kind in classes:
        with pytest.raises(kind):
            use()
    assert issubclass(NullTypeGradError, TypeError) and issubclass(NullTypeGradError, NotImplementedError)
