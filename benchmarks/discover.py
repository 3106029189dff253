"""Laws that come with eqsat and that discover finds again: how many follow from what it finds over some ops alone.

    python benchmarks/discover.py [--ops add,sub,...] [--size 5] [--seconds 1800] [--folder FOLDER] [--missing] [--wrong]

A law fits where its sides are made of these ops, of variables and of the numbers of the search, and have no more than so many of
them. Of those that fit, ``derive`` is asked whether they follow from the rules found. With ``--wrong`` each rule found is held
against ten times as many points as ``verify`` takes, and against those of another seed. A folder keeps the search.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import eqsat
from eqsat.base.text_tables import table
from eqsat.research.derivation import UNTRIED, derived
from eqsat.research.discovery import Discovery, numbers_filled
from eqsat.research.grammar import chosen_ops, numbers_of
from eqsat.rules.condition import Condition
from eqsat.rules.pattern import Meta, Number, Term, subterms
from eqsat.rules.rule import Rule, RuleSet, all_rules
from eqsat.verify import verify
from eqsat.verify.sweep import POINTS

OPS = "add,sub,mul,truediv,neg,sqr,sqrt,exp,log,log1p,expm1,abs,maximum,minimum"
HEAD = ("laws", "fit", "not tried", "derivable", "share")
ROWS = 20_000


def fits(rule: Rule, ops: set[str], numbers: set[float], size: int) -> bool:
    """True for a law that a search over ops and numbers can find."""
    if rule.multiset or rule.others or rule.functions:
        return False
    for side in (rule.left, rule.right):
        parts = list(subterms(side))
        if len(parts) > size or not all(type(p) in (Meta, Number, Term) for p in parts):
            return False
        if any(isinstance(p, Term) and (p.op not in ops or p.params) for p in parts):
            return False
        if any(isinstance(p, Number) and p.value not in numbers for p in parts):
            return False
    return True


def over_floats(rule: Rule) -> Rule:
    """A law for tensors of floats alone, which are what is searched for."""

    def side(pattern: Any) -> Any:
        if isinstance(pattern, Meta):
            return replace(pattern, domain="float")
        return replace(pattern, args=tuple(map(side, pattern.args))) if isinstance(pattern, Term) else pattern

    facts = rule.when.facts if rule.when is not None else ()
    when = Condition(tuple((name, tuple(map(side, given))) for name, given in facts)) if facts else None
    return replace(rule, left=side(rule.left), right=side(rule.right), when=when)


def asked(laws: list[Rule], found: RuleSet, seconds: float, missing: bool) -> list[str]:
    """The verdict on each law."""
    verdicts = []
    for law in laws:
        others = RuleSet([*found.rules, *numbers_filled().members], {law.name})
        answer = derived(law, others, ROWS, seconds)
        verdicts.append(answer.verdict)
        if missing and not answer:
            print(f"  {answer.verdict}: {law} {answer.why}")
    return verdicts


def rows(laws: list[Rule], verdicts: list[str]) -> Iterator[tuple[str, ...]]:
    """The lines of the table: all laws, and those without and with a condition."""
    kinds = {"all": laws, "no condition": [r for r in laws if r.when is None]}
    kinds["condition"] = [r for r in laws if r.when is not None]
    for name, some in kinds.items():
        ends = [v for r, v in zip(laws, verdicts, strict=True) if r in some]
        tried, good = sum(v != UNTRIED for v in ends), ends.count("equal")
        share = f"{good / tried:.1%}" if tried else "-"
        yield name, str(len(some)), str(len(some) - tried), str(good), share


def wrong(found: Discovery, seed: int) -> list[Rule]:
    """The rules that more points, or those of another seed, break."""
    ways = ({"points": 10 * POINTS, "seed": seed}, {"points": POINTS, "seed": seed + 1})
    checks = {"proof": False, "outside": False, "egraph": False}
    return [r for r in found.rules if not all(verify(r, **way, **checks) for way in ways)]  # type: ignore[arg-type]


def main() -> None:
    """Search, ask and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ops", default=OPS)
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--folder")
    parser.add_argument("--each", type=float, default=10.0, help="seconds for each law")
    parser.add_argument("--missing", action="store_true", help="prints the laws that do not follow")
    parser.add_argument("--wrong", action="store_true", help="holds what is found against more points")
    parser.add_argument("--output", help="writes the rules to a Python file")
    asks = parser.parse_args()
    spent = time.process_time()
    found = eqsat.discover(
        asks.ops, asks.size, from_=[], seconds=asks.seconds, folder=asks.folder, processes=asks.processes
    )
    spent = time.process_time() - spent
    print(
        str(found).splitlines()[-1],
        f"({spent:.0f} s of this process)",
        "stopped" if found.stopped else "",
        flush=True,
    )
    if asks.output:
        with open(asks.output, "w", encoding="utf-8") as file:
            file.write(found.python())
    ops = chosen_ops(asks.ops)
    names, numbers = {op.name for op in ops}, set(numbers_of(ops))
    laws = [over_floats(r) for r in all_rules() if fits(r, names, numbers, asks.size)]
    print(
        table(HEAD, list(rows(laws, asked(laws, RuleSet(found.rules), asks.each, asks.missing)))), flush=True
    )
    if asks.wrong:
        broken = wrong(found, 0)
        print(f"{len(broken)} wrong of {len(found.rules)}", *map(str, broken), sep="\n  ")


if __name__ == "__main__":
    main()
