"""NumPy's functions of variables: what a call gives for arrays, its graph gives too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, AssertError

RNG = np.random.default_rng(1)
A = RNG.normal(size=(4, 4))
ARRAYS: dict[str, Any] = {
    "A": A,
    "v": RNG.normal(size=5),
    "S": A @ A.T + 4 * np.eye(4),
    "w": np.array([3, 1, 2, 1, 0]),
}
VARIABLES: dict[str, Any] = {
    name: T.tensor(a.dtype, shape=(None,) * a.ndim, name=name) for name, a in ARRAYS.items()
}
CALLS = """
np.all(A>0)
np.allclose(v,v)
np.angle(v)
np.any(A>9,axis=1)
np.insert(v,0,0.)
np.insert(v,-1,5.)
np.insert(A,2,v[:4],axis=0)
np.insert(A,1,0,axis=1)
np.delete(v,2)
np.delete(v,-1)
np.delete(A,-2,axis=1)
np.delete(v,slice(1,3))
np.block([[A,A],[A[:1],A[:1]]])
np.gradient(v)
np.gradient(A,0.5,2.0)
np.gradient(w,2,axis=0)
np.correlate(v,v[:3],'same')
np.fmax(v,0.)
np.fmin(v,0.)
np.lib.stride_tricks.sliding_window_view(v,3)
np.lib.stride_tricks.sliding_window_view(A,3,axis=0)
np.lib.stride_tricks.sliding_window_view(A,(2,3))
np.lib.stride_tricks.sliding_window_view(A,(2,1),axis=(-1,0))
np.lib.stride_tricks.sliding_window_view(A,(2,2),axis=(1,1))
np.add.reduce(A)
np.maximum.reduce(A,axis=1)
np.logical_and.reduce(A>0,axis=1)
np.add.accumulate(v)
np.maximum.accumulate(A,axis=1)
np.multiply.outer(v,v)
np.subtract.outer(v,A)
np.sum(A,axis=1,where=A>0)
np.max(A,where=A>0,initial=0.)
np.all(A,where=A>0,axis=0)
np.prod(v,where=v>0,initial=2.)
np.copy(v)
np.positive(v)
np.append(v,[1.,2.])
np.argmax(A,axis=0)
np.argsort(v)
np.around(v,2)
np.array_equal(v,v)
np.array_split(v,3)
np.atleast_2d(v)
np.average(A,axis=0,weights=np.arange(4.))
np.bincount(w)
np.broadcast_to(v,(2,5))
np.clip(v,0,1)
np.clip(v,a_min=0,a_max=None)
np.column_stack([v,v])
np.compress(v>0,v)
np.concatenate([A,A],axis=1)
np.convolve(v,v,'same')
np.corrcoef(A)
np.count_nonzero(w)
np.cov(A,ddof=0)
np.cross(A[0,:3],A[1,:3])
np.cumsum(A,1)
np.cumprod(A,axis=0)
np.diag(v)
np.diag(A,k=1)
np.diagonal(A,1)
np.diff(v,2)
np.digitize(v,np.array([0.,1.]))
np.dot(A,A)
np.dstack([A,A])
np.ediff1d(v)
np.einsum('ij,jk->ik',A,A)
np.expand_dims(v,0)
np.extract(v>0,v)
np.flatnonzero(w)
np.flip(A,0)
np.full_like(v,2.)
np.hsplit(A,2)
np.hstack([A,A])
np.inner(v,v)
np.interp(v,np.array([0.,1.]),np.array([1.,2.]))
np.isclose(v,v)
np.isin(w,[1,2])
np.kron(A,A)
np.linspace(0.,v[0],5)
np.max(A,axis=0,keepdims=True)
np.max(v[:0], initial=9.0)
np.mean(A,axis=1)
np.median(A,axis=0)
np.meshgrid(v,v)
np.min(v)
np.moveaxis(A,0,1)
np.nan_to_num(v)
np.nanmax(A,axis=0)
np.nansum(A)
np.nonzero(w)
np.ones_like(A)
np.outer(v,v)
np.pad(v,2)
np.pad(A,((1,0),(0,2)),mode='edge')
np.percentile(v,30)
np.polyval([1.,2.],v)
np.prod(v)
np.ptp(A,axis=0)
np.quantile(A,.3,axis=1)
np.ravel(A)
np.repeat(v,2)
np.reshape(A,(2,8))
np.reshape(A,(8,2),order='C')
np.roll(v,2)
np.rot90(A)
np.round(v,1)
np.searchsorted(np.array([0.,1.]),v)
np.select([v>0,v<-1],[v,2*v],default=7.)
np.size(A)
np.shape(A)
np.ndim(A)
np.sort(A,axis=0)
np.split(np.concatenate([v,v]),2)
np.squeeze(A[:1],0)
np.stack([v,v],axis=1)
np.std(A,axis=0,ddof=1)
np.sum(A,0)
np.sum(A,axis=1,keepdims=True)
np.sum(A,0,None,None,True)
np.swapaxes(A,0,1)
np.take(v,[0,2])
np.take_along_axis(A,np.argsort(A,axis=1),axis=1)
np.tensordot(A,A,axes=1)
np.tile(v,3)
np.trace(A)
np.transpose(A)
np.trapezoid(v)
np.trapezoid(v,dx=.5)
np.tril(A)
np.triu(A,1)
np.unique(w)
np.unique(w,return_counts=True)
np.vander(v,3)
np.var(A)
np.vdot(v,v)
np.vsplit(A,2)
np.vstack([v,v])
np.where(v>0,v,0.)
np.zeros_like(A)
np.linalg.cholesky(S)
np.linalg.det(A)
np.linalg.eigvalsh(S)
np.linalg.inv(A)
np.linalg.matrix_power(A,3)
np.linalg.multi_dot([A,A,A])
np.linalg.norm(A)
np.linalg.norm(A,axis=1)
np.linalg.norm(v,1)
np.linalg.pinv(A)
np.linalg.slogdet(A)
np.linalg.solve(A,v[:4])
np.linalg.svd(A,compute_uv=False)
np.linalg.trace(A)
np.linalg.matmul(A,A)
np.linalg.diagonal(A)
np.linalg.qr(A)[1]
np.histogram(v,bins=3,range=(0.,1.))
np.union1d(w,w+1)
np.setdiff1d(w,[1])
np.intersect1d(w,[1,2])
np.lexsort((w,v))
np.fliplr(A)
np.geomspace(1.,np.exp(v[0]),3)
np.permute_dims(A,(1,0))
np.matrix_transpose(A)
np.linalg.cross(A[0,:3],A[1,:3])
np.linalg.eigh(S)[0]
np.count_nonzero(A>0,axis=1)
""".strip().splitlines()


def _values(call: str, names: dict[str, Any]) -> list[Any]:
    found = eval(call, {"np": np, **names})
    return list(found) if isinstance(found, (list, tuple)) else [found]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.sampled(60)
def test_call_of_variables_is_the_call_of_arrays(call: str) -> None:
    made, wanted = _values(call, VARIABLES), _values(call, ARRAYS)
    given = {x: ARRAYS[name] for name, x in VARIABLES.items()}
    with eqsat.config.change_flags(mode="numpy"):
        found = [
            eqsat.function([*given], v, on_unused_input="ignore")(*given.values())
            for v in map(T.as_tensor_variable, made)
        ]
    assert any(isinstance(v, eqsat.Variable) for v in made) or call == "np.ndim(A)"
    if len(found) == 1 < len(wanted):  # a shape is a vector here
        wanted = [wanted]
    for want, have in zip(wanted, found, strict=True):
        np.testing.assert_allclose(np.asarray(have, float), np.asarray(want, float), rtol=1e-9, atol=1e-12)


BYTES, SINGLES = np.array([200, 3], "u1"), np.array([0.5, 1.5], "f4")
OF_NUMBERS = """
np.append(b,1)*1000
np.append(s,0)
np.append(b,[b[0],1])
np.hstack([s,0])
np.vstack([b[:1],1])
np.stack([b[0],1])
np.concatenate([s,[s[0],1.]])
np.column_stack([b[:1],1])
np.dot(b,2)
np.outer(s,2.)
np.kron(b,3)
np.diff(b,prepend=1)
np.diff(s,append=1.)
np.einsum('i,->i',b,2)
np.meshgrid(b,1)[1]
np.tile(b,(2,1))
np.array_split(b,2)[0]
np.insert(b,1,3)
np.quantile(s,0.3)
np.linspace(0,s,3)
np.sum(b,0)
np.max(b,initial=3)
""".strip().splitlines()


@pytest.mark.parametrize("call", OF_NUMBERS)
def test_numbers_of_python_are_arrays_where_numpy_makes_arrays_of_them(call: str) -> None:
    b, s = T.tensor("uint8", (2,), "b"), T.tensor("float32", (2,), "s")
    made, wanted = eval(call, {"np": np, "b": b, "s": s}), eval(call, {"np": np, "b": BYTES, "s": SINGLES})
    found = eqsat.function([b, s], made, on_unused_input="ignore", mode="reference")(BYTES, SINGLES)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_windows_that_do_not_fit_are_errors(mode: str) -> None:
    windows = np.lib.stride_tricks.sliding_window_view
    with pytest.raises(ArgumentError, match="1 lengths for 2 axes"):
        windows(VARIABLES["A"], 2)
    for x, made in (("v", windows(VARIABLES["v"], 7).sum()), ("A", windows(VARIABLES["A"], (5, 1)))):
        with pytest.raises(AssertError, match="the window is longer than its axis"):
            eqsat.function([VARIABLES[x]], made, mode=mode)(ARRAYS[x])


def test_functions_that_change_their_argument_are_refused() -> None:
    for call in ("np.fill_diagonal(A, 0)", "np.put_along_axis(A, np.zeros((4, 1), int), 0, 1)"):
        with pytest.raises(ArgumentError, match="does not take tensor variables"):
            _values(call, VARIABLES)


def test_an_argument_that_ours_lacks_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"np\.sum of a variable does not take where="):
        np.sum(VARIABLES["A"], where=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda f, x: np.frompyfunc(f, 1, 1)(x),
        lambda f, x: np.apply_along_axis(f, 0, x),
        lambda f, x: np.apply_over_axes(f, x, [0]),
    ],
)
def test_a_function_that_numpy_calls_for_each_part_is_named(call: Any) -> None:
    def half(x: Any) -> Any:
        return x / 2

    with pytest.raises(ArgumentError, match=r"of a tensor variable calls half in Python") as error:
        call(half, VARIABLES["A"])
    assert "eqsat.map(half, x)" in str(error.value)
