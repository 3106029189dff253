"""Executors by what users call them: processes of this machine, a Dask cluster, or any executor of ``concurrent.futures``."""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from eqsat.errors import ArgumentError

MOST = 1000  # jobs that are given to an executor which does not say how many workers it has
_MOST = 10_000  # processes
NEEDS = "processes:N, dask:ADDRESS, or an executor of concurrent.futures"


class Workers:
    """An executor that runs jobs, and is started again where it breaks and can be.

    ``start`` makes one; where it is None the executor is the user's, and is left open at the end.
    """

    def __init__(self, start: Callable[[], Executor] | None, executor: Any = None) -> None:
        self._start, self._owned = start, start is not None
        self.executor = executor if start is None else start()

    @property
    def most(self) -> int:
        """The number of jobs that are given to the executor at once."""
        return int(getattr(self.executor, "_max_workers", MOST))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """The future of a call. In the place of an executor that is broken another is started: of a user's pool of processes one like it.

        Errors   BrokenExecutor where it cannot be
        """
        try:
            return self.executor.submit(function, *arguments)  # type: ignore[no-any-return]
        except BrokenExecutor:
            start = self._start or _another(self.executor)
            if start is None:
                raise
        self.close()
        self.executor, self._start, self._owned = start(), start, True
        return self.executor.submit(function, *arguments)  # type: ignore[no-any-return]

    def close(self) -> None:
        """End an executor that is not the user's."""
        if self._owned:
            self.executor.shutdown(wait=True, cancel_futures=True)


def _another(executor: Any) -> Callable[[], Executor] | None:
    """A call that makes a pool like one of the standard library's; None for other executors."""
    if type(executor) is not ProcessPoolExecutor:
        return None
    names = ("_max_workers", "_mp_context", "_initializer", "_initargs")
    with contextlib.suppress(AttributeError):
        given = [getattr(executor, name) for name in names]
        return lambda: ProcessPoolExecutor(*given)
    return None


@contextmanager
def workers_of(executor: Any) -> Iterator[Workers]:
    """The workers that an executor or its name stands for; those that a name starts end with the block.

    Errors   ArgumentError for what is no executor, and where the cluster does not answer
    """
    if isinstance(executor, str):
        with _named(executor) as workers:
            yield workers
        return
    if hasattr(executor, "get_executor"):  # a client of Dask
        executor = executor.get_executor()
    if not isinstance(executor, Executor) and not callable(getattr(executor, "submit", None)):
        raise ArgumentError(f"executor={executor!r} is no executor", needs=NEEDS)
    workers = Workers(None, executor)
    try:
        yield workers
    finally:
        workers.close()


@contextmanager
def _named(name: str) -> Iterator[Workers]:
    kind, _, rest = name.partition(":")
    if kind == "dask" and rest:
        with _dask_client(rest) as client:
            yield Workers(None, client.get_executor())
        return
    if kind != "processes" or not (rest.isdecimal() and 1 <= int(rest) <= _MOST):
        raise ArgumentError(f"executor {name!r} is not known", needs=NEEDS)
    # fresh processes: the threads of egglog do not survive a fork
    workers = Workers(lambda: ProcessPoolExecutor(int(rest), get_context("spawn")))
    try:
        yield workers
    finally:
        workers.close()


def _dask_client(address: str) -> Any:
    """A client of the cluster whose scheduler has an address."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ArgumentError(
            f"executor 'dask:{address}': {error}", hint="pip install 'eqsat[dask]'"
        ) from error
    try:
        return Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ArgumentError(
            f"executor 'dask:{address}': no scheduler answers: {error}",
            needs="the address that `dask scheduler` prints, as tcp://10.0.0.1:8786",
        ) from error


def add_executor(parser: ArgumentParser, rows: str) -> None:
    """Declare ``--executor`` and ``--resume`` for a command that runs jobs, of each of which a file may keep ``rows``."""
    parser.add_argument("--executor", metavar="KIND", help="where jobs run: processes:N or dask:ADDRESS")
    parser.add_argument(
        "--resume",
        metavar="FILE",
        help=f"adds {rows} to a file as they come, and skips those that it has",
    )
