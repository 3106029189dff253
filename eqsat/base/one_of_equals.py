"""Things that are stated to be equal, of which one stands for all."""

from __future__ import annotations

from collections.abc import Hashable


class Equals:
    """Things that are joined as they are seen to be equal.

    >>> some = Equals()
    >>> some.join("a", "b"); some.join("b", "c")
    >>> some.root("a") == some.root("c"), some.root("a") == some.root("d")
    (True, False)
    """

    def __init__(self) -> None:
        self.parent: dict[Hashable, Hashable] = {}

    def root(self, s: Hashable) -> Hashable:
        """The thing that stands for all that are equal to one."""
        while s in self.parent:
            s = self.parent[s]
        return s

    def join(self, a: Hashable, b: Hashable) -> None:
        """State that two things are equal; an integer stands for others, and two integers stay apart."""
        a, b = self.root(a), self.root(b)
        if a != b and not (isinstance(a, int) and isinstance(b, int)):
            self.parent.update({b: a} if isinstance(a, int) else {a: b})
