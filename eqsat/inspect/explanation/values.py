"""Random inputs for a graph, and how far two graphs of the same inputs are apart on them, in the reference mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Any

import numpy as np

from eqsat.graph.core import Constant
from eqsat.graph.interpreter import Interpreter
from eqsat.graph.walk import graph_inputs
from eqsat.inspect.explanation.deadline import Deadline

UNKNOWN = 3  # the first length that is tried where none is known
SECONDS, HALF = 5.0, 0.5  # in which values are looked for; and no more of the time that is left
WAYS = 256  # choices of different lengths that are tried
LARGEST = 1e6  # elements of an input that are drawn


class Points:
    """Values for the inputs of a graph at which it can be computed; ``why`` says in words where there are none."""

    def __init__(self, outputs: Sequence[Any], deadline: Deadline | None = None, seed: int = 0) -> None:
        self.inputs = [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]
        self.why = "no values were found at which the graph can be computed"
        self.values: list[Any] | None = None
        for values in self._tries(
            np.random.default_rng(seed), SECONDS if deadline is None else min(SECONDS, HALF * deadline.left)
        ):
            found = computed(self.inputs, outputs, values)
            if isinstance(found, str):
                self.why = found
            elif all(_finite_somewhere(v) for v in found):
                self.values, self.why = values, ""
                return

    def _tries(self, rng: Any, seconds: float) -> Iterator[list[Any]]:
        end = Deadline.after(seconds)
        for lengths in self._lengths():
            for draw in (_normal, _positive, _definite):
                if end.passed:
                    return
                try:
                    yield [_value(v, s, draw, rng) for v, s in zip(self.inputs, lengths, strict=True)]
                except ValueError as error:
                    self.why = str(error)

    def _lengths(self) -> Iterator[list[tuple[int, ...]]]:
        """Shapes of the inputs: all unknown lengths equal, then some ways to choose them among those of the others."""
        shapes = [_shape(v) for v in self.inputs]
        known = sorted({n for shape in shapes for n in shape if n not in (None, 1)} - {UNKNOWN})
        free = [(k, axis) for k, shape in enumerate(shapes) for axis, n in enumerate(shape) if n is None]
        same = [(length,) * len(free) for length in (UNKNOWN, *known)]
        mixed = islice(product((UNKNOWN, *known), repeat=len(free)), WAYS) if known else ()
        for chosen in dict.fromkeys((*same, *mixed)):
            at = dict(zip(free, chosen, strict=True))
            yield [
                tuple(at[k, axis] if n is None else n for axis, n in enumerate(s))
                for k, s in enumerate(shapes)
            ]

    def difference(self, before: Sequence[Any], after: Sequence[Any]) -> float | str:
        """The largest difference of two graphs, relative to values above 1; in words why there is none."""
        if self.values is None:
            return self.why
        first, second = (computed(self.inputs, outputs, self.values) for outputs in (before, after))
        if isinstance(first, str) or isinstance(second, str):
            return first if isinstance(first, str) else str(second)
        return max((_apart(a, b) for a, b in zip(first, second, strict=True)), default=0.0)


def computed(inputs: Sequence[Any], outputs: Sequence[Any], values: Sequence[Any]) -> list[Any] | str:
    """Values of the outputs, or in words why there are none."""
    try:
        with np.errstate(all="ignore"):
            return Interpreter(inputs, outputs)(*[v.copy() if hasattr(v, "copy") else v for v in values])
    except Exception as error:  # the graph refuses these values: the caller tries others, or says so
        return str(error).splitlines()[0] if str(error) else type(error).__name__


def _shape(v: Any) -> tuple[int | None, ...]:
    """Lengths of an input: those of its value where it is shared, else what its type says."""
    if hasattr(v, "get_value"):
        return tuple(np.shape(v.get_value(borrow=True)))
    return tuple(getattr(v.type, "shape", ()))


def _value(v: Any, shape: tuple[int, ...], draw: Callable[[Any, tuple[int, ...]], Any], rng: Any) -> Any:
    if hasattr(v, "get_value"):
        return v.get_value()
    kind = v.type
    if not hasattr(kind, "shape"):
        raise ValueError(f"no values are drawn for {v}, which is {kind.short()}")
    if np.prod(shape) > LARGEST:
        raise ValueError(f"{v} is too large to draw values for it")
    return np.asarray(_drawn(np.dtype(kind.dtype), shape, draw, rng))


def _drawn(dtype: Any, shape: tuple[int, ...], draw: Callable[[Any, tuple[int, ...]], Any], rng: Any) -> Any:
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(0, 2 if draw is _positive else UNKNOWN, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return draw(rng, shape).astype(dtype)


def _normal(rng: Any, shape: tuple[int, ...]) -> Any:
    return rng.normal(size=shape)


def _positive(rng: Any, shape: tuple[int, ...]) -> Any:
    return rng.uniform(0.1, 0.9, size=shape)


def _definite(rng: Any, shape: tuple[int, ...]) -> Any:
    """Square matrices are positive definite."""
    found = rng.normal(size=shape)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        return found
    return found @ np.swapaxes(found, -1, -2) + shape[-1] * np.eye(shape[-1])


def _finite_somewhere(value: Any) -> bool:
    value = np.asarray(value)
    return value.dtype == object or value.size == 0 or bool(np.isfinite(value).any())


def _apart(a: Any, b: Any) -> float:
    """Largest difference where the first is finite."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype == object or a.shape != b.shape:
        return 0.0 if a.shape == b.shape else float("inf")
    wide = complex if a.dtype.kind == "c" else float
    a, b = a.astype(wide), b.astype(wide)
    finite = np.isfinite(a)
    if not finite.any():
        return 0.0
    found = np.abs(a[finite] - b[finite]) / np.maximum(1.0, np.abs(a[finite]))
    return float("inf") if np.isnan(found).any() else float(found.max())
