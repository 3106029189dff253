"""Functions that pickle with their C text: no graph is rewritten where it fits, and it is checked as data."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.functions import compile as compiling
from eqsat.functions import store
from eqsat.functions.tokens import token

pytestmark = pytest.mark.c

x, y = T.dvectors("x", "y")
RUN = """
import pickle, sys
import eqsat.functions.compile as compiling
from eqsat.functions.tokens import token
def refuse(*_):
    raise AssertionError("rewritten")
compiling.rewritten = refuse
f, arguments = pickle.load(open(sys.argv[1], "rb"))
pickle.dump((f(*arguments), sorted(f.seconds), token(f)), sys.stdout.buffer)
"""


@pytest.fixture(autouse=True)
def no_cache(tmp_path: Path) -> Iterator[None]:
    with eqsat.config.change_flags(cache_dir=str(tmp_path / "cache")):
        yield


@pytest.fixture
def rewritten(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The outputs of the graphs that were rewritten, since the fixture was asked for."""
    found: list[Any] = []
    right = compiling.rewritten

    def noted(outputs: Any, settings: Any) -> Any:
        found.append(outputs)
        return right(outputs, settings)

    monkeypatch.setattr(compiling, "rewritten", noted)
    return found


def emptied() -> None:
    """Another cache, in which nothing is."""
    eqsat.config.cache_dir += "-other"


def scan_of(v: Any) -> Any:
    return eqsat.scan(lambda e, s: T.tanh(s + e), v, outputs_info=[T.constant(0.5)])[0]


def made(name: str) -> Any:
    w = eqsat.shared(np.ones(3), "w")
    makers = {
        "plain": lambda: eqsat.function([x], T.log(1 + T.exp(x))),
        "constants": lambda: eqsat.function([x], [x * T.constant(np.arange(3.0)), x.sum()]),
        "updates": lambda: eqsat.function([x], x + w, updates={w: w * x}),
        "loop": lambda: eqsat.function([x], scan_of(x)),
        "branch": lambda: eqsat.function([x], eqsat.ifelse(T.gt(x.sum(), 0), T.exp(x), -x)),
        "default": lambda: eqsat.function([eqsat.In(x, value=np.ones(3))], {"a": x * 2}),
        "rules": lambda: eqsat.function(
            [x], T.log(T.exp(x)), rules=eqsat.rules.default_rules() - "log1p-exp"
        ),
        "hints": lambda: eqsat.function([x, y], T.outer(x, y).sum(), shape_hints={x: (100,), y: (3,)}),
    }
    return makers[name]()


@pytest.mark.parametrize("name", ["constants", "updates", "loop", "branch", "default", "rules"])
def test_a_copy_is_not_rewritten(name: str, rewritten: list[Any]) -> None:
    f = made(name)
    data = pickle.dumps(f)
    emptied()
    rewritten.clear()
    g = pickle.loads(data)
    assert rewritten == [] and g.c_source == f.c_source
    assert token(g) == token(f)
    value = np.array([-1.0, 0.5, 2.0])
    for _ in range(2):
        for a, b in zip(_listed(f(value)), _listed(g(value)), strict=True):
            np.testing.assert_array_equal(a, b)
    again = pickle.loads(pickle.dumps(g))
    assert rewritten == [] and again.c_source == f.c_source
    assert (g.report.rules, str(g.outputs_optimised)) == (f.report.rules, str(f.outputs_optimised))


def _listed(result: Any) -> list[Any]:
    if isinstance(result, dict):
        return list(result.values())
    return result if isinstance(result, list) else [result]


@pytest.mark.parametrize("name", ["updates", "hints"])
def test_another_process_does_not_rewrite(name: str, tmp_path: Path) -> None:
    f = made(name)
    arguments = (np.array([-1.0, 0.5, 2.0]),) * len(f.inputs)
    path = tmp_path / "function"
    path.write_bytes(pickle.dumps((f, arguments)))
    flags = f"cache_dir={tmp_path / 'empty'}"
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)], env={**os.environ, "EQSAT_FLAGS": flags},
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    found, stages, told = pickle.loads(done.stdout)
    before = token(f)
    np.testing.assert_array_equal(found, f(*arguments))
    assert "e-graph" not in stages and told != before if name == "updates" else told == before


