"""Rules that ask what values are made of run in the e-graph that the others have made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.egraph import saturate as module
from eqsat.pipeline import program as stages
from eqsat.pipeline.modes import MODES
from eqsat.pipeline.program import Program
from eqsat.pipeline.settings import Settings


def shares() -> list[Any]:
    """Weighted shares of exponentials, which only rules that ask what values are made of keep from overflowing."""
    x, w = T.dmatrix("x"), T.dvector("w")
    return [T.exp(x) * w / (T.exp(x) * w).sum(axis=1, keepdims=True)]


def program_of(outputs: list[Any]) -> Program:
    settings = Settings.of(MODES["FAST_RUN"], "default", None, None, (), None, 1, None, False, outputs)
    return Program(outputs, settings)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The e-graphs that are begun from now on, one entry each."""
    begun: list[Any] = []
    real = stages.saturate

    def saturate(*arguments: Any) -> Any:
        begun.append(arguments[1])
        return real(*arguments)

    monkeypatch.setattr(stages, "saturate", saturate)
    return begun


def test_one_e_graph_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(shares())
    encoded = program.encoded()
    scratch = program.rewritten(encoded)
    begun = counted(monkeypatch)
    found = program.in_turn(encoded)
    assert len(begun) == 1 and not begun[0].on_functions
    assert found.saturated.widened and found.program.on_functions
    assert sorted(e.op for e in found.extracted.chosen) == sorted(e.op for e in scratch.extracted.chosen)


def test_a_graph_that_asks_for_none_gets_none() -> None:
    x = T.dvector("x")
    outputs = [T.exp(x) + x]
    found = program_of(outputs).in_turn(program_of(outputs).encoded())
    assert not found.saturated.widened and not found.program.on_functions


@pytest.mark.parametrize("flaw", ["refused", "nodes"])
def test_what_the_wider_rules_spoil_is_made_anew(flaw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(shares())
    encoded = program.encoded()
    real, reads = module.read, []

    def read(*arguments: Any) -> Any:
        reads.append(real(*arguments))
        spoilt = flaw == "refused" and len(reads) == 2
        return replace(reads[-1], refused="1.0 and 2.0") if spoilt else reads[-1]

    monkeypatch.setattr(module, "read", read)
    if flaw == "nodes":
        run, runs = module.Driver.run, []

        def limited(self: Any, *arguments: Any, **named: Any) -> Any:
            runs.append(run(self, *arguments, **named))
            return [replace(p, stopped="nodes") for p in runs[-1]] if len(runs) == 2 else runs[-1]

        monkeypatch.setattr(module.Driver, "run", limited)
    begun = counted(monkeypatch)
    found = program.in_turn(encoded)
    assert [rules.on_functions for rules in begun] == [False, True]
    assert found.program.on_functions and not found.saturated.widened


@pytest.mark.parametrize(
    "stopped, nodes, begun_anew",
    [("grow", 1_000_000, True), ("grow", 1, False), ("settle", 1_000_000, False)],
    ids=["while forms grew", "with as many rows as the flag allows", "before forms grow"],
)
def test_an_e_graph_that_met_a_limit_is_made_anew_only_while_forms_grew(
    stopped: str, nodes: int, begun_anew: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules that settle and divide had ended, and end with more rules, too."""
    outputs = shares()
    with eqsat.config.change_flags(egraph_nodes=nodes):
        program = program_of(outputs)
    encoded = program.encoded()
    run = module.Driver.run

    def limited(self: Any, *arguments: Any, **named: Any) -> Any:
        phases = run(self, *arguments, **named)
        phases[-1] = replace(phases[-1], name=stopped, stopped="nodes")
        return phases

    monkeypatch.setattr(module.Driver, "run", limited)
    begun = counted(monkeypatch)
    found = program.in_turn(encoded)
    assert [rules.on_functions for rules in begun] == [False, True][: 1 + begun_anew]
    assert found.program.on_functions == begun_anew


def test_the_report_says_that_they_ran() -> None:
    report = eqsat.optimize(shares())
    assert report.on_functions and report.unstable_after == 0
    assert set(report.seconds) == {"encode", "template", "load", "saturate", "read", "extract"}
