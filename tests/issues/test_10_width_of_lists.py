"""`eqsat rules list` fits a wide terminal; `--wide` shows the whole of each cell."""

from __future__ import annotations

import pytest

from eqsat.cli import main


def test_cells_are_cut_unless_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 220 and any("…" in line for line in lines)
    assert main(["rules", "list", "--wide"]) == 0
    assert "…" not in capsys.readouterr().out
