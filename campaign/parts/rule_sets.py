"""Random subsets of the rules on degenerate functions and on random graphs, in mode ``numpy``; and what classes hold.

A set that is left out of may not make wrong what all rules keep right, since any of them may be missing by a limit.
"""

from __future__ import annotations

import random

import eqsat
from campaign import matrices
from campaign.check import Reference, check_mode, told
from campaign.digest import finding
from campaign.parts import degenerate
from campaign.trial import Finding, Trial
from eqsat.errors import DebugModeError
from eqsat.rules.rule import DEFAULT_TIERS, RuleSet, all_rules

UNIT = "sets"
CLASSES = 4  # in one of so many trials every class of the e-graph is computed


def rules_of(rng: random.Random) -> RuleSet:
    """Some tiers but ``loose``, and of these rules a part."""
    tiers = rng.sample(DEFAULT_TIERS, rng.randint(1, len(DEFAULT_TIERS)))
    part = rng.choice([0.1, 0.5, 0.8, 0.95, 1.0])
    kept = [r for r in all_rules().tiers(*tiers) if rng.random() < part]
    optional = [r for r in all_rules().tagged("optional") if r.tier != "loose" and rng.random() < 0.3]
    return RuleSet([*kept, *optional])


def trial(seed: int) -> Trial:
    """One set of rules on one function."""
    rng, result = random.Random(seed), Trial(1)
    if seed % CLASSES == 0:
        return classes(seed, result)
    rules = rules_of(rng)
    program = degenerate.grow(50_000_000 + seed)
    failure = check_mode(Reference(program, seed), "numpy", rules)
    if failure is not None:
        result.failed = 1
        found = finding(program, failure, rules=rules)
        result.findings += [found] if found else []
    return result


def classes(seed: int, result: Trial) -> Trial:
    """Every form of every class of a random graph, computed and compared."""
    inputs, values, outputs = matrices.grow(50_000_000 + seed)
    result.count("classes computed")
    try:
        eqsat.optimize(outputs[:3], check=dict(zip(inputs, values)))
    except DebugModeError as error:
        result.failed = 1
        text = (
            f"from campaign import matrices\\ninputs, values, outputs = matrices.grow({50_000_000 + seed})\\n"
        )
        text += "eqsat.optimize(outputs[:3], check=dict(zip(inputs, values)))"
        rules = tuple(str(name) for name, _ in error.operands)
        result.findings.append(Finding(f"classes {' '.join(rules[:6])}", told(error), text, rules))
    return result
