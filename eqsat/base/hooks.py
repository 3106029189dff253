"""Hooks: what a lower room asks of a room above it, by a name that ``eqsat/__init__.py`` registers.

A room imports only rooms below it. A variable that draws itself, or a scan that is given a mode, needs code from above:
it calls ``hook("draw")(v)``, and the table of hooks says which function of which room answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

_PLACES: dict[str, str] = {}


def register_hooks(places: Mapping[str, str]) -> None:
    """Name functions of higher rooms, each as ``"module:attribute"``, for the rooms below them."""
    _PLACES.update(places)


def is_hook(name: str) -> bool:
    """True once a function is registered under a name.

    >>> is_hook("short_text"), is_hook("long_text")
    (True, False)
    """
    return name in _PLACES


def hook(name: str) -> Any:
    """The function that a hook names; its module is imported when it is asked for.

    Errors   DeclarationError for a name that is not registered

    >>> hook("short_text").__module__
    'eqsat.printing.short_text'
    """
    if name not in _PLACES:
        from eqsat.errors import DeclarationError  # which imports this room

        raise DeclarationError(
            f"there is no hook {name!r} in eqsat/__init__.py", among=(name, sorted(_PLACES))
        )
    module, _, attribute = _PLACES[name].partition(":")
    return getattr(import_module(module), attribute)
