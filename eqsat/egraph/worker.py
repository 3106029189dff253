"""The process that runs e-graphs for a forked child, in which egglog would hang; a script, run by its path.

It reads a request at a time from its standard input and answers on its standard output, both pickled by a process
that started it and that alone holds the other ends. It ends with its input. It needs the files of the adapter
and egglog, and not all of eqsat: importing that would take ten times as long.
"""

from __future__ import annotations

import contextlib
import importlib
import pickle
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO


class Abandoned(Exception):
    """Raised where a session ended for a reason outside of it."""


class Server:
    """The templates and sessions of one client, by their numbers."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self.templates: dict[int, Any] = {}
        self.contexts: dict[int, Any] = {}
        self.sessions: dict[int, Any] = {}

    def open(self, session: int, template: int, lines: list[str] | None, gone: list[int]) -> None:
        """Begin a session; ``lines`` are those of a template that is new, ``gone`` are templates not needed any more."""
        for number in gone:
            self.templates.pop(number, None)
        if lines is not None:
            self.templates[template] = self.adapter.Template(lines, [])
        context = self.contexts[session] = self.templates[template].session()
        self.sessions[session] = context.__enter__()

    def end(self, session: int, well: bool) -> None:
        """End a session; one that ended in an error is not used again."""
        self.sessions.pop(session, None)
        context = self.contexts.pop(session)
        with contextlib.suppress(Abandoned):
            context.__exit__(*((None, None, None) if well else (Abandoned, Abandoned(), None)))

    def freeze(self, session: int, tables: list[str] | None) -> Any:
        """Tables as plain tuples."""
        frozen = self.sessions[session].freeze(tables)
        return {name: tuple(frozen.columns(name)) for name in frozen.names()}, frozen.classes

    def answer(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """The answer to a request."""
        if hasattr(self, method):
            return getattr(self, method)(*arguments)
        session, *others = arguments
        found = getattr(self.sessions[session], method)(*others)
        return tuple(found) if type(found).__name__ == "RunStep" else found


def adapter_in(folder: str) -> Any:
    """The adapter, in packages of which nothing else is loaded."""
    for name in ("eqsat", "eqsat.egraph"):
        package = sys.modules[name] = ModuleType(name)
        package.__path__ = [folder]
    return importlib.import_module("eqsat.egraph.adapter")


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more: each with the seconds of the processor that this one has taken."""
    sys.path[:] = pickle.load(requests)
    adapter = adapter_in(str(Path(__file__).parent))
    server = Server(adapter)
    while True:
        try:
            method, arguments = pickle.load(requests)
        except EOFError:
            return
        start = time.thread_time()
        try:
            good, result = True, server.answer(method, arguments)
        except (adapter.EGraphFailure, adapter.EGraphUnavailable) as error:
            good, result = False, (type(error).__name__, str(error))
        pickle.dump((good, result, time.thread_time() - start), answers, protocol=5)
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
