"""The example programs do what they say."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

import eqsat

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def recurrent(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXAMPLES)
    sys.modules.pop("recurrent", None)
    import recurrent

    return recurrent


@pytest.mark.sweep
def test_the_recurrent_network_learns_to_spell(recurrent: ModuleType) -> None:
    network = recurrent.Network()
    train, write = recurrent.trainer(network), recurrent.writer(network)
    wanted = " three four five six seven eight nine ten eleven twelve one two"
    assert write("one two", len(wanted)) != wanted
    losses = [float(train(batch)) for batch in recurrent.batches(150)]
    assert losses[0] > 2.5 and max(losses[-10:]) < 0.2
    assert write("one two", len(wanted)) == wanted
    with eqsat.config.change_flags(mode="reference"):
        assert recurrent.writer(network)("one two", len(wanted)) == wanted


def test_a_step_of_the_recurrent_network_is_that_of_the_reference_mode(recurrent: ModuleType) -> None:
    batch = next(recurrent.batches(1))
    ours, reference = recurrent.Network(), recurrent.Network()
    train = recurrent.trainer(ours)
    with eqsat.config.change_flags(mode="reference"):
        again = recurrent.trainer(reference)
    for _ in range(3):
        assert float(train(batch)) == pytest.approx(float(again(batch)), rel=1e-4)
    for w, v in zip(ours.weights, reference.weights, strict=True):
        assert w.get_value() == pytest.approx(v.get_value(), abs=1e-4)
