"""Sessions for a forked child: the e-graph is in a fresh process, which this one asks over two pipes."""

from __future__ import annotations

import atexit
import contextlib
import io
import itertools
import os
import pickle
import select
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eqsat.base.forks import Lock
from eqsat.egraph import adapter
from eqsat.egraph.adapter import EGraphFailure, EGraphUnavailable, Frozen, RunStep, Session, Table, Template

_WORKER = Path(__file__).with_name("worker.py")
STUCK = 20  # seconds without an answer and without work, after which a process is given up
_numbers = itertools.count()


class Worker:
    """A process that runs e-graphs, and the end of its pipes."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.lock = threading.RLock()
        self.known: weakref.WeakKeyDictionary[Template, int] = weakref.WeakKeyDictionary()
        self.gone: list[int] = []
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_WORKER)],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # an interrupt from the keyboard is for the process that asks
            )
        except (OSError, ValueError) as error:
            raise EGraphUnavailable(f"no process can be started for egglog: {error}") from error
        assert self.process.stdin is not None and self.process.stdout is not None
        self.requests = self.process.stdin.fileno()
        self.answers = io.BufferedReader(self.process.stdout)  # type: ignore[type-var]
        self.send(sys.path)

    def send(self, request: Any) -> None:
        left = memoryview(pickle.dumps(request, protocol=5))
        while left:
            left = left[os.write(self.requests, left) :]

    def ask(self, method: str, *arguments: Any) -> tuple[Any, float]:
        """The answer to a request, and the seconds of the processor that it took."""
        try:
            with self.lock:
                self.send((method, arguments))
                self.wait()
                good, result, seconds = pickle.load(self.answers)
        except BaseException as error:  # an answer that nobody has read would be taken for the next one
            self.stop()
            if isinstance(error, (OSError, EOFError, ValueError, pickle.UnpicklingError)):
                raise EGraphFailure(f"{method}: the process that runs egglog has ended") from error
            raise
        if not good:
            kind, text = result
            raise getattr(adapter, kind)(text)
        return result, seconds

    def wait(self) -> None:
        """Wait for an answer; EGraphFailure where the process neither answers nor computes."""
        idle, before = 0, -1.0
        while not select.select([self.answers], [], [], 1.0)[0]:
            now = processor_seconds(self.process.pid)
            idle, before = idle + 1 if now == before else 0, now
            if idle >= STUCK:
                raise EGraphFailure("the process that runs egglog does not answer: it may lack memory")

    def open(self, session: int, template: Template, lines: Sequence[str]) -> None:
        """Begin a session, with the lines of a template that the process does not know yet."""
        with self.lock:
            number, new = self.known.get(template), template not in self.known
            if number is None:
                number = self.known[template] = next(_numbers)
                weakref.finalize(template, self.gone.append, number).atexit = False
            gone, self.gone[:] = self.gone[:], []
            self.ask("open", session, number, list(lines) if new else None, gone)

    def stop(self) -> None:
        """End the process; one that is running a rule would end only after it."""
        self.process.kill()
        self.process.wait()
        self.close()

    def close(self) -> None:
        """Close this end of the pipes; the process ends when nobody has them open."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.answers.close()


def processor_seconds(pid: int) -> float:
    """Seconds of the processor that a process has taken; 0.0 where that is not known."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


_worker: Worker | None = None
_start = Lock()


@atexit.register
def _stop() -> None:
    if _worker is not None and _worker.owner == os.getpid():
        _worker.stop()


def _in_a_forked_child() -> None:
    """The process of the parent stays the parent's."""
    if _worker is not None:
        _worker.process.returncode = 0  # it is nothing to wait for here
        _worker.close()


os.register_at_fork(after_in_child=_in_a_forked_child)


def worker() -> Worker:
    """The process that runs the e-graphs of this one, started where there is none."""
    global _worker
    with _start:
        if _worker is None or _worker.process.poll() is not None:
            _worker = Worker()
        return _worker


class RemoteSession(Session):
    """A session whose e-graph is in another process."""

    def __init__(self, process: Worker, template: Template, lines: Sequence[str]) -> None:
        super().__init__(None)
        self._worker, self._number = process, next(_numbers)
        self._seconds = 0.0
        process.open(self._number, template, lines)

    def _ask(self, method: str, *arguments: Any) -> Any:
        result, seconds = self._worker.ask(method, self._number, *arguments)
        self._seconds += seconds
        return result

    def close(self, well: bool) -> None:
        """Give the e-graph back, or, after an error, away."""
        self._ask("end", well)

    def load_lines(self, tables: Mapping[str, bytes]) -> None:
        self._changed()
        self._ask("load_lines", dict(tables))

    def add(self, lines: Sequence[str]) -> None:
        self._changed()
        self._ask("add", list(lines))

    def run(self, ruleset: str, times: int = 1) -> RunStep:
        return self._ran("run", ruleset, times)

    def saturate(self, ruleset: str) -> RunStep:
        return self._ran("saturate", ruleset)

    def _ran(self, *call: Any) -> RunStep:
        step = RunStep(*self._ask(*call))
        if step.updated:
            self._changed()
        return step

    def clock(self) -> float:
        return time.thread_time() + self._seconds

    def sizes(self) -> dict[str, int]:
        return dict(self._ask("sizes"))

    def size(self) -> int:
        return int(self._ask("size"))

    def rows(self, name: str) -> list[tuple[int, ...]]:
        return list(self._ask("rows", name))

    def lists(self, name: str) -> list[tuple[tuple[int, ...], int]]:
        return list(self._ask("lists", name))

    def freeze(self, tables: Iterable[str] | None = None) -> Frozen:
        found, classes = self._ask("freeze", None if tables is None else list(tables))
        return Frozen({name: Table(*columns) for name, columns in found.items()}, classes)


@contextmanager
def remote_session(template: Template, lines: Sequence[str]) -> Iterator[Session]:
    """A session of a template in another process.

    Errors   EGraphUnavailable where no process can be started; EGraphFailure where it ends before its time
    """
    session = RemoteSession(worker(), template, lines)
    try:
        yield session
    except BaseException:
        with contextlib.suppress(EGraphFailure, EGraphUnavailable):
            session.close(well=False)
        raise
    session.close(well=True)
