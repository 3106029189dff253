"""Convolutions against direct summation and SciPy, their gradients, and what is refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import signal

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError, EqsatError, RankError, ShapeError
from eqsat.gradient import verify_grad
from tests.reference import evaluate

N = T.nnet
rng = np.random.default_rng(7)


def pads_of(border: Any, axis: int, wide: int) -> tuple[int, int]:
    """Zeros on both sides of an axis, from the documented border modes."""
    if isinstance(border, str):
        p = {"valid": 0, "full": wide - 1, "half": wide // 2}[border]
        return p, p
    p = border if isinstance(border, int) else border[axis]
    return (p, p) if isinstance(p, int) else p


def direct(x: Any, w: Any, border: Any, strides: Any, gaps: Any, groups: int, flip: bool) -> Any:
    """Convolution by its definition, one output element at a time."""
    spatial = x.ndim - 2
    wide = [(k - 1) * g + 1 for k, g in zip(w.shape[2:], gaps, strict=True)]
    pads = [pads_of(border, a, n) for a, n in enumerate(wide)]
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    if flip:
        w = w[(slice(None), slice(None), *[slice(None, None, -1)] * spatial)]
    out = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], wide, strides, strict=True)]
    result = np.zeros((x.shape[0], w.shape[0], *out), x.dtype)
    per, own = w.shape[1], w.shape[0] // groups
    for o in range(w.shape[0]):
        channels = slice(o // own * per, (o // own + 1) * per)
        for place in np.ndindex(*out):
            part = [slice(i * s, i * s + k, g) for i, s, k, g in zip(place, strides, wide, gaps, strict=True)]
            window = x[(slice(None), channels, *part)]
            result[(slice(None), o, *place)] = (window * w[o]).sum(axis=tuple(range(1, x.ndim)))
    return result


SETTINGS = [
    ("valid", (1, 1), (1, 1), 1, True),
    ("full", (1, 1), (1, 1), 1, True),
    ("half", (1, 1), (1, 1), 1, True),
    (2, (1, 1), (1, 1), 1, False),
    ((1, 2), (1, 1), (1, 1), 1, True),
    (((1, 0), (0, 2)), (1, 1), (1, 1), 1, True),
    ("valid", (2, 3), (1, 1), 1, True),
    ("full", (3, 2), (1, 1), 1, False),
    ("valid", (1, 1), (2, 1), 1, True),
    ("half", (2, 1), (1, 3), 1, True),
    ("valid", (1, 1), (1, 1), 2, True),
    ("full", (2, 2), (2, 2), 4, False),
]


def settings_as(border: Any, strides: Any, gaps: Any, groups: int, flip: bool) -> dict[str, Any]:
    return {
        "border_mode": border,
        "subsample": strides,
        "filter_dilation": gaps,
        "num_groups": groups,
        "filter_flip": flip,
    }


@pytest.fixture(scope="module")
def compiled() -> Any:
    """Outputs and both gradients for all settings, in one function."""
    x, *ws = T.dtensor4s("x", "w1", "w2", "w4")
    outputs = []
    for s in SETTINGS:
        w = ws[{1: 0, 2: 1, 4: 2}[s[3]]]
        y = N.conv2d(x, w, **settings_as(*s))
        outputs += [y, *T.grad((y * T.cos(y)).sum(), [x, w])]
    return [x, *ws], outputs, eqsat.function([x, *ws], outputs)


def arrays(batch: int, h: int = 7, w: int = 8) -> list[Any]:
    x = rng.normal(size=(batch, 4, h, w))
    return [x, *(rng.normal(size=(4, 4 // groups, 3, 2)) for groups in (1, 2, 4))]


@pytest.mark.parametrize("batch", [3, 1, 0])
def test_forward_is_direct_summation_and_gradients_are_those_of_the_reference(
    compiled: Any, batch: int
) -> None:
    inputs, outputs, f = compiled
    values = arrays(batch)
    found = f(*values)
    meant = evaluate(outputs, dict(zip(inputs, values, strict=True)))
    for k, s in enumerate(SETTINGS):
        w = values[{1: 1, 2: 2, 4: 3}[s[3]]]
        np.testing.assert_allclose(found[3 * k], direct(values[0], w, *s), atol=1e-12, err_msg=str(s))
    for one, other in zip(found, meant, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


def test_operands_may_have_any_strides(compiled: Any) -> None:
    _, _, f = compiled
    values = arrays(2)
    turned = [np.asfortranarray(v)[:, :, ::-1] for v in values]
    for one, other in zip(f(*turned), f(*map(np.ascontiguousarray, turned)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_gradient_is_that_of_differences(setting: Any) -> None:
    x, w1, w2, w4 = arrays(1, 5, 4)
    w = {1: w1[:2], 2: w2, 4: w4}[setting[3]]
    verify_grad(lambda a, b: N.conv2d(a, b, **settings_as(*setting)), [x, w], n_tests=1)


@pytest.mark.parametrize("setting", [SETTINGS[k] for k in (0, 5, 9, 11)], ids=str)
def test_second_gradient_is_that_of_differences(setting: Any) -> None:
    x, w1, _, w4 = arrays(1, 5, 3)
    x, w = (x, w4) if setting[3] == 4 else (x[:, :2], w1[:2, :2])

    def first(a: Any, b: Any) -> Any:
        y = N.conv2d(a, b, **settings_as(*setting))
        grads = T.grad((y * T.cos(y)).sum(), [a, b])
        return T.concatenate([(g * T.cos(g)).flatten() for g in grads])

    verify_grad(first, [x, w], n_tests=1)


@pytest.mark.parametrize("mode", ["full", "valid"])
def test_one_and_two_dimensions_against_scipy(mode: str) -> None:
    x, w = rng.normal(size=(2, 1, 9)), rng.normal(size=(3, 1, 4))
    y = N.conv1d(x, w, border_mode=mode).eval(mode="reference")
    image, kernel = rng.normal(size=(5, 6)), rng.normal(size=(2, 3))
    z = T.signal.conv.conv2d(image, kernel, border_mode=mode).eval(mode="reference")
    for b, o in itertools.product(range(2), range(3)):
        np.testing.assert_allclose(y[b, o], np.convolve(x[b, 0], w[o, 0], mode), atol=1e-12)
    np.testing.assert_allclose(z, signal.convolve2d(image, kernel, mode), atol=1e-12)


def test_volumes_and_signals_in_c() -> None:
    x, w, s, k = (
        T.tensor("float64", (None,) * 5),
        T.tensor("float64", (None,) * 5),
        T.dtensor3(),
        T.dtensor3(),
    )
    volume = N.conv3d(x, w, border_mode=(1, 0, 2), subsample=(1, 2, 1), filter_dilation=(1, 1, 2))
    line = N.conv1d(s, k, border_mode="half", subsample=2)
    outputs = [volume, *T.grad((volume**2).sum(), [x, w]), line, *T.grad((line**2).sum(), [s, k])]
    shapes = [(2, 2, 3, 4, 5), (3, 2, 2, 2, 2), (2, 3, 8), (2, 3, 3)]
    values = [rng.normal(size=n) for n in shapes]
    found = eqsat.function([x, w, s, k], outputs)(*values)
    meant = evaluate(outputs, dict(zip([x, w, s, k], values, strict=True)))
    for one, other in zip(found, meant, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)
    wanted = direct(values[0], values[1], (1, 0, 2), (1, 2, 1), (1, 1, 2), 1, True)
    np.testing.assert_allclose(found[0], wanted, atol=1e-12)
    np.testing.assert_allclose(found[3], direct(*values[2:], "half", (2,), (1,), 1, True), atol=1e-12)


@pytest.mark.parametrize("stacks", list(itertools.product([0, 1], repeat=2)))
def test_images_without_channels(stacks: Any) -> None:
    image, kernel = rng.normal(size=(2, 4, 5)), rng.normal(size=(3, 2, 2))
    x, w = (v if keep else v[0] for v, keep in zip((image, kernel), stacks, strict=True))
    y = T.signal.conv.conv2d(x, w).eval(mode="reference")
    whole = [[signal.convolve2d(i, k, "valid") for k in kernel] for i in image]
    wanted = np.array(whole)[(slice(None) if stacks[0] else 0, slice(None) if stacks[1] else 0)]
    np.testing.assert_allclose(y, wanted, atol=1e-12)


def test_adjoints_are_the_gradients(seed_mode: str) -> None:
    x, w, dy = T.dtensor4s("x", "w", "dy")
    options: dict[str, Any] = {"border_mode": 1, "subsample": (2, 1)}
    y = N.conv2d(x, w, **options)
    wanted = T.grad((y * dy).sum(), [x, w])
    found = [
        N.abstract_conv.conv2d_grad_wrt_inputs(dy, w, x.shape, **options),
        N.abstract_conv.conv2d_grad_wrt_weights(x, dy, w.shape, **options),
        N.conv2d_transpose(dy, w, x.shape, border_mode=1, input_dilation=(2, 1)),
    ]
    values = [rng.normal(size=n) for n in [(2, 2, 5, 6), (3, 2, 3, 2), (2, 3, 3, 7)]]
    a, b, c, d, e = eqsat.function([x, w, dy], [*wanted, *found], mode=seed_mode)(*values)
    for one, other in ((c, a), (d, b), (e, a)):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_three_dimensional_adjoints() -> None:
    x, w = rng.normal(size=(1, 2, 3, 3, 3)), rng.normal(size=(2, 2, 2, 2, 2))
    dy = rng.normal(size=(1, 2, 2, 2, 2))
    dx = N.conv3d_grad_wrt_inputs(dy, w, x.shape).eval(mode="reference")
    dw = N.conv3d_grad_wrt_weights(x, dy, w.shape).eval(mode="reference")
    total = (direct(x, w, "valid", (1,) * 3, (1,) * 3, 1, True) * dy).sum()
    np.testing.assert_allclose([(dx * x).sum(), (dw * w).sum()], [total, total])


def test_separable_convolution_is_two_convolutions() -> None:
    x, depth, point = (rng.normal(size=n) for n in [(2, 3, 5, 5), (6, 1, 2, 2), (4, 6, 1, 1)])
    y = N.separable_conv2d(x, depth, point, 3).eval(mode="reference")
    middle = direct(x, depth, "valid", (1, 1), (1, 1), 3, True)
    np.testing.assert_allclose(y, np.einsum("bchw,oc->bohw", middle, point[:, :, 0, 0]), atol=1e-12)


def test_upsampling_interpolates() -> None:
    x = rng.normal(size=(1, 2, 3, 4))
    y = N.bilinear_upsampling(x, 2).eval(mode="reference")
    assert y.shape == (1, 2, 6, 8)
    np.testing.assert_allclose(y[:, :, ::2, ::2], x)
    np.testing.assert_allclose(y[:, :, ::2, 1:-1:2], (x[..., 1:] + x[..., :-1]) / 2)
    np.testing.assert_allclose(N.abstract_conv.bilinear_kernel_1D(2, False).eval(), [1, 2, 1])


def test_dtypes_and_static_lengths() -> None:
    x, w = T.tensor("float32", (8, 3, 9, None)), T.tensor("int8", (4, 3, 3, 3))
    y = N.conv2d(x, w, subsample=(2, 2))
    assert y.type.shape == (8, 4, 4, None) and y.dtype == "float32"
    known = N.conv2d(T.dtensor4(), T.dtensor4(), input_shape=(2, 1, 5, 5), filter_shape=(3, 1, 2, 2))
    assert known.type.shape == (2, 3, 4, 4)
    older = N.conv.conv2d(T.dtensor4(), T.dtensor4(), image_shape=(2, 1, 5, 5))
    assert older.type.shape == (2, None, None, None)
    assert N.abstract_conv.get_conv_output_shape((2, 1, 5, 5), (3, 1, 2, 2), "full", (1, 1)) == (2, 3, 6, 6)


x4, w4 = T.tensor("float64", (2, 3, 8, 8), "x4"), T.tensor("float64", (5, 3, 3, 3), "w4")
BAD: list[tuple[str, Callable[[], Any], type[EqsatError], str]] = [
    ("rank", lambda: N.conv2d(T.dmatrix("m"), w4), RankError, "conv2d: input m has 2 dimensions, not 4"),
    ("filters", lambda: N.conv3d(T.tensor("float64", (None,) * 5), w4), RankError, "conv3d: filters w4 has 4 dimensions, not 5"),
    ("channels", lambda: N.conv2d(x4, T.tensor("float64", (5, 2, 3, 3), "w")), ShapeError,
     "conv: 3 input channels, the filters take 2 in each of 1 groups\n  x4   f64[2, 3, 8, 8]"),
    ("groups", lambda: N.conv2d(x4, T.dtensor4("w"), num_groups=2), ShapeError,
     "conv: 3 input channels cannot be cut into 2 groups"),
    ("output", lambda: N.conv2d(x4, T.tensor("float64", (5, 1, 3, 3), "w"), num_groups=3), ShapeError,
     "conv: 5 output channels cannot be cut into 3 groups"),
    ("short", lambda: N.conv2d(x4, T.tensor("float64", (5, 3, 9, 3), "w")), ShapeError,
     "conv: the kernel covers 9 elements of spatial axis 0, the padded input has 8"),
    ("empty", lambda: N.conv2d(x4, T.tensor("float64", (5, 3, 0, 3), "w")), ShapeError,
     "conv: the kernel has length 0 on spatial axis 0"),
    ("mode", lambda: N.conv2d(x4, w4, border_mode="wide"), ArgumentError, "conv2d: unknown border mode 'wide'"),
    ("pad", lambda: N.conv2d(x4, w4, border_mode=(1, -1)), ArgumentError, "conv2d: unknown border mode (1, -1)"),
    ("stride", lambda: N.conv2d(x4, w4, subsample=(0, 1)), ArgumentError, "conv2d: subsample does not take (0, 1)"),
    ("dilation", lambda: N.conv2d(x4, w4, filter_dilation=1.5), ArgumentError,
     "conv2d: filter_dilation does not take 1.5"),
    ("no groups", lambda: N.conv2d(x4, w4, num_groups=0), ArgumentError, "conv2d: num_groups does not take 0"),
    ("unshared", lambda: N.conv2d(x4, w4, unshared=True), ArgumentError, "conv2d: filters that differ"),
    ("complex", lambda: N.conv2d(T.tensor("complex128", (2, 3, 8, 8), "z"), w4), DTypeError,
     "conv2d: input z is complex128"),
    ("shape", lambda: N.conv2d_transpose(x4, w4, 3), ArgumentError, "conv2d_grad_wrt_inputs: 3 is not a shape"),
    ("None", lambda: N.conv2d_transpose(x4, w4, (2, 3, None, 4)), ArgumentError,
     "conv2d_grad_wrt_inputs: the spatial lengths are needed"),
    ("adjoint", lambda: N.conv2d_grad_wrt_inputs(T.tensor("float64", (2, 5, 6, 7)), w4, (2, 3, 8, 8)), ShapeError,
     "conv: axis 3 of the output has length 7, not 6"),
    ("image", lambda: T.signal.conv.conv2d(x4, w4), RankError, "conv2d: input x4 has 4 dimensions"),
    ("op rank", lambda: T.nnet.convolution.conv_op.bind(border="valid", strides=(1,), dilation=(1,), groups=1,
     flip=True)(x4, w4), RankError, "conv: 1 spatial axes need operands of 3 dimensions, not 4 and 4"),
    ("op dtype", lambda: T.nnet.convolution.conv_op.bind(border="valid", strides=(1, 1), dilation=(1, 1), groups=1,
     flip=True)(x4, T.ftensor4("w")), DTypeError, "conv: the operands are float64 and float32"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, text", [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_mistakes_are_refused_when_the_graph_is_built(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)
    if error in (ShapeError, RankError):
        assert "made at test_convolution.py:" in str(caught.value)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_mistakes_that_show_at_run_time(mode: str) -> None:
    x, w, dy = T.dtensor4s("x", "w", "dy")
    n = T.lscalar("n")
    options: dict[str, Any] = {"mode": mode, "on_unused_input": "ignore"}
    f = eqsat.function([x, w], N.conv2d(x, w, num_groups=2), **options)
    g = eqsat.function([dy, w, n], N.conv2d_grad_wrt_inputs(dy, w, (n, n)), **options)
    shapes: list[tuple[Any, Any, str]] = [
        ((1, 3, 4, 4), (2, 1, 2, 2), "conv: 3 input channels, the filters take 1 in each of 2 groups"),
        ((1, 2, 4, 4), (3, 1, 2, 2), "conv: 3 output channels cannot be cut into 2 groups"),
        ((1, 2, 4, 4), (2, 1, 5, 2), "conv: the kernel covers 5 elements of spatial axis 0"),
        ((1, 2, 4, 4), (2, 1, 0, 2), "conv: the kernel has length 0 on spatial axis 0"),
    ]
    for a, b, text in shapes:
        with pytest.raises(ShapeError, match=text):
            f(np.ones(a), np.ones(b))
    with pytest.raises(ShapeError, match="conv: axis 2 of the output has length 3, not 4"):
        g(np.ones((1, 2, 3, 3)), np.ones((2, 1, 2, 2)), 5)


@pytest.mark.c
@pytest.mark.parametrize("turned", ["as they lie", "backwards", "channels first"])
@pytest.mark.parametrize("odd", [1.0, np.nan, np.inf])
def test_filters_are_packed_however_they_lie(turned: str, odd: float) -> None:
    """Squares of filters and elements are turned in registers; what is not finite is found in them."""
    x, w, d = (T.ftensor4(name) for name in "xwd")
    filters = {"as they lie": w, "backwards": w[:, :, ::-1, ::-1], "channels first": w.dimshuffle(1, 0, 2, 3)}
    y = T.nnet.conv2d(x, filters[turned], border_mode=1)
    outputs = [y, *T.grad((y * d).sum(), [x, w])]
    rng = np.random.default_rng(3)
    shape = (17, 34, 3, 3) if turned == "channels first" else (34, 17, 3, 3)
    values = [rng.normal(size=n).astype("float32") for n in ((3, 17, 6, 5), shape, (3, 34, 6, 5))]
    values[1][-1, -1, 2, 1] *= np.float32(odd)
    found, wanted = (eqsat.function([x, w, d], outputs, mode=mode)(*values) for mode in (None, "numpy"))
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)
