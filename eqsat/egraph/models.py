"""The models of fillings: of a deep sum, what it is a sum of has the same shape.

Rules move a model one op down at a time and keep every form on the way. From the loss of a network with n layers that
add to what came before there are n fillings with models of up to n additions, which would be n * n forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.core import Apply, Variable

FAR = 6  # ops that a model is moved over at once; fewer are left to the rules


class Models:
    """The first variable of a graph that has the shape of another through elementwise ops, and how many."""

    def __init__(self) -> None:
        self.found: dict[Variable, tuple[Variable, int]] = {}

    def operands(self, apply: Apply, name: str | None) -> Sequence[Variable]:
        """The operands to load for an application, which must come after those of its operands."""
        if name == "fill":
            model, far = self.found.get(apply.inputs[0], (apply.inputs[0], 0))
            return [model if far >= FAR else apply.inputs[0], *apply.inputs[1:]]
        self.learn(apply)
        return apply.inputs

    def learn(self, apply: Apply) -> None:
        """Keep the model of a result: that of the operand that is the most ops away from its own."""
        out, d = apply.outputs[0], getattr(apply.op, "declaration", None)
        alike = d.shapes.like(apply.inputs) if d is not None and d.shapes is not None else ()
        alike = [v for v in alike if _ones(v) == _ones(out)]
        if alike:
            model, far = max((self.found.get(v, (v, 0)) for v in alike), key=lambda found: found[1])
            self.found[out] = model, far + 1


def _ones(v: Variable) -> tuple[bool, ...]:
    """The axes that are known to have length 1."""
    kind: Any = v.type
    return tuple(kind.broadcastable)
