"""What a program is: variables, the ops applied to them, and the types that constrain them."""

from typing import Any

from eqsat.graph.core import Apply, Constant, Op, Result, Type, Variable

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


def __getattr__(name: str) -> Any:
    """The functions on graphs, such as ``eqsat.graph.clone_replace``, and ``FunctionGraph``."""
    from importlib import import_module

    for module in ("basic", "fgraph"):
        found = import_module(f"eqsat.graph.{module}")
        if name in getattr(found, "__all__", ("FunctionGraph",)):
            return getattr(found, name)
    raise AttributeError(f"eqsat.graph has no {name!r}")
