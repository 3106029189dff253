"""Flags are read from code, the environment and a with block, and checked wherever they are set."""

from __future__ import annotations

from typing import Any

import pytest

from eqsat.base.configuration import FLAGS, Config, UnknownFlagError
from eqsat.errors import ConfigError


def test_every_flag_has_a_default_that_it_takes_and_a_text() -> None:
    config = Config({})
    for name, flag in FLAGS.items():
        assert getattr(config, name) == flag.default == flag.checked(flag.default) and len(flag.doc) > 10
    assert "floatX = 'float64'   # default floating dtype of constructors" in repr(config)


def test_the_environment_is_read_once() -> None:
    config = Config({"EQSAT_FLAGS": "floatX=float32, openmp = no,,egraph_seconds=0.5"})
    assert (config.floatX, config.openmp, config.egraph_seconds) == ("float32", False, 0.5)


def test_flags_are_converted_and_checked() -> None:
    config = Config({})
    config.egraph_nodes = "12"
    config.cache = "TRUE"
    assert (config.egraph_nodes, config.cache) == (12, True)
    config.cache = 0
    assert config.cache is False


@pytest.mark.parametrize(
    "name, value, needs",
    [
        ("floatX", "float16", "one of float32, float64\n  try    float64 or float32"),
        ("cache", "perhaps", "one of True, False"),
        (
            "egraph_seconds",
            -1,
            "seconds of work that saturation may take per function: matches and iterations, counted",
        ),
        (
            "egraph_nodes",
            "many",
            "rows that the e-graph of a large graph may hold before growth stops; a small one may hold less",
        ),
    ],
)
def test_other_values_are_refused(name: str, value: Any, needs: str) -> None:
    config = Config({})
    with pytest.raises(ConfigError) as error:
        setattr(config, name, value)
    assert str(error.value).startswith(f"config.{name} does not take ") and str(error.value).endswith(
        f"\n  needs  {needs}"
    )
    assert getattr(config, name) == FLAGS[name].default


@pytest.mark.parametrize(
    ("name", "wrong", "right"), [("mode", "FAST_RUM", "FAST_RUN"), ("target", "cdua", "cuda")]
)
def test_names_that_higher_rooms_know_are_checked_where_they_are_set(
    name: str, wrong: str, right: str
) -> None:
    config = Config({})
    with pytest.raises(ConfigError) as error:
        setattr(config, name, wrong)
    assert str(error.value).startswith(f"config.{name} does not take {wrong!r}\n  needs  one of ")
    assert right in str(error.value) and str(error.value).count("try") == 1
    setattr(config, name, right)
    assert getattr(config, name) == right
    with pytest.raises(ConfigError, match="EQSAT_FLAGS"):
        Config({"EQSAT_FLAGS": f"{name}={wrong}"})


def test_unknown_flags_are_refused() -> None:
    config = Config({})
    known = "\n  needs  one of " + ", ".join(sorted(FLAGS))
    with pytest.raises(UnknownFlagError) as error:
        config.nothing = 1
    assert str(error.value) == "config has no flag 'nothing'" + known
    with pytest.raises(ConfigError):
        config.nothing  # noqa: B018
    with pytest.raises(ConfigError), config.change_flags(nothing=1):
        pass
    with pytest.raises(ConfigError):
        Config({"EQSAT_FLAGS": "nothing=1"})
    assert not hasattr(config, "nothing") and not hasattr(config, "__nothing__")


def test_a_with_block_puts_the_old_values_back() -> None:
    config = Config({})
    with pytest.raises(RuntimeError), config.change_flags(floatX="float32", openmp=False):
        assert (config.floatX, config.openmp) == ("float32", False)
        raise RuntimeError
    with pytest.raises(ConfigError), config.change_flags(floatX="float32", openmp="perhaps"):
        pass
    assert (config.floatX, config.openmp) == ("float64", True)
