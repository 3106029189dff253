"""Loops: ``eqsat.scan(fn, ...)`` calls a function step by step inside a graph.

The module itself can be called, so that ``eqsat.scan(...)`` and ``from eqsat.scan import scan, until`` both work. Its
parts are imported when they are first asked for.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from eqsat.scan.checkpoints import scan_checkpoints
from eqsat.scan.views import foldl, foldr, map, reduce

if TYPE_CHECKING:
    from eqsat.scan.basic import scan
    from eqsat.scan.op import Scan
    from eqsat.scan.utils import ScanArgs, ScanInfo, until

_PLACES = {"scan": "basic", "Scan": "op", "ScanArgs": "utils", "ScanInfo": "utils", "until": "utils"}


class _Callable(ModuleType):
    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.scan(*args, **keywords)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'eqsat.scan' has no attribute {name!r}")
    return getattr(importlib.import_module(f"eqsat.scan.{_PLACES[name]}"), name)


sys.modules[__name__].__class__ = _Callable

__all__ = [
    "Scan",
    "ScanArgs",
    "ScanInfo",
    "foldl",
    "foldr",
    "map",
    "reduce",
    "scan",
    "scan_checkpoints",
    "until",
]
