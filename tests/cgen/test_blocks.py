"""A builder in C stands under the name that the declaration of a view or block gives; a block without one runs in Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.graph.ops
from eqsat.cgen import find_target
from eqsat.cgen.c.own_text import builder_of, fact, lengths_of, room_of
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.declare import OPS, Declaration, forget_op, structural
from eqsat.tensor import matrix

BUILT = [d for d in OPS.values() if d.kind in ("view", "block") and d.meaning.__module__.startswith("eqsat.")]


@pytest.mark.parametrize("d", BUILT, ids=lambda d: d.name)
def test_the_builder_is_found(d: Declaration) -> None:
    if d.builder or d.kind == "view":
        assert d.c is None and builder_of(d) is find_target("c").builder(d.builder)
        assert d.kind == "view" or callable(lengths_of(d))
    else:
        assert builder_of(d) is None or callable(d.c)


def test_what_stands_beside_a_builder_and_what_it_says() -> None:
    assert room_of(OPS["conv"]) is not None and room_of(OPS["dot"]) is None
    assert fact(OPS["dot"], "calls") == "product" and fact(OPS["sort"], "calls") is None
    assert {d.name for d in BUILT if d.checks_first} == {"set_part", "set_diagonal", "add_rows", "set_rows"}


@contextmanager
def first_of(counters: Any) -> Iterator[Any]:
    """The first counter of a space."""
    with counters as (first, *_):
        yield first


@pytest.mark.parametrize("outer", ["loops", "parallel", "vector"])
@pytest.mark.parametrize("inner", ["loops", "parallel", "vector", "loop"])
def test_loops_inside_loops_have_counters_of_their_own(
    outer: str, inner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(w: BodyWriter, op: Any, ins: Any, out: Any) -> None:
        with getattr(w, outer)(ins[0].n[:1]) as (k,):
            total = w.variable("total", 0, "float64")
            n = ins[0].n[1]
            with w.loop(k.name, n) if inner == "loop" else first_of(getattr(w, inner)([n])) as j:
                w.assign(total, total + ins[0].at(k, j) * j)
            w.store(out.at(k), total)

    name = f"{outer}_{inner}"
    monkeypatch.setitem(sys.modules, f"eqsat.cgen.builders.{name}", ModuleType(name))
    monkeypatch.setattr(sys.modules[f"eqsat.cgen.builders.{name}"], "write", write, raising=False)
    declared = structural("block", name=name, signature="(n,k)->(n)", builder=f"{name}.write")
    op = declared(lambda x: x @ np.arange(3.0))
    try:
        v = matrix("v")
        f = eqsat.function([v], op(v), mode="FAST_COMPILE")
        assert f(np.arange(6.0).reshape(2, 3)).tolist() == [5.0, 14.0]
    finally:
        forget_op(name)
