"""Loops: ``eqsat.scan(fn, ...)`` calls a function step by step inside a graph.

The module itself can be called, so that ``eqsat.scan(...)`` and ``from eqsat.scan import scan, until`` both work.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from eqsat.scan.basic import scan
from eqsat.scan.op import Scan
from eqsat.scan.utils import ScanArgs, ScanInfo, until
from eqsat.scan.views import foldl, foldr, map, reduce


class _Callable(ModuleType):
    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return scan(*args, **keywords)


sys.modules[__name__].__class__ = _Callable

__all__ = ["Scan", "ScanArgs", "ScanInfo", "foldl", "foldr", "map", "reduce", "scan", "until"]
