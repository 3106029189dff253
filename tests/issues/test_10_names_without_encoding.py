"""Names that no encoding has, as names of files may be, go into every file that eqsat writes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.text_files import encodable, write_text
from eqsat.inspect.drawing import draw
from eqsat.printing import debugprint, pydotprint

ODD = "a\udc80b"


def graph() -> tuple[Any, Any]:
    x = T.dvector(ODD)
    y = T.log(1 + T.exp(x * 2))
    y.name = "\ud801"
    return x, y


def test_pages_and_pictures(tmp_path: Path) -> None:
    x, y = graph()
    report = eqsat.optimize(y)
    report.save_html(tmp_path / "report.html", title=ODD)
    report.explain().save_html(tmp_path / "steps.html")
    eqsat.compare(y, T.softplus(x * 2)).save_html(tmp_path / "compare.html", title=ODD)
    draw(y, file=tmp_path / "graph.svg")
    pydotprint(y, tmp_path / "graph.dot", print_output_file=False)
    pydotprint(y, str(tmp_path / "other.svg"), print_output_file=False)
    for file in tmp_path.iterdir():
        assert len(file.read_text(encoding="utf-8")) > 100, file


def test_text_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    debugprint(graph()[1])
    assert "a\\udc80b" in capsys.readouterr().out
    debugprint(graph()[1], file=(stream := io.StringIO()))
    assert "a\\udc80b" in stream.getvalue()


def test_a_function_of_such_names_runs() -> None:
    x, y = graph()
    f = eqsat.function([x], y, name=ODD)
    assert f([0.0])[0] == pytest.approx(0.6931471805599453)


@pytest.mark.parametrize(
    "text, wanted",
    [("plain é 木", "plain é 木"), ("\ud83d\ude00", "\\ud83d\\ude00"), ("", ""), (ODD, "a\\udc80b")],
)
def test_write_text(text: str, wanted: str, tmp_path: Path) -> None:
    assert encodable(text) == wanted
    write_text(text, tmp_path / "t")
    write_text(text, stream := io.StringIO())
    assert (tmp_path / "t").read_text(encoding="utf-8") == stream.getvalue() == wanted
