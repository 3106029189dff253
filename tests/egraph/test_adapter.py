"""What goes into egglog comes out unchanged, sessions are islands, and every failure has one of two names."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqsat.egraph import adapter, extension
from eqsat.egraph.adapter import EGraphFailure, EGraphUnavailable, Frozen, Row, Template

ROOT = Path(__file__).parents[2]

SCHEMA = [
    "(sort T)",
    "(constructor In (i64) T)",
    "(constructor Neg (T) T)",
    "(constructor Add (T T) T)",
    "(function node (i64) T :merge old)",
    "(function lo (T) f64 :merge (max old new))",
    "(function kind (T) i64 :no-merge)",
    "(relation rIn (i64 f64))",
    "(relation rNeg (i64 i64))",
    "(relation rAdd (i64 i64 i64))",
    "(relation same (i64 i64))",
    "(ruleset load)",
    "(ruleset an)",
    "(ruleset swap)",
    "(ruleset merge)",
]
RULES = [
    "(rule ((rIn ?k ?v)) ((let ?e (In ?k)) (set (node ?k) ?e) (set (lo ?e) ?v)) :ruleset load)",
    "(rule ((rNeg ?k ?a) (= ?x (node ?a))) ((set (node ?k) (Neg ?x))) :ruleset load)",
    "(rule ((rAdd ?k ?a ?b) (= ?x (node ?a)) (= ?y (node ?b))) ((set (node ?k) (Add ?x ?y))) :ruleset load)",
    '(rule ((= ?e (Add ?a ?b)) (= ?l (lo ?a)) (= ?m (lo ?b))) ((set (lo ?e) (+ ?l ?m))) :ruleset an :name "sum")',
    '(rewrite (Add ?a ?b) (Add ?b ?a) :ruleset swap :name "swap")',
    "(rule ((same ?a ?b) (= ?x (node ?a)) (= ?y (node ?b))) ((union ?x ?y)) :ruleset merge)",
]
SMALL: dict[str, list[tuple[float, ...]]] = {"rIn": [(0, 1.5), (1, 2.0)], "rAdd": [(2, 0, 1), (3, 2, 2)]}


@pytest.fixture(scope="module")
def template() -> Template:
    return Template(SCHEMA, RULES)


def classes(frozen: Frozen) -> dict[int, int]:
    """Class of every node number."""
    return {row.inputs[0]: row.output for row in frozen.rows("node")}


def python(code: str) -> str:
    """What a new process prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# --- in and out ----------------------------------------------------------------------------------------------


def test_a_graph_is_loaded_and_read_back(template: Template) -> None:
    with template.session() as session:
        session.load(SMALL)
        assert session.saturate("load").updated
        frozen = session.freeze()
    node = classes(frozen)
    assert sorted(node) == [0, 1, 2, 3]
    assert set(node.values()) == set(range(frozen.classes))
    assert frozen.rows("Add") == [
        Row((node[0], node[1]), node[2], subsumed=False),
        Row((node[2], node[2]), node[3], subsumed=False),
    ]
    assert frozen.rows("Neg") == []
    assert frozen.rows("rIn") == [Row((0, 1.5), None, False), Row((1, 2.0), None, False)]


def test_sorts_and_columns(template: Template) -> None:
    with template.session() as session:
        session.load(SMALL)
        frozen = session.freeze()
    assert frozen.sorts("Add") == (("T", "T"), "T")
    assert frozen.sorts("lo") == (("T",), "f64")
    assert frozen.sorts("rIn") == (("i64", "f64"), "Unit")
    assert frozen.columns("rIn").inputs == ([0, 1], [1.5, 2.0])
    assert {"Add", "rAdd", "node"} <= set(frozen.names())


def test_other_base_values_strings_booleans_big_integers() -> None:
    template = Template(
        [
            "(function f (i64) String :merge old)",
            "(function g (i64) bool :merge old)",
            "(relation big (BigInt))",
        ],
        ['(set (f 1) "one")', "(set (g 1) true)", '(big (from-string "123456789012345678901"))'],
    )
    with template.session() as session:
        frozen = session.freeze()
    assert frozen.rows("f") == [Row((1,), "one", False)]
    assert frozen.rows("g") == [Row((1,), True, False)]
    assert frozen.rows("big") == [Row((123456789012345678901,), None, False)]


def test_an_unreadable_sort_is_refused() -> None:
    with Template(["(relation r (Rational))"], []).session() as session:
        session.add(["(r (rational 1 2))"])
        with pytest.raises(EGraphFailure, match="Rational"):
            session.freeze()


