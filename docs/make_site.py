"""Makes the site: guides in reading order, a page per public name, examples, search. ``make site`` runs this.

The pages are written into build/site-source and built by mkdocs into build/site; every warning is an error. Sources stay as they are on
GitHub: links are turned here into those of the site.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from site_results import MARK, results

ROOT = Path(__file__).resolve().parent.parent
SOURCE, SITE = ROOT / "build" / "site-source", ROOT / "build" / "site"
LINK = re.compile(r"(```.*?```|(?<!\[)`[^`\n]+`(?!\]\())|\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)", re.DOTALL)
REFERENCE = "docs/reference/"


def sources() -> dict[str, str]:
    """The files that become pages, from their paths in the repository to those on the site."""
    places = {"README.md": "index.md", "docs/index.md": "guides.md", "CONTRIBUTING.md": "contributing.md"}
    places["eqsat/rules/README.md"] = "writing_rules.md"
    for path in sorted((ROOT / "docs").rglob("*.md")):
        relative = path.relative_to(ROOT).as_posix()
        places.setdefault(relative, relative.removeprefix("docs/"))
    for path in sorted([*(ROOT / "examples").glob("*.py"), *(ROOT / "examples").glob("*/*.ipynb")]):
        places[path.relative_to(ROOT).as_posix()] = f"examples/{path.stem}.md"
    return places


def text_of(source: str) -> str:
    """The Markdown of a file; a program is shown with its docstring above it."""
    text = (ROOT / source).read_text(encoding="utf-8")
    if source.endswith(".ipynb"):
        return notebook_text(json.loads(text)["cells"])
    if not source.endswith(".py"):
        return text
    title, _, more = (ast.get_docstring(ast.parse(text)) or source).partition("\n\n")
    return f"# {title}\n\n{more}\n\n```python\n{text}```\n\n{MARK.format(0)}\n"


def notebook_text(cells: Sequence[dict[str, Any]]) -> str:
    """The Markdown of a notebook, with places for the results of its cells."""
    parts, code = [], 0
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
        else:
            parts += [f"```python\n{text}\n```", MARK.format(code)]
            code += 1
    return "\n\n".join(parts) + "\n"


# --------------------------------------------------------------------------------------------------------- headings


def headings(text: str) -> Iterator[tuple[str, str, str]]:
    """The title of each heading, and the anchors that GitHub and mkdocs make of it."""
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    hubs: list[str] = []
    kits: list[str] = []
    for title in re.findall(r"^#+ (.*)$", plain, re.MULTILINE):
        hub = re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))
        kit = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title.replace("`", "")).strip().lower())
        yield (
            title,
            *(numbered(slug, seen, mark) for slug, seen, mark in ((hub, hubs, "-"), (kit, kits, "_"))),
        )


def numbered(slug: str, seen: list[str], mark: str) -> str:
    """An anchor; of equal ones the second and the following get numbers."""
    seen.append(slug)
    return slug if seen.count(slug) == 1 else f"{slug}{mark}{seen.count(slug) - 1}"


# -------------------------------------------------------------------------------------------------------- reference


def entries(source: str, text: str) -> Iterator[tuple[str, str, str]]:
    """The entries of a page of the reference: the anchor, the page of its own, and the text."""
    anchors = {title: anchor for title, anchor, _ in headings(text)}
    folder = source.removeprefix("docs/").removesuffix(".md")
    for title, body in re.findall(r"^### (`[^\n]*`)\n(.*?)(?=^##|\Z)", text, re.DOTALL | re.MULTILINE):
        yield anchors[title], f"{folder}/{title.strip('`')}.md", f"# {title}\n{body}"


def overview(text: str) -> str:
    """A page of the reference without its entries and the headings that are left empty."""
    bare = re.sub(r"^### `[^\n]*`\n.*?(?=^##|\Z)", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"^## [^\n]*\n\s*(?=^## |\Z)", "", bare, flags=re.MULTILINE)


# ------------------------------------------------------------------------------------------------------------ pages


class Site:
    """The pages of the site by path; where it ``runs`` the examples, with their results."""

    def __init__(self, runs: bool = False) -> None:
        self.places = sources()
        self.texts = {source: text_of(source) for source in self.places}
        self.entries: dict[tuple[str, str], str] = {}  # source and anchor: the page of the entry
        self.broken: list[str] = []
        parts: list[tuple[str, str, str]] = []  # source, page, text
        for source, text in self.texts.items():
            if source.startswith(REFERENCE):
                for anchor, page, body in entries(source, text):
                    self.entries[source, anchor] = page
                    parts.append((source, page, body))
                text = overview(text)
            parts.append((source, self.places[source], text))
        self.pages = {page: self.linked(source, page, text) for source, page, text in parts}
        for source, page in self.places.items():
            if source.startswith("examples/"):
                self.fill(page, results(ROOT / source) if runs else [])

    def fill(self, page: str, found: Sequence[str]) -> None:
        """Put the results of an example into their places, which stay empty where it was not run."""
        text = self.pages[page]
        for k in range(text.count(MARK.partition("{")[0])):
            text = text.replace(MARK.format(k) + "\n", found[k] if k < len(found) else "")
        self.pages[page] = text

    def linked(self, source: str, page: str, text: str) -> str:
        """The text of a page with links that lead to pages of the site."""

        def turned(found: re.Match[str]) -> str:
            code, words, target = found.groups()
            if code is not None or re.match(r"\w+://|mailto:", target):
                return found[0]
            return f"[{words}]({self.target(source, page, target)})"

        return LINK.sub(turned, text)

    def target(self, source: str, page: str, target: str) -> str:
        """A link of the repository as one of the site."""
        path, _, anchor = target.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(source), path)) if path else source
        place = self.entries.get((to, anchor)) if anchor else self.places.get(to, self.asset(to))
        if anchor and place is None and to in self.places:
            anchors = {hub: kit for _, hub, kit in headings(self.texts[to])}
            place = f"{self.places[to]}#{anchors[anchor]}" if anchor in anchors else None
        if place is None:
            self.broken.append(f"{source}: {target}")
            return target
        return os.path.relpath(place, os.path.dirname(page) or ".")

    def asset(self, path: str) -> str | None:
        """The place of a picture."""
        inside = path.startswith("docs/figures/") and (ROOT / path).exists()
        return path.removeprefix("docs/") if inside else None

    def navigation(self) -> list[object]:
        """Home, the guides in the order of docs/index.md, examples, the reference."""
        order = re.findall(r"^\| \[[^\]]*\]\(([\w./]+)\)", self.texts["docs/index.md"], re.MULTILINE)
        guides = [self.places[os.path.normpath(f"docs/{path}")] for path in order]
        reference = [
            p for s, p in self.places.items() if s.startswith(REFERENCE) and p != "reference/index.md"
        ]
        examples = [page for page in self.pages if page.startswith("examples/")]
        return [
            {"Home": "index.md"},
            {"Guides": [{"All guides": "guides.md"}, *(g for g in guides if not g.startswith("reference/"))]},
            {"Examples": examples},
            {"Reference": ["reference/index.md", *({Path(p).stem: p} for p in reference)]},
        ]


def configuration(site: Site) -> dict[str, object]:
    """The configuration of mkdocs."""
    return {
        "site_name": "eqsat",
        "site_description": "Tensor expressions optimised by equality saturation and compiled to C",
        "docs_dir": str(SOURCE),
        "site_dir": str(SITE),
        "theme": {"name": "readthedocs", "navigation_depth": 2, "highlightjs": True},
        "plugins": ["search"],
        "markdown_extensions": ["tables", "fenced_code", {"toc": {"permalink": True}}],
        "validation": {
            "nav": {"omitted_files": "ignore", "not_found": "warn"},
            "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"},
        },
        "nav": site.navigation(),
    }


def main() -> int:
    """Write the pages and build the site."""
    site = Site(runs=True)
    if site.broken:
        print("links that lead nowhere:", *site.broken, sep="\n  ")
        return 1
    shutil.rmtree(SOURCE, ignore_errors=True)
    for page, text in site.pages.items():
        (SOURCE / page).parent.mkdir(parents=True, exist_ok=True)
        (SOURCE / page).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "figures", SOURCE / "figures")
    file = SOURCE.parent / "mkdocs.yml"
    file.write_text(json.dumps(configuration(site), indent=1), encoding="utf-8")  # JSON is YAML
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(file)], check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
