"""The pages of the site: every link leads somewhere, every guide is in the navigation, every public name has a page."""

from __future__ import annotations

import os
import re
import sys
from importlib import util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def generator() -> Any:
    spec = util.spec_from_file_location("make_site", ROOT / "docs" / "make_site.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["make_site"] = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = generator()
SITE = make.Site()


def test_every_link_of_the_repository_leads_to_a_page() -> None:
    assert SITE.broken == []


def test_every_link_of_the_site_leads_to_a_heading() -> None:
    anchors = {page: {kit for *_, kit in make.headings(text)} for page, text in SITE.pages.items()}
    links = 0
    for page, text in SITE.pages.items():
        for code, _, target in make.LINK.findall(text):
            if code or "://" in target:
                continue
            path, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            assert to in SITE.pages or (ROOT / "docs" / to).exists(), f"{page}: {target}"
            assert not anchor or anchor in anchors[to], f"{page}: {target}"
            links += 1
    assert links > 500


def test_every_guide_is_in_the_navigation() -> None:
    guides = {p.name for p in (ROOT / "docs").glob("*.md")} - {"index.md"}
    first, *listed = SITE.navigation()[1]["Guides"]
    assert guides | {"contributing.md"} == set(listed) and first == {"All guides": "guides.md"}


def test_every_entry_of_the_reference_has_a_page() -> None:
    text = (ROOT / "docs" / "reference" / "tensor.md").read_text(encoding="utf-8")
    names = re.findall(r"^### `(.*)`$", text, re.MULTILINE)
    assert len(names) > 300
    for name in names:
        page = SITE.pages[f"reference/tensor/{name}.md"]
        assert page.startswith(f"# `{name}`") and ">>> " in page
    assert "### " not in SITE.pages["reference/tensor.md"]


def test_pages_have_titles_of_their_own() -> None:
    for page, text in SITE.pages.items():
        assert re.match(r"# \S", text), page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a](types.md#complex-numbers)", "[a](types.md#complex-numbers)"),
        ("[a](../CONTRIBUTING.md#a-target)", "[a](contributing.md#a-target)"),
        ("[`T.exp`](reference/tensor.md#texp)", "[`T.exp`](reference/tensor/T.exp.md)"),
        ("`x[0](y)` and [a](../examples/digits.py)", "`x[0](y)` and [a](examples/digits.md)"),
        ("```\n[a](nowhere.md)\n```", "```\n[a](nowhere.md)\n```"),
    ],
)
def test_links_are_turned(text: str, found: str) -> None:
    assert SITE.linked("docs/compile.md", "compile.md", text) == found


def test_the_check_sees_broken_links() -> None:
    site = make.Site()
    site.linked("docs/compile.md", "compile.md", "[a](no.md) [b](types.md#no) [c](#no)")
    assert site.broken == ["docs/compile.md: no.md", "docs/compile.md: types.md#no", "docs/compile.md: #no"]


@pytest.mark.c
def test_examples_stand_on_the_site_with_what_they_show() -> None:
    site = make.Site()
    assert not any("@@" in text for text in site.pages.values()), (
        "an example that was not run has empty places"
    )
    for page, first in (("first_steps", "<svg"), ("formulas", "<pre><code>")):
        source = ROOT / "examples" / "notebooks" / f"{page}.ipynb"
        found = make.results(source)
        text = make.text_of(source.relative_to(ROOT).as_posix())
        assert text.count("@@result") == len(found) and sum(map(bool, found)) > len(found) // 2
        assert any(first in one for one in found)
        site.pages["page"] = text
        site.fill("page", found)
        assert first in site.pages["page"] and "@@" not in site.pages["page"]


def test_the_citation_has_the_version() -> None:
    import eqsat

    assert f"version: {eqsat.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.sweep
def test_the_site_builds_without_a_warning() -> None:
    pytest.importorskip("mkdocs")
    assert make.main() == 0
    assert (make.SITE / "search" / "search_index.json").exists()
