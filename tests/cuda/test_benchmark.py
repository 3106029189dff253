"""The benchmark of GPUs says that there is none, and runs all programs on the emulated device."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eqsat.cgen.cuda.compile import find_compiler

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.c, pytest.mark.cuda, pytest.mark.sweep]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, str(ROOT / "benchmarks" / "cuda.py"), "--rounds", "1", *arguments]
    return subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(find_compiler() is None, reason="neither NVRTC nor nvcc")
def test_all_programs_on_the_emulated_device(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = run("--device", "emulated", "--size", "tiny", "--budget", "0.001", "--json", str(file))
    assert done.returncode == 0 and "wrong" not in done.stdout, done.stdout + done.stderr
    found = json.loads(file.read_text())
    assert len(found["programs"]) > 12
    assert all(0 < row["eqsat"]["seconds"] < 10 for row in found["programs"].values())
    assert 0 < found["host"]["launch"] < 1e-6 and found["host"]["launches"] > 1000


@pytest.mark.skipif(find_compiler() is None, reason="neither NVRTC nor nvcc")
def test_what_cannot_be_measured_is_told() -> None:
    done = run("--device", "99")
    assert done.returncode == 0 and "programs are not measured: no CUDA device" in done.stdout
    done = run("--device", "emulated", "--size", "tiny", "--only", "softmaxx")
    assert done.returncode == 1 and "no program is called softmaxx" in done.stderr
