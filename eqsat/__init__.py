"""eqsat: tensor expressions optimised by equality saturation and compiled to C."""

from eqsat.configuration import config

__version__ = "0.1.0"

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

import eqsat.graph.ops
import eqsat.scan
from eqsat import printing, tensor
from eqsat.arguments import In, Out
from eqsat.comparison import Comparison, compare
from eqsat.functions import Function, function
from eqsat.gradient import grad
from eqsat.graph.core import Apply, Constant, Op, Result, Type, Variable
from eqsat.graph.fgraph import FunctionGraph
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.tools import clone_replace, vectorize, vectorize_graph
from eqsat.graph.tools import clone_replace as clone
from eqsat.graph.user_op import as_op, generic, wrap_py
from eqsat.ifelse import ifelse
from eqsat.op_from_graph import OpFromGraph
from eqsat.optimiser import optimize
from eqsat.printing import dprint, pp
from eqsat.rewriting import rewrite_graph
from eqsat.scan.checkpoints import scan_checkpoints
from eqsat.scan.views import foldl, foldr, map, reduce
from eqsat.tensor.shared import shared
from eqsat.updates import OrderedUpdates

if TYPE_CHECKING:
    from eqsat import compat, costs, debug, extract, rules, verify
    from eqsat.rule_profile import profile_rules
    from eqsat.rules import conditions
    from eqsat.rules.metavars import metaaxes, metaconstants, metavars
    from eqsat.rules.public import rule

_LATER = {  # what is loaded when it is first used, and the module that has it
    "compat": "eqsat.compat",
    "conditions": "eqsat.rules.conditions",
    "costs": "eqsat.costs",
    "debug": "eqsat.debug",
    "extract": "eqsat.extract",
    "metaaxes": "eqsat.rules.metavars",
    "metaconstants": "eqsat.rules.metavars",
    "metavars": "eqsat.rules.metavars",
    "profile_rules": "eqsat.rule_profile",
    "rule": "eqsat.rules.public",
    "rules": "eqsat.rules",
    "verify": "eqsat.verify",
}


def __getattr__(name: str) -> _Any:
    """Names that wait until they are used."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _import_module(_LATER[name])
    return module if name == "verify" else getattr(module, name, module)  # it has a function of its name


__all__ = [
    "Apply",
    "Comparison",
    "Constant",
    "Function",
    "FunctionGraph",
    "In",
    "Op",
    "OpFromGraph",
    "OrderedUpdates",
    "Out",
    "Result",
    "TensorType",
    "Type",
    "Variable",
    "as_op",
    "clone",
    "clone_replace",
    "compare",
    "config",
    "conditions",
    "dprint",
    "foldl",
    "foldr",
    "function",
    "generic",
    "grad",
    "ifelse",
    "map",
    "metaaxes",
    "metaconstants",
    "metavars",
    "optimize",
    "pp",
    "printing",
    "profile_rules",
    "reduce",
    "rewrite_graph",
    "rule",
    "rules",
    "scan",
    "scan_checkpoints",
    "shared",
    "tensor",
    "vectorize",
    "vectorize_graph",
    "verify",
    "wrap_py",
]
