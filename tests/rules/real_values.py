"""Graphs computed over the reals, and values of functions held against them as far as their operands are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np

from eqsat.graph.core import Constant
from eqsat.graph.declare import OPS
from eqsat.graph.walk import toposort
from eqsat.verify.real_names import NAMES
from eqsat.verify.sides import Point, Reals, blurred, formula, lift, real_arrays, reduced

DIGITS = (60, 300, 900)  # until two runs agree
UNITS = 64 * 2.0**-52  # by which operands move when it is asked how well a value is known
NONE = mpmath.nan
WHOLE = Reals(Point({}))


def real_graph(outputs: Sequence[Any], values: Mapping[Any, Any]) -> list[Any]:
    """Values of variables over the reals, in arrays of mpmath numbers, for values of the inputs."""
    known = {v: lifted(x) for v, x in values.items()}
    for node in toposort(list(outputs)):
        args = [lifted(i.data) if isinstance(i, Constant) else known[i] for i in node.inputs]
        found = computed(node.op, args)
        known[node.outputs[0]] = lifted(np.asarray(found, object if isinstance(found, mpmath.mpf) else None))
    return [lifted(v.data) if isinstance(v, Constant) else known[v] for v in outputs]


def lifted(v: Any) -> Any:
    """Floats and truth values as mpmath numbers and bools; integers, which index, as they are."""
    array = np.asarray(v)
    return lift(array) if array.dtype.kind in "fb" else array


def computed(op: Any, args: list[Any]) -> Any:
    """The result of one op."""
    d = op.declaration
    if all(a.dtype != object for a in args):
        return op.compute(*args)
    if d.name == "cast":
        return mapped(lambda a: mpmath.mpf(int(a)) if isinstance(a, (bool, int)) else a, args)
    if d.kind == "elemwise":
        call = real_function(d.name, len(d.parameters))
        return mapped(lambda *a: blurred(call(*a), d.name, a), args)
    if d.reduces and OPS[d.reduces].real is not None:
        return reduced(d.reduces, args[0], op.params["axes"])
    whole = real_arrays(d.name) if d.real is not None else None
    return op.compute(*args) if whole is None else whole(*args, **op.params)


def mapped(call: Callable[..., Any], args: list[Any]) -> Any:
    """A function of elements; integers count as numbers."""
    numbers = [lift(a.astype(float)) if a.dtype != object else a for a in args]
    return np.asarray(np.frompyfunc(call, len(numbers), 1)(*numbers), object)


def real_function(op: str, parameters: int) -> Callable[..., Any]:
    """The meaning of an elementwise op, of infinities too; NaN where there is none."""
    call = formula(op, NAMES)

    def run(*args: Any) -> Any:
        try:
            found = call(*args, *[None] * parameters)
        except (ArithmeticError, ValueError):
            return NONE
        return NONE if isinstance(found, mpmath.mpc) else found

    return run


def exactly(outputs: Sequence[Any], values: Mapping[Any, Any]) -> list[Any]:
    """The same with digits enough: NaN for what is no number, or is lost in 900 digits."""
    for digits in DIGITS:
        runs = []
        for precision in (digits, 2 * digits):
            with mpmath.workdps(precision):
                runs.append(real_graph(outputs, values))
        found = [np.asarray(np.frompyfunc(agreed, 2, 1)(*pair), object) for pair in zip(*runs, strict=True)]
        if not any(v is NONE for array in found for v in array.reshape(-1)):
            break
    return found


def agreed(a: Any, b: Any) -> Any:
    """A number of which two runs have the same digits."""
    a, b = mpmath.mpf(a), mpmath.mpf(b)
    return b if a == b or abs(a - b) <= abs(b) * mpmath.mpf(10) ** -25 else NONE


def room(outputs: Sequence[Any], values: Mapping[Any, Any], real: Sequence[Any]) -> list[Any]:
    """By how much the results move with operands that are a little off."""
    rng, worst = np.random.default_rng(5), [np.zeros(r.shape, object) for r in real]
    for _ in range(3):
        moved = {v: kicked(x, rng) for v, x in values.items()}
        for most, a, b in zip(worst, exactly(outputs, moved), real, strict=True):
            for i in np.ndindex(b.shape):
                if mpmath.isfinite(a[i]) and mpmath.isfinite(b[i]):
                    most[i] = max(most[i], 4 * abs(a[i] - b[i]))
    return worst


def kicked(v: Any, rng: Any) -> Any:
    """Numbers that are off by some units in the last place."""
    return v * (1 + rng.choice([-UNITS, UNITS], np.shape(v))) if np.asarray(v).dtype.kind == "f" else v


def off(found: Any, real: Any, known_to: Any) -> list[tuple[Any, float, str]]:
    """The elements of a result that are further from the real value than a few units, or than operands are known."""
    wrong = []
    for i in np.ndindex(real.shape):
        wanted, got = real[i], float(np.asarray(found)[i])
        if mpmath.isnan(wanted) or abs(wanted) > 1.7e308:
            continue
        if not np.isfinite(got) or abs(got - wanted) > abs(wanted) * 1e-11 + known_to[i] + mpmath.mpf(1e-300):
            wrong.append((i, got, mpmath.nstr(wanted, 17)))
    return wrong
