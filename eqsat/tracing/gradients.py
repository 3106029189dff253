"""Gradients of plain functions: ``value_and_grad``, which ``jit`` compiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.base.pytrees import flatten, unflatten
from eqsat.errors import ArgumentError
from eqsat.functions.choices import check_choices
from eqsat.gradient import grad
from eqsat.graph.core import Variable
from eqsat.graph.tools import clone_replace
from eqsat.tracing.jitted import TRACED, Jitted, jit
from eqsat.tracing.known import has_traced
from eqsat.tracing.layouts import Made
from eqsat.tracing.memory import Memory
from eqsat.tracing.names import StandIns
from eqsat.tracing.traced import Traced, cast, fresh, plain


def value_and_grad(fn: Any, argnums: int | Sequence[int] = 0, has_aux: bool = False, **options: Any) -> Any:
    """A function that gives the value of another one, a number, and its gradient with respect to some arguments.

    The gradient has the form of the argument, with None where that has None; several ``argnums`` give a tuple. With ``has_aux`` the function gives a pair
    of the number and something else, which is returned beside it. The function is compiled as ``eqsat.jit`` does, with its ``options``,
    and may be called in functions that are compiled.

    Errors   ArgumentError where the result is no single number, or an argument holds none of floats

    >>> import eqsat, numpy as np
    >>> f = eqsat.value_and_grad(lambda w, x: np.sum((x @ w) ** 2))
    >>> value, slope = f(np.array([1.0, 2.0]), np.eye(2))
    >>> float(value), slope
    (5.0, array([2., 4.]))
    """
    check_choices("value_and_grad", options, ["argnums", "has_aux", *TRACED])
    inner = fn.fn if type(fn) is Jitted else fn
    return jit(Derived(inner, argnums, has_aux), **options)


class Derived:
    """A function with its gradient, as it is traced."""

    def __init__(self, fn: Callable[..., Any], argnums: int | Sequence[int], has_aux: bool) -> None:
        self.fn, self.has_aux = fn, has_aux
        self.one = isinstance(argnums, int)
        self.argnums = [argnums] if isinstance(argnums, int) else list(argnums)
        self.__wrapped__, self.__name__ = (
            fn,
            getattr(fn, "__name__", "f"),
        )  # its signature is that of the function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return StandIns().called(self, args, keywords)

    def called(self, fn: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        """The value and the gradients for traced arguments."""
        given = list(args)
        forms: list[Any] = []
        inputs: list[list[Any]] = []
        actual: dict[Any, Any] = {}
        for k in self.argnums:
            if k not in range(-len(given), len(given)):
                raise ArgumentError(
                    f"value_and_grad: argnums={k!r} is the place of no argument",
                    needs=f"a number below {len(given)}, the arguments that are given by their places",
                )
            found, form = flatten(given[k], f"argument {k}")
            own = [self._input(path, value, actual) for path, value in found]
            given[k] = unflatten(form, own)
            inputs.append([None if x is None else x.variable for x in own])
            forms.append(form)
        answer = fn(*given, **keywords)
        value, rest = self._pair(answer) if self.has_aux else (answer, None)
        cost = self._cost(value)
        flat = [v for group in inputs for v in group if v is not None]
        slopes = grad(cost, flat, disconnected_inputs="ignore")
        cost, *slopes = clone_replace([cost, *slopes], actual)
        parts = iter(fresh(T.cast(s, v.type.dtype)) for s, v in zip(slopes, flat, strict=True))
        made = [
            unflatten(form, [None if v is None else next(parts) for v in group])
            for form, group in zip(forms, inputs, strict=True)
        ]
        first = fresh(cost)
        gradient = made[0] if self.one else tuple(made)
        return ((first, self._outside(rest, actual)), gradient) if self.has_aux else (first, gradient)

    @staticmethod
    def _pair(answer: Any) -> Any:
        if isinstance(answer, (tuple, list)) and len(answer) == 2:
            return answer
        raise ArgumentError(
            f"value_and_grad: has_aux=True, and the function gives {answer!r}",
            needs="a pair of a single number and something else",
            hint="return value, rest; or has_aux=False",
        )

    @staticmethod
    def _input(path: str, value: Any, actual: dict[Any, Any]) -> Traced | None:
        """An input of its own in the place of an argument, by which gradients are taken; None of None."""
        if value is None:
            return None
        if not has_traced(value) or value.dtype.kind not in "fc":
            raise ArgumentError(f"value_and_grad: {path} is no floating number or array of them: {value!r}")
        variable = value.variable.type.make_variable(path)
        actual[variable] = value.variable
        memory = Memory(variable, made=Made(lambda x: x, (value,), {}))
        return Traced(memory, value.number, value.loose)

    @staticmethod
    def _cost(value: Any) -> Any:
        variable = plain(value)
        if isinstance(value, (int, float, np.number)) and not has_traced(value):  # which no argument changes
            variable = T.constant(np.asarray(value))
        if not isinstance(variable, Variable) or variable.type.ndim:  # type: ignore[attr-defined]
            raise ArgumentError(
                f"value_and_grad: the function gives {value!r}, and not a single number",
                hint="np.sum(...) or np.mean(...) of it; has_aux=True where it gives a pair",
            )
        return cast(variable, np.dtype("float64")) if variable.type.dtype[0] in "iub" else variable  # type: ignore[attr-defined]

    @staticmethod
    def _outside(rest: Any, actual: dict[Any, Any]) -> Any:
        leaves, form = flatten(rest)
        return unflatten(
            form,
            [
                fresh(clone_replace(v.variable, actual), v.number) if type(v) is Traced else v
                for _, v in leaves
            ],
        )