def test_a_subsumed_row_says_so(template: Template) -> None:
    with template.session() as session:
        session.add(["(let $a (Neg (In 1)))", "(subsume (Neg (In 1)))"])
        frozen = session.freeze()
        assert [row.subsumed for row in frozen.rows("Neg")] == [True]
        assert [row.subsumed for row in frozen.rows("In")] == [False]
        assert "$a" not in frozen.names()


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 5e-324, 1.7976931348623157e308, 0.1, 1e22])
def test_special_floats_come_back(template: Template, value: float) -> None:
    with template.session() as session:
        session.load({"rIn": [(0, value)]})
        (row,) = session.freeze().rows("rIn")
    assert repr(row.inputs[1]) == repr(value)


def test_zeros_are_one_value_and_read_as_positive_whatever_came_first(template: Template) -> None:
    for first, second in [(-0.0, 0.0), (0.0, -0.0)]:
        with template.session() as session:
            session.load({"rIn": [(0, first)]})
            session.load({"rIn": [(0, second)]})
            (row,) = session.freeze().rows("rIn")
        assert repr(row.inputs[1]) == "0.0"


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.floats()), max_size=30))
def test_any_numbers_come_back(rows: list[tuple[int, float]]) -> None:
    def key(number: int, value: float) -> tuple[int, str]:
        return number, "nan" if math.isnan(value) else struct.pack("d", value + 0.0).hex()

    with NUMBERS.session() as session:
        session.load({"r": rows})
        back = session.freeze().rows("r")
    assert {key(*row.inputs) for row in back} == {key(*row) for row in rows}
    assert len(back) == len({key(*row) for row in rows})


NUMBERS = Template(["(relation r (i64 f64))"], [])


def test_numpy_numbers_load(template: Template) -> None:
    numpy = pytest.importorskip("numpy")
    with template.session() as session:
        session.load({"rIn": [(numpy.int64(3), numpy.float64(0.1))]})
        assert session.freeze().rows("rIn") == [Row((3, 0.1), None, False)]


def test_twenty_thousand_rows_are_quick(template: Template) -> None:
    count = 20_000
    rows = [(k, (k * 7919) % k, k // 2) for k in range(1, count)]
    start = time.perf_counter()
    with template.session() as session:
        session.load({"rIn": [(0, 1.0)], "rAdd": rows, "rNeg": []})
        session.saturate("load")
        frozen = session.freeze()
    assert len(frozen.rows("node")) == count
    assert frozen.classes == len(set(classes(frozen).values()))
    assert time.perf_counter() - start < 5


@pytest.mark.sweep
def test_a_deep_chain_loads(template: Template) -> None:
    count = 50_000
    start = time.perf_counter()
    with template.session() as session:
        session.load({"rIn": [(0, 1.0)], "rNeg": [(k, k - 1) for k in range(1, count)]})
        session.saturate("load")
        assert session.sizes()["node"] == count
        assert session.freeze().classes == count
    assert time.perf_counter() - start < 20


def test_no_file_is_left_behind(template: Template, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("none", "memfd_create"):  # where there are no files in memory, the usual folder serves
        monkeypatch.delattr(os, name, raising=False)
        with template.session() as session:
            session.load(SMALL)
            assert session.sizes()["rIn"] == 2
            with pytest.raises(EGraphFailure):
                session.load({"rIn": [(2**70, 1.0)]})
        assert list(tmp_path.iterdir()) == []


# --- running -------------------------------------------------------------------------------------------------


def test_a_step_reports_matches_by_rule(template: Template) -> None:
    with template.session() as session:
        session.load(SMALL)
        session.saturate("load")
        step = session.run("swap")
        assert step.updated
        assert step.matches == {"swap": 2}
        assert step.iterations == 1
        again = session.run("swap")  # there is a new row to match, and nothing to add
        assert (again.updated, again.matches) == (False, {"swap": 1})
        assert session.run("swap").matches == {}


def test_a_run_of_many_iterations_stops_when_nothing_changes(template: Template) -> None:
    with template.session() as session:
        session.load({"rIn": [(0, 1.0)], "rNeg": [(k, k - 1) for k in range(1, 10)]})
        assert session.run("load", 5).updated
        assert session.sizes()["node"] < 10
        assert session.run("load", 10**9).updated
        assert session.sizes()["node"] == 10
        assert not session.run("load", 10**9).updated


def test_analyses_merge(template: Template) -> None:
    with template.session() as session:
        session.load(SMALL | {"same": [(1, 3)]})
        session.saturate("load")
        session.saturate("an")
        lows = {row.inputs[0]: row.output for row in session.freeze().rows("lo")}
        node = classes(session.freeze())
        assert [lows[node[k]] for k in range(4)] == [1.5, 2.0, 3.5, 7.0]
        session.run("merge")
        frozen = session.freeze()
    node = classes(frozen)
    assert node[1] == node[3]
    assert {row.inputs[0]: row.output for row in frozen.rows("lo")}[node[1]] == 7.0


def test_size_counts_all_rows(template: Template) -> None:
    with template.session() as session:
        before = session.size()
        session.load(SMALL)
        assert session.size() == before + 4
        assert session.sizes()["rAdd"] == 2


# --- islands -------------------------------------------------------------------------------------------------


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


# --- failures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "(unclosed",
        "(nonsense 1)",
        "(check (= 1 2))",
        "(union (In 1) 5)",
        '(panic "stop")',
        "(set (kind (In 1)) (/ 1 0))",
        "(run no-such-ruleset 1)",  # a Rust panic
    ],
)
def test_a_failed_command_is_named_and_the_template_recovers(template: Template, line: str) -> None:
    with pytest.raises(EGraphFailure) as caught, template.session() as session:
        session.load(SMALL)
        session.add([line])
    assert str(caught.value).startswith(line)
    with template.session() as session:
        assert session.size() == 0


def test_a_rust_panic_is_a_failure(template: Template) -> None:
    with pytest.raises(EGraphFailure, match="run nowhere") as caught, template.session() as session:
        session.run("nowhere")
    assert type(caught.value.__cause__).__name__ == "PanicException"


def test_a_clash_without_merge_is_a_failure(template: Template) -> None:
    clash = pytest.raises(EGraphFailure, match="Illegal merge attempted for function kind")
    with clash, template.session() as session:
        session.add(["(set (kind (In 1)) 1)", "(set (kind (In 2)) 2)", "(union (In 1) (In 2))"])
    with template.session() as session:
        assert session.size() == 0


def test_a_failure_that_is_caught_inside_spoils_the_session_but_not_the_template(template: Template) -> None:
    with template.session() as session:
        with pytest.raises(EGraphFailure):
            session.run("nowhere")
        with pytest.raises(EGraphFailure, match="failed before"):
            session.size()
    with template.session() as session:
        assert session.size() == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_other_errors_pass_and_leave_nothing_behind(template: Template, error: type[BaseException]) -> None:
    with pytest.raises(error), template.session() as session:
        session.load(SMALL)
        raise error
    with template.session() as session:
        assert session.size() == 0


def test_an_interrupt_inside_egglog_is_not_renamed(template: Template) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), template.session() as session:
        session._live().guard("anything", interrupted)


