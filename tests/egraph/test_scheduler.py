"""A phase stops for the reason it gives, keeps the analyses up to date and never mistakes a ban for the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from eqsat.egraph import scheduler
from eqsat.egraph.adapter import Session, Template
from eqsat.egraph.scheduler import Budget, PhaseReport, run_phase

SCHEMA = [
    "(sort T)",
    "(constructor In (i64) T)",
    "(constructor Add (T T) T)",
    "(constructor Big (T) T)",
    "(function node (i64) T :merge old)",
    "(function lo (T) i64 :merge (max old new))",
    "(relation big (T))",
    "(relation rIn (i64 i64))",
    "(relation rAdd (i64 i64 i64))",
    *(f"(ruleset {name})" for name in ("load", "an", "flags", "swap", "turn", "mark", "grow", "idle")),
    "(unstable-combined-ruleset swap_idle swap idle)",
    "(unstable-combined-ruleset grow_idle grow idle)",
]
RULES = [
    "(rule ((rIn ?k ?v)) ((let ?e (In ?k)) (set (node ?k) ?e) (set (lo ?e) ?v)) :ruleset load)",
    "(rule ((rAdd ?k ?a ?b) (= ?x (node ?a)) (= ?y (node ?b))) ((set (node ?k) (Add ?x ?y))) :ruleset load)",
    '(rule ((= ?e (Add ?a ?b)) (= ?l (lo ?a)) (= ?m (lo ?b))) ((set (lo ?e) (+ ?l ?m))) :ruleset an :name "sum")',
    '(rule ((= ?l (lo ?e)) (> ?l 2)) ((big ?e)) :ruleset flags :name "flag")',
    '(rule ((= ?e (Big ?x)) (= ?l (lo ?x))) ((set (lo ?e) (+ ?l 100))) :ruleset an :name "big-lo")',
    '(rewrite (Add ?a ?b) (Add ?b ?a) :ruleset swap :name "swap")',
    '(rewrite (Add (Add ?a ?b) ?c) (Add ?a (Add ?b ?c)) :ruleset turn :name "turn")',
    '(rule ((big ?x) (= ?x (Add ?a ?b))) ((Big ?x)) :ruleset mark :name "mark")',
    '(rule ((= ?e (Big ?x))) ((Big ?e)) :ruleset grow :name "grow")',
]
PLENTY = Budget(nodes=10**9, matches=10**9, seconds=1e9)
TEMPLATE = Template(SCHEMA, RULES)


@contextmanager
def sum_of(terms: int) -> Iterator[Session]:
    """A session that holds ((0 + 1) + 2) + ..., each leaf at least 1."""
    with TEMPLATE.session() as session:
        adds = [(terms + k, terms + k - 1 if k else 0, k + 1) for k in range(terms - 1)]
        session.load({"rIn": [(k, 1) for k in range(terms)], "rAdd": adds})
        session.saturate("load")
        yield session


def explore(session: Session, budget: Budget, rulesets: tuple[str, ...] = ("swap", "turn")) -> PhaseReport:
    return run_phase(session, "explore", ["an"], rulesets, budget)


@pytest.mark.parametrize("terms", [2, 4, 6])
def test_saturation_finds_every_sum(terms: int) -> None:
    with sum_of(terms) as session:
        report = explore(session, PLENTY)
        assert session.sizes()["Add"] == 3**terms - 2 ** (terms + 1) + 1
        assert report.stopped == "saturated"
        assert report.name == "explore"
        assert report.rows == session.size()
        assert 0 < report.iterations < 20
        assert report.seconds > 0
        assert set(report.matches) <= {"swap", "turn"}
        assert report.matches["swap"] > 0


def test_the_history_has_an_entry_for_each_run() -> None:
    with sum_of(4) as session:
        start = session.size()
        report = explore(session, PLENTY)
        first, *rest = report.history
        assert (first.ruleset, first.matches) == ("", {}) and first.rows >= start
        assert {step.ruleset for step in rest} <= {"swap", "turn"}
        assert max(step.rows for step in rest) > first.rows
        assert rest[-1].rows == report.rows and 0 < rest[-1].seconds <= report.seconds
        total = {name: sum(step.matches.get(name, 0) for step in rest) for name in report.matches}
        assert total == report.matches


def test_analyses_are_complete_before_a_step_and_at_the_end() -> None:
    with sum_of(3) as session:
        report = run_phase(session, "mark", ["an", "flags"], ["mark"], PLENTY)
        assert report.stopped == "saturated"
        assert report.matches == {"mark": 1}
        assert sorted(row.output for row in session.freeze().rows("lo"))[-2:] == [3, 103]


def test_analyses_feed_each_other_in_any_order() -> None:
    for analyses in (["an", "flags"], ["flags", "an"]):
        with sum_of(5) as session:
            run_phase(session, "facts", analyses, [], PLENTY)
            assert session.sizes()["big"] == 3


def test_without_rulesets_only_the_analyses_run() -> None:
    with sum_of(4) as session:
        report = run_phase(session, "facts", ["an"], [], PLENTY)
        assert (report.stopped, report.matches) == ("saturated", {})
        assert session.sizes()["lo"] == 7


def test_without_analyses_the_rulesets_run() -> None:
    with sum_of(4) as session:
        assert run_phase(session, "bare", [], ["swap", "turn"], PLENTY).stopped == "saturated"
        assert session.sizes()["Add"] == 50


def test_a_ruleset_without_matches_is_saturated_at_once() -> None:
    with sum_of(4) as session:
        report = explore(session, PLENTY, ("idle",))
        assert (report.stopped, report.iterations, report.matches) == ("saturated", 1, {})


def test_stops_on_nodes_with_the_analyses_complete() -> None:
    with sum_of(9) as session:
        report = explore(session, Budget(nodes=2000, matches=10**9, seconds=1e9))
        assert report.stopped == "nodes"
        assert 2000 < report.rows < 20_000
        assert not session.run("an").updated


def test_growth_that_would_pass_a_limit_by_far_is_stopped_unless_more_is_looked_ahead() -> None:
    def rounds(ahead: int) -> PhaseReport:
        with sum_of(6) as session:
            start = session.size()
            return explore(session, Budget(6 * start, 10**9, 60.0, ahead=ahead))

    first, further = rounds(0), rounds(10**9)
    assert first.stopped == further.stopped == "nodes"
    assert first.iterations < further.iterations and first.rows < further.rows


def test_a_graph_over_the_limit_is_left_alone() -> None:
    with sum_of(9) as session:
        report = explore(session, Budget(nodes=5, matches=10**9, seconds=1e9))
        assert (report.stopped, report.iterations, report.matches) == ("nodes", 0, {})


def test_stops_on_iterations() -> None:
    with sum_of(3) as session:
        session.add(["(Big (In 0))"])
        report = explore(session, Budget(nodes=10**9, matches=10**9, seconds=1e9, iterations=7), ("grow",))
        assert (report.stopped, report.iterations) == ("iterations", 7)
        assert session.sizes()["Big"] == 8


class Clock:
    """A clock that moves one second per look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_stops_on_seconds() -> None:
    with sum_of(3) as session:
        session.add(["(Big (In 0))"])
        budget = Budget(nodes=10**9, matches=10**9, seconds=20.0)
        report = run_phase(session, "grow", ["an"], ["grow"], budget, Clock())
        assert report.stopped == "seconds"
        assert 0 < report.iterations < 20
        assert 20 < report.seconds < 30


