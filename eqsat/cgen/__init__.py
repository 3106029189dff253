"""Plans to C to callables."""

from eqsat.cgen.c.source import Translation, translate
from eqsat.cgen.ir.meta import Meta
from eqsat.cgen.runtime.build import CompilerError, find_compiler
from eqsat.cgen.runtime.call import CompiledPlan, compile_plan
from eqsat.cgen.runtime.load import prepare

__all__ = [
    "CompiledPlan",
    "CompilerError",
    "Meta",
    "Translation",
    "compile_plan",
    "find_compiler",
    "translate",
]