def test_the_text_of_other_sources_is_not_used(rewritten: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    f = made("plain")
    data = pickle.dumps(f)
    emptied()
    rewritten.clear()
    monkeypatch.setattr(store, "source_digest", lambda: "of another version")
    g = pickle.loads(data)
    assert len(rewritten) == 1
    np.testing.assert_array_equal(f([1.0]), g([1.0]))


@pytest.mark.parametrize(
    "damage", [lambda b: b[:40], lambda b: b + b"x", lambda b: b"", lambda b: b"\0" * 50]
)
def test_text_that_is_damaged_is_not_used(damage: Any, rewritten: list[Any]) -> None:
    f = made("constants")
    kind, given = f.__reduce__()
    emptied()
    rewritten.clear()
    key, content = given[-1]
    g = kind(*given[:-1], (key, damage(content)))
    assert len(rewritten) == 1
    np.testing.assert_array_equal(f([1.0, 2.0, 3.0])[0], g([1.0, 2.0, 3.0])[0])


def test_text_under_another_key_is_not_used() -> None:
    f, other = made("plain"), eqsat.function([x], x * 3)
    kind, given = f.__reduce__()
    emptied()
    g = kind(*given[:-1], other.__reduce__()[1][-1])
    np.testing.assert_array_equal(g([1.0]), f([1.0]))


def test_text_that_the_compiler_refuses_is_not_used(rewritten: list[Any]) -> None:
    f = made("plain")
    kind, given = f.__reduce__()
    key, content = given[-1]
    broken = content.replace(b"return", b"retrun")
    assert len(broken) == len(content) and broken != content
    emptied()
    rewritten.clear()
    assert kind(*given[:-1], (key, broken))([0.0]) == f([0.0]) and len(rewritten) == 1


def test_without_a_cache_the_text_goes_too(rewritten: list[Any]) -> None:
    with eqsat.config.change_flags(cache=False):
        f = eqsat.function([x], T.log(1 + T.exp(x)))
        rewritten.clear()
        g = pickle.loads(pickle.dumps(f))
        assert rewritten == []
        np.testing.assert_array_equal(f([1.0]), g([1.0]))


def test_functions_of_which_no_text_goes() -> None:
    twice = eqsat.as_op([T.dvector], [T.dvector])(_twice)
    for f in (
        eqsat.function([x], twice(x)),
        eqsat.function([x], x + 1, mode="reference"),
        eqsat.function([x], x + 1, mode="FAST_COMPILE"),
    ):
        assert f.__reduce__()[1][-1] is None
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(f))([1.0]), f([1.0]))


def _twice(v: Any) -> Any:
    return 2 * v


def test_a_deep_copy_is_not_rewritten(rewritten: list[Any]) -> None:
    w = eqsat.shared(1.0, "w")
    f = eqsat.function([], w, updates={w: w + 1})
    rewritten.clear()
    g = copy.deepcopy(f)
    assert [float(f()), float(f()), float(g())] == [1.0, 2.0, 1.0] and rewritten == []


def test_a_function_with_other_shared_variables_pickles() -> None:
    w, v = eqsat.shared(1.0, "w"), eqsat.shared(5.0, "v")
    f = eqsat.function([], w * 2, updates={w: w + 1})
    g = pickle.loads(pickle.dumps(f.copy(swap={w: v})))
    assert [float(g()), float(g())] == [10.0, 12.0] and float(v.get_value()) == 5.0


@pytest.mark.parametrize("pairs", [1000, pytest.param(25_000, marks=pytest.mark.sweep)])
def test_a_long_chain_pickles(pairs: int) -> None:
    v = x
    for k in range(pairs):
        v = T.sin(v) + 1.0 if k % 2 else T.maximum(v, 0.5) * 0.5
    f = eqsat.function([x], v, mode="reference")
    g = pickle.loads(pickle.dumps(f))
    assert token(f) == token(g)
    np.testing.assert_array_equal(f([1.0]), g([1.0]))
