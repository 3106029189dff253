"""The user's line: where eqsat was called, also from threads that it started."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar
from inspect import unwrap
from types import FrameType
from typing import Any, NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_BELOW = (
    threading.__file__,
    os.path.join(os.path.dirname(threading.__file__), "concurrent", "futures", "thread.py"),
)  # where threads begin
_FOREIGN = tuple(
    f"-packages{os.sep}{name}{os.sep}" for name in ("numpy", "scipy", "pandas")
)  # whose functions ask us
CELL = "cell "  # how the names of cells begin
_names: dict[str, str] = {}  # path of a source file -> its name, empty for files that no user wrote


class Line(NamedTuple):
    """A line of a source file."""

    path: str
    number: int


_CALLER: ContextVar[Line | None] = ContextVar("caller", default=None)


def caller_frame() -> FrameType | None:
    """The nearest frame of code of a user; None in a thread that eqsat started."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        name = _names.get(path)
        if name or name is None and users_file(path):
            return frame
        frame = frame.f_back
    return None


def line_text() -> str | None:
    """File and number of the nearest line of a user's code, as ``train.py:41``; None in a thread that eqsat started.

    Every variable asks for it as it is made: it says in one loop what ``caller_frame`` and ``users_file`` say.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        name = _names.get(path)
        if name or name is None and (name := users_file(path)):
            return placed(name, frame.f_lineno)
        frame = frame.f_back
    return None


def users_file(path: str) -> str:
    """Name of a source file without its folder, or of a cell of a notebook; empty for those of eqsat, NumPy, SciPy and pandas, and those in which Python and threads begin."""
    name = _names.get(path)
    if name is None:
        foreign = path.startswith((_PACKAGE, "<frozen ")) or path in _BELOW
        foreign = foreign or any(part in path for part in _FOREIGN)
        name = _names[path] = "" if foreign else _of_cell(path) or path.rpartition(os.sep)[2]
    return name


def line_of(function: Any) -> str | None:
    """File and number of the line on which a function of a user begins; None for one that no user wrote in Python.

    >>> line_of(lambda x: x).startswith("<doctest"), line_of(line_of), line_of(len)
    (True, None, None)
    """
    code = getattr(unwrap(function), "__code__", None)
    name = users_file(code.co_filename) if code is not None else ""
    return placed(name, code.co_firstlineno) if code is not None and name else None


def placed(name: str, number: int) -> str:
    """A line of a file, ``train.py:41``, or of a cell of a notebook.

    >>> placed("train.py", 41), placed("cell [3]", 2)
    ('train.py:41', 'cell [3], line 2')
    """
    return f"{name}, line {number}" if name.startswith(CELL) else f"{name}:{number}"


def _of_cell(path: str) -> str | None:
    """The cell of a notebook, or of IPython, which has a file name of its own making; None for files."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    described = getattr(getattr(shell, "compile", None), "format_code_name", lambda path: None)(path)
    kind, text = described or ("", "")
    number = text.removeprefix("In").strip("[]")
    return f"{CELL}[{number}]" if kind == "Cell" and number.isdigit() else None


def caller() -> Line | None:
    """The user's line that led here; in a thread that eqsat started, the one that led to its start."""
    frame = caller_frame()
    return _CALLER.get() if frame is None else Line(frame.f_code.co_filename, frame.f_lineno)


def carried(work: Callable[..., Any]) -> Callable[..., Any]:
    """Work for another thread, in which the user's line is that of now.

    >>> lines = []
    >>> thread = threading.Thread(target=carried(lambda: lines.append(_CALLER.get())))
    >>> thread.start()
    >>> thread.join()
    >>> lines[0].path.startswith("<doctest")
    True
    """
    line = caller()

    def run(*arguments: Any) -> Any:
        _CALLER.set(line)  # a thread has a context of its own
        return work(*arguments)

    return run
