"""``from_torch``: an exported program of torch as variables to look into and as a function to call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind

from eqsat.base.text_tables import table
from eqsat.bridges.torch.backend import on_host
from eqsat.bridges.torch.graphs import decompositions, has_entry, translated, translation
from eqsat.bridges.torch.reading import (
    READER,
    array_of,
    placeholders,
    plain,
    results,
    theirs,
    value_of,
    writable,
)
from eqsat.bridges.translate import Translation
from eqsat.errors import ArgumentError
from eqsat.functions.function import function
from eqsat.graph.core import Variable, one_line
from eqsat.graph.user_op import generic
from eqsat.tensor.shared import shared

tree = torch.utils._pytree


class FromTorch:
    """An exported program as a graph: ``inputs`` and ``outputs`` are lists of variables.

    ``shared`` has the parameters and buffers by name, as shared variables with their values; ``updates`` are the buffers that a call
    changes, with their new values. Calling it compiles the graph, once, and takes and gives what the program does.
    """

    def __init__(self, program: Any, translation: Translation) -> None:
        self.program, self.translation = program, translation
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.shared: dict[str, Any] = {}
        self.updates: dict[Any, Any] = {}
        self._arguments = 0
        self._places: list[int] = []
        self._kinds: list[Any] = []
        self._examples: list[Any] = []
        self._compiled: Callable[..., Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        """Inputs and outputs, so that a pair of names takes them."""
        return iter((self.inputs, self.outputs))

    def function(self, **options: Any) -> Callable[..., Any]:
        """The compiled program; ``options`` are those of ``eqsat.function``."""
        variables = [v for v in self.outputs if isinstance(v, Variable)]
        options = {"on_unused_input": "ignore", **options}
        compiled = function(self.inputs, variables, updates=self.updates, **options)
        spec = self.program.call_spec

        def call(*arguments: Any, **named: Any) -> Any:
            leaves, found = tree.tree_flatten((arguments, named))
            if found != spec.in_spec:
                raise ArgumentError(
                    f"the arguments have the structure {found}",
                    needs=str(spec.in_spec),
                    hint="arguments like those of torch.export.export",
                )
            given = [plain(leaves[k], kind) for k, kind in zip(self._places, self._kinds, strict=True)]
            made = iter(compiled(*given))
            flat = [
                theirs(writable(next(made)), like) if isinstance(v, Variable) else v
                for v, like in zip(self.outputs, self._examples, strict=True)
            ]
            return tree.tree_unflatten(flat, spec.out_spec)

        call.compiled = compiled  # type: ignore[attr-defined]
        return call

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self._compiled is None:
            self._compiled = self.function()
        return self._compiled(*arguments, **named)


def from_torch(program: ExportedProgram, opaque: bool = True) -> FromTorch:
    """The graph of a program that ``torch.export.export`` gave.

    The result is a pair of inputs and outputs, and can be called. Lengths that the program leaves open are open here. With
    ``opaque=False`` an op that eqsat cannot say is refused; else it runs through torch.

    Errors   EqsatWarning names the ops that run through torch; Refused, with ``opaque=False``

    >>> program = torch.export.export(model, (x,))  # doctest: +SKIP
    >>> inputs, outputs = from_torch(program)  # doctest: +SKIP
    """
    program = program.run_decompositions(decompositions())
    made = FromTorch(program, translation(opaque))
    given = placeholders(program.graph)
    on_host([value_of(v) for v in given])
    with one_line(READER.library):
        variables = [
            _input(made, v, spec) for v, spec in zip(given, program.graph_signature.input_specs, strict=True)
        ]
    found = translated(made.translation, program.graph_module, variables)
    wanted = results(program.graph, {})
    names = {v.name: x for v, x in zip(given, variables, strict=True)}
    for value, node, spec in zip(found, wanted, program.graph_signature.output_specs, strict=True):
        if spec.kind is OutputKind.BUFFER_MUTATION:
            made.updates[made.shared[spec.target]] = value
        elif spec.kind is OutputKind.USER_OUTPUT:
            made.outputs.append(value)
            made._examples.append(value_of(node) if isinstance(value, Variable) else value)
        else:
            raise ArgumentError(
                f"the program gives a {spec.kind.name.lower().replace('_', ' ')} of {spec.target}",
                needs="results and buffers that change",
                hint=f"a program that leaves {', '.join(names)} as they are",
            )
    made.translation.tell()
    return made


def _input(made: FromTorch, node: Any, spec: Any) -> Any:
    """The variable of a placeholder: a shared one of a parameter, a buffer or a constant, else an input."""
    if spec.kind is InputKind.USER_INPUT:
        return _user_input(made, node)
    held = made.program.constants if spec.target in made.program.constants else made.program.state_dict
    value = held[spec.target]
    if READER.type_of(node) is None:
        return generic.make_constant(value)
    made.shared[spec.target] = shared(array_of(value), spec.target, shape=tuple(value.shape))
    return made.shared[spec.target]


def _user_input(made: FromTorch, node: Any) -> Any:
    """A variable for a tensor or a number that may change; a value that the program was exported for stays."""
    made._arguments += 1
    value, kind = value_of(node), READER.type_of(node)
    if kind is None and not isinstance(value, torch.Tensor):
        return generic.make_constant(value)
    made._places.append(made._arguments - 1)
    made._kinds.append(kind)
    made.inputs.append((kind or generic)(node.name))
    return made.inputs[-1]


def coverage() -> str:
    """The core ops of ATen, and which of them have an entry; others are written in terms of these by torch, or run through it."""
    aten = torch.ops.aten
    packets = [getattr(aten, name) for name in dir(aten) if not name.startswith("__")]
    overloads = [getattr(p, n) for p in packets if hasattr(p, "overloads") for n in p.overloads()]
    names = sorted({str(o) for o in overloads if torch.Tag.core in o.tags})
    rows = [(n, "entry" if has_entry(n) else "through torch") for n in names]
    return table(("op", "here"), rows)
