"""The stubs are those of the code, and type checkers see with them: results, and names that do not exist."""

from __future__ import annotations

import re
import sys
from importlib import import_module, util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def generator() -> Any:
    spec = util.spec_from_file_location("make_stubs", ROOT / "docs" / "make_stubs.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["make_stubs"] = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = generator()


@pytest.mark.parametrize("path", make.MODULES)
def test_stubs_are_up_to_date(path: str) -> None:
    assert make.file_of(path).read_text(encoding="utf-8") == make.stub_of(path), "run `make docs`"


@pytest.mark.parametrize("path", make.MODULES)
def test_every_public_name_is_in_its_stub(path: str) -> None:
    text = make.file_of(path).read_text(encoding="utf-8")
    body = text[: text.index("__all__")]
    for name in import_module(path).__all__:
        assert re.search(rf"^(def|class) {name}\b|\bas {name}\b|^{name}:", body, re.M), name


def test_functions_of_tensors_give_tensors() -> None:
    text = make.file_of("eqsat.tensor").read_text(encoding="utf-8")
    unknown = re.findall(r"^def (\w+)\(.* -> Any: \.\.\.$", text, re.M)
    assert set(unknown) <= {"as_op", "wrap_py", "grad_not_implemented", "grad_undefined", "subgraph_grad"}
    assert "def split(" in text and "def exp(x: TensorLike) -> TensorVariable" in text


def test_an_example_that_fails_is_told() -> None:
    module = import_module("eqsat.tensor.reduction")

    def halves() -> int:
        """Half.

        >>> halves()
        2
        """
        return 1

    halves.__module__ = module.__name__
    with pytest.raises(
        ValueError, match=r"eqsat\.tensor\.reduction\.halves: an example of its docstring fails"
    ):
        make.observed(module, "halves", halves)


CODE = """
import eqsat, eqsat.tensor as T
from eqsat import optim
x = T.dmatrix("x")
w = eqsat.shared(1.0, "w")
reveal_type(T.exp(x).sum(axis=0) * w)
reveal_type(2 - x.T)
reveal_type(T.grad(x.sum(), [x]))
reveal_type(eqsat.grad(x.sum(), x))
reveal_type(eqsat.function([x], x + 1)([[1.0]]))
reveal_type(eqsat.function([x], [x], updates=optim.sgd(w, [w]))([[1.0]]))
reveal_type(T.nnet.softmax(x))
reveal_type(T.linalg.inv(x))
T.dvectr("x")
x.summ()
eqsat.functio([x], x)
eqsat.function([x], x, mod="numpy")
T.linalg.invers(x)
"""
REVEALED = [
    *["eqsat.tensor.TensorVariable"] * 2,
    "list[eqsat.tensor.TensorVariable]",
    "eqsat.tensor.TensorVariable",
    "numpy.ndarray[",
    "list[numpy.ndarray[",
    *["eqsat.tensor.TensorVariable"] * 2,
]
WRONG = ["dvectr", "summ", "functio", "mod", "invers"]


@pytest.mark.sweep
def test_a_type_checker_knows_results_and_misspelt_names(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api")
    (tmp_path / "user.py").write_text(CODE)
    said, _, _ = api.run(
        ["--config-file", str(ROOT / "pyproject.toml"), "--follow-imports=silent", str(tmp_path / "user.py")]
    )
    found = re.findall(r'note: Revealed type is "(.*)"', said)
    assert len(found) == len(REVEALED), said
    for one, wanted in zip((text.replace("builtins.", "") for text in found), REVEALED, strict=True):
        assert one.startswith(wanted), (one, wanted)
    errors = [line for line in said.splitlines() if ": error: " in line and "No overload" not in line]
    assert len(errors) == len(WRONG), said
    for line, name in zip(errors, WRONG, strict=True):
        assert name in line
