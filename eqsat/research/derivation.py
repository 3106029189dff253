"""Rules that follow from others: both sides become one by them, over variables of which the condition is known."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from eqsat.base.progress import Progress
from eqsat.base.values import dataclass
from eqsat.egraph.assumptions import stated
from eqsat.egraph.compile_rule import guards_shape
from eqsat.errors import ArgumentError
from eqsat.inspect.explanation.explanation import Explanation
from eqsat.inspect.explanation.explanation_text import explanation_text
from eqsat.inspect.explanation.values import Points
from eqsat.research.equality import Equality, answer_of
from eqsat.research.question import Question, explained
from eqsat.rules.rule import Rule, RuleSet, all_rules, select_rules
from eqsat.verify.egraph_trial import drawn_for
from eqsat.verify.instances import is_loop_rule
from eqsat.verify.points import is_elementwise, points, uniform_metas
from eqsat.verify.promises import check_types
from eqsat.verify.sides import Graph, Point, Undefined

__all__ = ["Derivation", "derive", "derive_all"]

FEW, TRIED = (
    6,
    60,
)  # points among which those with many elements are looked for: at first, and once a rule follows at one of few
EACH = 3  # of them at which a rule must follow
UNTRIED = "not tried"


@dataclass(eq=False, repr=False)
class Derivation:
    """The answer of ``derive``; true where the rule follows from the others.

    ``verdict`` is that of ``Equality``, or "not tried", of which ``why`` says the reason.

    >>> import eqsat
    >>> eqsat.derive("maximum-known")
    <Derivation of maximum-known: not tried>
    """

    rule: Rule
    verdict: str
    answer: Equality | None = None
    why: str = ""
    points: Any = None

    def __bool__(self) -> bool:
        return self.answer is not None and bool(self.answer)

    def explain(self, seconds: float = 20.0) -> Explanation:
        """The fewest rules from which it follows, and the steps.

        Errors   ArgumentError where it does not follow

        >>> import eqsat
        >>> [step.name for step in eqsat.derive("minus-one-minus-neg-exp").explain().steps]
        ['sub-neg', 'exp-minus-one']
        """
        if not self or self.answer is None:
            raise ArgumentError(f"explain: {self.rule.name} does not follow: {self.verdict}")
        return explained(self.answer.question, list(self.answer.rules), seconds, self.points)

    def __str__(self) -> str:
        words = {"equal": "follows", "not shown": "does not follow"}.get(self.verdict, self.verdict)
        lines = [str(self.rule), f"  {words}" + (f": {self.why}" if self.why else "")]
        a = self.answer
        if a is not None:
            lines[-1] += f": {a.limit}" if a.limit else ""
            lines.append(f"  {a.enodes:,} e-nodes, {len(a.rules)} rules matched, {a.seconds:.2f} s")
        return "\n".join(lines)

    def text(self, seconds: float = 20.0) -> str:
        """The answer with the steps."""
        if not self:
            return str(self)
        steps = explanation_text(self.explain(seconds)).splitlines()
        return "\n".join([str(self), *(f"  {line}".rstrip() for line in steps)])

    def __repr__(self) -> str:
        return f"<Derivation of {self.rule.name}: {self.verdict}>"

    def row(self) -> tuple[str, ...]:
        """The cells of a table: rule, verdict, e-nodes, seconds."""
        a = self.answer
        numbers = ("-", "-") if a is None else (f"{a.enodes:,}", f"{a.seconds:.2f}")
        return (self.rule.name, self.verdict, *numbers)


def derive(rule: Any, from_: Any = None, size: int | None = None, seconds: float = 10.0) -> Derivation:
    """Look for a proof that a rule follows from others: its sides, over variables of which its condition is known, become equal by them.

    ``rule`` is one, or the name of one that comes with eqsat. ``from_`` is what ``optimize`` takes as rules, the default tiers where
    it is None; the rule itself is left out of them. It must follow at three points of several types and lengths, of whole tensors at all that were drawn. ``size`` limits the rows of the e-graph, ``seconds`` the time. What does not
    follow within the limits may follow all the same; what does, does so for values of the types that were tried.

    Errors   RuleError for a name that no rule has

    >>> import eqsat, eqsat.tensor as T
    >>> x = eqsat.metavars("x")
    >>> mine = eqsat.rule("mine", T.exp(T.log(T.exp(x))), T.exp(x), tier="rounds")
    >>> found = eqsat.derive(mine, from_="log-exp")
    >>> bool(found), found.explain().rules
    (True, [log-exp: log(exp(x)) = x [stabilises]])
    """
    one = rule if isinstance(rule, Rule) else all_rules()[rule]
    with Progress("derive", seconds=seconds):
        return derived(one, without(select_rules(from_), one.name), size, seconds)


def derive_all(rules: Any, from_: Any, size: int | None, seconds: float) -> Iterator[Derivation]:
    """The same for several rules; each is left out of the others while it is asked for."""
    chosen, known = list(select_rules(rules)), select_rules(from_)
    with Progress("derive", len(chosen)) as progress:
        for rule in chosen:
            yield derived(rule, without(known, rule.name), size, seconds)
            progress.step(rule.name)


def without(rules: RuleSet, *names: str) -> RuleSet:
    """Rules without some, also where a scheme or a declaration makes them."""
    return RuleSet([*(r for r in rules.rules if r.name not in names), *rules.schemes], rules.off | {*names})


def derived(rule: Rule, rules: RuleSet, size: int | None, seconds: float) -> Derivation:
    """The answer for one rule: at one point first, and where it follows there, at those of many elements, where less is equal."""
    start = time.monotonic()

    def asked(sides: tuple[Any, Any], given: Given) -> Derivation:
        question = Question.between(*sides, rules, size, seconds, **given.settings)
        merged, same = question.answered(question.encoded())
        answer = answer_of(question, merged, same, time.monotonic() - start)
        return Derivation(rule, answer.verdict, answer, "", given.points)

    try:
        found = asked(*next(instances(rule, FEW)))
        if found and not is_loop_rule(rule):
            # of whole tensors at all: where some length is 1, rules under conditions on lengths may not match
            most = EACH if is_elementwise(rule) else None
            answers = (asked(*one) for one in islice(instances(rule), most))
            found = next((a for a in answers if not a), found)
    except Untried as error:
        found = Derivation(rule, UNTRIED, None, str(error))
    return found


# --------------------------------------------------------------------------------------------------- sides


class Untried(Exception):
    """The reason why a rule cannot be tried."""


@dataclass(frozen=True)
class Given:
    """Facts and values of the variables of an instance: what the question knows, and values inside the condition."""

    settings: dict[str, Any]
    points: Any


class Instance(Graph):
    """Both sides over variables; what must be a known number is one."""

    def __init__(self, rule: Rule, point: Point) -> None:
        super().__init__(point)
        self.fixed = uniform_metas(rule)

    def leaf(self, meta: Any) -> Any:
        v = self.point.values[meta.name]
        if meta.name in self.fixed:
            return self.number(float(v.flat[0]), v.dtype.name, v.ndim)
        made = super().leaf(meta)
        made.name = meta.name
        return made


class Inside(Points):
    """Values of one point inside the condition of a rule."""

    def __init__(self, graph: Graph, outputs: Any) -> None:
        names = {v: name for name, v in graph.variables.items()}
        super().__init__(outputs)
        found = [graph.point.values[names[v]] for v in self.inputs if v in names]
        if len(found) == len(self.inputs):
            self.values, self.why = found, ""


def instances(rule: Rule, tried: int = TRIED) -> Iterator[tuple[tuple[Any, Any], Given]]:
    """Both sides of a rule as graphs at points of several types, and what is given of their variables.

    Errors   Untried where there is none
    """
    if rule.multiset:
        raise Untried("it says how sums and products are compared, and has no sides of its own")
    if rule.others:
        raise Untried("it has several outputs")
    if is_loop_rule(rule):
        drawn = drawn_for(rule)
        if drawn is None:
            raise Untried("no loop was found that it is about")
        yield (drawn.left, drawn.run(rule.right)), Given({"loops": drawn.table}, None)
        return
    wrong, types = "", set()
    for point in largest(rule, tried):
        graph = Instance(rule, point)
        try:
            left = graph.run(rule.left)
            graph.root_dtype, graph.root_ndim = left.type.dtype, left.type.ndim
            right = graph.run(rule.right)
        except Undefined as error:  # lengths that do not fit: another point may have some
            wrong = str(error).splitlines()[0]
            continue
        key = (*(str(v.type) for v in graph.variables.values()), str(point.params))
        if key not in types:
            types.add(key)
            known = tuple(facts_of(rule, graph))
            yield (left, right), Given({"known": known}, Inside(graph, [left, right]))
    if not types:
        raise Untried(wrong)


def largest(rule: Rule, tried: int) -> list[Point]:
    """Several points, those first whose values have the most axes longer than 1 and the fewest of 1, in float64 where there is a choice."""
    found = []
    for point in points(rule, TRIED, seed=3):
        made, wrong = check_types(rule, point, guards_shape(rule))
        if made is None or wrong or any(v.size == 0 or v.size > 40 for v in point.values.values()):
            continue
        shapes = [v.shape for v in point.values.values()]
        longer = sum(1 if n > 1 else -1 for shape in shapes for n in shape)
        found.append(((len(set(shapes)) <= 1, made.dtype == "float64", longer), point))
        if len(found) == tried:
            break
    if not found:
        raise Untried("no values were found inside its condition")
    return [point for _, point in sorted(found, key=lambda pair: pair[0], reverse=True)]


def facts_of(rule: Rule, graph: Instance) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The facts of the condition, of variables."""
    for name, operands in rule.when.facts if rule.when is not None else ():
        made = tuple(graph.variables.get(getattr(o, "name", ""), o) for o in operands)
        if any(getattr(o, "name", None) in graph.fixed for o in operands):
            continue  # a number has the fact itself
        number = dict.fromkeys(graph.variables.values(), 0)
        if stated(name, made, number) is None:
            raise Untried(f"{name} cannot be said of variables")
        yield name, made
