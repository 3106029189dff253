"""The suites: how eqsat takes the place of a library's own compiler, and which of its tests say something of eqsat."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable

from eqsat.base.values import dataclass


@dataclass(frozen=True)
class Suite:
    """A suite of another library: the package that is tested, folders of tests in its checkout, and those that are about its own insides."""

    package: str
    tests: tuple[str, ...]
    left_out: tuple[str, ...]
    enter: Callable[[], None]

    def version(self) -> str:
        """The version of the package without its last number; empty where it is not installed."""
        if importlib.util.find_spec(self.package) is None:
            return ""
        return ".".join(importlib.metadata.version(self.package).split(".")[:2])


def _as_default_mode() -> None:
    """Functions of PyTensor that name no mode are compiled by eqsat."""
    import pytensor

    from eqsat.bridges.pytensor import eqsat_mode

    pytensor.config.mode = eqsat_mode()


SUITES = {
    "pytensor": Suite(
        "pytensor",
        ("tests/tensor", "tests/scan"),
        # rewrites, texts and C of PyTensor; draws, which are NumPy's
        (
            "tests/tensor/rewriting",
            "tests/tensor/linalg/test_rewriting.py",
            "tests/tensor/random",
            "tests/tensor/test_blas.py",
            "tests/tensor/test_blas_c.py",
            "tests/tensor/test_gc.py",
            "tests/tensor/test_merge.py",
            "tests/tensor/test_optimize.py",
            "tests/scan/test_rewriting.py",
            "tests/scan/test_printing.py",
        ),
        _as_default_mode,
    ),
    # samples and tests that are in the packages themselves: the checkout is the folder of this file
    "torch": Suite("torch", ("torch_operators.py",), (), lambda: None),
    "jax": Suite("jax", ("jax_harnesses.py",), (), lambda: None),
    "onnx": Suite("onnx", ("onnx_nodes.py",), (), lambda: None),
}
