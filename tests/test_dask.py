"""Functions on arrays of Dask, and sweeps on a cluster of which a worker is killed."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.jobs import Jobs, loaded
from eqsat.cli import main
from eqsat.errors import ArgumentError, WorkerError
from eqsat.verify import sweep
from eqsat.verify.sources import load_module

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

x = T.dvector("x")


@pytest.fixture(scope="module")
def f() -> Any:
    return eqsat.function([x], T.log(1 + T.exp(x)), name="softplus")


def test_an_array_of_blocks_is_refused(f: Any) -> None:
    blocks = da.ones(10, chunks=5)
    for wrong in (lambda: f(blocks), lambda: f(x=blocks), lambda: x.eval({x: blocks}), lambda: T.exp(blocks)):
        with pytest.raises(ArgumentError, match="map_blocks"):
            wrong()
    with pytest.raises(ArgumentError, match="map_blocks"):
        eqsat.shared(blocks)
    with pytest.raises(ArgumentError, match="map_blocks"):
        eqsat.shared(np.zeros(2)).set_value(blocks)
    with pytest.raises(ArgumentError, match="map_blocks"):
        eqsat.jit(lambda v: v + 1)(blocks)
    with pytest.raises(ArgumentError, match="map_blocks"):
        f(dask.delayed(np.ones)(3))


def test_blocks_are_mapped(f: Any) -> None:
    value = np.linspace(-3, 900, 23)
    for chunks in (5, (0, 10, 13), 23):
        blocks = da.from_array(value, chunks=chunks if isinstance(chunks, int) else (chunks,))
        for mapped in (blocks.map_blocks(f), blocks.map_blocks(f, dtype="float64")):
            assert mapped.dtype == np.float64
            np.testing.assert_array_equal(mapped.compute(scheduler="threads"), f(value))


def test_blocks_of_several_arguments_and_axes() -> None:
    a, b = T.dmatrix("a"), T.dvector("b")
    rows = eqsat.function([a, b], T.tanh(a) * b)
    value, scale = np.arange(12.0).reshape(4, 3), np.arange(3.0)
    mapped = da.map_blocks(rows, da.from_array(value, chunks=(2, 3)), scale, dtype="float64")
    np.testing.assert_array_equal(mapped.compute(), rows(value, scale))
    sums = eqsat.function([a], T.sum(a, axis=1))
    dropped = da.from_array(value, chunks=(2, 3)).map_blocks(sums, drop_axis=1)
    np.testing.assert_array_equal(dropped.compute(), value.sum(1))


def test_delayed_calls(f: Any) -> None:
    parts = [dask.delayed(f)(np.full(2, float(k))) for k in range(3)]
    total = dask.delayed(sum)(parts).compute(scheduler="threads")
    np.testing.assert_array_equal(total, sum(f(np.full(2, float(k))) for k in range(3)))


def test_equal_calls_are_one_task(f: Any) -> None:
    from dask.base import tokenize

    with dask.config.set({"tokenize.ensure-deterministic": True}):
        copy = pickle.loads(pickle.dumps(f))
        assert tokenize(f) == tokenize(copy) != tokenize(eqsat.function([x], T.exp(x), name="softplus"))
        assert tokenize(x + 1) == tokenize(pickle.loads(pickle.dumps(x + 1))) != tokenize(x + 2)
        rules = eqsat.rules.all_rules()
        assert tokenize(rules["log-exp"]) != tokenize(rules["exp-log"])
        assert tokenize(rules) == tokenize(pickle.loads(pickle.dumps(rules))) != tokenize(rules - "log-exp")
    blocks = da.ones(4, chunks=2)
    assert blocks.map_blocks(f).name == blocks.map_blocks(copy).name


def test_an_address_without_a_scheduler_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    with dask.config.set({"distributed.comm.timeouts.connect": "200ms"}):
        assert main(["rules", "verify", "log-exp", "--executor", "dask:tcp://127.0.0.1:9"]) == 2
    assert "no scheduler answers" in capsys.readouterr().err


def test_nothing_of_dask_is_imported_unless_it_is_named() -> None:
    code = "import sys, eqsat, eqsat.cli; from eqsat.verify import sweep; sweep('log-exp', points=1, workers=1); "
    command = [sys.executable, "-c", code + "assert not {'dask', 'distributed'} & set(sys.modules)"]
    subprocess.run(command, check=True)


OWN = """
import os
def work(number):
    if number == 3:
        os.kill(os.getpid(), 9)
    return number * number
"""


@pytest.mark.sweep
def test_a_job_that_ends_its_workers_is_named(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    (tmp_path / "own_jobs_of_dask.py").write_text(OWN)
    path = str(tmp_path / "own_jobs_of_dask.py")
    asked = Jobs(load_module(path).work, name=lambda k: f"number {k}", prepare=loaded(load_module, [path]))
    found = []
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(WorkerError, match=r"number 3: its worker was lost 3 times, .*KilledWorker"),
    ):
        for job, answer in asked.run(range(6), client.get_executor()):
            found.append((job, answer))
    assert sorted(found) == [(k, k * k) for k in range(6) if k != 3]


RULES = "log-exp,exp-log,mul-zero,sub-self,exp-minus-one,max-over-ones,sin-of-neg,log1p-exp"


@pytest.mark.sweep
def test_a_cluster_of_which_a_worker_is_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    alone = sweep(RULES, points=12)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        first = threading.Event()

        def kill() -> None:
            first.wait()
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        seen: list[str] = []

        def saw(result: Any) -> None:
            seen.append(result.rule.name)
            first.set()

        found = sweep(RULES, points=12, executor=client, seen=saw, resume=tmp_path / "rows")
        killer.join()
        assert sorted(seen) == sorted(r.rule.name for r in alone)
        assert [r.as_row() | {"seconds": 0} for r in found] == [r.as_row() | {"seconds": 0} for r in alone]
        before = time.perf_counter()
        address = f"dask:{cluster.scheduler_address}"
        assert len(sweep(RULES, points=12, executor=address, resume=tmp_path / "rows")) == len(alone)
        assert time.perf_counter() - before < 10
