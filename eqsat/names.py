"""Names that somebody looks up: which known ones a misspelt one is close to, and modules whose names wait until they are used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any


def close_names(name: object, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names that are spelled much like a name, the closest first; capitals make no difference.

    >>> close_names("fast_rum", ["FAST_RUN", "FAST_COMPILE", "numpy"])
    ['FAST_RUN']
    """
    from difflib import get_close_matches  # loaded where something went wrong

    spelled: dict[str, list[str]] = {}
    for one in known:
        spelled.setdefault(one.lower(), []).append(one)
    close = get_close_matches(str(name).lower(), sorted(spelled), most, 0.65)
    return [one for lower in close for one in spelled[lower]][:most]


def meant(name: object, known: Iterable[str], form: str = "{}") -> str | None:
    """The close names, each in a form, joined as the hint of an error; None where no name is close.

    >>> meant("expp", ["exp", "log", "exp2"]), meant("flop", ["FAST_RUN"], "mode={!r}")
    ('exp or exp2', None)
    """
    return joined([form.format(one) for one in close_names(name, known)]) or None


def joined(words: list[str]) -> str:
    """Words as a choice: "a, b or c"."""
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


class MissingNameError(AttributeError):
    """An attribute that does not exist; close names are looked for when its text is read, since ``hasattr`` asks often."""

    def __init__(self, text: str, name: str, known: Callable[[], Iterable[str]]) -> None:
        super().__init__(text, name=name)  # without obj, so that Python's traceback adds no names of its own
        self._known = known

    def __str__(self) -> str:
        near = meant(self.name, (one for one in self._known() if one[0] != "_"))
        return f"{self.args[0]}; did you mean {near}?" if near else str(self.args[0])

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


def missing_attribute(thing: object, name: str) -> Any:
    """What ``__getattr__`` of a class does for a name that is not there: the error of a property, or MissingNameError."""
    kind = type(thing)
    if hasattr(kind, name):
        return object.__getattribute__(thing, name)  # raises what the property did
    raise MissingNameError(f"{kind.__name__!r} object has no attribute {name!r}", name, lambda: dir(thing))


class Suggesting:
    """A class whose missing attributes are told with the names that are close."""

    __slots__ = ()

    if not TYPE_CHECKING:  # which knows the attributes

        def __getattr__(self, name: str) -> Any:
            return missing_attribute(self, name)


def late_names(module: str, later: Mapping[str, str] = MappingProxyType({})) -> None:
    """Give a module names that wait until they are used, and the error for a name that it does not have.

    ``later`` maps a name to "module:attribute", or to the module that it is.

    >>> late_names("eqsat.names", {"sqrt": "math:sqrt", "cmath": "cmath"})
    >>> import eqsat.names
    >>> eqsat.names.sqrt(4.0), eqsat.names.cmath.__name__, "sqrt" in dir(eqsat.names)
    (2.0, 'cmath', True)
    >>> eqsat.names.sqt
    Traceback (most recent call last):
    eqsat.names.MissingNameError: module 'eqsat.names' has no attribute 'sqt'; did you mean sqrt?
    """
    held = vars(sys.modules[module])

    def find(name: str) -> Any:
        if name not in later:
            raise MissingNameError(f"module {module!r} has no attribute {name!r}", name, names)
        place, _, attribute = later[name].partition(":")
        found = import_module(place)
        return getattr(found, attribute) if attribute else found

    def names() -> list[str]:
        return sorted({*held, *later})

    held.update(__getattr__=find, __dir__=names)
