"""From a graph of another library to one of eqsat: what all bridges share.

A bridge is a ``Table``, which says what the ops of a library are here, and a ``Reader``, which reads its graphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any, Protocol

import numpy as np

import eqsat.tensor as T
from eqsat.base.notices import warn
from eqsat.base.scopes import name_scope
from eqsat.errors import EqsatError
from eqsat.graph.core import Apply, Op, Type, Variable, one_line
from eqsat.graph.dtypes import ALL
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.user_op import generic

Entry = Callable[..., Any]


class Refused(EqsatError):
    """Raised by an entry of a table for an application that eqsat cannot say; the op then runs as it is."""


class Reader(Protocol):
    """Reads the graphs of a library. Its nodes have ``op``, ``inputs`` and ``outputs``, and may have the name scope ``within``
    which the library made them."""

    library: str

    def type_of(self, variable: Any) -> Type | None:
        """The type of a variable here; None where it is no tensor of numbers."""

    def constant(self, variable: Any) -> Variable | None:
        """A constant of the library as one of eqsat; None for what is no constant."""

    def name_of(self, variable: Any) -> str | None:
        """The name that the user gave a variable."""

    def run(self, node: Any, values: Sequence[Any]) -> Sequence[Any]:
        """The results of a node for given operands, computed by the library."""


def names_of(op: Any) -> list[str]:
    """The names of an op: its own ``op_name`` where it has one, else those of its class and of the classes above."""
    own = getattr(op, "op_name", None)
    return [own] if own is not None else [c.__name__ for c in type(op).__mro__]


class Table:
    """The ops of a library, by their own names or by those of their classes.

    An entry takes the translation, the op, the node and its operands as variables of eqsat, and gives a variable or a list of them.
    It may raise ``Refused``, and EqsatError as the functions that it calls do.

    >>> table = Table()
    >>> @table.on("Twice")
    ... def twice(translation, op, node, x):
    ...     return x + x
    >>> class Twice: ...
    >>> table.entry(Twice()) is twice
    True
    """

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def on(self, *names: str) -> Callable[[Entry], Entry]:
        """Register an entry for ops, or for classes of ops and those that are made of them."""

        def register(entry: Entry) -> Entry:
            self.entries.update(dict.fromkeys(names, entry))
            return entry

        return register

    def entry(self, op: Any) -> Entry | None:
        """The entry for an op: of its name, or of the nearest class that has one."""
        return next((self.entries[name] for name in names_of(op) if name in self.entries), None)


class Foreign(Op):
    """An op of another library, which computes it."""

    def __init__(self, reader: Reader, node: Any) -> None:
        self.reader, self.node = reader, node
        self.name = f"{reader.library}:{names_of(node.op)[0]}"

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [(self.reader.type_of(v) or generic)() for v in self.node.outputs])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        found = self.reader.run(self.node, inputs)
        for box, value, made in zip(output_storage, found, node.outputs, strict=True):
            box[0] = np.asarray(value, made.type.dtype) if isinstance(made.type, TensorType) else value

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Nothing is known of the lengths."""
        return [None] * len(node.outputs)

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """Never: a draw gives something else every time."""
        return False


class Together(Op):
    """Several values as one list or one slice, for an op that another library computes and for outputs."""

    name = "together"

    def __init__(self, kind: type = list) -> None:
        self.kind = kind

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [generic()])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = slice(*inputs) if self.kind is slice else list(inputs)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """A list or a slice has no lengths."""
        return [None]


def whole(made: Any) -> Any:
    """A variable for a list or a slice of variables; what is a variable as it is."""
    if not isinstance(made, (list, slice)):
        return made
    parts = made if isinstance(made, list) else (made.start, made.stop, made.step)
    return Together(type(made))(*(v if isinstance(v, Variable) else generic.make_constant(v) for v in parts))


