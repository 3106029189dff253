"""Python's operators on traced values; numbers take the dtype of the arrays beside them, as NumPy 2 has it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.graph.core import Variable
from eqsat.graph.dtypes import to_float
from eqsat.tracing.arguments import as_plain, has_labels
from eqsat.tracing.broadcast import together
from eqsat.tracing.layouts import noted
from eqsat.tracing.traced import OF_KIND, Traced, cast, element, fresh, is_whole, plain, refuse


def fitted(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number in a dtype, a constant or a variable; a whole one that is not held is refused."""
    return element(value, dtype) if type(value) is Traced else T.constant(element(value, dtype))


def compared(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number that is compared with elements of a dtype: a whole one keeps its own, as -1 is less than any ``uint8``."""
    return fitted(value, _dtype(value) if is_whole(value) else dtype)


def divided(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number in a quotient with elements of a dtype, which are float64 where they are whole numbers."""
    return fitted(value, np.dtype("float64") if dtype.kind in "iub" else dtype)


def floated(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number beside elements of a dtype where NumPy computes in floats alone, as -1 beside ``uint8`` in ``np.hypot``."""
    return fitted(value, np.dtype(to_float(dtype.name)))


def wrapped_around(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number in a dtype, of which a whole one that is not held keeps the last bits."""
    return cast(T.as_tensor_variable(plain(value)), dtype)


@cache
def chosen() -> Callable[[Any, np.dtype[Any]], Any]:
    """The conversion of numbers in ``np.where``: from NumPy 2.5 on a whole one that is not held is refused."""
    try:
        np.where([True], np.zeros(1, np.uint8), -1)
    except OverflowError:
        return fitted
    return wrapped_around


def promoted(
    values: Sequence[Any], fit: Callable[[Any, np.dtype[Any]], Any] = fitted
) -> tuple[list[Any], bool]:
    """Operands of which Python's numbers take the dtype of the others, by NumPy's rule; True where all are such numbers."""
    weak = [is_number(v) for v in values]
    strong = [_dtype(v) for v, w in zip(values, weak, strict=True) if not w]
    examples = [_example(v) for v, w in zip(values, weak, strict=True) if w]
    target = np.result_type(*strong, *examples) if strong else np.dtype(np.result_type(*map(type, examples)))
    made = [
        fit(v, target if strong else _dtype(v)) if w else plain(v) for v, w in zip(values, weak, strict=True)
    ]
    return together(made), not strong


def is_number(value: Any) -> bool:
    """True for a Python number, traced or not, that takes the dtype of arrays beside it."""
    if type(value) is Traced:
        return value.number
    return type(value) in (int, float, complex)


def _example(value: Any) -> Any:
    kind = OF_KIND[value.dtype.kind] if type(value) is Traced else type(value)
    return kind(0)


def _dtype(value: Any) -> np.dtype[Any]:
    if isinstance(value, Variable):
        return np.dtype(value.type.dtype)  # type: ignore[attr-defined]
    return np.dtype(value.dtype) if hasattr(value, "dtype") else np.asarray(value).dtype


def comparison(values: Sequence[Any]) -> tuple[list[Any], bool]:
    """The operands of a comparison, and True where all are Python's numbers."""
    return promoted(values, compared)


def quotient(values: Sequence[Any]) -> tuple[list[Any], bool]:
    """The operands of a quotient, whole numbers of any dtype as float64, and True where all are Python's numbers."""
    made, numbers = promoted(values, divided)
    whole = all(_dtype(v).kind in "iub" for v in made)
    return [cast(T.as_tensor_variable(v), np.dtype("float64")) for v in made] if whole else made, numbers


def of_ufunc(ufunc: Any) -> Callable[[Sequence[Any]], tuple[list[Any], bool]]:
    """The function that gives the operands of a ufunc the dtypes that NumPy computes it in."""
    kinds = {kind for kind in ufunc.types if "O" not in kind}
    if f"{'d' * ufunc.nin}->?" in kinds:
        return comparison
    if ufunc is np.true_divide:
        return quotient
    whole = any(set(kind.partition("->")[0]) & set("?bBiIlL") for kind in kinds)
    return promoted if whole else lambda values: promoted(values, floated)


def _binary(function: Any, turned: bool = False, operands: Any = promoted) -> Any:
    def method(self: Traced, other: Any) -> Any:
        if isinstance(other, (str, bytes)) or other is None or callable(other):
            return NotImplemented
        if has_labels(other):
            kind = type(other).__name__
            refuse(
                self,
                f"an operator of a traced array and a {kind}, whose axes have labels",
                as_plain("s", other),
            )
        pair = [other, self] if turned else [self, other]
        (a, b), number = operands(pair)
        made = fresh(function(T.as_tensor_variable(a), b), number=number)
        return noted(made, _NUMPY.get(function, function), pair, {})

    return method


def refuse_cast(said: str, made: Any, array: Traced, casting: Any = "same_kind") -> None:
    """Refuse a result that NumPy does not convert to the dtype of the array into which it is written."""
    kind = np.result_type(array.dtype, _example(made)) if is_number(made) else _dtype(made)
    if not np.can_cast(kind, array.dtype, casting):
        refuse(
            array,
            f"{said}: {kind} does not go into an array of {array.dtype}",
            "x = x + y, which makes a new array",
        )


def _in_place(function: Any, operands: Any) -> Any:
    name = function.__name__

    def method(self: Traced, other: Any) -> Any:
        made = _binary(function, operands=operands)(self, other)
        if self.loose or self.number or made is NotImplemented:
            return made
        refuse_cast(f"in-place {name}", made, self)
        self._writable(f"in-place {name}")
        new = cast(made.variable, self.dtype)
        whole = self.variable
        self.place.write(new if new.type.shape == whole.type.shape else T.set_subtensor(whole[...], new))
        return self

    return method


def _unary(function: Any) -> Any:
    return lambda self: noted(fresh(function(self.variable), number=self.number), function, (self,), {})


_NUMPY = {T.eq: operator.eq, T.neq: operator.ne}


def _operators() -> Iterator[tuple[str, Any]]:
    """The names and functions of Python's operators that can also be in place."""
    for name in operator.__all__:
        bare = name[1:]
        function = getattr(operator, bare, None) or getattr(operator, f"{bare}_", None)
        if name[0] == "i" and function is not None:
            yield bare, function


for _name, _function in _operators():
    _operands = quotient if _function is operator.truediv else promoted
    setattr(Traced, f"__{_name}__", _binary(_function, operands=_operands))
    setattr(Traced, f"__r{_name}__", _binary(_function, turned=True, operands=_operands))
    setattr(Traced, f"__i{_name}__", _in_place(_function, _operands))
for _function in (operator.lt, operator.le, operator.gt, operator.ge):
    setattr(Traced, f"__{_function.__name__}__", _binary(_function, operands=comparison))
for _function in (operator.neg, operator.abs, operator.invert):
    setattr(Traced, f"__{_function.__name__}__", _unary(_function))
for _name, _function in (("eq", T.eq), ("ne", T.neq)):
    setattr(Traced, f"__{_name}__", _binary(_function, operands=comparison))
