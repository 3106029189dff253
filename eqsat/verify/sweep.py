"""The sweep over rules: points inside and outside the condition, a proof, and a try in the e-graph."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from functools import partial
from os import PathLike
from typing import Any

from eqsat.base.jobs import Jobs, loaded
from eqsat.base.progress import Progress, shows_progress
from eqsat.egraph.compile_rule import guards_shape
from eqsat.errors import ArgumentError
from eqsat.rules.facts import FACTS
from eqsat.rules.rule import Rule, select_rules
from eqsat.verify.egraph_trial import joins, refusals
from eqsat.verify.instances import is_loop_rule
from eqsat.verify.points import facts_of
from eqsat.verify.promises import Tally, failures_outside, find_failures
from eqsat.verify.proof import proof_status
from eqsat.verify.result import Verification
from eqsat.verify.sources import load_module

POINTS = 60
GUARDS = (
    "varies",
    "differ",
    "unmatched",
    "kept",
    "single",
    "rank",
    "shared_left",
    "shared_right",
    "weights_in_order",
    "repeated",
    "met",
    "wider",
    "over",
    "sum_over",
)  # facts that limit growth, or without which the left side has no value
OF_LOOPS = ("fixed", "recurs", "covers", "invariant", "rank")  # facts without which values are wrong
LOOP_SHARE = 3  # a drawn loop takes longer than a point and holds more numbers


@shows_progress("verify")
def verify(
    rule: Rule,
    points: int = POINTS,
    seed: int = 0,
    proof: bool = True,
    outside: bool = True,
    egraph: bool = True,
) -> Verification:
    """Hold a rule against what its tier promises; the result is true where it does, and says what was seen.

    Operands are drawn inside the condition: signed zeros, infinities, NaN, subnormal, huge and tiny numbers, and
    ordinary ones, of 0 to 3 axes, some of length 0 or 1, in floats, some integers and truth values as the rule takes them. Both sides are compared
    with each other and with real arithmetic. ``outside`` looks for a point that needs the condition, ``proof`` asks
    sympy, ``egraph`` loads the rule into an e-graph, which must take it, and both sides, which it must find equal. Rules on loops are tried on drawn
    loops, one for three points.

    >>> from eqsat.graph.ops.elemwise import exp, log
    >>> from eqsat.rules.pattern import reals
    >>> from eqsat.rules.rule import rule
    >>> from eqsat.verify import verify
    >>> x, y = reals("x y")
    >>> print(verify(rule("wrong-sign", -(x - y), x - y, tier="exact", cite="definition"), points=4))
    ... # doctest: +ELLIPSIS
    wrong-sign: neg(sub(x, y)) = sub(x, y) [exact]
      BROKEN: a point breaks the promise
      ... points inside the condition, nothing is rounded
      sympy: not provable
        at    x=[...] (float...), y=[...] (float...)
        left [...], right [...]
    """
    start, tally = time.perf_counter(), Tally()
    if isinstance(rule, str):
        raise ArgumentError(
            f"verify: {rule!r} is text", needs="a rule", hint=f"eqsat.rules.all_rules()[{rule!r}]"
        )
    found = Verification(rule)
    count = max(1, points // LOOP_SHARE) if is_loop_rule(rule) else points
    found.failures = find_failures(rule, guards_shape(rule), count, seed, tally)
    found.points, found.worst = tally.points, tally.worst
    if outside and needs_check(rule):
        found.needed, found.outside = look_outside(rule, 400, seed + 1)
    if proof:
        found.proof = proof_status(rule)
    if egraph and not found.failures:
        found.failures = refusals(rule)
    if egraph and not found.failures:
        found.joined = joins(rule)
    found.seconds = time.perf_counter() - start
    return found


def needs_check(rule: Rule) -> bool:
    """True for a rule whose condition states something without which values would be wrong."""
    facts = [fact for fact, _ in facts_of(rule)]
    if is_loop_rule(rule):
        return any(fact in OF_LOOPS for fact in facts)
    needed = (fact not in GUARDS and FACTS[fact].about != "functions" for fact in facts)
    return any(needed) and "turned" not in rule.tags


def look_outside(rule: Rule, count: int, seed: int) -> tuple[bool, int]:
    """Look for a point outside the condition that breaks the rule; whether one does, and the number of tries."""
    tried = 0
    for failure in failures_outside(rule, count, seed):
        tried += 1
        if failure is not None:
            return True, tried
    return False, tried


def sweep(
    rules: Any = "all",
    points: int = POINTS,
    seed: int = 0,
    workers: int = 1,
    modules: Iterable[str] = (),
    seen: Callable[[Verification], Any] | None = None,
    executor: Any = None,
    resume: str | PathLike[str] | None = None,
    **checks: Any,
) -> list[Verification]:
    """Verify rules, all that come with eqsat where none are given, by some workers; results in order of names.

    ``rules`` is what ``optimize(rules=...)`` takes. ``executor`` is an executor of ``concurrent.futures``, a client of Dask, or text as
    "dask:tcp://10.0.0.1:8786" and "processes:4", which so many ``workers`` stand for. Workers import ``modules``, names or paths, first: those
    that declare ops. ``seen`` is called with each result when it is there; ``checks`` are those of ``verify``. ``resume`` is a file to which finished
    rules are added, and which are not tried again. A seed draws the same points in any number of processes.

    Errors   ArgumentError for an executor or a file that cannot be used; WorkerError for a rule whose worker was lost several times

    >>> from eqsat.verify import sweep
    >>> [bool(r) for r in sweep("log-exp,exp-log", points=4)]
    [True, True]
    """
    chosen = list(select_rules(rules))
    jobs = Jobs(
        partial(verify, points=points, seed=seed, **checks),
        name=lambda rule: f"rule {rule.name}",
        key=lambda rule: f"{rule.name} {hashlib.sha256(rule.whole.encode()).hexdigest()[:16]}",
        prepare=loaded(load_module, modules),
        about={"verify": {"points": points, "seed": seed, **checks}},
        row=Verification.as_row,
        answer=Verification.of_row,
    )
    if executor is None and workers > 1:
        executor = f"processes:{workers}"
    found = []
    with Progress("verify", len(chosen)) as progress:
        for rule, result in jobs.run(chosen, executor, resume):
            result.rule = rule
            progress.step(rule.name)
            if seen is not None:
                seen(result)
            found.append(result)
    return sorted(found, key=lambda r: r.rule.name)
