"""``rewrite_graph``, as Theano and PyTensor call the optimiser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.fgraph import FunctionGraph
from eqsat.optimise import optimize
from eqsat.pipeline.modes import OLD_PASSES


def rewrite_graph(
    graph: Any, include: Sequence[str] = ("default",), exclude: Sequence[str] = (), clone: bool = False
) -> Any:
    """The cheapest graph that the rules find: of a variable, a list of variables, or a FunctionGraph in place.

    ``include`` and ``exclude`` name rules, tags or tiers, as ``eqsat.optimize(rules=...)`` does; names of passes of
    older programs are ignored. ``clone`` leaves a given FunctionGraph as it is.

    Errors   RuleError for a name that is none of these

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.rewrite_graph(T.log(T.exp(x)))
    x
    >>> str(eqsat.rewrite_graph(T.log(T.exp(x)), exclude=["log-exp"]).owner.op)
    'log'
    """
    words = [w for w in include if w not in OLD_PASSES] or ["default"]
    rules = ",".join([*words, *("-" + w for w in exclude if w not in OLD_PASSES)])
    if isinstance(graph, FunctionGraph):
        graph = graph.clone() if clone else graph
        for k, new in enumerate(optimize(graph.outputs, rules).optimized):
            graph.change_input("output", k, new, reason="rewrite_graph")
        return graph
    several = isinstance(graph, (list, tuple))
    made = optimize(list(graph) if several else [graph], rules).optimized
    return list(made) if several else made[0]
