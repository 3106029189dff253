"""The garbage collector waits while a graph is rewritten, and is then as it was."""

from __future__ import annotations

import gc

import pytest

import eqsat
import eqsat.optimise as module
import eqsat.tensor as T
from eqsat.base.garbage_collection import without_collection


def test_it_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    inside = module.report_of
    monkeypatch.setattr(module, "report_of", lambda *a: seen.append(gc.isenabled()) or inside(*a))
    x = T.dvector("x")
    eqsat.optimize(T.log(T.exp(x)))
    eqsat.function([x], T.log(T.exp(x)), mode="numpy")
    assert seen == [False, False] and gc.isenabled()
    gc.disable()
    try:
        eqsat.optimize(T.log(T.exp(x)))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_last_to_leave_turns_it_on() -> None:
    @without_collection
    def inner() -> None:
        assert not gc.isenabled()

    @without_collection
    def outer() -> None:
        inner()
        assert not gc.isenabled()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        outer()
    assert gc.isenabled()
