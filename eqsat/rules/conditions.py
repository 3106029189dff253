"""Conditions of rules that are written as expressions: what the e-graph must know of a metavariable.

Comparisons are conditions too: ``x > 0``, ``x >= 0``, ``x < 0``, ``x <= 0``, ``T.neq(x, 0)``, ``x >= -1``, ``x >= y``, and ``c > 2`` of a
metaconstant. ``&`` joins conditions. What is not known counts as no.
"""
# Each is a fact that is declared as ``offered``, in facts.py or beside its kin; the functions are made from these.

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from eqsat.base.names import late_names
from eqsat.errors import RuleError
from eqsat.graph.parameters import SomeAxes
from eqsat.rules import facts
from eqsat.rules.fact import FACTS
from eqsat.rules.metavars import MetaVariable
from eqsat.rules.pattern import Condition, Meta, value
from eqsat.rules.written import axes_parameter

if TYPE_CHECKING:

    def __getattr__(name: str) -> Callable[..., Condition]: ...  # they are made from the facts


__all__ = sorted(name for name, fact in FACTS.items() if fact.offered)
late_names(__name__)


def _meta(function: str, x: Any) -> Meta:
    if not isinstance(x, MetaVariable):
        raise RuleError(
            f"{function}: {x!r} is no metavariable", needs="one made by metavars or metaconstants"
        )
    return x.meta


def _number(function: str, c: Any) -> Any:
    if not isinstance(c, MetaVariable) or not c.constant:
        raise RuleError(f"{function}: {c!r} is no metaconstant", needs="one made by metaconstants")
    return value(c.meta)


def _axes(function: str, axes: Any) -> Any:
    if isinstance(axes, SomeAxes):
        return axes_parameter(axes)
    found = (axes,) if isinstance(axes, int) else axes
    if not isinstance(found, tuple) or not all(isinstance(a, int) and a >= 0 for a in found):
        raise RuleError(f"{function}: {axes!r} are no axes", needs="metaaxes, or numbers counted from 0")
    return found


# name of an operand in the meaning of a fact: how a user gives it, what it is called, how an example makes it
_KINDS: dict[str, tuple[Callable[[str, Any], Any], str, str]] = {
    **dict.fromkeys("xy", (_meta, "metavariable", 'eqsat.metavars("{}", ndim=2)')),
    "v": (_number, "metaconstant", 'eqsat.metaconstants("{}")'),
    **dict.fromkeys(("axes", "s", "t"), (_axes, "axes", 'eqsat.metaaxes("{}")')),
}


def _made(name: str) -> Callable[..., Condition]:
    """The function for a fact."""
    operands = FACTS[name].operands
    kinds = [_KINDS[operand] for operand in operands]

    def condition(*given: Any, **named: Any) -> Condition:
        bound = signature.bind(*given, **named).arguments.values()
        read = [kind[0](name, one) for kind, one in zip(kinds, bound, strict=True)]
        return getattr(facts, name)(*read)  # type: ignore[no-any-return]

    signature = Signature(
        [Parameter(n, Parameter.POSITIONAL_OR_KEYWORD, annotation=Any) for n in operands],
        return_annotation=Condition,
    )
    condition.__name__ = condition.__qualname__ = name
    condition.__signature__ = signature  # type: ignore[attr-defined]
    condition.__doc__ = _text(name, operands, kinds)
    return condition


def _text(name: str, operands: tuple[str, ...], kinds: list[Any]) -> str:
    """The meaning of a fact, the operands that it refuses, and an example."""
    wrong = " or no ".join(dict.fromkeys(kind[1] for kind in kinds))
    calls = ", ".join(kind[2].format(n) for n, kind in zip(operands, kinds, strict=True))
    return (
        f"{FACTS[name].doc}\n\n    Errors   RuleError for what is no {wrong}\n\n    >>> import eqsat\n"
        f"    >>> print(eqsat.conditions.{name}({calls}))\n    {name}({', '.join(operands)})\n    "
    )


globals().update({name: _made(name) for name in __all__})
