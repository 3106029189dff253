"""The tasks of CONTRIBUTING.md, done: the first block of a section is written into a copy of eqsat/, the second is run.

Then mypy and the tests that take every op, rule and file look at the copy.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TASKS = {
    title: re.findall(r"```python\n(.*?)```", body, re.DOTALL)
    for title, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE)
}


def pieces(block: str) -> Iterator[tuple[str, str, str]]:
    """Each path, place in the file, and text of a block, at whose heads stands ``# path`` or ``# path, place``."""
    parts = re.split(r"^# (eqsat/\S+\.py)(?:, (.*))?\n", block, flags=re.MULTILINE)[1:]
    yield from zip(parts[0::3], (p or "" for p in parts[1::3]), parts[2::3], strict=True)


def inserted(old: str, place: str, text: str) -> str:
    """A file with a text at a place: at the end, with the imports, or in a table."""
    lines, tree = old.splitlines(keepends=True), ast.parse(old)
    if place == "at the end":
        return old + text
    if place == "with the imports":
        at = max(n.end_lineno or 0 for n in tree.body if isinstance(n, ast.ImportFrom))
    else:
        name = place.removeprefix("in ")
        table = next(
            n for n in tree.body if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == name
        )
        at = max(n.end_lineno or 0 for n in ast.walk(table) if isinstance(n, ast.Call))
        text = text.rstrip() + ",\n"
    return "".join([*lines[:at], text, *lines[at:]])


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with what every task adds."""
    root = tmp_path_factory.mktemp("contributing")
    shutil.copytree(ROOT / "eqsat", root / "eqsat")
    for blocks in TASKS.values():
        for path, place, text in pieces(blocks[0]) if blocks else ():
            file = root / path
            assert file.exists() == bool(place), path
            file.write_text(
                inserted(file.read_text(encoding="utf-8"), place, text) if place else text, encoding="utf-8"
            )
    return root


def test_there_are_twelve() -> None:
    assert len([title for title, blocks in TASKS.items() if len(blocks) == 2]) == 12


RUN = """
import json, sys, traceback
root, tasks = json.loads(sys.stdin.read())
sys.path.insert(0, root)
import numpy as np, eqsat, eqsat.tensor as T
assert eqsat.__file__.startswith(root)
found = {}
for title, code in tasks.items():
    try:
        exec(compile(code, title, "exec"), {"np": np, "eqsat": eqsat, "T": T})
    except BaseException:
        found[title] = traceback.format_exc()
print("\\n" + json.dumps(found))
"""


@pytest.fixture(scope="module")
def failed(copied: Path) -> dict[str, str]:
    """The tracebacks of tasks that fail, by title; all run in one process, which has what each of them adds."""
    tasks = {title: blocks[1] for title, blocks in TASKS.items() if blocks}
    given = json.dumps([str(copied), tasks])
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=given, cwd=copied, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("title", [title for title, blocks in TASKS.items() if blocks])
def test_a_task_is_done_as_it_says(title: str, failed: dict[str, str]) -> None:
    assert title not in failed, failed[title]


NEW = [path for blocks in TASKS.values() if blocks for path, place, _ in pieces(blocks[0]) if not place]
SWEEPS = (
    "tests/graph/test_every_op.py",
    "tests/graph/test_properties.py",
    "tests/cgen/test_blocks.py",
    "tests/cgen/test_elementwise.py",
    "tests/cgen/test_ops.py",
    "tests/extract/test_cost.py",
    "tests/extract/test_models.py",
    "tests/test_sources.py",
)
OF_ALL = (
    "finite_time or finite_cost or forgotten or has_a_case or docstring"  # tests that look at all ops at once
)


def run_in(place: Path, *words: str) -> str:
    """The output of a module of Python in a folder; of one that fails, an error."""
    given = {**os.environ, "PYTHONPATH": str(place)}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=place, env=given, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.sweep
def test_sweeps_take_the_examples(copied: Path) -> None:
    shutil.copytree(ROOT / "tests", copied / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copied)
    (copied / "docs").mkdir(exist_ok=True)
    shutil.copy(ROOT / "docs" / "architecture.md", copied / "docs")  # test_sources.py reads the rooms
    ops = [Path(path).stem for path in NEW if path.startswith("eqsat/graph/ops")]
    words = " or ".join([OF_ALL, *ops])
    found = run_in(copied, "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-k", words, *SWEEPS)
    for name in ops:
        assert re.search(rf"PASSED .*\[{name}\W", found), f"no sweep takes {name}"


VERIFY = """
import sys, eqsat
for r in eqsat.rules.all_rules():
    if any(op in r.name for op in sys.argv[1:]):
        found = eqsat.verify.verify(r, points=40, outside=False, proof=False)
        assert found.verdict in ("kept", "not tried"), found
        print(r.name)
"""


@pytest.mark.sweep
def test_rules_that_follow_for_the_examples_are_kept(copied: Path) -> None:
    ops = [Path(path).stem for path in NEW if path.startswith("eqsat/graph/ops")]
    (copied / "verify_rules.py").write_text(VERIFY, encoding="utf-8")
    assert len(run_in(copied, "verify_rules", *ops).split()) > 60


@pytest.mark.sweep
def test_types_of_the_examples_are_right(copied: Path) -> None:
    pytest.importorskip("mypy")
    run_in(copied, "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--follow-imports", "silent", *NEW)


SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("title", [title for title, blocks in TASKS.items() if blocks])
def test_a_task_names_its_tests(title: str) -> None:
    said = SECTIONS[title].partition("```")[0]
    assert "Tests:" in " ".join(said.split()) or "pytest" in said
    for place in re.findall(r"tests/[\w/]+(?:\.py)?", TEXT):
        assert (ROOT / place).exists(), place


def test_places_of_other_things_exist() -> None:
    for row in re.findall(r"^\|(.*eqsat/.*)\|$", SECTIONS["Other places"], re.M):
        for path in re.findall(r"`(eqsat/[\w/]+\.py)`", row):
            text = (ROOT / path).read_text(encoding="utf-8")
            names = [name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", row)]
            assert names and all(re.search(rf"\b{name}\b", text) for name in names), path


def test_the_function_of_tensors_has_what_the_reference_asks_for() -> None:
    assert re.search(
        r"^    (Shapes|Errors)   .*^    >>> ", TASKS["A function of tensors"][0], re.M | re.DOTALL
    )


def test_places_that_the_glossary_and_the_guide_name_exist() -> None:
    for name in ("docs/glossary.md", "docs/architecture.md", "eqsat/rules/README.md"):
        for place in re.findall(
            r"`((?:eqsat/)?\w+/[\w/]*\.py|[a-z]+/[a-z]+/)`", (ROOT / name).read_text(encoding="utf-8")
        ):
            at = ROOT / place if place.startswith("eqsat/") else ROOT / "eqsat" / place
            assert at.exists() or (ROOT / place).exists(), f"{name} names {place}"


def test_the_fact_that_the_readme_of_rules_shows_is_the_one_that_is_declared() -> None:
    shown, declared = (
        re.search(
            r"^covers = fact\(\n.*?^\)\n", (ROOT / "eqsat/rules" / name).read_text("utf-8"), re.DOTALL | re.M
        )
        for name in ("README.md", "facts.py")
    )
    assert shown and declared and shown[0] == declared[0]
