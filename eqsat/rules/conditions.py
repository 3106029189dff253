"""Conditions of rules that are written as expressions: what the e-graph must know of a metavariable.

Comparisons are conditions too: ``x > 0``, ``x >= 0``, ``x < 0``, ``x <= 0``, ``T.neq(x, 0)``, ``x >= y``, and ``c > 2`` of a
metaconstant. ``&`` joins conditions. What is not known counts as no.
"""

from __future__ import annotations

from typing import Any

from eqsat.errors import RuleError
from eqsat.graph.parameters import SomeAxes
from eqsat.names import late_names
from eqsat.rules import facts
from eqsat.rules.metavars import MetaVariable
from eqsat.rules.pattern import Condition, Meta, value
from eqsat.rules.written import axes_parameter

__all__ = [
    "bounded",
    "covers",
    "disjoint",
    "even",
    "finite",
    "invariant",
    "nonzero",
    "one_element",
    "short",
    "tame",
    "uniform",
    "varies",
    "whole",
]

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


def invariant(x: Any, axes: Any) -> Condition:
    """x has length 1 along the axes, so that it is the same all along them; metaaxes, a number or a tuple.

    Errors   RuleError for what is no metavariable or no axes

    >>> import eqsat
    >>> print(eqsat.conditions.invariant(eqsat.metavars("c"), eqsat.metaaxes("s")))
    invariant(c, s)
    """
    return facts.invariant(_meta("invariant", x), _axes("invariant", axes))


def covers(x: Any, axes: Any) -> Condition:
    """No length of x along the axes is known to be 1, so that x is not repeated along them where it broadcasts.

    Errors   RuleError for what is no metavariable or no axes

    >>> import eqsat
    >>> print(eqsat.conditions.covers(eqsat.metavars("x", ndim=2), (0, 1)))
    covers(x, (0, 1))
    """
    return facts.covers(_meta("covers", x), _axes("covers", axes))


def disjoint(s: Any, t: Any) -> Condition:
    """Two sets of axes that are left open have no axis in common.

    Errors   RuleError for what is no axes

    >>> import eqsat
    >>> print(eqsat.conditions.disjoint(*eqsat.metaaxes("s t")))
    disjoint(s, t)
    """
    return facts.disjoint(_axes("disjoint", s), _axes("disjoint", t))


def nonzero(x: Any) -> Condition:
    """No element of x is 0.

    Errors   RuleError for what is no metavariable

    >>> import eqsat
    >>> print(eqsat.conditions.nonzero(eqsat.metavars("x")))
    nonzero(x)
    """
    return facts.nonzero(_meta("nonzero", x))


def finite(x: Any) -> Condition:
    """No element of x is NaN or infinite.

    Errors   RuleError for what is no metavariable

    >>> import eqsat
    >>> print(eqsat.conditions.finite(eqsat.metavars("x")))
    finite(x)
    """
    return facts.finite(_meta("finite", x))


def bounded(x: Any) -> Condition:
    """Every element of x lies between -1e30 and 1e30, so that a sum of two cannot overflow.

    Errors   RuleError for what is no metavariable

    >>> import eqsat
    >>> print(eqsat.conditions.bounded(eqsat.metavars("x")))
    bounded(x)
    """
    return facts.bounded(_meta("bounded", x))


def uniform(x: Any) -> Condition:
    """x is a known number, repeated; its shape may be any.

    Errors   RuleError for what is no metavariable

    >>> import eqsat
    >>> print(eqsat.conditions.uniform(eqsat.metavars("x")))
    uniform(x)
    """
    return facts.uniform(_meta("uniform", x))


def varies(x: Any) -> Condition:
    """x is not known to be a number; keeps rules that collect constants from breeding them out of each other.

    Errors   RuleError for what is no metavariable

    >>> import eqsat
    >>> print(eqsat.conditions.varies(eqsat.metavars("x")))
    varies(x)
    """
    return facts.varies(_meta("varies", x))


def one_element(x: Any) -> Condition:
    """All axes of x have length 1.

    Errors   RuleError for what is no metavariable

    >>> import eqsat
    >>> print(eqsat.conditions.one_element(eqsat.metavars("x")))
    one_element(x)
    """
    return facts.one_element(_meta("one_element", x))


def whole(c: Any) -> Condition:
    """The number is an integer from -64 to 64.

    Errors   RuleError for what is no metaconstant

    >>> import eqsat
    >>> print(eqsat.conditions.whole(eqsat.metaconstants("c")))
    whole(c)
    """
    return facts.whole(_number("whole", c))


def even(c: Any) -> Condition:
    """The number is an even integer.

    Errors   RuleError for what is no metaconstant

    >>> import eqsat
    >>> print(eqsat.conditions.even(eqsat.metaconstants("c")))
    even(c)
    """
    return facts.even(_number("even", c))


def short(c: Any) -> Condition:
    """The number is a multiple of 1/1024 below 4096, so that sums of two are exact in every floating dtype.

    Errors   RuleError for what is no metaconstant

    >>> import eqsat
    >>> print(eqsat.conditions.short(eqsat.metaconstants("c")))
    short(c)
    """
    return facts.short(_number("short", c))


def tame(c: Any) -> Condition:
    """The size of the number lies between 1e-30 and 1e30, where no floating dtype loses digits.

    Errors   RuleError for what is no metaconstant

    >>> import eqsat
    >>> print(eqsat.conditions.tame(eqsat.metaconstants("c")))
    tame(c)
    """
    return facts.tame(_number("tame", c))
