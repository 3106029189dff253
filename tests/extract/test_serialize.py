"""Files of e-graphs: what is read is what was written, and each mistake is refused by name."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.errors import ArgumentError, EGraphFileError, ExtractorError
from eqsat.extract.choose import choose
from eqsat.extract.extractors import EXTRACTORS, extract_with
from eqsat.extract.problem import Choice, Problem
from eqsat.extract.serialize import loads, read, to_json


def leaf(cls: str, cost: Any = 1.0, children: Any = ()) -> dict[str, Any]:
    return {"op": "f", "cost": cost, "eclass": cls, "children": list(children)}


def small(**changes: Any) -> dict[str, Any]:
    """x, and f(x, x) in two ways, with some e-nodes changed, added or, as None, taken away."""
    nodes = {"x": leaf("0", 2.0), "a": leaf("1", 3.0, ["x", "x"]), "b": leaf("1", 0.5, ["x"]), **changes}
    return {"nodes": {k: v for k, v in nodes.items() if v is not None}, "root_eclasses": ["1"]}


def without(key: str) -> dict[str, Any]:
    return {k: v for k, v in leaf("0").items() if k != key}


BAD = {
    "": "the file is empty",
    '{"nodes": ': "not JSON: Expecting value",
    "[" * 100_000: "not JSON",
    '{"nodes": {}, "nodes": {}}': "'nodes' is written twice in one object",
    "[]": "holds a list, but needs an object with nodes and root_eclasses",
    "{}": "has no field 'nodes', but needs an object of e-nodes there",
    json.dumps({"nodes": small()["nodes"]}): "root_eclasses is empty: nothing is asked for",
    '{"nodes": {}, "root_eclasses": []}': "nodes is empty: there is nothing to extract",
    '{"nodes": [], "root_eclasses": []}': "nodes is a list, but needs to be an object of e-nodes",
    json.dumps({**small(), "root_eclasses": []}): "root_eclasses is empty: nothing is asked for",
    json.dumps({**small(), "root_eclasses": "1"}): "root_eclasses is text, but needs to be a list of class",
    json.dumps({**small(), "root_eclasses": [1]}): "root_eclasses holds a number, but needs class names",
    json.dumps({**small(), "root_eclasses": ["1", "9"]}): "root class '9' is missing: no e-node is in it",
    json.dumps(small(x=None)): "child 'x' of e-node 'a' (class '1') is missing",
    json.dumps(small(x=5)): "e-node 'x' is a number, but needs to be an object",
    json.dumps(small(x=without("op"))): "e-node 'x' has no field 'op', but needs text there",
    json.dumps(small(x=without("eclass"))): "e-node 'x' has no field 'eclass'",
    json.dumps(small(x=leaf("0", 1e308), b=leaf("1", -1e308, ["x"]))): "the costs of all e-nodes add up to",
    json.dumps(small(x=leaf("0", "1"))): "cost of e-node 'x' is \"1\", but needs to be a number",
    json.dumps(small(x=leaf("0", True))): "cost of e-node 'x' is true, but needs to be a number",
    json.dumps(small(x=leaf("0", None))): "cost of e-node 'x' is null, but needs to be a number",
    json.dumps(small(x=leaf("0", 1, [3]))): "children of e-node 'x' is [3], but needs to be a list of e-node",
    json.dumps(small(x={**leaf("0"), "eclass": 0})): "eclass of e-node 'x' is 0, but needs to be text",
    json.dumps(small(x=leaf("0", float("nan")))): "e-node 'x' (class '0') costs nan, which is no cost",
    json.dumps(small(x=leaf("0", float("-inf")))): "e-node 'x' (class '0') costs -inf, which is no cost",
    json.dumps(small(x=leaf("0", -(10**400)))): "e-node 'x' (class '0') costs -inf, which is no cost",
    json.dumps(small(x=leaf("0", 10**400))): "root class '1' cannot be extracted: each of its 2 e-nodes",
    json.dumps(small(x=leaf("0", 1, ["a"]))): "root class '1' cannot be extracted: each of its 2 e-nodes",
}


@pytest.mark.parametrize(("text", "what"), BAD.items(), ids=[f"{k}" for k in range(len(BAD))])
def test_each_mistake_is_refused_by_name(text: str, what: str) -> None:
    with pytest.raises(EGraphFileError) as error:
        loads(text, "some.json")
    assert str(error.value).startswith(f"some.json: {what}")


def test_negative_costs_are_read_unless_refused() -> None:
    text = json.dumps(small(x=leaf("0", -4.0)))
    assert choose(loads(text).problem).cost == -3.5
    with pytest.raises(EGraphFileError, match=r"'x' .* costs -4.0, but negative costs are refused here"):
        loads(text, negative=False)


def test_cost_and_children_may_be_left_out() -> None:
    found = choose(loads(json.dumps(small(x={"op": "x", "eclass": "0"}))).problem)
    assert found.cost == 1.5


def test_an_infinite_cost_is_not_chosen() -> None:
    egraph = loads(json.dumps(small(b=leaf("1", math.inf))))
    assert egraph.choices(choose(egraph.problem).choice) == {"0": "x", "1": "a"}


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(EGraphFileError, match=r"none\.json: cannot be read: No such file"):
        read(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b'{"nodes": "\xff"}')
    with pytest.raises(EGraphFileError, match=r"bytes\.json: not text: byte 11 is not UTF-8"):
        read(tmp_path / "bytes.json")


def test_what_is_written_is_read_again() -> None:
    problem = Problem([0, 1, 1, 2, 2], [(), (0, 0), (0,), (1, 0), (2,)], [0.5, 2.0, 3.0, 1.0, 9.0], [2, 1], 3)
    again = loads(json.dumps(to_json(problem, ["x", "mul", "sqr", "add", "loop"])))
    assert again.nodes == ["0.0", "1.0", "1.1", "2.0", "2.1"]
    assert again.ops == ["x", "mul", "sqr", "add", "loop"]
    assert again.problem.children[:4] == problem.children[:4]
    assert again.problem.roots == problem.roots
    found = choose(again.problem)
    assert found.cost == choose(problem).cost == 3.5
    assert again.choices(found.choice) == {"0": "0.0", "1": "1.0", "2": "2.0"}


def test_the_command_prints_writes_and_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "one.json").write_text(json.dumps(small()))
    (tmp_path / "bad.json").write_text(json.dumps({**small(), "root_eclasses": ["7"]}))
    status = main(["extract", str(tmp_path), "--output", str(tmp_path / "out")])
    shown = capsys.readouterr()
    assert status == 1
    head, row = shown.out.splitlines()
    assert head.split() == ["file", "e-nodes", "classes", "cost", "bound", "proved", "seconds", "extractor"]
    assert row.split()[:6] == ["good/one.json", "3", "2", "2.5", "2.5", "yes"]
    assert shown.err == f"eqsat: refused {tmp_path}/bad.json: root class '7' is missing: no e-node is in it\n"
    written = json.loads((tmp_path / "out" / "good" / "one.choice.json").read_text())
    assert written["choices"] == {"0": "x", "1": "b"} and written["cost"] == 2.5


def test_the_command_as_json_for_every_extractor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.json").write_text(json.dumps(small()))
    for name in EXTRACTORS:
        assert main(["extract", str(tmp_path / "one.json"), "--extractor", name, "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert (said["cost"], said["bound"], said["extractor"]) == (2.5, 2.5, name)


def failing(problem: Problem, seconds: float) -> tuple[Choice, float]:
    """An extractor of a user that fails on graphs of three e-nodes."""
    if len(problem.cost) == 3:
        raise ZeroDivisionError("mine")
    return first_option(problem, seconds)


def test_an_extractor_that_raises_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(small()))
    (tmp_path / "b.json").write_text(json.dumps(small(c=leaf("1"))))
    name = f"{__name__}:failing"
    assert main(["extract", str(tmp_path), "--extractor", name]) == 1
    shown = capsys.readouterr()
    said = (
        rf"eqsat: refused .*a\.json: extractor '{name}' failed: ZeroDivisionError: mine \({__file__}:\d+\)\n"
    )
    assert re.fullmatch(said, shown.err)
    assert shown.out.splitlines()[1].startswith("b.json")


def test_an_error_of_our_own_does_not_stop_the_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(name: str, problem: Problem, seconds: float) -> Any:
        if len(problem.cost) == 3:
            raise OverflowError("too much")
        return extract_with(name, problem, seconds)

    monkeypatch.setattr("eqsat.cli.extract.extract_with", broken)
    (tmp_path / "a.json").write_text(json.dumps(small()))
    (tmp_path / "b.json").write_text(json.dumps(small(c=leaf("1"))))
    assert main(["extract", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert "a.json: OverflowError: too much (" in shown.err and shown.out.splitlines()[1].startswith("b.json")


def first_option(problem: Problem, seconds: float) -> tuple[Choice, float]:
    """An extractor of a user: what stands first."""
    return {cls: nodes[0] for cls, nodes in enumerate(problem.nodes_of)}, 0.0


def test_users_add_extractors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = loads(json.dumps(small())).problem
    monkeypatch.setitem(EXTRACTORS, "first", first_option)
    assert extract_with("first", problem, 1.0).cost == 5.0
    assert extract_with(f"{__name__}:first_option", problem, 1.0).cost == 5.0
    with pytest.raises(ArgumentError, match="extractor 'none' is not known"):
        extract_with("none", problem, 1.0)
    with pytest.raises(ArgumentError, match="cannot be loaded: module 'json' has no attribute 'no'"):
        extract_with("json:no", problem, 1.0)
    with pytest.raises(ArgumentError, match=r"extractor 'math:pi' is 3.14.*, which is no function"):
        extract_with("math:pi", problem, 1.0)
    (tmp_path / "odd_extractor.py").write_text("x = 1\ny = x / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ArgumentError, match=r"cannot be loaded: ZeroDivision.* \(.*odd_extractor\.py:2\)"):
        extract_with("odd_extractor:f", problem, 1.0)


def test_the_command_needs_some_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["extract", "x.json", "--seconds", "0"])
    assert "0 is not a number of seconds above 0" in capsys.readouterr().err


def test_the_e_graph_of_a_report_is_written_for_other_extractors(tmp_path: Path) -> None:
    x, y = T.dvectors("x", "y")
    report = eqsat.optimize(T.log(1 + T.exp(x * y / y)) * T.exp(x))
    report.egraph.to_json(tmp_path / "graph.json")
    egraph = read(tmp_path / "graph.json")
    assert {"x", "y", "exp", "softplus"} <= set(egraph.ops)
    assert choose(egraph.problem).cost == pytest.approx(report.cost_after)


SHARED = Problem([0, 1, 2, 2], [(), (0,), (0, 1), ()], [5.0, 1.0, 1.0, 11.0], [2], 3)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (None, "gave None"),
        (({2: 3}, None), "gave"),
        (({2: 3}, 12.0), "the bound 12.0, and a choice of cost 11.0"),
        (({2: 3}, math.nan), "the bound nan"),
        (({2: 2}, 0.0), "no e-node for class 1"),
        (({2: 2, 0: 3, 1: 1}, 0.0), "class 0 chose e-node 3 of another class"),
        (({2: 99}, 0.0), "gave the choice {2: 99}"),
        (({2: -1}, 0.0), "gave the choice {2: -1}"),
        ((None, 0.0), "gave the choice None"),
    ],
)
def test_wrong_answers_of_an_extractor_are_refused(
    answer: object, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXTRACTORS, "odd", lambda problem, seconds: answer)
    with pytest.raises(ExtractorError, match=f"^extractor 'odd' .*{re.escape(text)}"):
        extract_with("odd", SHARED, 1.0)


def test_the_command_line_refuses_wrong_answers_and_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "eg.json"
    file.write_text(json.dumps(to_json(SHARED, list("abcd"))))
    monkeypatch.setitem(EXTRACTORS, "odd", lambda problem, seconds: None)
    assert main(["extract", str(file), "--extractor", "odd"]) == 1
    assert capsys.readouterr().err.startswith(f"eqsat: refused {file}: extractor 'odd' gave None\n")
    assert main(["extract", str(file), "--output", str(file / "below")]) == 2
    assert capsys.readouterr().err.startswith("eqsat: --output: ")
