"""A file of finished rows: what one run has found a later one need not find again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from eqsat.errors import ArgumentError

_HEAD = b'{"about": '  # begins a file


class FinishedRows:
    """Rows in a file of JSON lines, by their keys; each is on disk when ``add`` returns.

    The first line says what the rows are ``about``, in values of JSON: rows about something else are refused. A last line that is cut
    short, by a run that was killed, is taken away. The file is this run's alone while it is open.

    Errors   ArgumentError for a file of other rows, of no rows, that another run writes, or that cannot be written

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.jsonl")
    >>> with FinishedRows(path, {"points": 60}) as rows:
    ...     rows.add("log-exp", {"verdict": "kept"})
    >>> with FinishedRows(path, {"points": 60}) as rows:
    ...     rows.rows
    {'log-exp': {'verdict': 'kept'}}
    """

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
        self.path, self.about = Path(path), json.loads(json.dumps(about))
        self.rows: dict[str, Any] = {}

    def __enter__(self) -> FinishedRows:
        try:
            self._file: IO[bytes] = open(self.path, "a+b")
        except OSError as error:
            raise self._refused(f"cannot be written: {error.strerror}") from error
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, key: str, row: Any) -> None:
        """Keep a row."""
        self._write({"key": key, "row": row})
        self.rows[key] = row

    def _lock(self) -> None:
        """Refuse a file that another run has open; file systems without locks have none."""
        try:
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise self._refused("is written by another run", hint="another file") from error
        except (ImportError, OSError):
            pass

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].splitlines()
        if not lines:
            if not _HEAD.startswith(content[: len(_HEAD)]):
                self._line(1, content, "about")
            self._file.truncate(0)
            self._write({"about": self.about})
            return
        about = self._line(1, lines[0], "about")["about"]
        if about != self.about:
            raise self._refused(
                f"has rows of another question: {_difference(about, self.about)}", "another file"
            )
        for number, line in enumerate(lines[1:], 2):
            held = self._line(number, line, "row")
            self.rows[held["key"]] = held["row"]
        self._file.truncate(whole)

    def _line(self, number: int, line: bytes, part: str) -> Any:
        """The object of a line, which has a part."""
        try:
            held = json.loads(line)
        except ValueError:
            held = None
        if not isinstance(held, dict) or not {part, *(["key"] if part == "row" else [])} <= set(held):
            raise self._refused(f"has no finished rows: line {number} is {line[:60]!r}", "another file")
        return held

    def _write(self, held: Any) -> None:
        try:
            self._file.write(json.dumps(held).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._refused(f"cannot be written: {error.strerror}") from error

    def _refused(self, why: str, hint: str | None = None) -> ArgumentError:
        return ArgumentError(f"{self.path} {why}", hint=hint)


def _difference(there: Any, here: Any) -> str:
    """The first value by which two questions differ."""
    if not isinstance(there, dict):
        return f"{there!r}"
    name = next(k for k in [*here, *there] if there.get(k) != here.get(k) or (k in there) != (k in here))
    return f"{name} is {there.get(name)!r} there and {here.get(name)!r} here"
