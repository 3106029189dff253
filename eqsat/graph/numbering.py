"""Numbers of variables by what they compute: two that apply equal ops to equal operands have one number."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from eqsat.graph.core import Constant, Variable
from eqsat.graph.walk import toposort


class Numbering:
    """Numbers variables as they are asked for; ``given`` ones go by what they are called, whichever they are.

    Two numberings with the same ``keys`` give the same numbers. In the order of the numbers, ``keys`` has what each stands
    for: an op on numbers, a constant, a given variable, or another one. ``known`` has the variables in the order of a walk.
    Where operands are not ``ordered``, an op that is declared to be commutative has one number for either order.

    >>> import eqsat.tensor as T
    >>> x, numbering = T.vector("x"), Numbering()
    >>> numbering.of(T.exp(x)) == numbering.of(T.exp(x)), numbering.of(x) == numbering.of(T.exp(x))
    (True, False)
    """

    def __init__(
        self,
        given: Mapping[Variable, Hashable] | None = None,
        keys: dict[Hashable, int] | None = None,
        ordered: bool = True,
    ) -> None:
        self.ordered = ordered
        self.keys: dict[Hashable, int] = {} if keys is None else keys
        self.known: dict[Variable, int] = {}
        for v, key in (given or {}).items():
            self.known[v] = self._number(("given", key))

    def _number(self, key: Hashable) -> int:
        return self.keys.setdefault(key, len(self.keys))

    def of(self, variable: Variable) -> int:
        """The number of a variable."""
        return self.all([variable])[0]

    def all(self, variables: Iterable[Variable]) -> list[int]:
        """The numbers of some variables."""
        variables = list(variables)
        for node in toposort(variables, stop=self.known):
            operands = [self._leaf(v) for v in node.inputs]
            key = (node.op, tuple(operands if self.ordered or not commutes(node.op) else sorted(operands)))
            for k, v in enumerate(node.outputs):
                self.known[v] = self._number((key, k))
        return [self._leaf(v) for v in variables]

    def _leaf(self, v: Any) -> int:
        found = self.known.get(v)
        if found is None:
            found = self.known[v] = self._number(content(v))
        return found


def commutes(op: Any) -> bool:
    """True for an op that gives the same for its operands in either order, by its declaration."""
    return getattr(getattr(op, "declaration", None), "commutative", False)


def content(v: Any) -> Hashable:
    """The key of a variable without an owner: a constant by its value, any other by itself."""
    if not isinstance(v, Constant):
        return ("variable", v)
    if isinstance(v.data, np.ndarray):
        return ("constant", v.type, v.data.dtype.str, v.data.shape, v.data.tobytes())
    return ("object", v.type, id(v.data))
