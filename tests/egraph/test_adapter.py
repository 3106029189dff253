"""Values go into egglog and come out unchanged, and runs tell what they did."""

from __future__ import annotations

import math
import os
import struct
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eqsat.egraph.adapter import EGraphFailure, Row, Template
from tests.egraph.small_e_graph import SMALL, classes

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
