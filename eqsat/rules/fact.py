"""Declarations of conditions of rules: a name, an expression for the e-graph, a meaning on arrays, and the same in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eqsat.base.values import dataclass
from eqsat.rules.pattern import Condition


@dataclass(frozen=True)
class Fact:
    """A condition on its operands a, b and c.

    ``text`` is an expression in which ``mask(a)`` is the value of the table ``mask`` for an operand, and ``first`` the
    first operand of the left side. ``bits(a)`` is ``mask(a)`` with other bits above those of axes. Parts joined by "and" are
    asked for in turn; ``is_known(cval(a))`` asks only that there is a value.
    ``holds`` takes numbers, arrays and the values of parameters.
    """

    text: str
    holds: Callable[..., Any]
    about: str  # tensors, numbers, matrices, loops or functions
    doc: str = ""
    offered: bool = False  # to users, as a function of eqsat.conditions
    wants: str = ""  # an op of some operands, such as length(b, c): the e-graph must hold it before it can be asked for

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of its operands: x and y are tensors, v is a number, the others are axes."""
        code = self.holds.__code__
        return code.co_varnames[: code.co_argcount]


FACTS: dict[str, Fact] = {}  # by name; eqsat/rules/facts.py fills it


def fact(
    name: str,
    text: str,
    holds: Callable[..., Any],
    doc: str,
    about: str = "tensors",
    offered: bool = False,
    wants: str = "",
) -> Callable[..., Condition]:
    """Declare a condition; the result makes it of its operands. One that is ``offered`` is in ``eqsat.conditions`` too.

    >>> from eqsat.rules.facts import FACTS, covers
    >>> from eqsat.rules.pattern import parameters, reals
    >>> print(covers(reals("x"), parameters("axes")))
    covers(x, axes)
    >>> FACTS["covers"].text
    '0 == bits(a) & b'
    """
    count = holds.__code__.co_argcount

    def maker(*operands: Any) -> Condition:
        assert len(operands) == count, (name, operands)
        return Condition(((name, operands),))

    maker.__name__ = maker.__qualname__ = name
    maker.__doc__ = doc
    FACTS[name] = Fact(text, holds, about, doc, offered, wants)
    return maker
