"""Updates of shared variables as a mapping that keeps its order and can be added to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable

__all__ = ["OrderedUpdates"]


class OrderedUpdates(dict[Any, Any]):
    """A dict of shared variables and their new values; ``a + b`` holds both.

    Errors   ArgumentError for a key that is not a variable, and where both sides update one variable differently

    >>> import eqsat
    >>> w, v = eqsat.shared(1.0, "w"), eqsat.shared(2.0, "v")
    >>> list(OrderedUpdates([(w, w + 1)]) + {v: v * 2})
    [w, v]
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__()
        self.update(*given, **named)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, Variable):
            raise ArgumentError(f"OrderedUpdates: {key!r} is not a shared variable")
        super().__setitem__(key, value)

    def update(self, *given: Any, **named: Any) -> None:
        """Add pairs; one that is there already must have the same value."""
        if named:
            raise ArgumentError(
                "OrderedUpdates: keys are shared variables, not words", hint="OrderedUpdates([(w, new)])"
            )
        for source in given:
            pairs: Iterable[Any] = source.items() if isinstance(source, Mapping) else source
            for key, value in pairs:
                if key in self and self[key] is not value:
                    raise ArgumentError(f"OrderedUpdates: {key} has two updates")
                self[key] = value

    def __add__(self, other: Any) -> OrderedUpdates:
        return OrderedUpdates(self, other)

    def __radd__(self, other: Any) -> OrderedUpdates:
        return OrderedUpdates(other or (), self)
