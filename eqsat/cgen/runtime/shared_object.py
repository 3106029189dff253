"""A shared object in the process: what was checked before it is loaded, and unmapped when nothing refers to it."""

from __future__ import annotations

import _ctypes
import ctypes
import platform
import struct
import weakref
from collections.abc import Iterable
from typing import Any, NamedTuple

_SHARED = 3  # the type of a file of ELF that can be loaded at run time
_DYNAMIC = 2  # the type of the segment that says what it needs and offers
_NO_BITS = 8  # the type of a section that takes no room in the file


class SharedObject:
    """A shared object that is loaded as long as somebody has this Python object.

    Errors   OSError, with the loader's words, for one that cannot be loaded or has not all the names
    """

    def __init__(self, path: str, names: Iterable[str] = ()) -> None:
        self.path = path
        self.kept: Any = None  # what has to be there as long as the object
        self.library = ctypes.CDLL(path)
        close = weakref.finalize(self, _close, self.library._handle)
        close.atexit = False  # threads may still be inside when the program ends
        for name in names:
            self.address(name)

    def address(self, name: str) -> int:
        """The address of a name."""
        try:
            return ctypes.addressof(ctypes.c_char.in_dll(self.library, name))
        except ValueError as error:
            raise OSError(str(error)) from error


def _close(handle: int) -> None:
    close = getattr(_ctypes, "dlclose", None)
    if close is not None:
        close(handle)


def damage(content: bytes) -> str | None:
    """The damage to a shared object, by the sizes that it states itself; None for none.

    Loading half an object can end the process. The sections are listed at the end of the file, so that one that was
    cut anywhere is seen.
    """
    if platform.system() != "Linux":
        return None if content else "it is empty"
    if content[:4] != b"\x7fELF" or len(content) < 64:
        return "it is no shared object"
    try:
        segments, sections, kind = _parts(content)
    except struct.error:
        return f"it was cut after {len(content)} bytes"
    if kind != _SHARED or not any(part.kind == _DYNAMIC for part in segments):
        return "it is no shared object"
    needed = max(part.end for part in [*segments, *sections])
    return f"it was cut after {len(content)} of {needed} bytes" if needed > len(content) else None


class _Part(NamedTuple):
    """A segment or a section: its type, and where it ends in the file."""

    kind: int
    end: int


def _parts(content: bytes) -> tuple[list[_Part], list[_Part], int]:
    """The segments and sections of a file of ELF, and its type."""
    wide, order = content[4] == 2, "<" if content[5] == 1 else ">"
    head = struct.unpack_from(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"), content, 16)
    segments = _rows(content, order + ("IIQQQQQQ" if wide else "IIIIIIII"), head[4], head[8], head[9])
    sections = _rows(content, order + ("IIQQQQIIQQ" if wide else "IIIIIIIIII"), head[5], head[10], head[11])
    start, size = (2, 5) if wide else (1, 4)  # of a segment
    return (
        [_Part(row[0], row[start] + row[size]) for row in segments],
        [_Part(row[1], 0 if row[1] == _NO_BITS else row[4] + row[5]) for row in sections],
        head[0],
    )


def _rows(content: bytes, form: str, start: int, size: int, count: int) -> list[tuple[int, ...]]:
    """A table in a file: where it starts, and the size and number of its rows."""
    return [struct.unpack_from(form, content, start + k * size) for k in range(count)]
