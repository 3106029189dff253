"""The choices under which a graph is rewritten, in a file of their own: the key of a compiled function reads them too."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eqsat.graph.core import Variable
from eqsat.modes import Mode, get_mode

if TYPE_CHECKING:
    from eqsat.extract.cost import CostModel
    from eqsat.rules.rule import RuleSet


@dataclass(frozen=True)
class Settings:
    """The choices of ``optimize``, checked: see there. ``variants`` is None where as many are kept as pay."""

    rules: RuleSet
    model: CostModel
    seconds: float
    without: Collection[str] = ()
    hints: Mapping[Variable, Any] = field(default_factory=dict)
    variants: int | None = 1
    extractor: str | None = None

    def rewrites_as(self, mode: Any) -> bool:
        """True for a mode of C in which the same rules and rewrites of loops are used."""
        from eqsat.rules.rule import select_rules

        found = get_mode(mode)
        plain = type(found) is Mode and found.rewrite and found.compiled and found.fuse
        return plain and found.without == set(self.without) and select_rules(found.rules) == self.rules
