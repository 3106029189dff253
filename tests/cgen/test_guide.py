"""The builders that the guide on the loop program shows do what their ops say."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from eqsat.cgen.ir.expressions import either, select
from eqsat.graph.declare import forget_op, structural
from eqsat.verify import verify_op

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def guide(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The blocks of the guide as a module of builders."""
    text = (ROOT / "docs" / "loop_program.md").read_text(encoding="utf-8")
    module = ModuleType("eqsat.cgen.builders.guide")
    vars(module).update(either=either, select=select)
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.mark.c
def test_distances(guide: ModuleType) -> None:
    declared = structural(
        "block", signature="(n,k),(m,k)->(n,m)", dtypes="f,f->f", builder="guide.distances", name="city_block"
    )
    try:
        op = declared(lambda x, y: np.abs(x[:, None] - y[None]).sum(-1))
        assert verify_op(op, draws=6).results == 6
    finally:
        forget_op("city_block")


@pytest.mark.c
def test_take(guide: ModuleType) -> None:
    declared = structural(
        "block", signature="(n,k),(m)->(m,k)", dtypes="a,i->a", builder="guide.take", name="rows_taken"
    )
    try:
        x, i = np.arange(12.0).reshape(4, 3), np.array([3, 0, 3])
        np.testing.assert_array_equal(declared(lambda x, i: x[i])(x, i).eval(mode="FAST_COMPILE"), x[i])
    finally:
        forget_op("rows_taken")
