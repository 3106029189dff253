"""The next values of states: recurrences of the kinds that programs hold, and odd ones."""

from __future__ import annotations

from collections.abc import Callable

from campaign.scans.grow_steps import Steps
from campaign.scans.grow_values import NothingFits, Scope
from campaign.scans.programs import Kind, Result


class States(Steps):
    """Adds the next values of states to a scope."""

    def next(self, scope: Scope, r: Result) -> Result:
        return Result(
            r.name, self.into(scope, r.kind, self.rng.choice(r.reads)), r.kind, r.initial, r.taps, r.reads
        )

    def into(self, scope: Scope, kind: Kind, h: str) -> str:
        """The next value of a state h."""
        if self.whole(kind):
            step = self.put(scope, "plus", [h], kind, self.rng.randint(1, 3))
            return step if self.chance(0.5) else self.put(scope, "mod", [step], kind, 5)
        if self.chance(0.05):
            return h
        s = self.shaped(scope, kind)
        how = self.rng.choice(
            ["rnn", "rnn", "sum", "decay", "product", "choose", "without", "accumulate", "accumulate"]
        )
        if how == "accumulate" and len(kind.dims) == 2:
            s = self.rank_one(scope, kind) or s
        if how in ("sum", "accumulate"):
            return self.combine(scope, "add", *self.rng.sample([h, s], 2))
        if how == "decay":
            return self.combine(
                scope, "add", self.put(scope, "scale", [h], kind, round(self.rng.uniform(-1, 1), 2)), s
            )
        if how == "product":
            return self.combine(scope, "mul", h, self.put(scope, "tanh", [s], self.kind(scope, s)))
        if how == "choose":
            test = (
                self.condition(scope, lambda k: not k.dims) if self.has(scope, lambda k: not k.dims) else None
            )
            if test:
                return self.put(scope, "switch", [test, h, self.spread(scope, s, h)], kind)
        if how == "without":
            return self.spread(scope, s, h)
        if kind.dims and kind.dims[-1] in "AB" and self.chance(0.6):
            h = self.put(
                scope, "dot", [h, self.input(Kind(kind.dtype, (kind.dims[-1],) * 2), letter="w")], kind
            )
        return self.put(scope, "tanh", [self.combine(scope, "add", h, s)], kind)

    def has(self, scope: Scope, test: Callable[[Kind], bool]) -> bool:
        return any(test(k) and (self.floating(k) or self.whole(k)) for k in scope.everything().values())

    def spread(self, scope: Scope, s: str, h: str) -> str:
        """s with the shape of h."""
        if self.kind(scope, s).dims == self.kind(scope, h).dims:
            return s
        return self.combine(scope, "add", s, self.put(scope, "zeros_like", [h], self.kind(scope, h)))

    def shaped(self, scope: Scope, kind: Kind) -> str:
        """A value that can be added to a state, in its dtype."""
        fits = lambda k: self.floating(k) and self.joined(k.dims, kind.dims) == kind.dims
        try:
            x = self.pick(scope, fits)
        except NothingFits:
            try:
                x = self.pick(scope, self.floating)
                x = self.put(scope, "sum", [x], Kind(self.kind(scope, x).dtype), None, False)
            except NothingFits:
                x = self.put(scope, "constant", [], Kind(kind.dtype), 0.25, kind.dtype)
        have = self.kind(scope, x)
        return (
            x
            if have.dtype == kind.dtype
            else self.put(scope, "cast", [x], Kind(kind.dtype, have.dims), kind.dtype)
        )

    def rank_one(self, scope: Scope, kind: Kind) -> str | None:
        """A product of a column and a row, or of two matrices over a common axis."""
        try:
            if self.chance(0.5):
                a = self.pick(scope, lambda k: k.dtype == kind.dtype and k.dims == kind.dims[:1])
                b = self.pick(scope, lambda k: k.dtype == kind.dtype and k.dims == kind.dims[1:])
                return self.put(scope, "outer", [a, b], kind)
            a = self.pick(
                scope, lambda k: k.dtype == kind.dtype and len(k.dims) == 2 and k.dims[1] == kind.dims[0]
            )
            common = self.kind(scope, a).dims[0]
            b = self.pick(scope, lambda k: k.dtype == kind.dtype and k.dims == (common, kind.dims[1]))
            turned = self.put(scope, "expand", [a], Kind(kind.dtype, (kind.dims[0], common)), (1, 0))
            return self.put(scope, "dot", [turned, b], kind)
        except NothingFits:
            return None
