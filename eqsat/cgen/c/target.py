"""The target "c": C with OpenMP, built by the machine's C compiler."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eqsat.base.configuration import config
from eqsat.base.notices import warn_once
from eqsat.cgen.target import Tools
from eqsat.graph.core import Apply, Variable
from eqsat.graph.walk import toposort

if TYPE_CHECKING:
    from eqsat.cgen.c.source import Translation
    from eqsat.cgen.ir.meta import Meta
    from eqsat.cgen.runtime.call import CompiledPlan
    from eqsat.graph.plan import Plan


class C:
    """C with OpenMP. What prints, builds and loads is imported when it is needed: a function found on disk is not printed."""

    name = "c"
    program = "C compiler"
    keeps = False
    costs: Mapping[str, float] = {}  # the defaults of the cost model are those of C on a processor

    def tools(self, directory: str | None, openmp: bool) -> Tools | None:
        from eqsat.cgen.runtime.build import find_compiler

        compiler = find_compiler()
        if compiler is not None:
            return Tools(compiler, directory, openmp)
        missing = f"config.cc, {config.cc!r}, is no program" if config.cc else "no C compiler was found"
        warn_once("compiler", f"{missing}: functions run op by op in NumPy, which is slower")
        return None

    def prepare(self, tools: Tools, outputs: Sequence[Variable]) -> None:
        from eqsat.cgen.runtime.load import prepare

        prepare(tools.compiler, tools.directory, tools.openmp, libraries_in(outputs))

    def builder(self, name: str) -> Callable[..., Any]:
        from eqsat.cgen.builders import builder

        return builder(name)

    def print(self, plan: Plan, tools: Tools, profile: bool = False) -> Translation:
        from eqsat.cgen.c.source import translate

        return translate(plan, tools.openmp, profile)

    def load(self, source: str, meta: Meta, opaque: Sequence[Apply], tools: Tools) -> CompiledPlan:
        from eqsat.cgen.runtime.call import CompiledPlan

        return CompiledPlan.from_source(
            source,
            meta,
            opaque,
            directory=tools.directory,
            compiler=tools.compiler,
            threads=tools.threads,
            blas_threads=tools.blas_threads,
        )


def libraries_in(outputs: Sequence[Variable]) -> list[tuple[str, str]]:
    """The libraries that the ops of a graph and of the graphs inside it call, with the C types of real numbers."""
    from eqsat.cgen.c.operand import CTYPE
    from eqsat.cgen.c.own_text import fact

    found: set[tuple[str, str]] = set()
    graphs = [list(outputs)]
    while graphs:
        for node in toposort(graphs.pop()):
            inner = getattr(node.op, "fgraph", None)
            if inner is not None:
                graphs.append(list(inner.outputs))
            declaration = getattr(node.op, "declaration", None)
            if getattr(declaration, "kind", "") == "block" and (name := fact(declaration, "calls")):
                found.add((name, CTYPE[node.outputs[0].type.dtype]))  # type: ignore[attr-defined]
    return sorted(pair for pair in found if pair[1] in ("float", "double"))
