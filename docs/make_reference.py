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

from eqsat.base.configuration import FLAGS
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.tensor_type import TensorType
from eqsat.tensor.constructors import PLURALS
from eqsat.tensor.variable import _tensor_py_operators
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

FOLDER = Path(__file__).resolve().parent / "reference"
SETUP = ("import numpy as np", "import eqsat", "import eqsat.tensor as T")
PAGES = {  # page: what it is about, and the modules on it with the names that examples give them
    "eqsat": ("functions, variables, shared variables, ops, the optimiser", {"eqsat": "eqsat", "eqsat.inspect.report": "eqsat.inspect.report", "eqsat.functions.profile": "eqsat.functions.profile"}),
    "tensor": ("tensor functions, constructors, methods of tensors", {"eqsat.tensor": "T", "eqsat.tensor.basic": "T.basic", "eqsat.tensor.xlogx": "T.xlogx"}),
    "linalg": ("systems, factors, spectra, determinants", {"eqsat.tensor.linalg": "T.linalg"}),
    "nnet": ("activations, losses, convolution, normalisation", {"eqsat.tensor.nnet": "T.nnet", "eqsat.tensor.nnet.abstract_conv": "T.nnet.abstract_conv"}),
    "signal": ("pooling, convolution of single images", {"eqsat.tensor.signal.pool": "T.signal.pool", "eqsat.tensor.signal.downsample": "T.signal.downsample", "eqsat.tensor.signal.conv": "T.signal.conv"}),
    "random": ("random tensors", {"eqsat.tensor.random": "T.random"}),
    "gradient": ("gradients, products with Jacobians, checks", {"eqsat.gradient": "eqsat.gradient"}),
    "graph": ("walking, copying and changing graphs", {"eqsat.graph": "eqsat.graph"}),
    "scan": ("loops; the guide is [scan.md](../scan.md)", {"eqsat.scan": "eqsat.scan"}),
    "printing": ("graphs as text and pictures", {"eqsat.printing": "eqsat.printing"}),
    "modes": ("modes of compilation", {"eqsat.pipeline.modes": "eqsat.pipeline.modes"}),
    "debug": ("modes that look at every value", {"eqsat.debug": "eqsat.debug"}),
    "rules": ("rewrite rules and checks of them; the guide is [rules.md](../rules.md)", {"eqsat.rules": "eqsat.rules", "eqsat.rules.conditions": "eqsat.conditions", "eqsat.rules.rule": "eqsat.rules.rule", "eqsat.rules.pattern": "eqsat.rules.pattern", "eqsat.verify": "eqsat.verify"}),
    "costs": ("what things cost; the guide is [costs.md](../costs.md)", {"eqsat.costs": "eqsat.costs"}),
    "declare": ("declaring ops; the guide is [ops.md](../ops.md)", {"eqsat.graph.declare": "eqsat.graph.declare"}),
    "compat": (
        "`import theano` and `import pytensor`",
        {"eqsat.compat.theano": "eqsat.compat.theano", "eqsat.compat.pytensor": "eqsat.compat.pytensor"},
    ),
    "errors": ("what a mistake raises", {"eqsat.errors": "eqsat.errors"}),
}  # fmt: skip
SECTIONS = {  # page: its headings and the files whose names stand under them; other files go by their first sentence
    "eqsat": {
        "Functions": "function arguments updates shared configuration",
        "Graphs, types, ops": "core tensor_type user_op op_from_graph ifelse",
        "Loops": "views",
        "The optimiser": "optimise report",
        "Rules": "public metavars",
        "Times": "profile",
    },
    "tensor": {
        "Variables, constants, types": "constructors conversion constant core shared tensor_type variable scalars basic",
        "New tensors": "create creation",
        "Elementwise functions": "elemwise elementwise rounding special trigonometry complex xlogx",
        "Activation functions": "activation",
        "Reductions and statistics": "reduction statistics comparing",
        "Shapes and axes": "shape rearrange",
        "Joining, splitting, repeating, padding": "joining repeating padding",
        "Indices and masks": "subscript indexing mask",
        "Diagonals and triangles": "diagonals diagonal",
        "Products": "matmul linalg products einsum",
        "Sums and differences along an axis": "cumulative",
        "Sorting, searching, counting, sets": "sorting sets",
    },
    "nnet": {
        "Activations and losses": "losses",
        "Convolution": "convolution abstract_conv",
        "Normalisation": "normalisation",
        "Neighbourhoods of images": "neighbours",
    },
    "random": {"Streams": "stream", "Older spellings": "spellings"},
    "gradient": {"Gradients": "reverse forward derived", "Functions that change gradients": "modifiers"},
    "rules": {
        "Rules": "rule",
        "Conditions of written rules": "conditions",
        "Patterns": "pattern",
        "Checks": "promises proof",
    },
    "compat": {"Functions": "theano pytensor"},
}
ROOMS = {
    "eqsat.gradient": "gradient",
    "eqsat.printing": "printing",
    "eqsat.graph.tools": "graph",
    "eqsat.graph.fgraph": "graph",
}
PARTS = ("Shapes", "Units", "Errors", "Source")
MANY = {letter + name for letter in ["", *LETTERS] for name in PLURALS.values()}
OPERANDS = {
    "i": ("[1, 6]", "[2, 1]"),
    "?": ("[True, False]", "[True, True]"),
}  # of examples, by letter of a signature
HALVES, WIDE = "[-1.5, 0.5, 2.5]", "[-1000.0, 0.0, 1000.0]"
SAMPLES = {  # operands of examples where those by letter say little
    **dict.fromkeys(
        ("ceil", "floor", "trunc", "round_half_to_even", "round_half_away_from_zero", "abs", "neg"), (HALVES,)
    ),
    **dict.fromkeys(("sigmoid", "tanh"), (WIDE,)),
    **dict.fromkeys(("isnan", "isinf", "isfinite"), ('[1.0, float("nan"), float("inf")]',)),
    **dict.fromkeys(
        ("mod", "fmod", "floordiv"),
        (
            "[7, -7]",
            "3",
        ),
    ),
    **dict.fromkeys(
        ("maximum", "minimum"),
        (
            "[1, 5]",
            "[4, 2]",
        ),
    ),
    "sign": ["[-2.0, 0.0, 3.0]"],
    "softplus": ["[-1000.0, 0.0, 2.0]"],
    "signbit": ["[-0.0, 0.0]"],
    "sqrt": ["[4.0, 9.0]"],
    "cbrt": ["[-8.0, 27.0]"],
    "log": ["[0.0, 1.0, 10.0]"],
    "log2": ["[0.0, 1.0, 8.0]"],
    "log10": ["[0.0, 1.0, 1000.0]"],
    "log1mexp": ["[-1.0, -1e-10]"],
    "log_erfc": ["[-1.0, 1e-10, 100.0]"],
    "exp_over_erfc": ["[-1.0, 0.0, 100.0]"],
    "log_ndtr": ["[-100.0, 0.0, 10.0]"],
    "log_cosh": ["[1e-5, 1000.0]"],
    "logaddexp": ["[0.0, 1000.0]", "[0.0, 1000.0]"],
    "arccosh": ["[1.0, 2.0]"],
    "gamma": ["[0.5, 5.0]"],
    "gammaln": ["[5.0, 1000.0]"],
    "polygamma": ["[1.0, 2.0]", "[0.5, 2.0]"],
    "clip": ["[-3, 1, 9]", "0", "5"],
    "copysign": ["[1.0, 2.0]", "[-0.0, 3.0]"],
    "hypot": ["[3.0, 5.0]", "[4.0, 12.0]"],
    "switch": ["[True, False]", "[1, 2]", "[10, 20]"],
    "fill": ["[1, 2]", "7"],
    "pow": ["[2.0, 3.0]", "[10, -1]"],
    "xlogy": ["[0.0, 2.0]", "[0.0, 1.0]"],
}


