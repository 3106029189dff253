"""The fast way from Python into C is there, checked by what it relies on; where it is not, one warning says why."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.notices import forget_warnings
from eqsat.cgen.runtime import layout
from eqsat.errors import EqsatWarning


@pytest.fixture
def fresh() -> Iterator[None]:
    """Nothing is known of this interpreter, and nothing was said."""
    layout.table.cache_clear()
    forget_warnings()
    yield
    layout.table.cache_clear()
    forget_warnings()


@pytest.mark.parametrize("reason", sorted(layout.CHECKS))
def test_every_check_holds(reason: str) -> None:
    assert all(layout.CHECKS[reason]() for _ in range(20))


def test_a_new_process_takes_the_fast_way_without_a_word() -> None:
    code = (
        "import eqsat, eqsat.tensor as T; from eqsat.cgen.runtime import layout\n"
        "x = T.dvector('x'); f = eqsat.function([x], x + 1, mode='FAST_COMPILE'); assert layout.table() is not None\n"
        "assert type(f.executable.call).__name__ == 'builtin_function_or_method'"
    )
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], check=True)


@pytest.mark.parametrize("reason", [*sorted(layout.CHECKS), "processor", "implementation", "lock"])
def test_what_fails_is_said_once(reason: str, fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason in layout.CHECKS:
        monkeypatch.setitem(layout.CHECKS, reason, lambda: False)
        said = reason
    elif reason == "processor":
        monkeypatch.setattr(sys, "byteorder", "big")
        said = "not a little-endian one"
    elif reason == "implementation":
        monkeypatch.setattr("platform.python_implementation", lambda: "PyPy")
        said = "PyPy has other objects"
    else:
        monkeypatch.setattr("sys.abiflags", "t")
        said = "no global lock"
    x = T.dvector("x")
    with pytest.warns(EqsatWarning, match=said) as seen:
        f = eqsat.function([x], x * 2 + 1, mode="FAST_COMPILE")
    assert len(seen) == 1 and f"NumPy {np.__version__}" in str(seen[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(f([1.0, 2.0]), [3.0, 5.0])
        g = eqsat.function([x], x * 3 - 1, mode="FAST_COMPILE")
        np.testing.assert_array_equal(g([1.0, 2.0]), [2.0, 5.0])


def test_a_check_that_cannot_run_is_a_reason(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> bool:
        raise AttributeError("no capsule")

    monkeypatch.setitem(layout.CHECKS, next(iter(layout.CHECKS)), broken)
    assert layout.refusal() == "a check failed (no capsule)"