def test_time_in_which_others_have_the_processor_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saturation on a busy machine finds what it finds on an idle one, though a second of the processor is one of work."""
    monkeypatch.setattr(scheduler, "PATIENCE", 1)
    with sum_of(4) as session:
        waits = iter([0.6])

        def wait(session: Session) -> bool:
            time.sleep(next(waits, 0))
            return False

        budget = Budget(nodes=10**9, matches=10**9, seconds=0.5)
        report = run_phase(session, "explore", ["an"], ["swap", "turn"], budget, answer=wait)
        assert report.stopped == "saturated" and session.sizes()["Add"] == 3**4 - 2**5 + 1


def test_an_analysis_that_never_ends_is_stopped() -> None:
    with sum_of(3) as session:
        session.add(["(ruleset climb)", "(rule ((= ?l (lo ?e))) ((set (lo ?e) (+ ?l 1))) :ruleset climb)"])
        budget = Budget(nodes=10**9, matches=10**9, seconds=10.0)
        report = run_phase(session, "climb", ["climb"], ["swap"], budget, Clock())
        assert (report.stopped, report.iterations) == ("seconds", 0)


class Recorder:
    """Passes everything on to a session and notes the rewrite steps."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.steps: list[str] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self.session, name)

    def run(self, ruleset: str, times: int = 1) -> object:
        if ruleset != "an":
            self.steps.append(ruleset)
        return self.session.run(ruleset, times)


