"""Costs of rows as written, as extracted, and of their optimum; values against the optimum and against real arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

import eqsat
from eqsat.graph.core import Constant
from eqsat.graph.walk import ancestors
from wins import kept, loops, matrices, missed
from wins.case import Case, Group
from wins.spellings import GROUPS

NEAR = 1.05
STABLE = "ok, as written it overflows or cancels"
DEARER = "dearer than as written"

SECTIONS: dict[str, list[Case]] = {
    "missed and slower": [*missed.SLOWER, *matrices.SLOWER, *loops.SLOWER],
    "missed by the model": [*missed.BY_MODEL, *matrices.BY_MODEL, *loops.BY_MODEL],
    "wrong or not finite": [*missed.UNSTABLE, *matrices.UNSTABLE],
    "sharp failures": matrices.SHARP,
    "the good form survives": matrices.GOOD,
    "must not lose": [*kept.KEPT, *matrices.KEPT, *loops.KEPT],
}


@dataclass
class Row:
    """What became of one case. ``stays`` is False where an option was needed and the default rules changed its cost."""

    section: str
    name: str
    written: float
    found: float
    optimum: float
    stays: bool = True
    option: str = ""
    wrong: str = ""
    unstable: bool = False
    seconds: float = 0.0

    @property
    def ratio(self) -> float:
        """Cost as extracted over that of the optimum."""
        return self.found / self.optimum if self.optimum else (1.0 if not self.found else np.inf)

    @property
    def verdict(self) -> str:
        """In a word or two."""
        if self.wrong:
            return f"wrong value: {self.wrong}"
        if not self.stays:
            return "changed without its option"
        if self.ratio > NEAR:
            return "missed"
        if self.found <= self.written * (1 + 1e-9):
            return "ok"
        return STABLE if self.unstable else DEARER

    @property
    def holds(self) -> bool:
        """At the optimum, right, and no dearer than a form as written that is stable."""
        return self.verdict in ("ok", STABLE)

    def as_json(self) -> dict[str, Any]:
        """The row as plain values."""
        return {**asdict(self), "ratio": self.ratio, "verdict": self.verdict}


def listed(outputs: Any) -> list[Any]:
    """One output or some, as a list."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def inputs_of(outputs: Sequence[Any]) -> list[Any]:
    """The variables without an owner, in order of their names."""
    found = {v for v in ancestors(outputs) if v.owner is None and not isinstance(v, Constant)}
    return sorted(found, key=lambda v: str(v.name))


def draw(leaves: Sequence[Any], values: str, scale: float = 1.0) -> dict[Any, Any]:
    """Values of inputs: indices below 20, and numbers as ``Case.values`` says."""
    rng = np.random.default_rng(5)
    given = {}
    for v in leaves:
        if v.type.dtype.startswith("int"):
            given[v] = rng.integers(0, 20, v.type.shape)
            continue
        drawn = rng.normal(size=v.type.shape)
        moved = {"positive": abs(drawn) + 0.1, "small": 0.3 * drawn, "offset": drawn + 1e7}.get(values, drawn)
        given[v] = np.asarray(moved * scale)
    return given


def evaluate(outputs: Sequence[Any], given: dict[Any, Any]) -> list[Any]:
    """Values of outputs by the meaning of each op."""
    f = eqsat.function(list(given), list(outputs), mode="reference", on_unused_input="ignore")
    return f(*given.values())  # type: ignore[no-any-return]


def differs(found: Sequence[Any], wanted: Sequence[Any], rtol: float = 1e-6) -> bool:
    """True where a value is not finite though it should be, or off."""
    for a, b in zip(map(np.asarray, found), map(np.asarray, wanted), strict=True):
        fine = np.isfinite(b)
        size = float(np.max(abs(b[fine]), initial=0.0))
        if not np.allclose(a[fine], b[fine], rtol=rtol, atol=1e-9 * size):
            return True
    return False


def wrong_value(case: Case, found: Sequence[Any], best: Sequence[Any]) -> str:
    """Where a result differs from the optimum, in a word; empty where it does nowhere."""
    leaves = inputs_of([*found, *best])
    for scale in (1.0, 800.0) if case.finite else (1.0,):
        given = draw(leaves, case.values, scale)
        with np.errstate(all="ignore"):
            mine, wanted = evaluate(found, given), evaluate(best, given)
        if differs(mine, wanted):
            return f"inputs of size {scale:g}"
    return ""


def measure(section: str, case: Case) -> Row:
    """One case under the default rules and, where it names an option, with it."""
    written, best = map(listed, case.make())
    plain = eqsat.optimize(written)
    found = eqsat.optimize(written, rules=f"default,{case.option}") if case.option else plain
    ideal = eqsat.optimize(best)
    stays = (
        not case.option or found.cost_after < plain.cost_after or plain.cost_after >= plain.cost_before * 0.99
    )
    return Row(
        section,
        case.name,
        found.cost_before,
        found.cost_after,
        min(ideal.cost_after, ideal.cost_before),
        stays,
        case.option,
        wrong_value(case, found.optimized, best),
        found.unstable_before > 0,
        sum(found.seconds.values()),
    )


# -------------------------------------------------------------------------------------------------- spellings


def spelled(group: Group) -> list[Row]:
    """The spellings of one function; the optimum is the cheapest that any of them becomes without a wrong value."""
    rows = []
    for name, make in group.spellings.items():
        r = eqsat.optimize(listed(make()))
        wrong, unstable = wrong_spelling(group, r.optimized), r.unstable_before > 0
        costs = (r.cost_before, r.cost_after, r.cost_after)
        rows.append(
            Row(group.name, name, *costs, wrong=wrong, unstable=unstable, seconds=sum(r.seconds.values()))
        )
    least = min((r.found for r in rows if not r.wrong), default=0.0)
    return [replace(r, optimum=least) for r in rows]


def wrong_spelling(group: Group, found: Sequence[Any]) -> str:
    """Where a spelling is off its meaning in extended precision."""
    for values, scale in group.points:
        given = draw(group.inputs, values, scale)
        exact = [g if g.dtype.kind == "i" else g.astype(np.longdouble) for g in given.values()]
        with np.errstate(all="ignore"):
            (mine,) = evaluate(found, given)
            wanted = np.asarray(group.truth(*exact)).astype(float)
        if differs([mine], [wanted], rtol=1e-7):
            return f"inputs {values} of size {scale:g}"
    return ""


def all_rows(names: Sequence[str] = ()) -> list[Row]:
    """Every row, or those whose section or name is among some."""
    rows: list[Row] = []
    for section, cases in SECTIONS.items():
        rows += [measure(section, c) for c in cases if not names or {section, c.name} & set(names)]
    for group in GROUPS:
        if not names or group.name in names:
            rows += spelled(group)
    return rows
