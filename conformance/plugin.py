"""The pytest plugin of a run: the library compiles through eqsat, and each test leaves a line with its outcome."""

from __future__ import annotations

import json
import os
from typing import Any

from conformance.suites import SUITES

INSIDE = ("maker.fgraph", "toposort", "dprint", "op_class", "fgraph.apply_nodes", ".owner.op", "linker")


def pytest_configure(config: Any) -> None:
    """Enter the suite that is run."""
    SUITES[os.environ["CONFORMANCE_SUITE"]].enter()


def pytest_runtest_logreport(report: Any) -> None:
    """Append the outcome of a test."""
    if report.when == "call" or (report.outcome != "passed" and report.when == "setup"):
        with open(os.environ["CONFORMANCE_OUTCOMES"], "a", encoding="utf-8") as file:
            file.write(json.dumps([report.nodeid, report.outcome, reason(report)]) + "\n")


def reason(report: Any) -> str:
    """The first line of the error of a test that fails, or that it looks at the library's own graphs."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if report.outcome != "failed" or crash is None:
        return ""
    entry = getattr(report.longrepr.reprtraceback.reprentries[0], "lines", [])
    failing = next((line for line in reversed(entry) if line.startswith(">")), "")
    last = getattr(report.longrepr.reprtraceback.reprentries[-1], "lines", [])
    told = failing + next((line for line in reversed(last) if line.startswith(">")), "")
    if any(word in told for word in INSIDE):
        return "looks at the library's own graph"
    first = crash.message.splitlines()[0] if crash.message else "fails"
    return " ".join(first.split())[:120]
