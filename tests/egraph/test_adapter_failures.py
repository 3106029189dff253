"""Every failure of egglog has one name, and the template works again afterwards."""

from __future__ import annotations

import pytest

from eqsat.egraph import adapter
from eqsat.egraph.adapter import EGraphFailure, Template
from tests.egraph.small_e_graph import SMALL


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
