"""Run the tests of another library through eqsat, and compare the outcomes with those that are written down.

    python -m conformance pytensor CHECKOUT                 a new failure, or a pass that is not written down, is an error
    python -m conformance pytensor CHECKOUT --only tests/tensor/test_sort.py
    python -m conformance pytensor CHECKOUT --record        write down what fails, with reasons

CHECKOUT is a folder with the library's sources at the version that is installed; nothing is downloaded or copied.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from conformance.suites import SUITES, Suite

HERE = Path(__file__).resolve().parent
Outcomes = dict[str, tuple[str, str]]


def expected_file(name: str, version: str) -> Path:
    """The file of the tests that are known to fail for a version."""
    return HERE / "expected" / f"{name}-{version}.txt"


def read_expected(path: Path) -> dict[str, str]:
    """The tests of a file, with their reasons: one a line, with a tab between."""
    if not path.exists():
        return {}
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return {test: why for test, _, why in (line.partition("\t") for line in lines)}


def write_expected(path: Path, known: dict[str, str]) -> None:
    """Write the tests that fail with their reasons, in the order of names."""
    head = "# Tests that are known to fail through eqsat, and why; written by python -m conformance ... --record\n"
    path.parent.mkdir(exist_ok=True)
    path.write_text(head + "".join(f"{t}\t{why}\n" for t, why in sorted(known.items())), encoding="utf-8")


def run(name: str, suite: Suite, checkout: Path, only: Sequence[str], more: Sequence[str]) -> Outcomes:
    """The outcome of each test that ran, and why it fails."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder) / "outcomes"
        outcomes.touch()
        path = os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")]))
        environment = {
            **os.environ,
            "PYTHONPATH": path,
            "CONFORMANCE_SUITE": name,
            "CONFORMANCE_OUTCOMES": str(outcomes),
        }
        ignored = [f"--ignore={p}" for p in suite.left_out] if not only else []
        command = [sys.executable, "-m", "pytest", "-q", "-p", "conformance.plugin", "-p", "no:cacheprovider"]
        subprocess.run(
            [*command, *ignored, *more, *(only or suite.tests)], cwd=checkout, env=environment, check=False
        )
        lines = outcomes.read_text(encoding="utf-8").splitlines()
    return {test: (outcome, why) for test, outcome, why in map(json.loads, lines)}


def compared(found: Outcomes, known: dict[str, str]) -> list[str]:
    """What is not as it is written down.

    >>> compared({"a": ("failed", "no op"), "b": ("passed", "")}, {"b": "refused"})
    ['new failure: a: no op', 'passes, but is written down as failing: b']
    """
    new = [f"new failure: {t}: {why}" for t, (o, why) in found.items() if o == "failed" and t not in known]
    mended = [t for t, (o, _) in found.items() if o == "passed" and t in known]
    return new + [f"passes, but is written down as failing: {t}" for t in mended]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a suite; 1 where something is not as it is written down."""
    parser = argparse.ArgumentParser(prog="conformance", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suite", choices=sorted(SUITES))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", nargs="+", default=[], help="files of tests, from the checkout's root")
    parser.add_argument("--record", action="store_true", help="write down what fails")
    chosen, more = parser.parse_known_args(arguments)
    suite, checkout = SUITES[chosen.suite], chosen.checkout.resolve()
    if not (version := suite.version()):
        parser.error(f"{suite.package} is not installed")
    if missing := [p for p in suite.tests if not (checkout / p).exists()]:
        parser.error(
            f"{checkout} has no {', '.join(missing)}: a checkout of {suite.package} {version} is needed"
        )
    found = run(chosen.suite, suite, checkout, chosen.only, more)
    counts = {o: sum(outcome == o for outcome, _ in found.values()) for o in ("passed", "failed", "skipped")}
    print(f"{chosen.suite} {version}: " + ", ".join(f"{n} {o}" for o, n in counts.items()))
    path = expected_file(chosen.suite, version)
    known = read_expected(path)
    if chosen.record:
        kept = {t: why for t, why in known.items() if t not in found}
        write_expected(path, kept | {t: why for t, (o, why) in found.items() if o == "failed"})
        return 0
    wrong = compared(found, known) if found else ["no test ran"]
    print("\n".join(wrong) if wrong else "all is as it is written down")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
