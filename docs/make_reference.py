"""Writes docs/reference: a page per module, an entry per public name, from the docstrings and the declarations of ops.

``python docs/make_reference.py`` writes the pages; tests/test_reference.py checks that they are up to date and that
every entry has an example.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from eqsat.graph.declare import DeclaredOp
from eqsat.graph.tensor_type import TensorType
from eqsat.tensor.constructors import LETTERS, PLURALS

FOLDER = Path(__file__).resolve().parent / "reference"
MODULES = {  # page: the module, and what its examples call it
    "eqsat": ("eqsat", "eqsat"),
    "tensor": ("eqsat.tensor", "T"),
    "linalg": ("eqsat.tensor.linalg", "T.linalg"),
    "nnet": ("eqsat.tensor.nnet", "T.nnet"),
    "signal": ("eqsat.tensor.signal", "T.signal"),
    "random": ("eqsat.tensor.random", "T.random"),
    "gradient": ("eqsat.gradient", "eqsat.gradient"),
    "graph": ("eqsat.graph", "eqsat.graph"),
    "printing": ("eqsat.printing", "eqsat.printing"),
    "debug": ("eqsat.debug", "eqsat.debug"),
    "errors": ("eqsat.errors", "eqsat.errors"),
}
PARTS = ("Shapes", "Units", "Errors", "Source")
PLURAL = {letter + name for letter in ["", *LETTERS] for name in PLURALS.values()}
SAMPLES = {
    "i": "[1, 6]",
    "?": "[True, False]",
}  # operands of generated examples, by the letter of a signature


@dataclass
class Entry:
    """One public object: its names, the first of which heads the entry."""

    names: list[str]
    thing: Any
    module: str
    doc: str = field(default="")

    @property
    def prose(self) -> str:
        """The docstring up to its examples."""
        return self.doc.partition("\n>>> ")[0] if not self.doc.startswith(">>> ") else ""

    @property
    def example(self) -> str:
        """The examples of the docstring, or the generated one of an elementwise op; empty where there is none."""
        at = self.doc.find(">>> ")
        return self.doc[at:].rstrip() if at >= 0 else ""


def module_of(thing: Any) -> str:
    """The module in which a public object is explained."""
    if isinstance(thing, DeclaredOp):
        return str(thing.declaration.meaning.__module__)
    return str(getattr(thing, "__module__", None) or type(thing).__module__)


def doc_of(thing: Any, call: str) -> str:
    """Docstring of an object; that of an elementwise op gets shapes, errors and an example from its declaration."""
    if not isinstance(thing, DeclaredOp):
        return inspect.getdoc(thing) or ""
    doc = thing.declaration.doc
    if thing.declaration.kind != "elemwise":
        return doc
    if not re.search(r"^Shapes ", doc, re.M):
        doc = with_part(doc, elementwise_types(thing))
    return doc if ">>> " in doc else f"{doc}\n\n{elementwise_example(thing, call)}"


def with_part(doc: str, text: str) -> str:
    """A docstring with further lines before its examples."""
    prose, mark, example = doc.partition("\n>>> ")
    return f"{prose.rstrip()}\n\n{text}\n{mark}{example}"


def elementwise_types(op: DeclaredOp) -> str:
    """Shapes and errors that follow from the signature of an elementwise op."""
    letters, _, out = op.declaration.signature.partition("->")
    names = ", ".join(op.declaration.tensors)
    words = {"f": "floating", "?": "bool", "i": "integer or bool", "n": "a number"}
    result = {"?": "bool", "f": "floating", "d": "of the dtype asked for"}.get(
        out, "of the operands' common dtype"
    )
    shapes = f"Shapes   {names}: [...] -> [...], {result}; operands broadcast where their type says length 1"
    needs = [words[k] for k in dict.fromkeys(letters.split(",")) if k in ("i", "n")]
    errors = "ShapeError for known lengths that differ" if len(op.declaration.tensors) > 1 else ""
    if needs:
        errors = "; ".join(
            filter(None, [errors, f"DTypeError for an operand that is not {' or '.join(needs)}"])
        )
    return shapes + (f"\nErrors   {errors}" if errors else "")


def elementwise_example(op: DeclaredOp, call: str) -> str:
    """An example with its value, computed by the meaning of the op."""
    letters = op.declaration.signature.partition("->")[0].split(",")
    texts = [SAMPLES.get(k, "[0.25, 0.5]") for k in letters]
    if len(texts) > 1:
        texts[1] = "[2, 1]" if letters[1] == "i" else "[0.5, 0.125]" if letters[1] != "?" else texts[1]
    values: dict[str, Any] = {}
    line = f"{call}({', '.join(texts)}).eval()"
    exec("import eqsat.tensor as T\nimport eqsat", values)
    result = eval(line.replace(".eval()", ".eval(mode='reference')"), values)
    if result.dtype.kind in "fc":
        line, result = line + ".round(6)", result.round(6)
    return f">>> {line}\n{result!r}"


def public_names(module: ModuleType) -> list[str]:
    """The names that a module offers."""
    offered = getattr(module, "__all__", None)
    names = list(offered) if offered is not None else [n for n in vars(module) if not n.startswith("_")]
    return [n for n in names if not isinstance(getattr(module, n), ModuleType)]


def entries(page: str) -> list[Entry]:
    """The entries of a page, with all names of one object together."""
    path, prefix = MODULES[page]
    module = importlib.import_module(path)
    found: dict[int, Entry] = {}
    for name in sorted(public_names(module), key=str.lower):
        thing = getattr(module, name)
        key = id(thing)
        if key in found:
            found[key].names.append(name)
        else:
            found[key] = Entry([name], thing, module_of(thing))
    for entry in found.values():
        own = getattr(entry.thing, "__name__", None) or getattr(entry.thing, "name", None)
        own = str(own).rstrip("_") if own is not None else ""
        entry.names.sort(key=lambda n: (n.rstrip("_") != own, n))
        entry.doc = doc_of(entry.thing, f"{prefix}.{entry.names[0]}")
    return list(found.values())


def is_type(entry: Entry) -> bool:
    """True for the typed constructors and all plurals, which share one table."""
    return isinstance(entry.thing, TensorType) or entry.names[0] in PLURAL


def title_of(module: str) -> str:
    """The first sentence of the module in which an entry is defined."""
    doc = inspect.getdoc(importlib.import_module(module)) if module in sys.modules else ""
    return (doc or module).splitlines()[0].rstrip(".")


def signature_of(entry: Entry) -> str:
    """The call of a function, without annotations."""
    thing = entry.thing
    if isinstance(thing, DeclaredOp):
        return f"({', '.join(thing.declaration.tensors)})"
    if not callable(thing):
        return ""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def rendered(entry: Entry, prefix: str) -> Iterator[str]:
    """Markdown of an entry."""
    yield f"### `{prefix}.{entry.names[0]}{signature_of(entry)}`\n"
    if len(entry.names) > 1:
        yield "Also " + ", ".join(f"`{name}`" for name in entry.names[1:]) + ".\n"
    table: list[str] = []
    text: list[str] = []
    for line in entry.prose.strip().splitlines():
        word = line.split(" ", 1)[0]
        if word in PARTS and line.startswith(f"{word} "):
            table.append(f"- **{word}** {line[len(word) :].strip()}")
        elif table and line.startswith("  "):
            table[-1] += " " + line.strip()
        else:
            text.append(line)
    yield "\n".join(text).strip() + "\n"
    if table:
        yield "\n".join(table) + "\n"
    if entry.example:
        yield f"```pycon\n{entry.example}\n\n```\n"


def type_table(found: list[Entry], prefix: str) -> Iterator[str]:
    """One table of all typed constructors."""
    yield "## Typed constructors\n"
    yield "Calling one makes a variable of its type, with a name if one is given; the plural makes several.\n"
    yield "| name | plural | dtype | shape |\n|---|---|---|---|"
    for entry in found:
        kind = entry.thing
        if not isinstance(kind, TensorType):
            continue
        shape = ", ".join("?" if n is None else str(n) for n in kind.shape)
        rank = entry.names[0][1:]
        plural = f"`{prefix}.{entry.names[0][0]}{PLURALS[rank]}`" if rank in PLURALS else ""
        yield f"| {', '.join(f'`{prefix}.{n}`' for n in entry.names)} | {plural} | {kind.dtype} | ({shape}) |"
    untyped = ", ".join(f"`{prefix}.{name}`" for name in PLURALS.values())
    yield f"\nPlurals of the constructors whose dtype is floatX: {untyped}.\n"
    yield "```pycon\n>>> T.dmatrix('x').type\n<TensorType(float64, (?, ?))>"
    yield ">>> T.ivectors('a', 'b'), len(T.matrices(3))\n([a, b], 3)\n\n```\n"


def page_text(page: str) -> str:
    """Markdown of a page."""
    path, prefix = MODULES[page]
    module = importlib.import_module(path)
    found = entries(page)
    lines = [f"# {path}\n", (inspect.getdoc(module) or "").split("\n\n")[0] + "\n"]
    if page == "errors":
        lines.append("| error | is also | raised for |\n|---|---|---|")
        lines += [error_row(entry) for entry in found if isinstance(entry.thing, type)]
        return "\n".join(lines) + "\n"
    lines.append("```pycon\n>>> import numpy as np\n>>> import eqsat\n>>> import eqsat.tensor as T\n\n```\n")
    groups: dict[str, list[Entry]] = {}
    for entry in found:
        if not is_type(entry):
            groups.setdefault(entry.module, []).append(entry)
    for name in sorted(groups, key=title_of):
        lines.append(f"## {title_of(name)}\n")
        for entry in groups[name]:
            lines += rendered(entry, prefix)
    if any(map(is_type, found)):
        lines += type_table([e for e in found if is_type(e)], prefix)
    return "\n".join(lines).rstrip() + "\n"


def error_row(entry: Entry) -> str:
    """A line of the table of errors."""
    bases = [b.__name__ for b in entry.thing.__mro__[1:] if b.__module__ == "builtins" and b is not object]
    also = next((b for b in bases if b not in ("Exception", "BaseException")), "Exception")
    return f"| `{entry.names[0]}` | `{also}` | {(entry.doc.splitlines() or [''])[0]} |"


def missing_examples() -> list[str]:
    """Public names whose entry has no example."""
    return [
        f"{MODULES[page][1]}.{entry.names[0]} ({entry.module})"
        for page in MODULES
        if page != "errors"
        for entry in entries(page)
        if not is_type(entry) and not entry.example
    ]


def pages() -> dict[str, str]:
    """File name and text of every page."""
    return {f"{page}.md": page_text(page) for page in MODULES}


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"docs/reference/{name}: {text.count('### ')} entries")


if __name__ == "__main__":
    np.set_printoptions(legacy="1.25") if np.lib.NumpyVersion(np.__version__) < "2.0.0" else None
    main()
