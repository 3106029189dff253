"""The modules of SciPy that offer C functions, without the packages around them."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any


@cache
def linalg_module(name: str) -> Any:
    """``scipy.linalg.NAME``, ``cython_blas`` or ``cython_lapack``, as it is imported by whoever asks for it.

    Where nobody has imported scipy.linalg yet it stays away, since that takes a quarter of a second, ten times as long as
    the module, which needs nothing else of it. A later import finds the same module.

    >>> from eqsat.cgen.runtime.scipy_modules import linalg_module
    >>> sorted(linalg_module("cython_blas").__pyx_capi__)[:2]
    ['caxpy', 'ccopy']
    """
    package, whole = "scipy.linalg", f"scipy.linalg.{name}"
    if package not in sys.modules:
        folders = [str(Path(folder) / "linalg") for folder in import_module("scipy").__path__]
        found = PathFinder.find_spec(whole, folders)
        if found is not None and found.loader is not None:
            module = module_from_spec(found)
            found.loader.exec_module(module)
            sys.modules.pop(whole, None)  # so that its import loads the package, too
            return module
    return import_module(whole)
