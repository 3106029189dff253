"""The tests of the processor's functions on the emulated device, and every device text they make through the compiler of CUDA."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from eqsat.cgen.cuda.compile import compiled, find_compiler

ROOT = Path(__file__).resolve().parents[2]
FILES = [  # about values: the others look at memory, threads, or the text of C
    *(f"tests/cgen/test_{name}.py" for name in (
        "blocks", "elementwise", "index_maps", "joined_in_place", "lanes", "loops", "plans", "reductions", "rows", "running",
        "short_states", "vector_axis", "windows",
    )),
    "tests/scan/test_scan.py",
    "tests/scan/test_gradients.py",
]  # fmt: skip
TURNED = [file for file in FILES if re.search("reductions|rows|running|lanes|elementwise", file)]
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")

pytestmark = [pytest.mark.c, pytest.mark.cuda, pytest.mark.sweep]


def run_on_device(folder: Path, files: list[str], **more: str) -> None:
    """The tests of some files on the emulated device, all of which have to pass."""
    flags = f"cache_dir={folder / 'cache'},target=cuda,cuda_device=emulated"
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "EQSAT_FLAGS": flags, "PYTHONPATH": path, **more}
    words = [
        "-m",
        "not sweep",
        "-k",
        "not test_no_loop_runs",
        "-p",
        "no:cacheprovider",
    ]  # the latter reads the program in C
    command = [sys.executable, "-m", "pytest", "-p", "on_device", "-q", *words, *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and re.search(r"\d+ passed", done.stdout), (
        done.stdout[-6000:] + done.stderr[-2000:]
    )


def test_the_corpus_in_both_orders_of_threads_and_for_three_architectures(tmp_path: Path) -> None:
    run_on_device(tmp_path, FILES, EQSAT_TEXTS=str(tmp_path))
    run_on_device(tmp_path, TURNED, EQSAT_BACKWARDS="1")
    if find_compiler() is None:
        pytest.skip("neither NVRTC nor nvcc")
    found = sorted(tmp_path.glob("*.cu"))
    assert len(found) > 100
    for path in found:
        for arch in ARCHITECTURES:
            made = compiled(path.read_text(), arch, str(tmp_path / "cache"))
            assert "warning" not in made.said, f"{path} {arch}\n{made.said}"
