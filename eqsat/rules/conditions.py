"""Conditions of rules that are written as expressions: what the e-graph must know of a metavariable.

Comparisons are conditions too: ``x > 0``, ``x >= 0``, ``x < 0``, ``x <= 0``, ``T.neq(x, 0)``, ``x >= -1``, ``x >= y``, ``x > y``, ``x + y >= 0``
of terms, and ``c > 2`` of a metaconstant. ``&`` and ``|`` join conditions, ``~`` turns comparisons. What is not known counts as no.
"""
# Each is a fact that is declared as ``offered``, in facts.py or beside its kin; the functions are made from these.

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import numpy as np

from eqsat.base.names import late_names
from eqsat.errors import RuleError
from eqsat.graph.parameters import SomeAxes
from eqsat.rules import facts
from eqsat.rules.condition import Condition
from eqsat.rules.fact import FACTS, fact
from eqsat.rules.metavars import MetaVariable
from eqsat.rules.pattern import Meta, value
from eqsat.rules.written import axes_parameter

if TYPE_CHECKING:

    def __getattr__(name: str) -> Callable[..., Condition]: ...  # they are made from the facts


_OFFERED = sorted(name for name, one in FACTS.items() if one.offered)
__all__ = [*_OFFERED, "predicate"]
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


def _axis(function: str, axis: Any) -> int:
    if not isinstance(axis, int) or isinstance(axis, bool) or axis < 0:
        raise RuleError(f"{function}: {axis!r} is no axis", needs="a number counted from 0")
    return axis


# name of an operand in the meaning of a fact: how a user gives it, what it is called, how an example makes it
_KINDS: dict[str, tuple[Callable[[str, Any], Any], str, str]] = {
    **dict.fromkeys("xy", (_meta, "metavariable", 'eqsat.metavars("{}", ndim=2)')),
    "v": (_number, "metaconstant", 'eqsat.metaconstants("{}")'),
    **dict.fromkeys(("axes", "s", "t"), (_axes, "axes", 'eqsat.metaaxes("{}")')),
    "axis": (_axis, "axis", "0"),
}


def _made(name: str, maker: Callable[..., Condition]) -> Callable[..., Condition]:
    """The function for a fact, of what makes conditions of the patterns that users write."""
    operands = FACTS[name].operands
    kinds = [_KINDS[operand] for operand in operands]

    def condition(*given: Any, **named: Any) -> Condition:
        bound = signature.bind(*given, **named).arguments.values()
        read = [kind[0](name, one) for kind, one in zip(kinds, bound, strict=True)]
        return maker(*read)

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
    shown = ", ".join(n if "{}" in kind[2] else kind[2] for n, kind in zip(operands, kinds, strict=True))
    return (
        f"{FACTS[name].doc}\n\n    Errors   RuleError for what is no {wrong}\n\n    >>> import eqsat\n"
        f"    >>> print(eqsat.conditions.{name}({calls}))\n    {name}({shown})\n    "
    )


globals().update({name: _made(name, getattr(facts, name)) for name in _OFFERED})


def predicate(
    name: str,
    holds: Callable[[Any], Any],
    doc: str = "",
    about: str = "tensors",
    into: Callable[[Any], Any] | None = None,
) -> Callable[..., Condition]:
    """Declare a condition of your own on one operand, and return the function that makes it of a metavariable.

    ``holds`` takes an array and says whether it is so; ``verify`` and DebugMode ask it. ``about="matrices"`` is for what is
    said of arrays with two axes. ``into`` takes an array of drawn values and gives one that fulfils the condition: where
    drawn values seldom do, ``verify`` needs it to find points. In a graph it is known of what ``T.assume`` says it of.
    A name that is declared again has the new meaning.

    Errors   RuleError for a name that is none, or that eqsat's own conditions have, and for more than 62 names

    >>> import eqsat, eqsat.tensor as T
    >>> is_share = eqsat.conditions.predicate("share", lambda x: abs(x.sum() - 1) < 1e-6, into=lambda x: x * 0 + 1 / x.size)
    >>> x, p = eqsat.metavars("x", ndim=1), T.dvector("p")
    >>> one = eqsat.rule("total-of-share", T.sum(x), 1.0, when=is_share(x), tier="rounds")
    >>> print(eqsat.optimize(T.sum(T.assume(p, "share")), rules=[one]).optimized[0])
    1.0
    """
    if not name.isidentifier() or (name in FACTS and name not in PREDICATES):
        raise RuleError(
            f"predicate: {name!r} cannot be declared", needs="a name that no condition of eqsat has"
        )
    bit = PREDICATES.setdefault(name, len(PREDICATES))
    if bit >= _MOST_PREDICATES:
        raise RuleError(f"predicate: there are {_MOST_PREDICATES} already")
    text, doc = f"0 != {1 << bit} & told(a)", doc or f"x is {name}."

    def asked(x: Any) -> bool:
        found = np.asarray(holds(x))
        if found.size != 1:
            raise RuleError(
                f"predicate: {name} gives an array of shape {found.shape}",
                needs="one answer for a whole array",
                hint="np.all(...) or np.any(...) of it",
            )
        return bool(found.item())

    return _made(name, fact(name, text, asked, doc, about, offered=True, into=into))


PREDICATES: dict[str, int] = {}  # a bit in the table ``told`` for each name
_MOST_PREDICATES = 62
