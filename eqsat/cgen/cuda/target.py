"""The target "cuda": kernels for a GPU, and C that launches them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eqsat.cgen.c.target import C
from eqsat.cgen.target import Tools
from eqsat.graph.core import Apply

if TYPE_CHECKING:
    from eqsat.cgen.c.source import Translation
    from eqsat.cgen.ir.meta import Meta
    from eqsat.cgen.runtime.call import CompiledPlan
    from eqsat.graph.plan import Plan


class Cuda(C):
    """Kernels in CUDA C++, launched by a host program in C."""

    name = "cuda"
    keeps = True

    @property
    def costs(self) -> Mapping[str, float]:  # type: ignore[override]
        from eqsat.cgen.cuda.costs import costs

        return costs()

    def print(self, plan: Plan, tools: Tools, profile: bool = False) -> Translation:
        from eqsat.cgen.cuda.source import translate

        return translate(plan, False, profile)

    def load(self, source: str, meta: Meta, opaque: Sequence[Apply], tools: Tools) -> CompiledPlan:
        from eqsat.cgen.cuda.load import load

        return load(source, meta, opaque, tools)
