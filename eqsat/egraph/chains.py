"""Answers where to put the brackets in long chains of matrix products: dynamic programming over the lengths.

The price of a product comes from outside, so that the brackets are the best for the cost model that extracts. Where
lengths are unknown, the best brackets for a few guesses of them are all answered: extraction chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from eqsat.egraph.adapter import Session

Price = Callable[[int, float, float, float], float]  # dtype, m, k, n -> seconds
Lengths = tuple[int, ...]  # of a chain: rows of the first factor, then columns of each; -1 where unknown
Split = tuple[int, int, int]  # factors i to j-1 are split before h

UNKNOWN = 256.0  # a length of which nothing is known, for the price that counts flops
GUESSES = (1.0, 1 / 64, 64.0)  # times the default length
MOST_UNKNOWN = 4  # lengths that are guessed one by one; more are all guessed together


def flops(dtype: int, m: float, k: float, n: float) -> float:
    """The price where none is given."""
    return 2 * m * k * n


class Brackets:
    """The brackets chosen in one session."""

    def __init__(self, price: Price | None, default: float = UNKNOWN) -> None:
        self.price, self.default = price or flops, default
        self.seen = 0
        self.answers: dict[tuple[Lengths, int], int] = {}
        self.best: dict[int, list[Optimum]] = {}  # of whole chains, by dtype

    def give(self, session: Session, sizes: Mapping[str, int]) -> bool:
        """Answer what is new; True where there was anything."""
        wanted = sizes.get("want_chain", 0)
        if wanted <= self.seen:
            return False
        self.seen = wanted
        lines: list[str] = []
        rows: list[tuple[int, ...]] = []
        for sides, dtype in sorted(session.lists("want_chain"), key=lambda row: (-len(row[0]), row)):
            key = (lengths_of(sides), dtype)
            text = f"(vec-of {' '.join(map(str, sides))})"
            if key not in self.answers:
                self.answers[key] = len(self.answers)
                rows += [(self.answers[key], *split) for split in self.splits(*key)]
            lines.append(f"(call_chain {text} {dtype} {self.answers[key]})")
        session.add(lines)
        session.load({"in_split": rows})
        return True

    def splits(self, lengths: Lengths, dtype: int) -> list[Split]:
        """Brackets that are the best for a guess of the unknown lengths."""
        found: dict[Split, None] = {}
        for guess in guesses(lengths, self.default):
            found.update(dict.fromkeys(self.optimum(guess, dtype)))
        return list(found)

    def optimum(self, lengths: tuple[float, ...], dtype: int) -> Iterator[Split]:
        """The best brackets of a chain, read from those of a longer one where it is a part of that."""
        known = self.best.setdefault(dtype, [])
        for table in known:
            if (start := table.find(lengths)) is not None:
                return table.splits(start, start + len(lengths) - 1)
        known.append(Optimum(lengths, lambda m, k, n: self.price(dtype, m, k, n)))
        return known[-1].splits(0, len(lengths) - 1)


def lengths_of(sides: Sequence[int]) -> Lengths:
    """Lengths of a chain from rows and columns of its factors; one that is known of either neighbour is known."""
    inner = (max(sides[i], sides[i + 1]) for i in range(1, len(sides) - 1, 2))
    return (sides[0], *inner, sides[-1])


def guesses(lengths: Lengths, default: float) -> Iterator[tuple[float, ...]]:
    """Lengths with the unknown ones as by default, all smaller, all larger, and each of a few alone.

    >>> list(guesses((2, -1), 64.0))
    [(2.0, 64.0), (2.0, 1.0), (2.0, 4096.0)]
    """
    unknown = [i for i, n in enumerate(lengths) if n < 0]
    groups = [unknown, *([i] for i in unknown if 1 < len(unknown) <= MOST_UNKNOWN)]
    made: dict[tuple[float, ...], None] = {}
    for group in groups:
        for factor in GUESSES:
            guess = [float(n) if n >= 0 else default for n in lengths]
            for i in group:
                guess[i] = max(1.0, default * factor)
            made[tuple(guess)] = None
    yield from made


class Optimum:
    """The cheapest brackets of every part of a chain."""

    def __init__(self, lengths: tuple[float, ...], price: Callable[[float, float, float], float]) -> None:
        self.lengths = lengths
        count = len(lengths) - 1
        cost = {(i, i + 1): 0.0 for i in range(count)}
        self.where: dict[tuple[int, int], int] = {}
        for width in range(2, count + 1):
            for i in range(count - width + 1):
                j = i + width
                best, where = float("inf"), i + 1
                for parts, h in sorted((cost[i, h] + cost[h, j], h) for h in range(i + 1, j)):
                    if parts >= best:  # prices are not negative
                        break
                    total = parts + price(lengths[i], lengths[h], lengths[j])
                    if total < best:
                        best, where = total, h
                cost[i, j], self.where[i, j] = best, where
        self.cost = cost[0, count]

    def find(self, lengths: tuple[float, ...]) -> int | None:
        """The first place at which a chain of these lengths is a part of this one; None where it is none."""
        size = len(lengths)
        starts = range(len(self.lengths) - size + 1)
        return next((s for s in starts if self.lengths[s : s + size] == lengths), None)

    def splits(self, first: int, last: int) -> Iterator[Split]:
        """The splits of a part of the chain, counted from its first factor."""
        stack = [(first, last)]
        while stack:
            i, j = stack.pop()
            if j - i > 1:
                h = self.where[i, j]
                yield i - first, j - first, h - first
                stack += [(h, j), (i, h)]
