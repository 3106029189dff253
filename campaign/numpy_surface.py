"""What NumPy and SciPy make of the calls of a program, where they have a function of the same name and take the operands."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.linalg
import scipy.special

from campaign.program import Step, run

# Functions that differ on purpose, with the reason; docs/types.md and docstrings say so.
DIFFERENT = {
    "argsort": "equal elements keep their order; NumPy's default does not say",
    "softmax": "over the last axis; SciPy's default is all",
    "log_softmax": "over the last axis; SciPy's default is all",
    "squeeze": "takes away axes whose length is 1 by type",
    "lu": "p_indices says what the first result is",
    "allclose": "an axis of length 1 by value does not broadcast",
    "mean": "of whole numbers is floating, whatever dtype is",
    "cov": "a matrix, although it has one element",
    "corrcoef": "a matrix, although it has one element",
    "round": "halves go away from zero, as in Theano",
    "kron": "a Python number takes the smallest dtype",
    "full": "a float that does not fit into an integer becomes the nearest that does",
    "percentile": "NumPy's differences of integers overflow",
    "quantile": "NumPy's differences of integers overflow",
    "j0": "SciPy's is NaN at infinity in float32",
    "j1": "SciPy's is NaN at infinity in float32",
    "lstsq": "residuals have one shape",
    "dsplit": "NumPy takes the length of a list for that of an axis",
    "hsplit": "NumPy takes the length of a list for that of an axis",
    "histogram": "the edges of bins are doubles; NumPy's are rounded to float32",
    "trapezoid": "bool are numbers; NumPy's sum of two is `or`",
    "interp": "NaN has no neighbours; NumPy looks at one point alone",
    "i0": "NumPy's is NaN at infinity",
    "polygamma": "orders that are no whole numbers are NaN in other places",
    "nansum": "NumPy casts what is summed, not the sum",
    "dot": "BLAS skips what is multiplied by zero, NaN too",
    "outer": "BLAS skips what is multiplied by zero, NaN too",
}
HALVES = "float16"


class MissingError(Exception):
    """NumPy has no such function."""


class Names:
    """``T`` for arrays: attributes are functions of NumPy, then of SciPy."""

    def __init__(self, *modules: Any) -> None:
        self._modules = modules

    def __getattr__(self, name: str) -> Any:
        if name == "linalg":
            return Names(np.linalg, scipy.linalg)
        for module in self._modules:
            if hasattr(module, name) and name not in DIFFERENT:
                return getattr(module, name)
        raise MissingError(name)


NAMES = Names(np, scipy.special)


def theirs_of(step: Step, values: Mapping[str, Any]) -> Any:
    """NumPy's result of a step; None where it has no such function or refuses."""
    if "T." not in step.text or "eqsat." in step.text:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            own = {name: value.copy() for name, value in values.items()}  # some of NumPy's write into them
            theirs = np.asarray(run(step.text, own, NAMES))
        except Exception:
            return None
    return theirs if theirs.dtype.kind in "biufc" and theirs.dtype != HALVES else None


def difference(ours: Any, theirs: Any) -> str | None:
    """The difference of a value from NumPy's, in words; None where there is none."""
    if ours.shape != theirs.shape:
        return f"shape {ours.shape}, NumPy {theirs.shape}"
    limit = 1e-4 if "32" in f"{ours.dtype}{theirs.dtype}" or ours.dtype == "complex64" else 1e-9
    with np.errstate(all="ignore"):
        scale = np.nanmax(np.abs(np.where(np.isfinite(theirs), theirs, 0)), initial=1.0)
        same = np.isclose(ours, theirs, rtol=limit, atol=limit * float(scale), equal_nan=True)
        if "c" in (
            ours.dtype.kind,
            theirs.dtype.kind,
        ):  # NaN or infinite: products of complex numbers are told apart by their order
            same |= ~np.isfinite(ours) & ~np.isfinite(theirs)
    return None if same.all() else f"{ours.dtype} {ours}, NumPy {theirs.dtype} {theirs}".replace("\n", "")
