"""Functions that differ in any flag, setting or part of a mode that shapes their code are kept apart on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config
from eqsat.base.configuration import FLAGS, Flag
from eqsat.costs import flops
from eqsat.extract.cost import CostModel
from eqsat.functions import evaluate, store
from eqsat.graph.control import graph_op
from eqsat.pipeline.modes import MODES, Mode
from eqsat.pipeline.settings import Settings
from eqsat.rules.rule import RuleSet, default_rules

x = T.dvector("x")
y = T.log(1 + T.exp(x))


def key(inputs: Any = (x,), updates: Any = None, compiler: str = "cc", **chosen: Any) -> str | None:
    """The key of one function."""
    settings = Settings.of(outputs=[y], **chosen)
    return store.function_key(inputs, [y], settings, updates or {}, compiler)


OF_DEVICES = {"cuda_arch": "sm_80"}


def other_value(flag: Flag) -> Any:
    """A value that a flag does not have now."""
    now = getattr(config, flag.name)
    if flag.name in OF_DEVICES:
        return OF_DEVICES[flag.name]
    if flag.choices is not None:
        return next(c for c in flag.choices if c != now)
    return 77 if now in (None, "auto") or isinstance(now, (int, float)) else f"{now}other"


@pytest.mark.parametrize("name", [name for name in FLAGS if name not in ("mode", "cost_model", "target")])
def test_every_flag_enters_the_key_or_says_why_it_does_not(name: str) -> None:
    chosen = {"variants": 1, "profile": False}
    before = key(**chosen)
    with config.change_flags(**{name: other_value(FLAGS[name])}):
        assert (key(**chosen) == before) == bool(FLAGS[name].shared)


def test_flags_that_limit_the_search_enter() -> None:
    limits = {f for f in FLAGS if f.endswith("_seconds") or f.endswith("_nodes") or f.endswith("_bound")}
    assert {f for f in limits if FLAGS[f].shared} == {"compile_seconds"}


def others(settings: Settings, name: str) -> list[Any]:
    """Other values of a field, found by the value that it has."""
    now = getattr(settings, name)
    kinds: dict[type, Callable[[], list[Any]]] = {
        bool: lambda: [not now],
        int: lambda: [now + 1, None],
        float: lambda: [now / 2, np.float64(now * 2)],
        str: lambda: [now + "other"],
        type(None): lambda: ["other", 7],
        frozenset: lambda: [now | {"other"}, now | {"other", "another"}],
        tuple: lambda: [(*now, (x, (7,))), (*now, (x, (np.int64(8),))), (*now, ("other", None))],
        Mode: lambda: [replace(now, **{f.name: others(now, f.name)[0]}) for f in fields(now) if f.compare],
        CostModel: lambda: [flops(), replace(now, default_length=7), now.priced({"exp": 1000})],
    }
    more = [default_rules() - {"log-exp"}, RuleSet([])] if name == "selection" else []
    return kinds[type(now)]() + more


@dataclass(frozen=True)
class Larger(Settings):
    """Settings with a field that nothing else knows of."""

    fresh: int = 3


def larger() -> Larger:
    """Settings of this configuration with one field more."""
    usual = Settings.of()
    return Larger(**{f.name: getattr(usual, f.name) for f in fields(usual)})


def test_settings_that_differ_in_a_field_have_other_keys() -> None:
    settings = larger()
    several = [
        settings,
        *(replace(settings, **{f.name: v}) for f in fields(settings) for v in others(settings, f.name)),
    ]
    assert "fresh" in {f.name for f in fields(settings)} and len(several) > len(fields(settings)) + 8
    keys = [store.function_key([x], [y], s, {}, "cc") for s in several]
    assert None not in keys and len(set(keys)) == len(keys), "on disk"
    assert len(set(several)) == len(several), "in memory"


def test_a_field_that_no_text_tells_has_no_key() -> None:
    settings = replace(larger(), fresh=lambda: 3)
    assert store.function_key([x], [y], settings, {}, "cc") is None
    assert settings != replace(settings, fresh=lambda: 3)


def test_a_mode_of_another_name_that_does_the_same_is_the_same() -> None:
    assert key(mode=replace(MODES["FAST_RUN"], name="other", doc="other")) == key(mode="FAST_RUN")


def test_updates_and_compilers_enter_the_key() -> None:
    assert len({key(), key(updates={0: 0}), key(compiler="clang")}) == 3


def test_a_model_of_a_users_class_has_no_key() -> None:
    class Own(CostModel):
        """Of the user."""

    Own.__module__ = "mine"
    assert key(model=Own()) is None


@pytest.mark.parametrize("name", [f.name for f in fields(Larger)])
def test_a_value_made_under_other_settings_is_made_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Settings] = []
    settings = larger()
    monkeypatch.setattr(evaluate, "_EVALUATED", {})
    monkeypatch.setattr(evaluate, "function", lambda *_, **__: made.append(settings) or (lambda *_: 0))
    for chosen in (settings, settings, replace(settings, **{name: others(settings, name)[0]})):
        monkeypatch.setattr(evaluate, "_SETTINGS", {})
        monkeypatch.setattr(Settings, "of", lambda *_, chosen=chosen, **__: chosen)
        evaluate.evaluate(y, {x: [1.0]})
    assert len(made) == 2


def test_eval_sees_flags_and_modes_that_change() -> None:
    usual = evaluate._settings(None)
    assert evaluate._settings(None) is usual and evaluate._settings("numpy") != usual
    with config.change_flags(egraph_nodes=77):
        assert evaluate._settings(None).flag("egraph_nodes") == 77
    assert evaluate._settings(None) is usual


@pytest.mark.parametrize("name", [f.name for f in fields(Larger)])
def test_a_graph_inside_an_op_is_compiled_once_for_each_settings(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    settings, graph = larger(), graph_op.InnerGraph([x], [y])
    monkeypatch.setattr(graph_op, "hook", lambda _: lambda *_, mode, **__: made.append(mode) or len(made))
    changed = replace(settings, **{name: others(settings, name)[0]})
    assert [graph.compiled(s) for s in (settings, settings, changed)] == [1, 1, 2]
    assert made == [settings, changed]


def test_graphs_inside_ops_are_compiled_under_the_settings_of_the_function() -> None:
    whole = T.dscalar("whole")
    branch = eqsat.ifelse(whole > 0, T.log(T.exp(whole)), whole)
    found = []
    for rules in (None, "-log-exp"):
        f = eqsat.function([whole], branch, rules=rules)
        (node,) = [n for n in f.maker.fgraph.apply_nodes if n.op.name == "ifelse"]
        then = node.op.graphs[0].compiled(node.op.settings)
        found.append([str(n.op) for n in then.maker.fgraph.toposort()])
        assert f(2.0) == 2.0
    assert found == [[], ["exp", "log"]]


def test_every_source_file_of_the_package_enters_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "eqsat" / "functions"
    package.mkdir(parents=True)
    monkeypatch.setattr(store, "__file__", str(package / "store.py"))
    digests = []
    for name in ("store.py", "helper.c", "table.txt"):
        (package / name).write_text("1")
        store.source_digest.cache_clear()
        digests.append(store.source_digest())
    store.source_digest.cache_clear()
    assert len(set(digests)) == 3


@pytest.mark.c
@pytest.mark.parametrize(
    "change",
    [
        lambda: config.change_flags(extract_seconds=5.0),
        lambda: config.change_flags(egraph_seconds=5.0),
        lambda: config.change_flags(egraph_nodes=40_000),
        lambda: config.change_flags(memory_bound=1e9),
    ],
)
def test_a_function_made_in_no_time_is_not_served_to_one_that_asks_for_more(
    tmp_path: Path, change: Callable[[], Any]
) -> None:
    def make() -> Any:
        return eqsat.function([x], y)

    with config.change_flags(cache_dir=str(tmp_path), extract_seconds=0.001):
        first, again = make(), make()
        assert "lookup" not in first.seconds and "lookup" in again.seconds
        with change():
            assert "lookup" not in make().seconds
