"""``report.egraph`` as files: egglog's own language, JSON, dot."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.egraph.adapter import bindings
from eqsat.egraph.transcript import Transcript, atom
from eqsat.extract.serialize import loads, stable_names, to_dot

x, y = T.dvectors("x", "y")
A, B = T.dmatrices("A", "B")
s = T.dscalar("s")
k = T.lvector("k")
p = T.vector("p", dtype="bool")
F = T.fmatrix("F")


def looped(step: Any, start: Any, **named: Any) -> Any:
    """The last value of a loop."""
    return eqsat.scan(step, outputs_info=start, **named)[0][-1]


def graphs() -> Iterator[tuple[str, Any]]:
    """Fifty graphs of many kinds."""
    table = np.array([1.0, 1e-7, -0.0, np.inf, -np.inf, np.nan])
    yield from {
        "log-exp": T.log(T.exp(x)) + 1.0, "softplus": T.log(1 + T.exp(x * y / y)), "sigmoid": 1 / (1 + T.exp(-x)),
        "tiny": x * 1e-7 + 1e300, "special": x * np.inf + np.nan, "minus-zero": x + np.asarray(-0.0), "third": x / 3.0 - 1 / 3,
        "powers": x**2 * x**3 + x**0.5, "abs": T.abs(-x) * T.sgn(x), "trig": T.sin(x) ** 2 + T.cos(x) ** 2,
        "hyperbolic": (T.exp(x) - T.exp(-x)) / 2, "switch": T.switch(x > 0, x, 0.0), "clip": T.clip(x, 0.0, 1.0),
        "max-min": T.maximum(T.minimum(x, y), T.minimum(y, x)), "compare": T.lt(x, y) & T.ge(y, x), "logic": p & ~p | p,
        "integers": (k + 1) * 2 - k, "shifts": (k << 2) | (k & 7), "casts": T.cast(T.cast(k, "float64") * 2, "int64"),
        "float32": T.log1p(T.exp(F)) * 0.1, "sum": T.sum(x * 2.0), "mean-var": T.mean((x - T.mean(x)) ** 2),
        "softmax": T.exp(A) / T.sum(T.exp(A), axis=1, keepdims=True), "logsumexp": T.log(T.sum(T.exp(A), axis=0)),
        "max": T.max(A, axis=1) + T.max(-A, axis=1), "argmax": T.argmax(2 * A, axis=1), "prod": T.prod(T.exp(x)),
        "cumsum": T.cumsum(x)[1:] - T.cumsum(x)[:-1], "norm": T.sqrt(T.sum(A**2)), "all-any": T.all(x > 0) | T.any(x <= 0),
        "dot": T.dot(A, B).T, "chain": T.dot(T.dot(A, B), x), "trace": T.sum(T.diagonal(T.dot(A, B))), "quadratic": T.dot(x, T.dot(A, x)),
        "inverse": T.dot(T.linalg.inv(A), x), "solve": T.linalg.solve(A, T.dot(A, B)), "logdet": T.log(T.linalg.det(A) ** 2),
        "cholesky": T.linalg.cholesky(T.dot(A, A.T) + T.eye(3)), "parts": T.exp(x)[1:][:2] + x[1:3], "rows": A[0] + A[1, :],
        "joined": T.concatenate([x, y])[: x.shape[0]], "reshaped": T.reshape(T.exp(A), (-1,)), "turned": T.exp(A.T).T[::-1],
        "gathered": x[k] * 2 + y[k], "written": T.set_subtensor(x[1:3], 0.0), "gradient": eqsat.grad(T.sum(T.log(1 + T.exp(T.dot(A, x)))), x),
        "array": x[:6] * table + table, "array-of-ones": A * np.ones((3, 3)) + np.eye(3),
        "scan": looped(lambda a, h: 0.5 * h + T.tanh(a), T.zeros(()), sequences=[x]),
        "scan-matrix": looped(lambda h: T.tanh(T.dot(A, h)), y, n_steps=5),
    }.items()  # fmt: skip


GRAPHS = dict(graphs())
FEW = ("softplus", "special", "chain", "array", "scan")


def counted(text: str) -> tuple[int, int]:
    """The e-nodes and classes of tensors after a program has run in egglog's interpreter."""
    interpreter = bindings().EGraph()
    interpreter.run_program(*interpreter.parse_program(text))
    tables = interpreter.freeze().functions.items()
    nodes = [f for name, f in tables if re.fullmatch("Leaf|Num|Arr|App|o_.*", name) and f.output_sort == "T"]
    outputs = [str(row.output) for f in nodes for row in f.rows]
    return len(outputs), len(set(outputs))


