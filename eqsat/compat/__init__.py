"""Older programs: modules under the names that they import."""

from importlib import import_module
from typing import Any

__all__ = ["theano"]


def __getattr__(name: str) -> Any:
    """``eqsat.compat.theano`` waits until it is used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
