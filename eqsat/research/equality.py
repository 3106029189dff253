"""Equality of two expressions: rules show it within limits, or do not."""

from __future__ import annotations

import time
from dataclasses import field
from typing import Any

from eqsat.base.progress import Progress
from eqsat.base.values import dataclass
from eqsat.egraph.reading import Saturated
from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable
from eqsat.graph.tensor_type import shorten
from eqsat.inspect.explanation.explanation import Explanation
from eqsat.pipeline.preparation import prepare
from eqsat.research.question import Question, explained

__all__ = ["Equality", "equal"]

EQUAL, NOT_SHOWN, LIMIT = "equal", "not shown", "a limit was met"
LIMITS = {"nodes": "rows of the e-graph", "seconds": "seconds", "iterations": "rounds"}


@dataclass(eq=False, repr=False)
class Equality:
    """The answer of ``equal``; true where the rules show that both sides are equal.

    ``verdict`` is "equal", "not shown" where all rules have run and the sides stay apart, or "a limit was met". ``rules`` has
    the rules that matched, with the number of matches, whether or not they were needed; ``enodes`` is the size of the e-graph
    at the end. ``refused`` says which rules contradicted each other and were left out.

    Units    ``seconds`` of the clock

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.equal(-(-x), x).verdict
    'equal'
    """

    left: Any
    right: Any
    verdict: str
    rules: dict[str, int]
    enodes: int
    seconds: float
    limit: str = ""
    refused: list[str] = field(default_factory=list)
    question: Any = None

    def __bool__(self) -> bool:
        return self.verdict == EQUAL

    def explain(self, seconds: float = 20.0) -> Explanation:
        """The fewest rules that are enough, and the steps from the left side to the right one.

        Errors   ArgumentError where the sides are not shown to be equal

        >>> import eqsat, eqsat.tensor as T
        >>> x = T.dvector("x")
        >>> [step.name for step in eqsat.equal(T.log(T.exp(x)) + 0.0, x).explain().steps]
        ['add-zero', 'log-exp']
        """
        if not self:
            raise ArgumentError(f"explain: there are no steps, since the answer is {self.verdict!r}")
        return explained(self.question, list(self.rules), seconds)

    def __str__(self) -> str:
        from eqsat.printing import pp

        within = f"{self.limit}: more may show it" if self.limit else "all rules have run"
        words = {EQUAL: "equal", NOT_SHOWN: f"not shown to be equal; {within}"}.get(
            self.verdict, f"not shown to be equal within {within}"
        )
        lines = [f"{pp(self.left)} and {pp(self.right)}: {words}"]
        lines.append(f"  {self.enodes:,} e-nodes, {len(self.rules)} rules matched, {self.seconds:.2f} s")
        return "\n".join([*lines, *(f"  left out: {text}" for text in self.refused)])

    def __repr__(self) -> str:
        return f"<Equality: {self.verdict}, {self.enodes:,} e-nodes>"


def equal(
    left: Any, right: Any, rules: Any = None, size: int | None = None, seconds: float = 10.0
) -> Equality:
    """Look for a proof by rules that two expressions are equal; see ``Equality``.

    ``rules`` is what ``optimize`` takes, the default tiers where it is None. ``size`` limits the rows by which the e-graph
    grows, as the flag ``egraph_nodes`` does where none is given, and ``seconds`` the time. What is not shown may be equal all the same.

    Errors   ArgumentError for something that is no variable, or sides of two types

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.dvectors("x", "y")
    >>> bool(eqsat.equal(T.log(T.exp(x) * 1.0), x)), eqsat.equal(x + y, x - y).verdict
    (True, 'not shown')
    """
    for side in (left, right):
        if not isinstance(side, Variable):
            raise ArgumentError(f"equal: {shorten(side)} is not a variable", needs="two variables")
    sides = [left, right]
    check_types(*sides)
    first, second = prepare(sides)
    question = Question.between(first, second, rules, size, seconds)
    start = time.monotonic()
    with Progress("equal", seconds=seconds):
        found, same = question.answered(question.encoded())
    return answer_of(question, found, same, time.monotonic() - start)


def check_types(left: Variable, right: Variable) -> None:
    """Refuse sides of two dtypes or ranks, which are never equal."""
    kinds: list[Any] = [left.type, right.type]
    apart = [(getattr(k, "dtype", k), getattr(k, "ndim", 0)) for k in kinds]
    if apart[0] != apart[1]:
        raise ArgumentError(
            "equal: the sides have two types",
            operands=[("left", left), ("right", right)],
            needs="sides of one dtype and one number of axes",
        )


def answer_of(question: Question, found: Saturated, same: bool, seconds: float) -> Equality:
    """The answer that an e-graph gives."""
    stopped = [p.stopped for p in found.phases if p.stopped in LIMITS]
    limit = f"the limit of {LIMITS[stopped[0]]}" if stopped and not same else ""
    verdict = EQUAL if same else LIMIT if limit else NOT_SHOWN
    left, right = question.outputs
    return Equality(
        left,
        right,
        verdict,
        found.matches(),
        len(found.enodes),
        seconds,
        limit,
        found.retried,
        question,
    )
