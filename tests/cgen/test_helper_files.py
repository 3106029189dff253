"""The files of C functions that ops share: each function is found by its name, the user's own first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import eqsat.cgen.c.helper_files as helper_files
from eqsat.cgen.c.prelude import helpers
from eqsat.cgen.cuda.source import on_device
from eqsat.graph.c_templates import C_HELPERS, c_helper

FILES = sorted((Path(helper_files.__file__).parent / "helpers").glob("*.c"))


def test_every_function_of_the_files_is_found_once() -> None:
    defined = [
        name
        for file in FILES
        for name in re.findall(r"^static.*?\b(eq_\w+?)__@T\(", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert len(defined) == len(set(defined)) > 50
    for name in defined:
        text = helper_files.helper(name)
        assert text is not None and f"{name}__@T(" in text and not text.startswith("//")


def test_a_helper_that_a_function_calls_exists() -> None:
    for file in FILES:
        for name in re.findall(r"\b(eq_\w+?)__@T\b", file.read_text(encoding="utf-8")):
            own = (
                helper_files.helper(name) is not None or name == "eq_words"
            )  # a type beside its only function
            assert own or name.startswith("eq_blas_"), (file.name, name)


def test_the_users_own_helper_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(C_HELPERS, "eq_sigmoid", raising=False)
    c_helper("eq_sigmoid", "static inline @T eq_sigmoid__@T(@T x) { return 1; }")
    assert helper_files.helper("eq_sigmoid") == C_HELPERS.pop("eq_sigmoid")
    assert helper_files.helper("eq_sigmoid") != helper_files.helper("eq_absent") is None


def test_small_functions_are_part_of_the_loops_that_call_them() -> None:
    text = helpers("eq_sigmoid__double(x) - eq_log_cosh__double(y) + eq_zeta__double(s, q)")
    heads = re.findall(r"^(static .*?)\b(eq_\w+?)\(", text, re.MULTILINE)
    inlined = {name: "always_inline" in head for head, name in heads}
    assert inlined == {"eq_sigmoid__double": True, "eq_log_cosh__double": True, "eq_zeta__double": False}
    assert "__forceinline__" not in on_device(text) and "always_inline" not in on_device(text)
