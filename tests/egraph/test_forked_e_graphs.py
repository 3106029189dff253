"""E-graphs of a child that was forked after egglog was loaded."""

from __future__ import annotations

import os

import pytest

from tests.egraph.small_e_graph import RULES, SCHEMA, SMALL, python


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