@dataclass
class Entry:
    """One public object: its names on the page, best first, and its docstring with what the declaration adds."""

    names: list[str]
    thing: Any
    doc: str
    page: str
    anchor: str = ""

    @property
    def parts(self) -> tuple[str, str]:
        """The docstring up to its examples, and the examples."""
        at = re.search(r"^>>> ", self.doc, re.M)
        return (
            (self.doc[: at.start()].strip(), self.doc[at.start() :].rstrip())
            if at
            else (self.doc.strip(), "")
        )

    @property
    def sentence(self) -> str:
        """The first sentence of the docstring."""
        text = " ".join(self.parts[0].partition("\n\n")[0].split())
        return plain(re.split(r"(?<=\w[\w`)])\. (?=[A-Z])", text)[0].rstrip("."))


def plain(text: str) -> str:
    """Docstring text as Markdown."""
    return text.replace("``", "`")


# ------------------------------------------------------------------------------------------------- docstrings


def declaration_of(thing: Any) -> Declaration | None:
    """What an op declares, or the op of a comparison, which has its docstring."""
    if isinstance(thing, DeclaredOp):
        return thing.declaration
    op = OPS.get(getattr(thing, "__name__", ""))
    return op if op is not None and op.doc == thing.__doc__ else None


def doc_of(thing: Any, call: str) -> str:
    """Docstring of an object; that of an elementwise op gets shapes, errors and an example from its declaration."""
    op = declaration_of(thing)
    if op is None:
        return inspect.getdoc(thing) or ""
    doc = inspect.cleandoc(op.doc)
    if op.kind != "elemwise":
        return doc
    prose, mark, example = doc.partition("\n>>> ")
    if not re.search(r"^Shapes ", prose, re.M):
        prose = f"{prose.rstrip()}\n\n{elementwise_types(op)}\n"
    return f"{prose}{mark}{example}" if mark else f"{prose.rstrip()}\n\n{elementwise_example(op, call)}"


