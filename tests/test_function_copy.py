"""Functions copied and pickled, in this process and in a fresh one."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError
from eqsat.functions.arguments import In

x = T.dvector("x")


def counting(mode: Any = None) -> tuple[Any, Any]:
    """A function that adds x to a shared sum, and the sum."""
    total = eqsat.shared(np.zeros(2), "total")
    step = In(T.dscalar("step"), value=1.0)
    f = eqsat.function(
        [x, step], total * 1, updates=[(total, total + x * step.variable)], mode=mode, name="f"
    )
    return f, total


def test_a_pickled_function_goes_on_alone(mode: str) -> None:
    f, total = counting(mode)
    f([1.0, 2.0])
    for g in (pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
        assert g([1.0, 1.0], step=3.0).tolist() == [1, 2] and g([0.0, 0.0]).tolist() == [4, 5]
        assert total.get_value().tolist() == [1, 2] and str(g) == "f" and g.mode == f.mode


def test_what_is_pickled_with_a_function_stays_its_own() -> None:
    f, total = counting("reference")
    g, other = pickle.loads(pickle.dumps((f, total)))
    g([5.0, 6.0])
    assert other.get_value().tolist() == [5, 6] and total.get_value().tolist() == [0, 0]
    other, g = pickle.loads(pickle.dumps((total, f)))
    g([5.0, 6.0])
    assert other.get_value().tolist() == [5, 6]


SCRIPT = """
import pickle, sys
with open(sys.argv[1], "rb") as file:
    f, total = pickle.load(file)
print(f([1.0, 1.0]).tolist(), total.get_value().tolist(), f.executable.from_cache, f.c_source is not None)
"""


@pytest.mark.c
def test_a_fresh_process_compiles_nothing_again(tmp_path: Path) -> None:
    f, total = counting()
    f([1.0, 2.0])
    path = tmp_path / "f.pickle"
    path.write_bytes(pickle.dumps((f, total)))
    done = subprocess.run([sys.executable, "-c", SCRIPT, path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[1.0, 2.0] [2.0, 3.0] True True"


def test_a_function_of_a_long_chain_is_pickled() -> None:
    v = x
    for _ in range(5_000):
        v = T.tanh(v)
    f = eqsat.function([x], v, mode="reference")
    assert pickle.loads(pickle.dumps(f))([0.5]).tolist() == f([0.5]).tolist()


def test_a_copy_shares_what_is_shared(mode: str) -> None:
    f, total = counting(mode)
    g = copy.copy(f)
    assert g is not f and g.executable is f.executable
    g([1.0, 1.0])
    assert total.get_value().tolist() == [1, 1] and f([0.0, 0.0]).tolist() == [1, 1]


def test_a_copy_with_other_shared_variables(mode: str) -> None:
    f, total = counting(mode)
    other = eqsat.shared(np.full(2, 10.0), "other")
    g = f.copy(swap={total: other}, name="g", share_memory=True)
    assert g.executable is f.executable and str(g) == "g"
    g([1.0, 2.0])
    assert other.get_value().tolist() == [11, 12] and total.get_value().tolist() == [0, 0]
    h = pickle.loads(pickle.dumps(g))
    assert h([0.0, 0.0]).tolist() == [11, 12]
    still = f.copy(delete_updates=True, swap={total: other})
    assert still([1.0, 1.0]).tolist() == [11, 12] and still([1.0, 1.0]).tolist() == [11, 12]


def test_a_function_that_gives_a_dict() -> None:
    f = eqsat.function([x], {"a": x + 1, "b": x.sum()}, mode="reference")
    for g in (pickle.loads(pickle.dumps(f)), copy.copy(f), f.copy(delete_updates=True)):
        assert g([1.0])["a"].tolist() == [2] and list(g([1.0])) == ["a", "b"]


def test_mistakes() -> None:
    f, total = counting("reference")
    with pytest.raises(ArgumentError, match="f: swap names w, which the function does not use"):
        f.copy(swap={eqsat.shared(1.0, "w"): total})
    with pytest.raises(ArgumentError, match="f: swap gives x for total, which is not a shared variable"):
        f.copy(swap={total: x})
    with pytest.raises(DTypeError, match="f: swap gives total another type"):
        f.copy(swap={total: eqsat.shared(1.0)})
    other = eqsat.shared(np.zeros(2), "other")
    g = eqsat.function([x], updates=[(total, total + x), (other, other + 1)], mode="reference", name="g")
    with pytest.raises(ArgumentError, match="g: swap gives other two updates"):
        g.copy(swap={total: other})
    assert g.copy(swap={total: other, other: total}).updated == [other, total]
