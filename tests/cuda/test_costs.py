"""Costs of a GPU: constants from attributes, and plans that differ where they should."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen.cuda.costs import RECORDED, constants
from eqsat.functions.planning import plan_graph
from eqsat.graph.plan import Rows
from tests.cuda.forms import H200
from wins.case import Case
from wins.measure import SECTIONS, measure

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize("arch", RECORDED)
def test_constants_follow_from_attributes(arch: str) -> None:
    made, gpu = constants(RECORDED[arch]), RECORDED[arch]
    assert np.isclose(made["byte"] * gpu.bandwidth, 1 / 0.9)
    assert np.isclose(made["single"] * gpu.ratio, 1)
    assert all(value >= 0 for value in made.values())


def test_bandwidths_are_those_of_the_makers() -> None:
    stated = {"sm_80": 1.555e12, "sm_89": 1.008e12, "sm_90": 4.8e12, "sm_100": 8e12}
    for arch, bandwidth in stated.items():
        assert 0.95 < RECORDED[arch].bandwidth / bandwidth < 1.05, arch


@pytest.mark.c
def test_what_three_reductions_read_is_stored_for_the_processor_and_computed_again_for_a_gpu() -> None:
    x = T.fmatrix("x")
    e = T.exp(x)
    outputs = [(e * 2).sum(1), T.sin(e).sum(0)]
    with config.change_flags(cuda_device="emulated"):
        steps = {
            target: eqsat.function([x], outputs, target=target, shape_hints={x: (4096, 1024)}).report.steps
            for target in ("c", "cuda")
        }
    texts = {target: " ".join(s.text for s in found) for target, found in steps.items()}
    assert texts["cuda"].count("exp") == 2 and texts["c"].count("exp") == 1, texts


@pytest.mark.parametrize("lengths", [(1024, 64), (4096, 1024), (65536, 1024), (16, 1_000_000)])
def test_rows_are_one_kernel_unless_a_gpu_would_be_idle(lengths: tuple[int, int]) -> None:
    x = T.TensorType("float32", shape=lengths)("x")
    off = x - x.mean(1, keepdims=True)
    for out in (T.softmax(x, 1), off / T.sqrt((off * off).mean(1, keepdims=True) + 1e-5)):
        found = plan_graph([x], [out], fused=True, model=H200).steps
        assert [isinstance(s, Rows) for s in found] == ([True] if lengths[0] > 16 else [False] * 3), found


def test_compare_takes_targets() -> None:
    x = T.matrix("x")
    e = T.exp(x)
    outputs = [(e * 2).sum(1), T.sin(e).sum(0)]
    found = eqsat.compare(outputs, target=("c", "cuda"), shape_hints={x: (4096, 1024)})
    assert "target='cuda'" in str(found) and found.hints == {x: (4096, 1024)}
    exponentials = [sum(s.text.count("exp") for s in side.report.steps) for side in (found.a, found.b)]
    assert exponentials == [1, 2]  # near by for the processor, computed again for a GPU
    assert "steps of a: " in str(found) and "steps of b: " in str(found)
    with pytest.raises(eqsat.errors.ArgumentError, match="shape_hints= takes two values"):
        eqsat.compare(x, shape_hints={x: (4, 4)})
    with pytest.raises(eqsat.errors.ArgumentError, match="metal"):
        eqsat.optimize(x + 1, target="metal")


WINS = [(section, c) for section, cases in SECTIONS.items() for c in cases if not c.name.startswith("scan-")]
# what only positive numbers allow; one elementwise op more, of whose call fusion leaves a part by the model
NEARLY = {"log-prod": 3.0, "softmax-xent-grad-naive": 1.1}


@pytest.mark.sweep
@pytest.mark.parametrize(("section", "case"), WINS, ids=lambda x: getattr(x, "name", ""))
def test_the_best_known_forms_are_found_at_the_costs_of_a_device(section: str, case: Case) -> None:
    with config.change_flags(target="cuda", cuda_device="emulated"):
        row = measure(section, case)
    assert not row.wrong
    assert row.holds or row.ratio < NEARLY.get(case.name, 1), row
