"""Four modes, one result: which rewrites, which compiles, and how a mode is chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import config, debug, function
from eqsat.errors import ConfigError, ModeError
from eqsat.graph.walk import toposort
from eqsat.pipeline.modes import CHECKING, MODES, Mode, get_mode


def graph() -> tuple[Any, Any]:
    x = T.dvector("x")
    return x, T.log(1 + T.exp(x)) * 2 / 2


def ops(nodes: Any) -> list[str]:
    """Names of the ops, views left out."""
    return [str(node.op) for node in nodes if node.op.name != "dimshuffle"]


@pytest.mark.parametrize(
    "name, as_written", [("reference", True), ("FAST_COMPILE", True), ("numpy", False), ("FAST_RUN", False)]
)
def test_what_a_mode_rewrites(name: str, as_written: bool) -> None:
    x, y = graph()
    f = function([x], y, mode=name)
    written = ops(toposort([y]))
    assert ops(toposort(f.outputs_optimised)) == (written if as_written else ["softplus"])
    assert (f.report is None) == as_written
    np.testing.assert_allclose(f([-1.0, 0.0, 3.0]), np.logaddexp(0, [-1.0, 0.0, 3.0]))


@pytest.mark.c
def test_what_a_mode_compiles() -> None:
    x, y = graph()
    sources = {name: function([x], y, mode=name).c_source for name in MODES}
    compiled = {name for name, mode in MODES.items() if mode.compiled}
    assert (
        {name for name, text in sources.items() if text is not None}
        == compiled
        >= {"FAST_COMPILE", "FAST_RUN"}
    )


def test_how_a_mode_is_chosen() -> None:
    assert get_mode().name == config.mode == "FAST_RUN"
    assert get_mode("numpy") is MODES["numpy"] and get_mode(MODES["numpy"]) is MODES["numpy"]
    mine = Mode("mine", rewrite=False, compiled=False, doc="as written")
    x, y = graph()
    assert function([x], y, mode=mine).mode is mine
    with config.change_flags(mode="reference"):
        assert function([x], y).mode.name == "reference"
        assert get_mode().name == "reference"
    with pytest.raises(ModeError):
        function([x], y, mode="no-such-mode")
    with pytest.raises(ConfigError), config.change_flags(mode="no-such-mode"):
        pass
    assert config.mode == "FAST_RUN"


@pytest.mark.parametrize("name", CHECKING)
def test_a_mode_that_looks_at_values_is_offered(name: str) -> None:
    assert name in debug.__all__ and type(get_mode(name)) is getattr(debug, name)


def test_every_mode_is_explained() -> None:
    assert all(name == mode.name and mode.doc for name, mode in MODES.items())
    with pytest.raises(ModeError) as raised:
        get_mode("fast")
    assert raised.value.facts == {"mode": "fast"}
