"""Functions of PyTensor whose parameters, defaults or results differ from eqsat's, against NumPy and SciPy."""

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.special

from eqsat.errors import ArgumentError, NullTypeGradError, ShapeError

RNG = np.random.default_rng(5)
M = RNG.normal(size=(3, 4))
V = RNG.normal(size=5)
CUBE = RNG.normal(size=(2, 3, 4))


@pytest.fixture
def pt(pytensor):
    return pytensor.tensor


def value(variable, **given):
    """The value of a graph of constants, as written."""
    return variable.eval(given or None, mode="reference")


def test_constructors_take_shapes(pt):
    assert pt.vector("x", shape=(5,)).type.shape == (5,)
    assert pt.matrix("x", dtype="int32", shape=(None, 3)).type.shape == (None, 3)
    assert pt.dvector("x", shape=(3,)).type.shape == (3,)
    x = pt.tensor("x", shape=(None, 1), dtype="float32")
    assert (x.name, x.dtype, x.type.shape, x.type.broadcastable) == ("x", "float32", (None, 1), (False, True))
    assert pt.tensor("int32", shape=(2,)).dtype == "int32"
    assert pt.tensor("floatX", (None,)).type.ndim == 1
    assert pt.tensor("t4", shape=()).name == "t4"
    with pytest.raises(ArgumentError, match="takes the name by position"):
        pt.tensor("x", (None,))
    with pytest.raises(ShapeError):
        pt.row("x", shape=(2, None))


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        *[("f * 2", "float32"), ("f * 0.5", "float32"), ("f * 0.1", "float64")],
        *[("i8 * 1.0", "float32"), ("k * 1.5", "float64"), ("u8 + 1", "int16"), ("b * 2", "int8")],
        *[("b + b", "bool"), ("v > 0", "bool"), ("pt.sum(i8)", "int64"), ("pt.sum(u8)", "uint64")],
        *[("pt.mean(b)", "float64"), ("pt.exp(i8)", "float32"), ("i // 2", "int64"), ("i ** 2", "int64")],
        *[("pt.switch(b, 1, 0)", "int8"), ("pt.max(b)", "bool"), ("pt.var(f)", "float32")],
        *[("pt.arange(5)", "int64"), ("pt.constant(1)", "int8"), ("pt.constant(0.1)", "float64")],
        *[("pt.as_tensor(3, dtype='float64')", "float64"), ("pt.as_tensor([i, 1])", "int64")],
    ],
)
def test_dtypes_are_pytensors(pt, text, dtype):
    names = {
        "pt": pt,
        "v": pt.dvector(),
        "f": pt.fvector(),
        "i": pt.lscalar(),
        "k": pt.ivector(),
        "i8": pt.bvector(),
        "u8": pt.vector(dtype="uint8"),
        "b": pt.vector(dtype="bool"),
    }
    assert eval(text, names).dtype == dtype


def test_softmax_without_an_axis_takes_all_elements(pt):
    m = pt.as_tensor(M)
    for ours, theirs in (
        (pt.special.softmax, scipy.special.softmax),
        (pt.special.log_softmax, scipy.special.log_softmax),
    ):
        for axis in (None, 0, -1):
            np.testing.assert_allclose(value(ours(m, axis=axis)), theirs(M, axis))
    assert value(pt.special.softmax(pt.as_tensor(3.0))) == 1.0
    x = pt.dmatrix("x")
    assert pt.special.softmax(x).type.ndim == 2


def test_halves_are_rounded_to_even_numbers(pt):
    halves = [0.5, 1.5, 2.5, -0.5]
    assert value(pt.round(pt.as_tensor(halves))).tolist() == [0, 2, 2, 0]
    assert value(pt.iround(pt.as_tensor(halves))).tolist() == [0, 2, 2, 0]
    assert value(pt.round(pt.as_tensor(halves), mode="half_away_from_zero")).tolist() == [1, 2, 3, -1]


def test_axes_are_put_on_the_left(pt):
    m = pt.as_tensor(M)
    assert pt.atleast_3d(m).type.shape == (1, 3, 4)
    assert pt.atleast_Nd(m, n=4, left=False).type.shape == (3, 4, 1, 1)
    assert pt.atleast_1d(m).type.shape == (3, 4)


