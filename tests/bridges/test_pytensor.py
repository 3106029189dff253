"""PyTensor on eqsat: each op of the table against PyTensor's own interpreter, loops, batches, PyMC."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

pytensor = pytest.importorskip("pytensor")
import pytensor.tensor as pt  # noqa: E402
from pytensor.raise_op import CheckAndRaise  # noqa: E402
from pytensor.scan.utils import until  # noqa: E402
from pytensor.tensor.fft import irfft, rfft  # noqa: E402
from pytensor.tensor.fourier import fft as fourier  # noqa: E402
from pytensor.tensor.type_other import make_slice  # noqa: E402
from pytensor.tensor.xlogx import xlogx, xlogy0  # noqa: E402

import eqsat  # noqa: E402
import eqsat.bridges.pytensor as bridge  # noqa: E402
from eqsat.errors import EqsatError, EqsatWarning  # noqa: E402

PLAIN = pytensor.compile.mode.Mode(linker="py", optimizer="fast_compile")
DICE = np.random.default_rng(0)
x, v, i, n = pt.dmatrix("x"), pt.dvector("v"), pt.lvector("i"), pt.lscalar("n")
spd = x @ x.T + pt.eye(4) * 3
w = v**2 + 0.5
AT = np.geomspace(0.01, 40, 4)
VALUES = {x: DICE.normal(size=(4, 4)), v: DICE.normal(size=4), i: np.array([2, 0, 2]), n: np.array(3)}
CASES: dict[str, Any] = {
    "elementwise": [
        pt.exp(v) + pt.log1p(v**2) * pt.sigmoid(v),
        pt.clip(v, -0.5, 0.5),
        pt.switch(v > 0, v, -v),
    ],
    "integers": [i // 2, i % 2, i**2, pt.cast(i, "float32") / 2, (i & 1) | 4],
    "special": [
        pt.gammaln(v**2 + 1),
        pt.erf(v),
        pt.erfcx(v),
        pt.psi(v**2 + 1),
        pt.softplus(v),
        pt.log1mexp(-(v**2) - 1),
        xlogx(i),
        pytensor.grad(xlogy0(w, w + 1).sum(), v),
    ],
    "reductions": [
        x.sum(0),
        x.prod(1),
        x.max(),
        x.min(1),
        x.mean(),
        x.var(0),
        pt.all(x > -9),
        pt.any(x > 9, axis=0),
    ],
    "no elements": [v[:0].sum(), v[:0].prod()],
    "places": [pt.argmax(x, axis=1), pt.argmax(x), pt.argmin(x, axis=0)],
    "running": [pt.cumsum(x, axis=0), pt.cumprod(v), pt.diff(v)],
    "softmax": [pt.special.softmax(x, axis=1), pt.special.log_softmax(x, axis=0), pt.logsumexp(x, axis=1)],
    "parts": [x[1:, ::2], x[-1], v[::-1], x[i], x[i, 1:3][:, 0], x[:, None, 0], v[n], v[v > 0]],
    "writes": [pt.set_subtensor(x[1:, 0], v[1:]), pt.inc_subtensor(x[i], 1.5), pt.inc_subtensor(v[i], v[:3])],
    "joins": [pt.concatenate([x, x.T], axis=1), pt.stack([v, v]), *pt.split(v, [1, 3], n_splits=2)],
    "shapes": [
        x.reshape((2, 8)),
        x.flatten(),
        x.shape,
        x.shape[0] * 2,
        x.dimshuffle(1, "x", 0),
        pt.specify_shape(x, (4, None)),
    ],
    "made": [pt.arange(n), pt.eye(3, 4, 1), pt.zeros((n, 2)), pt.full((2, 2), v[0]), pt.ones_like(x)],
    "diagonals": [pt.diag(x), pt.diag(v), pt.trace(x)],
    "sorting": [pt.sort(v), pt.argsort(x, axis=0), pt.searchsorted(pt.sort(v), 0.1), pt.repeat(v, 2)],
    "products": [
        x @ v,
        x @ x,
        pt.tensordot(x, x, axes=[[0], [1]]),
        pt.outer(v, v),
        pt.linalg.kron(x[:2], x[:, :2]),
    ],
    "factors": [pt.linalg.cholesky(spd), pt.linalg.solve(spd, v), pt.linalg.inv(spd), pt.linalg.det(spd)],
    "triangles": [
        pt.linalg.solve_triangular(pt.linalg.cholesky(spd), v, lower=True),
        *pt.linalg.slogdet(spd),
    ],
    "spectra": [pt.linalg.eigh(spd)[0]],
    "batches": [
        pt.linalg.cholesky(pt.stack([spd, 2 * spd])),
        pt.linalg.solve(pt.stack([spd, 2 * spd]), x[None]),
        pt.linalg.solve(spd[None], pt.stack([x, 2 * x])),
        pt.linalg.cholesky(spd[None, None]),
        pt.signal.convolve1d(x, x[:, :2], mode="valid"),
        pt.signal.convolve1d(x, v[:2], mode="full"),
    ],
    "decompositions": [
        *pt.linalg.svd(x)[:2],
        pt.linalg.qr(x)[1],
        *pt.linalg.lu(x),
        pt.linalg.pinv(x),
        pt.linalg.expm(x / 9),
        pytensor.grad(pt.sum(pt.linalg.eigh(spd)[0] ** 2), x),
        pytensor.grad(pt.sum(pt.linalg.lu_solve(pt.linalg.lu_factor(spd), v)), v),
    ],
    "incomplete functions": [
        pt.gammainc(v**2 + 1, w),
        pt.betainc(w, v**2 + 1, 0.4),
        pt.iv(1.5, w),
        pt.hyp2f1(1.0, w, 2.0, 0.3),
    ],
    "loops of elements": [
        pytensor.grad(pt.gammainc(w, w + 1).sum(), v),
        pytensor.grad(pt.betainc(w, w + 1, 0.3).sum(), v),
        pytensor.grad(pt.hyp2f1(w, 1.5, w + 2, 0.3).sum(), v),
    ],
    "loops whose elements end at other steps": [
        pytensor.grad((v * pt.gammaincc(pt.exp(v[0]), AT)).sum(), v),
        pytensor.grad((x * pt.gammainc(pt.exp(v), AT[:, None])).sum(), v),
        pytensor.grad(pt.betainc(w[1], w, np.linspace(0, 1, 4)).sum(), v),
    ],
    "places in arrays": [
        *pt.unravel_index(i, (3, 2)),
        pt.concatenate([pt.sort(v), v], axis=pt.constant(0)),
        pt.ravel_multi_index((i, i // 2), (4, 3)),
        pt.basic.permute_row_elements(x[:3, :3], i.argsort()),
        pt.basic.inverse_permutation(pt.argsort(v)),
        pt.choose(i % 2, pt.stack([v[:3], -v[:3]])),
        pt.fill_diagonal(x, 2.0),
        *pt.unique(i, return_inverse=True),
        pt.signal.convolve1d(v, v[:2], mode="valid"),
    ],
    "other diagonals": [
        pt.fill_diagonal_offset(x, 2.0, 1),
        pt.basic.alloc_diag(v, offset=-1),
        pt.basic.alloc_diag(x, axis1=0, axis2=2),
    ],
    "Fourier": [
        pt.real(fourier(x, 6, 0)),
        rfft(x, norm="ortho"),
        irfft(rfft(x), is_odd=False),
        pytensor.grad((rfft(pt.reshape(x, (2, 2, 4))) ** 2).sum(), x),
    ],
    "tensors as matrices": [
        pt.linalg.tensorinv(pt.reshape(spd, (2, 2, 4)), 2),
        pt.linalg.tensorsolve(pt.reshape(spd, (2, 2, 2, 2)), x[:2, :2]),
    ],
    "softmax's gradient": [pytensor.grad((pt.special.softmax(x, axis=1) ** 2).sum(), x)],
    "branches": [pytensor.ifelse(n > 2, v * 2, v)],
}


def test_a_matrix_that_fails_gives_nan() -> None:
    outputs = [pt.linalg.cholesky(-spd), pt.linalg.solve(0 * spd, v), pt.linalg.inv(0 * spd)]
    f = pytensor.function([x, v], outputs, mode="EQSAT")
    assert all(np.isnan(y).all() for y in f(VALUES[x], VALUES[v]))


def test_a_spline_of_scipy_is_its_polynomials() -> None:
    dist_math = pytest.importorskip("pymc.distributions.dist_math")
    from scipy.interpolate import InterpolatedUnivariateSpline

    at = np.linspace(-3, 3, 20)
    for degree, beyond in ((1, 0), (1, 1), (2, 3), (3, 1)):
        op = dist_math.SplineWrapper(InterpolatedUnivariateSpline(at, np.sin(at), k=degree, ext=beyond))
        f = pytensor.function([v], op(v), mode="EQSAT")
        assert f.maker.linker.translation.foreign == {}
        values = np.array([-4.0, -3.0, -1.234, 0.0, at[3], 2.99, 3.0, 5.0])
        np.testing.assert_allclose(f(values), op.spline(values), rtol=1e-12, atol=1e-13)


def test_shares_of_which_products_are_taken_under_a_logarithm() -> None:
    pm = pytest.importorskip("pymc")
    for words in (0, 12):
        with pm.Model() as model:
            shares = pm.Dirichlet("shares", np.ones((8, 3)))
            other = pm.Dirichlet("other", np.ones((3, words))) if words else np.ones((3, 3))
            pm.Potential("total", pt.log(shares @ other).sum())
        total = model.logp()
        f = pytensor.function(
            model.value_vars, pytensor.grad(total, model.value_vars), mode="EQSAT", on_unused_input="ignore"
        )
        assert np.isfinite(f(*model.initial_point().values())[0]).all()


def evaluated(outputs: Any, mode: Any) -> Any:
    given = [w for w in VALUES if w in set(pytensor.graph.traversal.explicit_graph_inputs(outputs))]
    f = pytensor.function(given, outputs, mode=mode)
    return f(*(VALUES[w] for w in given)), f


@pytest.mark.parametrize("name", CASES)
def test_ops_give_what_pytensor_gives(name: str) -> None:
    outputs = [pt.as_tensor_variable(y) for y in CASES[name]]
    wanted, _ = evaluated(outputs, PLAIN)
    for include in (("fast_run",), ("minimum_compile",)):
        found, f = evaluated(outputs, bridge.eqsat_mode(include))
        assert f.maker.linker.translation.foreign == {}
        for a, b in zip(found, wanted, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"include": ("minimum_compil",)}, "minimum_compile"),
        ({"include": "canonicalise"}, "canonicalize"),
        ({"rules": "exat"}, "exact"),
        ({"target": "cud"}, "target='cuda'"),
        ({"on_unused_input": "ingore"}, "ignore"),
        ({"rule": "exact"}, "rules"),
    ],
)
def test_a_mode_refuses_what_is_misspelt(given: Any, right: str) -> None:
    with pytest.raises(EqsatError) as raised:
        bridge.eqsat_mode(**given)
    assert right in str(raised.value.hint)


def test_every_rewrite_of_pytensor_is_a_name_to_include() -> None:
    for word in ("minimum_compile", "fast_run", "local_log1p", "BlasOpt", "stabilize"):
        assert word in bridge.eqsat_mode([word]).provided_optimizer.include


def loops() -> dict[str, Any]:
    """Loops of each kind: one state, several taps, a map, an end by a condition, a shared variable."""
    scan = pytensor.scan
    power = scan(
        lambda a, b: a * b, outputs_info=pt.ones_like(v), non_sequences=v, n_steps=5, return_updates=False
    )
    two = scan(
        lambda s, a, b: a + 0.5 * b + s,
        sequences=v,
        outputs_info=[{"initial": v[:2], "taps": [-1, -2]}],
        return_updates=False,
    )
    mapped = scan(lambda row: pt.exp(row).sum(), sequences=x, return_updates=False)
    ended = scan(
        lambda a: (a * 2, until(a > 8)),
        outputs_info=pt.constant(np.float64(1.0)),
        n_steps=50,
        return_updates=False,
    )
    short = scan(lambda row, h: pt.tanh(row + h), x, pt.zeros(4), truncate_gradient=2, return_updates=False)
    return {
        "truncated": [pytensor.grad(short[-1].sum(), x)],
        "power": [power[-1], power],
        "taps": [two, pytensor.grad(two.sum(), v)],
        "map": [mapped, pytensor.grad((mapped**2).sum(), x)],
        "until": [ended],
        "gradient": [pytensor.grad(power[-1].sum(), v)],
    }


@pytest.mark.parametrize("name", ["power", "taps", "map", "until", "gradient", "truncated"])
def test_loops_are_loops_of_eqsat(name: str) -> None:
    outputs = loops()[name]
    wanted, _ = evaluated(outputs, PLAIN)
    found, f = evaluated(outputs, "EQSAT")
    assert f.maker.linker.translation.foreign == {} and f.maker.linker.translation.counts["Scan"] >= 1
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_draws_are_those_of_numpy_and_are_named() -> None:
    generator = pytensor.shared(np.random.default_rng(3))
    draw = pt.random.normal(size=(3,), rng=generator)
    with pytest.warns(EqsatWarning, match="run as they are, through pytensor: NormalRV"):
        f = pytensor.function([], draw, mode="EQSAT")
    np.testing.assert_array_equal(f(), pytensor.function([], draw, mode=PLAIN)())


@pytest.mark.parametrize("kind", [np.linalg.LinAlgError, IndexError, ValueError, AssertionError])
def test_a_check_raises_what_it_says(kind: Any) -> None:
    f = pytensor.function([v], CheckAndRaise(kind, "not here")(v, v[0] > 0), mode="EQSAT")
    assert f([1.0]).tolist() == [1.0]
    with pytest.raises(kind, match="not here"):
        f([-1.0])


def test_scalars_of_pytensor_are_numbers() -> None:
    f = pytensor.function([n], [pt.scalar_from_tensor(n), n + 1], mode="EQSAT")
    number, array = f(3)
    assert type(number) is np.int64 and number == 3 and isinstance(array, np.ndarray)


def test_a_part_of_a_length_below_0_is_refused_by_the_call() -> None:
    f = pytensor.function([v], pt.split(v, [5, -1], n_splits=2), mode="EQSAT")
    with pytest.raises(ValueError, match=r"negative|greater"):
        f(np.zeros(4))


def test_a_slice_may_be_an_output() -> None:
    part = make_slice(1, n)
    f = pytensor.function([v, n], [part, v[part]], mode="EQSAT")
    found, values = f(np.arange(5.0), 3)
    assert found == slice(1, 3) and values.tolist() == [1, 2]


def test_shared_variables_are_updated() -> None:
    w = pytensor.shared(np.zeros(3), name="w")
    f = pytensor.function([v], (w * v[:3]).sum(), updates={w: w + v[:3]}, mode="EQSAT")
    assert float(f(np.ones(4))) == 0.0 and float(f(np.ones(4))) == 3.0
    np.testing.assert_array_equal(w.get_value(), [2, 2, 2])


def test_a_function_is_pickled() -> None:
    f = pytensor.function([v], pt.exp(v).sum(), mode="EQSAT")
    assert float(pickle.loads(pickle.dumps(f))(np.zeros(3))) == 3.0


def test_a_graph_is_taken_over_as_written() -> None:
    w = pytensor.shared(np.arange(4.0), name="w")
    (ours,), y = bridge.from_pytensor((v * w).sum(), [v])
    assert ours.name == "v" and ours.type.dtype == "float64"
    assert float(eqsat.function([ours], y)(np.ones(4))) == 6.0
    several = bridge.from_pytensor([v + 1, v - 1])
    assert [w.name for w in eqsat.graph.inputs(several) if w.name] == ["v"]
    report = eqsat.optimize(bridge.from_pytensor(pt.log(pt.exp(v))))
    assert report.nodes_after == 0


def test_pymc_samples_through_the_mode() -> None:
    pm = pytest.importorskip("pymc")
    with pm.Model() as model:
        mean = pm.Normal("mean", 0, 5)
        scale = pm.HalfNormal("scale", 2)
        pm.Normal("y", mean, scale, observed=np.array([1.0, 2.0, 3.0]))
    plain = model.compile_logp(mode=PLAIN)
    ours = model.compile_logp(mode="EQSAT")
    point = model.initial_point()
    np.testing.assert_allclose(ours(point), plain(point), rtol=1e-12)
    slopes = model.compile_dlogp(mode="EQSAT")(point), model.compile_dlogp(mode=PLAIN)(point)
    np.testing.assert_allclose(*slopes, rtol=1e-10)
