"""Rules: one file per idea, one line per rule; a file here is found because it is here."""

from typing import TYPE_CHECKING

from eqsat.base.names import late_names

if TYPE_CHECKING:
    from eqsat.rules.rule import Rule, RuleSet, all_rules, default_rules, select_rules

__all__ = ["Rule", "RuleSet", "all_rules", "default_rules", "select_rules"]

late_names(__name__, {name: f"eqsat.rules.rule:{name}" for name in __all__})
