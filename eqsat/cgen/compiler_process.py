"""The C compiler as a process: in a group of its own, with a limit of time, and nothing of it stays when it is stopped."""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import signal
import subprocess
import time
from typing import NamedTuple

MOST = 1 << 18  # bytes of what a compiler says that are kept
_GLANCE = 0.1  # seconds between looks at a compiler whose children still hold its output open
_running: set[subprocess.Popen[bytes]] = set()
_over = False


class NotStarted(Exception):
    """A command that could not be started."""


class Done(NamedTuple):
    """What a compiler ended with (None: it was stopped at the limit), and what it said."""

    status: int | None
    said: str


def run_compiler(command: list[str], source: str, folder: str, seconds: float) -> Done:
    """Compile a text, which the command reads from its input; whatever the compiler needs on disk is in the folder.

    Errors   NotStarted for a command that is no program; OSError where there is no room for the text
    """
    path = os.path.join(folder, "source.c")
    with open(path, "wb") as file:
        file.write(source.encode())
    with open(path, "rb") as text:
        process = _started(command, text.fileno(), folder)
    try:
        return _listen(process, time.monotonic() + seconds)
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


def _listen(process: subprocess.Popen[bytes], end: float) -> Done:
    """Read what a compiler says until it ends."""
    said = b""
    with selectors.DefaultSelector() as selector:
        assert process.stderr is not None
        selector.register(process.stderr, selectors.EVENT_READ)
        while (left := end - time.monotonic()) > 0:
            if selector.select(min(left, _GLANCE)):
                chunk = os.read(process.stderr.fileno(), 1 << 16)
                said += chunk[: MOST - len(said)]
                if not chunk:
                    break
            elif process.poll() is not None:
                break
    try:
        status: int | None = process.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        status = None
    return Done(status, said.decode(errors="replace"))


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a compiler and the programs that it started."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def stop_compilers() -> None:
    """End all compilers of this process; those who wait for them clean up."""
    for process in list(_running):
        _stop(process)


@atexit.register
def _at_exit() -> None:
    """End what threads in the background compile, and let them clean up."""
    global _over
    _over = True
    end = time.monotonic() + 2.0
    while _running and time.monotonic() < end:
        stop_compilers()
        time.sleep(0.01)


def _in_a_forked_child() -> None:
    """The compilers of the parent are the parent's."""
    for process in _running:
        process.returncode = 0
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_forked_child)
