"""The benchmark of loops runs without the libraries that it can compare with, and refuses what it does not know."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.sweep  # benchmarks are run

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "benchmarks" / "scan.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


@pytest.mark.c
def test_rows_are_measured_beside_numpy(tmp_path: Any) -> None:
    file = tmp_path / "figures.json"
    done = run("--fast", "--rows", "ar2,gru-grad", "--libraries", "eqsat,numpy,nothing", "--json", str(file))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("nothing is left out") == 1
    found = json.loads(file.read_text())
    assert list(found["rows"]) == ["ar2", "gru-grad"] and set(found["libraries"]) == {"eqsat", "numpy"}
    for row in found["rows"].values():
        for figures in row.values():
            assert 0 < figures["seconds"] < 1 and figures["step_ns"] == pytest.approx(
                figures["seconds"] / 7e-9
            )
            assert 0 < figures["first"] < 60 and 0 <= figures["memory"] < 1e9
    assert "eqsat/numpy" in done.stdout and "7 steps, hidden 8, batch 3, float32" in done.stdout


def test_an_unknown_row_is_named() -> None:
    done = run("--rows", "ar2,ar3")
    assert done.returncode == 1 and "no row is called ar3; there are gru, " in done.stderr


@pytest.mark.parametrize("model", ["gru", "lstm", "ar2", "sir", "cumsum", "logistic"])
def test_every_model_is_what_the_loop_in_numpy_is(model: str) -> None:
    """In one process, by the check that precedes the clock; a wrong value is an error that names the row."""
    program = """
import sys
sys.path.insert(0, "benchmarks")
from dataclasses import replace
import numpy as np
from recurrent import in_eqsat, in_numpy
from recurrent.libraries import agree
from recurrent.rows import ROWS, small
for row in ROWS.values():
    if row.model == sys.argv[1]:
        row, data = small(row), small(row).data()
        found = {m.__name__: [np.asarray(v) for v in f(*m.given(data))] for m, f in
                 ((in_eqsat, in_eqsat.build(row, mode="reference")), (in_numpy, in_numpy.build(row)))}
        agree(row, found)
        found["wrong"] = [v + 1 for v in found["recurrent.in_numpy"]]
        try:
            agree(row, found)
        except AssertionError as error:
            assert row.name in str(error) and "wrong" in str(error)
        else:
            raise SystemExit("not seen")
"""
    done = subprocess.run(
        [sys.executable, "-c", program, model], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.c
def test_the_transformer_is_measured_and_agrees_with_numpy() -> None:
    script = str(ROOT / "benchmarks" / "transformer.py")
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, script, "--layers", "2"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 layers" in done.stdout and "limit" not in done.stdout
    error = float(done.stdout.rsplit("NumPy", 1)[1])
    assert error < 1e-6


PEERS = ROOT / "benchmarks" / "peers.py"


def peers(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PEERS), *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.c
def test_workloads_are_measured_beside_numpy(tmp_path: Any) -> None:
    file = tmp_path / "figures.json"
    names = ["add10", "radon_grad", "ar2_10k", "poisson", "group_sums"]
    small = ["--rounds", "1", "--budget", "0", "--libraries", "eqsat", "--json", str(file)]
    done = peers("--only", ",".join(names), *small)
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text())
    assert list(found) == names
    for name, row in found.items():
        assert row["eqsat"]["speed"] > 0 and row["numpy"]["speed"] == 1, (name, row)
    assert "in the geometric mean" in done.stdout and "| poisson |" in done.stdout


def test_an_unknown_workload_is_named() -> None:
    done = peers("--only", "add10,add11")
    assert done.returncode == 1 and "no workload is called add11" in done.stderr
