"""A forked child rewrites and compiles graphs as its parent does, whatever other threads of the parent were doing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
ROOT = Path(__file__).resolve().parents[2]

START = """
import gc, os, signal, sys, threading, time, warnings
import numpy as np, eqsat, eqsat.tensor as T
warnings.simplefilter("error")
warnings.filterwarnings("ignore", category=DeprecationWarning)  # of later Pythons, for a fork beside threads
x, s = T.dvector("x"), T.dscalar("s")

def softplus(k):
    return eqsat.function([s], T.log(1 + T.exp(s)) + k * s)

def child(work):
    number = os.fork()
    if number == 0:
        signal.alarm(60)  # a child that hangs is ended
        work()
        sys.stdout.flush()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
"""

PROGRAMS = {
    "a child, its child and a pool": """
import multiprocessing
assert softplus(2)(800.0) == 2400
def work(k=3, deeper=True):
    f = softplus(k)
    assert f(800.0) == 800 * (k + 1) and f.report.fallback is None and f.report.rules, f.report
    loop = eqsat.scan(lambda a, c: T.log(T.exp(a)) + c, x, T.constant(0.0))[0][-1]
    assert eqsat.function([x], loop)([1000.0, k]) == 1000 + k
    if deeper:
        assert child(lambda: work(k + 1, False)) == 0
    return k
assert child(work) == 0
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(work, [5, 6]) == [5, 6]
assert softplus(7)(800.0) == 6400
""",
    "another thread saturates": """
def deep(start):
    y = x
    for k in range(40):
        y = T.log(T.exp(y) * 2 + k + start)
    return y
going, done = True, []
def other():
    while going:
        done.append(eqsat.optimize(deep(len(done))).fallback)
thread = threading.Thread(target=other)
thread.start()
def work():
    f = softplus(3)
    assert f(800.0) == 3200 and gc.isenabled()
try:
    for k in range(4):
        time.sleep(0.1 + 0.05 * k)
        assert child(work) == 0
finally:
    going = False
    thread.join()
assert set(done) == {None}, done
""",
    "other threads hold locks": """
from eqsat.base import forks
softplus(2)
locks, held, over = list(forks._locks), threading.Barrier(2), threading.Event()
assert len(locks) >= 3
def hold():
    for lock in locks:
        lock.__enter__()
    held.wait()
    over.wait()
    for lock in locks:
        lock.__exit__()
thread = threading.Thread(target=hold)
thread.start()
held.wait()
def work():
    assert softplus(3)(800.0) == 3200
    w = T.dmatrix("w")
    assert eqsat.function([w], T.dot(w, w))(np.eye(3)).tolist() == np.eye(3).tolist()
assert child(work) == 0
over.set()
thread.join()
assert child(work) == 0
softplus(4)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_children(name: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", START + PROGRAMS[name]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
