"""Memory of a traced program: arrays that share it see each other's writes, as NumPy's do.

A graph has no memory. A write makes a new variable for the whole, and a view computes its part of that again when it is read next.
Some arrays are views or copies by how others lie in memory, as ``x.ravel()`` is. NumPy is asked which, when it first matters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eqsat.tracing.layouts import COPY, READ_ONLY, Layout, Made, Samples, relation

Get = Callable[[Any], Any]  # the whole -> the part
Put = Callable[[Any, Any], Any]  # the whole and the new part -> the new whole


class Memory(Samples):
    """The contents of an array of its own, or of an argument, as they are now; ``writes`` counts how often it changed."""

    __slots__ = ("variable", "writes", "argument")

    def __init__(
        self,
        variable: Any,
        argument: int | None = None,
        layout: Layout | None = None,
        made: Made | None = None,
        writes: int = 0,
    ) -> None:
        super().__init__(made, layout)
        self.variable = variable
        self.writes = writes
        self.argument = argument

    def read(self) -> Any:
        """The variable of now."""
        return self.variable

    def write(self, variable: Any) -> None:
        """Put another variable in its place."""
        self.variable = variable
        self.writes += 1

    @property
    def type(self) -> Any:
        """The type of the elements, which no write changes."""
        return self.variable.type


class View(Samples):
    """A part of a memory, or of another view; one without ``put`` is only read.

    One ``perhaps`` of a place is a view if NumPy's result shares the memory of that place, else a copy.
    """

    __slots__ = ("of", "get", "put", "perhaps", "copied", "iterates", "_below", "_variable", "_writes")

    def __init__(
        self,
        of: Memory | View,
        get: Get,
        put: Put | None,
        variable: Any,
        perhaps: Memory | View | None = None,
        made: Made | None = None,
    ) -> None:
        super().__init__(made)
        self.of, self.get, self.put = of, get, put
        self.perhaps = perhaps
        self.copied: Memory | None = None  # where it was a copy
        self.iterates = False  # NumPy's ``flat``, whose parts are copies
        self._below: Memory | View = of if isinstance(of, Memory) or of.perhaps or of.copied else of._below
        self._variable, self._writes = variable, _root(self._below).writes

    @property
    def type(self) -> Any:
        """The type of the elements, which no write changes."""
        return self._variable.type

    @property
    def root(self) -> Memory:
        """The memory that it lies in."""
        return _root(self)

    def read(self) -> Any:
        """The variable of the part as it is now."""
        root = self.root
        chain: list[View] = []
        place: Memory | View = self
        while isinstance(place, View) and not place.copied and place._writes != root.writes:
            chain.append(place)
            place = place.of
        variable = place._now if isinstance(place, View) else place.variable
        for view in reversed(chain):
            variable = view._variable = view.get(variable)
            view._writes = root.writes
        return variable

    @property
    def _now(self) -> Any:
        return self.copied.variable if self.copied else self._variable

    def settle(self) -> None:
        """Find out whether it is a view; a copy has the elements that were there when it was made."""
        perhaps, self.perhaps = self.perhaps, None
        found = None if perhaps is None else relation(self, perhaps)
        if found == COPY:
            self.copied = Memory(self._variable, writes=self._writes)
        if found == READ_ONLY:
            self.put = None

    def writable(self) -> bool:
        """True where every step down to the memory can be undone."""
        return all(view.put is not None for view in self._steps())

    def _steps(self) -> list[View]:
        """The views from this one down to the memory."""
        found: list[View] = []
        place: Memory | View = self
        while isinstance(place, View):
            _root(place)
            place.settle()
            if place.copied:
                break
            found.append(place)
            place = place.of
        return found

    def write(self, variable: Any) -> None:
        """Write the part, and with it the whole."""
        for view in self._steps():
            assert view.put is not None, "a view that is only read"
            variable = view.put(view.of.read(), variable)
        self.root.write(variable)


def _root(place: Memory | View) -> Memory:
    """The memory that a place lies in; what was written since it was made shows whether one on the way is a copy."""
    unsure: list[View] = []
    while isinstance(place, View) and not place.copied:
        unsure.append(place)
        place = place._below
    root = place.copied if isinstance(place, View) else place
    assert root is not None
    for view in reversed(unsure):
        if view.perhaps and view._writes != root.writes:
            view.settle()
        root = view.copied or root
    return root
