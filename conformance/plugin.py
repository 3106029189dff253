"""The pytest plugin of a run: the library compiles through eqsat, and each test leaves a line with its outcome."""

from __future__ import annotations

import json
import os
from typing import Any

from conformance.suites import SUITES

INSIDE = ("maker.fgraph", "toposort", "dprint", "op_class", "fgraph.apply_nodes", ".owner.op", "linker")


def pytest_configure(config: Any) -> None:
    """Enter the suite that is run, if any."""
    if name := os.environ.get("CONFORMANCE_SUITE"):
        SUITES[name].enter()


def pytest_runtest_logreport(report: Any) -> None:
    """Append the outcome of a test."""
    if report.when == "call" or (report.outcome != "passed" and report.when == "setup"):
        with open(os.environ["CONFORMANCE_OUTCOMES"], "a", encoding="utf-8") as file:
            file.write(json.dumps([report.nodeid, report.outcome, reason(report)]) + "\n")


def reason(report: Any) -> str:
    """The first line of the error of a test that fails, or that it looks at the library's own graphs."""
    if report.outcome != "failed":
        return ""
    told = report.longrepr
    entries = getattr(getattr(told, "reprtraceback", None), "reprentries", [])
    if any(word in _failing(entry) for entry in (*entries[:1], *entries[-1:]) for word in INSIDE):
        return "looks at the library's own graph"
    crash = getattr(told, "reprcrash", None)
    message = crash.message if crash else getattr(told, "errorstring", str(told or ""))
    first = next((line for line in message.splitlines() if line.strip()), "fails")
    where = "" if report.when == "call" else f"in its {report.when}: "
    return where + " ".join(first.split())[:120]


def _failing(entry: Any) -> str:
    """The line of a traceback's entry at which it stops."""
    return next((line for line in reversed(getattr(entry, "lines", [])) if line.startswith(">")), "")
