"""A function that holds several graphs and runs the one that is cheapest for the shapes of the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.base.forks import Lock
from eqsat.graph.core import Apply, Variable
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort

MOST_SHAPES = 10_000  # for which the choice is remembered

Shapes = tuple[tuple[int, ...], ...]


class Version:
    """One of the graphs: its outputs, in words where it is best, how often it ran, and what makes its code."""

    def __init__(self, outputs: list[Any], where: str, make: Callable[[], Any]) -> None:
        self.outputs, self.where, self.calls = outputs, where, 0
        self.nodes: list[Apply] = toposort(outputs)
        self.compiled = False
        self.call: Callable[..., Any] = self._first
        self._make, self._lock = make, Lock()

    def _first(self, *args: Any) -> Any:
        """The first call, which compiles."""
        with self._lock:
            if not self.compiled:
                self.call, self.compiled = self._make(), True
        return self.call(*args)

    def __repr__(self) -> str:
        state = f"{self.calls} call{'' if self.calls == 1 else 's'}" if self.compiled else "not compiled yet"
        return f"<{', '.join(map(_text, self.outputs))}; {self.where}; {state}>"


def _text(variable: Any) -> str:
    from eqsat.printing import pp

    return str(pp(variable))


class Dispatch:
    """Runs a function of several graphs: it chooses one for the shapes of a call, once for each shape."""

    def __init__(self, inputs: Sequence[Variable], versions: list[Version], model: Any) -> None:
        self.inputs, self.versions, self.model = list(inputs), versions, model
        self.watched = [
            k for k, v in enumerate(inputs) if isinstance(v.type, TensorType) and None in v.type.shape
        ]
        self.known: dict[Shapes, Version] = {}

    def __call__(self, *args: Any) -> Any:
        try:
            version = self.known[tuple([args[k].shape for k in self.watched])]
        except (KeyError, AttributeError):
            version = self.choose(args)
        version.calls += 1
        return version.call(*args)

    def choose(self, args: Sequence[Any]) -> Version:
        """The cheapest version for some arguments; the first where they have no fitting shapes, which it refuses."""
        shapes = tuple([getattr(args[k], "shape", ()) for k in self.watched])
        kinds: list[Any] = [self.inputs[k].type for k in self.watched]
        if any(len(s) != kind.ndim for s, kind in zip(shapes, kinds, strict=True)):
            return self.versions[0]
        version = self.best(shapes)
        if len(self.known) >= MOST_SHAPES:
            self.known.clear()
        self.known[shapes] = version
        return version

    def best(self, shapes: Shapes) -> Version:
        """The version that costs least for some shapes by the model."""
        costs = self.costs(shapes)
        return self.versions[costs.index(min(costs))]

    def costs(self, shapes: Shapes) -> list[float]:
        """The cost of each version for some shapes."""
        from eqsat.extract.lengths import Spread
        from eqsat.extract.variants import graph_cost

        found = []
        for version in self.versions:
            spread = Spread({self.inputs[k]: s for k, s in zip(self.watched, shapes, strict=True)}, {})
            spread.nodes(version.nodes)
            found.append(graph_cost(version.nodes, self.model, spread))
        return found
