"""The names of PyTensor that differ from those of eqsat, by the part of the library in which programs look for them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

import eqsat
from eqsat import gradient, printing
from eqsat.errors import GradientError
from eqsat.frontends.pytensor.graphs import GRAPH, CheckAndRaise, IfElse, OpFromGraph, RewriteDatabaseQuery
from eqsat.frontends.pytensor.linear_algebra import LINALG
from eqsat.frontends.pytensor.random_variables import RANDOM, RandomGeneratorType, shared_rng
from eqsat.frontends.pytensor.tensor_names import SIGNAL, SPECIAL, TENSOR, renamed
from eqsat.frontends.theano import functions_and_arguments as old_function
from eqsat.frontends.theano import theano_names as old_names
from eqsat.frontends.theano.functions_and_arguments import ORDER
from eqsat.frontends.theano.mode_names import as_mode
from eqsat.frontends.theano.op_names import OPS
from eqsat.frontends.theano.scan_names import SCANS
from eqsat.frontends.theano.theano_names import OldConfig
from eqsat.gradient.undefined import DisconnectedType
from eqsat.graph.core import Variable
from eqsat.graph.tools import is_same_graph

# -------------------------------------------------------------------------------------- functions, shared, config


class Config(OldConfig):
    """``pytensor.config``: flags of eqsat where they exist; others are kept and have no effect."""

    _library = "pytensor"
    _others: ClassVar[dict[str, Any]] = {
        **OldConfig._others,
        "check_input": True,
        "check_stack_trace": "off",
        "compiledir_format": "",
        "compiler_verbose": False,
        "cycle_detection": "regular",
        "gcc_version_str": "",
        "linker": "auto",
        "nocleanup": False,
        "optdb__position_cutoff": float("inf"),
        "optimizer": "o4",
        "optimizer_requiring": "",
        "optimizer_verbose_ignore": "",
        "print_global_stats": False,
        "unpickle_function": True,
    }

    def __getattr__(self, name: str) -> Any:
        group, _, rest = name.partition("__")
        if group and rest and name not in self._others:
            return None
        return super().__getattr__(name)


CONFIG = Config()


def function(inputs: Any, outputs: Any = None, *args: Any, trust_input: bool = False, **options: Any) -> Any:
    """``pytensor.function``: arguments are checked whether they are trusted or not."""
    if len(args) <= ORDER.index("on_unused_input"):
        options["on_unused_input"] = options.get("on_unused_input") or CONFIG.on_unused_input
    made = old_function.function(inputs, outputs, *args, **options)
    made.trust_input, made.dprint = trust_input, functools.partial(debugprint, made)
    return made


def shared(value: Any, name: str | None = None, **options: Any) -> Any:
    """``pytensor.shared``: of an array, or of a generator of random numbers."""
    if isinstance(value, np.random.Generator):
        return shared_rng(value, name=name)
    return old_names.old_shared(value, name, **options)


def _loop(loop: Callable[..., Any]) -> Callable[..., Any]:
    """A loop that gives the updates only where it is asked to, and of a generator that steps pass on the last one."""

    @functools.wraps(loop)
    def call(*args: Any, return_updates: bool = True, **options: Any) -> Any:
        outputs, updates = loop(*args, **options)
        initial = inspect.signature(loop).bind_partial(*args, **options).arguments.get("outputs_info")
        outputs = _last_generators(outputs, initial if isinstance(initial, (list, tuple)) else [initial])
        return (outputs, updates) if return_updates else outputs

    return call


def _last_generators(outputs: Any, initial: Any) -> Any:
    several = isinstance(outputs, (list, tuple))
    listed = list(outputs) if several else [outputs]
    starts = [v.get("initial") if isinstance(v, Mapping) else v for v in initial]
    for k, start in enumerate(starts[: len(listed)]):
        if isinstance(getattr(start, "type", None), RandomGeneratorType) and listed[k].ndim == 2:
            listed[k] = listed[k][-1]
    return listed if several else listed[0]


def scan_checkpoints(*args: Any, return_updates: bool = True, **options: Any) -> Any:
    """``scan_checkpoints``."""
    outputs, updates = eqsat.scan_checkpoints(*args, **options)
    return (outputs, updates) if return_updates else outputs


# -------------------------------------------------------------------------------------------------------- printing


def debugprint(
    graph_like: Any,
    depth: int = -1,
    print_type: bool = False,
    print_shape: bool = False,
    file: Any = None,
    id_type: str = "CHAR",
    stop_on_name: bool = False,
    **others: Any,
) -> Any:
    """``pytensor.dprint``, with the names of eqsat's ops."""
    kept = {name: others[name] for name in ("print_destroy_map", "print_view_map") if name in others}
    levels = None if depth < 0 else max(depth, 1)
    options: Any = {"print_shape": print_shape, "stop_on_name": stop_on_name, **kept}
    return printing.debugprint(graph_like, id_type, print_type, levels, file, **options)


