"""``import eqsat`` loads NumPy and eqsat: what takes long to load waits until it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LATER = (
    "scipy",
    "egglog",
    "sympy",
    "mpmath",
    "eqsat.egraph",
    "eqsat.extract",
    "eqsat.cgen",
    "eqsat.rules",
    "eqsat.debug",
    "eqsat.inspect.comparison",
    "eqsat.inspect.drawing.",
    "http",
    "numpy.ma.",
)


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, eqsat, eqsat.tensor; print([n for n in sys.modules if n.startswith({LATER!r})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_building_and_differentiating_loads_nothing_heavy() -> None:
    code = (
        "import sys, eqsat, eqsat.tensor as T\nx = T.dmatrix('x')\n"
        "T.grad(T.nnet.softmax(T.dot(x, x.T)).sum(), x)\n"
        f"print([n for n in sys.modules if n.startswith({LATER[:7]!r})])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.c
def test_a_function_found_on_disk_loads_no_rules_and_prints_no_c(tmp_path: Path) -> None:
    code = (
        "import sys, eqsat, eqsat.tensor as T\nx = T.dvector('x')\nf = eqsat.function([x], T.exp(x))\n"
        "print(f([0.0]), [n for n in ('eqsat.rules.rule', 'eqsat.egraph', 'eqsat.cgen.c.source', 'numpy.ma') if n in sys.modules])"
    )
    flags = {**os.environ, "EQSAT_FLAGS": f"cache_dir={tmp_path / 'cache'}"}
    said = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=flags
        ).stdout
        for _ in range(2)
    ]
    assert said == ["[1.] ['eqsat.rules.rule', 'eqsat.egraph', 'eqsat.cgen.c.source']\n", "[1.] []\n"]


def test_modules_that_guides_name_are_there_without_an_import_of_their_own() -> None:
    code = """if True:
        import eqsat
        for name in ("compat.pytensor", "compat.theano", "conditions", "costs", "debug", "errors", "extract.cost", "extract.extractors",
                     "extract.generate", "extract.problem", "extract.serialize", "graph.declare", "modes", "profile",
                     "report", "verify"):
            module = eqsat
            for part in name.split("."):
                module = getattr(module, part)
            print(module.__name__)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        *(
            "eqsat.compat.pytensor",
            "eqsat.compat.theano",
            "eqsat.rules.conditions",
            "eqsat.costs",
            "eqsat.debug",
            "eqsat.errors",
        ),
        *(f"eqsat.extract.{name}" for name in ("cost", "extractors", "generate", "problem", "serialize")),
        *("eqsat.graph.declare", "eqsat.pipeline.modes", "eqsat.functions.profile", "eqsat.inspect.report"),
        "eqsat.verify",
    ]


@pytest.mark.c
def test_functions_load_of_scipy_only_what_they_call(tmp_path: Path) -> None:
    """The packages around its matrix routines and special functions take a quarter of a second each."""
    code = (
        "import sys, numpy as np, eqsat, eqsat.tensor as T\nX, v = T.dmatrix('X'), T.dvector('v')\n"
        "f = eqsat.function([X, v], [T.linalg.solve(X, X @ X), T.sigmoid(T.erf(v)), T.linalg.cholesky(X)])\n"
        "print(f(np.eye(2), [0.0])[1], [n for n in ('scipy.linalg', 'scipy.special') if n in sys.modules])\n"
        "import scipy.linalg.cython_blas as later\n"
        "from eqsat.cgen.runtime.scipy_modules import linalg_module\n"
        "print(linalg_module('cython_blas') is later, sys.modules['scipy.linalg'].cython_blas is later)"
    )
    flags = {**os.environ, "EQSAT_FLAGS": f"cache_dir={tmp_path / 'cache'}"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=flags)
    assert done.stdout.splitlines() == ["[0.5] []", "True True"]
