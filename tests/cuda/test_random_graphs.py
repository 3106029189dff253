"""Random graphs and scans give on the emulated device what they give on the processor."""

from __future__ import annotations

from typing import Any

import pytest

import eqsat
from campaign import compare
from campaign.matrices import grow
from eqsat.base.configuration import config

pytestmark = [pytest.mark.c, pytest.mark.cuda, pytest.mark.sweep]
GRAPHS, AT_A_TIME = 100, 10


@pytest.mark.parametrize("first", range(0, GRAPHS, AT_A_TIME))
def test_random_graphs_agree_with_the_processor(first: int) -> None:
    for seed in range(first, first + AT_A_TIME):
        inputs, values, outputs = grow(seed)
        mode = ("FAST_RUN", "FAST_COMPILE")[seed % 2]

        def results(
            target: str, inputs: Any = inputs, outputs: Any = outputs, values: Any = values, mode: str = mode
        ) -> Any:
            f = eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore", target=target)
            assert target == "c" or f.cuda_source is not None
            return f(*values)

        with config.change_flags(cuda_device="emulated"):
            ours, theirs = results("cuda"), results("c")
        moved = compare.spread(outputs, dict(zip(inputs, values, strict=True)), seed, mode == "FAST_RUN")
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            wrong = compare.difference(a, b, moved[k], mode == "FAST_RUN")
            assert wrong is None, f"seed {seed}, {mode}, output {k} {wrong}"