def test_a_bad_rule_in_a_template_is_named() -> None:
    line = "(rule ((Missing ?x)) () )"
    for _ in range(2):
        with pytest.raises(EGraphFailure, match="Missing"), Template(["(sort T)"], [line]).session():
            pass


def test_a_row_with_a_dead_class_is_refused() -> None:
    class Dead:
        def __str__(self) -> str:
            return "Value(2147483647)"

    with pytest.raises(EGraphFailure, match="dead e-class"):
        adapter._Classes()[Dead()]


# --- loading egglog ------------------------------------------------------------------------------------------


def test_only_the_extension_is_loaded_and_egglog_can_be_imported_afterwards() -> None:
    code = """
import sys
from eqsat.egraph import adapter
assert not any(name.startswith("egglog") for name in sys.modules), "the adapter is lazy"
ours = adapter.bindings()
assert "egglog" not in sys.modules
template = adapter.Template(["(sort T)", "(constructor A () T)"], ["(A)"])
with template.session() as session:
    assert session.size() == 1
import egglog, egglog.bindings
assert egglog.bindings is ours
assert egglog.EGraph().freeze() is not None
with template.session() as session:
    assert session.size() == 1
print("fine")
"""
    assert python(code) == "fine"


def test_an_egglog_that_is_already_imported_is_used() -> None:
    code = """
import egglog.bindings
from eqsat.egraph import adapter
assert adapter.bindings() is egglog.bindings
print("fine")
"""
    assert python(code) == "fine"


def test_the_normal_import_serves_where_the_short_way_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension, "_load_alone", lambda folders: None)
    assert extension._load().EGraph is adapter.bindings().EGraph


