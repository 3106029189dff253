"""Graphs in the dot language, and what pydotprint writes with and without Graphviz."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.printing
import eqsat.tensor as T
from eqsat.errors import EqsatWarning
from eqsat.printing.dot import dot_text


def boxes(text: str) -> list[str]:
    return re.findall(r'shape=box.*label="(.*?)"', text)


def ops(text: str) -> list[str]:
    return re.findall(r'shape=ellipse.*label="(.*?)"', text)


@pytest.mark.seed("A042")
def test_a_sum_has_two_inputs_an_op_and_an_output() -> None:
    x, y = T.dmatrices("x", "y")
    text = dot_text(x + y)
    assert ops(text) == ["add"]
    assert sorted(boxes(text)) == ["f64[?, ?]", "x f64[?, ?]", "y f64[?, ?]"]
    assert len(re.findall("->", text)) == 3


@pytest.mark.seed("K012")
def test_pydotprint_of_a_variable_writes_a_file(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    x, y = T.dmatrices("x", "y")
    file = tmp_path / "sum.png"
    with pytest.warns(EqsatWarning, match="Graphviz is not installed"):
        eqsat.printing.pydotprint(x + y, outfile=str(file), var_with_name_simple=True)
    text = file.read_text()
    assert text.startswith("digraph") and sorted(boxes(text)) == ["f64[?, ?]", "x", "y"]
    assert f"The output file is available at {file}" in capsys.readouterr().out


@pytest.mark.seed("K013")
def test_pydotprint_of_a_function_shows_the_rewritten_graph(tmp_path: Path, capsys: Any) -> None:
    x = T.dvector("x")
    f = eqsat.function([x], T.log(1 + T.exp(x)))
    eqsat.printing.pydotprint(
        f, outfile=tmp_path / "f.dot", var_with_name_simple=True, print_output_file=False
    )
    text = (tmp_path / "f.dot").read_text()
    assert ops(text) == ["softplus"] and "x" in boxes(text)
    eqsat.printing.pydotprint(f, tmp_path / "f.svg", print_output_file=False)
    assert (tmp_path / "f.svg").read_text().startswith("<svg")
    assert capsys.readouterr().out == ""


@pytest.mark.seed("K014")
def test_names_of_the_printing_module() -> None:
    assert eqsat.printing.debugprint is eqsat.dprint and callable(eqsat.printing.pydotprint)
    assert eqsat.printing.pprint is eqsat.pp


def test_graphviz_draws_where_it_is_installed(tmp_path: Path, monkeypatch: Any) -> None:
    program = tmp_path / "dot"
    program.write_text('#!/bin/sh\nfor last; do :; done\necho "$1" > "$last"\ncat >> "$last"\n')
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    eqsat.printing.pydotprint(T.dscalar("x") + 1, tmp_path / "x.pdf", print_output_file=False)
    assert (tmp_path / "x.pdf").read_text().startswith("-Tpdf\ndigraph")


def test_intermediate_variables_are_shown_on_request() -> None:
    x, s = T.dvector("x"), eqsat.shared(2.0, "s")
    inner = T.exp(x * s)
    outer = T.sqr(inner) + inner
    assert len(boxes(dot_text(outer))) == 3
    assert len(boxes(dot_text(outer, compact=False))) == 7
    inner.name = "inner"
    text = dot_text(outer, with_ids=True, max_label_size=12)
    assert [b for b in boxes(text) if "inner" in b] and any("id=" in o for o in ops(text))
    assert all(len(label) <= 12 for label in boxes(text) + ops(text))


def test_labels_are_quoted() -> None:
    x = T.dscalar('a "quoted" \\ name')
    assert 'label="a \\"quoted\\" \\\\ name' in dot_text(x + 1)


def test_a_deep_graph_is_printed() -> None:
    y = T.dscalar("x")
    for _ in range(3000):
        y = T.exp(y)
    assert len(ops(dot_text(y))) == 3000


def test_edges_of_ops_with_several_operands_are_numbered() -> None:
    x, y = T.dscalars("x", "y")
    assert re.findall(r'var(\d) -> op0 \[label="(\d)"\]', dot_text(x - y)) == [("0", "0"), ("1", "1")]
    assert np.all([edge not in dot_text(T.exp(x)) for edge in ('[label="0"]',)])
