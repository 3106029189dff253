"""Independent jobs in other processes or on other machines: answers as they come, none lost and none twice.

The work is sent to a worker once and kept there by its digest; jobs and answers go as bytes, which a worker reads after it has
prepared itself. An error of the work is an answer too, so any other error is that of a worker which is gone, and its job is sent again.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import field
from functools import partial
from os import PathLike
from queue import SimpleQueue
from typing import Any

from eqsat.base.executors import Workers, workers_of
from eqsat.base.finished_rows import FinishedRows
from eqsat.base.forks import Lock
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, WorkerError, raised_text

TRIES = 3  # times that a job is sent before it is given up
SMALL = 1 << 14  # bytes of work that go with each job
KEPT = 8  # works that a worker keeps
ANSWER, RAISED, MISSING = "answer", "raised", "missing"


@dataclass(frozen=True)
class Jobs:
    """The work that is done for each job of many, and how its answers are kept.

    ``name`` says a job in errors and ``key`` tells its row from others; ``prepare`` is called once in each worker, before the work is read there, and declares
    the ops and rules of users. ``about`` has what decides the answers beside the job, as JSON holds it. ``row`` makes a value of JSON of an
    answer, None for one that is not kept, and ``answer`` makes the answer of a job and its row. All but ``row``, ``name``, ``key`` and ``answer`` are pickled.

    >>> list(Jobs(abs).run([-1, 2]))
    [(-1, 1), (2, 2)]
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     sorted(Jobs(abs).run([-1, 2], pool))
    [(-1, 1), (2, 2)]
    """

    work: Callable[[Any], Any]
    name: Callable[[Any], str] = str
    key: Callable[[Any], str] = str
    prepare: Callable[[], Any] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    row: Callable[[Any], Any] = lambda answer: answer
    answer: Callable[[Any, Any], Any] = lambda job, row: row

    def run(
        self,
        jobs: Iterable[Any],
        executor: Any = None,
        resume: str | PathLike[str] | None = None,
        most: int | None = None,
    ) -> Iterator[tuple[Any, Any]]:
        """Each job with its answer: in order in this process, and as they come from an executor, or one that a text names.

        ``resume`` is a file of finished rows: jobs that it has are not done again. ``most`` jobs, where it is given, are with the executor at once.

        Errors   WorkerError for a job whose worker was lost several times; ArgumentError for an executor or a file that cannot be used
        """
        if resume is None:
            yield from self._answers(jobs, executor, most)
            return
        about = {"eqsat": getattr(sys.modules.get("eqsat"), "__version__", None), **self.about}
        with FinishedRows(resume, about) as rows:
            found: deque[Any] = deque()
            for job, answer in self._answers(self._left(jobs, rows, found), executor, most):
                yield from self._kept(found, rows)
                row = self.row(answer)
                if row is not None:
                    rows.add(self.key(job), row)
                yield job, answer
            yield from self._kept(found, rows)

    def _left(self, jobs: Iterable[Any], rows: FinishedRows, found: deque[Any]) -> Iterator[Any]:
        """The jobs that a file has no row of; the others come to those that are found."""
        for job in jobs:
            if self.key(job) in rows.rows:
                found.append(job)
            else:
                yield job

    def _kept(self, found: deque[Any], rows: FinishedRows) -> Iterator[tuple[Any, Any]]:
        while found:
            job = found.popleft()
            yield job, self.answer(job, rows.rows[self.key(job)])

    def _answers(self, jobs: Iterable[Any], executor: Any, most: int | None) -> Iterator[tuple[Any, Any]]:
        if executor is None:
            yield from ((job, self.work(job)) for job in jobs)
            return
        with workers_of(executor) as workers:
            yield from _Sending(self, workers, most).answers(jobs)


@dataclass(eq=False)
class _Sent:
    """A job on its way, and how often it was lost."""

    job: Any
    data: bytes
    lost: int = 0


class _Sending:
    """Jobs that are with an executor. One that was lost is sent again at the end, alone: so a job that ends its workers is found out."""

    def __init__(self, jobs: Jobs, workers: Workers, most: int | None) -> None:
        self.jobs, self.workers, self.most = jobs, workers, most
        self.content = _pickled("the work", (jobs.prepare, _pickled("the work", jobs.work)))
        self.digest = hashlib.sha256(self.content).hexdigest()
        self.pending: dict[Future[Any], _Sent] = {}
        self.lost: list[_Sent] = []
        self.done: SimpleQueue[Future[Any]] = SimpleQueue()

    def answers(self, jobs: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each job with its answer, as they come."""
        left = iter(jobs)
        try:
            while self._send_more(left):
                future = self.done.get()
                sent = self.pending.pop(future)
                yield from self._received(sent, future)
        finally:
            for future in self.pending:
                future.cancel()

    def _send_more(self, left: Iterator[Any]) -> bool:
        """Send the jobs for which there is room; False where none is on its way."""
        if len(self.pending) == 1 and next(iter(self.pending.values())).lost:
            return True
        room = min(self.workers.most, self.most or sys.maxsize)
        while len(self.pending) < room:
            try:
                job = next(left)
            except StopIteration:
                break
            self._send(_Sent(job, _pickled(self.jobs.name(job), job)))
        if not self.pending and self.lost:
            self._send(self.lost.pop())
        return bool(self.pending)

    def _send(self, sent: _Sent, whole: bool = False) -> None:
        content = self.content if whole or len(self.content) <= SMALL else None
        future = self.workers.submit(answered, self.digest, content, sent.data, id(sent), sent.lost)
        self.pending[future] = sent
        future.add_done_callback(self.done.put)

    def _received(self, sent: _Sent, future: Future[Any]) -> Iterator[tuple[Any, Any]]:
        """The answer of a job, if it came."""
        failed = CancelledError("it was cancelled") if future.cancelled() else future.exception()
        if failed is not None:
            self._again(sent, failed)
            return
        kind, data = future.result()
        if kind == MISSING:
            self._send(sent, whole=True)
        elif kind == RAISED:
            error = pickle.loads(data)
            error.add_note(f"The job is {self.jobs.name(sent.job)}.")
            raise error
        else:
            yield sent.job, pickle.loads(data)

    def _again(self, sent: _Sent, failed: BaseException) -> None:
        """Keep a job for another try.

        Errors   WorkerError for one that was lost too often
        """
        sent.lost += 1
        if sent.lost >= TRIES:
            raise WorkerError(
                f"{self.jobs.name(sent.job)}: its worker was lost {sent.lost} times, the last time with {raised_text(failed)}",
                hint="run this job without an executor, to see its error",
            ) from failed
        self.lost.append(sent)


