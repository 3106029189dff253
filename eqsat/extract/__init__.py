"""E-graph to graph: which e-node of every class to keep, so that all outputs together cost least."""

from importlib import import_module
from typing import Any

_GUIDE = ("cost", "extractors", "generate", "problem", "serialize")  # the files that the guides name


def __getattr__(name: str) -> Any:
    """The files that the guides name wait until they are used."""
    if name not in _GUIDE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
