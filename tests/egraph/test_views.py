"""Rules read views of e-nodes: each holds the rows of its constructor that are not subsumed, and nobody else sees it."""

from __future__ import annotations

import pytest

from eqsat.egraph.adapter import Session, Template
from eqsat.egraph.views import VIEW, with_views

SCHEMA = [
    "(sort T)",
    "(constructor Leaf (i64) T)",
    "(constructor o_add (T T) T)",
    "(constructor o_neg (T) T)",
    "(function seen (T) i64 :merge (max old new))",
    "(relation in_add (i64 i64))",
    *(f"(ruleset {name})" for name in ("load", "swap", "drop", "join", "see")),
    "(rule ((in_add a b)) ((o_add (Leaf a) (Leaf b))) :ruleset load)",
    "(rule ((= e (o_add x y))) ((union e (o_add y x))) :ruleset swap)",
    "(rule ((= e (o_add (Leaf a) (Leaf b))) (> a b)) ((subsume (o_add (Leaf a) (Leaf b)))) :ruleset drop)",
    "(rule ((= e (o_add (Leaf a) y)) (= f (o_add (Leaf b) y))) ((union (Leaf a) (Leaf b))) :ruleset join)",
    "(rule ((= e (o_add x y))) ((set (seen e) 1)) :ruleset see)",
]


def rows(session: Session, name: str) -> set[tuple[object, ...]]:
    """Rows of a table, views included, that are not subsumed."""
    table = session.freeze([name]).rows(name)
    return {(*row.inputs, row.output) for row in table if not row.subsumed}


@pytest.mark.parametrize(
    "rulesets", [["swap"], ["swap", "drop"], ["swap", "drop", "join"], ["join", "swap", "drop"]]
)
def test_a_view_holds_the_rows_of_its_constructor(rulesets: list[str]) -> None:
    with Template(SCHEMA, []).session() as session:
        session.load({"in_add": [(1, 2), (2, 3), (4, 2), (5, 5)]})
        session.saturate("load")
        for ruleset in rulesets:
            session.saturate(ruleset)
        session.saturate("see")  # which brings the view up to date
        frozen = session.freeze([*session.freeze().names(), VIEW + "o_add"])
        written = {(*r.inputs, r.output) for r in frozen.rows("o_add") if not r.subsumed}
        assert {(*r.inputs, r.output) for r in frozen.rows(VIEW + "o_add")} == written != set()


def test_views_are_seen_by_nobody() -> None:
    with Template(SCHEMA, []).session() as session:
        session.load({"in_add": [(1, 2), (2, 3)]})
        loaded = session.saturate("load")
        swapped = session.run("swap", 5)
        assert session.sizes()["o_add"] == 4
        assert not [name for name in (*session.sizes(), *session.freeze().names()) if name.startswith(VIEW)]
    assert sum(loaded.matches.values()) == 2
    assert (swapped.updated, swapped.iterations) == (True, 2)  # the second changed nothing
    assert sum(swapped.matches.values()) == 4


def test_what_reads_no_nodes_stays_as_it_is() -> None:
    lines = ["(sort T)", "(ruleset r)", "(rule ((= a 1)) ((set (f a) 2)) :ruleset r)", "(rule ((p x)) ())"]
    assert with_views(lines) == lines


def test_nested_terms_that_are_subsumed_leave_their_views() -> None:
    (rule,) = with_views(
        ["(rule ((= e (o_neg (o_add x y)))) ((subsume (o_neg (o_add x y))) (union e x)) :ruleset r)"]
    )
    assert rule == (
        "(rule ((= e (view_o_neg (view_o_add x y))))"
        " ((subsume (o_neg (o_add x y))) (delete (view_o_neg (o_add x y))) (union e x)) :ruleset r)"
    )
