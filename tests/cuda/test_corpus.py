"""The tests of the processor's functions on the emulated device, and every device text they make through the compiler of CUDA."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

import pytest

from eqsat.cgen.cuda.compile import compiled, find_compiler
from tests.cuda.forms import united

ROOT = Path(__file__).resolve().parents[2]
PARTS = {  # files about values: the others look at memory, threads, or the text of C
    "kernels": ("blocks", "elementwise", "index_maps", "joined_in_place", "plans", "vector_axis", "windows"),
    "reductions": ("reductions", "rows", "running"),
    "loops": ("lanes", "loops", "short_states"),
    "scan": ("scan", "gradients"),
}
TURNED = ("elementwise", "reductions", "rows", "running", "lanes")  # what threads share, in both orders
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
AT_A_TIME = 40  # kernels of a text

pytestmark = [pytest.mark.c, pytest.mark.cuda, pytest.mark.sweep]


def run_on_device(folder: Path, files: list[str], **more: str) -> None:
    """The tests of some files on the emulated device, all of which have to pass."""
    flags = f"cache_dir={folder / 'cache'},target=cuda,cuda_device=emulated"
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "EQSAT_FLAGS": flags, "PYTHONPATH": path, **more}
    words = ["-m", "not sweep", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-p", "on_device", "-q", *words, *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and re.search(r"\d+ passed", done.stdout), (
        done.stdout[-6000:] + done.stderr[-2000:]
    )


@pytest.mark.parametrize("part", PARTS)
def test_the_corpus_in_both_orders_of_threads_and_for_three_architectures(part: str, tmp_path: Path) -> None:
    room = "tests/scan" if part == "scan" else "tests/cgen"
    files = {name: f"{room}/test_{name}.py" for name in PARTS[part]}
    run_on_device(tmp_path, [*files.values()], EQSAT_TEXTS=str(tmp_path))
    if turned := [files[name] for name in PARTS[part] if name in TURNED]:
        run_on_device(tmp_path, turned, EQSAT_BACKWARDS="1")
    if find_compiler() is None:
        pytest.skip("neither NVRTC nor nvcc")
    texts = [path.read_text() for path in sorted(tmp_path.glob("*.cu"))]
    assert len(texts) > 10
    with ThreadPoolExecutor(2) as pool:  # NVRTC runs beside Python
        for said in pool.map(
            lambda job: compiled(*job, str(tmp_path / "cache")).said,
            zip(united(texts, AT_A_TIME), cycle(ARCHITECTURES), strict=False),  # test_golden has each for all
        ):
            assert "warning" not in said, said
