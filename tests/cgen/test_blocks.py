"""Every view and block that comes with eqsat has a builder in C, under the name that its declaration gives."""

from __future__ import annotations

import pytest

import eqsat.graph.ops  # noqa: F401  declares the ops
from eqsat.cgen import find_target
from eqsat.cgen.c.own_text import builder_of, fact, lengths_of, room_of
from eqsat.graph.declare import OPS, Declaration

BUILT = [d for d in OPS.values() if d.kind in ("view", "block") and d.meaning.__module__.startswith("eqsat.")]


@pytest.mark.parametrize("d", BUILT, ids=lambda d: d.name)
def test_the_builder_is_found(d: Declaration) -> None:
    assert d.c is None and builder_of(d) is find_target("c").builder(d.builder)
    assert d.kind == "view" or callable(lengths_of(d))


def test_what_stands_beside_a_builder_and_what_it_says() -> None:
    assert room_of(OPS["conv"]) is not None and room_of(OPS["dot"]) is None
    assert fact(OPS["dot"], "calls") == "product" and fact(OPS["sort"], "calls") is None
    assert {d.name for d in BUILT if d.checks_first} == {"set_part", "set_diagonal", "add_rows", "set_rows"}
