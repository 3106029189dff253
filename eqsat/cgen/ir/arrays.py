"""Arrays of the loop program: where they lie, and lengths and strides as texts that can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from eqsat.base.values import dataclass
from eqsat.graph.dtypes import ALL

SIZE = {dtype: np.dtype(dtype).itemsize for dtype in ALL}  # bytes of an element
_FACTORS = re.compile(r"[A-Za-z0-9_\[\]]+(?:\*[A-Za-z0-9_\[\]]+)*")


@dataclass(eq=False)
class Storage:
    """The owner of the memory of an array: ``input``, ``constant``, ``output`` or ``slot`` of the workspace."""

    kind: str
    index: int = -1
    size: str = ""


@dataclass(frozen=True)
class Array:
    """A variable in memory: names of its pointer, lengths and strides, and the axes that broadcast."""

    pointer: str
    dtype: str
    n: tuple[str, ...]
    s: tuple[str, ...]
    mask: tuple[bool, ...]
    storage: Storage


def bare(text: str) -> str:
    """Text without parentheses around a number or name."""
    while text.startswith("(") and text.endswith(")") and _FACTORS.fullmatch(text[1:-1]):
        text = text[1:-1]
    return text


def is_plain(text: str) -> bool:
    """True for a number, a name or a product of them."""
    return _FACTORS.fullmatch(text) is not None


class Lengths:
    """Texts of lengths that are known to be equal."""

    def __init__(self, known: Lengths | None = None, depth: Callable[[str], int] = lambda text: 0) -> None:
        self._parent: dict[str, str] = dict(known._parent) if known else {}
        self._depth = (
            depth  # of the loop in which a text changes: one that changes less stands for the others
        )

    def find(self, text: str) -> str:
        """The text that stands for all those equal to this one; a number where one is known."""
        while text in self._parent:
            text = self._parent[text]
        return text

    def unite(self, a: str, b: str) -> None:
        """Note that two lengths are equal from here on."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        if b.isdigit() or (not a.isdigit() and self._depth(b) < self._depth(a)):
            a, b = b, a
        if not b.isdigit():
            self._parent[b] = a

    def product(self, factors: Iterable[str]) -> str:
        """Product in a form that is equal as text where it is known to be equal as a number."""
        number, names = 1, []
        for factor in factors:
            if not is_plain(factor):
                names.append(f"({factor})")
                continue
            for part in factor.split("*"):
                part = self.find(part)
                if part.isdigit():
                    number *= int(part)
                else:
                    names.append(part)
        if number == 0:
            return "0"
        return "*".join(([str(number)] if number != 1 or not names else []) + sorted(names))

    def strides(self, n: Sequence[str]) -> tuple[str, ...]:
        """Strides of a C-contiguous array."""
        result, step = [], "1"
        for length in reversed(n):
            result.append(step)
            step = self.product((length, step))
        return tuple(reversed(result))

    def contiguous(self, array: Array) -> bool:
        """True where the array is known to be C-contiguous; axes of length 1 do not matter."""
        wanted = self.strides(array.n)
        return all(
            self.find(n) == "1" or self.product((s,)) == w
            for n, s, w in zip(array.n, array.s, wanted, strict=True)
        )
