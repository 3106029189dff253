"""FunctionGraph: a graph between inputs and outputs that knows who uses what, and can be changed in place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from eqsat.base.names import Suggesting
from eqsat.errors import ArgumentError, DTypeError, MissingInputError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.ops.specify import unbroadcast_like
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import ancestors, free_inputs, toposort


class FunctionGraph(Suggesting):
    """The graph from ``inputs`` to ``outputs``.

    With ``clone=True`` the graph is a copy, and changes leave the given one as it is. Without ``inputs`` these are
    the free variables of the outputs. ``features`` are objects whose methods ``on_attach(fgraph)`` and
    ``on_change_input(fgraph, node, i, old, new, reason)`` are called.

    Errors   MissingInputError where the outputs need a variable that is not among the inputs

    >>> import eqsat.tensor as T
    >>> from eqsat.graph.fgraph import FunctionGraph
    >>> x, y = T.dvectors("x", "y")
    >>> g = FunctionGraph([x, y], [T.exp(x) + y])
    >>> g.toposort()
    [exp(x), add(exp(x), y)]
    >>> g.replace(g.outputs[0].owner.inputs[0], g.inputs[0])
    >>> g.toposort()
    [add(x, y)]
    """

    def __init__(
        self,
        inputs: Sequence[Variable] | None = None,
        outputs: Sequence[Variable] = (),
        clone: bool = True,
        features: Iterable[Any] = (),
    ) -> None:
        given = free_inputs(outputs) if inputs is None else list(inputs)
        self.inputs: list[Any] = given
        self.outputs: list[Any] = list(outputs)
        self._check_inputs()
        if clone:
            fresh: dict[Variable, Any] = {v: _own(v) for v in given}
            self.inputs = [fresh[v] for v in given]
            self.outputs = _copied(outputs, fresh)
        self.clients: dict[Variable, list[tuple[Any, int]]] = {}
        self._read()
        self.features: list[Any] = []
        for feature in features:
            self.attach_feature(feature)

    def _check_inputs(self) -> None:
        known = set(self.inputs)
        for v in self._free():
            if v not in known:
                raise MissingInputError(
                    f"FunctionGraph: the graph needs {v}, which is not among the inputs",
                    operands=[(str(v), v)],
                )

    def _free(self) -> list[Variable]:
        known = set(self.inputs)
        return [
            v
            for v in ancestors(self.outputs, known)
            if v.owner is None and not isinstance(v, Constant) and not hasattr(v, "get_value")
        ]

    def _read(self) -> None:
        """Note the users of every variable; an output is used by the text "output"."""
        self._order = toposort(self.outputs, stop=self.inputs)
        self.clients = {v: [] for v in self.inputs}
        for node in self._order:
            for k, v in enumerate(node.inputs):
                self.clients.setdefault(v, []).append((node, k))
            for v in node.outputs:
                self.clients.setdefault(v, [])
        for k, v in enumerate(self.outputs):
            self.clients.setdefault(v, []).append(("output", k))

    # ------------------------------------------------------------------------------------------------- looking

    @property
    def apply_nodes(self) -> set[Apply]:
        """All applications of the graph."""
        return set(self._order)

    @property
    def variables(self) -> set[Variable]:
        """All variables of the graph: inputs, constants and results."""
        return set(self.clients)

    def toposort(self) -> list[Apply]:
        """The applications, inputs before users."""
        return list(self._order)

    def get_clients(self, variable: Variable) -> list[tuple[Any, int]]:
        """The users of a variable: pairs of an application and the place among its inputs, or ("output", place)."""
        return list(self.clients.get(variable, []))

    def check_integrity(self) -> None:
        """Raise ArgumentError where inputs, owners and users contradict each other; they never should."""
        self._check_inputs()
        for v, users in self.clients.items():
            if v.owner is not None and v.owner.outputs[v.index] is not v:  # type: ignore[index]
                raise ArgumentError(f"FunctionGraph: {v} is not an output of its owner")
            for user, k in users:
                if (self.outputs if user == "output" else user.inputs)[k] is not v:
                    raise ArgumentError(f"FunctionGraph: {user} does not use {v}; change it by change_input")

    # ------------------------------------------------------------------------------------------------ changing

    def attach_feature(self, feature: Any) -> None:
        """Add an object that hears of changes."""
        self.features.append(feature)
        if hasattr(feature, "on_attach"):
            feature.on_attach(self)

    def replace(self, old: Variable, new: Any, reason: Any = None, import_missing: bool = False) -> None:
        """Let all users of a variable use another one of the same type.

        Errors   ArgumentError where the graph does not have the variable, or the new one depends on it by a
                 cycle; DTypeError for another type; MissingInputError where the new one needs more inputs
        """
        self.replace_all([(old, new)], reason, import_missing)

    def replace_all(
        self, pairs: Iterable[tuple[Any, Any]], reason: Any = None, import_missing: bool = False
    ) -> None:
        """Several replacements, each seen by the next."""
        for old, new in pairs:
            if old not in self.clients:
                raise ArgumentError(f"FunctionGraph: {old} is not in the graph")
            self._exchange(old, _of_type(old, new), reason, import_missing)

    def change_input(
        self, node: Any, i: int, new: Any, reason: Any = None, import_missing: bool = False
    ) -> None:
        """Let one application, or an output where ``node`` is "output", use another variable at a place."""
        if node != "output" and node not in self.apply_nodes:
            raise ArgumentError(f"FunctionGraph: {node} is not in the graph")
        place = self.outputs if node == "output" else node.inputs
        self._change([(node, i)], place[i], _of_type(place[i], new), reason, import_missing)

    def _exchange(self, old: Variable, new: Variable, reason: Any, import_missing: bool) -> None:
        behind = set(toposort([new], stop=[old, *self.inputs]))
        users = [(node, k) for node, k in self.clients[old] if node not in behind]
        self._change(users, old, new, reason, import_missing)

    def _change(self, users: list[Any], old: Any, new: Any, reason: Any, import_missing: bool) -> None:
        missing = [v for v in _leaves(new, self.inputs) if v not in self.clients]
        if missing and not import_missing:
            raise MissingInputError(
                f"FunctionGraph: {new} needs {missing[0]}, which is not among the inputs",
                operands=[(str(missing[0]), missing[0])],
                hint="replace(old, new, import_missing=True)",
            )
        above = set(toposort([new], stop=self.inputs))
        for node, _ in users:
            if node in above:
                raise ArgumentError(f"FunctionGraph: {new} depends on {node}, which would use it")
        for node, k in users:
            (self.outputs if node == "output" else node.inputs)[k] = new
            new._read = True
        self.inputs += missing
        self._read()
        for feature in self.features:
            if hasattr(feature, "on_change_input"):
                for node, k in users:
                    feature.on_change_input(self, node, k, old, new, reason)

    def clone(self) -> FunctionGraph:
        """A copy with variables of its own."""
        return FunctionGraph(self.inputs, self.outputs, clone=True)

    def clone_get_equiv(self) -> tuple[FunctionGraph, dict[Variable, Any]]:
        """A copy, and which variable of it stands for which of this graph."""
        other = self.clone()
        pairs = dict(zip(self.inputs, other.inputs, strict=True))
        for a, b in zip(
            toposort(self.outputs, self.inputs), toposort(other.outputs, other.inputs), strict=True
        ):
            pairs.update(zip([*a.inputs, *a.outputs], [*b.inputs, *b.outputs], strict=True))
        return other, pairs

    def __iter__(self) -> Any:
        return iter(self._order)

    def __contains__(self, item: Any) -> bool:
        return item in self.clients or item in self._order

    def __repr__(self) -> str:
        return f"FunctionGraph({', '.join(map(str, self.outputs))})"


def _own(v: Any) -> Any:
    """The input of a copy: a new variable, or the shared variable itself."""
    return v if hasattr(v, "get_value") else v.type.make_variable(v.name)


def _copied(outputs: Sequence[Variable], fresh: dict[Variable, Any]) -> list[Any]:
    """Outputs over fresh inputs, every application of which is new."""
    new = dict(fresh)
    for node in toposort(outputs, stop=fresh):
        results = [v.clone() for v in node.outputs]
        for old, v in zip(node.outputs, results, strict=True):
            v.name = old.name
            v.comes_from(old)
        Apply(node.op, [new.get(v, v) for v in node.inputs], results)
        new.update(zip(node.outputs, results, strict=True))
    return [new.get(v, v) for v in outputs]


def _leaves(new: Variable, inputs: Sequence[Variable]) -> list[Variable]:
    return [
        v
        for v in ancestors([new], inputs)
        if v.owner is None and not isinstance(v, Constant) and not hasattr(v, "get_value") and v not in inputs
    ]


def _of_type(old: Any, new: Any) -> Any:
    """The new variable, of the old one's type; a more precise type is made less so."""
    if not isinstance(new, Variable):
        new = old.type.make_constant(new)
    if isinstance(old.type, TensorType) and isinstance(new.type, TensorType) and old.type.is_super(new.type):
        return unbroadcast_like(new, old)
    if not old.type.is_super(new.type):
        raise DTypeError(
            f"FunctionGraph: {old} cannot be replaced by {new}, which is of another type",
            operands=[(str(old), old), (str(new), new)],
        )
    return new
