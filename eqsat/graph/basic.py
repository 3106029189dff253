"""The objects of every graph and the walks over them, under the names they have in Theano and Aesara."""

from eqsat.base.names import late_names
from eqsat.graph.core import Apply, Constant, Op, Result, Type, Variable
from eqsat.graph.tools import (
    applys_between,
    clone,
    clone_get_equiv,
    clone_replace,
    equal_computations,
    general_toposort,
    graph_replace,
    inputs,
    io_toposort,
    is_same_graph,
    orphans_between,
    vars_between,
    vectorize,
    vectorize_graph,
)
from eqsat.graph.walk import ancestors, graph_inputs, toposort

variables = vars_between

__all__ = [
    "Apply",
    "Constant",
    "Op",
    "Result",
    "Type",
    "Variable",
    "ancestors",
    "applys_between",
    "clone",
    "clone_get_equiv",
    "clone_replace",
    "equal_computations",
    "general_toposort",
    "graph_inputs",
    "graph_replace",
    "inputs",
    "io_toposort",
    "is_same_graph",
    "orphans_between",
    "toposort",
    "variables",
    "vars_between",
    "vectorize",
    "vectorize_graph",
]

late_names(__name__)
