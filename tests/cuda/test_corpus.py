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
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")

pytestmark = [pytest.mark.c, pytest.mark.cuda, pytest.mark.sweep]


def run_on_device(folder: Path, **more: str) -> str:
    """What pytest says at the end of the tests on the emulated device."""
    flags = f"cache_dir={folder / 'cache'},target=cuda,cuda_device=emulated"
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "EQSAT_FLAGS": flags, "PYTHONPATH": path, **more}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "on_device",
        "-q",
        "-m",
        "not sweep",
        "-p",
        "no:cacheprovider",
        *FILES,
    ]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.stdout[-6000:] + done.stderr[-2000:]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the device texts of the tests, after these have passed."""
    folder = tmp_path_factory.mktemp("texts")
    said = run_on_device(folder, EQSAT_TEXTS=str(folder))
    assert re.search(r"\d+ passed", said) and "failed" not in said and "error" not in said.splitlines()[-1], (
        said
    )
    return folder


def test_values_with_threads_in_the_other_order(texts: Path) -> None:
    said = run_on_device(texts, EQSAT_BACKWARDS="1")
    assert re.search(r"\d+ passed", said) and "failed" not in said, said


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_text_is_accepted_without_a_warning(texts: Path, arch: str) -> None:
    if find_compiler() is None:
        pytest.skip("neither NVRTC nor nvcc")
    found = sorted(texts.glob("*.cu"))
    assert len(found) > 100
    for path in found:
        made = compiled(path.read_text(), arch, str(texts / "cache"))
        assert "warning" not in made.said, f"{path}\n{made.said}"
