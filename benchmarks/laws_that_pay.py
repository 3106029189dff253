"""Laws, and for each an expression that it makes cheaper or keeps finite: what ``optimize`` gives with it, and without it.

    python benchmarks/laws_that_pay.py [NAME ...] [--json FILE]

The expressions are left sides of a law, over variables that are known to be as its condition asks, their sums and their gradients. A law that
a scheme or a family makes is left out with all the others. One that other laws imply does not pay.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from eqsat.base.text_tables import table
from eqsat.errors import EqsatError
from eqsat.graph.core import Constant
from eqsat.graph.walk import clone_with, graph_inputs
from eqsat.research.derivation import Untried, instances, without
from eqsat.rules.rule import Rule, RuleSet, default_rules

HEAD = ("law", "times", "finite", "without", "expression")
LEAST = 1.02  # times as cheap, to count
TRIED = 4  # laws of a scheme, and instances of a law
POINTS = 40
EXTREMES = (-1000.0, -40.0, -1.0, -1e-9, 1e-9, 1.0, 40.0, 1000.0)


@dataclass(frozen=True)
class Gain:
    """An expression with a law and without it: how many times cheaper it is, and at how many of some points it is finite."""

    law: str
    times: float
    finite: int
    finite_without: int
    expression: str

    @property
    def pays(self) -> bool:
        """True where the law makes it cheaper, or keeps it finite at more points."""
        return self.finite > self.finite_without or (
            self.times >= LEAST and self.finite == self.finite_without
        )

    def row(self) -> tuple[str, ...]:
        """The cells of a table."""
        times = "-" if self.times < LEAST else f"{self.times:.2f}" if self.times < 100 else ">100"
        return (self.law, times, str(self.finite), str(self.finite_without), self.expression)


def families(rules: RuleSet) -> dict[str, list[Rule]]:
    """The rules by the name of their scheme, or by their own."""
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.scheme or rule.name, []).append(rule)
    return found


def spread(items: Sequence[Any], count: int) -> Sequence[Any]:
    """Some items of a list, from all parts of it."""
    return items[:: max(1, -(-len(items) // count))]


def expressions(rule: Rule) -> Iterator[Any]:
    """Left sides over variables of which the condition is known, or exponentials of them, their sums and their gradients."""
    for (left, _), given in instances(rule, TRIED):
        for value in dict.fromkeys([known(left, given), clone_with([left], exps(left, given))[0]]):
            yield value
            if value.type.dtype.startswith("float"):
                total = T.sum(value)
                if value.type.ndim:
                    yield total
                wrt = [v for v in variables(value) if v.type.dtype == value.type.dtype]
                with suppress(EqsatError):
                    yield from eqsat.grad(total, wrt[:1]) if wrt else ()


def known(left: Any, given: Any) -> Any:
    """A left side over variables that are assumed to be what a condition asks for."""
    told: dict[Any, Any] = {}
    for fact, operands in given.settings.get("known", ()):
        x = operands[0]
        if len(operands) == 1 and hasattr(x, "type"):
            with suppress(EqsatError):  # a fact that cannot be assumed
                told[x] = T.assume(told.get(x, x), fact)
    return clone_with([left], told)[0] if told else left


def exps(left: Any, given: Any) -> dict[Any, Any]:
    """Exponentials in place of the variables of which a condition asks something."""
    asked = {o for _, operands in given.settings.get("known", ()) for o in operands if hasattr(o, "type")}
    return {v: T.exp(v) for v in variables(left) if v in asked and v.type.dtype.startswith("float")}


def variables(value: Any) -> list[Any]:
    """The inputs of a graph that are no constants."""
    return [v for v in graph_inputs([value]) if not isinstance(v, Constant)]


def finite_at(value: Any, graphs: Sequence[Any]) -> list[int]:
    """At how many of some points each of some graphs of a value is finite."""
    inputs = variables(value)
    if not inputs or not all(v.type.dtype.startswith("float") for v in inputs):
        return [0] * len(graphs)
    rng = np.random.default_rng(0)
    counts = [0] * len(graphs)
    functions = [eqsat.function(inputs, g, mode="FAST_COMPILE", on_unused_input="ignore") for g in graphs]
    for _ in range(POINTS):
        given = [
            rng.choice(EXTREMES, [3 if n is None else n for n in v.type.shape]).astype(v.type.dtype)
            for v in inputs
        ]
        for k, f in enumerate(functions):
            with (
                suppress(EqsatError),
                np.errstate(all="ignore"),
            ):  # a value that is not as it was assumed to be
                counts[k] += bool(np.isfinite(f(*given)).all())
    return counts


def gain(law: str, value: Any, others: RuleSet) -> Gain:
    """An expression with all rules, and without a law."""
    whole, less = eqsat.optimize(value), eqsat.optimize(value, rules=others)
    times = less.cost_after / whole.cost_after if whole.cost_after else np.inf if less.cost_after else 1.0
    finite = finite_at(value, [whole.optimized[0], less.optimized[0]])
    return Gain(law, float(times), *finite, " ".join(str(value).split())[:160])


def gains(law: str, rules: Sequence[Rule], known: RuleSet) -> Gain | None:
    """The expression of a law for which it pays most; None where there is none."""
    others = without(known, *(r.name for r in rules))
    found: list[Gain] = []
    for rule in spread(rules, TRIED):
        with suppress(Untried):
            for value in expressions(rule):
                with suppress(EqsatError):  # an expression that this law alone makes one, and none without it
                    found.append(gain(law, value, others))
        if any(one.pays for one in found):
            break
    paid = [one for one in found if one.pays]
    return max(paid, key=lambda one: (one.finite - one.finite_without, one.times), default=None)


def main() -> None:
    """Print the laws that pay, and count the others."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="of laws and schemes; all of the default set without")
    parser.add_argument("--json", type=Path, help="writes the rows to a file")
    asked = parser.parse_args()
    known = default_rules()
    every = families(known)
    chosen = {name: every[name] for name in asked.names or every}
    rows, idle = [], []
    for law, rules in chosen.items():
        best = gains(law, rules, known)
        if best is None:
            idle.append(law)
        else:
            rows.append(best)
            print(*best.row(), flush=True)
    print(table(HEAD, [one.row() for one in rows], right=(1, 2, 3)))
    print(
        f"{len(rows)} of {len(chosen)} laws and schemes pay; no expression was found for {', '.join(idle) or 'none'}"
    )
    if asked.json:
        asked.json.write_text(json.dumps([asdict(one) for one in rows]))


if __name__ == "__main__":
    main()
