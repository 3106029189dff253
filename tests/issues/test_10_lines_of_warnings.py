"""A warning stands at the user's own line, however deep it arises and in whatever thread."""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base import caller as caller_module
from eqsat.base.apart import apart
from eqsat.base.caller import caller, carried
from eqsat.base.notices import forget_warnings, warn, warn_once

x, y = T.dvectors("x", "y")


@pytest.fixture
def told() -> Iterator[list[warnings.WarningMessage]]:
    forget_warnings()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


def eqsat_warns() -> None:
    """A warning in code of eqsat, far below no line of a user."""
    exec(compile("warn('slow')", caller_module.__file__, "exec"), {"warn": warn})


CALLS: list[Callable[[], Any]] = [
    lambda: T.grad(x.sum(), y, disconnected_inputs="warn"),
    lambda: T.grad(x.sum(), [x, y], disconnected_inputs="warn"),
    lambda: T.jacobian(x, y, disconnected_inputs="warn"),
    lambda: T.Rop(x, y, y, disconnected_outputs="warn"),
    lambda: eqsat.function([x, y], x, on_unused_input="warn"),
    lambda: eqsat.function([x, y], x, on_unused_input="warn", mode="numpy"),
]


@pytest.mark.parametrize("call", CALLS, ids=[str(k) for k in range(len(CALLS))])
def test_warnings_of_calls(call: Callable[[], Any], told: Any) -> None:
    call()
    assert told and {w.filename for w in told} == {__file__}
    assert {w.lineno for w in told} == {call.__code__.co_firstlineno}


PROGRAM = """
import warnings, eqsat, eqsat.tensor as T
x = T.dvector("x")
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    eqsat.function([x], T.exp(x) + 0.8125)
print([(w.filename.rpartition("/")[2], w.lineno) for w in found])
"""


@pytest.mark.c
def test_a_cache_folder_that_nobody_can_write(tmp_path: Path) -> None:
    """The launcher is compiled in the background of the first function, and meets the folder first."""
    path = tmp_path / "own.py"
    path.write_text(PROGRAM)
    flags = {"EQSAT_FLAGS": "cache_dir=/proc/eqsat", "PYTHONPATH": str(Path(eqsat.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, str(path)], env={**os.environ, **flags}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[('own.py', 6)]\n" and not done.stderr


def in_a_thread(work: Callable[[], Any]) -> None:
    thread = threading.Thread(target=carried(work))
    thread.start()
    thread.join()


def in_a_pool(work: Callable[[], Any]) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(carried(work)).result()


def in_two_threads(work: Callable[[], Any]) -> None:
    in_a_thread(lambda: in_a_thread(work))


@pytest.mark.parametrize(
    "start", [in_a_thread, in_a_pool, in_two_threads, lambda work: apart(lambda _: work())]
)
def test_work_in_threads_points_at_who_started_it(start: Callable[[Any], None], told: Any) -> None:
    start(eqsat_warns)
    assert [(w.filename, str(w.message)) for w in told] == [(__file__, "slow")]


def test_a_thread_that_no_line_of_a_user_started(told: Any) -> None:
    thread = threading.Thread(target=warn_once, args=("cause", "slow"), name="worker")
    thread.start()
    thread.join()
    (warning,) = told
    assert "threading.py" not in warning.filename and warning.filename == "<thread worker>"


def test_filters_by_module_and_once_per_line_hold() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            warn("said at one line")
    assert len(found) == 1
    with warnings.catch_warnings(record=True) as found:
        warnings.filterwarnings("ignore", module=__name__.replace(".", r"\."))
        warn("not said")
    assert not found


def test_variables_made_in_threads_know_the_line() -> None:
    made: list[Any] = []
    in_a_thread(lambda: made.append(T.exp(x)))
    assert made[0].made_at.startswith(Path(__file__).name)


def test_files_of_python_are_no_users() -> None:
    line = caller()
    assert line is not None and line.path == __file__
