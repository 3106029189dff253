"""``eqsat.jit``: plain functions give what they give without it, and say where they cannot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, TracingError

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


def agree(a: Any, b: Any) -> None:
    assert type(a) is type(b) or np.ndim(a) == 0 and isinstance(a, (np.ndarray, np.generic)), (a, b)
    if isinstance(b, dict):
        assert list(a) == list(b)
        a, b = list(a.values()), list(b.values())
    if isinstance(b, (tuple, list)):
        assert len(a) == len(b)
        for c, d in zip(a, b, strict=True):
            agree(c, d)
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
        agree(made(*arguments), function(*arguments))
    assert len(made.functions) == 1


@pytest.mark.c
def test_lengths_are_not_told_apart_but_those_of_one() -> None:
    made = eqsat.jit(lambda x, y: x + y.sum(0))
    for shape in ((3, 4), (7, 2), (0, 5)):
        agree(made(np.ones(shape), np.ones(shape)), np.ones(shape) + np.ones(shape).sum(0))
    assert len(made.functions) == 1
    agree(made(np.ones((3, 1)), np.ones((3, 4))), np.full((3, 4), 4.0))
    made(np.ones((3, 4), "f4"), np.ones((3, 4)))
    assert len(made.functions) == 3


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
    agree(x, z)
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
        agree(m.step(X), X @ w)
        assert m.steps == k + 1 and type(m.steps) is int
    agree(m.w, w)


@pytest.mark.c
def test_static_arguments_are_python_values() -> None:
    @eqsat.jit(static_argnames=("n", "axis"))
    def program(x: Any, n: int, axis: int = 0) -> Any:
        for _ in range(n):
            x = x + x.sum(axis=axis, keepdims=True)
        return x

    agree(program(X, 2), program.fn(X, 2))
    agree(program(X, n=2, axis=1), program.fn(X, 2, 1))
    assert len(program.functions) == 2
    with pytest.raises(ArgumentError, match="no hash"):
        program(X, [1])
    with pytest.raises(ArgumentError, match="which is no argument"):
        eqsat.jit(lambda x: x, static_argnames="y")
    agree(eqsat.jit(lambda x, n: np.sum(x, axis=n), static_argnums=1)(X, 1), X.sum(1))


@pytest.mark.c
def test_static_shapes_let_python_count() -> None:
    @eqsat.jit(static_shapes=True)
    def program(x: Any) -> Any:
        return sum(x[k] * k for k in range(len(x))) + len(list(x))

    agree(program(X), program.fn(X))
    agree(program(X[:3]), program.fn(X[:3]))
    assert len(program.functions) == 2


@pytest.mark.c
def test_functions_of_eqsat_take_traced_arrays() -> None:
    def program(x: Any) -> Any:
        steps, _ = eqsat.scan(lambda row, total: total + np.exp(row), [x], [T.zeros_like(x[0])])
        return T.switch(x > 0, x, 0 * x), steps[-1]

    a, b = eqsat.jit(program)(X)
    agree(a, np.where(X > 0, X, 0 * X))
    agree(b, np.exp(X).sum(0))


@pytest.mark.c
def test_value_and_grad() -> None:
    def loss(p: Any, x: Any) -> Any:
        h = np.tanh(x @ p["w"] + p["b"])
        return np.mean(h**2)

    p = {"w": WEIGHTS, "b": 0.5}
    value, slope = eqsat.value_and_grad(loss)(p, X)
    agree(value, loss(p, X))
    h = np.tanh(X @ WEIGHTS + 0.5)
    inner = 2 * h * (1 - h**2) / len(X)
    agree(slope, {"w": X.T @ inner, "b": inner.sum()})

    @eqsat.jit
    def step(p: Any, x: Any) -> Any:
        (value, size), slope = eqsat.value_and_grad(lambda p, x: (loss(p, x), len(x)), has_aux=True)(p, x)
        return {k: p[k] - 0.1 * slope[k] for k in p}, value, size

    new, value, size = step(p, X)
    assert size == 5
    agree(new["w"], WEIGHTS - 0.1 * slope["w"])
    two = eqsat.value_and_grad(lambda a, b: np.sum(a * a * b), argnums=(0, 1))(V, V)[1]
    agree(two, (2 * V * V, V * V))
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
    "unseeded": (lambda x: np.random.default_rng().normal() + x, "test_jit.py:.*default_rng"),
    "closed array": (lambda x: WEIGHTS.__setitem__(0, x[0]), "test_jit.py:.*traced values are written into an array"),
    "unknown name": (lambda x: x.foo, "foo"),
    "unknown function": (lambda x: np.trim_zeros(x), "np.trim_zeros does not take tensor variables"),
    "maybe a view": (lambda x: np.squeeze(x * 2, ()).__setitem__(0, 1) or np.expand_dims(x, 0).__iadd__(1), "NumPy would write into the array"),
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
    with pytest.raises(ArgumentError, match="of the class set, whose parts"):
        eqsat.jit(lambda x: {1, 2})(V)


@pytest.mark.c
def test_dataclasses_go_in_and_out() -> None:
    made = eqsat.jit(lambda layer, x: Layer(layer.w * 2, x @ layer.w, layer.name))
    found = made(Layer(WEIGHTS, 1.0), X)
    assert isinstance(found, Layer) and found.name == "layer"
    agree(found.b, X @ WEIGHTS)
