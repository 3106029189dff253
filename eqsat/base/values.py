"""Classes of values: ``dataclass`` as the standard library has it, made in a fourth of the time.

There each method of each class is compiled from a text of its own, 0.3 ms a class, which is a third of the time that
``import eqsat`` takes beside NumPy. Here ``__init__`` alone is compiled; the other methods are closures over the names
of the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(kind: type | None = None, *, frozen=False, eq=True, repr=True, slots=False):
        """The decorator of the standard library; a class that inherits fields is left to it.

        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0), dataclasses.replace(Point(1), y=2)
        (Point(x=1, y=0), True, Point(x=1, y=2))
        """
        if kind is None:
            return lambda kind: dataclass(kind, frozen=frozen, eq=eq, repr=repr, slots=slots)
        if any(map(dataclasses.is_dataclass, kind.__mro__[1:])):
            return dataclasses.dataclass(frozen=frozen, eq=eq, repr=repr, slots=slots)(kind)
        return _made(kind, frozen, eq, repr, slots)


def _made(kind: type, frozen: bool, eq: bool, repr: bool, slots: bool) -> type:
    own = vars(kind)
    compares = eq and "__eq__" not in own
    hashes = eq and own.get("__hash__") is None
    kind = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(kind)
    kind.__dataclass_params__.frozen = frozen  # type: ignore[attr-defined]  # which those that inherit must be too
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    methods: dict[str, Any] = {"__init__": _init(kind, fields, frozen)}
    if repr and "__repr__" not in own:
        methods["__repr__"] = _repr
    getter = _getter([f.name for f in fields if f.compare])
    if compares:
        methods["__eq__"] = _eq(getter)
    if hashes:
        methods["__hash__"] = _hash(getter) if frozen else None
    if frozen:
        methods["__setattr__"], methods["__delattr__"] = _refusing(kind, frozenset(f.name for f in fields))
        if slots:
            methods["__getstate__"], methods["__setstate__"] = _state, _set_state
    for name, method in methods.items():
        if method is not None and method not in (_repr, _state, _set_state):
            method.__qualname__ = f"{kind.__qualname__}.{name}"
        setattr(kind, name, method)
    return kind


class _Factory:
    """The default of a field whose value is made anew each time, as signatures show it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _init(kind: type, fields: Sequence[dataclasses.Field[Any]], frozen: bool) -> Callable[..., None]:
    """The method that sets the fields; a frozen object refuses all others."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_factory": _FACTORY}
    taken = [f for f in fields if f.init]
    body = list(_lines(fields, frozen, known)) + ["self.__post_init__()"] * hasattr(kind, "__post_init__")
    given = ", ".join(["self", *(f.name + _default(f) for f in taken)])
    exec(f"def __init__({given}):\n " + "\n ".join(body or ["pass"]), known)
    made: Callable[..., None] = known["__init__"]
    made.__annotations__ = {**{f.name: f.type for f in taken}, "return": None}
    made.__module__ = kind.__module__
    return made


def _default(f: dataclasses.Field[Any]) -> str:
    if f.default is not dataclasses.MISSING:
        return f"=_d_{f.name}"
    return "" if f.default_factory is dataclasses.MISSING else "=_factory"


def _lines(fields: Sequence[dataclasses.Field[Any]], frozen: bool, known: dict[str, Any]) -> Iterator[str]:
    """The statements that set the fields; ``known`` gets what they name."""
    for f in fields:
        value = f.name
        if f.default is not dataclasses.MISSING:
            known[f"_d_{f.name}"] = f.default
            value = f.name if f.init else f"_d_{f.name}"
        elif f.default_factory is not dataclasses.MISSING:
            known[f"_f_{f.name}"] = f.default_factory
            fresh = f"_f_{f.name}()"
            value = f"{fresh} if {f.name} is _factory else {f.name}" if f.init else fresh
        yield f"_set(self, {f.name!r}, {value})" if frozen else f"self.{f.name} = {value}"


def _getter(names: Sequence[str]) -> Callable[[Any], Any]:
    """The values of some fields of an object, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: tuple(getattr(thing, name) for name in names)


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _state(self: Any) -> list[Any]:
    """The fields of a frozen object with slots, which pickles and copies hold."""
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for f, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)


def _eq(getter: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        if other is self:
            return True
        return getter(self) == getter(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(getter: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(getter(self))

    return __hash__


def _refusing(kind: Any, names: frozenset[str]) -> tuple[Any, Any]:
    """The methods that change and remove attributes of a frozen object: they refuse fields."""

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is kind or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(kind, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is kind or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(kind, self).__delattr__(name)

    return __setattr__, __delattr__
