"""What is rewritten, and how: the stages from a graph to its e-graph, for ``optimize`` and for what explains its answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eqsat.egraph.adapter import EGraphFailure
from eqsat.egraph.encode import Encoded, encode
from eqsat.egraph.saturate import Look, Saturated, saturate
from eqsat.egraph.scheduler import Budget
from eqsat.errors import ArgumentError
from eqsat.extract.algebra import Extracted, Posed
from eqsat.extract.chains import product_price
from eqsat.extract.hints import hint_products, hinted
from eqsat.extract.lengths import Spread
from eqsat.pipeline.settings import Settings
from eqsat.rules.rule import RuleSet
from eqsat.scan.opened import open_scans

__all__ = ["Program", "Settings", "cautious"]

MOST_MATCHES = 20_000


def cautious(rules: RuleSet) -> Iterator[tuple[RuleSet, str]]:
    """The rules, then fewer that are less likely to contradict each other; and what is left out after each, in words."""
    yield rules, "rules of the tiers extends and loose, and all that divide, are left out"
    sound = rules.where(lambda r: r.tier in ("exact", "rounds", "stabilises") and not r.divisors)
    yield sound, "rules of every tier but exact are left out"
    yield rules.tiers("exact"), ""


@dataclass(frozen=True)
class Program:
    """Outputs with the settings under which they are rewritten."""

    outputs: list[Any]
    settings: Settings
    on_functions: bool = True  # whether rules that ask what values are made of are among the rules

    @classmethod
    def of(cls, report: Any, caller: str) -> Program:
        """That of a report.

        Errors   ArgumentError, in the name of the caller, for a graph that was compiled as written
        """
        if report.fallback or report.settings is None:
            raise ArgumentError(
                f"{caller}: nothing was rewritten",
                needs="a report of eqsat.optimize, or of a function in mode FAST_RUN",
            )
        return cls(report.original, report.settings, report.on_functions)

    def encoded(self) -> Encoded:
        """The program as tables, the same each time."""
        s = self.settings
        opened = open_scans(self.outputs, s.without, s.rewrites_as)
        encoded = encode(opened.outputs, opened.table, any(r.shares for r in s.rules))
        if s.hints and s.variants == 1:
            hint_products(encoded, hinted(encoded, dict(s.hints), s.model))
        return encoded

    def saturated(self, encoded: Encoded, look: Look | None = None) -> Saturated:
        """The e-graph after all rules have run; ``look`` sees it before it is gone.

        One that contradicts itself is thrown away, and made again with fewer rules.

        Errors   EGraphFailure where even rules that keep every bit contradict each other
        """
        refused: list[str] = []
        matched: set[str] = set()
        chosen = self.settings.rules if self.on_functions else self.settings.rules.plain
        for rules, without in cautious(chosen):
            found = saturate(encoded, rules, self.budget, *self.pricing, look)
            if not found.refused:
                found.retried, found.suspected = refused, sorted(matched)
                return found
            matched |= found.matches().keys()
            refused.append(f"{without}: with them one value was {found.refused}")
        raise EGraphFailure(f"rules make one value {found.refused}")

    def assumed(self, encoded: Encoded) -> Spread | None:
        """The lengths to reckon with where they are not known; None where nothing is said of them."""
        s = self.settings
        return hinted(encoded, dict(s.hints), s.model) if s.hints or s.variants != 1 else None

    def posed(self, encoded: Encoded, saturated: Saturated) -> Posed:
        """The problem that an e-graph poses to the extractor."""
        return Posed(encoded, saturated, self.settings.model, self.assumed(encoded))

    def chosen(self, posed: Posed) -> Extracted:
        """The graph that is chosen in it."""
        seconds = self.settings.flag("extract_seconds")
        return posed.graph(posed.solve(posed.costs(), seconds, self.settings.extractor))

    @property
    def budget(self) -> Budget:
        """The limits of saturation."""
        return Budget(self.settings.flag("egraph_nodes"), MOST_MATCHES, self.settings.seconds)

    @property
    def pricing(self) -> tuple[Any, float]:
        """What the price of a product of matrices is, and an unknown length."""
        model = self.settings.model
        return product_price(model), model.lengths((None,))[0]
