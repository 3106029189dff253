"""Rules as users write them: two expressions over metavariables, two functions, or as many outputs as a tuple holds."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any

from eqsat.errors import RuleError
from eqsat.graph.core import Constant, Variable
from eqsat.graph.walk import graph_inputs
from eqsat.rules.condition import Condition
from eqsat.rules.facts import rank
from eqsat.rules.metavars import ANY_RANK, MetaVariable, metavars
from eqsat.rules.pattern import Pattern
from eqsat.rules.rule import Rule
from eqsat.rules.rule import rule as declared
from eqsat.rules.written import Side, condition_of

__all__ = ["rule"]

NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def rule(
    name: str,
    left: Any,
    right: Any,
    *,
    when: Any = None,
    tier: str = "rounds",
    tags: str | Iterable[str] = (),
    cite: str = "definition",
    grows: bool | None = None,
) -> Rule:
    """A rewrite rule: ``left`` is equal to ``right`` where ``when`` is known to hold.

    Both sides are expressions over metavariables (``metavars``, ``metaconstants``, ``metaaxes``) and numbers, or
    functions whose parameters are metavariables of any rank. Sides that are tuples match several values at once.
    ``when`` is a comparison of metavariables or terms, one of ``eqsat.conditions``, or several joined by ``&`` and ``|``. ``tier`` says what is promised:
    exact, extends, rounds, stabilises or loose; ``eqsat.verify.find_failures`` tries it. ``cite`` names the source.
    ``grows`` puts a rule among those that run within limits; it is guessed from the sizes of the sides. ``tags`` is a
    tag, several with commas between, or a list.

    The rule is used where a function or ``optimize`` is given it: ``rules=eqsat.rules.default_rules() + mine``.

    Errors   RuleError for sides that rules cannot see, that differ in type, or a right side with a metavariable that
             the left side does not bind

    >>> import eqsat, eqsat.tensor as T
    >>> x, c, s = eqsat.metavars("x"), eqsat.metavars("c"), eqsat.metaaxes("s")
    >>> when = eqsat.conditions.invariant(c, s) & (c > 0)
    >>> print(eqsat.rule("mine", T.max(c * x, axis=s), c * T.max(x, axis=s), when=when))
    mine: max{s}(mul(c, x)) = mul(c, max{s}(x)) when invariant(c, s) and positive(c) [rounds]
    >>> print(eqsat.rule("yours", lambda x, y: T.exp(x) * T.exp(y), lambda x, y: T.exp(x + y), tier="loose"))
    yours: mul(exp(x), exp(y)) = exp(add(x, y)) [loose]
    """
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise RuleError(f"a rule cannot be named {name!r}", needs="letters, digits, - and _")
    left, right = called(name, left, right)
    lefts, rights = (list(s) if isinstance(s, (tuple, list)) else [s] for s in (left, right))
    if len(lefts) != len(rights) or not lefts:
        raise RuleError(f"rule {name}: the left side has {len(lefts)} outputs, the right side {len(rights)}")
    check_types(name, lefts, rights)
    reader, builder = Side(name, right=False), Side(name, right=True)
    before, after = [read(reader, v) for v in lefts], [read(builder, v) for v in rights]
    check_bound(name, reader, builder)
    condition = given(reader) & condition_of(name, when) if when is not None else given(reader)
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    if len(pairs) < len(before):
        raise RuleError(f"rule {name}: both sides are {before[0]}")
    return declared(
        name, before if len(before) > 1 else before[0], after if len(after) > 1 else after[0],
        cite=cite, when=condition if condition.facts else None, tier=tier, tags=tags, grows=grows, rounded=True,
    )  # fmt: skip


def called(name: str, left: Any, right: Any) -> tuple[Any, Any]:
    """The sides, where they are functions called with metavariables named after their parameters."""
    made: dict[str, Any] = {}

    def call(side: Any) -> Any:
        if isinstance(side, (Variable, Pattern)) or not callable(side):
            return side
        arguments = []
        for p in inspect.signature(side).parameters.values():
            default = None if p.default is p.empty else p.default
            arguments.append(made.setdefault(p.name, metavars(p.name) if default is None else default))
        return side(*arguments)

    return call(left), call(right)


def read(side: Side, value: Any) -> Any:
    """The pattern of a side: of a variable, a number, or a pattern as it is."""
    if isinstance(value, Variable):
        return side.read(value)
    if isinstance(value, Pattern) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    raise RuleError(f"rule {side.rule}: a side is {value!r}, of the class {type(value).__name__}", needs="an expression over metavariables")  # fmt: skip


def check_types(name: str, lefts: list[Any], rights: list[Any]) -> None:
    """Refuse sides of other ranks or dtypes."""
    for a, b in zip(lefts, rights, strict=True):
        check_ranks(name, a, b)
        if (
            not (isinstance(a, Variable) and isinstance(b, Variable))
            or isinstance(b, MetaVariable)
            and b.constant
        ):
            continue
        kinds: Any = (a.type, b.type)
        if kinds[0].dtype != kinds[1].dtype:
            raise RuleError(f"rule {name}: the left side is {kinds[0].dtype}, the right side {kinds[1].dtype}", operands=[("left", a), ("right", b)], needs="sides of one dtype", hint="T.cast")  # fmt: skip


def check_ranks(name: str, left: Any, right: Any) -> None:
    """Refuse sides of other ranks; a number has none, and is not repeated to the shape of the left side."""
    number = isinstance(right, (int, float)) or isinstance(right, MetaVariable) and right.constant
    if not isinstance(left, Variable) or not (number or isinstance(right, Variable)):
        return
    ranks = [rank_of(left), 0 if number else rank_of(right)]
    if ranks[0] == ranks[1]:
        return
    like = next(
        (v for v in graph_inputs([left]) if not isinstance(v, Constant) and v.type == left.type), None
    )
    sides = [(word, v) for word, v in (("left", left), ("right", right)) if isinstance(v, Variable)]
    raise RuleError(
        f"rule {name}: the left side has {axes_of(left)}, the right side {ranks[1] if ranks[1] < ANY_RANK else axes_of(right)}",
        operands=[(word, shown(v)) for word, v in sides],
        needs="sides of one rank",
        hint=f"T.full_like({like}, {right})" if like is not None and not ranks[1] else None,
    )


def rank_of(v: Any) -> int:
    """The number of axes of a side; that of the stand-in where it is left open."""
    return int(v.type.ndim)


def axes_of(side: Any) -> str:
    """The number of axes of a side, or whose it is."""
    if rank_of(side) < ANY_RANK:
        return f"{rank_of(side)} dimensions"
    metas = [str(v) for v in graph_inputs([side]) if isinstance(v, MetaVariable)]
    return f"as many dimensions as {', '.join(metas)}"


def shown(v: Any) -> Any:
    """The variable, or in words what it is where its type is only a stand-in."""
    return v if rank_of(v) < ANY_RANK else f"{v.type.dtype} of any rank   made at {v.made_at}"


def check_bound(name: str, left: Side, right: Side) -> None:
    """Refuse a metavariable of the right side that the left side does not name."""
    for key, v in right.metas.items():
        if key not in left.metas:
            raise RuleError(f"rule {name}: the right side names {key}, the left side does not", operands=[(key, v)], needs="metavariables that the left side binds")  # fmt: skip
        if left.metas[key] is not v:
            raise RuleError(f"rule {name}: the sides name two metavariables {key}", operands=[("left", left.metas[key]), ("right", v)], needs="one of them on both sides")  # fmt: skip


def given(side: Side) -> Condition:
    """The conditions that the declarations of the metavariables ask for."""
    facts: tuple[Any, ...] = ()
    for key, v in side.metas.items():
        known = v.known()
        facts += known.facts if known is not None else ()
        if key in side.ranks:
            facts += rank(v.meta, side.ranks[key]).facts
    return Condition(facts)
