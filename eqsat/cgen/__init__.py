"""Plans to text to callables, for the targets that are registered."""

from typing import TYPE_CHECKING

from eqsat.base.names import late_names

if TYPE_CHECKING:
    from eqsat.cgen.c.source import Translation, translate
    from eqsat.cgen.ir.meta import Meta
    from eqsat.cgen.runtime.build import CompilerError, find_compiler
    from eqsat.cgen.runtime.call import CompiledPlan
    from eqsat.cgen.target import Target, Tools, compile_plan, find_target, register

__all__ = [
    "CompiledPlan",
    "CompilerError",
    "Meta",
    "Target",
    "Tools",
    "Translation",
    "compile_plan",
    "find_compiler",
    "find_target",
    "register",
    "translate",
]

late_names(
    __name__,
    {
        "CompiledPlan": "eqsat.cgen.runtime.call:CompiledPlan",
        "CompilerError": "eqsat.cgen.runtime.build:CompilerError",
        "Meta": "eqsat.cgen.ir.meta:Meta",
        "Target": "eqsat.cgen.target:Target",
        "Tools": "eqsat.cgen.target:Tools",
        "Translation": "eqsat.cgen.c.source:Translation",
        "compile_plan": "eqsat.cgen.target:compile_plan",
        "find_compiler": "eqsat.cgen.runtime.build:find_compiler",
        "find_target": "eqsat.cgen.target:find_target",
        "register": "eqsat.cgen.target:register",
        "translate": "eqsat.cgen.c.source:translate",
    },
)
