"""Writes docs/reference: a page per room, an entry per public name, from docstrings and the declarations of ops.

``python docs/make_reference.py`` writes the pages; tests/test_reference.py checks that they are up to date and that every
entry has an example. A thing that several modules offer has one entry, on the first page that offers it.
"""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reference_entries import (
    ALL,
    PAGES,
    PARTS,
    SECTIONS,
    SETUP,
    Entry,
    entries,
    in_table,
    module_doc,
    plain,
    section_of,
)
from reference_sources import of_libraries

from eqsat.base.configuration import FLAGS
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.tensor_type import TensorType
from eqsat.tensor.constructors import PLURALS
from eqsat.tensor.variable import _tensor_py_operators

FOLDER = Path(__file__).resolve().parent / "reference"


def signature_of(thing: Any) -> str:
    """The call of a function, without annotations."""
    if isinstance(thing, DeclaredOp):
        return f"({', '.join(thing.declaration.tensors)})"
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    bare = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.name != "self"
    ]
    return re.sub(
        r"<[^>]*>", "...", str(signature.replace(parameters=bare, return_annotation=signature.empty))
    )


def rendered(entry: Entry) -> Iterator[str]:
    """Markdown of an entry."""
    prose, example = entry.parts
    call = signature_of(entry.thing) if callable(entry.thing) else ""
    yield f"### `{entry.names[0]}`\n"
    yield f"`{entry.names[0]}{call}`" + "".join(f", also `{n}`" for n in entry.names[1:]) + "\n"
    yield from described(prose)
    if isinstance(entry.thing, type):
        yield from method_table(dict(vars(entry.thing)))
    if example:
        yield from shown(qualified(example, entry.page))


def qualified(example: str, page: str) -> str:
    """Examples with the names that modules call their own written in full."""
    for entry in ALL[page].values():
        last = entry.names[0].rpartition(".")[2]
        if last not in example or hasattr(builtins, last):  # most are not: no pattern is compiled for these
            continue
        if not re.search(rf"\bimport [^\n;]*\b{last}\b", example):
            bare = rf"^((?:>>>|\.\.\.) (?:.*[^\w.'\"\n])?){last}\("
            example = re.sub(bare, rf"\1{entry.names[0]}(", example, flags=re.M)
    return example


def described(prose: str) -> Iterator[str]:
    """The text of a docstring, with its parts as a list."""
    text: list[str] = []
    parts: list[str] = []
    for line in plain(prose).splitlines():
        word, _, rest = line.partition(" ")
        if word in PARTS and rest.startswith("  "):
            parts.append(f"- **{word}** {rest.strip()}")
        elif parts and line.startswith("    "):
            parts[-1] += " " + line.strip()
        else:
            inline = re.search(
                rf"\s*\b({'|'.join(PARTS)}): (.*?)\.?$", line
            )  # "... below. Source: Misra 2019."
            text.append(line[: inline.start()] if inline else line)
            parts += [f"- **{inline[1]}** {inline[2]}"] if inline else []
    yield "\n".join(text).strip() + "\n"
    if parts:
        yield "\n".join(sorted(parts, key=lambda part: PARTS.index(part.split("**")[1]))) + "\n"


def shown(example: str) -> Iterator[str]:
    """A block of examples without the imports that the page begins with."""
    known = {f">>> import {', '.join(p)}" for p in combinations([s.removeprefix("import ") for s in SETUP])}
    lines = [line for line in example.splitlines() if line not in known]
    yield "```pycon\n" + "\n".join(lines).strip("\n") + "\n\n```\n"


def combinations(parts: list[str]) -> Iterator[list[str]]:
    """Every choice of some parts, in their order."""
    for k in range(1, 2 ** len(parts)):
        yield [p for i, p in enumerate(parts) if k >> i & 1]


def method_table(members: dict[str, Any]) -> Iterator[str]:
    """Public methods and properties of a class, with their first sentences."""
    rows = []
    for name, member in sorted(members.items()):
        function = member.fget if isinstance(member, property) else member
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        call = "" if isinstance(member, property) else signature_of(function)
        entry = Entry([name], function, inspect.getdoc(function) or "", "")
        rows.append(f"| `{name}{call}` | {refer(entry).replace('|', chr(92) + '|')} |")
    if rows:
        yield "| method | what it gives |\n|---|---|\n" + "\n".join(rows) + "\n"


def refer(entry: Entry) -> str:
    """The first sentence of a method; where that is a reference to a function, the function's and a link."""
    target = re.match(r"See `eqsat\.tensor\.(\w+)`", entry.sentence)
    if target is None:
        return entry.sentence
    names = {name: e for e in ALL["tensor"].values() for name in e.names}
    function = names[f"T.{target[1]}"]
    return f"[T.{target[1]}]({function.anchor}): {function.sentence}"


def methods_of_classes(found: list[Entry]) -> Iterator[str]:
    """Examples of methods, such as the draws of a random stream."""
    for entry in found:
        for name, method in sorted(vars(entry.thing).items()) if isinstance(entry.thing, type) else ():
            if inspect.isfunction(method) and not name.startswith("_") and ">>> " in (method.__doc__ or ""):
                doc = inspect.getdoc(method) or ""
                yield from rendered(Entry([f"{entry.names[0]}.{name}"], method, doc, entry.page))


