"""Plans to C to callables."""

from eqsat.cgen.build import CompilerError, find_compiler
from eqsat.cgen.call import CompiledPlan, compile_plan
from eqsat.cgen.load import prepare
from eqsat.cgen.meta import Meta
from eqsat.cgen.source import Translation, translate

__all__ = [
    "CompiledPlan",
    "CompilerError",
    "Meta",
    "Translation",
    "compile_plan",
    "find_compiler",
    "translate",
]
