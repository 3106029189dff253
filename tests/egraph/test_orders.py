"""Nothing depends on an order: not the C text on the process, not the cost on the order of rules, outputs and operands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import orders  # noqa: E402

GRAPHS = [
    "softmax regression",
    "layer norm",
    "log of a sum",
    "chain of twelve",
    "short chain with scalars",
    "distances",
    "stable forms",
    "random 0",
    "random 4",
]


@pytest.mark.sweep
def test_two_processes_write_the_same_c() -> None:
    command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("written_c.py"))]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    running = [
        subprocess.Popen(
            [*command, "digits", "gru", "transformer", "random"],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "4242")
    ]
    first, second = (json.loads(child.communicate()[0]) for child in running)
    assert len(first) == 14
    assert first == second


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.sampled(3)
def test_no_order_changes_the_cost(name: str) -> None:
    found = orders.spread(orders.graphs()[name], 2)
    assert found.steady() and not found.budgets, found


def test_another_cost_is_seen() -> None:
    assert not orders.Spread(3.0, 1.0, 1.0, 1.1, 0).steady()
