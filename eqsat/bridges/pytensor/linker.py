"""The linker and the mode with which PyTensor, and PyMC above it, compile through eqsat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytensor.compile.mode import Mode, optdb, register_mode
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.rewriting.db import RewriteDatabase, RewriteDatabaseQuery
from pytensor.graph.traversal import graph_inputs
from pytensor.link.basic import JITLinker
from pytensor.scalar.basic import ScalarType

from eqsat.base.names import meant
from eqsat.bridges.pytensor.graphs import TABLE  # with the entries of loops and batches
from eqsat.bridges.pytensor.reading import READER
from eqsat.bridges.translate import Translation
from eqsat.errors import ArgumentError
from eqsat.functions.choices import check_choices
from eqsat.functions.function import function
from eqsat.graph.core import one_line
from eqsat.graph.user_op import generic
from eqsat.tensor import shared

# what eqsat does better: memory, fusion, products of matrices, rows of loops that nobody reads
LEFT_OUT = [
    "cxx_only",
    "BlasOpt",
    "fusion",
    "inplace",
    "local_careduce_fusion",
    "scan_save_mem",
    "scan_reduce_trace_prealloc",
    "scan_save_mem_prealloc",
    "scan_save_mem_no_prealloc",
    "reuse_lu_decomposition_multiple_solves",
    "scan_split_non_sequence_lu_decomposition_solve",
]


class EqsatLinker(JITLinker):  # type: ignore[misc]
    """Runs a FunctionGraph of PyTensor as one function of eqsat; ``options`` are those of ``eqsat.function``.

    ``function`` is the compiled function, ``translation`` says which ops were met and which run as they are.
    """

    required_rewrites = ("minimum_compile",)
    incompatible_rewrites = tuple(LEFT_OUT)

    def __init__(self, *args: Any, options: Any = None, **keywords: Any) -> None:
        self.options = dict(options or {})
        self.function: Any = None
        self.translation: Translation | None = None
        super().__init__(*args, **keywords)

    def clone(self, allow_gc: Any = None) -> EqsatLinker:
        """A linker for another function."""
        return type(self)(options=self.options)

    def __getstate__(self) -> dict[str, Any]:
        """Without what was compiled: PyTensor compiles a function again where it is unpickled."""
        return {**self.__dict__, "function": None, "translation": None}

    def fgraph_convert(self, fgraph: Any, **_: Any) -> Any:
        """The compiled function of a graph."""
        self.translation = Translation(TABLE, READER)
        inputs, outputs = translated(self.translation, fgraph)
        self.translation.tell()
        return function(inputs, outputs, on_unused_input="ignore", **self.options)

    def jit_compile(self, fn: Any) -> Any:
        """The function as it is, since it was compiled when it was made; of an output that is a scalar of PyTensor, a number."""
        self.function = fn
        numbers = [k for k, v in enumerate(self.fgraph.outputs) if isinstance(v.type, ScalarType)]
        return with_numbers(fn, numbers) if numbers else fn

    def create_thunk_inputs(self, storage_map: Any) -> list[Any]:
        """The places from which PyTensor's function reads its inputs."""
        return [storage_map[v] for v in self.fgraph.inputs]


def with_numbers(fn: Any, places: Sequence[int]) -> Any:
    """The function with numbers of NumPy in place of its results of rank 0 at some places."""

    def call(*values: Any) -> list[Any]:
        found = list(fn(*values))
        for k in places:
            found[k] = found[k][()]
        return found

    return call


def translated(translation: Translation, fgraph: Any) -> tuple[list[Any], list[Any]]:
    """Inputs and outputs of the graph of eqsat that computes what a FunctionGraph computes."""
    with one_line(READER.library):
        inputs = [(READER.type_of(v) or generic)(v.name) for v in fgraph.inputs]
    return inputs, translation.graph(fgraph.toposort(), fgraph.inputs, fgraph.outputs, inputs)


def words_of(database: Any) -> Iterator[str]:
    """The names and tags of the rewrites of a database, and of those in it."""
    seen, waiting = {id(database)}, [database]
    while waiting:
        for word, members in waiting.pop().__db__.items():
            if members:  # a word that was asked for and not found has none
                yield word
            inner = [m for m in members if isinstance(m, RewriteDatabase) and id(m) not in seen]
            seen.update(map(id, inner))
            waiting += inner


def eqsat_mode(include: Sequence[str] = ("fast_run",), **options: Any) -> Mode:
    """A mode of PyTensor that compiles through eqsat; ``options`` are those of ``eqsat.function``, as ``rules="exact"``.

    ``include`` names the rewrites of PyTensor that run before; ``minimum_compile`` alone leaves nearly all to eqsat.

    Errors   ArgumentError for a name or a tag that no rewrite of PyTensor has, and for what ``eqsat.function`` does not take
    """
    check_choices("eqsat_mode", options, ["include"])
    include = [include] if isinstance(include, str) else include
    known = {*EqsatLinker.required_rewrites, *words_of(optdb)}
    for word in include:
        if word not in known:
            raise ArgumentError(
                f"eqsat_mode: include has {word!r}, which no rewrite of PyTensor is called",
                needs="names or tags of rewrites in pytensor.compile.mode.optdb",
                hint=meant(word, known),
            )
    return Mode(EqsatLinker(options=options), RewriteDatabaseQuery(include=list(include)))


def from_pytensor(outputs: Any, inputs: Any = None) -> Any:
    """The graph of PyTensor variables as variables of eqsat, as the user wrote it.

    Free variables keep names, dtypes and known lengths; shared variables become shared variables with the same value.
    With ``inputs``, a list of PyTensor variables, the result is a pair: these inputs, and the outputs.

    Errors   EqsatWarning names the ops that run as they are, through PyTensor
    """
    several = isinstance(outputs, (list, tuple))
    wanted = list(outputs) if several else [outputs]
    given = list(inputs) if inputs is not None else []
    free = [v for v in graph_inputs(wanted) if not isinstance(v, Constant) and v not in given]
    every = [*given, *dict.fromkeys(free)]
    graph = FunctionGraph(every, wanted, clone=True)
    with one_line(READER.library):
        ours = [_input(v) for v in every]
    translation = Translation(TABLE, READER)
    made = translation.graph(graph.toposort(), graph.inputs, graph.outputs, ours)
    translation.tell()
    result = made if several else made[0]
    return result if inputs is None else (ours[: len(given)], result)


def _input(variable: Any) -> Any:
    kind = READER.type_of(variable)
    if isinstance(variable, SharedVariable) and kind is not None:
        return shared(variable.get_value(), name=variable.name)
    return (kind or generic)(variable.name)


register_mode("EQSAT", eqsat_mode())
