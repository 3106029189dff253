"""The device texts of some graphs beside those in golden/, and what the compiler makes of them: registers, spills, width of accesses.

Texts that are meant to differ are accepted by ``pytest tests/cuda/test_golden.py --update-golden``.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from eqsat.cgen.cuda.compile import compiled, find_compiler
from eqsat.cgen.texts import device_text
from tests.cuda.forms import FORMS, kernels_and_launches, kernels_in, source_of, united

GOLDEN = Path(__file__).parent / "golden"
WIDE = {
    "contiguous": 3,
    "product": 3,
    "strided_rows": 3,
    "contiguous_of_two_widths": 3,
    "constant": 3,
}  # accesses of 16 bytes, at the least
MOST = 16  # expressions of a kernel in whose registers all that it computes has to fit
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
_SPILLS = re.compile(r"Function properties for (\w+)\n.*?(\d+) bytes spill stores, (\d+) bytes spill loads")
_EXPRESSION = re.compile(r"^ *const \w+ t\d+ = ", re.MULTILINE)
_VECTORS = re.compile(r"\b(?:ld|st)\.global(?:\.nc)?\.(?:v4\.[bfsu]32|v2\.[bfsu]64)")

pytestmark = pytest.mark.cuda
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="neither NVRTC nor nvcc")


@functools.cache
def source(name: str) -> str:
    """Both texts of a form."""
    return source_of(FORMS[name]())


@pytest.mark.parametrize("name", FORMS)
def test_text_is_the_golden_one(name: str, request: pytest.FixtureRequest) -> None:
    path, text = GOLDEN / f"{name}.cu", kernels_and_launches(source(name))
    if request.config.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"pytest {__file__} --update-golden accepts it"


def test_every_file_is_compared() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*FORMS}


@needs_compiler
@pytest.mark.parametrize(
    "arch",
    [pytest.param(a, marks=pytest.mark.sweep if a != ARCHITECTURES[-1] else ()) for a in ARCHITECTURES],
)
def test_every_form_compiles_without_a_warning_and_small_kernels_stay_in_registers(arch: str) -> None:
    texts = [device_text(source(name)) or "" for name in FORMS]
    assert all("__global__" in text for text in texts)
    (text,) = united(texts)
    said = compiled(text, arch, options=("--ptxas-options=-v",)).said
    assert "warning" not in said, said
    spilled = {name: int(stores) + int(loads) for name, stores, loads in _SPILLS.findall(said)}
    small = [(name, body) for name, body in kernels_in(text) if len(_EXPRESSION.findall(body)) <= MOST]
    assert len(small) > 20 and {name for name, _ in kernels_in(text)} <= set(spilled)
    for name, body in small:
        assert not spilled[name], f"{body}\n{said}"


@needs_compiler
@pytest.mark.parametrize("name", WIDE)
def test_contiguous_memory_is_read_and_written_16_bytes_at_a_time(name: str) -> None:
    ptx = compiled(device_text(source(name)) or "", "sm_90", form="ptx").content.decode()
    assert len(_VECTORS.findall(ptx)) >= WIDE[name], ptx
