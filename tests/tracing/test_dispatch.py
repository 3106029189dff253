"""The C that finds the compiled function of a call: what it takes, what it leaves to Python, and what a call costs."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen.runtime import layout
from eqsat.errors import DTypeError, ShapeError

pytestmark = pytest.mark.c
X = np.arange(6.0)


class Pair(NamedTuple):
    a: Any
    b: Any


def counted(function: Any, **options: Any) -> tuple[Any, list[int]]:
    """A jitted function, and how many calls went through Python."""
    made, slow = eqsat.jit(function, **options), [0]
    called = made._called

    def count(args: Any, keywords: Any) -> Any:
        slow[0] += 1
        return called(args, keywords)

    made._called = count
    return made, slow


CALLS: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {
    "array": (lambda x: x + 1, (X,), {}),
    "numbers": (lambda x, a, b: (x * a, a + b, a > b, b), (X, 2, 0.5), {}),
    "keywords": (lambda x, *, b, a=1: x * a - b, (X,), {"b": 2.0, "a": X}),
    "names in another order": (lambda x, a, b: x * a - b, (X,), {"b": 2.0, "a": X}),
    "options": (lambda x, how, n=None: x if n is None else x + len(how), (X, "abc"), {"n": (True, None)}),
    "containers": (lambda p: {"s": [p["x"][0] + p["y"], ()], "t": (p["y"],)}, ({"x": [X], "y": 3},), {}),
    "named": (lambda p: Pair(p.b, (p.a, 7)), (Pair(X, 1.0),), {}),
    "given back": (lambda x, n: (x, n, x * n), (X, 3), {}),
    "strides": (lambda x: x * 2, (X[::-2],), {}),
    "any number": (lambda *xs: sum(xs), (X, X, X), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_second_call_is_answered_by_c(name: str) -> None:
    function, args, keywords = CALLS[name]
    made, slow = counted(function)
    first, second = made(*args, **keywords), made(*args, **keywords)
    plain = function(*args, **keywords)
    assert slow == [1 if layout.table() is not None else 2]
    assert str(first) == str(second) == str(plain)
    assert type(second) is type(plain)


def test_other_arguments_are_not_taken() -> None:
    made, slow = counted(lambda x, n=1: x * n)
    others = [X.astype("f4"), X[:1], X.reshape(2, 3), X.astype(">f8"), X.astype(int)]
    for _ in range(2):
        for x in (X, *others):
            got = made(x, 2)
            assert (got.shape, got.dtype) == (x.shape, (x * 2).dtype) and (got == x * 2).all()
    assert slow[0] == 7  # those of another byte order go through Python again
    assert made(X, 2.5)[1] == 2.5 and made(X, True)[1] == 1 and made(X, np.float64(3))[1] == 3
    assert made(X, n=3)[1] == 3 and type(made(2, 3)) is int
    with pytest.raises(DTypeError, match="got int 1180591620717411303424"):
        made(X, 2**70)


def test_wrong_arguments_are_errors_as_of_the_function() -> None:
    made = eqsat.jit(lambda x, y: x + y)
    made(X, X)
    with pytest.raises(ShapeError):
        made(X, X[:4])
    with pytest.raises(TypeError, match="missing a required argument"):
        made(X)
    with pytest.raises(TypeError, match="unexpected keyword"):
        made(X, X, z=1)


def test_a_jitted_function_is_let_go() -> None:
    made = eqsat.jit(lambda x: x + 1)
    made(X)
    made(X)
    known = weakref.ref(made)
    del made
    gc.collect()
    assert known() is None


def test_threads_call_with_numbers_of_their_own() -> None:
    made = eqsat.jit(lambda x, n: (x * n).sum())
    big = np.ones(100_000)
    failed: list[int] = []
    made(big, 1)

    def work(n: int) -> None:
        failed.extend(k for k in range(50) if made(big, n + k) != 100_000 * (n + k))

    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 1000, 100000)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failed == []


def test_without_the_layout_calls_go_through_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "table", lambda: None)
    made, slow = counted(lambda x: x + 1)
    assert made(X)[1] == made(X)[1] == 2 and slow == [2]


@pytest.mark.skipif(layout.table() is None, reason="no fast way in")
def test_a_call_costs_no_more_than_that_of_a_function() -> None:
    x = T.dvector("x")
    plain, made = eqsat.function([x], x + 1), eqsat.jit(lambda x: x + 1)

    def seconds(f: Any) -> float:
        f(X)
        start = time.perf_counter()
        for _ in range(2000):
            f(X)
        return (time.perf_counter() - start) / 2000

    pairs = [(seconds(plain), seconds(made)) for _ in range(9)]
    assert min(b for _, b in pairs) <= min(a for a, _ in pairs) + 0.4e-6
