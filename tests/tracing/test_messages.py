"""Errors of jitted functions speak in the user's names, and of the user's lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.errors import ArgumentError, ShapeError, TracingError


def added(a: Any, b: Any) -> Any:
    exponent = a * 2
    return np.exp(exponent) + b


KEPT: list[Any] = []


@eqsat.jit
def keeps(a: Any) -> Any:
    KEPT[:] = [np.exp(a)]
    return a


def line_of(offset: int) -> str:
    return f"test_messages.py:{added.__code__.co_firstlineno + offset}"


@pytest.mark.parametrize("mode", ["reference", "FAST_COMPILE", "FAST_RUN"])
def test_lengths_that_do_not_fit_name_the_arguments_and_the_line_of_the_op(mode: str) -> None:
    f = eqsat.jit(added, mode=mode)
    with pytest.raises(
        ShapeError, match=r"^add: axis 0 has the lengths 3 in .*a.* and 4 in b at run time"
    ) as raised:
        f(np.ones(3), np.ones(4))
    rows = [line.split(maxsplit=1) for line in str(raised.value).splitlines()[1:]]
    assert ["b", f"f64[?]   made at {line_of(0)}"] in rows
    assert ["in", f"exp(a * 2) + b   written at {line_of(2)}"] in rows


USES: dict[str, Any] = {
    "in another function": lambda kept: eqsat.jit(lambda x: x + kept)(np.ones(3)),
    "as the result of another function": lambda kept: eqsat.jit(lambda x: kept)(np.ones(3)),
    "in a later trace of the same function": lambda kept: eqsat.jit(lambda x: keeps(x) + kept)(
        np.ones(3, "float32")
    ),
    "as an argument": lambda kept: eqsat.jit(lambda x: x + 1)(kept),
    "as a number": lambda kept: float(kept.sum()),
    "as text": lambda kept: str(kept),
    "as an array": lambda kept: np.asarray(kept),
}


@pytest.mark.parametrize("use", USES)
def test_a_traced_value_that_left_its_function_says_so(use: str) -> None:
    eqsat.jit(keeps.fn)(np.ones(3))
    with pytest.raises(
        TracingError, match=r"a value that was traced has left its function, and is used where"
    ) as raised:
        USES[use](KEPT[0])
    assert raised.value.hint is not None and raised.value.hint.startswith("return it from the function")


def test_a_function_traced_in_another_one_uses_its_values() -> None:
    outer = eqsat.jit(lambda a: eqsat.jit(lambda b: a + b)(a * 2))
    np.testing.assert_array_equal(outer(np.ones(3)), [3.0, 3.0, 3.0])


def summed(x: Any, *, axis: Any = None) -> Any:
    return np.sum(x, axis=axis)


@pytest.mark.parametrize("warm", [False, True])
def test_a_misspelt_keyword_is_told_as_python_does_with_the_one_that_was_meant(warm: bool) -> None:
    f = eqsat.jit(summed, static_argnames="axis")
    if warm:
        f(np.ones((2, 3)), axis=1)
    with pytest.raises(TypeError, match=r"^summed\(\) got an unexpected keyword argument 'axiss'") as raised:
        f(np.ones((2, 3)), axiss=1)
    assert isinstance(raised.value, ArgumentError) and raised.value.hint == "axis"


@pytest.mark.parametrize(
    ("args", "keywords", "text"),
    [
        ((), {}, "missing a required argument: 'x'"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((1,), {"x": 1}, "multiple values for argument 'x'"),
    ],
)
def test_arguments_that_do_not_fit_name_the_function(args: Any, keywords: Any, text: str) -> None:
    with pytest.raises(TypeError) as raised:
        eqsat.jit(summed)(*args, **keywords)
    assert str(raised.value) == f"summed(): {text}"


ELEMENTS: dict[str, tuple[Any, str, str]] = {
    "nditer": (lambda x: list(np.nditer(x)), r"np\.nditer of a traced array", "eqsat.scan"),
    "ndenumerate": (
        lambda x: [v for _, v in np.ndenumerate(x)],
        r"np\.ndenumerate of a traced array",
        "eqsat.scan",
    ),
    "ndindex": (
        lambda x: [x[i] for i in np.ndindex(x.shape)],
        r"np\.ndindex of a traced array",
        "eqsat.scan",
    ),
    "vectorize": (
        lambda x: np.vectorize(ramp)(x),
        r"np\.vectorize\(ramp\) of a traced array",
        "ramp(x) itself",
    ),
    "made before": (lambda x: RAMP(x), r"np\.vectorize\(ramp\) of a traced array", "np.where"),
    "a decorator": (lambda x: np.vectorize(otypes=[float])(ramp)(x), r"np\.vectorize\(ramp\)", "np.where"),
    "view": (lambda x: x.view(np.int64), r"x\.view\(int64\): a traced array has elements", "x.astype(dtype)"),
    "view of a class": (lambda x: x.view(np.matrix), r"x\.view\(matrix\)", "x.astype(dtype)"),
}


def ramp(v: Any) -> Any:
    return v if v > 0 else 0.0


RAMP = np.vectorize(ramp)


@pytest.mark.parametrize("name", ELEMENTS)
def test_what_goes_by_elements_or_bits_says_what_to_do_instead(name: str) -> None:
    program, said, instead = ELEMENTS[name]
    with pytest.raises(TracingError, match=said) as raised:
        eqsat.jit(program)(np.ones((2, 3)))
    assert instead in str(raised.value.hint) and "test_messages.py:" in str(raised.value)


def test_iterators_of_known_arrays_and_views_of_the_same_elements_are_traced() -> None:
    known = np.arange(3.0)

    def program(x: Any) -> Any:
        steps = [float(v) for v in np.nditer(known)] + [i[0] for i in np.ndindex(2)] + list(RAMP(known))
        return x.view() * sum(steps) + x.view(np.ndarray) + x.view("float64"), hasattr(x, "flags")

    found, has_flags = eqsat.jit(program)(known)
    np.testing.assert_array_equal(found, known * 9)
    assert not has_flags


class Labelled:
    """Stands for a series of pandas."""

    iloc = None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.ones(3)


def test_tables_with_labels_are_refused_with_the_array_of_them() -> None:
    with pytest.raises(ArgumentError, match=r"^x is of the class Labelled, whose axes have labels") as raised:
        eqsat.jit(lambda x: x + 1)(Labelled())
    assert raised.value.hint == "x.to_numpy()"
    series = Labelled()
    with pytest.raises(TracingError, match=r"an operator of a traced array and a Labelled") as traced:
        eqsat.jit(lambda x: x + series)(np.ones(3))
    assert traced.value.hint == "s.to_numpy()"
