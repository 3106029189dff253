"""Inside cgen imports point one way too: the loop program knows no text, what runs text does not print it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import eqsat.cgen

ROOT = Path(eqsat.cgen.__file__).parent
BELOW = {
    "ir": {"ir"},
    "runtime": {"ir", "runtime", "c_files"},
    "builders": {"ir", "builders"},
    "lower": {"ir", "builders", "lower"},
    "c": {"ir", "builders", "lower", "runtime", "c", "c_files", "target"},
}
_IMPORT = re.compile(r"^\s*(?:from|import) eqsat\.cgen\.(\w+)", re.MULTILINE)


@pytest.mark.parametrize("layer", BELOW)
def test_imports_inside_cgen_point_one_way(layer: str) -> None:
    for path in (ROOT / layer).rglob("*.py"):
        found = set(_IMPORT.findall(path.read_text(encoding="utf-8")))
        assert found <= BELOW[layer], path
