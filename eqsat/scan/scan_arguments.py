"""Arguments of scan, brought to one form: sequences and states with taps, the number of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, DTypeError, EqsatError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Variable
from eqsat.graph.dtypes import INEXACT
from eqsat.graph.ops.create import known_integer
from eqsat.graph.ops.elemwise import minimum
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.specify import unbroadcast_like
from eqsat.graph.tensor_type import TensorType, shorten


def listed(value: Any) -> list[Any]:
    """The items of a list or tuple, nothing for None, anything else alone."""
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def tensor_of(what: str, value: Any, needs: str = "a tensor, a number or an array") -> Any:
    """A tensor of a value; what no tensor holds is named in the words of scan."""
    try:
        return as_tensor(value)
    except EqsatError:
        given = [(str(value), value)] if isinstance(value, Variable) else []
        raise ArgumentError(f"scan: {what} is {shorten(value)}", operands=given, needs=needs) from None


def _taps(what: str, value: Any) -> list[int]:
    taps = listed(value)
    if not taps or not all(isinstance(t, (int, np.integer)) and not isinstance(t, bool) for t in taps):
        raise ArgumentError(
            f"scan: the taps of {what} are {value!r}", needs="a list of integers, such as [-2, -1]"
        )
    if len(set(taps)) != len(taps):
        raise ArgumentError(
            f"scan: the taps of {what} are {value!r}, one of them twice", hint=f"{sorted({*taps})}"
        )
    return [int(t) for t in taps]


def _entries(what: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in given:
        if key not in known:
            raise ArgumentError(f"scan: {what} has the entry {key!r}", among=(key, known))


@dataclass
class Input:
    """A sequence, with a slice of it for each tap."""

    variable: Any
    taps: list[int]
    backwards: bool

    @property
    def span(self) -> int:
        """By how much the number of steps is less than the length."""
        return max(0, *self.taps) - min(0, *self.taps)

    def slices(self) -> list[Any]:
        """For each tap the sequence in which row t is what step t reads."""
        first = -min(0, *self.taps)
        last = max(0, *self.taps)
        found = []
        for tap in self.taps:
            start, end = first + tap, last - tap
            x = self.variable
            if self.backwards:
                x = x[start:-end] if end else x[start:] if start else x
                x = x[::-1]
            elif start:
                x = x[start:]
            found.append(x)
        return found

    def inner(self) -> list[Any]:
        """For each tap a variable for one row."""
        kind = TensorType(self.variable.type.dtype, shape=self.variable.type.shape[1:])
        return [_made(kind, self.variable, tap) for tap in self.taps]

    def steps(self) -> Any:
        """The number of steps for which the sequence lasts."""
        known = self.variable.type.shape[0]
        if known is not None:
            if known < self.span:
                raise ShapeError(
                    f"scan: a sequence of length {known} is too short for the taps {self.taps}",
                    operands=[(str(self.variable), self.variable)],
                    needs=f"{self.span} rows before the first step, and one for each step",
                )
            return as_tensor(np.int64(known - self.span))
        n = length(self.variable, 0)
        return n - self.span if self.span else n


def _made(kind: Any, model: Any, tap: int) -> Any:
    when = f"t{tap:+}" if tap else "t"
    v = kind.make_variable(f"{model.name}[{when}]" if model.name else None)
    v.comes_from(model)
    return v


def as_sequence(value: Any, k: int, backwards: bool) -> Input:
    """One item of ``sequences``."""
    what, taps = f"sequence {k}", [0]
    if isinstance(value, Mapping):
        _entries(what, value, ("input", "taps"))
        if "input" not in value:
            raise ArgumentError(f"scan: {what} has no input", hint="dict(input=x, taps=[-1, 0])")
        taps = _taps(what, value["taps"]) if value.get("taps") is not None else taps
        value = value["input"]
    variable = tensor_of(what, value, "a tensor, or dict(input=x, taps=[-1, 0])")
    if variable.ndim == 0:
        raise RankError(
            f"scan: {what} is a scalar",
            operands=[(str(variable), variable)],
            needs="an axis along which the steps go",
            hint=f"non_sequences=[{variable}]",
        )
    return Input(variable, taps, backwards)


@dataclass
class State:
    """One item of ``outputs_info``: no state, or an initial value with taps; ``kind`` is the type of its values."""

    initial: Any = None
    taps: list[int] = field(default_factory=list)
    kind: Any = None

    @property
    def single(self) -> bool:
        return self.taps == [-1]

    def inner(self) -> list[Any]:
        return [_made(self.kind, self.initial, tap) for tap in self.taps]

    def start(self) -> Any:
        """The initial value in the type of the values of the state; of stacked ones as many as are read."""
        x = cast_to(self.initial, self.kind.dtype)
        if self.single:
            return unbroadcast_like(x, self.kind())
        first = -min(self.taps)
        x = x if x.type.shape[0] == first else x[:first]
        return unbroadcast_like(x, TensorType(self.kind.dtype, shape=(x.type.shape[0], *self.kind.shape))())


def as_state(value: Any, k: int) -> State:
    """One item of ``outputs_info``."""
    what, taps = f"output {k}", [-1]
    if isinstance(value, Mapping):
        _entries(what, value, ("initial", "taps", "return_steps", "inplace"))
        if value.get("return_steps") is not None:
            raise ArgumentError(
                f"scan: {what} has the entry 'return_steps', which is no more",
                hint=f"outputs[-{value['return_steps']}:], and no more steps are kept",
            )
        if value.get("taps") is not None:
            taps = _taps(what, value["taps"])
        elif value.get("initial") is None:
            return State()
        if value.get("initial") is None:
            raise ArgumentError(
                f"scan: {what} has the taps {taps} but no initial value",
                hint=f"dict(initial=x, taps={taps}){_stacked_as(taps)}",
            )
        value = value["initial"]
    if value is None:
        return State()
    if max(taps) >= 0:
        raise ArgumentError(
            f"scan: the taps of {what} are {taps}",
            needs="negative ones, of which -1 is the value of the step before",
        )
    x = tensor_of(
        f"the initial value of {what}", _as_numpy(value), "a tensor, dict(initial=x, taps=[-1]) or None"
    )
    if taps == [-1]:
        return State(x, taps, x.type)
    if x.ndim == 0:
        raise RankError(
            f"scan: the initial value of {what} with the taps {taps} is a scalar",
            operands=[(str(x), x)],
            needs=f"the values at {-min(taps)} times before the first step, stacked",
            hint=f"T.stack([...]), or dict(initial={x}, taps=[-1])",
        )
    have = x.type.shape[0]
    if have is not None and have < -min(taps):
        raise ShapeError(
            f"scan: output {k} has {have} initial values, the taps {taps} need {-min(taps)}",
            operands=[(str(x), x)],
            needs=f"the values at {-min(taps)} times before the first step, stacked",
        )
    return State(x, taps, TensorType(x.type.dtype, shape=x.type.shape[1:]))


def _stacked_as(taps: Sequence[int]) -> str:
    return "" if list(taps) == [-1] else f", where x holds {-min(taps)} values, stacked"


def _as_numpy(value: Any) -> Any:
    """Python numbers as NumPy stores them, so that a count that begins as 0 does not end at 127."""
    if isinstance(value, (bool, int)):
        return np.asarray(value)
    return np.asarray(value, config.floatX) if isinstance(value, float) else value


def number_of_steps(n_steps: Any, sequences: Sequence[Input]) -> Any:
    """The number of steps: as given, or that of the shortest sequence.

    Errors   ArgumentError where neither is there, or the number is negative; ShapeError for a sequence known to be
             shorter than the number given
    """
    if n_steps is None:
        if not sequences:
            raise ArgumentError(
                "scan: neither sequences nor n_steps is given",
                needs="one of them; with until, n_steps is the most steps that there may be",
                hint="scan(fn, ..., n_steps=10)",
            )
        found = list(dict.fromkeys(s.steps() for s in sequences))
        known = [v for v in (known_integer(n) for n in found) if v is not None]
        if len(known) == len(found):
            return as_tensor(np.int64(min(known)))
        result = found[0]
        for n in found[1:]:
            result = minimum(result, n)
        return result
    n = _count(n_steps)
    number = known_integer(n)
    for s in sequences:
        have = known_integer(s.steps())
        if number is not None and have is not None and have < number:
            raise ShapeError(
                f"scan: a sequence lasts {have} steps, n_steps is {number}",
                operands=[(str(s.variable), s.variable)],
                hint=f"n_steps={have}",
            )
    return n


def _count(n_steps: Any) -> Any:
    """A number of steps that the user gave."""
    needs = "an integer, or a scalar of an integer dtype"
    n = tensor_of("n_steps", n_steps, needs)
    if n.ndim or n.type.dtype in INEXACT or n.type.dtype == "bool":
        error = RankError if n.ndim else DTypeError
        way = None if n.ndim or not isinstance(n_steps, Variable) else f"{n}.astype('int64')"
        raise error(f"scan: n_steps is {n.type.short()}", operands=[(str(n), n)], needs=needs, hint=way)
    number = known_integer(n)
    if number is not None and number < 0:
        raise ArgumentError(f"scan: n_steps is {number}", needs="0 or more", hint="go_backwards=True")
    return cast_to(n, "int64")
