"""Random steps: ops on values at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from campaign.scans.grow_values import NothingFits, Scope, Values
from campaign.scans.programs import Kind

ALL = slice(None)


class Steps(Values):
    """Adds results of ops to a scope."""

    def grow(self, scope: Scope, count: int) -> None:
        """Some random steps."""
        ways = [self.unary, self.unary, self.pair, self.pair, self.pair, self.reduce, self.part, self.product]
        ways += [self.product, self.move, self.join, self.write, self.fixed, self.integers, self.ask]
        for _ in range(count):
            try:
                self.rng.choice(ways)(scope)
            except NothingFits:
                continue

    def unary(self, scope: Scope) -> str:
        x = self.pick(scope, self.floating)
        op = self.rng.choice(["tanh", "tanh", "sin", "sigmoid", "sqr", "neg", "scale", "plus"])
        params = [round(self.rng.uniform(-1, 1), 2)] if op in ("scale", "plus") else []
        return self.put(scope, op, [x], self.kind(scope, x), *params)

    def pair(self, scope: Scope) -> str:
        a = self.pick(scope, self.floating)
        dims = self.kind(scope, a).dims
        b = self.pick(scope, lambda k: self.floating(k) and self.joined(dims, k.dims) is not None)
        op = self.rng.choice(
            ["add", "add", "sub", "mul", "mul", "divide", *["maximum", "minimum"] * (not self.smooth)]
        )
        return self.combine(scope, op, a, b)

    def combine(self, scope: Scope, op: str, a: str, b: str) -> str:
        x, y = self.kind(scope, a), self.kind(scope, b)
        dims = self.joined(x.dims, y.dims)
        assert dims is not None, (a, b)
        return self.put(scope, op, [a, b], Kind(np.promote_types(x.dtype, y.dtype).name, dims))

    def reduce(self, scope: Scope) -> str:
        x = self.pick(scope, lambda k: self.floating(k) and bool(k.dims))
        kind = self.kind(scope, x)
        op = self.rng.choice(["sum", "sum", "mean", "max"])
        op = "sum" if not self.full(kind) or self.smooth and op == "max" else op
        axis = self.rng.choice([None, *range(len(kind.dims))])
        keep = axis is not None and self.chance(0.3)
        if axis is None:
            return self.put(scope, op, [x], Kind(kind.dtype), None, False)
        dims = (*kind.dims[:axis], *(["1"] if keep else []), *kind.dims[axis + 1 :])
        return self.put(scope, op, [x], Kind(kind.dtype, dims), axis, keep)

    def part(self, scope: Scope) -> str:
        x = self.pick(scope, lambda k: bool(k.dims) and self.full(k))
        kind = self.kind(scope, x)
        size = self.sizes[kind.dims[0]]
        assert size
        how = self.rng.choice(["first", "last", "reverse", "some", "column", "take", "take", "rows"])
        if how == "take":
            i = self.index(scope, size)
            return self.put(scope, "take", [x, i], Kind(kind.dtype, kind.dims[1:]))
        if how == "rows":
            i = self.index(scope, size, vector=True)
            return self.put(
                scope, "take", [x, i], Kind(kind.dtype, (*self.kind(scope, i).dims, *kind.dims[1:]))
            )
        if how == "column" and len(kind.dims) == 2:
            return self.put(scope, "part", [x], Kind(kind.dtype, kind.dims[:1]), (ALL, 0))
        if how == "some" and size > 1:
            return self.put(
                scope, "part", [x], Kind(kind.dtype, (self.dim(size - 1), *kind.dims[1:])), slice(1, None)
            )
        if how == "reverse":
            return self.put(scope, "part", [x], kind, slice(None, None, -1))
        return self.put(scope, "part", [x], Kind(kind.dtype, kind.dims[1:]), 0 if how == "first" else -1)

    def index(self, scope: Scope, size: int, vector: bool = False) -> str:
        """Integers below a size."""
        i = self.pick(scope, lambda k: self.whole(k) and len(k.dims) == vector and self.sized(k))
        return self.put(scope, "mod", [i], self.kind(scope, i), size)

    def product(self, scope: Scope) -> str:
        how = self.rng.choice(["vector-matrix", "vector-matrix", "matrix-matrix", "vector-vector", "outer"])
        ranks = {"vector-matrix": (1, 2), "matrix-matrix": (2, 2), "vector-vector": (1, 1), "outer": (1, 1)}[
            how
        ]
        a = self.pick(scope, lambda k: self.floating(k) and len(k.dims) == ranks[0])
        x = self.kind(scope, a)
        if how == "outer":
            b = self.pick(scope, lambda k: self.floating(k) and len(k.dims) == 1 and k.dtype == x.dtype)
            return self.put(scope, "outer", [a, b], Kind(x.dtype, (*x.dims, *self.kind(scope, b).dims)))
        b = self.operand(scope, Kind(x.dtype, (x.dims[-1], *([self.rng.choice("AB")] * (ranks[1] - 1)))))
        y = self.kind(scope, b)
        return self.put(scope, "dot", [a, b], Kind(x.dtype, (*x.dims[:-1], *y.dims[1:])))

    def operand(self, scope: Scope, kind: Kind) -> str:
        """A value to multiply with from the right: one at hand or a new input."""
        try:
            return self.pick(
                scope,
                lambda k: (
                    k.dtype == kind.dtype and len(k.dims) == len(kind.dims) and k.dims[0] == kind.dims[0]
                ),
            )
        except NothingFits:
            if not self.sized(kind) or kind.dims[0] not in "ABNU1":
                raise
            return self.input(kind, letter="w")

    def move(self, scope: Scope) -> str:
        x = self.pick(scope, lambda k: self.floating(k) and 1 <= len(k.dims) <= 2)
        kind = self.kind(scope, x)
        if len(kind.dims) == 2:
            return self.put(scope, "expand", [x], Kind(kind.dtype, kind.dims[::-1]), (1, 0))
        pattern: tuple[Any, ...] = self.rng.choice([("x", 0), (0, "x")])
        return self.put(
            scope,
            "expand",
            [x],
            Kind(kind.dtype, tuple("1" if p == "x" else kind.dims[0] for p in pattern)),
            pattern,
        )

    def join(self, scope: Scope) -> str:
        a = self.pick(scope, lambda k: self.floating(k) and bool(k.dims) and self.full(k))
        x = self.kind(scope, a)
        how = self.rng.choice(["join", "cumsum", "softmax"])
        if how != "join":
            return self.put(scope, how, [a], x)
        b = self.pick(
            scope,
            lambda k: (
                k.dtype == x.dtype
                and len(k.dims) == len(x.dims)
                and k.dims[1:] == x.dims[1:]
                and self.full(k)
            ),
        )
        size = self.sizes[x.dims[0]] + self.sizes[self.kind(scope, b).dims[0]]  # type: ignore[operator]
        return self.put(scope, "join", [a, b], Kind(x.dtype, (self.dim(size), *x.dims[1:])))

    def write(self, scope: Scope) -> str:
        x = self.pick(scope, lambda k: self.floating(k) and bool(k.dims) and self.full(k))
        kind = self.kind(scope, x)
        y = self.pick(scope, lambda k: k.dtype == kind.dtype and k.dims == kind.dims[1:])
        return self.put(scope, self.rng.choice(["set", "increase"]), [x, y], kind, self.rng.choice([0, -1]))

    def fixed(self, scope: Scope) -> str:
        """Something of the values around a loop alone, which no step changes."""
        if scope.around is None:
            raise NothingFits
        outer = scope.around.everything()
        inner, scope.own = scope.own, {}
        try:
            made = self.rng.choice([self.unary, self.pair, self.product])(scope)
        finally:
            inner.update(scope.own)
            scope.own = inner
        assert outer is not None
        return made

    def integers(self, scope: Scope) -> str:
        x = self.pick(scope, self.whole)
        kind = self.kind(scope, x)
        how = self.rng.choice(["plus", "mod", "add", "cast", "cast"])
        if how == "cast":
            return self.put(scope, "cast", [x], Kind(self.dtypes[0], kind.dims), self.dtypes[0])
        if how == "add":
            y = self.pick(scope, lambda k: self.whole(k) and self.joined(kind.dims, k.dims) is not None)
            return self.combine(scope, "add", x, y)
        return self.put(scope, how, [x], kind, self.rng.randint(2, 5))

    def ask(self, scope: Scope) -> str:
        """A choice between two values."""
        test = self.condition(scope, lambda k: True)
        dims = self.kind(scope, test).dims
        a = self.pick(scope, lambda k: self.floating(k) and self.joined(dims, k.dims) is not None)
        both = self.joined(dims, self.kind(scope, a).dims)
        assert both is not None
        b = self.pick(scope, lambda k: self.floating(k) and self.joined(both, k.dims) is not None)
        x, y = self.kind(scope, a), self.kind(scope, b)
        dims = self.joined(both, y.dims) or ()
        return self.put(scope, "switch", [test, a, b], Kind(np.promote_types(x.dtype, y.dtype).name, dims))

    def condition(self, scope: Scope, test: Callable[[Kind], bool]) -> str:
        """A comparison that rounding does not turn around."""
        x = self.pick(scope, lambda k: (self.floating(k) or self.whole(k)) and test(k))
        kind = self.kind(scope, x)
        limit = (
            round(self.rng.uniform(-0.5, 0.9), 2) + 0.00137 if self.floating(kind) else self.rng.randint(0, 3)
        )
        return self.put(scope, "greater", [x], Kind("bool", kind.dims), limit)
