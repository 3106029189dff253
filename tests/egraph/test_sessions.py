"""Sessions are islands, and e-graphs of a template serve its next session and longer templates."""

from __future__ import annotations

import threading

import pytest

from eqsat.egraph import adapter
from eqsat.egraph.adapter import EGraphFailure, Template
from tests.egraph.small_e_graph import RULES, SCHEMA, SMALL, classes, python


def test_sessions_see_nothing_of_each_other(template: Template) -> None:
    with template.session() as session:
        session.add(["(sort Extra)", "(relation extra (i64))", "(extra 1)"])
        session.load(SMALL)
        session.saturate("load")
    with template.session() as session:
        assert session.size() == 0
        assert "extra" not in session.freeze().names()
        session.add(["(relation extra (i64 i64))"])


def test_sessions_nest(template: Template) -> None:
    with template.session() as outer:
        outer.load(SMALL)
        with template.session() as inner:
            assert inner.size() == 0
            inner.load({"rIn": [(9, 9.0)]})
        assert outer.sizes()["rIn"] == 2


def test_a_session_that_has_ended_is_refused(template: Template) -> None:
    with template.session() as session:
        pass
    with pytest.raises(EGraphFailure, match="ended"):
        session.load(SMALL)


SATURATE = f"""
from eqsat.egraph.adapter import Template
template = Template({SCHEMA!r}, {RULES!r})
def run(count):
    with template.session() as session:
        rows = [(k, k * 7919 % k, k // 2) for k in range(1, count)]
        session.load({{"rIn": [(0, -0.0)], "rAdd": rows}})
        for ruleset in ("load", "an", "swap"):
            session.saturate(ruleset)
        frozen = session.freeze()
        return [(name, frozen.rows(name)) for name in frozen.names()]
"""


def test_numbers_are_the_same_in_every_process_and_whatever_ran_before() -> None:
    ending = "import hashlib; print(hashlib.sha256(repr(run(300)).encode()).hexdigest())"
    first = python(SATURATE + ending)
    assert len(first) == 64
    assert python(SATURATE + "run(100); run(50); " + ending) == first


def test_two_threads_use_one_template(template: Template) -> None:
    results: dict[int, list[dict[int, int]]] = {}

    def work(number: int) -> None:
        for _ in range(3):
            with template.session() as session:
                session.load(SMALL | {"same": [(0, number)]})
                for ruleset in ("load", "an", "merge"):
                    session.saturate(ruleset)
                results.setdefault(number, []).append(classes(session.freeze()))

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, other in ((1, 3), (3, 1)):
        first, second, third = results[number]
        assert first == second == third
        assert first[0] == first[number] != first[other]


def test_a_template_may_go_before_the_thread_that_used_it() -> None:
    code = """
import gc, sys, threading
from eqsat.egraph.adapter import Template, _this_thread
noise = []
sys.unraisablehook = noise.append
templates = [Template(["(sort T)"], [])]
used, gone = threading.Event(), threading.Event()
def work():
    with templates[0].session():
        pass
    used.set()
    gone.wait()
    for _ in range(2):
        with Template(["(sort T)"], []).session():
            assert len(_this_thread.shelves) == 1
thread = threading.Thread(target=work)
thread.start()
used.wait()
templates.clear()
gc.collect()
gone.set()
thread.join()
gc.collect()
print(noise)
"""
    assert python(code) == "[]"


def test_an_e_graph_is_built_anew_before_its_reports_weigh(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    """egglog keeps a report on every iteration: 30 kB for a small graph, which each push copies."""
    made = []
    add = adapter._Engine.__init__
    monkeypatch.setattr(
        adapter._Engine, "__init__", lambda self, lines: (made.append(self), add(self, lines))[1]
    )
    other = Template(SCHEMA, RULES)

    def work() -> dict[int, int]:
        with other.session() as session:
            session.load(SMALL)
            session.saturate("load")
            return classes(session.freeze())

    first = work()
    for limit in ("_SESSIONS", "_SECONDS"):
        monkeypatch.setattr(adapter, limit, 3 if limit == "_SESSIONS" else 0.0)
        made.clear()
        assert [work() for _ in range(7)] == [first] * 7
        assert len(made) == (2 if limit == "_SESSIONS" else 6), "the one that is there is used once more"


def test_an_e_graph_of_a_template_that_is_gone_serves_a_longer_one() -> None:
    short = Template(["(sort T)"], [])
    longer = short.extended(["(constructor A () T)"])
    with short.session():
        pass
    del short
    with longer.session() as session:
        session.add(["(A)"])
        assert session.size() == 1
    never = Template(["(sort T)"], [])
    longer = never.extended(["(constructor B () T)"])
    del never  # before anybody asked for an e-graph
    with longer.session() as session:
        session.add(["(B)"])
        assert session.size() == 1


def test_sessions_of_another_template_do_not_end_the_e_graph_of_a_longer_one() -> None:
    """A rulebook that learns gets a longer template; sessions of others come before the next one of it."""
    template, other = Template(["(sort T)"], []), Template(["(sort T)"], [])
    engines = []
    for name in "ABC":
        template = template.extended([f"(constructor {name} () T)"])
        with other.session():
            pass
        with template.session() as session:
            engines.append(session._engine)
            session.add([f"({name})"])
            assert session.size() == 1
    assert engines[0] is engines[1] is engines[2]


def test_an_e_graph_never_holds_more_than_the_template_of_its_session() -> None:
    """Two that extend one template differently share what they have in common only."""
    short = Template(["(sort T)"], [])
    first = short.extended(["(constructor A () T)"])
    second = short.extended(["(constructor A () T)", "(constructor B () T)"])
    third = short.extended(["(constructor B () T)"])
    for template, names in ((second, "AB"), (first, "A"), (third, "B"), (short, ""), (second, "AB")):
        with template.session() as session:
            session.add([f"({name})" for name in names])
            assert set(session.sizes()) == set(names)
