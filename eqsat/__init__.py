"""eqsat: tensor expressions optimised by equality saturation and compiled to C."""

from eqsat.configuration import config

__version__ = "0.1.0"

import eqsat.graph.ops
from eqsat import printing, tensor
from eqsat.compile import optimize
from eqsat.functions import Function, In, function
from eqsat.gradient import grad
from eqsat.graph.core import Apply, Constant, Op, Type, Variable
from eqsat.graph.tensor_type import TensorType
from eqsat.printing import dprint, pp
from eqsat.tensor.shared import shared

__all__ = [
    "Apply",
    "Constant",
    "Function",
    "In",
    "Op",
    "TensorType",
    "Type",
    "Variable",
    "config",
    "dprint",
    "function",
    "grad",
    "optimize",
    "pp",
    "printing",
    "shared",
    "tensor",
]
