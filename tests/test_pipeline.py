"""The stages of a rewriting: what one has made is handed to the next, and not made again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config, scan
from eqsat.pipeline import program as stages
from eqsat.pipeline.modes import MODES
from eqsat.pipeline.program import Program
from eqsat.pipeline.settings import Settings

x = T.dvector("x")
p = 1 / (1 + T.exp(-x))
GRAPHS: dict[str, Any] = {
    "elementwise": T.exp(x) + 1,
    "with rules on functions": T.log(p / (1 - p)),
    "a loop": scan(lambda a, s: T.tanh(s * a), x, T.constant(1.0))[0],
}


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What has been encoded so far."""
    made: list[Any] = []
    encode = stages.encode

    def counted(*args: Any) -> Any:
        made.append(args)
        return encode(*args)

    monkeypatch.setattr(stages, "encode", counted)
    return made


@pytest.mark.c
@pytest.mark.parametrize("name", GRAPHS)
def test_a_cold_compile_encodes_once_and_a_warm_one_never(
    name: str, encoded: list[Any], tmp_path: Path
) -> None:
    with config.change_flags(cache_dir=str(tmp_path)):
        eqsat.function([x], GRAPHS[name])
        assert len(encoded) == 1
        assert "lookup" in eqsat.function([x], GRAPHS[name]).seconds
        assert len(encoded) == 1


WAYS: list[Callable[[Any], Any]] = [
    lambda y: eqsat.optimize(y, check={x: [0.5, 1.0]}),
    eqsat.profile_rules,
    lambda y: eqsat.function([x], y, mode="numpy"),
    lambda y: eqsat.optimize(y, shape_hints={x: (9,)}),
]


@pytest.mark.parametrize("way", WAYS)
def test_what_looks_into_a_rewriting_encodes_once(way: Callable[[Any], Any], encoded: list[Any]) -> None:
    way(GRAPHS["a loop"])
    assert len(encoded) == 1


def test_stages_are_values() -> None:
    program = Program([GRAPHS["elementwise"]], Settings.of(MODES["FAST_RUN"], variants=1))
    found = program.rewritten(program.encoded())
    for value in (program, program.settings, found, found.encoded, found.saturated, found.extracted):
        with pytest.raises(FrozenInstanceError):
            value.settings = None
