"""egglog's compiled extension, loaded on first use and without its Python package, which takes twenty times as long.

The process of ``remote`` loads this file, too: it imports nothing of eqsat.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import sys
import threading
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

_EXTENSION = "egglog.bindings"
_ADVICE = "install it with: pip install 'egglog>=13.2,<14'"
_LOGGERS = ("egglog", "egglog_bridge", "egglog_core_relations")


class EGraphUnavailable(Exception):
    """egglog is missing, has another version, or cannot be used in this process."""


_load_lock = threading.Lock()
_loaded: tuple[ModuleType, int] | None = None


def _in_a_forked_child() -> None:
    """The thread that held the lock does not exist in the child."""
    global _load_lock
    _load_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_forked_child)


def is_lost() -> bool:
    """True in a process that was forked after egglog was loaded: whatever it asked of egglog would hang."""
    return _loaded is not None and _loaded[1] != os.getpid()


def bindings() -> ModuleType:
    """egglog's extension module; ``EGraphUnavailable`` where it is missing or would hang."""
    global _loaded
    if _loaded is None:
        with _load_lock:
            _loaded = _loaded or (_load(), os.getpid())
    if is_lost():
        raise EGraphUnavailable("egglog was loaded before this process was forked and would hang: use spawn")
    return _loaded[0]


def _quieten() -> None:
    """Programs that log from INFO on do not want thousands of lines of egglog; a level that is set stays."""
    for logger in map(logging.getLogger, _LOGGERS):
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.WARNING)


def _load() -> ModuleType:
    package = importlib.util.find_spec("egglog")
    if package is None or not package.submodule_search_locations:
        raise EGraphUnavailable(f"egglog is not installed: {_ADVICE}")
    folders = list(package.submodule_search_locations)
    version = _version(Path(folders[0]))
    if version.split(".")[0] != "13" or version.startswith(("13.0", "13.1")):
        raise EGraphUnavailable(f"egglog {version} is installed, which eqsat cannot use: {_ADVICE}")
    _quieten()
    try:
        return sys.modules.get(_EXTENSION) or _load_alone(folders) or importlib.import_module(_EXTENSION)
    except ImportError as error:
        raise EGraphUnavailable(f"egglog {version} does not load here ({error}): {_ADVICE}") from error


def _version(folder: Path) -> str:
    """The version from the name beside the package; importlib.metadata alone would cost more than all the rest."""
    found = [path.name for path in folder.parent.glob("egglog-*.dist-info")]
    if len(found) == 1:
        return found[0].removeprefix("egglog-").removesuffix(".dist-info")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("egglog")
    except PackageNotFoundError:
        return "of unknown version"


def _load_alone(folders: Sequence[str]) -> ModuleType | None:
    """The extension without the package around it; None where that does not work."""
    spec = PathFinder.find_spec(_EXTENSION, folders)
    if spec is None or spec.loader is None:
        return None
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:
        return None
    finally:  # finding no entry, a later `import egglog` gets this same module and ties it to its package
        sys.modules.pop(_EXTENSION, None)
    return module