def elementwise_types(op: Declaration) -> str:
    """Shapes and errors that follow from the signature of an elementwise op."""
    letters, _, out = op.signature.partition("->")
    names = op.tensors
    dtype = {"?": "bool", "f": "f", "c": "f"}.get(out, "")
    lines = [f"Shapes   {', '.join(names)}: [...] -> {dtype}[...], elementwise"]
    errors = ["ShapeError where known lengths differ"] if len(names) > 1 else []
    if set(letters.split(",")) == {"i"}:
        errors.append("DTypeError for an operand that is neither integer nor bool")
    elif "complex" not in (op.c if isinstance(op.c, dict) else ()) and "c" not in letters:
        errors.append("DTypeError for complex numbers")
    return "\n".join(lines + (["Errors   " + "; ".join(errors)] if errors else []))


def elementwise_example(op: Declaration, call: str) -> str:
    """An example with its value, computed by the meaning of the op."""
    letters = op.signature.partition("->")[0].split(",")
    texts = [OPERANDS.get(k, ("[0.25, 0.5]", "[0.5, 0.125]"))[min(i, 1)] for i, k in enumerate(letters)]
    texts = SAMPLES.get(
        op.name, ["[1, 2, 3]", "2"] if op.signature.endswith("?") and len(texts) == 2 else texts
    )
    names: dict[str, Any] = {}
    exec("; ".join(SETUP), names)
    result = eval(f"{call}({', '.join(texts)}).eval(mode='reference')", names)
    rounded = ".round(6)" if result.dtype.kind in "fc" else ""
    return f">>> {call}({', '.join(texts)}).eval(){rounded}\n{eval('result' + rounded)!r}"


# ---------------------------------------------------------------------------------------------------- entries


