"""Options of ``function`` that somebody gives to what will call it later: names and values are looked at when they are given."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from eqsat.base.names import check_among, keywords_of
from eqsat.functions.arguments import check_policy
from eqsat.functions.function import function
from eqsat.pipeline.settings import Settings

GRAPH = ("inputs", "outputs")  # of ``function``, which are no options


def check_choices(called: str, given: Mapping[str, Any], own: Sequence[str] = ()) -> None:
    """Refuse options that ``function`` does not take, or that name what there is not; ``own`` are those of the caller, which it checks.

    Errors   ArgumentError with the options that there are, and those that are close; those of ``function`` for a mode, rules, a target
             and others that there are not
    """
    check_among(called, given, [*own, *(k for k in keywords_of(function) or () if k not in GRAPH)])
    if "on_unused_input" in given:
        check_policy(given["on_unused_input"])
    taken = set(inspect.signature(Settings.of).parameters) - {
        "shape_hints"
    }  # of which the graph is not known
    chosen = {k: v for k, v in given.items() if k in taken}
    if chosen:
        settings = Settings.of(**chosen)
        if chosen.get("rules") is not None:
            settings.rules  # noqa: B018  # names that they do not have are refused as the rules are made
