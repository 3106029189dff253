"""The extension of egglog is loaded late and alone, and errors say how to get one that fits."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eqsat.egraph import adapter, extension
from eqsat.egraph.adapter import EGraphUnavailable, Template
from tests.egraph.small_e_graph import ROOT, python


def test_only_the_extension_is_loaded_and_egglog_can_be_imported_afterwards() -> None:
    code = """
import sys
from eqsat.egraph import adapter
assert not any(name.startswith("egglog") for name in sys.modules), "the adapter is lazy"
ours = adapter.bindings()
assert "egglog" not in sys.modules
template = adapter.Template(["(sort T)", "(constructor A () T)"], ["(A)"])
with template.session() as session:
    assert session.size() == 1
import egglog, egglog.bindings
assert egglog.bindings is ours
assert egglog.EGraph().freeze() is not None
with template.session() as session:
    assert session.size() == 1
print("fine")
"""
    assert python(code) == "fine"


def test_an_egglog_that_is_already_imported_is_used() -> None:
    code = """
import egglog.bindings
from eqsat.egraph import adapter
assert adapter.bindings() is egglog.bindings
print("fine")
"""
    assert python(code) == "fine"


def test_the_normal_import_serves_where_the_short_way_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension, "_load_alone", lambda folders: None)
    assert extension._load().EGraph is adapter.bindings().EGraph


def test_no_extension_file_means_no_short_way(tmp_path: Path) -> None:
    assert extension._load_alone([str(tmp_path)]) is None


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As in a process that has not loaded egglog yet."""
    monkeypatch.setattr(extension, "_loaded", None)
    monkeypatch.delitem(sys.modules, "egglog.bindings", raising=False)
    return monkeypatch


def test_a_missing_egglog_is_unavailable(unloaded: pytest.MonkeyPatch) -> None:
    unloaded.setattr(importlib.util, "find_spec", lambda name: None)
    missing = pytest.raises(EGraphUnavailable, match=r"not installed: install it with: pip install")
    with missing, Template(["(sort T)"], []).session():
        pass


@pytest.mark.parametrize("version", ["12.9.1", "13.0.0", "13.1.0", "14.0.0", "of unknown version"])
def test_another_version_is_unavailable(unloaded: pytest.MonkeyPatch, version: str) -> None:
    unloaded.setattr(extension, "_version", lambda folder: version)
    with pytest.raises(EGraphUnavailable, match=f"egglog {version} is installed, which eqsat cannot use"):
        adapter.bindings()


def test_an_extension_that_does_not_load_is_unavailable(unloaded: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ImportError("wrong libc")

    unloaded.setattr(extension, "_load_alone", lambda folders: None)
    unloaded.setattr(importlib, "import_module", refuse)
    with pytest.raises(EGraphUnavailable, match="does not load here \\(wrong libc\\)"):
        adapter.bindings()


def test_the_version_comes_from_the_folder_name_or_else_from_the_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "egglog-13.7.2.dist-info").mkdir()
    assert extension._version(tmp_path / "egglog") == "13.7.2"
    (tmp_path / "egglog-13.7.1.dist-info").mkdir()
    assert extension._version(tmp_path / "egglog") == importlib.metadata.version("egglog")

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert extension._version(tmp_path / "egglog") == "of unknown version"


def test_a_program_that_logs_does_not_get_the_commands_of_egglog() -> None:
    code = """
import logging
logging.basicConfig(level=logging.DEBUG, format="%(name)s %(message)s")
logging.getLogger("egglog_bridge").setLevel(logging.ERROR)
from eqsat.egraph.adapter import Template
with Template(["(sort T)", "(ruleset load)"], []).session() as session:
    session.saturate("load")
print(logging.getLogger("egglog_bridge").level == logging.ERROR)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), done.stderr) == ("True", "")
