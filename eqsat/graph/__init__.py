"""Graphs: variables, the ops applied to them, and the types that constrain them."""

from typing import TYPE_CHECKING

from eqsat.base.names import late_names
from eqsat.graph.core import Apply, Constant, Op, Result, Type, Variable

if TYPE_CHECKING:
    from eqsat.graph import walk
    from eqsat.graph.basic import (
        ancestors,
        applys_between,
        clone,
        clone_get_equiv,
        clone_replace,
        equal_computations,
        general_toposort,
        graph_inputs,
        graph_replace,
        inputs,
        io_toposort,
        is_same_graph,
        orphans_between,
        toposort,
        variables,
        vars_between,
        vectorize,
        vectorize_graph,
    )
    from eqsat.graph.fgraph import FunctionGraph

__all__ = [
    "ancestors",
    "Apply",
    "applys_between",
    "clone",
    "clone_get_equiv",
    "clone_replace",
    "Constant",
    "equal_computations",
    "FunctionGraph",
    "general_toposort",
    "graph_inputs",
    "graph_replace",
    "inputs",
    "io_toposort",
    "is_same_graph",
    "Op",
    "orphans_between",
    "Result",
    "toposort",
    "Type",
    "Variable",
    "variables",
    "vars_between",
    "vectorize",
    "vectorize_graph",
]

_places = {
    name: "fgraph" if name == "FunctionGraph" else "basic" for name in __all__ if name not in globals()
}
late_names(__name__, {name: f"{__name__}.{place}:{name}" for name, place in _places.items()})
