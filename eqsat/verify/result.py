"""The result of verifying a rule, as an object, as text and as a row of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from eqsat.base.notebook_tables import notebook_table
from eqsat.base.text_tables import table
from eqsat.base.values import dataclass
from eqsat.rules.rule import Rule
from eqsat.verify.points import Failure

KEPT, BROKEN, IDLE, UNUSED = "kept", "BROKEN", "idle condition", "never fires"
UNTRIED = "not tried"
VERDICTS = {
    KEPT: "the promise of the tier held at every point",
    BROKEN: "a point breaks the promise",
    UNTRIED: "no point was found, so nothing is known of the promise",
    IDLE: "the promise held at every point, also outside the condition",
    UNUSED: "the promise held, but the e-graph does not find the left side",
}
PLAIN = (
    "points",
    "worst",
    "proof",
    "needed",
    "outside",
    "joined",
    "seconds",
)  # fields that are values of JSON
HEAD = ("rule", "tier", "verdict", "points", "worst ulp", "proof", "seconds")


@dataclass(frozen=True)
class Told:
    """A failure as a file of finished rules tells it."""

    text: str
    untried: bool

    def __str__(self) -> str:
        return self.text


@dataclass
class Verification:
    """The verification of one rule; true where it was tried and keeps its promise.

    ``points`` lie inside the condition, ``outside`` counts those that were tried until one needed the condition.
    ``needed`` and ``joined`` are None where this was not tried: see ``eqsat.verify.verify``. ``worst`` is the largest
    error of the right side; None where nothing is rounded.

    Units    ``worst`` in units of the last place, ``seconds`` of the clock

    >>> from eqsat.rules.rule import all_rules
    >>> from eqsat.verify import verify
    >>> found = verify(all_rules()["exp-log"], points=8)
    >>> bool(found), found.verdict, found.points, found.needed, found.proof
    (True, 'kept', 8, True, 'proved')
    """

    rule: Rule
    failures: Sequence[Failure | Told] = field(default_factory=list)
    points: int = 0
    worst: float | None = None
    proof: str = "not tried"
    needed: bool | None = None
    outside: int = 0
    joined: bool | None = None
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """One of ``VERDICTS``."""
        if self.failures:
            return UNTRIED if all(f.untried for f in self.failures) else BROKEN
        return IDLE if self.needed is False else UNUSED if self.joined is False else KEPT

    def __bool__(self) -> bool:
        return not self.failures

    def row(self) -> tuple[str, ...]:
        """The cells of the rule in a table."""
        worst = "-" if self.worst is None else f"{self.worst:.3g}"
        one = self.rule
        return (
            one.name,
            one.tier,
            self.verdict,
            str(self.points),
            worst,
            self.proof,
            f"{self.seconds:.2f}",
        )

    def __str__(self) -> str:
        lines = [f"{self.rule}", f"  {self.verdict}: {VERDICTS[self.verdict]}"]
        lines.append(f"  {self.points} points inside the condition, {self.error()}")
        if self.needed:
            lines.append(f"  the condition is needed: point {self.outside} outside of it breaks the rule")
        lines.append(f"  sympy: {self.proof}")
        lines += [f"  {line}" for failure in self.failures[:1] for line in str(failure).splitlines()[1:]]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Verification of {self.rule.name}: {self.verdict}>"

    def _repr_html_(self) -> str:
        found = "\n".join(str(failure) for failure in self.failures[:1])
        return notebook_table(
            f"{self.rule}", HEAD, [self.row()], f"{VERDICTS[self.verdict]}. {found}", right=(3, 4, 6)
        )

    def error(self) -> str:
        """The largest error in words."""
        if self.worst is None:
            return "nothing is rounded"
        return f"the right side is off by {self.worst:.3g} units in the last place at most"

    def as_json(self) -> dict[str, Any]:
        """Fields as JSON holds them; an error that is infinite is text."""
        worst = None if self.worst is None else float(f"{self.worst:.4g}")
        return {
            "rule": self.rule.name,
            "tier": self.rule.tier,
            "verdict": self.verdict,
            "points": self.points,
            "worst_ulp": worst,
            "proof": self.proof,
            "condition_needed": self.needed,
            "fires": self.joined,
            "seconds": round(self.seconds, 3),
            "counterexample": str(self.failures[0]) if self.failures else None,
        }

    def as_row(self) -> dict[str, Any]:
        """All but the rule as JSON holds it, to be read by ``of_row``."""
        plain = {name: getattr(self, name) for name in PLAIN}
        return {**plain, "failures": [[str(f), f.untried] for f in self.failures]}

    @staticmethod
    def of_row(rule: Rule, row: Mapping[str, Any]) -> Verification:
        """The verification of a rule that a row tells."""
        failures = [Told(str(text), bool(untried)) for text, untried in row["failures"]]
        return Verification(rule, failures, **{name: row[name] for name in PLAIN})


def table_of(results: Sequence[Verification]) -> str:
    """A table of what was found, one row for each rule."""
    return table(HEAD, [r.row() for r in results], right=(3, 4, 6))


def summary(results: Sequence[Verification], seconds: float) -> str:
    """A line on the results: rules by verdict, points, proofs, time."""
    count = {v: sum(r.verdict == v for r in results) for v in VERDICTS}
    words = ", ".join(f"{n} {v}" for v, n in count.items() if n)
    points = sum(r.points for r in results)
    proofs = sum(r.proof == "proved" for r in results)
    return (
        f"{len(results)} rule{'s' * (len(results) != 1)}: {words}; "
        f"{points} points, {proofs} proved by sympy, {seconds:.1f} s"
    )
