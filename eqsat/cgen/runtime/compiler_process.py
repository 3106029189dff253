"""The C compiler as a process: in a group of its own, with a limit of time, and nothing of it stays when it is stopped."""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator
from threading import Event
from typing import NamedTuple

MOST = 1 << 18  # bytes of what a compiler says that are kept
_GLANCE = 0.1  # seconds between looks at a compiler whose children still hold its output open
_PROBE = 10.0  # seconds for a text of one line
_running: set[subprocess.Popen[bytes]] = set()
_busy: set[object] = set()
_over = False


class NotStarted(Exception):
    """A command that could not be started."""


class Done(NamedTuple):
    """The end of a compiler: its status (None: it was stopped at the limit), its output, and whether it hangs."""

    status: int | None
    said: str
    hangs: bool = False


def run_compiler(command: list[str], source: str, folder: str, seconds: float, given_up: Event) -> Done:
    """Compile a text, which the command reads from its input; whatever the compiler needs on disk is in the folder.

    Near the limit a second process of the compiler gets next to nothing to do: one that ends was slow with this text, one
    that does not hangs. It runs beside the first, so that nobody waits longer for the answer.

    Errors   NotStarted for a command that is no program; OSError where there is no room for the text
    """
    if given_up.is_set():
        raise NotStarted("the call was interrupted")
    start, question = time.monotonic(), max(seconds / 4, seconds - _PROBE)
    with _compiling(command, source, folder, "source.c") as process:
        status, said = _listen(process, start + question, given_up)
        if status is not None or given_up.is_set():
            return Done(status, said.decode(errors="replace"))
        other = [command[0], "-x", "c", "-", "-shared", "-fPIC", "-o", os.path.join(folder, "probe.so")]
        with _compiling(other, "int eq_probe;\n", folder, "probe.c") as probe:
            status, more = _listen(process, start + seconds, given_up)
            hangs = status is None and probe.poll() is None and not given_up.is_set()
            return Done(status, (said + more).decode(errors="replace"), hangs)


@contextlib.contextmanager
def _compiling(command: list[str], source: str, folder: str, name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A compiler that reads a text, for the length of a ``with`` block."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(source.encode())
    with open(path, "rb") as text:
        process = _started(command, text.fileno(), folder)
    try:
        yield process
    finally:
        _stop(process)
        process.wait()
        _running.discard(process)
        assert process.stderr is not None
        process.stderr.close()


def _started(command: list[str], text: int, folder: str) -> subprocess.Popen[bytes]:
    if _over:
        raise NotStarted("the program ends")
    try:
        process = subprocess.Popen(
            command,
            stdin=text,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C", "TMPDIR": folder},
            start_new_session=True,
        )
    except OSError as error:
        raise NotStarted(str(error)) from error
    _running.add(process)
    return process


def _listen(process: subprocess.Popen[bytes], end: float, given_up: Event) -> tuple[int | None, bytes]:
    """The status of a compiler, None where it has not ended at a time, and its output until then."""
    said = b""
    with selectors.DefaultSelector() as selector:
        assert process.stderr is not None
        selector.register(process.stderr, selectors.EVENT_READ)
        while process.poll() is None and not given_up.is_set() and (left := end - time.monotonic()) > 0:
            if selector.get_map():
                said += _read(selector, min(left, _GLANCE), MOST - len(said))
            else:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(min(left, _GLANCE))
        while chunk := _read(selector, 0, MOST - len(said)):
            said += chunk
    return process.poll(), said


def _read(selector: selectors.BaseSelector, seconds: float, most: int) -> bytes:
    """The output that comes within a time; at its end the output is no longer listened to."""
    for key, _ in selector.select(seconds) if selector.get_map() else ():
        chunk = os.read(key.fd, 1 << 16)
        if not chunk:
            selector.unregister(key.fileobj)
        return chunk[:most]
    return b""


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a compiler and the programs that it started."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


@contextlib.contextmanager
def at_work() -> Iterator[None]:
    """Let the end of the program wait a little, until what is stopped in the ``with`` block has cleaned up."""
    mark = object()
    _busy.add(mark)
    try:
        yield
    finally:
        _busy.discard(mark)


def stop_compilers() -> None:
    """End all compilers of this process; those who wait for them clean up."""
    for process in list(_running):
        _stop(process)


@atexit.register
def _at_exit() -> None:
    """End what threads in the background compile, and let them clean up."""
    global _over
    _over = True
    end = time.monotonic() + 5.0
    while (_running or _busy) and time.monotonic() < end:
        stop_compilers()
        time.sleep(0.01)


def _in_a_forked_child() -> None:
    """The compilers of the parent are the parent's."""
    for process in _running:
        process.returncode = 0
    _running.clear()
    _busy.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_forked_child)