def type_table(found: list[Entry]) -> Iterator[str]:
    """One table of all typed constructors."""
    yield "## Typed constructors\n"
    yield "Calling one makes a variable of its type, with a name if one is given; the plural makes several.\n"
    yield "| name | plural | dtype | shape |\n|---|---|---|---|"
    for entry in (e for e in found if isinstance(e.thing, TensorType)):
        kind, last = entry.thing, entry.names[0].removeprefix("T.")
        shape = ", ".join("?" if n is None else str(n) for n in kind.shape)
        yield f"| `T.{last}` | `T.{last[0]}{PLURALS[last[1:]]}` | {kind.dtype} | ({shape}) |"
    untyped = ", ".join(f"`T.{name}`" for name in PLURALS.values())
    yield f"\nPlurals of the constructors whose dtype is floatX: {untyped}.\n"
    yield from shown(">>> T.dmatrix('x').type\n<TensorType(float64, (?, ?))>\n>>> T.ivectors('a', 'b'), len(T.matrices(3))\n([a, b], 3)")  # fmt: skip


def methods_of_tensors() -> Iterator[str]:
    """The table of the mix-in that variables, constants and shared variables have in common."""
    yield "## Methods of tensors\n"
    yield "Variables, constants and shared variables have these, the operators of Python, and NumPy's functions.\n"
    kinds = (_tensor_py_operators, *_tensor_py_operators.__bases__)
    yield from method_table({name: m for kind in kinds for name, m in vars(kind).items()})
    yield from shown(
        ">>> x = T.dmatrix('x')\n>>> (x.T + 1).sum(axis=0).eval({x: [[1.0, 2.0], [3.0, 4.0]]})\narray([5., 9.])"
    )


def flag_table() -> Iterator[str]:
    """The flags of the configuration."""
    yield "## Flags of `eqsat.config`\n"
    yield "| flag | default | meaning |\n|---|---|---|"
    for flag in FLAGS.values():
        default = (
            "in the user's cache folder"
            if isinstance(flag.default, str) and "/" in flag.default
            else f"`{flag.default!r}`"
        )
        yield f"| `{flag.name}` | {default} | {flag.doc} |"
    yield ""


def elsewhere(page: str) -> Iterator[str]:
    """Names on this page of what another page explains."""
    found: dict[str, list[str]] = {}
    for entry in (e for e in ALL[page].values() if e.page != page):
        anchor = "" if entry.page == "errors" else ALL[entry.page][id(entry.thing)].anchor
        found.setdefault(entry.page, []).extend(f"[`{n}`]({entry.page}.md{anchor})" for n in entry.names)
    if found:
        yield "## Also here\n"
        yield from (f"- from {home}: {', '.join(links)}" for home, links in found.items())


def error_page(found: list[Entry]) -> Iterator[str]:
    """The table of errors."""
    yield "| error | is also | raised for |\n|---|---|---|"
    for entry in found:
        bases = [
            b.__name__ for b in entry.thing.__mro__[1:] if b.__module__ != "eqsat.errors" and b is not object
        ]
        name = entry.names[0].removeprefix("eqsat.errors.").removeprefix("eqsat.gradient.")
        yield f"| `{name}` | `{bases[0]}` | {entry.sentence} |"


def libraries() -> Iterator[str]:
    """The bridges to libraries that may be missing where the reference is made."""
    known = {path for _, modules in PAGES.values() for path in modules}
    homes = (str(getattr(e.thing, "__module__", "")) for things in ALL.values() for e in things.values())
    known |= {".".join(home.split(".")[:3]) for home in homes}
    for module, about, found in of_libraries(known):
        yield f"## {module}\n"
        yield plain(" ".join(about.partition("\n\n")[0].split())) + "\n"
        for name, call, doc in found:
            yield f"### `{name}`\n"
            yield f"`{name}{call}`\n"
            yield from described(doc)


def page_text(page: str) -> str:
    """Markdown of a page."""
    _, modules = PAGES[page]
    found = entries(page)
    docs = [f"`{path}`: {module_doc(path).partition(chr(10) * 2)[0]}" for path in modules]
    lines = [f"# {', '.join(modules)}\n", *(plain(" ".join(d.split())) + "\n" for d in docs)]
    if page == "errors":
        return "\n".join([*lines, *error_page(found)]) + "\n"
    groups: dict[str, list[Entry]] = {title: [] for title in SECTIONS.get(page, {})}
    for entry in found:
        if not in_table(entry):
            groups.setdefault(section_of(entry), []).append(entry)
    groups = {title: group for title, group in groups.items() if group}
    for title, group in groups.items():
        lines.append(
            f"- **{title}**: " + ", ".join(f"[{e.names[0].rpartition('.')[2]}]({e.anchor})" for e in group)
        )
    if page == "tensor":
        lines.append("- [Methods of tensors](#methods-of-tensors), [typed constructors](#typed-constructors)")
    lines.append("\n```pycon\n" + "\n".join(f">>> {line}" for line in SETUP) + "\n\n```\n")
    for title, group in groups.items():
        lines += [
            f"## {title}\n",
            *(line for entry in group for line in rendered(entry)),
            *methods_of_classes(group),
        ]
    if page == "tensor":
        lines += [*methods_of_tensors(), *type_table(found)]
    more = flag_table() if page == "eqsat" else libraries() if page == "bridges" else ()
    lines += [*more, *elsewhere(page)]
    return "\n".join(lines).rstrip() + "\n"


def index_text() -> str:
    """The list of pages."""
    rows = [
        f"| [{page}.md]({page}.md) | {about} | {len(entries(page))} |" for page, (about, _) in PAGES.items()
    ]
    head = "# Reference\n\nEvery public name, written from the code by `make docs`.\n\n| page | what is on it | entries |\n|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def missing_examples() -> list[str]:
    """Public names whose entry has no example."""
    shown = [e for page in PAGES if page != "errors" for e in entries(page) if not in_table(e)]
    return [f"{e.names[0]} ({section_of(e)})" for e in shown if not e.parts[1]]


def pages() -> dict[str, str]:
    """File name and text of every page."""
    return {"index.md": index_text()} | {f"{page}.md": page_text(page) for page in PAGES}


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"docs/reference/{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
