"""Functions that differ in any flag, setting or part of a mode that shapes their code are kept apart on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config, store
from eqsat.base.configuration import FLAGS, Flag
from eqsat.costs import flops
from eqsat.extract.cost import CostModel
from eqsat.modes import MODES, Mode
from eqsat.rules.rule import default_rules
from eqsat.settings import Settings

x = T.dvector("x")
y = T.log(1 + T.exp(x))

SETTINGS: dict[str, Any] = {
    "rules": None,
    "model": CostModel(),
    "seconds": 2.0,
    "without": frozenset(),
    "hints": {},
    "variants": 1,
    "extractor": None,
}
OTHERS: dict[str, list[Any]] = {
    "rules": ["exact", default_rules() - {"log-exp"}, ["exact", "rounds"]],
    "model": [flops(), CostModel(default_length=7), CostModel().priced({"exp": 1000})],
    "seconds": [0.5],
    "without": [frozenset({"unroll"})],
    "hints": [{x: (7,)}, {x: (np.int64(8),)}, {x: (None,)}],
    "variants": [2, "auto"],
    "extractor": ["greedy"],
}
OTHER_MODES = {
    "rewrite": replace(MODES["FAST_RUN"], rewrite=False),
    "compiled": replace(MODES["FAST_RUN"], compiled=False),
    "fuse": replace(MODES["FAST_RUN"], fuse=False),
    "without": replace(MODES["FAST_RUN"], without=frozenset({"in-place"})),
}


def key(mode: Mode = MODES["FAST_RUN"], **other: Any) -> str | None:
    """The key of one function."""
    return store.function_key([x], [y], {**SETTINGS, **other}, mode, {}, "cc")


def other_value(flag: Flag) -> Any:
    """A value that a flag does not have now."""
    now = getattr(config, flag.name)
    if flag.choices is not None:
        return next(c for c in flag.choices if c != now)
    return 77 if now is None or isinstance(now, (int, float)) else f"{now}other"


@pytest.mark.parametrize("name", FLAGS)
def test_every_flag_enters_the_key_or_says_why_it_does_not(name: str) -> None:
    before = key()
    with config.change_flags(**{name: other_value(FLAGS[name])}):
        assert (key() == before) == bool(FLAGS[name].shared)


def test_flags_that_limit_the_search_enter() -> None:
    limits = {f for f in FLAGS if f.endswith("_seconds") or f.endswith("_nodes") or f.endswith("_bound")}
    assert {f for f in limits if FLAGS[f].shared} == {"compile_seconds"}


def test_every_setting_enters_the_key() -> None:
    assert set(SETTINGS) == set(OTHERS) == {f.name for f in fields(Settings)}
    keys = [key(), *(key(**{name: value}) for name, values in OTHERS.items() for value in values)]
    assert None not in keys and len(set(keys)) == len(keys)


def test_all_that_a_mode_does_enters_the_key() -> None:
    assert {*OTHER_MODES, *store.NO_DEED} == {f.name for f in fields(Mode)}
    keys = [key(), *map(key, OTHER_MODES.values())]
    assert None not in keys and len(set(keys)) == len(keys)
    assert key(replace(MODES["FAST_RUN"], name="other", doc="other")) == key()


def test_updates_and_compilers_enter_the_key() -> None:
    keys = [
        store.function_key([x], [y], SETTINGS, MODES["FAST_RUN"], updates, compiler)
        for updates, compiler in [({}, "cc"), ({0: 0}, "cc"), ({}, "clang")]
    ]
    assert len(set(keys)) == 3


def test_a_model_of_a_users_class_has_no_key() -> None:
    class Own(CostModel):
        """Of the user."""

    Own.__module__ = "mine"
    assert key(model=Own()) is None


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