def fitted(made: Any, kind: Type | None) -> Any:
    """A result in the dtype, and with the lengths, that the library promises; what is no tensor as it is."""
    if not isinstance(kind, TensorType):
        return made
    made = T.as_tensor_variable(made)
    if made.type.ndim != kind.ndim:
        raise Refused(f"the result has {made.type.ndim} dimensions, not {kind.ndim}")
    made = made if made.type.dtype == kind.dtype else T.cast(made, kind.dtype)
    lengths = [n if known is None else None for n, known in zip(kind.shape, made.type.shape, strict=True)]
    return T.specify_shape(made, lengths) if any(n is not None for n in lengths) else made


class Translation:
    """A graph of another library that becomes one of eqsat, node by node.

    ``counts`` has the ops that were met, ``foreign`` those that run as they are, with the reasons. With ``opaque=False`` there are none
    of these: an op that eqsat cannot say raises ``Refused``.
    """

    def __init__(self, table: Table, reader: Reader, opaque: bool = True) -> None:
        self.table, self.reader, self.opaque = table, reader, opaque
        self.counts: Counter[str] = Counter()
        self.foreign: dict[str, str] = {}

    def graph(
        self, nodes: Iterable[Any], inputs: Sequence[Any], outputs: Sequence[Any], given: Sequence[Any]
    ) -> list[Any]:
        """The outputs over ``given`` in place of the inputs; ``nodes`` are in an order in which they can be computed."""
        values: dict[Any, Any] = dict(zip(inputs, given, strict=True))
        with one_line(self.reader.library):
            for node in nodes:
                operands = [self._value(values, v) for v in node.inputs]
                within = getattr(node, "within", "")
                with name_scope(within) if within else nullcontext():
                    results = self.node(node, operands)
                for v, made in zip(node.outputs, results, strict=True):
                    values[v] = self._named(made, v)
            return [whole(self._value(values, v)) for v in outputs]

    def node(self, node: Any, operands: Sequence[Any]) -> list[Any]:
        """The results of one application."""
        name = names_of(node.op)[0]
        self.counts[name] += 1
        entry = self.table.entry(node.op)
        try:
            if entry is None:
                raise Refused("it has no entry")
            self._refuse_dtypes([*node.inputs, *node.outputs])
            made = entry(self, node.op, node, *operands)
            made = list(made) if isinstance(made, (list, tuple)) else [made]
            return [fitted(m, self.reader.type_of(v)) for m, v in zip(made, node.outputs, strict=True)]
        except EqsatError as why:
            if not self.opaque:
                raise Refused(f"{self.label(node)}: {why}") from why
            self.foreign.setdefault(name, str(why).splitlines()[0])
            return Foreign(self.reader, node)(*map(whole, operands), return_list=True)  # type: ignore[no-any-return]

    def label(self, node: Any) -> str:
        """An application as errors name it."""
        return names_of(node.op)[0]

    def _refuse_dtypes(self, variables: Iterable[Any]) -> None:
        """Refuse tensors of dtypes that eqsat does not have, as float16."""
        for v in variables:
            dtype = getattr(getattr(v, "type", None), "dtype", None)
            if dtype is not None and dtype not in ALL:
                raise Refused(f"the dtype {dtype}")

    def tell(self) -> None:
        """Warn of the ops that run as they are, and say why."""
        if self.foreign:
            library = self.reader.library
            told = "; ".join(f"{name} ({why})" for name, why in sorted(self.foreign.items()))
            warn(f"these ops of {library} run as they are, through {library}: {told}")

    def _value(self, values: dict[Any, Any], variable: Any) -> Any:
        if variable not in values:
            found = self.reader.constant(variable)
            if found is None:
                raise Refused(f"there is no value for {variable}")
            values[variable] = found
        return values[variable]

    def _named(self, made: Any, variable: Any) -> Any:
        name = self.reader.name_of(variable)
        if name and isinstance(made, Variable) and made.name is None and made.owner is not None:
            made.name = name
        return made
