"""``eqsat.jit``: plain functions give what they give without it, and say where they cannot."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from random import gauss
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, AssertError, TracingError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 4))
V = RNG.normal(size=6)
WEIGHTS = np.arange(4.0)


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclass(frozen=True)
class Layer:
    w: Any
    b: Any
    name: str = "layer"


def helper(x: Any) -> Any:
    return np.zeros(len(x)) + x


def writes_through_views(x: Any) -> Any:
    y = np.zeros((len(x), 2))
    part = y[:, 1]
    part[:] = x
    part[0] += 10
    whole = y.T
    whole[0, 1:] = -1
    flat = y.reshape(-1)
    flat[0] = 5
    z = part.copy()
    z[:] = 0
    return y, part, z


def adds_at(x: Any) -> Any:
    y = np.zeros(3)
    np.add.at(y, np.array([0, 2, 2]), x[:3])
    return y


def swaps(x: Any) -> Any:
    a = x.copy()
    a[0], a[1] = a[1], a[0]
    b = a
    b += 1
    return a


def by_masks(x: Any) -> Any:
    y = x.copy()
    y[y > 0] = 0
    y[[0, 2]] *= 3
    return y


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "row softmax": (
        lambda x: np.exp(x - x.max(axis=1, keepdims=True)) / np.exp(x).sum(1, keepdims=True),
        (X,),
    ),
    "lengths": (lambda x: (len(x), x.shape, x.size, x.ndim, x.shape[0] // 2 * 1.5), (X,)),
    "shape of two": (lambda x: np.ones(x.shape) * x.shape[0] + np.zeros((x.shape[1],)), (X,)),
    "unpacked": (lambda x: [n * np.eye(n) for n in [x.shape[1]]], (X,)),
    "numbers": (lambda x, lr: x.astype("f4") * lr + 1, (X, 0.1)),
    "only numbers": (lambda a, b: (a + b, a / b, a // b, -a, a * 2.0, a > b, abs(a), max(a, b)), (3, 4)),
    "numbers and integers": (lambda x, k: (x * k, x / k, x**2, k**x), (np.arange(3), 2)),
    "numpy's numbers": (lambda x, k: (x * k, np.float64(2) * x), (X.astype("f4"), np.float64(2))),
    "unchanged": (lambda x, y: (x, y, 3, None, "a"), (X, 2)),
    "containers": (lambda p, q: {"a": [p["w"] + q[0], (q[1],)], "b": None}, ({"w": X}, [1.0, X])),
    "named tuples": (lambda p: Pair(p.b, p.a * 2), (Pair(X, V),)),
    "options": (lambda x, how=None, k=2: x.sum() * k if how == "sum" else x, (X, "sum")),
    "closure": (lambda x: x + WEIGHTS, (X,)),
    "helper": (lambda x: helper(x) * 2, (V,)),
    "views": (writes_through_views, (V,)),
    "add.at": (adds_at, (V,)),
    "swap": (swaps, (V,)),
    "masks": (by_masks, (V,)),
    "math": (lambda x: x.astype("f4") / math.sqrt(x.shape[0]) + math.floor(len(x) / 2), (V,)),
    "array of numbers": (lambda t: np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]), (0.3,)),
    "r_ and c_": (lambda x: (np.r_[0.0, x, 1.0], np.c_[x, x]), (V,)),
    "builtins": (lambda x: (sum([x, x]), max(x[0], x[1]), min(x), sum(x)), (V,)),
    "joined lengths": (lambda x: np.zeros(x.shape[:1] + (2,)), (X,)),
    "rows of known number": (lambda x: [row.sum() for row in x.reshape(2, -1)], (V,)),
    "method chain": (lambda x: x.T.reshape(-1).astype("f4").clip(-1, 1).round(1).cumsum().std(), (X,)),
    "in place": (lambda x: (y := x * 1, y.sort(), y.fill(2) if False else None, y)[-1], (V,)),
    "out": (lambda x: np.add(x, 1, out=np.zeros(len(x))), (V,)),
    "where": (lambda x: np.add(x, 1, out=np.zeros_like(x), where=x > 0), (V,)),
    "broadcast of one": (lambda x, y: x + y, (X, X[:1])),
}


def assert_agree(a: Any, b: Any) -> None:
    assert type(a) is type(b) or np.ndim(a) == 0 and isinstance(a, (np.ndarray, np.generic)), (a, b)
    if isinstance(b, dict):
        assert list(a) == list(b)
        a, b = list(a.values()), list(b.values())
    if isinstance(b, (tuple, list)):
        assert len(a) == len(b)
        for c, d in zip(a, b, strict=True):
            assert_agree(c, d)
    elif isinstance(b, (np.ndarray, np.generic)):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(
            np.asarray(a), np.asarray(b), rtol=1e-5 if a.dtype == np.float32 else 1e-12, atol=1e-7
        )
    else:
        assert a == b


@pytest.mark.c
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.sampled(10)
def test_a_program_gives_what_it_gives_plain(name: str) -> None:
    function, arguments = PROGRAMS[name]
    made = eqsat.jit(function)
    for _ in range(2):
        assert_agree(made(*arguments), function(*arguments))
    assert len(made.functions) == 1


@pytest.mark.c
def test_lengths_are_not_told_apart_but_those_of_none_and_one() -> None:
    made = eqsat.jit(lambda x, y: x + y.sum(0))
    for shape in ((3, 4), (7, 2), (2, 5)):
        assert_agree(made(np.ones(shape), np.ones(shape)), np.ones(shape) + np.ones(shape).sum(0))
    assert len(made.functions) == 1
    assert_agree(made(np.ones((0, 5)), np.ones((0, 5))), np.ones((0, 5)))
    assert_agree(made(np.ones((3, 1)), np.ones((3, 4))), np.full((3, 4), 4.0))
    made(np.ones((3, 4), "f4"), np.ones((3, 4)))
    assert len(made.functions) == 4


@pytest.mark.c
def test_arguments_are_written_where_the_function_writes_them() -> None:
    def program(x: Any, y: Any) -> Any:
        x[1:] = y[:-1]
        x -= 1
        return x

    made = eqsat.jit(program)
    x, z = np.zeros(6), np.zeros(6)
    assert made(x, V) is x
    program(z, V)
    assert_agree(x, z)
    with pytest.raises(ArgumentError, match="shares its memory"):
        made(x, x)


@pytest.mark.c
def test_methods_read_and_set_attributes() -> None:
    class Model:
        def __init__(self) -> None:
            self.w, self.steps, self.kind = np.ones(4), 0, "plain"

        @eqsat.jit
        def step(self, x: Any, lr: float = 0.5) -> Any:
            self.w = self.w - lr * x.mean(axis=0)
            self.steps += 1
            return x @ self.w

    m = Model()
    w = np.ones(4)
    for k in range(3):
        w = w - 0.5 * X.mean(axis=0)
        assert_agree(m.step(X), X @ w)
        assert m.steps == k + 1 and type(m.steps) is int
    assert_agree(m.w, w)


@pytest.mark.c
def test_static_arguments_are_python_values() -> None:
    @eqsat.jit(static_argnames=("n", "axis"))
    def program(x: Any, n: int, axis: int = 0) -> Any:
        for _ in range(n):
            x = x + x.sum(axis=axis, keepdims=True)
        return x

    assert_agree(program(X, 2), program.fn(X, 2))
    assert_agree(program(X, n=2, axis=1), program.fn(X, 2, 1))
    assert len(program.functions) == 2
    with pytest.raises(ArgumentError, match="no hash"):
        program(X, [1])
    with pytest.raises(ArgumentError, match="which is no argument"):
        eqsat.jit(lambda x: x, static_argnames="y")
    assert_agree(eqsat.jit(lambda x, n: np.sum(x, axis=n), static_argnums=1)(X, 1), X.sum(1))
    assert_agree(eqsat.jit(lambda x, shape: x.reshape(shape), static_argnums=1)(V, (2, 3)), V.reshape(2, 3))


def test_a_function_that_is_given_is_traced_and_given_back() -> None:
    assert_agree(eqsat.jit(lambda fn, x: (fn(x), fn), mode="reference")(helper, V), (helper(V), helper))


@pytest.mark.parametrize(
    ("program", "value"),
    [
        (lambda x: (np.rint(x), np.float_power(x, -2)), np.arange(1, 4, dtype="int32")),
        (lambda x: (np.square(x), np.add(x, x)), V > 0),
        (lambda x: np.vander(x, 3), V.astype("f4")),
        (lambda x: (np.logaddexp.reduce(x), np.isscalar(x), np.isscalar(x[0, 0])), X),
        (lambda x: (np.angle(x + 1j), np.angle(x, deg=True), np.angle(x.astype("c8"), True)), X),
        (lambda x: np.linalg.slogdet(x[:4]).logabsdet + np.linalg.qr(x).R + np.linalg.eigh(x.T @ x).eigenvalues, X),
        (lambda x: np.linalg.lstsq(x, x[:, 0], rcond=None)[:2], X),
        (lambda x: np.cov(x[:1], rowvar=False, ddof=0), X),
    ],
)  # fmt: skip
def test_results_have_the_dtypes_shapes_and_names_of_numpy(program: Callable[..., Any], value: Any) -> None:
    assert_agree(eqsat.jit(program, mode="reference")(value), program(value))


@pytest.mark.c
def test_static_shapes_let_python_count() -> None:
    @eqsat.jit(static_shapes=True)
    def program(x: Any) -> Any:
        return sum(x[k] * k for k in range(len(x))) + len(list(x))

    assert_agree(program(X), program.fn(X))
    assert_agree(program(X[:3]), program.fn(X[:3]))
    assert len(program.functions) == 2


@pytest.mark.c
def test_functions_of_eqsat_take_traced_arrays() -> None:
    def program(x: Any) -> Any:
        steps, _ = eqsat.scan(lambda row, total: total + np.exp(row), [x], [T.zeros_like(x[0])])
        return T.switch(x > 0, x, 0 * x), steps[-1]

    a, b = eqsat.jit(program)(X)
    assert_agree(a, np.where(X > 0, X, 0 * X))
    assert_agree(b, np.exp(X).sum(0))


@pytest.mark.c
def test_value_and_grad() -> None:
    def loss(p: Any, x: Any) -> Any:
        h = np.tanh(x @ p["w"] + p["b"])
        return np.mean(h**2)

    p = {"w": WEIGHTS, "b": 0.5}
    value, slope = eqsat.value_and_grad(loss)(p, X)
    assert_agree(value, loss(p, X))
    h = np.tanh(X @ WEIGHTS + 0.5)
    inner = 2 * h * (1 - h**2) / len(X)
    assert_agree(slope, {"w": X.T @ inner, "b": inner.sum()})

    @eqsat.jit
    def step(p: Any, x: Any) -> Any:
        (value, size), slope = eqsat.value_and_grad(lambda p, x: (loss(p, x), len(x)), has_aux=True)(p, x)
        return {k: p[k] - 0.1 * slope[k] for k in p}, value, size

    new, value, size = step(p, X)
    assert size == 5
    assert_agree(new["w"], WEIGHTS - 0.1 * slope["w"])
    two = eqsat.value_and_grad(lambda a, b: np.sum(a * a * b), argnums=(0, 1))(V, V)[1]
    assert_agree(two, (2 * V * V, V * V))
    for place in (5, "x"):
        with pytest.raises(ArgumentError, match="the place of no argument\n  needs  a number below 1"):
            eqsat.value_and_grad(lambda x: x.sum(), argnums=place)(V)
    with pytest.raises(ArgumentError, match="not a single number"):
        eqsat.value_and_grad(lambda x: x)(V)
    with pytest.raises(ArgumentError, match="no floating"):
        eqsat.value_and_grad(lambda x: x.sum())(np.arange(3))


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "if": (lambda x: 1 if x.sum() > 0 else 2, "test_jit.py:.*`if`.*\n.*\n.*np.where"),
    "float": (lambda x: float(x[0]), r"test_jit.py:.*float\(...\) of a traced value"),
    "print": (lambda x: print(x), r"test_jit.py:.*print\(...\)"),
    "text": (lambda x: f"{x[0]:.3f}", r"test_jit.py:.*print\(...\) or text"),
    "loop": (lambda x: list(x), "test_jit.py:.*the length of an axis is not known"),
    "range": (lambda x: list(range(len(x))), "test_jit.py:.*a whole number of Python"),
    "draws": (lambda x: np.random.normal(size=3) + x, "test_jit.py:.*np.random.normal"),
    "drawn by a name": (lambda x: gauss(0, 1) + x, "test_jit.py:.*Random.gauss"),
    "traced seed": (lambda x: np.random.default_rng(x.shape[0]).normal() + x, "test_jit.py:.*default_rng without a seed that is known"),
    "in NumPy": (lambda x: np.vectorize(lambda v: v)(x), "test_jit.py:.*calls f in Python for each element"),
    "unseeded": (lambda x: np.random.default_rng().normal() + x, "test_jit.py:.*default_rng"),
    "closed array": (lambda x: WEIGHTS.__setitem__(0, x[0]), "test_jit.py:.*traced values are written into an array"),
    "unknown name": (lambda x: x.foo, "foo"),
    "memory": (lambda x: x.view("i8"), r"test_jit.py:.*x.view\(i8\): a traced array has elements, and no bits"),
    "bytes": (lambda x: x.tobytes(), "x.tobytes: a traced array has elements, and no memory"),
    "shape that is set": (lambda x: setattr(x * 1, "shape", (2, 3)), r"test_jit.py:.*x.shape = ...*\n.*\n.*reshape"),
    "unknown function": (lambda x: np.trim_zeros(x), "np.trim_zeros does not take tensor variables"),
    "read-only": (lambda x: np.broadcast_to(x, (2, len(x))).__setitem__(0, 1), "a view of another one that is only read"),
    "maybe a view": (lambda x: np.ones((4, 4))[:, : x[0].astype(int)].reshape(-1).__setitem__(0, 1), "a copy or a view"),
    "root into integers": (lambda x: np.sqrt(x, out=np.zeros_like(x, int)), r"np.sqrt\(..., out=\): float64 does not go into an array of int64"),
    "limits into integers": (lambda x: np.clip(x.astype(int), 0.5, 2, out=np.zeros_like(x, int)), "float64 does not go into an array of int64"),
    "copied into integers": (lambda x: np.copyto(np.zeros_like(x, int), 7.0, where=x > 1), "np.copyto: float64 does not go into an array of int64"),
    "into integers": (lambda x: np.zeros_like(x, dtype=int).__iadd__(x), "float64 does not go into an array of int64"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_the_line_and_the_way_out(name: str) -> None:
    function, text = REFUSED[name]
    with pytest.raises((ArgumentError, TracingError, AttributeError), match=text):
        eqsat.jit(function)(V)


def test_an_argument_that_is_no_array_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"p\['a'\] is of the class object"):
        eqsat.jit(lambda p: 1)({"a": object()})
    with pytest.raises(ArgumentError, match=r"no hash\n.*slice\(start, stop\)"):
        eqsat.jit(lambda x, s: x[s])(V, slice(None, [2]))
    with pytest.raises(TracingError, match=r"Generator.normal: a traced function would draw once"):
        eqsat.jit(lambda x, rng: x + rng.normal(), static_argnames="rng")(V, np.random.default_rng(0))
    with pytest.raises(ArgumentError, match=r"of the class matrix, which computes.*\n.*\n.*np.asarray\(x\)"):
        eqsat.jit(lambda x: x * x)(X.view(type("matrix", (np.ndarray,), {"__mul__": np.ndarray.__matmul__})))
    with pytest.raises(ArgumentError, match="of the class set, whose parts"):
        eqsat.jit(lambda x: {1, 2})(V)


@pytest.mark.c
def test_dataclasses_go_in_and_out() -> None:
    made = eqsat.jit(lambda layer, x: Layer(layer.w * 2, x @ layer.w, layer.name))
    found = made(Layer(WEIGHTS, 1.0), X)
    assert isinstance(found, Layer) and found.name == "layer"
    assert_agree(found.b, X @ WEIGHTS)


def assigned(x: Any, n: Any) -> Any:
    x = x.copy()
    x[0] = n
    return x


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "int64", "float32"])
@pytest.mark.parametrize("n", [3, -1, 300])
@pytest.mark.parametrize(
    "fn",
    [
        lambda x, n: x + n,
        lambda x, n: (x < n, x == n, np.greater(x, n)),
        lambda x, n: np.minimum(x, n),
        lambda x, n: np.where(x > 1, x, n),
        lambda x, n: (x.max(initial=n), np.minimum.reduce(x, initial=n)),
        lambda x, n: (x.sum(initial=n), np.prod(x, where=x > 2, initial=n)),
        lambda x, n: np.max(x, where=x < 9, initial=n),
        lambda x, n: np.clip(x, n, 400),
        lambda x, n: np.clip(x, -400, n),
        assigned,
    ],
)
def test_whole_numbers_take_the_dtype_of_arrays_or_are_refused_as_numpy_does(
    fn: Any, n: int, dtype: str
) -> None:
    x = np.array([1, 2, 100], dtype)
    for known in (False, True):
        given = (lambda x: fn(x, n)) if known else fn
        jitted, operands = eqsat.jit(given, mode="reference"), (x,) if known else (x, n)
        try:
            wanted = given(*operands)
        except OverflowError:
            with pytest.raises((AssertError, TracingError), match=r"out of bounds for u?int"):
                jitted(*operands)
        else:
            for found, value in zip(np.atleast_2d(jitted(*operands)), np.atleast_2d(wanted), strict=True):
                assert found.dtype == value.dtype
                np.testing.assert_array_equal(found, value)


@eqsat.jit
def doubled(x: Any) -> Any:
    return 2 * x


def test_copies_of_a_jitted_function_are_the_function_and_pickles_find_it_again() -> None:
    assert copy.deepcopy(doubled) is doubled is copy.copy(doubled)
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    other = pickle.loads(pickle.dumps(eqsat.jit(helper, static_argnames=["x"], mode="numpy")))
    assert other.options == {"mode": "numpy"} and other._static == {"x"}


A = np.arange(12.0).reshape(4, 3) + 1
SMALL = np.array([100, 50, 3], np.int8)
Z = np.array([1 + 2j, 3 - 1j])


def first_row_everywhere(x: Any) -> Any:
    y = np.zeros((4, 3))
    y[:] = x[:1]
    y[1:3] += x[-1:]
    return y


def first_column_to_others(x: Any) -> Any:
    x[:, 1:] = x[:, :1]
    return x


def difference_of_pairs(x: Any) -> Any:
    column = x[:, 0:1]
    return column.T - column


def first_part(x: Any) -> Any:
    first, _ = np.split(x, [1], axis=1)
    return first * x, (x[:1] + x).shape


@pytest.mark.parametrize(
    "program",
    [
        first_row_everywhere,
        first_column_to_others,
        difference_of_pairs,
        first_part,
        lambda x: np.ones((4, 3)) * x[:1],
        lambda x: (x - x) + x[2:3],
        lambda x: np.where(np.ones((4, 3), bool), x[:1], 0),
        lambda x: x - x[-1:] * x[:, :1],
        lambda x: np.broadcast_to(x[:1], (4, 3)) + np.full((4, 3), x[1:2]),
        lambda x: np.einsum("ij,ij", x[:1], x),
        lambda x: np.diff(x[:2], axis=0) * x,
        lambda x: x.sum(axis=1).reshape(-1, 1) * x,
    ],
)
def test_axes_of_length_one_that_only_a_call_has_broadcast(program: Any) -> None:
    assert_agree(eqsat.jit(program, mode="reference")(A.copy()), program(A.copy()))


def test_a_part_of_length_one_of_no_rows_and_of_one() -> None:
    made = eqsat.jit(lambda x: x - x[:1])
    for rows in (4, 0, 1, 2):
        assert_agree(made(A[:rows]), A[:rows] - A[:1] if rows else A[:0])
    assert len(made.functions) == 3


def writes_real_parts(x: Any) -> Any:
    x.real[0] = 4
    return x


def writes_imaginary_parts(x: Any) -> Any:
    x.imag[1:] = 7
    return x


def sets_attributes(x: Any) -> Any:
    z = x * 1j
    z.real = x
    z.imag += 1
    y = x.copy()
    y.flat = 2
    return z, y


def partitioned(x: Any) -> Any:
    x = x.copy()
    x.partition(2)
    np.putmask(x, x < 1, -9)
    return x


@pytest.mark.parametrize(
    ("program", "x"),
    [
        (lambda x: np.add(x, x, dtype=np.int32), SMALL),
        (lambda x: np.exp(x, dtype=np.float64), V.astype("f4")),
        (lambda x: np.select([x > 60, x > 20], [100, 50]) * 3, SMALL),
        (lambda x: np.select([x > 60], [0.5]), SMALL),
        (lambda x: np.select([x > 60, x > 2], [x, 1]), SMALL),
        (lambda x: np.choose((x > 60).astype(int), [100, 120]) * 2, SMALL),
        (lambda x: (x / 255, x / x.max(), 1 / x, np.divide(x, 3)), SMALL),
        (lambda x: np.cumsum(x, dtype=float), SMALL),
        (lambda x: x.var(dtype=np.float64), V.astype("f4")),
        (lambda x: x.compress(x > 0), V),
        (lambda x: np.split(x, 2)[1], V),
        (lambda x: (np.append(x, 1) * 1000, np.hstack([x, 0.5]), np.stack([x[0], 1])), SMALL),
        (lambda x: (np.r_[x, 1], np.r_[0.5, x.astype("f4")]), SMALL),
        (writes_real_parts, V),
        (writes_real_parts, Z),
        (writes_imaginary_parts, Z),
        (partitioned, V),
        (sets_attributes, V),
        (lambda x: (x[: round(len(x) * 0.6)], np.zeros(round(len(x) / 4))), V),
    ],
)
def test_numpys_dtypes_and_parts(program: Any, x: Any) -> None:
    found, wanted = eqsat.jit(program, mode="reference")(x.copy()), program(x.copy())
    assert_agree(found, wanted)
    many = isinstance(wanted, tuple)
    assert [v.dtype for v in (found if many else [found])] == [
        v.dtype for v in (wanted if many else [wanted])
    ]


@pytest.mark.parametrize("decimals", [1, 2, 5, -1, -2])
def test_rounding_to_decimals_has_numpys_bits(decimals: int) -> None:
    """A quotient by ten is no product with a tenth, which would make 0.3 of it 0.30000000000000004."""
    rounded = eqsat.jit(lambda x: np.round(x, decimals))
    for dtype in ("float64", "float32", "int64"):
        x = (np.random.default_rng(0).normal(size=2000) * 100).astype(dtype)
        np.testing.assert_array_equal(rounded(x), np.round(x, decimals), strict=True)


def test_what_numpy_refuses_or_only_numpy_has_is_refused() -> None:
    with pytest.raises(AssertError, match="equal division"):
        eqsat.jit(lambda x: np.split(x, 4))(V)
    for program in (lambda x: np.emath.sqrt(x), lambda x: np.polyfit(x, x, 2)):
        with pytest.raises(TracingError, match=r"test_jit.py:\d+: np\..* does not take tensor variables"):
            eqsat.jit(program)(V)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: eqsat.jit(abs, static_argname="x"), "static_argnames"),
        (lambda: eqsat.jit(static_shape=True), "static_shapes"),
        (lambda: eqsat.jit(abs, rulse="exact"), "rules"),
        (lambda: eqsat.value_and_grad(abs, argnum=1), "argnums"),
    ],
)
def test_an_option_that_there_is_not_is_refused_at_once(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=rf"unexpected keyword argument[\s\S]*try +{said}"):
        make()


@pytest.mark.parametrize(("dtype", "way"), [("float16", "float32"), ("longdouble", "float64")])
def test_floats_that_no_tensor_holds_are_refused_with_the_way_out(dtype: str, way: str) -> None:
    with pytest.raises(ArgumentError, match=rf"needs  one of bool, .*float64[\s\S]*x\.astype\('{way}'\)"):
        eqsat.jit(lambda x: x + 1)(np.zeros(2, dtype))
