"""The pages of docs/reference are those of the code, and every public name has an example."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["make_reference"] = module
    spec.loader.exec_module(module)
    return module


make = generator()


def test_every_public_name_has_an_example() -> None:
    assert make.missing_examples() == []


@pytest.mark.parametrize("page", list(make.MODULES))
def test_pages_are_up_to_date(page: str) -> None:
    written = (make.FOLDER / f"{page}.md").read_text(encoding="utf-8")
    assert written == make.page_text(page), "run python docs/make_reference.py"


@pytest.mark.parametrize("page", [page for page in make.MODULES if page != "errors"])
def test_every_entry_says_what_it_is(page: str) -> None:
    for entry in make.entries(page):
        if not make.is_type(entry):
            first = entry.prose.strip().splitlines()[0] if entry.prose.strip() else ""
            assert re.match(r".{8,}", first) and not first.startswith(("Shapes", "Errors")), entry.names


def test_no_public_name_is_a_stray() -> None:
    strays = {"Any", "annotations", "np", "numpy", "check_dtype", "cast_to", "constructors"}
    for page in make.MODULES:
        module = __import__("importlib").import_module(make.MODULES[page][0])
        assert not strays & set(make.public_names(module)), page
