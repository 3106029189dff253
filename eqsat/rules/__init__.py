"""What is equal to what: one file per idea, one line per rule; a file here is found because it is here."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eqsat.rules.rule import Rule, RuleSet, all_rules, default_rules, select_rules

__all__ = ["Rule", "RuleSet", "all_rules", "default_rules", "select_rules"]


def __getattr__(name: str) -> Any:
    """The names above, loaded when they are first used."""
    if name in __all__:
        return getattr(import_module("eqsat.rules.rule"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
