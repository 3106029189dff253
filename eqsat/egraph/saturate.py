"""ALGEBRA: load a graph, saturate the rules in phases, fold constants between them, and read the e-graph out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import field, replace
from math import inf

from eqsat.base.forks import Lock
from eqsat.base.laps import Laps
from eqsat.base.values import dataclass
from eqsat.egraph.adapter import EGraphFailure, Frozen, Session, Template
from eqsat.egraph.calls import Answers
from eqsat.egraph.chain_schema import with_flips
from eqsat.egraph.chains import UNKNOWN, Price
from eqsat.egraph.compile_rule import rule_texts
from eqsat.egraph.driver import Driver, usual_stages
from eqsat.egraph.encode import Encoded
from eqsat.egraph.folding import NUM
from eqsat.egraph.operands_seen import names_of, pairs_of
from eqsat.egraph.part_schema import PART, with_parts
from eqsat.egraph.place import session_of
from eqsat.egraph.probe import are_equal, equality_watch
from eqsat.egraph.reading import LEAF, READ, Saturated, column, read, typed
from eqsat.egraph.rule_selection import RuleSelection, refuse
from eqsat.egraph.scheduler import Budget, PhaseReport
from eqsat.egraph.schema import BASE, base_rules, constructor, rules_of, schema_of
from eqsat.egraph.stock import Stock
from eqsat.egraph.transcript import Transcript
from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.equality import EVERY, NUMBER, REPEATED, equal_to
from eqsat.rules.pattern import Term, metas_of
from eqsat.rules.rule import Identity, Need, Rule, RuleSet
from eqsat.rules.schemes.scheme import Check

LARGE = 5000  # nodes of a graph from which rules that pair terms are left out
# beginnings of the names of other tables that are read, and of those that are filled
ASKED = ("unstable_", "want_", "probed")
GIVEN = ("in_", "call_", "pattern_", "literal", "dtype_widens", "named_move")
NOTHING: frozenset[str] = frozenset()
COMMON = {name for line in BASE for name in re.findall(r"\((?:relation|function) (in_\w+)", line)} | set(
    f"node items {NUM} {LEAF} dtype ndim mask info made cval lo hi nonzero finite unsigned".split()
)


@dataclass(frozen=True, eq=False)
class Rulebook:
    """A template with the rules that can fire among some ops."""

    selection: RuleSelection
    declared: dict[str, Declaration]
    template: Template
    loops: bool = False
    stock: Stock = field(default_factory=Stock)  # what the template does not hold
    missed: set[str] = field(default_factory=set)  # rules that sessions had to add

    @property
    def rules(self) -> RuleSet:
        """The rules of which the rulebook holds some."""
        return self.selection.rules

    @property
    def ops(self) -> Set[Need]:
        """The ops, and pairs of them, among which its rules can fire."""
        return self.selection.present

    @property
    def chosen(self) -> list[Rule]:
        """The rules that it holds."""
        return [*self.selection.given.values()]

    def usable(self) -> bool:
        """True while every op is still declared as it was."""
        return all(OPS.find(name) is declaration for name, declaration in self.declared.items())

    def price(self, ops: Set[Need]) -> int:
        """Work of a session for a graph of some ops: all that is there is copied, and what is missing is compiled."""
        missing = [] if ops <= self.ops else self.selection.copy().add(ops)
        return len(self.selection.given) + COMPILED * len(missing)

    def with_added(self, added: Added) -> Rulebook:
        """The rulebook with what a session had to add."""
        declared = {**self.declared, **{name: OPS[name] for name in sorted(added.declared)}}
        return replace(
            self,
            selection=added.selection.copy(),
            declared=declared,
            template=self.template.extended(added.lines) if added.lines else self.template,
            stock=added.stock.copy(),
        )

    def reaching(self, ops: Set[Need]) -> Rulebook:
        """The rulebook with all that can fire among some more ops."""
        if ops <= self.ops:
            return self
        growth = Growth(self)
        growth.reach(ops)
        growth.wake(expected(ops))
        return self.with_added(growth.added)


@dataclass
class Added:
    """The rules that a session added to its rulebook, and what there is with them."""

    selection: RuleSelection
    stock: Stock
    rules: list[Rule] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)


COMPILED = 3  # times that compiling a rule takes longer than copying it does
BARE = 40  # rules that take as long to compile as what every template has
_BOOKS: dict[tuple[Identity, bool], list[Rulebook]] = {}
ROUNDS_BY_OPERANDS = 6  # after so many, rules are added by what is under what, not by what stands beside it
ROUNDS_BY_PAIR = 8  # after so many, by the ops that exist
MOST_BOOKS = 8  # kept at a time: each holds an e-graph with its rules in every thread that used it
_LOCK = Lock()


def leave_out(rules: Iterable[Rule]) -> None:
    """No graph is rewritten by some rules any more; the rulebooks that hold one are thrown away."""
    with _LOCK:
        refused = refuse(rules)
        for key, books in _BOOKS.items():
            _BOOKS[key] = [book for book in books if refused.isdisjoint(book.chosen)]


def throw_away(book: Rulebook) -> None:
    """The next session has no rulebook whose e-graph has failed."""
    with _LOCK:
        key = (book.rules.identity, book.loops)
        _BOOKS[key] = [one for one in _BOOKS.get(key, ()) if one is not book]


def pairs_terms(rule: Rule) -> bool:
    """True for a left side with two terms of one op that share an operand, as ``x * c + y * c``.

    Where a large graph has few such operands, egglog looks at all pairs of terms with one, which no budget can stop.
    What makes a graph stable is never left out.
    """
    found = [(a.op, metas_of(a)) for a in getattr(rule.left, "args", ()) if isinstance(a, Term)]
    shared = any(p == q and a & b for k, (p, a) in enumerate(found) for q, b in found[:k])
    return shared and rule.tier != "stabilises"


def _unpaired(rule: Rule, _: object) -> bool:
    return not pairs_terms(rule)


def involved(rules: Sequence[Rule]) -> set[str]:
    """The ops on either side of some rules, and the one that brings the tables of functions that Python computes."""
    found = set().union(*(names_of(r.needs) | r.makes for r in rules))
    return found | {PART} if any(r.calls for r in rules) else found


def rulebook_for(ops: Set[Need], rules: RuleSet, loops: bool = False) -> Rulebook:
    """The rulebook of a graph of these ops: one that is there, with what it lacks, or a new one where that takes less work."""
    key = (rules.identity, loops)
    with _LOCK:
        books = [book for book in _BOOKS.pop(key, ()) if book.usable()]
        prices = [book.price(ops) for book in books]
        least, bare = min(prices, default=inf), COMPILED * BARE
        fit = RuleSelection(rules)
        if least > bare:
            fit.add(ops)
        if least <= (COMPILED + 1) * len(fit.given) + bare:
            kept = books.pop(prices.index(min(prices))).reaching(ops)
        else:
            kept = new_rulebook(ops, rules, loops, fit)
        _BOOKS[key] = [*books, kept]
        while sum(map(len, _BOOKS.values())) > MOST_BOOKS:
            oldest = next(iter(_BOOKS))
            _BOOKS[oldest] = _BOOKS[oldest][1:]
            if not _BOOKS[oldest]:
                del _BOOKS[oldest]
        return kept


def learn(book: Rulebook, added: Added) -> None:
    """The next session finds what one had to add to its rulebook, once that has happened twice.

    Where only rules were added that had waited for rows, it finds them at once. The first of several threads is heard.
    """
    names = {r.name for r in added.rules}
    with _LOCK:
        books = _BOOKS.get((book.rules.identity, book.loops), [])
        if names and 2 * len(names & book.missed) <= len(names):
            book.missed.update(names)
        elif (added.lines or not added.selection.present <= book.ops) and book in books:
            books[books.index(book)] = book.with_added(added)


def new_rulebook(
    ops: Set[Need], rules: RuleSet, loops: bool = False, selection: RuleSelection | None = None
) -> Rulebook:
    """A template for some ops, with the rules that can fire among them, or those that a selection has given."""
    if selection is None:
        selection = RuleSelection(rules)
        selection.add(ops)
    chosen = [*selection.given.values()]
    declared = {name: OPS[name] for name in sorted(with_flips(with_parts(names_of(ops) | involved(chosen))))}
    stock = Stock([*READ, *(constructor(name) for name in declared)], ASKED, GIVEN)
    texts = [
        *schema_of(declared),
        *base_rules(loops),
        *rules_of(declared, loops, off=rules.off),
        *asked_of(rules, declared),
        *texts_of(chosen),
    ]
    template = Template(stock.put(texts), stock.take(expected(ops)))
    return Rulebook(selection, declared, template, loops, stock)


def expected(ops: Iterable[Need]) -> set[str]:
    """The tables that have rows in nearly every graph, and those of some ops."""
    names = names_of(ops)
    return COMMON | {constructor(name) for name in names} | {f"in_{name}" for name in names}


def asked_of(rules: RuleSet, fresh: Iterable[str], known: Iterable[str] = ()) -> list[str]:
    """The analysis of what values are made of, where some rule asks for it."""
    if not rules.on_functions:
        return []
    from eqsat.egraph.function_schema import function_rules

    return function_rules(fresh, known)


def texts_of(rules: Sequence[Rule]) -> list[str]:
    """Egglog text of some rules."""
    return [text for r in rules for text in rule_texts(r)]


class Growth:
    """The rules of one session, or of one to come: more are added as more ops come to exist."""

    def __init__(self, book: Rulebook, session: Session | None = None) -> None:
        self.book, self._session = book, session
        self.selection = book.selection.copy()
        self.declared = set(book.declared)
        self.stock = book.stock.copy()
        self.added = Added(self.selection, self.stock)
        self.literals = {v for r in book.chosen for v in r.literals}
        self.answers: Answers | None = None

    def begin(self, session: Session) -> None:
        """Put the rules into a session."""
        self._session = session

    @property
    def session(self) -> Session:
        """The session that the rules are in."""
        assert self._session is not None, "the session has not begun"
        return self._session

    def reach(self, ops: Set[Need]) -> bool:
        """Add what can fire now that these ops and pairs of ops exist; True where that is anything."""
        return not ops <= self.selection.present and self._take(self.selection.add(ops), ops, self.declared)

    def widen(self, rules: RuleSet) -> None:
        """Go on with a larger set of rules, some of which ask what values are made of; add those that can fire by now."""
        present, self.selection = self.selection.present, RuleSelection(rules, self.selection.given.values())
        self._take(self.selection.add(present), set(), set())
        self.session.saturate("load")

    def _take(self, new: list[Rule], ops: Set[Need], told: Set[str]) -> bool:
        """Add rules and their ops; of the ops that are ``told`` it is known already what is made of them."""
        fresh = with_flips(with_parts(names_of(ops) | involved(new))) - self.declared
        rules = self.selection.rules
        self.added.rules += new  # before egglog is given them: what it refuses is looked for among these
        self.stock.read.update(map(constructor, fresh))
        self.supply(
            [
                *schema_of(fresh)[len(BASE) :],
                *rules_of(fresh, self.book.loops, self.declared, rules.off),
                *asked_of(rules, (self.declared | fresh) - told, told),
                *texts_of(new),
            ]
        )
        self.literals.update(v for r in new for v in r.literals)
        self.load_literals()
        self.declared |= fresh
        self.added.declared |= fresh
        return bool(new or fresh)

    def supply(self, lines: Sequence[str], filled: Iterable[str] = ()) -> bool:
        """Add what is needed of some more commands, and of the rules in stock now that some more tables have rows."""
        ready = [*self.stock.put(lines), *self.stock.take(filled)]
        if ready and self._session is not None:
            self._session.add(ready)
        self.added.lines += ready
        return bool(ready)

    def wake(self, filled: Iterable[str]) -> bool:
        """Add the rules that have waited for rows in some tables; True where there are any."""
        new = set(filled) - self.stock.filled
        return bool(new) and self.supply([], new)

    def tell(self, facts: Sequence[str]) -> None:
        """Add the rules that wait for rows of tables into which some commands have put facts."""
        tables = {name for line in facts for name in re.findall(r"\((\w+) ", line)} & self.stock.tables
        self.stock.fillable |= tables
        self.stock.sort()
        self.wake(tables)

    def has(self, phase: str) -> bool:
        """True where some rule runs in a phase."""
        return any(r.phase == phase for r in self.selection.given.values())

    def load_literals(self) -> None:
        """Say which codes the values in the rules have in the graph at hand."""
        if self.answers is not None and self.literals:
            self.session.load(self.answers.literals(self.literals))

    def tables(self) -> list[str]:
        """Names of the tables of e-nodes."""
        return [NUM, "cval", *map(constructor, self.declared)]

    def look(self, frozen: Frozen, rounds: int) -> bool:
        """Add the rules for what exists, and for what is taken to exist after some rounds. True where there are any."""
        existing = self.existing(frozen)
        names = names_of(existing)
        if rounds >= ROUNDS_BY_OPERANDS:
            existing |= pairs_of(names) if rounds >= ROUNDS_BY_PAIR else {(op, EVERY) for op in names}
        grown = self.reach(existing)
        if grown:
            self.session.saturate("load")  # a rule may say what to do when ops are loaded
        return grown

    def existing(self, frozen: Frozen) -> set[Need]:
        """The ops of which the e-graph holds an e-node, what stands under each, and what beside each other."""
        tables = {name: frozen.columns(constructor(name)) for name in sorted(self.declared)}
        written = set(frozen.columns(NUM).output)
        makers = {
            cls: {NUMBER, equal_to(value), *(() if cls in written else (REPEATED,))}
            for cls, value in column(frozen, "cval").items()
        }
        for name, table in tables.items():
            for cls in set(table.output):
                makers.setdefault(cls, set()).add(name)
        known = {cls: frozenset(names) for cls, names in makers.items()}
        found: set[Need] = {name for name, table in tables.items() if table.output}
        for name in names_of(found):
            columns = tables[name].inputs[: len(OPS[name].tensors)]
            operands = {tuple(known.get(cls, NOTHING) for cls in row) for row in zip(*columns, strict=True)}
            found |= {(name, made) for made in operands}
            found |= {(name, one) for made in operands for names in made for one in names}
        return found


Look = Callable[[Session, Growth, Callable[[Session], bool]], object]
More = Callable[[Saturated], RuleSet | None]


def saturate(
    encoded: Encoded,
    rules: RuleSet,
    budget: Budget,
    price: Price | None = None,
    default_length: float = UNKNOWN,
    look: Look | None = None,
    more: More | None = None,
    ends: tuple[int, int] | None = None,
    told: Transcript | None = None,
) -> Saturated:
    """The e-graph of a graph after the rules have run, or once the two nodes in ``ends`` are one.

    ``price`` is the price of a product of matrices (see chains.py), and ``default_length`` that of an unknown length.
    ``look`` sees the session when the e-graph has been read. ``more`` is asked before whether a larger set of rules is to
    run in the same e-graph, and which; where that meets a limit or a contradiction, the answer is the e-graph without them.
    ``told`` is given the commands of the session, whose rules are then those of this graph alone.

    Errors   EGraphUnavailable where egglog cannot be loaded; EGraphFailure where it fails; DeclarationError for an op of
             which a field names no op
    """
    OPS.check(encoded.ops)  # laws are made of the ops that they name
    task = _Task(encoded, rules, budget, price, default_length, look, more, ends, told)
    while True:
        book = task.rulebook()
        growth = Growth(book)
        try:
            return task.done(growth)
        except EGraphFailure:
            from eqsat.egraph.refused import left_out  # which imports this file, and is seldom needed

            throw_away(book)
            if not left_out([*book.chosen, *growth.added.rules], book.loops):
                raise


class _Task:
    """A call of ``saturate``, with the names of its arguments; ``kept`` are the rules that so large a graph is given."""

    def __init__(
        self,
        encoded: Encoded,
        rules: RuleSet,
        budget: Budget,
        price: Price | None,
        default_length: float,
        look: Look | None,
        more: More | None,
        ends: tuple[int, int] | None,
        told: Transcript | None,
    ) -> None:
        self.encoded, self.rules, self.budget, self.laps = encoded, rules, budget, Laps()
        self.pricing = price, default_length
        self.look, self.more, self.ends, self.told = look, more, ends, told
        self.needs = encoded.ops | encoded.pairs
        self.kept, self.left_out = rules, 0
        if len(encoded.nodes) > LARGE:
            self.kept = rules.only(Check(_unpaired, ""))
            self.left_out = sum(map(pairs_terms, RuleSelection(rules).add(self.needs)))

    def rulebook(self) -> Rulebook:
        """The rules that the graph needs: those of this graph alone where somebody is told of them."""
        self.laps = Laps()
        make = rulebook_for if self.told is None else new_rulebook
        return make(self.needs, self.kept, bool(self.encoded.loops))

    def done(self, growth: Growth) -> Saturated:
        """The e-graph after the rules of a rulebook have run, and those that are added to them."""
        book, encoded, laps, ends = growth.book, self.encoded, self.laps, self.ends
        with session_of(book.template, self.budget.nodes + 3 * len(encoded.variables)) as own:
            session = own if self.told is None else self.told.recorded(own, book.template.lines)
            growth.begin(session)
            laps.lap("template")
            driver = Driver(session, growth, encoded, *self.pricing)
            laps.lap("load")
            stages = usual_stages(session.size(), self.budget.nodes)
            if ends is not None:
                session.add(equality_watch(*ends))
            phases = driver.run(stages, self.budget, None if ends is None else lambda *_: are_equal(session))
            laps.lap("saturate")
            result = self.found(driver, phases)
            learn(book, growth.added)
            wanted = None
            if self.more is not None and self.kept is self.rules and not result.refused:
                wanted = self.more(result)
            if wanted is not None:
                laps.lap("extract")
                growth.widen(wanted)
                wider = [*phases, *driver.run(stages, self.budget, on_trial=True)]
                laps.lap("saturate")
                last = replace(self.found(driver, wider), widened=True)
                result = result if last.refused or last.outgrown else last
            if self.look is not None and not result.refused:
                self.look(session, growth, driver.answer)
        return result

    def found(self, driver: Driver, phases: list[PhaseReport]) -> Saturated:
        """The e-graph as it is now; what time did not suffice to give a type is left out."""
        growth = driver.growth
        made = read(driver.session, self.encoded, growth.declared)
        if any(p.stopped == "seconds" for p in phases):
            made = typed(made)
        self.laps.lap("read")
        return replace(
            made,
            phases=phases,
            rules=len(growth.selection.given),
            left_out=self.left_out,
            seconds=dict(self.laps.seconds),
        )
