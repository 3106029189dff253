"""Random loops: sequences with taps, states, non-sequences, updates, conditions, loops inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from campaign.scans.grow_states import States
from campaign.scans.grow_values import NothingFits, Scope
from campaign.scans.programs import Input, Kind, Loop, Result, Rows


class Loops(States):
    """Adds loops to a scope."""

    def row_kind(self) -> Kind:
        dims = self.rng.choice(
            [(), ("A",), ("A",), ("B",), ("A", "B"), ("A", "A"), ("1", "A"), ("A", "1"), ("U",), ("1",)]
        )
        return Kind(self.rng.choice(self.dtypes), dims)

    def loop(self, scope: Scope) -> Loop:
        """A loop whose body may use everything of the scope."""
        inside = Scope(scope)
        backwards = self.chance(0.2)
        sequences, lengths = self.sequences(scope, inside)
        n_steps, time = self.steps(scope, lengths, sequences)
        states = self.states(scope, inside)
        given = []
        for v in self.some(scope.everything(), 0.3, 2):
            given.append((v, self.name("g")))
            inside.own[given[-1][1]] = self.kind(scope, v)
        updates = self.counters(scope, inside)
        self.grow(inside, self.rng.randint(1, 5))
        if scope.depth == 0 and self.chance(0.35):
            self.inner(inside)
        self.grow(inside, self.rng.randint(0, 3))
        results = [self.next(inside, r) for r in states] + self.values(inside, bool(states))
        self.rng.shuffle(results)
        stop = None
        if self.chance(0.12) and results and time is not None and self.sizes[time]:
            stop = self.stopping(inside)
            time = self.dim(None) if stop else time
        for r in results:
            scope.own[r.name] = Kind(r.kind.dtype, (str(time), *r.kind.dims))
        truncate = self.rng.choice([1, 2, 3]) if self.chance(0.12) else -1
        made = Loop(
            tuple(sequences),
            tuple(results),
            tuple(inside.body),
            n_steps,
            backwards,
            tuple(given),
            updates,
            stop,
            truncate,
        )
        scope.body.append(made)
        return made

    def some(self, values: Any, p: float, most: int) -> list[str]:
        found = [v for v in values if self.chance(p)]
        self.rng.shuffle(found)
        return found[:most]

    def sequences(self, scope: Scope, inside: Scope) -> tuple[list[Rows], list[tuple[str, int]]]:
        """Sequences, and for each its length's name and how many steps it lasts."""
        found, lengths = [], []
        for _ in range(self.rng.choice([0, 1, 1, 1, 2, 2, 3])):
            x = self.sequence(scope)
            kind = self.kind(scope, x)
            size = self.sizes[kind.dims[0]] or 0
            taps = (
                self.rng.sample([-3, -2, -1, 0, 0, 1, 2], self.rng.choice([1, 2, 3]))
                if self.chance(0.4)
                else [0]
            )
            taps = list(dict.fromkeys(taps))
            span = max(0, *taps) - min(0, *taps)
            taps, span = (taps, span) if span <= size else ([0], 0)
            rows = tuple(self.name("r") for _ in taps)
            inside.own.update({r: Kind(kind.dtype, kind.dims[1:]) for r in rows})
            found.append(Rows(x, tuple(taps), rows))
            lengths.append((kind.dims[0], size - span))
        return found, lengths

    def sequence(self, scope: Scope) -> str:
        """A value with a first axis to loop over."""
        ready = [v for v, k in scope.everything().items() if 1 <= len(k.dims) <= 3 and self.sized(k)]
        ready = [v for v in ready if v[0] not in "wg"]
        if ready and self.chance(0.55 if scope.depth == 0 else 0.85):
            return self.rng.choice(ready)
        time = self.rng.choice(
            ["N", "N", "NN", self.dim(self.rng.randint(1, 7))] if scope.depth == 0 else ["A", "N"]
        )
        if self.chance(0.15):
            if self.chance(0.5) and self.sizes[time] is not None:
                n = self.input(Kind("int64"), self.sizes[time], "n")
                return self.put(self.top if scope.depth == 0 else scope, "count", [n], Kind("int64", (time,)))
            return self.input(Kind(self.rng.choice(["int64", "int32"]), (time,)), letter="k")
        row = self.row_kind()
        return self.input(Kind(row.dtype, (time, *row.dims)))

    def steps(
        self, scope: Scope, lengths: list[tuple[str, int]], sequences: Sequence[Rows]
    ) -> tuple[int | str | None, str]:
        """The number of steps, and the name of the length of the outputs."""
        most = min((n for _, n in lengths), default=None)
        if most is not None and self.chance(0.6):
            same = len({d for d, _ in lengths}) == 1 and all(s.taps == (0,) for s in sequences)
            return None, lengths[0][0] if same else self.dim(most)
        high = 5 if most is None else most
        n = self.rng.choice([0, 1, 1, *[high] * 6, *[self.rng.randint(1, max(1, high))] * 4])
        n = min(n, high)
        how = self.rng.choice(["number", "variable", "length"])
        if how == "length" and most is not None:
            exact = [s for s, (d, n) in zip(sequences, lengths) if n == most and s.taps == (0,)]
            if exact:
                return self.put(scope, "length", [exact[0].source], Kind("int64")), self.dim(most)
        if how == "variable":
            ready = [i.name for i in self.inputs if i.number is not None and i.number == n]
            return (self.rng.choice(ready) if ready else self.input(Kind("int64"), n, "n")), self.dim(n)
        return n, self.dim(n)

    def states(self, scope: Scope, inside: Scope) -> list[Result]:
        found = []
        for _ in range(self.rng.choice([0, 1, 1, 1, 2, 2, 3])):
            taps = (
                tuple(self.rng.sample([-1, -2, -3], self.rng.choice([1, 2, 3])))
                if self.chance(0.35)
                else (-1,)
            )
            initial, kind = self.initial(scope, taps)
            reads = tuple(self.name("h") for _ in taps)
            inside.own.update(dict.fromkeys(reads, kind))
            found.append(Result(self.name("s"), "", kind, initial, taps, reads))
        return found

    def initial(self, scope: Scope, taps: Sequence[int]) -> tuple[str, Kind]:
        """The initial value of a state, and the kind of the state."""
        first = -min(taps)
        if self.chance(0.15):
            kind = Kind(self.rng.choice(["int64", "int32"]), self.rng.choice([(), (), ("A",)]))
        else:
            kind = self.row_kind()
        if tuple(taps) != (-1,):
            size = first + self.rng.choice([0, 0, 0, 1])
            stacked = [v for v, k in scope.everything().items() if k.dims[1:] == kind.dims and k.dims and k.dtype == kind.dtype
                       and (self.sizes[k.dims[0]] or 0) >= first]  # fmt: skip
            if stacked and self.chance(0.5):
                return self.rng.choice(stacked), kind
            return self.input(Kind(kind.dtype, (self.dim(size), *kind.dims)), letter="i"), kind
        ready = [v for v, k in scope.everything().items() if k == kind]
        if ready and self.chance(0.5):
            return self.rng.choice(ready), kind
        if not kind.dims and self.chance(0.4):
            value = 0 if self.chance(0.5) else self.rng.choice([1, 0.5]) if self.floating(kind) else 1
            return self.put(scope, "constant", [], kind, value, kind.dtype), kind
        if "U" in kind.dims and self.chance(0.7):
            start = Kind(kind.dtype, tuple("1" if d == "U" else d for d in kind.dims))
            return self.input(start, letter="i"), kind
        made = self.input(kind, letter="i")
        return (self.put(scope, "zeros_like", [made], kind), kind) if self.chance(0.3) else (made, kind)

    def counters(self, scope: Scope, inside: Scope) -> tuple[tuple[str, str], ...]:
        """Shared variables and their next values; each belongs to one loop."""
        if not self.chance(0.12):
            return ()
        kind = self.rng.choice([Kind("int64"), Kind(self.dtypes[0], ("A",)), Kind(self.dtypes[0])])
        name = self.name("c")
        self.shared.append(Input(name, kind))
        inside.own[name] = kind
        if self.whole(kind):
            return ((name, self.put(inside, "plus", [name], kind, 2)),)
        return ((name, self.into(inside, kind, name)),)

    def inner(self, scope: Scope) -> None:
        """A loop inside a loop; of outputs without a known length the sum is taken."""
        if self.chance(0.15):
            try:
                i = self.pick(scope, lambda k: self.whole(k) and not k.dims)
                n = self.put(scope, "mod", [i], self.kind(scope, i), 4)
            except NothingFits:
                pass
            else:
                self.inner_of(scope, n)
                return
        made = self.loop(scope)
        for r in made.results:
            self.consume(scope, r.name)

    def inner_of(self, scope: Scope, n: str) -> None:
        """A loop over as many steps as an integer says, of one state."""
        inside = Scope(scope)
        kind = self.row_kind()
        h, initial = self.name("h"), self.input(kind, letter="i")
        inside.own[h] = kind
        self.grow(inside, 3)
        value = self.into(inside, kind, h)
        result = Result(self.name("s"), value, kind, initial, (-1,), (h,))
        scope.body.append(Loop((), (result,), tuple(inside.body), n))
        scope.own[result.name] = Kind(kind.dtype, (self.dim(None), *kind.dims))
        self.consume(scope, result.name)

    def consume(self, scope: Scope, name: str) -> str:
        """What is used of an output: all of it, a part, or nothing."""
        kind = self.kind(scope, name)
        size = self.sizes[kind.dims[0]]
        if not (self.floating(kind) or self.whole(kind)):
            return name
        if size is None or self.chance(0.15):
            how = self.rng.choice(["sum", "last"]) if scope.depth == 0 or size else "sum"
        else:
            how = self.rng.choice(
                ["whole", "whole", "last", "last", "late", "stride", "reverse", "first", "rest"]
            )
        row = Kind(kind.dtype, kind.dims[1:])
        if how == "sum" or (size == 0 and how in ("last", "first")):
            dtype = "int64" if self.whole(kind) else kind.dtype
            return self.put(scope, "sum", [name], Kind(dtype, row.dims), 0, False)
        if how in ("last", "first"):
            return self.put(scope, "part", [name], row, -1 if how == "last" else 0)
        places = {
            "late": slice(-3, None),
            "stride": slice(None, None, 2),
            "reverse": slice(None, None, -1),
            "rest": slice(1, None),
        }
        if how in places:
            dim = kind.dims[0] if how == "reverse" else self.dim(len(range(size or 0)[places[how]]))
            return self.put(scope, "part", [name], Kind(kind.dtype, (dim, *row.dims)), places[how])
        return name

    def values(self, scope: Scope, some: bool) -> list[Result]:
        """Outputs that are no states."""
        ready = [v for v, k in scope.own.items() if self.sized(k) and len(k.dims) <= 2]
        count = self.rng.choice([0, 0, 1, 2]) if some else self.rng.choice([1, 1, 2])
        if not ready and not some:
            ready = [self.put(scope, "constant", [], Kind("float64"), 0.5, "float64")]
        fresh = [v for v in ready if v not in self.used]
        picked = [
            self.take(self.rng.choice(fresh if fresh and self.chance(0.7) else ready[-8:]))
            for _ in range(count if ready else 0)
        ]
        return [Result(self.name("o"), v, scope.own[v], "", (), ()) for v in picked]

    def stopping(self, scope: Scope) -> str | None:
        try:
            return self.condition(scope, lambda k: not k.dims)
        except NothingFits:
            return None
