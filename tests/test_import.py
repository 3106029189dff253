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
