"""Rules that are there to find: terms over some ops that are equal, and that no rule shows to be equal."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import field
from multiprocessing import get_context
from typing import Any

from eqsat.base.progress import Progress
from eqsat.base.text_tables import table
from eqsat.base.values import dataclass
from eqsat.graph.ops.elemwise import fill
from eqsat.research.candidate import name_of
from eqsat.research.grammar import Grammar
from eqsat.research.rule_file import file_text
from eqsat.research.scopes import Conditions
from eqsat.research.search import Search
from eqsat.research.tensor_terms import TensorConditions, TensorTerms
from eqsat.research.terms import Kind, Terms
from eqsat.research.work import Journal, Work
from eqsat.rules.rule import Rule, RuleSet, all_rules, select_rules
from eqsat.rules.schemes.scheme import Check
from eqsat.verify.sources import load_module

__all__ = ["Discovery", "discover"]

HEAD = ("rule", "left", "right", "when", "tier")
VERSION = "3"  # of the answers in a journal


@dataclass(eq=False, repr=False)
class Discovery:
    """The answer of ``discover``: rules, in the order in which they were found, and what became of the other candidates.

    ``terms`` counts the terms that were made, ``candidates`` the pairs of equal values up to names of variables, ``follow``
    those that rules show to be equal. ``refused`` has those that keep no promise, with the reason. ``stopped`` is true where
    the time ended it.

    Units    ``seconds`` of the clock

    >>> import eqsat
    >>> found = eqsat.discover("neg,abs", size=3, from_=[], conditions=False)
    >>> [str(rule.equation) for rule in found.rules]
    ['neg(neg(x)) = x', 'abs(abs(x)) = abs(x)', 'abs(neg(x)) = abs(x)']
    """

    rules: list[Rule] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    terms: int = 0
    candidates: int = 0
    follow: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)
    stopped: bool = False
    seconds: float = 0.0
    kinds: Mapping[str, Kind] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.rules)

    def __str__(self) -> str:
        rows = [
            (r.name, str(r.left), str(r.right), "" if r.when is None else str(r.when), r.tier)
            for r in self.rules
        ]
        counts = f"{self.terms:,} terms, {self.candidates:,} candidates, {self.follow:,} follow, {len(self.refused):,} refused"
        last = f"{len(self.rules)} rules: {counts}, {self.seconds:.1f} s"
        lines = [table(HEAD, rows)] if rows else []
        lines += (
            ["the time was over before all terms of this size had been looked at"] if self.stopped else []
        )
        return "\n".join([*lines, last])

    def __repr__(self) -> str:
        return f"<Discovery of {len(self.rules)} rules>"

    def python(self, modules: Sequence[str] = ()) -> str:
        """The rules as the text of a Python file, which ``eqsat rules verify FILE`` reads.

        ``modules`` declare ops; the file loads them first.

        >>> import eqsat
        >>> print(eqsat.discover("neg", size=3, from_=[]).python().splitlines()[-2].strip())
        eqsat.rule("found-neg-neg", T.neg(T.neg(x)), x, tier="exact"),
        """
        return file_text(self.rules, self.texts, self.kinds, modules)


def answer_of(search: Search, seconds: float) -> Discovery:
    """The discovery, with the text of each rule."""
    found = Discovery(refused=search.refused, stopped=search.stopped, seconds=seconds)
    found.terms, found.candidates = len(search.terms.nodes), search.count
    found.kinds = search.terms.kinds
    named: dict[str, Rule] = {}
    for rule in search.found:
        one = search.chosen[rule.name]
        name = name_of(search.terms, one, {*named, *(r.name for r in search.known.rules)})
        named[name] = one.rule(search.terms, name, rule.tier, tuple(rule.tags))
        found.texts[name] = one.declared(search.terms, named[name])
    found.rules = list(named.values())
    found.follow = found.candidates - len(found.rules) - len(found.refused)
    return found


def discover(
    ops: Any,
    size: int = 5,
    dtype: str = "float64",
    from_: Any = None,
    seconds: float = 600.0,
    seed: int = 0,
    numbers: Sequence[float] | None = None,
    conditions: bool | Sequence[str] = True,
    folder: Any = None,
    processes: int = 1,
    executor: Executor | None = None,
    modules: Sequence[str] = (),
    ranks: Sequence[int] = (),
    operations: int | None = None,
) -> Discovery:
    """Look for rules over some ops: terms that are equal, and that the rules known before do not show to be equal.

    ``ops`` are ops or their names, your own among them: elementwise ones without ``ranks``, and those of whole tensors where
    these are numbers of axes that variables have, as (2,) for matrices. All terms of up to ``size`` variables, numbers and
    ops are made, and of up to so many ``operations``, over three variables (four from size 7 on) and the numbers of which the
    declarations of the ops speak (``numbers`` names others).
    Those of equal values at drawn points are candidates. Step by step the smallest is written as a rule, in the tier whose
    promise it keeps, and what follows from it is left out. With ``conditions`` terms that are equal only where facts of the
    variables hold become rules under the weakest condition; with names of such facts, as ["nonneg"], under those alone. ``from_`` is what ``optimize`` takes as rules, the default tiers
    where it is None; with ``[]`` only what ops declare is known, and that a number
    may be filled into any tensor of a shape. The same ``seed`` gives the same rules, unless the time is over.

    ``folder`` keeps what was found out on disk: a search for the same goes on where another one was ended. The work is
    done in several ``processes``, which first import ``modules`` that declare ops, or by any ``executor`` of
    concurrent.futures; the rules are the same.

    Units    ``seconds`` of the clock
    Errors   ArgumentError for an op that is unknown, one of whole tensors without ``ranks``, a size below 2, no operations, a folder
             that cannot be written; DTypeError
    Source   Nandi et al. 2021, Rewrite rule inference using equality saturation (Ruler)

    >>> import eqsat
    >>> print(eqsat.discover("exp,log", size=3, from_=[]).rules)
    [found-log-exp: log(exp(x)) = x [stabilises], found-exp-log: exp(log(x)) = x when nonneg(x) [stabilises]]
    """
    grammar = Grammar.of(ops, numbers, ranks, size=size, dtype=dtype, operations=operations, seed=seed)
    start = time.monotonic()
    known = select_rules(from_) + numbers_filled()
    terms = TensorTerms(grammar) if grammar.ranks else Terms(grammar)
    journal = Journal(folder, [VERSION, *grammar.key(), known.key()])
    tried = conditions_of(terms, conditions)
    with Progress("discover", seconds=seconds), workers(processes, executor, modules) as pool:
        search = Search(terms, known, seconds, seed, Work(journal, pool), tried)
        for n in range(2, size + 1):
            if search.over():
                break
            search.look(n)
        search.minimise()
        search.together()
    return answer_of(search, time.monotonic() - start)


def numbers_filled() -> RuleSet:
    """The laws on what is filled, which say that only the shape of the model matters; a number on a side is filled into one."""
    return all_rules().only(Check(is_on_fillings, ""))


def is_on_fillings(rule: Rule, _: Hashable) -> bool:
    """True for a law whose left side is a filling, and that keeps all bits."""
    return getattr(rule.left, "op", None) == fill.name and rule.tier == "exact"


def conditions_of(terms: Terms, asked: bool | Sequence[str]) -> Conditions | TensorConditions | None:
    """The conditions that are tried of terms: all, none, or those of some facts."""
    if asked is False:
        return None
    only = None if asked is True else asked.split(",") if isinstance(asked, str) else asked
    return TensorConditions(terms, only) if isinstance(terms, TensorTerms) else Conditions(terms, only)


@contextmanager
def workers(processes: int, executor: Executor | None, modules: Sequence[str]) -> Iterator[Executor | None]:
    """The executor that is given, or one of fresh processes; none where one process is enough."""
    if executor is not None or processes <= 1:
        yield executor
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), prepare, (tuple(modules),)) as pool:
        yield pool


def prepare(modules: tuple[str, ...]) -> None:
    """Start a worker: declare the ops of the user's modules."""
    for module in modules:
        load_module(module)
