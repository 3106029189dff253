"""The stages of a rewriting, each a value made of the one before, for ``optimize`` and for all that looks into its answer.

Program -> Encoded -> Saturated -> Posed (the problem of extraction) -> Extracted (the choice, as a graph) -> Rewriting
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from eqsat.base.laps import Laps
from eqsat.base.values import dataclass
from eqsat.egraph.adapter import EGraphFailure
from eqsat.egraph.assumptions import assumed
from eqsat.egraph.encode import Encoded, encode
from eqsat.egraph.reading import Saturated
from eqsat.egraph.saturate import Look, More, saturate
from eqsat.egraph.scheduler import Budget
from eqsat.egraph.transcript import Transcript
from eqsat.errors import ArgumentError
from eqsat.extract.algebra import Extracted, Posed
from eqsat.extract.chains import product_price
from eqsat.extract.hints import hint_products, hinted, tell_lengths
from eqsat.extract.variants import MOST, Variant, find_variants, may_vary
from eqsat.pipeline.settings import Settings
from eqsat.rules.rule import Rule, RuleSet
from eqsat.scan.from_equations import close_scans
from eqsat.scan.to_equations import open_scans

__all__ = ["Program", "Rewriting", "Settings", "cautious"]

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
        """The program that a report is about.

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
        encoded = encode(opened.outputs, opened.table, s.rules.shares)
        if (s.hints or tell_lengths(encoded.leaves, encoded.nodes)) and s.variants == 1:
            hint_products(encoded, hinted(encoded, dict(s.hints), s.model))
        told = assumed(encoded)
        return replace(encoded, assumed=told) if told else encoded

    def saturated(
        self,
        encoded: Encoded,
        look: Look | None = None,
        more: More | None = None,
        ends: tuple[int, int] | None = None,
        told: Transcript | None = None,
    ) -> Saturated:
        """The e-graph after all rules have run; ``look`` sees it before it is gone, and ``more`` may add rules. They end
        once the two nodes in ``ends`` are one. ``told`` is given the commands of the session.

        One that contradicts itself is thrown away, and made again with fewer rules.

        Errors   EGraphFailure where even rules that keep every bit contradict each other
        """
        refused: list[str] = []
        matched: set[str] = set()
        chosen = self.settings.rules if self.on_functions else self.settings.rules.plain
        for rules, without in cautious(chosen):
            found = saturate(
                encoded, rules, self.budget, *self.pricing, look, None if refused else more, ends, told
            )
            if not found.refused:
                return replace(found, retried=refused, suspected=sorted(matched))
            matched |= found.matches().keys()
            refused.append(f"{without}: with them one value was {found.refused}")
        raise EGraphFailure(f"rules make one value {found.refused}")

    def posed(self, encoded: Encoded, saturated: Saturated) -> Posed:
        """The problem that an e-graph poses to the extractor, with the lengths that are assumed where they are hinted, those
        of values that shared variables hold, or several graphs may be kept for them."""
        s = self.settings
        told = (
            s.hints or tell_lengths(encoded.leaves, encoded.nodes) or may_vary(encoded, saturated, s.variants)
        )
        assumed = hinted(encoded, dict(s.hints), s.model) if told else None
        return Posed(encoded, saturated, s.model, assumed)

    def chosen(self, posed: Posed) -> Extracted:
        """The graph that is chosen in it."""
        seconds = self.settings.flag("extract_seconds")
        return posed.graph(posed.solve(posed.costs(), seconds, self.settings.extractor))

    def rewritten(self, encoded: Encoded) -> Rewriting:
        """The stages from the tables on."""
        return self.read_out(encoded, self.saturated(encoded))

    def read_out(self, encoded: Encoded, saturated: Saturated) -> Rewriting:
        """The stages from the e-graph on."""
        laps = Laps()
        laps.told(saturated.seconds)
        posed = self.posed(encoded, saturated)
        extracted = self.chosen(posed)
        laps.lap("extract")
        return Rewriting(self, encoded, saturated, posed, extracted, laps.seconds)

    def in_turn(self, encoded: Encoded) -> Rewriting:
        """The stages without rules that ask what values are made of; where one could still match what was chosen, with them.

        They run in the e-graph that is there, or in a new one where that meets a limit or a contradiction.
        """
        plain, first = replace(self, on_functions=False), []

        def more(found: Saturated) -> RuleSet | None:
            first.append(plain.read_out(encoded, found))
            return self.settings.rules if not found.outgrown and first[0].asks_functions else None

        saturated = plain.saturated(encoded, None, more)
        if saturated.widened:
            return replace(self, on_functions=True).read_out(encoded, saturated)
        return (first[0] if first else plain.read_out(encoded, saturated)).on_functions()

    @property
    def budget(self) -> Budget:
        """The limits of saturation."""
        return Budget(self.settings.flag("egraph_nodes"), MOST_MATCHES, self.settings.seconds)

    @property
    def pricing(self) -> tuple[Any, float]:
        """The price of a product of matrices, and the unknown length, for the e-graph."""
        model = self.settings.model
        return product_price(model), model.lengths((None,))[0]


@dataclass(frozen=True)
class Rewriting:
    """A program with all stages of its rewriting, and the seconds of each."""

    program: Program
    encoded: Encoded
    saturated: Saturated
    posed: Posed
    extracted: Extracted
    seconds: Mapping[str, float]

    @cached_property
    def asks_functions(self) -> bool:
        """True where a rule that asks what values are made of, and was not there, could match what was chosen."""
        skipped = self.program.on_functions or self.saturated.unsettled(self.program.budget.nodes)
        candidates = [] if skipped else self._candidates()
        if not candidates:
            return False
        from eqsat.egraph.function_search import could_match  # which takes long to load

        return could_match(candidates, self.extracted.chosen, self.saturated)

    def on_functions(self) -> Rewriting:
        """The same again with the rules that ask what values are made of, where one could still match what was chosen."""
        if not self.asks_functions:
            return self
        again = replace(self.program, on_functions=True).rewritten(self.encoded)
        spent = {name: seconds + self.seconds.get(name, 0.0) for name, seconds in again.seconds.items()}
        return replace(again, seconds=spent)

    def _candidates(self) -> list[Rule]:
        """The rules that ask what values are made of and whose ops are all in the e-graph, unstable ones where they were chosen."""
        ops = {e.op for e in self.saturated.enodes if not e.unstable} | {e.op for e in self.extracted.chosen}
        return [r for r in self.program.settings.rules.asking_functions(ops) if r.tier == "stabilises"]

    def outputs(self) -> list[Any]:
        """The chosen graph, its loops as scans."""
        made = self.extracted
        return close_scans(made.outputs, made.loops) if made.loops else made.outputs

    def variants(self) -> list[Variant]:
        """The graphs to keep for different lengths, where several are asked for."""
        s = self.program.settings
        if not may_vary(self.encoded, self.saturated, s.variants):
            return []
        seconds = s.flag("extract_seconds")
        return find_variants(
            self.encoded, self.saturated, s.model, seconds, dict(s.hints), s.variants or MOST
        )
