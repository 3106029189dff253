"""Nested containers of arguments and results: their leaves in one order, and the form that puts leaves back."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple


class Form(NamedTuple):
    """One container: ``kind`` is its class, or None for a leaf; ``names`` are the keys or fields of its ``parts``."""

    kind: type | None
    names: tuple[Any, ...] = ()
    parts: tuple[Form, ...] = ()


LEAF = Form(None)


def is_named_tuple(kind: type) -> bool:
    """True for the class of a named tuple.

    >>> is_named_tuple(Form), is_named_tuple(tuple)
    (True, False)
    """
    return issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple)


def opened(value: Any) -> tuple[tuple[Any, ...], list[Any]] | None:
    """The names and the parts of a container; None for a leaf.

    >>> opened({"a": 1}), opened((1, 2)), opened(3)
    ((('a',), [1]), ((0, 1), [1, 2]), None)
    """
    kind = type(value)
    if kind in (tuple, list):
        return tuple(range(len(value))), list(value)
    if kind in (dict, OrderedDict):
        return tuple(value), list(value.values())
    if is_named_tuple(kind):
        return kind._fields, list(value)
    if dataclasses.is_dataclass(kind):
        names = tuple(field.name for field in dataclasses.fields(kind))
        return names, [getattr(value, name) for name in names]
    return None


def flatten(value: Any, path: str = "") -> tuple[list[tuple[str, Any]], Form]:
    """The leaves of a value, each with its path in the user's words, and the form of the value.

    >>> leaves, form = flatten({"w": [1, 2], "b": None}, "p")
    >>> leaves
    [("p['w'][0]", 1), ("p['w'][1]", 2), ("p['b']", None)]
    >>> unflatten(form, [10, 20, 30])
    {'w': [10, 20], 'b': 30}
    """
    found = opened(value)
    if found is None:
        return [(path, value)], LEAF
    names, parts = found
    kind = type(value)
    dotted = is_named_tuple(kind) or dataclasses.is_dataclass(kind)
    inner = [flatten(v, _joined(path, n, dotted)) for n, v in zip(names, parts, strict=True)]
    return [leaf for leaves, _ in inner for leaf in leaves], Form(kind, names, tuple(f for _, f in inner))


def _joined(path: str, name: Any, dotted: bool) -> str:
    return f"{path}.{name}" if dotted else f"{path}[{name!r}]"


def leaf_count(form: Form) -> int:
    """The number of leaves of a form."""
    return 1 if form.kind is None else sum(leaf_count(part) for part in form.parts)


def unflatten(form: Form, leaves: Iterable[Any]) -> Any:
    """A value of a form, with other leaves."""
    return _built(form, iter(leaves))


def _built(form: Form, leaves: Iterator[Any]) -> Any:
    if form.kind is None:
        return next(leaves)
    return closed(form.kind, form.names, [_built(part, leaves) for part in form.parts])


def closed(kind: type, names: Iterable[Any], parts: list[Any]) -> Any:
    """A container of a class, of its parts; a dataclass is not initialised again."""
    if kind in (tuple, list):
        return kind(parts)
    if kind in (dict, OrderedDict):
        return kind(zip(names, parts, strict=True))
    if is_named_tuple(kind):
        return kind(*parts)
    made: Any = object.__new__(kind)
    for name, part in zip(names, parts, strict=True):
        object.__setattr__(made, name, part)
    return made


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """The value with a function applied to each of its leaves, also to those in slices.

    >>> mapped(lambda v: -v, [1, (2, {"a": 3})])
    [-1, (-2, {'a': -3})]
    """
    if isinstance(value, slice):
        return slice(*(mapped(function, v) for v in (value.start, value.stop, value.step)))
    found = opened(value)
    if found is None:
        return function(value)
    return closed(type(value), found[0], [mapped(function, v) for v in found[1]])
