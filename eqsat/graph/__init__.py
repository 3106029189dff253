"""What a program is: variables, the ops applied to them, and the types that constrain them."""

from eqsat.graph.core import Apply, Constant, Op, Result, Type, Variable

__all__ = ["Apply", "Constant", "Op", "Result", "Type", "Variable"]