def check(name: str) -> None:
    """The program of a graph makes as many e-nodes and classes as it says, which is more than were written."""
    text = eqsat.optimize(GRAPHS[name]).egraph.to_egglog()
    said = re.match(r"; (\d+) e-nodes in (\d+) classes", text)
    assert said is not None and counted(text) == (int(said[1]), int(said[2]))


@pytest.mark.parametrize("name", FEW)
@pytest.mark.sampled(2)
def test_egglog_comes_to_the_same_classes(name: str) -> None:
    check(name)


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted(set(GRAPHS) - set(FEW)))
def test_egglog_comes_to_the_same_classes_for_every_graph(name: str) -> None:
    check(name)


def test_there_are_fifty_graphs() -> None:
    assert len(GRAPHS) == 50


def test_a_program_without_its_rules_has_fewer_e_nodes() -> None:
    text = eqsat.optimize(GRAPHS["softplus"]).egraph.to_egglog()
    without = "\n".join(line for line in text.splitlines() if ":name" not in line)
    assert counted(without)[0] < counted(text)[0]


def test_a_program_is_the_same_whatever_ran_before(tmp_path: Path) -> None:
    made = "import eqsat, eqsat.tensor as T; x = T.dvector('x'); r = eqsat.optimize(T.log(1 + T.exp(x)))"
    other = "eqsat.optimize(T.sum(T.sin(x) * T.exp(x)))"
    for number, before in enumerate(("", other)):
        file = tmp_path / f"{number}.egg"
        program = f"{made}; {before or 'pass'}; r.egraph.to_egglog({str(file)!r})"
        subprocess.run([sys.executable, "-c", program], check=True)
    assert (tmp_path / "0.egg").read_text() == (tmp_path / "1.egg").read_text()


def test_numbers_are_written_as_egglog_reads_them() -> None:
    for value in (0.0, -0.0, 1, 1e-7, 1e300, 0.1, np.inf, -np.inf, np.nan):
        told = Transcript()
        told.begin(["(relation r (f64 i64))"])
        told.load({"r": [(value, 3)]})
        interpreter = bindings().EGraph()
        interpreter.run_program(*interpreter.parse_program("\n".join(told.lines)))
        (row,) = interpreter.freeze().functions["r"].rows
        assert np.array_equal(interpreter.value_to_f64(row.inputs[0]), value + 0.0, equal_nan=True)
    assert atom(2, "i64") == "2" and atom(2, "f64") == "2.0"


def test_json_has_types_and_names_that_stay() -> None:
    def made(graph: Any, rules: Any = None) -> dict[str, Any]:
        return eqsat.optimize(graph, rules=rules).egraph.to_json()

    whole, few = made(T.log(T.exp(A) + 1)), made(T.log(T.exp(A) + 1), "-log1p-exp")
    assert whole == made(T.log(T.exp(A) + 1))
    entry = {"type": "f64[?, ?]", "dtype": "float64", "shape": "[?, ?]"}
    names = {name: node for name, node in whole["nodes"].items() if node["op"] in ("A", "exp", "log")}
    assert len(names) == 3
    for name, node in names.items():
        assert few["nodes"][name]["children"] == node["children"]  # of the smallest terms of their classes
    assert whole["class_data"][names[next(n for n in names if n.startswith("exp"))]["eclass"]] == entry
    assert loads(json.dumps(whole)).problem.n_classes == len(whole["class_data"])


def test_names_tell_arrays_apart_and_no_two_are_one() -> None:
    graph = x * np.array([1.0, 2.0]) + np.array([3.0, 4.0])
    made = eqsat.optimize(graph).egraph.to_json()
    arrays = [name for name, node in made["nodes"].items() if node["op"] == "array"]
    assert len(set(arrays)) == 2
    problem = loads(
        '{"nodes": {"a": {"op": "x", "eclass": "0"}, "b": {"op": "x", "eclass": "1"}}, "root_eclasses": ["0"]}'
    ).problem
    nodes, classes = stable_names(problem, ["x", "x"])
    assert len(set(nodes)) == len(set(classes)) == 2


def test_dot_has_a_box_for_each_class(tmp_path: Path) -> None:
    view = eqsat.optimize(GRAPHS["softplus"]).egraph
    text = view.to_dot(tmp_path / "graph.dot")
    made = view.to_json()
    assert (tmp_path / "graph.dot").read_text() == text == to_dot(made)
    assert text.count("subgraph cluster_") == len(made["class_data"])
    assert text.count(" -> ") == sum(len(node["children"]) for node in made["nodes"].values())
