"""Fourier transforms against numpy.fft: lengths, axes, norms, dtypes, gradients, loops, and NumPy's own names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, AxisError, DTypeError, ShapeError

REAL = ("rfft", "ihfft", "rfft2", "rfftn")
ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
DTYPES = ("bool", "int32", "float32", "float64", "complex64", "complex128")


def draw(dtype: str, *shape: int) -> Any:
    rng = np.random.default_rng(len(shape))
    value = 3 * rng.normal(size=shape) + 1j * rng.normal(size=shape)
    return (value if dtype.startswith("c") else value.real).astype(dtype)


def same(got: Any, want: Any) -> None:
    close = 1e-5 if want.dtype in (np.float32, np.complex64) else 1e-12
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=close, atol=10 * close)


def numpys(name: str, value: Any, *given: Any, **named: Any) -> Any:
    """NumPy's result in the precision of the operand, which releases before 2 widen."""
    found = getattr(np.fft, name)(value, *given, **named)
    narrow = value.dtype in (np.float32, np.complex64)
    return found.astype({"c": "complex64", "f": "float32"}[found.dtype.kind]) if narrow else found


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ONE)
def test_along_one_axis(name: str, dtype: str) -> None:
    if name in REAL and dtype.startswith("c"):
        pytest.skip("of real numbers")
    for shape, axis in (((1,), -1), ((7,), 0), ((8,), -1), ((3, 5), 0), ((3, 5), -1), ((2, 0, 4), 2)):
        value = draw(dtype, *shape)
        x = T.tensor(dtype=dtype, shape=(None,) * len(shape))
        for n, norm in zip((None, 1, 3, 6, 6), (None, "backward", "ortho", "forward", "ortho"), strict=True):
            if n is None and name in ("irfft", "hfft") and shape[axis] == 1:
                continue  # no numbers
            found = getattr(T.fft, name)(x, n, axis, norm).eval({x: value}, mode="reference")
            same(found, numpys(name, value, n, axis, norm))


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.sampled(3)
def test_along_several_axes_in_the_compiled_function(name: str) -> None:
    x, value = T.dtensor3("x"), draw("float64", 2, 3, 6)
    axes = {} if name.endswith("2") else {"axes": (0, 2)}
    lengths = (None, (2, 5), (4, 7))
    f = eqsat.function([x], [getattr(T.fft, name)(x, s, **axes) for s in lengths])
    for s, found in zip(lengths, f(value), strict=True):
        same(found, getattr(np.fft, name)(value, s, **({"axes": (-2, -1)} | axes)))


@pytest.mark.parametrize(("shape", "n"), [((5,), None), ((6,), None), ((2, 3), 4), ((5,), 9)])
def test_gradients(shape: tuple[int, ...], n: int | None) -> None:
    value = draw("float64", *shape)
    for build in (
        lambda x: T.sqr(T.abs(T.fft.rfft(x, n))),
        lambda x: T.sqr(T.abs(T.fft.fft(x, n, norm="ortho"))),
        lambda x: T.real(T.fft.ifft(x + 1j * x**2, n) * (2 + 1j)),
        lambda x: T.fft.irfft(T.exp(1j * x), n),
    ):
        T.verify_grad(build, [value])


def test_lengths_that_are_symbolic() -> None:
    x, n = T.dvector("x"), T.lscalar("n")
    f = eqsat.function([x, n], [T.fft.fft(x, n), T.fft.irfft(T.fft.rfft(x, n), n), T.fft.fftfreq(n, 0.1)])
    value = draw("float64", 7)
    for k in (1, 4, 7, 12):
        first, back, frequencies = f(value, k)
        same(first, np.fft.fft(value, k))
        same(back, np.fft.irfft(np.fft.rfft(value, k), k))
        same(frequencies, np.fft.fftfreq(k, 0.1))


@pytest.mark.parametrize("n", [1, 2, 5, 6])
@pytest.mark.sampled(2)
def test_frequencies_and_shifts(n: int) -> None:
    same(T.fft.rfftfreq(n, 0.5).eval(), np.fft.rfftfreq(n, 0.5))
    value = draw("float64", n, 3)
    for axes in (None, 0, (0, 1)):
        same(T.fft.fftshift(value, axes).eval(), np.fft.fftshift(value, axes))
        same(T.fft.ifftshift(value, axes).eval(), np.fft.ifftshift(value, axes))


def test_in_a_loop_in_batches_and_under_numpys_names() -> None:
    rows = T.dmatrix("rows")
    value = draw("float64", 3, 8)
    power = eqsat.scan(lambda row: T.sqr(T.abs(np.fft.rfft(row))), rows)[0]
    want = np.abs(np.fft.rfft(value)) ** 2
    same(power.eval({rows: value}), want)
    same(
        eqsat.vectorize(lambda row: T.sqr(T.abs(T.fft.rfft(row))), signature="(n)->(k)")(rows).eval(
            {rows: value}
        ),
        want,
    )

    @eqsat.jit
    def smooth(x: Any) -> Any:
        spectrum = np.fft.rfft(x)
        return np.fft.irfft(np.where(np.arange(spectrum.shape[0]) < 3, spectrum, 0), x.shape[0])

    kept = np.fft.rfft(value[0])
    same(smooth(value[0]), np.fft.irfft(np.where(np.arange(5) < 3, kept, 0), 8))


def test_errors() -> None:
    x, z = T.dvector("x"), T.zvector("z")
    with pytest.raises(AxisError):
        T.fft.fft(x, axis=1)
    with pytest.raises(ArgumentError, match="norm does not take 'orto'"):
        T.fft.fft(x, norm="orto")
    with pytest.raises(ArgumentError, match="0 is no length of an axis"):
        T.fft.rfft(x, 0)
    with pytest.raises(ArgumentError, match="1 axes have 2 lengths"):
        T.fft.fftn(x, (2, 3), (0,))
    with pytest.raises(DTypeError, match="real_fourier is not defined for c128"):
        T.fft.rfft(z)
    for mode in ("reference", "FAST_RUN"):
        with pytest.raises(ShapeError, match="an axis has no elements"):
            eqsat.function([x], T.fft.fft(x), mode=mode)([])
