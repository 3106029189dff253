"""Metavariables of rules that are written as expressions: tensors, constants, and axes that a rule leaves open."""

from __future__ import annotations

from typing import Any

from eqsat.errors import RuleError
from eqsat.graph.parameters import SomeAxes
from eqsat.graph.tensor_type import TensorType
from eqsat.rules.condition import Condition
from eqsat.rules.facts import rank, single
from eqsat.rules.pattern import Meta

__all__ = ["metaaxes", "metaconstants", "metavars"]

ANY_RANK = (
    5  # dimensions of the stand-in for a tensor of any rank: what depends on them shows when the side is read
)
STANDS_IN = {"float": "float64", "int": "int64", "number": "float64", "bool": "bool", "any": "float64"}
Base: Any = TensorType.variable_class


class MetaVariable(Base):  # type: ignore[misc]
    """A tensor variable that stands for any tensor of some rank and dtype in a rule."""

    __slots__ = ("constant", "meta", "rank")

    def __init__(self, name: str, domain: str, ndim: int | None, constant: bool = False) -> None:
        shown = 0 if constant else ANY_RANK if ndim is None else ndim
        super().__init__(TensorType(STANDS_IN[domain], shape=(None,) * shown), None, None, name)
        self.meta, self.rank, self.constant = Meta(name, domain), ndim, constant

    def known(self) -> Condition | None:
        """The conditions that a rule must have that names it."""
        if self.constant:
            return single(self.meta)
        return None if self.rank is None else rank(self.meta, self.rank)


def _names(function: str, names: str) -> list[str]:
    found = names.replace(",", " ").split() if isinstance(names, str) else []
    if not found or not all(n.isidentifier() and n.isascii() and n[0] != "_" for n in found):
        raise RuleError(f"{function}: {names!r} holds no names", needs='text such as "x y"')
    twice = [n for i, n in enumerate(found) if n in found[:i]]
    if twice:
        raise RuleError(f"{function}: {twice[0]} is named twice in {names!r}")
    return found


def _check_dtype(function: str, dtype: str) -> None:
    if dtype not in STANDS_IN:
        raise RuleError(f"{function}: a rule has no metavariables of {dtype!r}", among=(dtype, STANDS_IN))


def _one_or_all(made: list[Any]) -> Any:
    return made[0] if len(made) == 1 else made


def metavars(names: str, ndim: int | None = None, dtype: str = "float") -> Any:
    """Metavariables for tensors in rules; one where one name is given, else a list.

    They are tensor variables, so the functions of ``eqsat.tensor`` take them. ``ndim=None`` stands for any rank, the
    same for all that meet; a rule that moves axes, multiplies matrices or takes parts states the rank. ``dtype`` is
    float, int, number (either of them), bool or any.

    Errors   RuleError for names that are none, or an unknown dtype

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = eqsat.metavars("x y")
    >>> print(eqsat.rule("mine", T.exp(x) * T.exp(y), T.exp(x + y), tier="loose"))
    mine: mul(exp(x), exp(y)) = exp(add(x, y)) [loose]
    """
    found = _names("metavars", names)
    _check_dtype("metavars", dtype)
    if ndim is not None and not (isinstance(ndim, int) and 0 <= ndim < ANY_RANK):
        raise RuleError(f"metavars: ndim={ndim!r}", needs=f"None, or a number from 0 to {ANY_RANK - 1}")
    return _one_or_all([MetaVariable(n, dtype, ndim) for n in found])


def metaconstants(names: str, dtype: str = "float") -> Any:
    """Metavariables for numbers that are known when the graph is compiled; one where one name is given, else a list.

    They match constants of one element, of whatever rank, and what rules find to be one. The right side computes with
    the number.

    Errors   RuleError for names that are none, or an unknown dtype

    >>> import eqsat, eqsat.tensor as T
    >>> x, (c, d) = eqsat.metavars("x"), eqsat.metaconstants("c d")
    >>> print(eqsat.rule("mine", (x ** c) ** d, x ** (c * d), when=x > 0))
    mine: pow(pow(x, c), d) = pow(x, mul(c, d)) when single(c) and single(d) and positive(x) [rounds]
    """
    found = _names("metaconstants", names)
    _check_dtype("metaconstants", dtype)
    return _one_or_all([MetaVariable(n, dtype, None, constant=True) for n in found])


def metaaxes(names: str) -> Any:
    """Metavariables for sets of axes; one where one name is given, else a list. ``s | t`` and ``s & t`` are sets too.

    A reduction over them keeps the reduced axes, with length 1, whatever ``keepdims`` says.

    Errors   RuleError for names that are none

    >>> import eqsat, eqsat.tensor as T
    >>> x, (s, t) = eqsat.metavars("x"), eqsat.metaaxes("s t")
    >>> print(eqsat.rule("mine", T.max(T.max(x, axis=s), axis=t), T.max(x, axis=s | t), tier="exact"))
    mine: max{t}(max{s}(x)) = max{|(s, t)}(x) [exact]
    """
    return _one_or_all([SomeAxes(n) for n in _names("metaaxes", names)])
