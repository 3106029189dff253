"""The pages of docs/reference are those of the code, and every public name says what it is and has an example."""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from eqsat import compat
from eqsat.graph.declare import forget_op, structural

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ("tensor", "linalg", "fft", "nnet", "signal")  # pages whose functions take tensors
NO_SHAPES = {
    "T.mgrid",
    "T.ogrid",
    "T.scalar_from_tensor",
    "T.tensor_from_scalar",
}  # a grid is written as slices


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["make_reference"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = generator()
TEXTS = make.pages()
MODULES = [path for _, modules in make.PAGES.values() for path in modules]
ENTRIES = [e for page in make.PAGES for e in make.entries(page) if page != "errors" and not make.in_table(e)]


def test_every_public_name_has_an_example() -> None:
    assert make.missing_examples() == []


@pytest.mark.parametrize("name", TEXTS)
def test_pages_are_up_to_date(name: str) -> None:
    assert (make.FOLDER / name).read_text(encoding="utf-8") == TEXTS[name], "run `make docs`"


def test_no_other_pages_lie_there() -> None:
    assert {path.name for path in make.FOLDER.iterdir()} == set(TEXTS)


def test_every_entry_says_what_it_is() -> None:
    for entry in ENTRIES:
        first = entry.parts[0].partition("\n")[0]
        assert re.match(r".{6,}[.:)]$|.{60,}", first) and not first.startswith(make.PARTS), entry.names


def test_every_function_of_tensors_says_shapes_or_errors() -> None:
    silent = [
        e.names[0]
        for e in ENTRIES
        if e.page in FUNCTIONS
        and not isinstance(e.thing, type)
        and not re.search(r"^(Shapes|Errors) ", e.doc, re.M)
        and "New variable of shape" not in e.doc
    ]
    assert set(silent) <= NO_SHAPES


def test_lengths_that_follow_from_a_signature_are_shown() -> None:
    op = structural("block", signature="(n,k),(k)->(n)", name="shown_rows")(lambda x, w: x @ w)
    try:
        assert "Shapes   x: (n,k), w: (k) -> (n)" in sys.modules["reference_entries"].doc_of(
            op, "T.shown_rows"
        )
    finally:
        forget_op("shown_rows")


def test_every_compat_file_is_offered_and_has_entries() -> None:
    files = {path.stem for path in Path(str(compat.__file__)).parent.glob("[!_]*.py")}
    assert files == {*compat.__all__}, "a file of eqsat/compat/ stands in its __all__"
    assert {f"eqsat.compat.{name}" for name in files} == {*make.PAGES["compat"][1]}


def test_errors_that_are_named_exist() -> None:
    known = {e.names[0].rpartition(".")[2] for e in make.entries("errors")} | set(vars(builtins))
    for entry in ENTRIES:
        for line in re.findall(r"^Errors .*(?:\n    .*)*", entry.doc, re.M):
            assert set(re.findall(r"\b[A-Za-z]+Error\b", line)) <= known, entry.names


def test_a_thing_has_one_entry() -> None:
    seen = [id(e.thing) for e in ENTRIES]
    assert len(seen) == len(set(seen))
    headings = [line for text in TEXTS.values() for line in text.splitlines() if line.startswith("### ")]
    assert len(headings) == len(set(headings))


def anchors(text: str) -> set[str]:
    """Links to the headings of a page, as GitHub makes them."""
    slugs: list[str] = []
    found = set()
    for heading in re.findall(r"^##+ (.*)$", text, re.M):
        slug = re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))
        found.add(f"#{slug}-{slugs.count(slug)}" if slug in slugs else f"#{slug}")
        slugs.append(slug)
    return found


def test_links_between_pages_lead_somewhere() -> None:
    known = {name: anchors(text) for name, text in TEXTS.items()}
    for name, text in TEXTS.items():
        for target, anchor in re.findall(r"\]\((\w+\.md)?(#[\w-]+)?\)", text):
            assert (target or name) in TEXTS
            assert not anchor or anchor in known[target or name], f"{name}: {target}{anchor}"


def test_entries_of_a_page_have_links_of_their_own() -> None:
    for page in make.PAGES:
        links = [entry.anchor for entry in make.entries(page)]
        assert page == "errors" or len(links) == len(set(links))


@pytest.mark.parametrize("path", MODULES)
def test_no_public_name_is_a_stray(path: str) -> None:
    module = importlib.import_module(path)
    offered = module.__all__
    assert len(offered) == len(set(offered))
    foreign = {"typing", "__future__", "collections.abc", "dataclasses", "numpy", "contextlib"}
    for name in offered:
        thing = getattr(module, name)
        assert not name.startswith("_") or name == "_tensor_py_operators", name
        assert getattr(thing, "__module__", "") not in foreign, name
        assert not isinstance(thing, ModuleType) or thing.__name__.startswith("eqsat."), name


@pytest.mark.parametrize("path", MODULES)
def test_a_public_function_is_offered_or_has_an_underscore(path: str) -> None:
    if path in (
        "eqsat.report",
        "eqsat.profile",
        "eqsat.rules.rule",
        "eqsat.rules.pattern",
        "eqsat.graph.declare",
        "eqsat.extract.cost",
    ):
        return  # files that the rooms of the compiler use too
    module = importlib.import_module(path)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    own = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name[0] != "_"}
    assert own - set(module.__all__) <= {"describe", "raised_text", "Alias"}


@pytest.mark.parametrize(
    "path", sorted({"eqsat.tensor", "eqsat.graph", "eqsat", "eqsat.tensor.nnet", *MODULES})
)
def test_import_star(path: str) -> None:
    names: dict[str, Any] = {}
    exec(f"from {path} import *", names)
    assert set(importlib.import_module(path).__all__) <= set(names)


def test_old_names_are_still_offered() -> None:
    import eqsat.tensor as T

    expected = """dot tensordot batched_dot grad Rop Lop jacobian hessian shared as_tensor_variable cast constant
        alloc switch where eq neq set_subtensor inc_subtensor nnet signal nlinalg slinalg max_and_argmax
        TensorType TensorVariable Variable Op Apply dscalar dmatrices lvector fmatrix sqr inv argmax sort"""
    assert set(expected.split()) <= set(T.__all__)


def test_bridges_to_libraries_that_may_be_missing_are_read_from_their_text() -> None:
    text = TEXTS["bridges.md"]
    for name in (
        "pytensor.eqsat_mode",
        "pytensor.nutpie_model",
        "pytensor.from_pytensor",
        "jax.from_jax",
        "torch.from_torch",
        "onnx.from_onnx",
    ):
        assert f"### `eqsat.bridges.{name}`" in text
    assert "`eqsat.bridges.pytensor.eqsat_mode(include=('fast_run',), **options)`" in text
    assert "eqsat.bridges.rules.import_rules" not in text, "it has an entry"
