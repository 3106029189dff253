"""egglog ends or hangs its process when memory runs out: where memory is short, that process is not the program's."""

from __future__ import annotations

import subprocess
import sys
from math import inf
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base import memory
from eqsat.egraph import place, remote
from eqsat.errors import EqsatWarning

LITTLE = """
import resource, warnings
import numpy as np
import eqsat, eqsat.tensor as T
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + (400 << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, room))
x, y = T.dvectors("x", "y")
f = eqsat.function([x, y], x * y / y + 1, mode="numpy")
print(f([1.0, 2.0], [3.0, 0.0]).tolist())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_a_process_with_little_memory_is_not_ended() -> None:
    done = subprocess.run([sys.executable, "-c", LITTLE], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("[2.0, 3.0]", "[2.0, nan]")


def test_an_egraph_that_may_not_fit_is_in_another_process(monkeypatch: Any) -> None:
    x, y = T.dvectors("x", "y")
    asked: list[Any] = []
    session = remote.remote_session
    monkeypatch.setattr(remote, "remote_session", lambda *a: asked.append(a) or session(*a))
    monkeypatch.setattr(place, "available", lambda: inf)
    assert eqsat.optimize(x * y / y).optimized == [x] and not asked
    monkeypatch.setattr(place, "available", lambda: float(1 << 20))
    assert eqsat.optimize(x * y / y).optimized == [x] and asked


def test_a_process_that_ends_leaves_the_graph_as_written(monkeypatch: Any) -> None:
    x, y = T.dvectors("x", "y")
    monkeypatch.setattr(place, "available", lambda: 0.0)
    ask = remote.Worker.ask

    def killed(self: Any, method: str, *arguments: Any) -> Any:
        if method == "run":
            self.process.kill()
        return ask(self, method, *arguments)

    monkeypatch.setattr(remote.Worker, "ask", killed)
    with pytest.warns(
        EqsatWarning, match="compiled as written, without rewriting: .*process that runs egglog"
    ):
        report = eqsat.optimize(x * y / y)
    assert report.fallback and report.optimized == report.original


def test_a_process_that_does_not_answer_is_given_up(monkeypatch: Any) -> None:
    x, y = T.dvectors("x", "y")
    monkeypatch.setattr(place, "available", lambda: 0.0)
    monkeypatch.setattr(remote, "STUCK", 1)
    monkeypatch.setattr(remote.Worker, "send", lambda self, request: None)
    with pytest.warns(EqsatWarning, match="does not answer: it may lack memory"):
        assert eqsat.optimize(x * y / y).fallback


def test_limits_of_a_process_are_seen() -> None:
    assert 0 < memory.available() < inf
