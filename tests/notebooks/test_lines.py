"""Lines of a notebook are those of its cells, not of the files that a kernel makes up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import eqsat

PROGRAM = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in (
    "import numpy as np, eqsat, eqsat.tensor as T",
    "pass\\na, b = T.dvectors('a b')",
    "f = eqsat.function([a, b],\\n    T.exp(a) + b)",
    "@eqsat.jit\\ndef g(x, y):\\n    return x - y",
    "for h in (f, g):\\n    try:\\n        h(np.ones(3), np.ones(4))\\n    except ValueError as error:\\n        print(error)",
):
    shell.run_cell(cell, store_history=True)
"""


def test_errors_name_the_cell_and_its_line() -> None:
    pytest.importorskip("IPython")
    paths = {"PYTHONPATH": str(Path(eqsat.__file__).parents[1])}
    run = [sys.executable, "-c", PROGRAM]
    said = subprocess.run(run, capture_output=True, text=True, check=True, env={**os.environ, **paths}).stdout
    for line in (
        "made at cell [2], line 2",
        "exp(a) + b   written at cell [3], line 2",
        "made at cell [4], line 1",
        "x - y   written at cell [4], line 3",
    ):
        assert line in said, said
