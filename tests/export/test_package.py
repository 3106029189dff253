"""Exported Python projects: the package loads without eqsat; a wheel is built and runs where NumPy is alone."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError

PROGRAM = """
import sys
sys.meta_path.insert(0, type("No", (), {"find_spec": staticmethod(lambda name, *_: (_ for _ in ()).throw(ImportError(name)) if name.partition(".")[0] in {"eqsat", "scipy", "cffi", "_cffi_backend"} else None)}))
import numpy as np
import net
state = net.init()
for _ in range(3):
    made = net.step(state, np.arange(4.0))
import copy, pickle
again = pickle.loads(pickle.dumps(state))
state["w"] = np.zeros(4)
assert copy.deepcopy(state)["w"].tolist() == [0.0] * 4
assert net.step(state=again, x=np.arange(4.0)).shape == (4,) and again["w"].any()
state["w"] = again["w"] - np.sin(np.arange(4.0))
print(made.tobytes().hex(), state["w"].tobytes().hex())
"""


def trained() -> tuple[Any, Any]:
    x, w = T.dvector("x"), eqsat.shared(np.ones(4), "w")
    return eqsat.function([x], T.exp(x) * w, updates=[(w, w + T.sin(x))]), w


def test_a_project_has_all_it_needs(tmp_path: Path) -> None:
    files = trained()[0].export(tmp_path, "net", python="cffi")
    assert {"net.h", "setup.py", "pyproject.toml", "net_build.py", "net/__init__.py", "net/front.py"} <= {
        *files
    }
    project = (tmp_path / "pyproject.toml").read_text()
    assert 'dependencies = ["numpy>=1.23"]' in project
    for file in files:
        if file.endswith(".py"):
            text = (tmp_path / file).read_text()
            compile(text, file, "exec")
            assert "import eqsat" not in text and "march=native" not in text


def test_factorisations_need_scipy(tmp_path: Path) -> None:
    x = T.dmatrix("x")
    eqsat.function([x], T.linalg.cholesky(x)).export(tmp_path, "factor", python="cffi")
    assert 'dependencies = ["numpy>=1.23", "scipy>=1.9"]' in (tmp_path / "pyproject.toml").read_text()


def test_a_processor_that_is_asked_for_is_the_only_one(tmp_path: Path) -> None:
    files = trained()[0].export(tmp_path, "net", target="x86-64-v2", python="cffi")
    assert not [file for file in files if "_v3" in file]
    assert "-march=x86-64-v2" in (tmp_path / "net_build.py").read_text()


def test_other_ways_to_python_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="python does not take 'cfi'"):
        trained()[0].export(tmp_path, "net", python="cfi")


@pytest.mark.sweep
def test_a_wheel_runs_with_numpy_alone(tmp_path: Path) -> None:
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("needs setuptools")
    f, w = trained()
    f.export(tmp_path / "project", "net", python="cffi")
    build = [sys.executable, "setup.py", "-q", "build", "--build-lib", str(tmp_path / "lib")]
    subprocess.run(build, cwd=tmp_path / "project", check=True, capture_output=True)
    made = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path / "lib", capture_output=True, text=True, check=False
    )
    assert (made.returncode, made.stderr) == (0, "")
    for _ in range(3):
        wanted = f(np.arange(4.0))
    values, state = (np.frombuffer(bytes.fromhex(word)) for word in made.stdout.split())
    np.testing.assert_allclose(values, wanted, rtol=1e-15)
    np.testing.assert_allclose(state, w.get_value(), rtol=1e-14)