# -------------------------------------------------------------------------------------------------------- together


def as_symbolic(x: Any, name: str | None = None, **options: Any) -> Any:
    """A variable of a value; variables pass through."""
    return x if isinstance(x, Variable) else TENSOR["as_tensor_variable"](x, name, **options)


def _reading(derivative: Callable[..., Any]) -> Callable[..., Any]:
    """A derivative of f, whose inputs may be given to a function of it although the derivative needs them no more."""

    @functools.wraps(derivative)
    def call(f: Any, *args: Any, **options: Any) -> Any:
        old_function.excuse(f)
        return derivative(f, *args, **options)

    return call


LOOPS: dict[str, Any] = {name: _loop(loop) for name, loop in SCANS.items()} | {
    "scan_checkpoints": scan_checkpoints
}
GRADIENT = {
    "GradientError": GradientError,
    "disconnected_type": DisconnectedType(),
    "jacobian": renamed(gradient.jacobian, "vectorize="),
    "Rop": _reading(renamed(gradient.Rop, "use_op_rop_implementation=")),
    "pushforward": _reading(renamed(gradient.pushforward, "tangents=eval_points use_op_pushforward=")),
    "pullback": _reading(renamed(gradient.pullback, "cotangents=eval_points")),
    "Lop": _reading(gradient.Lop),
}
OLD_COMPILE = old_names.PARTS["compile"]
COMPILE: dict[str, Any] = {
    **OLD_COMPILE,
    "OpFromGraph": OpFromGraph,
    "function": function,
    "pfunc": function,
    "shared": shared,
    "get_mode": as_mode,
    "get_default_mode": lambda: as_mode(None),
    **{name: as_mode("FAST_RUN") for name in ("NUMBA", "JAX", "PYTORCH", "MLX", "C", "CVM")},
}
PARTS: dict[str, Mapping[str, Any]] = {
    "pytensor": {
        **LOOPS,
        **GRADIENT,
        **{
            name: GRAPH[name]
            for name in ("clone_replace", "rewrite_graph", "vectorize_graph", "graph_replace")
        },
        "OpFromGraph": OpFromGraph,
        "config": CONFIG,
        "function": function,
        "shared": shared,
        "In": OLD_COMPILE["In"],
        "Mode": OLD_COMPILE["Mode"],
        "get_mode": as_mode,
        "dprint": debugprint,
        "as_symbolic": as_symbolic,
    },
    "tensor": {**TENSOR, **GRADIENT},
    "ops": {**OPS, "Repeat": OPS["RepeatOp"]},
    "special": SPECIAL,
    "linalg": LINALG,
    "random": RANDOM,
    "graph": GRAPH,
    "compile": COMPILE,
    "scan": LOOPS,
    "scalar": old_names.PARTS["scalar"],
    "rewriting": {
        "rewrite_graph": GRAPH["rewrite_graph"],
        "RewriteDatabaseQuery": RewriteDatabaseQuery,
        "is_same_graph": is_same_graph,
    },
    "printing": {"debugprint": debugprint, "dprint": debugprint},
    "gradient": GRADIENT,
    "raise_op": {"Assert": OPS["Assert"], "assert_op": OPS["assert_op"], "CheckAndRaise": CheckAndRaise},
    "ifelse": {"IfElse": IfElse},
    "config": {"config": CONFIG},
    "basic": {"as_symbolic": as_symbolic},
    "signal": SIGNAL,
    "utils": {},
}
