"""Models as C libraries and pages, by the command."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eqsat.cli import main
from eqsat.cli.compile import of_onnx, of_python
from eqsat.errors import ArgumentError

PROGRAM = """
import eqsat, eqsat.tensor as T

x = T.TensorType("float64", shape=(3,))("x")
double = eqsat.function([x], 2 * x)
plain = eqsat.function([x], T.exp(x), mode="reference")
number = 3
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A Python file that makes functions."""
    path = tmp_path / "made.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return str(path)


def onnx_file(folder: Path, text: str) -> str:
    """A file of ONNX from its text."""
    onnx = pytest.importorskip("onnx")
    made = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> agraph {text}')
    onnx.save(made, folder / "my-model.onnx")
    return str(folder / "my-model.onnx")


@pytest.mark.c
def test_a_function_of_a_file_becomes_a_library_and_a_page(program: str, tmp_path: Path, capsys: Any) -> None:
    folder, page = tmp_path / "lib", tmp_path / "page.html"
    assert main(["compile", f"{program}:double", "-o", str(folder), "--report", str(page)]) == 0
    line, *files = capsys.readouterr().out.splitlines()
    assert line.startswith("double_0: ")  # double is no name of C
    assert files == [str(folder / f) for f in ("double_0.h", "double_0.c", "double_0_kernels.c", "Makefile")]
    assert page.read_text(encoding="utf-8").startswith("<!") and all(Path(f).is_file() for f in files)
    if shutil.which("make") and shutil.which("cc"):
        subprocess.run(["make", "-s", "-C", str(folder)], check=True, capture_output=True)


def test_what_is_no_model_is_refused(program: str, tmp_path: Path, capsys: Any) -> None:
    text = {
        f"{program}:number": "is int\n  needs  a function that eqsat.function gave",
        f"{program}:duoble": "is not there\n  needs  one of double, plain\n  try    double",
        f"{program}": "is no model\n  needs  a file .onnx, or FILE.py:NAME",
        f"{tmp_path / 'no.onnx'}": "there is no file",
        "no_such_module:f": "cannot import no_such_module",
    }
    for model, said in text.items():
        assert main(["compile", model]) == 2
        assert said.partition("\n")[0] in capsys.readouterr().err
    with pytest.raises(ArgumentError, match=r"try +double"):
        of_python(program, "duoble")
    assert main(["compile", f"{program}:double", "--mode", "reference"]) == 2
    assert main(["compile", f"{program}:plain", "--report", str(tmp_path / "page.html")]) == 2


def test_a_model_of_onnx_becomes_a_library(tmp_path: Path, capsys: Any) -> None:
    model = onnx_file(tmp_path, "(float[3] x, float[3] y) => (float[3] z) { a = Exp(x) z = Add(a, y) }")
    assert main(["compile", model, "-o", str(tmp_path / "lib"), "--name", "net"]) == 0
    assert "int net(const float *x, const float *y, float *z)" in (tmp_path / "lib" / "net.h").read_text()
    assert capsys.readouterr().out.startswith("net: 2 -> 2 ops")
    x = np.ones(3, "float32")
    np.testing.assert_allclose(of_onnx(model, "reference")(x, x)[0], np.exp(x) + x, rtol=1e-6)


def test_an_op_that_cannot_be_said_is_named_with_its_node(tmp_path: Path, capsys: Any) -> None:
    model = onnx_file(tmp_path, "(float[3] x) => (float[n] z) { a = Exp(x) [one] z = Unique(a) }")
    assert main(["compile", model]) == 2
    assert capsys.readouterr().err.startswith("eqsat: Unique (one): it has no entry")
