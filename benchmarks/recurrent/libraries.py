"""The libraries side by side: which there are, whether they agree, how fast they are, and what a first call costs."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common.cold import empty_caches
from common.timing import medians
from recurrent.rows import Row

NAMES = ("eqsat", "numpy", "jax", "pytensor")
TOLERANCE = {"float32": 2e-3, "float64": 1e-9}  # of the largest value; rounding grows over the steps
PAUSE = 0.05  # seconds; OpenBLAS's threads look for work that long after a call


def present(wanted: Sequence[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Libraries that are installed, as modules of this package, and why the others are not there."""
    found, missing = {}, {}
    for name in wanted:
        try:
            found[name] = importlib.import_module(f"recurrent.in_{name}")
        except ModuleNotFoundError as error:
            missing[name] = str(error)
    return found, missing


def run_seconds(row: Row, libraries: dict[str, Any], rounds: int, budget: float) -> dict[str, float]:
    """Median seconds of a call in each library, after a look whether all give the same."""
    data = row.data()
    built = {name: (library.build(row), library.given(data)) for name, library in libraries.items()}
    agree(row, {name: [np.asarray(v) for v in f(*given)] for name, (f, given) in built.items()})
    calls = [lambda f=f, given=given: f(*given) for f, given in built.values()]
    return dict(zip(built, medians(calls, rounds, PAUSE, budget)))


def agree(row: Row, results: dict[str, list[np.ndarray]]) -> None:
    """Every library gives what the first gives, in the row's dtype."""
    (first, wanted), *others = results.items()
    for name, values in others:
        assert len(values) == len(wanted), (
            f"{row.name}: {len(values)} results of {name}, {len(wanted)} of {first}"
        )
        for k, (v, w) in enumerate(zip(values, wanted)):
            assert v.dtype == w.dtype == row.dtype, (
                f"{row.name}: result {k} is {v.dtype} in {name}, {w.dtype} in {first}"
            )
            slack, title = (
                TOLERANCE[row.dtype] * float(np.abs(w).max()),
                f"{row.name}: result {k}, {name} and {first}",
            )
            np.testing.assert_allclose(v, w, rtol=0, atol=slack, err_msg=title)


def alone(row: Row, name: str, is_small: bool) -> dict[str, float]:
    """What ``alone.py`` finds in a process of its own that begins with empty caches."""
    script = Path(__file__).with_name("alone.py")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(script), row.name, name, *["small"] * is_small]
        done = subprocess.run(command, env=empty_caches(folder), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{row.name} in {name}:\n{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))
