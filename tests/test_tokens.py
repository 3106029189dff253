"""Tokens: equal for equal graphs wherever they are made, and different where anything differs that results depend on."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.extract.cost import CostModel
from eqsat.functions.tokens import token

x, y = T.dvectors("x", "y")
MADE = """
import numpy as np, eqsat, eqsat.tensor as T
def double(v):
    return 2 * v
x, w = T.dvector("x"), eqsat.shared(np.ones(3), "w")
op = eqsat.OpFromGraph([x], [T.exp(x) + 1])
loop = eqsat.scan(lambda e, s: s + T.exp(e), x, outputs_info=[T.constant(0.0)])[0]
own = eqsat.as_op([T.dvector], [T.dvector])(double)
graphs = [x + 1, x + w, op(x), loop, own(x), x[1:], eqsat.ifelse(T.gt(x[0], 0), x, -x), T.sum(x, 0)]
"""


def made() -> list[Any]:
    there: dict[str, Any] = {"__name__": "made"}
    exec(MADE, there)
    return list(there["graphs"])


def test_graphs_have_tokens_of_their_own() -> None:
    found = [token(v) for v in made()]
    assert len(set(found)) == len(found)
    assert found == [token(v) for v in made()]
    assert found[:4] == [token(copy.deepcopy(v)) for v in made()[:4]]


def test_tokens_are_the_same_in_another_process() -> None:
    code = (
        f"there = {{'__name__': 'made'}}; exec({MADE!r}, there); from eqsat.functions.tokens import token; "
    )
    command = [sys.executable, "-c", code + "print(*map(token, there['graphs']))"]
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [token(v) for v in made()]


@pytest.mark.parametrize(
    "other",
    [
        lambda: T.exp(x) + 2,
        lambda: T.exp(x) + T.constant([1.0, 1.0]),
        lambda: T.exp(y) + 1,
        lambda: T.exp(T.fvector("x")) + 1,
        lambda: T.exp(T.tensor("float64", (3,), "x")) + 1,
        lambda: T.exp(T.dmatrix("x")) + 1,
        lambda: 1 + T.exp(x),
        lambda: T.log(x) + 1,
        lambda: [T.exp(x) + 1, x],
    ],
)
def test_another_graph_has_another_token(other: Any) -> None:
    assert token(T.exp(x) + 1) != token(other())


def test_names_and_lines_inside_do_not_count() -> None:
    named = T.exp(x)
    named.name = "inside"
    assert token(named + 1) == token(T.exp(x) + 1)


@pytest.mark.parametrize(
    "other",
    [
        {"mode": "FAST_COMPILE"},
        {"mode": "reference"},
        {"rules": "exact"},
        {"rules": "-log1p-exp"},
        {"name": "g"},
        {"shape_hints": {x: (10,)}},
        {"model": CostModel().priced({"exp": 3})},
        {"allow_input_downcast": True},
    ],
)
def test_another_setting_has_another_token(other: dict[str, Any]) -> None:
    with eqsat.config.change_flags(mode="numpy"):
        f, g = (eqsat.function([x], T.exp(x), **options) for options in ({}, other))
        assert token(f) == token(eqsat.function([x], T.exp(x))) != token(g)
        assert token(g) == token(pickle.loads(pickle.dumps(g)))


def test_arguments_and_results_count() -> None:
    with eqsat.config.change_flags(mode="reference"):
        found = [
            eqsat.function([x, y], x - y),
            eqsat.function([y, x], x - y),
            eqsat.function([x, eqsat.In(y, value=[1.0])], x - y),
            eqsat.function([x, eqsat.In(y, value=[2.0])], x - y),
            eqsat.function([x, y], [x - y]),
            eqsat.function([x, y], {"a": x - y}),
            eqsat.function([x, y], {"b": x - y}),
        ]
    assert len({token(f) for f in found}) == len(found)


def test_the_values_of_shared_variables_count() -> None:
    w = eqsat.shared(np.zeros(2), "w")
    with eqsat.config.change_flags(mode="reference"):
        f = eqsat.function([], w.sum(), updates={w: w + 1})
        g = eqsat.function([], w.sum())
    assert token(f) != token(g)
    before = token(f)
    assert before == token(f) == token(pickle.loads(pickle.dumps(f)))
    f()
    assert token(f) != before
    w.set_value(np.zeros(2))
    assert token(f) == before


def test_functions_of_python_count_by_their_code() -> None:
    def op(k: int) -> Any:
        return eqsat.as_op([T.dvector], [T.dvector])(lambda v: v * k)(x)

    assert token(op(2)) == token(op(2)) != token(op(3))
    assert token(op(2)) != token(eqsat.as_op([T.dvector], [T.dvector])(lambda v: v + 2)(x))


def test_rules_and_sets() -> None:
    rules = eqsat.rules.all_rules()
    tokens = {r.__dask_tokenize__() for r in rules}
    assert len(tokens) == len(rules)
    for r in list(rules)[::40]:
        copied = pickle.loads(pickle.dumps(r))
        assert copied == r and hash(copied) == hash(r)
        assert copied.__dask_tokenize__() == r.__dask_tokenize__()


@pytest.mark.parametrize("choice", ["default", "all", "exact,-abs-of-abs", "-log-exp", "part-of-elementwise"])
def test_sets_of_rules_pickle(choice: str) -> None:
    chosen = eqsat.rules.select_rules(choice)
    copied = pickle.loads(pickle.dumps(chosen))
    assert copied == chosen and hash(copied) == hash(chosen) and copied.identity == chosen.identity
    assert copied.__dask_tokenize__() == chosen.__dask_tokenize__()
    assert all(a.scheme is b.scheme for a, b in zip(copied.schemes, chosen.schemes, strict=True))


class Lazy:
    """A collection of Dask, as far as anybody looks."""

    dtype, shape = np.dtype("float64"), (2,)

    def __init__(self, graph: Any) -> None:
        self.graph = graph

    def __dask_graph__(self) -> Any:
        return self.graph

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.ones(2)


def test_what_dask_has_to_compute_is_refused() -> None:
    f = eqsat.function([x], x * 2, mode="reference")
    with pytest.raises(ArgumentError) as raised:
        f(Lazy({"a": 1}))
    assert str(raised.value).splitlines()[0].endswith("Lazy would be gathered into one")
    assert "x.map_blocks(f, dtype=...)" in str(raised.value)
    assert f(Lazy(None)).tolist() == [2.0, 2.0]  # as arrays of xarray that are already there