def test_parameters_have_pytensors_names(pt):
    m, v = pt.as_tensor(M), pt.as_tensor(V)
    pairs = [
        (pt.sum(input=m, axis=0), M.sum(0)),
        (pt.concatenate(tensor_list=[v, v], axis=0), np.r_[V, V]),
        (pt.full_like(a=v, fill_value=2.0), np.full(5, 2.0)),
        (pt.diagonal(a=m, offset=1), M.diagonal(1)),
        (pt.zeros_like(model=m, opt=True), np.zeros((3, 4))),
        (pt.sort(a=m, axis=0, stable=True), np.sort(M, 0)),
        (pt.einsum("ij->j", m, optimize="greedy"), M.sum(0)),
        (pt.matmul(x1=m, x2=m.T), M @ M.T),
        (pt.tile(A=v, reps=2), np.tile(V, 2)),
        (pt.set_subtensor(x=v[1:], y=0.0), np.r_[V[0], 0, 0, 0, 0]),
        (pt.linspace(0.0, 1.0, 5, retstep=True)[1], 0.25),
        (pt.logspace(0, 2, 3, 10.0), [1.0, 10.0, 100.0]),
        (pt.take_along_axis(m, pt.argsort(m, axis=0)), np.sort(M, 0)),
        (pt.where(cond=v > 0, ift=v, iff=0.0), np.where(V > 0, V, 0)),
        (pt.where(v > 0)[0], np.nonzero(V > 0)[0]),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(value(ours), theirs)


def test_products_of_stacks(pt):
    t, v, m = pt.as_tensor(CUBE), pt.as_tensor(V[:4]), pt.as_tensor(M)
    w = RNG.normal(size=(2, 4, 3))
    pairs = [
        (pt.matvec(t, v), CUBE @ V[:4]),
        (pt.vecmat(pt.as_tensor(V[:3]), t), V[:3] @ CUBE),
        (pt.vecdot(t, m), np.einsum("bij,ij->bi", CUBE, M)),
        (pt.matmul(m, m.mT, dtype="float32"), (M @ M.T).astype("float32")),
        (pt.batched_tensordot(t, pt.as_tensor(w), [[2], [1]]), np.einsum("bij,bjk->bik", CUBE, w)),
        (pt.batched_tensordot(t, t, 2), np.einsum("bij,bij->b", CUBE, CUBE)),
        (m.mT, M.T),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(value(ours), theirs, rtol=1e-5)


def test_dimensions_are_joined_split_packed(pt):
    t = pt.as_tensor(CUBE)
    assert pt.join_dims(t).type.shape == (24,)
    assert pt.join_dims(t, 1).type.shape == (2, 12)
    assert pt.join_dims(t, 1, n_axes=0).type.shape == (2, 1, 3, 4)
    assert pt.split_dims(t, (2, 2), axis=-1).type.shape == (2, 3, 2, 2)
    x, y = pt.dmatrix("x"), pt.dtensor3("y")
    packed, shapes = pt.pack(x, y)
    back = pt.unpack(packed, shapes)
    given = {x: M, y: CUBE}
    np.testing.assert_array_equal(packed.eval(given), np.r_[M.ravel(), CUBE.ravel()])
    np.testing.assert_array_equal(back[1].eval({**given}), CUBE)
    kept, shapes = pt.pack(pt.as_tensor(CUBE), pt.as_tensor(np.ones((2, 5))), keep_axes=0)
    assert value(kept).shape == (2, 17)
    assert [value(p).shape for p in pt.unpack(kept, shapes, keep_axes=0)] == [(2, 3, 4), (2, 5)]
    with pytest.raises(ArgumentError, match="keep_axes"):
        pt.pack(x, keep_axes=[1])
    with pytest.raises(ArgumentError, match="join_dims"):
        pt.join_dims(x, 1, 3)
    row = pt.as_tensor(np.ones((1, 4)))
    assert value(pt.concat_with_broadcast([row, pt.as_tensor(M)], axis=0)).shape == (4, 4)
    assert value(pt.concat_with_broadcast([row, pt.as_tensor(M)], axis=1)).shape == (3, 8)


@pytest.mark.parametrize(
    "name",
    ["gammainc", "gammaincc", "betainc", "jv", "iv", "ive", "kv", "kve", "hyp2f1", "owens_t", "gammaincinv"],
)
def test_functions_of_scipy_and_their_slopes(pt, pytensor, name):
    before = {"betainc": (2.0, 3.0), "hyp2f1": (1.0, 2.0, 3.0), "owens_t": (0.7,)}.get(name, (1.5,))
    at = np.array([0.2, 0.5, 0.9])
    f = getattr(pt, name)
    np.testing.assert_allclose(value(f(*before, pt.as_tensor(at))), getattr(scipy.special, name)(*before, at))
    pytensor.gradient.verify_grad(lambda x: f(*before, x), [at], rng=np.random.default_rng(1))


def test_functions_of_scipy_broadcast_and_say_which_slope_is_not_there(pt, pytensor):
    row, column = pt.row("row"), pt.col("column")
    out = pt.gammainc(column, row)
    assert out.type.shape == (None, None)
    a, b = np.array([[1.0], [2.0]]), np.array([[0.5, 1.0, 2.0]])
    np.testing.assert_allclose(value(out, **{"column": a, "row": b}), scipy.special.gammainc(a, b))
    slope = value(pytensor.grad(out.sum(), row), **{"column": a, "row": b})
    assert slope.shape == (1, 3)
    assert pt.gammainc(2.0, pt.fvector()).dtype == "float32"
    with pytest.raises(NullTypeGradError, match="gammainc"):
        pytensor.grad(out.sum(), column)


def test_special_functions_made_of_others(pt):
    z = np.array([0.5, 2.0, 3.5])
    pairs = [
        (pt.special.beta(pt.as_tensor(z), 1.5), scipy.special.beta(z, 1.5)),
        (pt.special.betaln(pt.as_tensor(z), 1.5), scipy.special.betaln(z, 1.5)),
        (pt.special.poch(pt.as_tensor(z), 2), scipy.special.poch(z, 2)),
        (pt.special.factorial(pt.as_tensor([1, 4])), [1.0, 24.0]),
        (pt.special.xlog1py(pt.as_tensor([0.0, 2.0]), -1.0 + np.array([0.0, 1.0])), [0.0, 0.0]),
        (pt.chi2sf(pt.as_tensor(z), 2.0), scipy.special.chdtrc(2.0, z)),
        (pt.gammau(2.0, pt.as_tensor(z)), scipy.special.gammaincc(2.0, z)),
        (pt.logaddexp(pt.as_tensor(z), 0.0, 1.0), np.logaddexp(np.logaddexp(z, 0), 1)),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(value(ours), theirs)


def test_convolutions(pt):
    a, b = V, np.array([1.0, -2.0, 0.5])
    for mode in ("full", "same", "valid"):
        ours = value(pt.signal.convolve1d(pt.as_tensor(a), pt.as_tensor(b), mode=mode))
        np.testing.assert_allclose(ours, scipy.signal.convolve(a, b, mode=mode))
        kernel = M[:2, :2]
        ours = value(pt.signal.convolve2d(pt.as_tensor(M), pt.as_tensor(kernel), mode=mode))
        np.testing.assert_allclose(ours, scipy.signal.convolve2d(M, kernel, mode=mode))
    with pytest.raises(ArgumentError, match="wrap"):
        pt.signal.convolve2d(M, M, boundary="wrap")


def test_linear_algebra_has_scipys_defaults(pt):
    a = RNG.normal(size=(4, 3))
    square, b = a.T @ a + np.eye(3), RNG.normal(size=(3, 2))
    A, B = pt.as_tensor(square), pt.as_tensor(b)
    q, r = pt.linalg.qr(pt.as_tensor(a))
    assert (value(q).shape, value(r).shape) == ((4, 4), (4, 3))
    assert value(pt.linalg.qr(pt.as_tensor(a), mode="economic")[0]).shape == (4, 3)
    factors = pt.linalg.lu_factor(A)
    skew = RNG.normal(size=(3, 3))
    of_skew = pt.linalg.lu_factor(pt.as_tensor(skew))
    w, v = pt.linalg.eigh(A, pt.as_tensor(np.diag([1.0, 2.0, 3.0])))
    expected = scipy.linalg.eigh(square, np.diag([1.0, 2.0, 3.0]))
    pairs = [
        (pt.linalg.solve(A, B, assume_a="pos"), np.linalg.solve(square, b)),
        (pt.linalg.solve(A, B, assume_a="positive definite"), np.linalg.solve(square, b)),
        (pt.linalg.solve(pt.as_tensor(np.stack([square, skew])), pt.as_tensor(b.T[:2]), b_ndim=1),
         np.stack([np.linalg.solve(square, b.T[0]), np.linalg.solve(skew, b.T[1])])),
        (pt.linalg.lu_solve(factors, B), np.linalg.solve(square, b)),
        (pt.linalg.lu_solve(of_skew, B[:, 0]), np.linalg.solve(skew, b[:, 0])),
        (pt.linalg.lu_solve(of_skew, B, trans=True), np.linalg.solve(skew.T, b)),
        (pt.linalg.cho_solve((pt.linalg.cholesky(A), True), B), np.linalg.solve(square, b)),
        (pt.linalg.cholesky(A, lower=False, on_error="raise"), np.linalg.cholesky(square).T),
        (pt.linalg.pinv(pt.as_tensor(a), hermitian=False), np.linalg.pinv(a)),
        (pt.nlinalg.det(A), np.linalg.det(square)),
        (w, expected[0]),
        (abs(v), abs(expected[1])),
        (pt.slinalg.solve_triangular(A, B, lower=True, trans=1), np.linalg.solve(np.tril(square).T, b)),
    ]  # fmt: skip
    for ours, theirs in pairs:
        np.testing.assert_allclose(value(ours), theirs, rtol=1e-9, atol=1e-12)
    with pytest.raises(ArgumentError, match="pivoting"):
        pt.linalg.qr(A, pivoting=True)


def test_rows_after_pivoting(pt):
    skew = RNG.normal(size=(4, 4))
    lu, pivots = pt.linalg.lu_factor(pt.as_tensor(skew))
    rows = value(pt.linalg.pivot_to_permutation(pivots, inverse=True))
    lower, upper = np.tril(value(lu), -1) + np.eye(4), np.triu(value(lu))
    np.testing.assert_allclose(skew[rows], lower @ upper)
    back = value(pt.linalg.pivot_to_permutation(pivots))
    np.testing.assert_array_equal(rows[back], np.arange(4))


def test_shapes_that_are_specified_may_be_variables(pytensor, pt):
    x, y, n = pt.dmatrix("x"), pt.dmatrix("y"), pt.lscalar("n")
    assert pt.specify_shape(x, 2, None).type.shape == (2, None)
    assert pt.specify_shape(x, (n, 3)).type.shape == (None, 3)
    assert pt.specify_shape(x, pt.as_tensor([2, 3])).type.shape == (2, 3)
    assert pt.specify_shape(pt.dvector(), 4).type.shape == (4,)
    f = pytensor.function([x, y, n], [pt.specify_shape(x, y.shape).sum(), pt.specify_shape(x, (None, n))])
    np.testing.assert_allclose(f(M, M, 4)[0], M.sum())
    for given in ((M, M.T, 4), (M, M, 3)):
        with pytest.raises(AssertionError, match="a length of x is not the one that was given"):
            f(*given)


def test_what_graphs_know(pt):
    x = pt.dmatrix("x")
    assert pt.get_vector_length(x.shape) == 2
    assert pt.get_underlying_scalar_constant_value(pt.as_tensor(3.0) * 2) == 6
    assert pt.get_underlying_scalar_constant_value(pt.alloc(2.0, 3)) == 2
    assert pt.get_underlying_scalar_constant_value(x, raise_not_constant=False) is x
    with pytest.raises(pt.exceptions.NotScalarConstantError):
        pt.get_underlying_scalar_constant_value(pt.as_tensor([1.0, 2.0]))
    with pytest.raises(pt.exceptions.NotScalarConstantError):
        pt.get_scalar_constant_value(x)
    m = pt.as_tensor(M)
    for axis in (0, 1, -1, -2):
        part = value(m[pt.slice_at_axis(slice(1, 3), axis)])
        np.testing.assert_array_equal(part, np.take(M, [1, 2], axis))
    assert pt.type.values_eq_approx(np.ones(2), np.ones(2) + 1e-9)
    assert not pt.type.values_eq_approx(np.ones(2), np.ones(2, "float32"))
    assert (pt.pi, pt.inf, pt.newaxis) == (np.pi, np.inf, None)


def test_methods_of_tensors(pt):
    x = pt.as_tensor(np.array([0.25, 0.5]))
    for name in ("exp", "log", "sqrt", "sin", "arcsin", "tanh", "floor", "expm1", "log1p", "deg2rad"):
        np.testing.assert_allclose(value(getattr(x, name)()), getattr(np, name)([0.25, 0.5]))
    assert pt.tensor3("t", shape=(2, 3, 4)).mT.type.shape == (2, 4, 3)