def _pickled(name: str, thing: Any) -> bytes:
    try:
        return pickle.dumps(thing)
    except Exception as error:
        raise ArgumentError(
            f"{name} cannot be sent to workers: {raised_text(error)}",
            needs="functions and classes that stand in a module, not in a function",
        ) from error


# ------------------------------------------------------------------------------------------------------- in a worker

_works: dict[str, Callable[[Any], Any]] = {}
_lock = Lock()


def answered(digest: str, content: bytes | None, data: bytes, *_: int) -> tuple[str, bytes]:
    """The answer of a job, or the error that it raised, as bytes; MISSING for work that this worker has not been sent.

    What follows on the data tells one call from another: some executors take equal calls for one.
    """
    try:
        work = _work(digest, content)
        return (MISSING, b"") if work is None else (ANSWER, pickle.dumps(work(pickle.loads(data))))
    except Exception as error:
        return RAISED, _error_bytes(error)


def _work(digest: str, content: bytes | None) -> Callable[[Any], Any] | None:
    """The work of a digest, read once."""
    with _lock:
        if digest not in _works and content is not None:
            prepare, held = pickle.loads(content)
            if prepare is not None:
                prepare()
            while len(_works) >= KEPT:
                del _works[next(iter(_works))]
            _works[digest] = pickle.loads(held)
        return _works.get(digest)


def _error_bytes(error: Exception) -> bytes:
    """An error that says where in the worker it was raised; one of another class where it cannot be pickled."""
    lines = "".join(traceback.format_exception(error)[1:])
    with contextlib.suppress(Exception):
        error.add_note(f"In a worker:\n{lines}")
        data = pickle.dumps(error)
        pickle.loads(data)
        return data
    return pickle.dumps(WorkerError(raised_text(error), hint="the same without an executor"))


def loaded(load: Callable[[str], Any], modules: Iterable[str]) -> Callable[[], Any] | None:
    """The preparation of workers that loads some modules; None for no modules."""
    return partial(_load_all, load, tuple(modules)) if modules else None


def _load_all(load: Callable[[str], Any], modules: Iterable[str]) -> None:
    for module in modules:
        load(module)
