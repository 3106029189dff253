"""The numbers and pointers that the functions of a segment share, and the loop in which each of them changes."""

from __future__ import annotations

import re

_ENTRY = re.compile(r"\b(?:[NP]\[\d+\]|L_\d+\b)")


class Table:
    """Counts the entries of N and P. The depth of an entry is the number of loops around what sets it."""

    def __init__(self) -> None:
        self.numbers = self.pointers = self.names = 0
        self._depth: dict[str, int] = {}
        self._content: dict[str, int] = {}

    def state(self) -> tuple[int, int, int, dict[str, int], dict[str, int]]:
        """A mark to which ``back_to`` returns."""
        return self.numbers, self.pointers, self.names, dict(self._depth), dict(self._content)

    def back_to(self, state: tuple[int, int, int, dict[str, int], dict[str, int]]) -> None:
        """Forget the entries that were counted since."""
        self.numbers, self.pointers, self.names, self._depth, self._content = state

    def number(self, depth: int) -> str:
        """Name of a fresh integer."""
        self.numbers += 1
        return self._noted(f"N[{self.numbers - 1}]", depth)

    def pointer(self, depth: int) -> str:
        """Name of a fresh pointer; what it points to changes in the same loop."""
        self.pointers += 1
        name = self._noted(f"P[{self.pointers - 1}]", depth)
        self._content[name] = depth
        return name

    def local(self, depth: int) -> str:
        """Name of a fresh number of the function that runs a loop."""
        self.names += 1
        return self._noted(f"L_{self.names}", depth)

    def _noted(self, name: str, depth: int) -> str:
        if depth:
            self._depth[name] = depth
        return name

    def settle(self, name: str, depth: int) -> None:
        """Note that an entry is set outside of deeper loops."""
        self._depth[name] = depth

    def leave(self, name: str, depth: int) -> None:
        """Note that the loops inside which an entry changes, and what it points to, are over."""
        self._depth[name] = self._content[name] = depth

    def same_content(self, name: str, names: str) -> None:
        """Note that a pointer leads to the memory of those among some names."""
        self._content[name] = max((self._content.get(n, 0) for n in _ENTRY.findall(names)), default=0)

    def depth(self, names: str) -> int:
        """Depth of the innermost loop in which a value that mentions some names may change."""
        found = _ENTRY.findall(names)
        return max((max(self._content.get(n, 0), self._depth.get(n, 0)) for n in found), default=0)

    def address_depth(self, names: str) -> int:
        """The same for an address that is computed without reading memory."""
        return max((self._depth.get(n, 0) for n in _ENTRY.findall(names)), default=0)
