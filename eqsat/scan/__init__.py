"""Loops: ``eqsat.scan(fn, ...)`` calls a function step by step inside a graph.

The module itself can be called, so that ``eqsat.scan(...)`` and ``from eqsat.scan import scan, until`` both work. Its
parts are imported when they are first asked for.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from eqsat.base.names import late_names
from eqsat.scan.checkpoints import scan_checkpoints
from eqsat.scan.views import foldl, foldr, map, reduce

if TYPE_CHECKING:
    from eqsat.scan.basic import scan
    from eqsat.scan.op import Scan
    from eqsat.scan.utils import ScanArgs, ScanInfo, until

_LATER = {
    "scan": "eqsat.scan.basic:scan",
    "Scan": "eqsat.scan.op:Scan",
    "ScanArgs": "eqsat.scan.utils:ScanArgs",
    "ScanInfo": "eqsat.scan.utils:ScanInfo",
    "until": "eqsat.scan.utils:until",
}


class _ScanModule(ModuleType):
    """The type of the module ``eqsat.scan``: to callers, to ``help`` and to type checkers it is the function ``scan``."""

    if TYPE_CHECKING:
        __call__ = staticmethod(scan)
        scan = staticmethod(scan)
        scan_checkpoints = staticmethod(scan_checkpoints)
        map, reduce = staticmethod(map), staticmethod(reduce)
        foldl, foldr = staticmethod(foldl), staticmethod(foldr)
        Scan, ScanArgs, ScanInfo, until = Scan, ScanArgs, ScanInfo, until
    else:

        def __call__(self, *args: Any, **keywords: Any) -> Any:
            return self.scan(*args, **keywords)

        @property
        def __signature__(self) -> inspect.Signature:
            return inspect.signature(self.scan)

        @property
        def __doc__(self) -> str:
            first, _, rest = inspect.getdoc(self.scan).partition("\n")
            words = [str(p.replace(annotation=p.empty)) for p in self.__signature__.parameters.values()]
            return f"{first}\n\neqsat.scan({', '.join(words)})\n{rest}"


late_names(__name__, _LATER)

sys.modules[__name__].__class__ = _ScanModule

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
