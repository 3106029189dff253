"""Extraction by measured error: every form of a class is computed at the points and held against the real values of the class."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.egraph.folding import number_value
from eqsat.egraph.reading import APP, ARR, LEAF, NUM, ENode
from eqsat.errors import EqsatError
from eqsat.extract.algebra import Builder, Posed
from eqsat.graph.core import Constant
from eqsat.graph.declare import OPS
from eqsat.rounding.measure import error
from eqsat.rounding.points import Points
from eqsat.rounding.reals import DIGITS, RealRun, check_formula
from eqsat.verify.sides import Undefined

Array = Any
MOST_FORMS = 6  # of a class, that are kept
MOST_COMBINATIONS = 24  # of kept operands of one e-node
MOST_ROUNDS = 12
NOTHING = 1e-6  # bits


@dataclass(frozen=True, eq=False)
class Form:
    """One way to compute a class: an e-node with a form of each operand, its value and error at each point, and its cost."""

    enode: int
    operands: tuple[Form, ...]
    value: Array
    errors: Array
    seconds: float

    @property
    def bits(self) -> float:
        """The mean error."""
        return float(self.errors.mean())


class AccurateForms:
    """The most accurate forms of each class of an e-graph that was found.

    A form holds forms, not classes: what is chosen for an operand does not change later, and no form is inside itself.
    """

    def __init__(self, posed: Posed, points: Points) -> None:
        self.posed, self.points = posed, points
        self.enodes: Sequence[ENode] = posed.enodes
        self.price = [self.seconds_of(k) for k in range(len(self.enodes))]
        self.usable = [k for k, e in enumerate(self.enodes) if self.computes(e)]
        self.users: dict[int, list[int]] = {}
        for k in self.usable:
            for cls in set(self.enodes[k].children):
                self.users.setdefault(cls, []).append(k)
        self.real = self.real_values()
        self.forms: dict[int, list[Form]] = {}
        self.fill()

    def seconds_of(self, k: int) -> float:
        """The cost of an e-node without the price of an unstable form: its error is measured instead."""
        e = self.enodes[k]
        return self.posed.reader.cost(e) - (self.posed.reader.model.unstable if e.unstable else 0.0)

    def computes(self, e: ENode) -> bool:
        """True for what can be computed at all points: an input, a constant, an op with a meaning on arrays."""
        if e.op == APP:
            return False
        return e.op in (LEAF, NUM, ARR) or not self.points.whole or OPS[e.op].kind == "elemwise"

    def leaf_value(self, e: ENode) -> Array | None:
        """The value of what has no operands; None for another e-node."""
        if e.op == NUM:
            return self.points.constant(number_value(e.params))
        if e.op not in (LEAF, ARR):
            return None
        variable = self.variable(e)
        if isinstance(variable, Constant):
            return self.points.constant(np.asarray(variable.data))
        place = next(k for k, v in enumerate(self.points.inputs) if v is variable)
        return self.points.values[place]

    def variable(self, e: ENode) -> Any:
        """The input or the constant that a leaf is."""
        if e.op == LEAF:
            return self.posed.encoded.leaves[e.params[0]]
        return next(
            self.posed.encoded.variables[k]
            for k, code in self.posed.encoded.tables["in_arr"]
            if code == e.params[0]
        )

    # ------------------------------------------------------------------------------------------- real values

    def real_values(self) -> dict[int, Array]:
        """The real value of each class at each point, rounded once, by the first form that has formulas."""
        made = self.graph_of_classes()
        known = [v for v in made.values() if not isinstance(v, Constant)]
        run = RealRun(known, self.points.inputs, self.points.whole)
        given = self.points.values
        found = dict(zip(known, run.values(given, known, DIGITS[:5], near=True), strict=True))
        whole = {
            cls: self.points.constant(np.asarray(v.data)) if isinstance(v, Constant) else found[v]
            for cls, v in made.items()
        }
        return {cls: np.asarray(value) for cls, value in whole.items()}

    def graph_of_classes(self) -> dict[int, Any]:
        """A variable of each class that has a form with formulas over the reals, those as written first."""
        builder = self.builder()
        made: dict[int, Any] = {}
        waiting = list(self.usable)
        while True:
            rest = []
            for k in waiting:
                e = self.enodes[k]
                if e.cls in made:
                    continue
                if any(c not in made for c in e.children):
                    rest.append(k)
                    continue
                try:
                    if e.op not in (LEAF, NUM, ARR):
                        check_formula(e.op)
                    made[e.cls] = builder.make(e, [made[c] for c in e.children])
                except (Undefined, EqsatError, AssertionError):
                    continue
            if len(rest) == len(waiting):
                return made
            waiting = rest

    def builder(self) -> Builder:
        """A maker of variables of e-nodes."""
        p = self.posed
        return Builder(p.encoded, p.enodes, p.saturated, p.reader, p.dense)

    # ------------------------------------------------------------------------------------------------- forms

    def fill(self) -> None:
        """Find forms of every class, until none is better than those that are kept."""
        waiting: list[int] = []
        for k in self.usable:
            value = self.leaf_value(self.enodes[k])
            if value is not None:
                self.offer(k, (), value, waiting)
            elif not self.enodes[k].children:
                waiting.append(k)
        for _ in range(MOST_ROUNDS):
            if not waiting:
                break
            now, waiting = sorted(set(waiting)), []
            for k in now:
                self.compute(k, waiting)

    def compute(self, k: int, waiting: list[int]) -> None:
        """Offer an e-node with the kept forms of its operands."""
        e = self.enodes[k]
        if any(c not in self.forms for c in e.children):
            return
        op = self.posed.reader.op(e)
        for operands in islice(product(*(self.forms[c] for c in e.children)), MOST_COMBINATIONS):
            try:
                value = self.points.run(op.compute, [f.value for f in operands])
            except (EqsatError, ValueError, IndexError, TypeError):
                return
            self.offer(k, operands, value, waiting)

    def offer(self, k: int, operands: tuple[Form, ...], value: Array, waiting: list[int]) -> None:
        """Keep a form that is the best at some point, or as good and cheaper; its users are to be computed again."""
        cls = self.enodes[k].cls
        first = next(iter(self.forms.get(cls, ())), None)
        if first is not None and value.dtype != first.value.dtype:
            value = value.astype(first.value.dtype)
        form = Form(
            k, operands, value, self.errors(cls, value), self.price[k] + sum(f.seconds for f in operands)
        )
        kept = self.forms.get(cls, [])
        if any(_as_good(other, form) for other in kept):
            return
        rest = [other for other in kept if not _as_good(form, other)]
        self.forms[cls] = _pruned([*rest, form])
        if form in self.forms[cls]:
            waiting.extend(self.users.get(cls, ()))

    def errors(self, cls: int, value: Array) -> Array:
        """The error of a value of a class at each point, 0 where the class has no real value."""
        real = self.real.get(cls)
        if real is None or value.dtype.kind != "f":
            return np.zeros(self.points.count)
        shape = np.broadcast_shapes(
            real.shape, value.shape, (self.points.count,) + (1,) * (max(real.ndim, 1) - 1)
        )
        real, value = np.broadcast_to(real, shape), np.broadcast_to(value, shape)
        known = np.isfinite(real).reshape(self.points.count, -1).all(axis=1)
        return np.where(known, error(value, real, self.points.count), 0.0)

    # ------------------------------------------------------------------------------------------------ answer

    def outputs(self) -> list[list[Form]]:
        """The forms of each output that are kept, the most accurate first."""
        roots = [self.posed.saturated.class_of[k] for k in self.posed.encoded.roots]
        return [sorted(self.forms.get(cls, []), key=lambda f: (round(f.bits, 3), f.seconds)) for cls in roots]

    def graph(self, form: Form, builder: Builder) -> Any:
        """The graph of a form."""
        made: dict[int, Any] = {}
        stack = [form]
        while stack:
            top = stack[-1]
            missing = [f for f in top.operands if id(f) not in made]
            if id(top) in made or not missing:
                stack.pop()
                if id(top) not in made:
                    e = self.enodes[top.enode]
                    made[id(top)] = builder.finish(e, builder.make(e, [made[id(f)] for f in top.operands]))
            else:
                stack.extend(missing)
        return made[id(form)]


def _as_good(a: Form, b: Form) -> bool:
    """True where one form is nowhere less accurate than another one, and no dearer."""
    return a.seconds <= b.seconds and bool((a.errors <= b.errors + NOTHING).all())


def _pruned(forms: list[Form]) -> list[Form]:
    """Few forms: the most accurate, the cheapest, and those that are the best at most points that the others serve badly."""
    if len(forms) <= MOST_FORMS:
        return sorted(forms, key=lambda f: (f.bits, f.seconds))
    kept = [
        min(forms, key=lambda f: (round(f.bits, 3), f.seconds)),
        min(forms, key=lambda f: (f.seconds, f.bits)),
    ]
    while len(kept) < MOST_FORMS:
        best = np.minimum.reduce([f.errors for f in kept])
        gains = [(float(np.maximum(best - f.errors, 0.0).sum()), -f.seconds, k) for k, f in enumerate(forms)]
        gain, _, k = max(gains)
        if gain <= NOTHING:
            break
        kept.append(forms[k])
    return sorted(dict.fromkeys(kept), key=lambda f: (f.bits, f.seconds))
