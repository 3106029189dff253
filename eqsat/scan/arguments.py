"""What users give to scan, brought to one form: sequences and states with taps, the number of steps, results of fn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eqsat.configuration import config
from eqsat.errors import ArgumentError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant, Variable
from eqsat.graph.ops.create import known_integer
from eqsat.graph.ops.elemwise import minimum
from eqsat.graph.ops.shape import length, scalar_integers, unbroadcast_like
from eqsat.graph.tensor_type import TensorType
from eqsat.scan.utils import until


def listed(value: Any) -> list[Any]:
    """The items of a list or tuple, nothing for None, anything else alone."""
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _taps(what: str, value: Any) -> list[int]:
    taps = listed(value)
    if not taps or not all(isinstance(t, (int, np.integer)) and not isinstance(t, bool) for t in taps):
        raise ArgumentError(
            f"scan: the taps of {what} are {value!r}", needs="a list of integers, such as [-2, -1]"
        )
    if len(set(taps)) != len(taps):
        raise ArgumentError(f"scan: the taps of {what} are {value!r}, one of them twice")
    return [int(t) for t in taps]


def _entries(what: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in given:
        if key not in known:
            raise ArgumentError(f"scan: {what} has the entry {key!r}", needs="one of " + ", ".join(known))


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
        """How many steps the sequence lasts."""
        known = self.variable.type.shape[0]
        if known is not None:
            if known < self.span:
                raise ShapeError(
                    f"scan: a sequence of length {known} is too short for the taps {self.taps}",
                    operands=[(str(self.variable), self.variable)],
                )
            return as_tensor(np.int64(known - self.span))
        n = length(self.variable, 0)
        return n - self.span if self.span else n


def _made(kind: Any, model: Any, tap: int) -> Any:
    when = f"t{tap:+}" if tap else "t"
    v = kind.make_variable(f"{model.name}[{when}]" if model.name else None)
    v.made_at = model.made_at
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
    variable = as_tensor(value)
    if variable.ndim == 0:
        raise RankError(
            f"scan: {what} is a scalar", operands=[(str(variable), variable)], hint="non_sequences=[x]"
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
        if value.get("taps") is not None:
            taps = _taps(what, value["taps"])
        elif value.get("initial") is None:
            return State()
        if value.get("initial") is None:
            raise ArgumentError(
                f"scan: {what} has taps but no initial value", hint="dict(initial=x, taps=[-1])"
            )
        value = value["initial"]
    if value is None:
        return State()
    if max(taps) >= 0:
        raise ArgumentError(
            f"scan: the taps of {what} are {taps}", needs="negative ones: earlier values of the output"
        )
    x = as_tensor(_as_numpy(value))
    if taps == [-1]:
        return State(x, taps, x.type)
    if x.ndim == 0:
        raise RankError(
            f"scan: the initial value of {what} with the taps {taps} is a scalar",
            operands=[(str(x), x)],
            needs=f"{-min(taps)} values, stacked",
        )
    have = x.type.shape[0]
    if have is not None and have < -min(taps):
        raise ShapeError(
            f"scan: output {k} has {have} initial values, the taps {taps} need {-min(taps)}",
            operands=[(str(x), x)],
        )
    return State(x, taps, TensorType(x.type.dtype, shape=x.type.shape[1:]))


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
                "scan: neither sequences nor n_steps is given", hint="scan(fn, ..., n_steps=10)"
            )
        found = list(dict.fromkeys(s.steps() for s in sequences))
        known = [v for v in (known_integer(n) for n in found) if v is not None]
        if len(known) == len(found):
            return as_tensor(np.int64(min(known)))
        result = found[0]
        for n in found[1:]:
            result = minimum(result, n)
        return result
    (n,) = scalar_integers("scan: n_steps", [n_steps])
    number = known_integer(n)
    if number is not None and number < 0:
        raise ArgumentError(f"scan: n_steps is {number}", hint="go_backwards=True")
    for s in sequences:
        have = known_integer(s.steps())
        if number is not None and have is not None and have < number:
            raise ShapeError(
                f"scan: a sequence lasts {have} steps, n_steps is {number}",
                operands=[(str(s.variable), s.variable)],
            )
    return n


@dataclass
class Returned:
    """What fn gave: outputs, updates of shared variables, the condition of ``until``."""

    outputs: list[Any] = field(default_factory=list)
    updates: list[tuple[Any, Any]] = field(default_factory=list)
    condition: Any = None


def as_returned(value: Any) -> Returned:
    """Outputs, updates and a condition, in any order, from what fn returns."""
    found = Returned()
    parts = [value] if not _several(value) else list(value)
    for part in parts:
        if isinstance(part, until):
            found.condition = as_tensor(part.condition)
        elif isinstance(part, Mapping):
            found.updates += part.items()
        elif _is_pairs(part):
            found.updates += [(s, v) for s, v in part]
        elif part is not None:
            found.outputs += [_output(v) for v in listed(part)]
    return found


def _several(value: Any) -> bool:
    """True for a list or tuple of parts of different kinds, not of outputs alone."""
    if not isinstance(value, (list, tuple)) or _is_pairs(value):
        return False
    return any(isinstance(v, (until, Mapping, list, tuple)) or v is None for v in value)


def _is_pairs(value: Any) -> bool:
    if not isinstance(value, (list, tuple)) or not value:
        return False
    return all(isinstance(v, (list, tuple)) and len(v) == 2 and hasattr(v[0], "get_value") for v in value)


def _output(value: Any) -> Any:
    if isinstance(value, (until, Mapping, list, tuple)):
        raise ArgumentError(
            f"scan: fn returns {value!r} among its outputs",
            needs="(outputs, updates, until(condition)), each optional",
        )
    return as_tensor(value) if not isinstance(value, Variable) or isinstance(value, Constant) else value
