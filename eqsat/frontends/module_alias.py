"""Modules under the names of another library: what ``install`` puts into ``sys.modules`` and ``uninstall`` takes out.

A library is a table: for each of its modules the sources in which names are looked up, in this order. A source is a
module of eqsat, or ``"kind:part"``: a part of the names that differ, which stand in a module of their own (``PARTS_OF``).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import field
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from eqsat.base.configuration import config
from eqsat.base.names import MissingNameError, meant
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError

__all__ = ["Alias", "Library"]

NOWHERE = "nowhere"
HIDDEN = ("annotations", "Any", "TYPE_CHECKING")
PARTS_OF = {
    "old": "eqsat.frontends.theano.theano_names",
    "pytensor": "eqsat.frontends.pytensor.pytensor_names",
}


class Alias(ModuleType):
    """A module whose names are looked up in others when they are asked for."""

    def __init__(self, name: str, sources: tuple[str, ...], library: Library) -> None:
        super().__init__(name, f"Names of {name} in eqsat.")
        self.__dict__.update({"__path__": [], "__version__": library.version, "__file__": library.table})
        self.__dict__.update(_sources=sources, _library=library)

    def __getattr__(self, name: str) -> Any:
        for source in self.__dict__["_sources"] if name != "__all__" else ():
            found = _lookup(source, name)
            if found is not NOWHERE:
                self.__dict__[name] = found
                return found
        if name == "__all__":
            return self._public()
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingNameError(f"{self.__name__} has no {name!r} in eqsat", name, self.__dir__)

    def _public(self) -> list[str]:
        """The names that ``from module import *`` takes, and those that the library's module imports itself."""
        library = self.__dict__["_library"]
        stars = [names for above, names in library.stars.items() if self.__name__.startswith(above)]
        also: Mapping[str, str] = stars[0] if stars else {}
        self.__dict__.update({name: sys.modules[where] for name, where in also.items()})
        return [name for name in {*dir(self), *also} if not name.startswith("_") and name not in HIDDEN]

    def __dir__(self) -> list[str]:
        names = {name for name in sys.modules if name.startswith(f"{self.__name__}.")}
        found = {name.removeprefix(f"{self.__name__}.").partition(".")[0] for name in names}
        for source in self.__dict__["_sources"]:
            found |= set(_names(source))
        return sorted(found)


def _part(source: str) -> Mapping[str, Any] | None:
    """The names of a ``"kind:part"``, None for a module."""
    kind, colon, part = source.partition(":")
    return importlib.import_module(PARTS_OF[kind]).PARTS[part] if colon else None


def _names(source: str) -> Mapping[str, Any]:
    """The names of a source; of a module all."""
    part = _part(source)
    if part is not None:
        return part
    try:
        return vars(importlib.import_module(source))
    except ImportError:
        return {}


def _lookup(source: str, name: str) -> Any:
    found = _names(source).get(name, NOWHERE)
    if found is NOWHERE and ":" not in source and not name.startswith("__"):
        try:
            return getattr(importlib.import_module(source), name, NOWHERE)
        except ImportError:
            return NOWHERE
    return found


@dataclass(frozen=True)
class Library:
    """A library whose modules eqsat stands in for.

    ``table`` is the file that lists ``modules``, which errors of imports show; ``overlaps`` are modules of
    whose name their package has a function; ``stars`` says what else a star import of a module
    and of those below it brings.
    """

    name: str
    version: str
    table: str
    modules: Mapping[str, tuple[str, ...]]
    overlaps: tuple[tuple[str, str], ...] = ()
    stars: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def install(self, force: bool = False) -> None:
        """Put the modules into ``sys.modules``."""
        there = sys.modules.get(self.name)
        if there is not None and not isinstance(there, Alias) and not force:
            raise ArgumentError(
                f"another {self.name} is imported already",
                hint=f"install() before the first import of {self.name}",
            )
        self.uninstall()
        made = {name: Alias(name, sources, self) for name, sources in self.modules.items()}
        for name, module in made.items():
            above, _, last = name.rpartition(".")
            if above and (above, last) not in self.overlaps:
                setattr(made[above], last, module)
            sys.modules[name] = module
        sys.meta_path.insert(0, _Missing(self))
        config.variables_are_true = True

    def uninstall(self) -> None:
        """Take the modules out again."""
        own = [name for name, m in _installed() if _library(m) is self]
        for name in own:
            del sys.modules[name]
        sys.meta_path[:] = [f for f in sys.meta_path if getattr(f, "library", None) is not self]
        if own:
            config.variables_are_true = bool(_installed())


def _installed() -> list[tuple[str, Alias]]:
    """The modules of all installed libraries; ``type``, as ``isinstance`` would load modules that wait to be used."""
    return [(name, m) for name, m in list(sys.modules.items()) if type(m) is Alias]


def _library(module: Alias) -> Any:
    return module.__dict__["_library"]


@dataclass(frozen=True)
class _Missing:
    """Says which module of an installed library has no counterpart."""

    library: Library

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Raise ModuleNotFoundError for a module of the library that the table does not have."""
        if not name.startswith(f"{self.library.name}."):
            return None
        above, _, last = name.rpartition(".")
        beside = (known.rpartition(".") for known in self.library.modules)
        near = meant(last, (own for place, _, own in beside if place == above), f"{above}.{{}}")
        said = f"{name} has no counterpart in eqsat" + (f"; did you mean {near}?" if near else "")
        raise ModuleNotFoundError(said, name=name)
