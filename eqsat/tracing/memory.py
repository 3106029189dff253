"""Memory of a traced program: arrays that share it see each other's writes, as NumPy's do.

A graph has no memory. A write makes a new variable for the whole, and a view computes its part of that again when it is read next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Get = Callable[[Any], Any]  # the whole -> the part
Put = Callable[[Any, Any], Any]  # the whole and the new part -> the new whole


class Memory:
    """The contents of an array of its own, or of an argument, as they are now; ``writes`` counts how often it changed."""

    __slots__ = ("variable", "writes", "argument")

    def __init__(self, variable: Any, argument: int | None = None) -> None:
        self.variable = variable
        self.writes = 0
        self.argument = argument

    def read(self) -> Any:
        """The variable of now."""
        return self.variable

    def write(self, variable: Any) -> None:
        """Put another variable in its place."""
        self.variable = variable
        self.writes += 1

    @property
    def root(self) -> Memory:
        """Itself: nothing lies below it."""
        return self


class View:
    """A part of a memory, or of another view; one without ``put`` is only read."""

    root: Memory
    __slots__ = ("of", "root", "get", "put", "_variable", "_writes")

    def __init__(self, of: Memory | View, get: Get, put: Put | None, variable: Any) -> None:
        self.of, self.get, self.put = of, get, put
        self.root = of.root
        self._variable, self._writes = variable, self.root.writes

    def read(self) -> Any:
        """The variable of the part as it is now."""
        chain: list[View] = []
        place: Memory | View = self
        while isinstance(place, View) and place._writes != self.root.writes:
            chain.append(place)
            place = place.of
        variable = place._variable if isinstance(place, View) else place.variable
        for view in reversed(chain):
            variable = view._variable = view.get(variable)
            view._writes = self.root.writes
        return variable

    def writable(self) -> bool:
        """True where every step down to the memory can be undone."""
        place: Memory | View = self
        while isinstance(place, View):
            if place.put is None:
                return False
            place = place.of
        return True

    def write(self, variable: Any) -> None:
        """Write the part, and with it the whole."""
        place: Memory | View = self
        while isinstance(place, View):
            assert place.put is not None, "a view that is only read"
            variable = place.put(place.of.read(), variable)
            place = place.of
        place.write(variable)
