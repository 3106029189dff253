"""The entries of docs/reference: public names by page, with their docstrings and what declarations of ops add."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from eqsat import compat
from eqsat.graph.declare import OPS, Declaration, DeclaredOp
from eqsat.graph.declared_op import documented
from eqsat.graph.tensor_type import TensorType
from eqsat.lengths.signature import broadcast
from eqsat.tensor.constructors import LETTERS, PLURALS
from eqsat.tensor.variable import _tensor_py_operators

SETUP = ("import numpy as np", "import eqsat", "import eqsat.tensor as T")
PAGES = {  # page: what it is about, and the modules on it with the names that examples give them
    "eqsat": ("functions, variables, shared variables, ops, the optimiser", {"eqsat": "eqsat", "eqsat.report": "eqsat.report", "eqsat.profile": "eqsat.profile"}),
    "tensor": ("tensor functions, constructors, methods of tensors", {"eqsat.tensor": "T", "eqsat.tensor.basic": "T.basic", "eqsat.tensor.xlogx": "T.xlogx"}),
    "linalg": ("systems, factors, spectra, determinants", {"eqsat.tensor.linalg": "T.linalg"}),
    "fft": ("Fourier transforms", {"eqsat.tensor.fft": "T.fft"}),
    "nnet": ("activations, losses, convolution, normalisation", {"eqsat.tensor.nnet": "T.nnet", "eqsat.tensor.nnet.abstract_conv": "T.nnet.abstract_conv"}),
    "signal": ("pooling, convolution of single images", {"eqsat.tensor.signal.pool": "T.signal.pool", "eqsat.tensor.signal.downsample": "T.signal.downsample", "eqsat.tensor.signal.conv": "T.signal.conv"}),
    "random": ("random tensors", {"eqsat.tensor.random": "T.random"}),
    "gradient": ("gradients, products with Jacobians, checks", {"eqsat.gradient": "eqsat.gradient"}),
    "optim": ("optimisers, schedules, initial values", {"eqsat.optim": "eqsat.optim"}),
    "graph": ("walking, copying and changing graphs", {"eqsat.graph": "eqsat.graph"}),
    "scan": ("loops; the guide is [scan.md](../scan.md)", {"eqsat.scan": "eqsat.scan"}),
    "printing": ("graphs as text and pictures", {"eqsat.printing": "eqsat.printing"}),
    "modes": ("modes of compilation", {"eqsat.modes": "eqsat.modes"}),
    "export": ("C libraries of functions; the guide is [export.md](../export.md)", {"eqsat.export": "eqsat.export"}),
    "debug": ("modes that look at every value", {"eqsat.debug": "eqsat.debug"}),
    "rules": ("rewrite rules and checks of them; the guide is [rules.md](../rules.md)", {"eqsat.rules": "eqsat.rules", "eqsat.rules.conditions": "eqsat.conditions", "eqsat.rules.rule": "eqsat.rules.rule", "eqsat.rules.pattern": "eqsat.rules.pattern", "eqsat.verify": "eqsat.verify", "eqsat.research": "eqsat.research"}),
    "rounding": ("errors in bits; the guide is [accuracy.md](../accuracy.md)", {"eqsat.rounding": "eqsat.rounding"}),
    "costs": ("what things cost; the guide is [costs.md](../costs.md)", {"eqsat.costs": "eqsat.costs"}),
    "declare": ("declaring ops; the guide is [ops.md](../ops.md)", {"eqsat.graph.declare": "eqsat.graph.declare"}),
    "bridges": ("expressions of SymPy; graphs of JAX, ONNX, PyTensor and PyTorch; the guide is [bridges.md](../bridges.md)", {"eqsat.bridges.sympy": "eqsat.bridges.sympy"}),
    "compat": (
        " and ".join(f"`import {name}`" for name in compat.__all__),
        {f"{compat.__name__}.{name}": f"{compat.__name__}.{name}" for name in compat.__all__},
    ),
    "errors": ("what a mistake raises", {"eqsat.errors": "eqsat.errors"}),
}  # fmt: skip
SECTIONS = {  # page: its headings and the files whose names stand under them; other files go by their first sentence
    "eqsat": {
        "Functions": "function arguments updates shared configuration",
        "Graphs, types, ops": "core tensor_type user_op op_from_graph ifelse",
        "Loops": "views",
        "The optimiser": "optimise report",
        "Plain NumPy code": "jitted gradients",
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
    "optim": {
        "Optimisers": "optimisers",
        "Clipping": "clipping",
        "Schedules": "schedules",
        "Initial values": "initialisers",
    },
    "gradient": {"Gradients": "reverse forward derived", "Functions that change gradients": "modifiers"},
    "rules": {
        "Rules": "rule",
        "Conditions of written rules": "conditions",
        "Patterns": "pattern",
        "Checks": "promises proof",
    },
    "bridges": {"Expressions": "expressions graphs compiled"},
    "compat": {"Functions": " ".join(compat.__all__)},
}
ROOMS = {
    "eqsat.bridges.sympy": "bridges",
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
    "ndtri_exp": ("[-1.0, -800.0]",),
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
    """Declaration of an op, or of the op of a comparison, which has its docstring."""
    if isinstance(thing, DeclaredOp):
        return thing.declaration
    op = OPS.get(getattr(thing, "__name__", ""))
    return op if op is not None and op.doc == thing.__doc__ else None


def doc_of(thing: Any, call: str) -> str:
    """Docstring of an object; that of an op of elements gets shapes, errors and an example from its declaration."""
    op = declaration_of(thing)
    if op is None:
        return inspect.getdoc(thing) or ""
    doc = inspect.cleandoc(op.doc)
    if not works_on_elements(op):
        return inspect.cleandoc(documented(op))
    prose, mark, example = doc.partition("\n>>> ")
    if not re.search(r"^Shapes ", prose, re.M):
        prose = f"{prose.rstrip()}\n\n{elementwise_types(op)}\n"
    return f"{prose}{mark}{example}" if mark else f"{prose.rstrip()}\n\n{elementwise_example(op, call)}"


def works_on_elements(op: Declaration) -> bool:
    """True for an elementwise op, and for one of a library whose operands broadcast as those of an elementwise op do."""
    return op.kind == "elemwise" or (op.shapes == broadcast(len(op.tensors)) and not op.parameters)


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
    """The names that a module offers, without modules and names of types."""
    return [n for n in module.__all__ if not isinstance(getattr(module, n), (ModuleType, str))]


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
