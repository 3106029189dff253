"""SymPy expressions as graphs of eqsat, and back; ``lambdify`` compiles them."""

from __future__ import annotations

from eqsat.base.names import late_names
from eqsat.bridges.sympy.compiled import lambdify
from eqsat.bridges.sympy.expressions import from_sympy
from eqsat.bridges.sympy.graphs import to_sympy

__all__ = ["from_sympy", "lambdify", "to_sympy"]

late_names(__name__)
