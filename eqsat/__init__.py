"""eqsat: tensor expressions optimised by equality saturation and compiled to C."""

import sys as _sys
from typing import TYPE_CHECKING

from eqsat.base.garbage_collection import collection_paused as _collection_paused

__version__ = "0.1.0"

with _collection_paused():  # modules stay
    import eqsat.graph.ops
    import eqsat.scan
    from eqsat import tensor
    from eqsat.base.configuration import config
    from eqsat.base.hooks import register_hooks as _register_hooks
    from eqsat.base.lazy_modules import lazy_module as _lazy_module
    from eqsat.base.names import late_names as _late_names
    from eqsat.base.scopes import name_scope
    from eqsat.functions import profile
    from eqsat.functions.arguments import In, Out
    from eqsat.functions.function import Function, function
    from eqsat.gradient import grad
    from eqsat.graph.control.ifelse import ifelse
    from eqsat.graph.control.op_from_graph import OpFromGraph
    from eqsat.graph.core import Apply, Constant, Op, Result, Type, Variable
    from eqsat.graph.fgraph import FunctionGraph
    from eqsat.graph.tensor_type import TensorType
    from eqsat.graph.tools import clone_replace, vectorize, vectorize_graph
    from eqsat.graph.tools import clone_replace as clone
    from eqsat.graph.updates import OrderedUpdates
    from eqsat.graph.user_op import as_op, generic, wrap_py
    from eqsat.inspect import report
    from eqsat.optimise import optimize
    from eqsat.pipeline import modes
    from eqsat.scan.checkpoints import scan_checkpoints
    from eqsat.scan.views import foldl, foldr, map, reduce
    from eqsat.tensor.shared import shared

if TYPE_CHECKING:
    from eqsat import (
        bridges,
        compat,
        costs,
        cuda,
        debug,
        extract,
        optim,
        printing,
        rounding,
        rules,
        tracing,
        verify,
    )
    from eqsat.bridges import to_onnx
    from eqsat.bridges.egglog import from_egglog
    from eqsat.bridges.rules import import_rules
    from eqsat.bridges.sympy import lambdify
    from eqsat.frontends.rewrite_graph import rewrite_graph
    from eqsat.inspect import drawing
    from eqsat.inspect.comparison import Comparison, compare
    from eqsat.inspect.rule_profile import profile_rules
    from eqsat.printing import dprint, pp
    from eqsat.research import ablate, derive, discover, equal, minimise
    from eqsat.rounding import accuracy
    from eqsat.rules import conditions
    from eqsat.rules.metavars import metaaxes, metaconstants, metavars
    from eqsat.rules.public import rule
    from eqsat.scan import _ScanModule
    from eqsat.tracing import jit, value_and_grad

    scan: _ScanModule

_LATER = {  # what is loaded when it is first used, and the module that has it
    "ablate": "eqsat.research:ablate",
    "accuracy": "eqsat.rounding:accuracy",
    "bridges": "eqsat.bridges",
    "Comparison": "eqsat.inspect.comparison:Comparison",
    "compare": "eqsat.inspect.comparison:compare",
    "compat": "eqsat.compat",
    "conditions": "eqsat.rules.conditions",
    "costs": "eqsat.costs",
    "cuda": "eqsat.cuda",
    "debug": "eqsat.debug",
    "derive": "eqsat.research:derive",
    "discover": "eqsat.research:discover",
    "dprint": "eqsat.printing:dprint",
    "equal": "eqsat.research:equal",
    "export": "eqsat.export",
    "extract": "eqsat.extract",
    "from_egglog": "eqsat.bridges.egglog:from_egglog",
    "import_rules": "eqsat.bridges.rules:import_rules",
    "jit": "eqsat.tracing:jit",
    "lambdify": "eqsat.bridges.sympy:lambdify",
    "metaaxes": "eqsat.rules.metavars:metaaxes",
    "metaconstants": "eqsat.rules.metavars:metaconstants",
    "metavars": "eqsat.rules.metavars:metavars",
    "minimise": "eqsat.research:minimise",
    "optim": "eqsat.optim",
    "pp": "eqsat.printing:pp",
    "printing": "eqsat.printing",
    "profile_rules": "eqsat.inspect.rule_profile:profile_rules",
    "rewrite_graph": "eqsat.frontends.rewrite_graph:rewrite_graph",
    "rounding": "eqsat.rounding",
    "rule": "eqsat.rules.public:rule",
    "rules": "eqsat.rules",
    "to_onnx": "eqsat.bridges:to_onnx",
    "tracing": "eqsat.tracing",
    "value_and_grad": "eqsat.tracing:value_and_grad",
    "verify": "eqsat.verify",
}

_late_names(__name__, _LATER)

_register_hooks(
    {  # what a room asks of those above it
        "assumable": "eqsat.egraph.assumptions:assumable",
        "asks_order": "eqsat.egraph.assumptions:asks_order",
        "accurate": "eqsat.rounding.objective:accurate",
        "c_function": "eqsat.export:c_function",
        "export": "eqsat.export:export",
        "short_text": "eqsat.printing.short_text:short",
        "draw": "eqsat.inspect.drawing:draw",
        "evaluate": "eqsat.functions.evaluate:evaluate",
        "function": "eqsat.functions.function:function",
        "optimize": "eqsat.optimise:optimize",
        "seeded_grad": "eqsat.gradient.reverse:seeded_grad",
        "token": "eqsat.functions.tokens:token",
        "Rop": "eqsat.gradient.forward:Rop",
        "get_mode": "eqsat.pipeline.modes:get_mode",
        "known_modes": "eqsat.pipeline.modes:mode_names",
        "known_targets": "eqsat.cgen.target:target_names",
        "with_steps": "eqsat.functions.planned:with_steps",
        "check_classes": "eqsat.debug.class_values:check_classes",
        "refuse_mixed_types": "eqsat.debug.suspects:refuse_mixed_types",
    }
)
_register_hooks({name: f"eqsat.debug:{name}" for name in modes.CHECKING})

# modules of rooms that users also know under a shorter name
_sys.modules |= {f"{__name__}.{m.__name__.rpartition('.')[2]}": m for m in (modes, profile, report)}
_sys.modules[f"{__name__}.drawing"] = globals()["drawing"] = _lazy_module("eqsat.inspect.drawing")


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
    "ablate",
    "accuracy",
    "as_op",
    "clone",
    "clone_replace",
    "compare",
    "config",
    "conditions",
    "derive",
    "discover",
    "dprint",
    "equal",
    "foldl",
    "foldr",
    "from_egglog",
    "function",
    "generic",
    "grad",
    "ifelse",
    "import_rules",
    "jit",
    "lambdify",
    "map",
    "metaaxes",
    "metaconstants",
    "metavars",
    "minimise",
    "name_scope",
    "optim",
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
    "to_onnx",
    "value_and_grad",
    "vectorize",
    "vectorize_graph",
    "verify",
    "wrap_py",
]
