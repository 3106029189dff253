"""A plan as a callable: C stages run as builtin functions, stages in Python in between."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.cgen.ir.meta import Meta, Stage
from eqsat.cgen.runtime.build import build, keep_threads, let_threads_sleep, options_for
from eqsat.cgen.runtime.load import Function, load, names_of, tidied, wanted
from eqsat.cgen.runtime.shared_object import SharedObject
from eqsat.cgen.runtime.team import Threads
from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply
from eqsat.graph.run import destroyed, guarded, perform
from eqsat.graph.tensor_type import describe_array


class CompiledPlan:
    """Takes the arrays of a plan's inputs, gives a list of new arrays for its outputs.

    ``call_raw(*arrays)`` is the fast way in: it gives None where an array is not a NumPy array of exactly the
    dtype, rank and known lengths of its input.
    """

    def __init__(
        self, source: str, meta: Meta, functions: Sequence[Function], opaque: Sequence[Apply]
    ) -> None:
        assert len(opaque) == meta.opaque, (len(opaque), meta.opaque)
        self.source = source
        self.meta = meta
        self.opaque = list(opaque)
        self.python_seconds = [0.0] * len(self.opaque)
        self.seconds: dict[str, float] = {"emit": 0.0, "cc": 0.0, "load": 0.0}
        self.from_cache = False
        self.shared: SharedObject | None = None
        self.device: Any = None  # on which its arrays may lie
        self._functions = list(functions)
        self._last = _last_readers(meta)
        # one segment that takes the arguments as they come; it does not where one is no array that nobody reads
        whole = ([f"i{k}" for k in range(len(meta.inputs))], meta.outputs)
        single = [(list(stage.reads), list(stage.writes)) for stage in meta.stages] == [whole]
        self.call_raw: Function = functions[0] if single and meta.segments == 1 else self._staged

    @classmethod
    def from_source(
        cls,
        source: str,
        meta: Meta,
        opaque: Sequence[Apply] = (),
        *,
        directory: str | None,
        compiler: str,
        threads: int | str = "auto",
        blas_threads: int | str = "auto",
        place: Callable[[Any], int] | None = None,
    ) -> CompiledPlan:
        """A callable from C text and what ``translate`` gave with it, with the most threads that it and its matrix routines may use.

        ``place`` is that of ``load``.
        """
        options = options_for(source, meta.openmp)
        if "-fopenmp" in options:
            let_threads_sleep()
        built = build(source, compiler, options, directory, names_of(meta))
        keep_threads(built.object, compiler, options)
        start = time.perf_counter()
        compiled = cls(
            source,
            meta,
            load(
                built.object,
                meta,
                compiler,
                directory,
                Threads.of(threads, blas_threads, meta.openmp),
                place,
            ),
            opaque,
        )
        compiled.seconds = {"emit": 0.0, "cc": built.seconds, "load": time.perf_counter() - start}
        compiled.from_cache = built.from_cache
        compiled.shared = built.object
        return compiled

    def step_seconds(self) -> list[float]:
        """Seconds of the copies of outputs, then of each C step; a function that was made with ``profile``."""
        assert self.shared is not None
        return list((ctypes.c_double * (self.meta.steps + 1)).from_address(self.shared.address("eq_spent")))

    @property
    def path(self) -> str:
        """The path of the shared object."""
        return self.shared.path if self.shared is not None else ""

    def __call__(self, *arrays: Any) -> list[np.ndarray]:
        result = self.call_raw(*arrays)
        if result is None:
            plain = tidied(arrays)
            self._check(plain)
            result = self.call_raw(*plain)
            assert result is not None, [describe_array(a) for a in arrays]
        return result  # type: ignore[no-any-return]

    def _check(self, arrays: Sequence[Any]) -> None:
        if len(arrays) != len(self.meta.inputs):
            raise ArgumentError(f"{len(self.meta.inputs)} arrays are needed, {len(arrays)} are given")
        for k, (kind, array) in enumerate(zip(self.meta.inputs, arrays, strict=True)):
            if kind is not None and not wanted(kind, array):
                raise ArgumentError(f"argument {k} is {describe_array(array)}, not {kind.short()}")

    # ------------------------------------------------------------------------------------------------- stages

    def _staged(self, *arrays: Any) -> list[Any] | None:
        kinds = self.meta.inputs
        if len(arrays) != len(kinds) or not all(
            k is None or wanted(k, a) for k, a in zip(kinds, arrays, strict=True)
        ):
            return None
        values: dict[str, Any] = {f"i{k}": a for k, a in enumerate(arrays)}
        values.update((f"k{k}", a) for k, a in enumerate(self.meta.constants))
        fresh: set[str] = set()
        for stage in self.meta.stages:
            given = [values[name] for name in stage.reads]
            made = self._in_c(stage, given) if stage.kind == "c" else self._in_python(stage, given, values)
            values.update(zip(stage.writes, made, strict=True))
            if stage.kind == "c":
                fresh.update(stage.writes)
        return self._outputs(values, fresh)

    def _in_c(self, stage: Stage, given: list[Any]) -> Any:
        function = self._functions[stage.number]
        made = function(*given)
        return function(*tidied(given)) if made is None else made

    def _in_python(self, stage: Stage, given: list[Any], values: dict[str, Any]) -> list[Any]:
        node = self.opaque[stage.number]
        storage: list[list[Any]] = [[None] for _ in node.outputs]
        if lost := destroyed(node):
            free = [self._last[name] is stage and stage.reads.count(name) == 1 for name in stage.reads]
            given = guarded(lost, given, free, values.values())
        start = time.perf_counter()
        perform(node, given, storage)
        self.python_seconds[stage.number] += time.perf_counter() - start
        return [cell[0] for cell in storage]

    def _outputs(self, values: dict[str, Any], fresh: set[str]) -> list[Any]:
        """The outputs; what somebody else may see the memory of is copied."""
        result, given = [], set()
        for name in self.meta.outputs:
            value = values[name]
            if isinstance(value, np.ndarray) and (name not in fresh or name in given):
                value = value.copy()
            given.add(name)
            result.append(value)
        return result


def _last_readers(meta: Meta) -> dict[str, Stage | None]:
    """The last stage that reads each value; None for what the caller gave or gets, which outlives the call."""
    last: dict[str, Stage | None] = {name: stage for stage in meta.stages for name in stage.reads}
    for name in last:
        if name in meta.outputs or name[0] != "v":
            last[name] = None
    return last
