"""Names that somebody looks up: which known ones a misspelt one is close to, and modules whose names wait until they are used."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


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
    """Answer ``__getattr__`` of a class for a name that is not there: raise the error of a property, or MissingNameError."""
    kind = type(thing)
    if hasattr(kind, name):
        return object.__getattribute__(thing, name)  # raises what the property did
    raise MissingNameError(f"{kind.__name__!r} object has no attribute {name!r}", name, lambda: dir(thing))


def spelled(function: Function) -> Function:
    """The function with an error that names the keyword that was meant, where it does not take the one that is given.

    >>> def area(width, height=1.0):
    ...     return width * height
    >>> print(spelled(area)(2.0, heigth=3.0))
    Traceback (most recent call last):
    eqsat.errors.ArgumentError: area() got an unexpected keyword argument 'heigth'
      needs  one of width, height
      try    height
    """

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except TypeError:
            if keywords:
                check_keywords(function, keywords)
            raise

    call.__dict__["_spelled"] = True
    return cast("Function", call)


def check_keywords(function: Callable[..., Any], given: Iterable[str]) -> None:
    """Raise where a function does not take a keyword.

    Errors   ArgumentError with the keywords that it takes, and those that are close
    """
    known = keywords_of(function)
    if known is not None:
        check_among(name_of(function), given, known)


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function for errors: of what makes objects, and of objects that are called, that of their class.

    >>> name_of(name_of), name_of(Suggesting.__getattr__)
    ('name_of', 'Suggesting.__getattr__')
    """
    return str(getattr(function, "__qualname__", type(function).__name__)).removesuffix(".__init__")


def check_among(called: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Raise where a keyword of a call is none of those that are known.

    Errors   ArgumentError with the keywords that there are, and those that are close
    """
    from eqsat.errors import ArgumentError  # which imports this module

    for name in given:
        if name not in known:
            text = f"{called}() got an unexpected keyword argument {name!r}"
            raise ArgumentError(text, among=(name, known), keyword=name) from None


def keywords_of(function: Callable[..., Any]) -> list[str] | None:
    """The names that a call of a function, or of a method of an object, may use; None where it takes any."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [p.name for p in parameters if p.kind in kinds and p.name != "self"]


def spell_methods(kind: type) -> None:
    """Let public methods of a class, and its making, name the keywords that were meant.

    Objects with slots are made in great numbers, by eqsat more than by users, and as fast as before.
    """
    made = ("__call__",) if "__slots__" in vars(kind) else ("__init__", "__call__")
    for name, thing in list(vars(kind).items()):
        public = name in made or name[0] != "_"
        if public and isinstance(thing, FunctionType) and is_ours(thing) and takes_keywords(thing):
            setattr(kind, name, spelled(thing))


def takes_keywords(function: FunctionType) -> bool:
    """True for a function of more than an object, and not of any keywords."""
    code = function.__code__
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return hasattr(function, "__wrapped__")
    return code.co_argcount + code.co_kwonlyargcount > 1


def is_ours(thing: Any) -> bool:
    """True for a function or class of eqsat that is not spelled yet."""
    return getattr(thing, "__module__", "").partition(".")[0] == "eqsat" and "_spelled" not in vars(thing)


class Suggesting:
    """A class whose missing attributes, and misspelt keywords of methods, are told with the names that are close."""

    __slots__ = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        spell_methods(cls)

    if not TYPE_CHECKING:  # which knows the attributes

        def __getattr__(self, name: str) -> Any:
            return missing_attribute(self, name)


def offered(thing: Any) -> Any:
    """An object as a module offers it, with errors that name the keyword that was meant."""
    if isinstance(thing, FunctionType) and is_ours(thing):
        return _of_all_modules(thing)
    if isinstance(thing, type) and is_ours(thing) and not issubclass(thing, (BaseException, tuple)):
        for base in filter(is_ours, thing.__mro__):
            spell_methods(base)
    return thing


_offered: dict[FunctionType, Any] = {}


def _of_all_modules(function: FunctionType) -> Any:
    """The spelled function, one whichever module offers it; also where it is defined, as pickles look there."""
    if function not in _offered:
        _offered[function] = spelled(function)
        home = vars(sys.modules[function.__module__])
        if home.get(function.__name__) is function:
            home[function.__name__] = _offered[function]
    return _offered[function]


def late_names(module: str, later: Mapping[str, str] = MappingProxyType({})) -> None:
    """Give a module names that wait until they are used, and errors for names and keywords that it does not have.

    ``later`` maps a name to "module:attribute", or to the module that it is.

    >>> late_names("eqsat.base.names", {"sqrt": "math:sqrt", "cmath": "cmath"})
    >>> import eqsat.base.names
    >>> eqsat.base.names.sqrt(4.0), eqsat.base.names.cmath.__name__, "sqrt" in dir(eqsat.base.names)
    (2.0, 'cmath', True)
    >>> eqsat.base.names.sqt
    Traceback (most recent call last):
    eqsat.base.names.MissingNameError: module 'eqsat.base.names' has no attribute 'sqt'; did you mean sqrt?
    """
    held = vars(sys.modules[module])
    public = held.get("__all__") or [name for name in held if name[0] != "_"]
    held.update({name: offered(held[name]) for name in public if name in held})

    def find(name: str) -> Any:
        if name not in later:
            raise MissingNameError(f"module {module!r} has no attribute {name!r}", name, names)
        place, _, attribute = later[name].partition(":")
        found = import_module(place)
        return offered(getattr(found, attribute)) if attribute else found

    def names() -> list[str]:
        return sorted({*held, *later})

    held.update(__getattr__=find, __dir__=names)
