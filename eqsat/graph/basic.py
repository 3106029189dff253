"""The objects of every graph and the walks over them, under the name of the module they have in Aesara."""

from eqsat.graph.core import Apply, Constant, Op, Result, Type, Variable
from eqsat.graph.walk import ancestors, graph_inputs, toposort

__all__ = ["Apply", "Constant", "Op", "Result", "Type", "Variable", "ancestors", "graph_inputs", "toposort"]
