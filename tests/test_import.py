"""``import eqsat`` loads NumPy and eqsat: what takes long to load waits until it is needed."""

from __future__ import annotations

import subprocess
import sys

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
