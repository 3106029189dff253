"""Runs pyright, strict, on the code of the guides: each guide is a module in build/types. ``make types`` runs this.

Functions that a guide writes without types are theirs; what eqsat gives them, and what they get back, is looked at.
"""

from __future__ import annotations

import doctest
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "types"
OTHERS = (
    "theano",
    "pytensor",
    "bridges",
    "scale",
    "loop_program",
)  # programs of libraries without types; eqsat inside
UNTYPED = ("MissingParameterType", "UnknownParameterType", "UnknownLambdaType", "UnknownArgumentType", "UnknownMemberType", "UnknownVariableType")  # fmt: skip
STYLE = ("UnusedExpression", "ConstantRedefinition", "DuplicateImport", "UnusedImport", "MissingTypeStubs")


def code_of(guide: Path) -> str:
    """The examples of a guide as a program, without those that raise."""
    examples = doctest.DocTestParser().get_examples(guide.read_text(encoding="utf-8"))
    return "".join(e.source for e in examples if e.exc_msg is None)


def main() -> int:
    """Write the modules and look at them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for guide in [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]:
        if guide.stem not in OTHERS and (code := code_of(guide)):
            (FOLDER / f"guide_{guide.stem.lower()}.py").write_text(code, encoding="utf-8")
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT)], "include": ["."]}
    settings |= {f"report{rule}": False for rule in (*UNTYPED, *STYLE)}
    (FOLDER / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "-p", str(FOLDER)]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
