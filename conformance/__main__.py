"""Run the tests of another library through eqsat, and compare the outcomes with those that are written down.

    python -m conformance pytensor CHECKOUT                 a new failure, or a pass that is not written down, is an error
    python -m conformance pytensor CHECKOUT --only tests/tensor/test_sort.py
    python -m conformance pytensor CHECKOUT --record        write down what fails, with reasons

The files of ``conformance/expected/`` have a line for each test that is known to fail. Where all tests that ran of a file, a class or a
function fail for one reason they share a line, whose name ends in ``*``.

CHECKOUT is a folder with the library's sources at the version that is installed; nothing is downloaded or copied.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
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
        command = [sys.executable, "-m", "pytest", "-q", "--rootdir", ".", "-p", "conformance.plugin"]
        options = ["-p", "no:cacheprovider", *ignored, *more, *(only or suite.tests)]
        subprocess.run([*command, *options], cwd=checkout, env=environment, check=False)
        lines = outcomes.read_text(encoding="utf-8").splitlines()
    return {test: (outcome, why) for test, outcome, why in map(json.loads, lines)}


def folded(found: Outcomes) -> dict[str, str]:
    """The tests that fail with their reasons; a ``*`` stands for all that ran of a file, a class or a function and fail for one reason.

    >>> folded({"f.py::g[1]": ("failed", "no op"), "f.py::g[2]": ("failed", "no op"), "f.py::h": ("passed", "")})
    {'f.py::g[*': 'no op'}
    """
    groups: dict[str, set[str]] = {}
    members = Counter[str]()
    for test, (outcome, why) in found.items():
        for start in starts(test) if outcome != "skipped" else ():
            groups.setdefault(start, set()).add(why if outcome == "failed" else "")
            members[start] += 1
    shared = {g + "*": next(iter(w)) for g, w in groups.items() if members[g] > 1 and len(w) == 1 and all(w)}
    failing = {t: why for t, (outcome, why) in found.items() if outcome == "failed"}
    names = {t: next((g + "*" for g in starts(t) if g + "*" in shared), t) for t in failing}
    return {name: failing[t] for t, name in names.items()}


def starts(test: str) -> list[str]:
    """The starts of the names of the tests in the same file, in the same class and of the same function, from the widest on.

    >>> starts("f.py::Sums::axes[1]")
    ['f.py::', 'f.py::Sums::', 'f.py::Sums::axes[']
    """
    name, bracket, _ = test.partition("[")
    parts = name.split("::")
    return ["::".join(parts[:k]) + "::" for k in range(1, len(parts))] + [name + bracket] * bool(bracket)


def line_of(test: str, known: dict[str, str]) -> str | None:
    """The line of a test among those that are written down: its own, or one of a group that it is in."""
    return next((line for line in (test, *(g + "*" for g in starts(test))) if line in known), None)


def compared(found: Outcomes, known: dict[str, str]) -> list[str]:
    """Lines on outcomes that are not as they are written down.

    >>> compared({"a": ("failed", "no op"), "b": ("passed", "")}, {"b": "refused"})
    ['new failure: a: no op', 'passes, but is written down as failing: b']
    """
    lines = {t: line_of(t, known) for t in found}
    new = [f"new failure: {t}: {why}" for t, (o, why) in found.items() if o == "failed" and lines[t] is None]
    mended = [t for t, (o, _) in found.items() if o == "passed" and lines[t] is not None]
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
        lines = {line for t in found if (line := line_of(t, known))}
        write_expected(path, {t: why for t, why in known.items() if t not in lines} | folded(found))
        return 0
    wrong = compared(found, known) if found else ["no test ran"]
    print("\n".join(wrong) if wrong else "all is as it is written down")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
