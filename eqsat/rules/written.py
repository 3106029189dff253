"""A side of a rule that is written as an expression is read off its graph; so is a condition that is a comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from operator import ge, gt, le, lt
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import RuleError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import OPS
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.parameters import SomeAxes
from eqsat.graph.properties import compares
from eqsat.graph.seen import element_of_vector, seen_name
from eqsat.graph.walk import clone_with, toposort
from eqsat.rules.condition import EITHER, Condition
from eqsat.rules.metavars import ANY_RANK, MetaVariable
from eqsat.rules.pattern import Literal, Number, Parameter, ParameterCall, Term, Value, metas_of


@dataclass(frozen=True)
class Compared:
    """The facts that a comparison asks for; a fact of two tensors names the larger one first."""

    with_zero: str
    with_number: str = ""
    of_tensors: str = ""
    of_constant: str = ""  # a metaconstant with a number


COMPARISONS: dict[tuple[bool, ...], Compared] = {  # by whether they hold of -1, 0 and 1 beside 0
    (False, False, True): Compared("positive", "exceeds", "above_all", "above"),
    (False, True, True): Compared("nonneg", "not_below", "at_least"),
    (True, False, False): Compared("negative", "falls_below", "above_all", "below"),
    (True, True, False): Compared("nonpos", "not_above", "at_least"),
    (True, False, True): Compared("nonzero"),
}
SYMBOLS: dict[str, Callable[[Any, Any], bool]] = {">": gt, ">=": ge, "<": lt, "<=": le}


def at_rank(pattern: Any, ndim: int) -> Any:
    """A term of numbers with the rank at which they stand."""
    if isinstance(pattern, Term):
        return replace(pattern, args=tuple(at_rank(a, ndim) for a in pattern.args))
    return pattern.at(ndim) if isinstance(pattern, (Number, Value)) else pattern


def axes_parameter(axes: SomeAxes) -> Any:
    """The pattern for axes that are left open."""
    if isinstance(axes.meaning, str):
        return Parameter(axes.meaning)
    sign, *parts = axes.meaning
    return ParameterCall(sign, tuple(map(axes_parameter, parts)))


@dataclass
class Side:
    """Reads variables of one side; ``metas`` collects the metavariables, ``ranks`` the ranks at which constants stand."""

    rule: str
    right: bool
    metas: dict[str, MetaVariable] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)

    def read(self, variable: Any) -> Any:
        """The pattern of a variable."""
        variable = as_fillings(variable, self.right)
        known: dict[Variable, Any] = {}
        loose: set[Variable] = set()  # what has no rank of its own
        for apply in toposort([variable]):
            for v in apply.inputs:
                self.leaf(v, known, loose)
            out = apply.outputs[0]
            if any(v in loose for v in apply.inputs):
                self.check_rank_free(apply, loose)
                loose.add(out)
            known[out] = self.term(apply, known)
        self.leaf(variable, known, loose)
        return known[variable]

    def leaf(self, v: Any, known: dict[Variable, Any], loose: set[Variable]) -> None:
        """The pattern of what no op computes."""
        if v in known:
            return
        if isinstance(v, MetaVariable):
            if self.metas.setdefault(v.name, v) is not v:
                raise RuleError(f"rule {self.rule}: two metavariables are named {v.name!r}")
            known[v] = Value("value", (v.meta,)) if v.constant and self.right else v.meta
            if v.rank is None and not v.constant:
                loose.add(v)
        elif isinstance(v, Constant) and getattr(v.data, "size", 0) == 1:
            known[v] = Number(float(v.data.reshape(-1)[0]))
        elif isinstance(v, Constant):
            raise RuleError(f"rule {self.rule}: a constant of several elements cannot stand in a rule", operands=[("constant", v)], needs="numbers and metavariables", hint="eqsat.metaconstants for numbers that differ from graph to graph")  # fmt: skip
        else:
            raise RuleError(f"rule {self.rule}: {v} is no metavariable", operands=[(str(v), v)], needs="metavariables and numbers", hint=f'{v.name or "x"} = eqsat.metavars("{v.name or "x"}", ndim={getattr(v.type, "ndim", 0)})')  # fmt: skip

    def check_rank_free(self, apply: Apply, loose: set[Variable]) -> None:
        """Refuse what means something else at another rank than that of the stand-in."""
        op: Any = apply.op
        kind = getattr(getattr(op, "declaration", None), "kind", "")
        others = [v for v in apply.inputs if v not in loose and not self.rank_free(v)]
        names = sorted(v.name for v in loose if isinstance(v, MetaVariable))
        if kind == "elemwise" and not others:
            return
        if isinstance(getattr(op, "params", {}).get("axes"), SomeAxes) and not others:
            return
        what = "axes" if getattr(op, "params", {}).get("axes") else "ranks"
        raise RuleError(
            f"rule {self.rule}: {op} depends on the number of dimensions of {', '.join(names)}",
            operands=[(str(getattr(op, "name", op)), apply.outputs[0])],
            needs="metavariables of a known rank" + (", or axes that are left open" if what == "axes" else ""),
            hint=f'eqsat.metavars("{" ".join(names)}", ndim=2)' + (', or axis=eqsat.metaaxes("s")' if what == "axes" else ""),
        )  # fmt: skip

    def rank_free(self, v: Any) -> bool:
        """True for a number, a constant, and what is computed from them alone, moved to any rank."""
        leaves = [u for n in toposort([v]) for u in n.inputs if u.owner is None] or [v]
        return all(isinstance(u, Constant) or (isinstance(u, MetaVariable) and u.constant) for u in leaves)

    def term(self, apply: Apply, known: dict[Variable, Any]) -> Any:
        """The pattern of an application."""
        scalar = element_of_vector(apply)
        if scalar is not None:
            return known[scalar]
        op: Any = apply.op
        args = [known[v] for v in apply.inputs]
        name = seen_name(apply)
        number = len(args) == 1 and self.rank_free(apply.inputs[0])
        if name == "dimshuffle" and number or name == "cast" and isinstance(args[0], Number):
            return args[0]
        if name is None and op.name == "make_vector":
            return None  # read only as the element that it holds
        if name is None or None in args:
            raise RuleError(f"rule {self.rule}: rules do not see {op}", operands=[(str(getattr(op, "name", op)), apply.outputs[0])], needs="ops that rules see: elementwise ones, reductions, products of matrices, moves of axes, parts, joins")  # fmt: skip
        if not self.rank_free(apply.outputs[0]):
            args = [self.placed(a, v) for a, v in zip(args, apply.inputs, strict=True)]
        kinds = OPS[name].parameters.values()
        values = zip(op.values, kinds, strict=True)
        ndim = apply.inputs[0].type.ndim if apply.inputs else 0  # type: ignore[attr-defined]
        return Term(name, tuple(args), tuple(self.parameter(name, v, kind, ndim) for v, kind in values))

    def placed(self, pattern: Any, v: Any) -> Any:
        """An expression of numbers and constants alone, with the rank at which it stands, where that is known."""
        if v.type.ndim >= ANY_RANK or not self.rank_free(v):
            return pattern
        for name in sorted(m.name for m in metas_of(pattern)):
            if self.ranks.setdefault(name, v.type.ndim) != v.type.ndim:
                raise RuleError(f"rule {self.rule}: {name} stands beside tensors of {self.ranks[name]} and of {v.type.ndim} dimensions", needs="a metaconstant for each")  # fmt: skip
        return at_rank(pattern, v.type.ndim)

    @staticmethod
    def parameter(op: str, value: Any, kind: Any, ndim: int) -> Any:
        """The pattern of a parameter of an op."""
        if isinstance(value, SomeAxes):
            return axes_parameter(value)
        if kind.native:
            return value
        return Literal("move", value, ndim) if op == "dimshuffle" else Literal(kind.name, value)


def as_fillings(variable: Any, right: bool) -> Any:
    """The variable with ``fill`` for what repeats a value to the shape of another variable, as ``T.ones_like`` does.

    It has the lengths of all axes of the other one as operands, and so would depend on its rank. On the left a number
    matches a tensor filled with it, whatever gave it its shape.
    """
    found = {}
    for apply in toposort([variable]):
        model = filled_like(apply)
        if model is not None:
            number = not right and isinstance(seen(apply.inputs[0]), Constant)
            found[apply.outputs[0]] = apply.inputs[0] if number else fill(model, apply.inputs[0])
        elif getattr(apply.op, "name", "") == "alloc" and len(apply.inputs) == 1:
            found[apply.outputs[0]] = apply.inputs[0]  # to no axes
    return clone_with([variable], found)[0] if found else variable


def seen(variable: Any) -> Any:
    """The variable behind moves of axes."""
    while variable.owner is not None and variable.owner.op.name == "dimshuffle":
        variable = variable.owner.inputs[0]
    return variable


def filled_like(apply: Apply) -> Any:
    """The variable of whose axes a repeated value has all lengths, in their order; None for anything else."""
    op: Any = apply.op
    lengths: list[Any] = [v.owner for v in apply.inputs[1:]]
    if op.name != "alloc" or not all(n is not None and n.op.name == "length" for n in lengths):
        return None
    models: list[Any] = list({n.inputs[0] for n in lengths})
    axes = [n.op.params["axis"] for n in lengths]
    return models[0] if len(models) == 1 and axes == list(range(models[0].type.ndim)) else None


def condition_of(rule: str, when: Any) -> Condition | None:
    """The condition that a user gives, if any."""
    return None if when is None else read(rule, when)


def read(rule: str, when: Any) -> Condition:
    """The condition that a user gives: one of eqsat.conditions, a comparison, or several joined by ``&`` and ``|``."""
    if isinstance(when, Condition):
        facts = tuple(
            (name, tuple(read(rule, one) for one in args) if name == EITHER else args)
            for name, args in when.facts
        )
        return Condition(facts + tuple(fact for v in when.rest for fact in read(rule, v).facts))
    owner: Any = getattr(when, "owner", None)
    if owner is None:
        raise RuleError(f"rule {rule}: when={when!r} is no condition", needs="a comparison such as x > 0, or one of eqsat.conditions, joined by & and |")  # fmt: skip
    if owner.op.name == "and":
        return read(rule, Condition((), tuple(owner.inputs)))
    if owner.op.name == "or":
        return read(rule, Condition(((EITHER, tuple(owner.inputs)),)))
    if owner.op.name == "invert":
        return read(rule, negated(rule, owner.inputs[0]))
    if owner.op.name in ("dimshuffle", "cast"):
        return read(rule, owner.inputs[0])
    return compared(rule, when)


def negated(rule: str, when: Any) -> Any:
    """The opposite of a comparison, or of several joined by ``&`` or ``|``; what is NaN fulfils both."""
    owner: Any = getattr(when, "owner", None)
    name = owner.op.name if owner is not None else ""
    if name in ("dimshuffle", "cast"):
        return negated(rule, owner.inputs[0])
    if name == "invert":
        return owner.inputs[0]
    if name in ("and", "or"):
        one, other = (negated(rule, v) for v in owner.inputs)
        return one | other if name == "and" else one & other
    held = held_by(owner.op) if owner is not None else ()
    opposite = next(
        (d for d in OPS.values() if compares(d) and held and held == tuple(not h for h in held_by(d))), None
    )
    if opposite is None:
        raise RuleError(f"rule {rule}: the opposite of {when} cannot be known", needs="a comparison after ~")
    return opposite(*owner.inputs)


def held_by(op: Any, flipped: bool = False) -> tuple[bool, ...]:
    """The answers of a comparison for -1, 0 and 1 beside 0, which is on the left where it is ``flipped``; none of another op."""
    d: Any = getattr(op, "declaration", op)
    if not compares(d):
        return ()
    return tuple(bool(d.meaning(0, v) if flipped else d.meaning(v, 0)) for v in (-1, 0, 1))


def comparison(fact: str, *numbers: float) -> str:
    """The comparison of a tensor that a user writes for a fact, without the tensor; no text where it is none.

    >>> comparison("positive"), comparison("not_below", -1.0), comparison("finite")
    ('> 0', '>= -1.0', '')
    """
    for sign, test in SYMBOLS.items():
        facts = COMPARISONS[tuple(test(v, 0) for v in (-1, 0, 1))]
        if fact == (facts.with_number if numbers else facts.with_zero):
            return f"{sign} {numbers[0]!r}" if numbers else f"{sign} 0"
    return ""


def beside_number(fact: str) -> str:
    """The fact that compares with a number as another one does with 0.

    >>> beside_number("nonneg")
    'not_below'
    """
    return next(facts.with_number for facts in COMPARISONS.values() if facts.with_zero == fact)


def compared(rule: str, when: Any) -> Condition:
    """The condition of one comparison."""
    op, name = when.owner.op, when.owner.op.name
    side = Side(rule, right=False)
    sides: list[Any] = [*map(side.read, when.owner.inputs), None][:2]
    flipped = isinstance(sides[0], Number)
    x, y = sides[::-1] if flipped else sides
    held = held_by(op, flipped)
    facts = COMPARISONS.get(held, Compared(""))
    known = [isinstance(p, Term) or getattr(p, "name", None) in side.metas for p in (x, y)]
    if known[0] and isinstance(y, Number):
        if y.value == 0 and facts.with_zero:
            return Condition(((facts.with_zero, (x,)),))
        if facts.of_constant and not isinstance(x, Term) and side.metas[x.name].constant:
            return Condition(((facts.of_constant, (Value("value", (x,)), y.value)),))
        if facts.with_number:
            return Condition(((facts.with_number, (x, y.value)),))
    if all(known) and facts.of_tensors:
        return Condition(((facts.of_tensors, (y, x) if held[0] else (x, y)),))
    raise RuleError(
        f"rule {rule}: the e-graph cannot tell whether this comparison holds",
        operands=[(name, when)],
        needs="<, <=, > or >= between metavariables, terms of them and numbers, or T.neq(x, 0), joined by & and |",
        hint="eqsat.conditions",
    )