def public_names(module: ModuleType) -> list[str]:
    """The names that a module offers, without modules."""
    return [n for n in module.__all__ if not isinstance(getattr(module, n), ModuleType)]


def own_name(thing: Any) -> str:
    """The name under which an object was defined."""
    return str(getattr(thing, "__name__", None) or getattr(thing, "name", None) or "").rstrip("_")


def everything() -> dict[str, dict[int, Entry]]:
    """The things of every page by identity, each with all its names there."""
    found: dict[str, dict[int, Entry]] = {}
    for page, (_, modules) in PAGES.items():
        here = found[page] = {}
        for path, prefix in modules.items():
            module = importlib.import_module(path)
            for name in sorted(public_names(module), key=str.lower):
                thing = getattr(module, name)
                here.setdefault(id(thing), Entry([], thing, "", page)).names.append(f"{prefix}.{name}")
    homes: dict[int, str] = {}
    for page, things in found.items():
        for key, entry in things.items():
            own = own_name(entry.thing)
            entry.names.sort(key=lambda n: (n.rpartition(".")[2].rstrip("_") != own, n.count("."), n))
            error = isinstance(entry.thing, type) and issubclass(entry.thing, (Exception, Warning))
            entry.page = homes.setdefault(key, "errors" if error else home_of(entry.thing, page))
            entry.doc = doc_of(entry.thing, entry.names[0])
    for page, things in found.items():
        slugs: list[str] = []  # links to the headings, as GitHub makes them: a second equal one gets a number
        for entry in listed(things, page):
            slugs.append(re.sub(r"[^\w-]", "", entry.names[0].lower()))
            entry.anchor = f"#{slugs[-1]}" + (
                f"-{slugs.count(slugs[-1]) - 1}" if slugs[-1] in slugs[:-1] else ""
            )
    return found


def listed(things: dict[int, Entry], page: str) -> list[Entry]:
    """The entries that stand on a page, by name."""
    return sorted(
        (e for e in things.values() if e.page == page), key=lambda e: (e.names[0].lower(), e.names[0])
    )


def home_of(thing: Any, page: str) -> str:
    """The page that explains a thing: that of its room, or the first that offers it."""
    module = str(getattr(thing, "__module__", ""))
    return next((room for path, room in ROOMS.items() if module.startswith(path)), page)


ALL = everything()


def entries(page: str) -> list[Entry]:
    """The entries that stand on a page."""
    if page == "errors":
        errors = [e for things in ALL.values() for e in things.values() if e.page == page]
        return sorted({id(e.thing): e for e in errors}.values(), key=lambda e: e.names[0])
    return listed(ALL[page], page)


def in_table(entry: Entry) -> bool:
    """True for typed constructors and plurals, which share a table, and for the mix-in, which is a table itself."""
    last = entry.names[0].rpartition(".")[2]
    return isinstance(entry.thing, TensorType) or last in MANY or entry.thing is _tensor_py_operators


def module_doc(path: str) -> str:
    """The text at the top of a module's file; a module that can be called shows that of its function instead."""
    file = Path(str(importlib.import_module(path).__file__))
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""


def section_of(entry: Entry) -> str:
    """The heading under which an entry stands."""
    op = declaration_of(entry.thing)
    path = op.meaning.__module__ if op else getattr(entry.thing, "__module__", type(entry.thing).__module__)
    for title, files in SECTIONS.get(entry.page, {}).items():
        if path.rpartition(".")[2] in files.split():
            return title
    doc = module_doc(path) or path
    return plain(re.split(r"[:;.] |[:;.]$", " ".join(doc.partition("\n\n")[0].split()))[0])


# ---------------------------------------------------------------------------------------------------- Markdown


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
        imported = re.search(rf"\bimport [^\n;]*\b{last}\b", example)
        if not imported and not hasattr(builtins, last) and last in example:
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
    lines += [*(flag_table() if page == "eqsat" else ()), *elsewhere(page)]
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
