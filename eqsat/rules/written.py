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
from eqsat.rules.metavars import ANY_RANK, MetaVariable
from eqsat.rules.pattern import Condition, Literal, Number, Parameter, ParameterCall, Term, Value, metas_of

SIGNS: dict[tuple[bool, ...], str] = {  # facts, by whether they hold of -1, 0 and 1
    (False, False, True): "positive",
    (False, True, True): "nonneg",
    (True, False, False): "negative",
    (True, True, False): "nonpos",
    (True, False, True): "nonzero",
}
COMPARED = {"ge": "not_below", "le": "not_above"}  # facts of a tensor that is compared with a number
SYMBOLS: dict[str, Callable[[Any, Any], bool]] = {">": gt, ">=": ge, "<": lt, "<=": le}
BEYOND = {"positive": "above", "negative": "below"}


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
    """The condition that a user gives: one of eqsat.conditions, a comparison, or several joined by ``&``."""
    if isinstance(when, Condition) and when.rest:
        for v in when.rest:
            when = when & condition_of(rule, v)
        return Condition(when.facts)
    if when is None or isinstance(when, Condition):
        return when
    owner: Any = getattr(when, "owner", None)
    if owner is None:
        raise RuleError(f"rule {rule}: when={when!r} is no condition", needs="a comparison such as x > 0, or one of eqsat.conditions, joined by &")  # fmt: skip
    if owner.op.name == "and":
        return condition_of(rule, Condition((), tuple(owner.inputs)))
    if owner.op.name in ("dimshuffle", "cast"):
        return condition_of(rule, owner.inputs[0])
    return compared(rule, when)


def sign_asked(op: Any, flipped: bool) -> str | None:
    """The fact that x has by a comparison with 0, which stands on the left where it is ``flipped``."""
    if not compares(getattr(op, "declaration", None)):
        return None
    held = (bool(op.compute(0, v) if flipped else op.compute(v, 0)) for v in (-1, 0, 1))
    return SIGNS.get(tuple(held))


def comparison(fact: str, *numbers: float) -> str:
    """The comparison of a tensor that a user writes for a fact, without the tensor; no text where it is none.

    >>> comparison("positive"), comparison("not_below", -1.0), comparison("finite")
    ('> 0', '>= -1.0', '')
    """
    signs = {SIGNS.get(tuple(test(v, 0) for v in (-1, 0, 1))): sign for sign, test in SYMBOLS.items()}
    bounds = {COMPARED[test.__name__]: sign for sign, test in SYMBOLS.items() if test.__name__ in COMPARED}
    if numbers:
        return f"{bounds[fact]} {numbers[0]!r}" if fact in bounds else ""
    return f"{signs[fact]} 0" if fact in signs else ""


def compared(rule: str, when: Any) -> Condition:
    """The condition of one comparison."""
    op, name = when.owner.op, when.owner.op.name
    side = Side(rule, right=False)
    sides: list[Any] = [side.read(v) for v in when.owner.inputs]
    a, b = sides if len(sides) == 2 else (None, None)
    flipped = isinstance(a, Number)
    meta: Any = b if flipped else a
    other = a if flipped else b
    if isinstance(other, Number) and getattr(meta, "name", None) in side.metas:
        sign = sign_asked(op, flipped)
        if other.value == 0 and sign is not None:
            return Condition(((sign, (meta,)),))
        if sign in BEYOND and side.metas[meta.name].constant:
            return Condition(((BEYOND[sign], (Value("value", (meta,)), other.value)),))
        if name in COMPARED and not side.metas[meta.name].constant:
            bound = COMPARED[name] if not flipped else next(v for k, v in COMPARED.items() if k != name)
            return Condition(((bound, (meta, other.value)),))
    if name in COMPARED and all(getattr(p, "name", None) in side.metas for p in (a, b)):
        return Condition((("at_least", (a, b) if name == "ge" else (b, a)),))
    raise RuleError(
        f"rule {rule}: the e-graph cannot tell whether this comparison holds",
        operands=[(name, when)],
        needs="a metavariable compared with 0, x >= number, x <= number, x >= y of two of them, or c > number of a metaconstant, joined by &",
        hint="eqsat.conditions",
    )