def test_no_extension_file_means_no_short_way(tmp_path: Path) -> None:
    assert extension._load_alone([str(tmp_path)]) is None


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As in a process that has not loaded egglog yet."""
    monkeypatch.setattr(extension, "_loaded", None)
    monkeypatch.delitem(sys.modules, "egglog.bindings", raising=False)
    return monkeypatch


def test_a_missing_egglog_is_unavailable(unloaded: pytest.MonkeyPatch) -> None:
    unloaded.setattr(importlib.util, "find_spec", lambda name: None)
    missing = pytest.raises(EGraphUnavailable, match=r"not installed: install it with: pip install")
    with missing, Template(["(sort T)"], []).session():
        pass


@pytest.mark.parametrize("version", ["12.9.1", "13.0.0", "13.1.0", "14.0.0", "of unknown version"])
def test_another_version_is_unavailable(unloaded: pytest.MonkeyPatch, version: str) -> None:
    unloaded.setattr(extension, "_version", lambda folder: version)
    with pytest.raises(EGraphUnavailable, match=f"egglog {version} is installed, which eqsat cannot use"):
        adapter.bindings()


def test_an_extension_that_does_not_load_is_unavailable(unloaded: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ImportError("wrong libc")

    unloaded.setattr(extension, "_load_alone", lambda folders: None)
    unloaded.setattr(importlib, "import_module", refuse)
    with pytest.raises(EGraphUnavailable, match="does not load here \\(wrong libc\\)"):
        adapter.bindings()


def test_the_version_comes_from_the_folder_name_or_else_from_the_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "egglog-13.7.2.dist-info").mkdir()
    assert extension._version(tmp_path / "egglog") == "13.7.2"
    (tmp_path / "egglog-13.7.1.dist-info").mkdir()
    assert extension._version(tmp_path / "egglog") == importlib.metadata.version("egglog")

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert extension._version(tmp_path / "egglog") == "of unknown version"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_its_e_graphs_in_another_process() -> None:
    code = f"""
import os, signal
from eqsat.egraph.adapter import EGraphFailure, EGraphUnavailable, Template, bindings
template = Template({SCHEMA!r}, {RULES!r})
def work():
    with template.session() as session:
        session.load({SMALL!r})
        said = [tuple(session.saturate("load"))[:2], tuple(session.saturate("an"))[:2], tuple(session.run("swap"))[:2]]
        session.add(['(rewrite (Neg ?a) ?a :ruleset swap :name "no")'])
        with template.session() as inside:
            said.append(inside.sizes())
        frozen = session.freeze()
        said += [session.sizes(), session.size(), session.rows("rAdd"), frozen.classes, list(frozen.names())]
        said += [frozen.columns(name) for name in frozen.names()] + [session.freeze(["lo"]).names(), session.clock() > 0]
    return said
here = work()
child = os.fork()
if child == 0:
    signal.alarm(60)
    assert work() == here and work() == here
    try:
        with template.session() as session:
            session.add(["(nonsense)"])
    except EGraphFailure as error:
        assert "nonsense" in str(error), error
    assert work() == here
    try:
        bindings()
    except EGraphUnavailable as error:
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(work() != here)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert python(code) == "0"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_for_e_graphs_that_ends_is_a_failure_and_the_next_one_works() -> None:
    code = """
import os, signal, sys
from eqsat.egraph import adapter
template = adapter.Template(["(sort T)"], [])
with template.session():
    pass
child = os.fork()
if child == 0:
    signal.alarm(60)
    from eqsat.egraph import remote
    try:
        with template.session() as session:
            remote.worker().process.kill()
            session.sizes()
        os._exit(1)
    except adapter.EGraphFailure as error:
        assert "has ended" in str(error)
    with template.session() as session:
        assert session.size() == 0
    remote.worker().stop()
    for sys.executable in ("", "/nowhere/python"):
        try:
            with template.session() as session:
                os._exit(2)
        except adapter.EGraphUnavailable as error:
            assert "no process can be started" in str(error)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert python(code) == "0"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_ends_in_the_usual_way() -> None:
    code = """
import os, sys, signal
from eqsat.egraph.adapter import Template
template = Template(["(sort T)"], [])
with template.session():
    pass
child = os.fork()
if child == 0:
    signal.alarm(20)
    del template
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert python(code) == "7"


def test_a_program_that_logs_does_not_get_the_commands_of_egglog() -> None:
    code = """
import logging
logging.basicConfig(level=logging.DEBUG, format="%(name)s %(message)s")
logging.getLogger("egglog_bridge").setLevel(logging.ERROR)
from eqsat.egraph.adapter import Template
with Template(["(sort T)", "(ruleset load)"], []).session() as session:
    session.saturate("load")
print(logging.getLogger("egglog_bridge").level == logging.ERROR)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), done.stderr) == ("True", "")


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
    """What a rulebook learned from a session replaced its template, whose e-graph the next session of any other dropped."""
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
