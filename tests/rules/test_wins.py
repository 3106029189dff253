"""Expressions with a known cheapest form become it; what people write in several ways costs the same in all."""

from __future__ import annotations

import pytest

from wins.case import Case, Group
from wins.measure import NEAR, SECTIONS, measure, spelled
from wins.spellings import GROUPS

CASES = [
    (section, c) for section, cases in SECTIONS.items() for c in cases if not c.name.startswith("scan-")
]  # test_scan_wins.py has the loops
# the best known form is right for positive numbers only, which nothing says of the input: what is found keeps count of signs
DEARER_BUT_RIGHT = {"log-prod"}


@pytest.mark.sweep
@pytest.mark.parametrize(("section", "case"), CASES, ids=lambda x: x.name if isinstance(x, Case) else "")
def test_reaches_the_best_known_form(section: str, case: Case) -> None:
    row = measure(section, case)
    assert row.holds or (case.name in DEARER_BUT_RIGHT and not row.wrong), row
    assert row.found <= NEAR * row.written or row.unstable


@pytest.mark.sweep
@pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)
def test_spellings_cost_the_same(group: Group) -> None:
    missed = [r for r in spelled(group) if not r.holds or r.ratio >= 1.01]
    assert not missed, missed
