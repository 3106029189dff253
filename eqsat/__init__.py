"""eqsat: tensor expressions optimised by equality saturation and compiled to C."""

from eqsat.configuration import config

__version__ = "0.1.0"

import eqsat.graph.ops
import eqsat.scan
from eqsat import printing, tensor
from eqsat.arguments import In, Out
from eqsat.comparison import Comparison, compare
from eqsat.compile import optimize
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
from eqsat.printing import dprint, pp
from eqsat.rewriting import rewrite_graph
from eqsat.scan.checkpoints import scan_checkpoints
from eqsat.scan.views import foldl, foldr, map, reduce
from eqsat.tensor.shared import shared
from eqsat.updates import OrderedUpdates

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
    "dprint",
    "foldl",
    "foldr",
    "function",
    "generic",
    "grad",
    "ifelse",
    "map",
    "optimize",
    "pp",
    "printing",
    "reduce",
    "rewrite_graph",
    "scan",
    "scan_checkpoints",
    "shared",
    "tensor",
    "vectorize",
    "vectorize_graph",
    "wrap_py",
]
