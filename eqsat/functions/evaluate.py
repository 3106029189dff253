"""The value of a variable at once: ``x.eval({...})``, with the functions it makes kept for the next time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eqsat.base.configuration import config
from eqsat.errors import (
    ArgumentError,
    MissingInputError,
)
from eqsat.functions.function import function
from eqsat.graph.core import Constant
from eqsat.graph.walk import graph_inputs
from eqsat.pipeline.settings import Settings
from eqsat.tensor.shared import TensorSharedVariable

_EVALUATED: dict[Any, Any] = {}
_SETTINGS: dict[Any, Settings] = {}  # by mode and flags, since eval is called often
MOST = 256  # of each


def evaluate(variable: Any, values: Mapping[Any, Any] | None = None, mode: Any = None) -> Any:
    """Value of a variable for values of the inputs, which are variables or their names."""
    given = {_named_leaf(variable, key): value for key, value in dict(values or {}).items()}
    key = (variable, tuple(given), _settings(mode))
    found = _EVALUATED.get(key)
    if found is None:
        if len(_EVALUATED) > MOST:
            _EVALUATED.clear()
        try:
            found = _EVALUATED[key] = function(list(given), variable, mode=mode, on_unused_input="ignore")
        except MissingInputError as error:
            name, leaf = error.operands[0]
            raise MissingInputError(
                f"eval: no value is given for {name}",
                operands=[(name, leaf)],
                hint=f"eval({{{name}: value}})",
            ) from None
    return found(*given.values())


def _settings(mode: Any) -> Settings:
    """The settings that a call of ``function`` takes from this configuration."""
    key = (mode, config.values())
    found = _SETTINGS.get(key)
    if found is None:
        if len(_SETTINGS) > MOST:
            _SETTINGS.clear()
        found = _SETTINGS[key] = Settings.of(mode)
    return found


def _named_leaf(variable: Any, key: Any) -> Any:
    """The input of a graph that a key of ``eval`` means: the variable itself, or the one with that name."""
    if not isinstance(key, str):
        return key
    leaves = [v for v in graph_inputs([variable]) if not isinstance(v, (Constant, TensorSharedVariable))]
    found = [v for v in leaves if v.name == key]
    if len(found) > 1:
        raise ArgumentError(f"eval: {len(found)} inputs have the name {key!r}", hint="eval({x: value})")
    if not found:
        names = [v.name for v in leaves if v.name]
        raise ArgumentError(f"eval: the graph has no input named {key!r}", among=(key, names))
    return found[0]
