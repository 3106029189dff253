"""Which rows of the specification pass: ``pytest --seed-report`` counts the tests that carry a row's id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

SECTIONS = {  # letter: what the section is about, and its number of rows
    "A": ("graph structures", 42),
    "B": ("creating variables", 105),
    "C": ("types, dtypes, broadcasting", 34),
    "D": ("methods and attributes of variables", 59),
    "E": ("shaping, shuffling, creating tensors", 26),
    "F": ("reductions", 61),
    "G": ("indexing", 12),
    "H": ("operators and elementwise functions", 66),
    "I": ("linear algebra", 7),
    "J": ("differentiation", 42),
    "K": ("compiling, rewriting, printing", 15),
    "L": ("scan", 51),
}
ROWS = [f"{letter}{n:03}" for letter, (_, count) in SECTIONS.items() for n in range(1, count + 1)]


class SeedReport:
    """Collects the outcome of every test by the rows it is marked with, also from the workers of xdist."""

    def __init__(self) -> None:
        self.outcomes: dict[str, set[str]] = defaultdict(set)

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """Run only the tests that carry a row."""
        chosen = [item for item in items if item.get_closest_marker("seed")]
        config.hook.pytest_deselected(items=[item for item in items if not item.get_closest_marker("seed")])
        items[:] = chosen

    def pytest_runtest_setup(self, item: Any) -> None:
        """Send a test's rows along with its report."""
        rows = [row for mark in item.iter_markers("seed") for row in mark.args]
        item.user_properties.append(("seed", rows))

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note passed, failed or skipped for each row of a test."""
        if report.when == "call" or report.outcome != "passed":
            for row in dict(report.user_properties).get("seed", ()):
                self.outcomes[row].add(report.outcome)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the counts per section and the rows that are missing."""
        terminalreporter.write_line("")
        for line in summary(self.outcomes):
            terminalreporter.write_line(line)


def passes(outcomes: Iterable[str]) -> bool:
    """True for a row with tests, all of which passed."""
    return set(outcomes) == {"passed"}


def summary(outcomes: dict[str, set[str]]) -> list[str]:
    """One line per section, the rows that do not pass, and ids that the specification does not have."""
    lines, good = [], {row for row in ROWS if passes(outcomes.get(row, ()))}
    for letter, (name, count) in SECTIONS.items():
        passed = sum(row[0] == letter for row in good)
        lines.append(f"{letter}  {passed:>3} of {count:>3}  {name}")
        left = [row for row in ROWS if row[0] == letter and row not in good]
        if left:
            lines.append("     not passing: " + " ".join(left))
    language = [row for row in ROWS if row[0] != "L"]
    lines.append(f"A-K  {len(good & set(language))} of {len(language)}")
    unknown = sorted(set(outcomes) - set(ROWS))
    return lines + ([f"unknown rows: {' '.join(unknown)}"] if unknown else [])