def test_too_many_matches_are_a_ban_of_three_rounds() -> None:
    with sum_of(6) as session:
        recorder = Recorder(session)
        budget = Budget(nodes=10**9, matches=4, seconds=1e9, iterations=5)
        run_phase(recorder, "ban", ["an"], ["swap", "idle"], budget)  # type: ignore[arg-type]
    assert recorder.steps == ["swap", "idle", "idle", "idle", "idle", "swap", "idle"]


def test_rules_that_search_everything_come_apart_in_a_long_phase_and_have_a_turn_before_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    apart = {"swap_idle": ("swap", "idle")}
    for long, steps in {0: ["swap", "idle", "swap", "idle"], 1: ["swap_idle", "swap", "idle"]}.items():
        monkeypatch.setattr(scheduler, "LONG", long)
        with sum_of(2) as session:
            recorder = Recorder(session)
            report = run_phase(recorder, "last", ["an"], ["swap_idle"], PLENTY, apart=apart)  # type: ignore[arg-type]
        assert report.stopped == "saturated" and recorder.steps == steps


def test_what_searches_everything_and_found_nothing_waits_while_little_is_new(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler, "_ITERATION", 0)
    monkeypatch.setattr(scheduler, "LONG", 1)
    with sum_of(3) as session:
        session.saturate("an")
        session.saturate("flags")
        session.run("mark")
        recorder = Recorder(session)
        budget = Budget(nodes=10**9, matches=10**9, seconds=1e9, iterations=60)
        apart = {"grow_idle": ("grow", "idle")}
        run_phase(recorder, "wait", ["an"], ["grow_idle"], budget, apart=apart)  # type: ignore[arg-type]
    assert recorder.steps[:3] == ["grow_idle", "grow", "idle"]
    turns = [k - i for i, k in enumerate(k for k, step in enumerate(recorder.steps) if step == "idle")]
    gaps = [b - a for a, b in pairwise(turns)]
    assert gaps == sorted(gaps) and gaps[-1] > 1, "the larger the e-graph, the longer it waits"


def test_a_ban_is_not_the_end() -> None:
    with sum_of(6) as session:
        budget = Budget(nodes=10**9, matches=1, seconds=1e9, iterations=3)
        report = explore(session, budget)
        assert report.stopped == "iterations"
    with sum_of(6) as session:
        report = explore(session, Budget(nodes=10**9, matches=1, seconds=1e9))
        assert report.stopped == "saturated"
        assert session.sizes()["Add"] == 602
        assert report.iterations > 8


def test_the_same_input_gives_the_same_tables() -> None:
    def once() -> object:
        with sum_of(7) as session:
            report = explore(session, Budget(nodes=1500, matches=300, seconds=1e9))
            frozen = session.freeze()
            return report.stopped, report.matches, [frozen.rows(name) for name in frozen.names()]

    assert once() == once()


def test_a_budget_of_seconds_ends_at_the_same_place_on_a_slow_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Work is counted, so that what is found does not depend on how fast the processor is, or on what else it does."""
    monkeypatch.setattr(scheduler, "PATIENCE", 5)
    found = []
    for slow in (1, 4):
        monkeypatch.setattr(Session, "clock", lambda self, slow=slow: slow * 1e-3 * self.changes)
        with sum_of(9) as session:
            report = explore(session, Budget(nodes=10**9, matches=10**9, seconds=0.05))
            assert report.stopped == "seconds" and report.matches
            found.append((report.iterations, report.matches, report.rows))
    assert found[0] == found[1]


def test_a_processor_that_takes_many_times_as_long_ends_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "PATIENCE", 5)
    monkeypatch.setattr(Session, "clock", lambda self: 1.0 * self.changes)
    with sum_of(9) as session:
        report = explore(session, Budget(nodes=10**9, matches=10**9, seconds=0.05))
        assert report.stopped == "seconds" and report.iterations <= 1
