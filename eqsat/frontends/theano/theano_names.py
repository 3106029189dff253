"""The names of Theano that differ from those of eqsat, by the module in which programs look for them."""

from __future__ import annotations

import functools
import operator
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

import eqsat
from eqsat import tensor as T
from eqsat.base.configuration import FLAGS, config
from eqsat.base.names import MissingNameError
from eqsat.errors import ArgumentError, MissingInputError, UnusedInputError
from eqsat.frontends.theano.functions_and_arguments import (
    Container,
    In,
    OldFunction,
    function,
    function_dump,
    param,
    specify_shape,
)
from eqsat.frontends.theano.mode_names import (
    OldDebugMode,
    OldMode,
    OldMonitorMode,
    OldNanGuardMode,
    as_mode,
    detect_nan,
    old_get_mode,
    older,
)
from eqsat.frontends.theano.op_names import OPS
from eqsat.frontends.theano.random_streams import RandomStreams
from eqsat.frontends.theano.scan_names import SCANS
from eqsat.frontends.theano.testing_names import NAMES
from eqsat.functions.executable import Executable
from eqsat.gradient.undefined import NullType
from eqsat.graph.dtypes import ALL, COMPLEX, FLOATS, INTEGERS, check_dtype, promote
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.updates import OrderedUpdates
from eqsat.pipeline.modes import MODES
from eqsat.tensor.shared import TensorSharedVariable, shared

# --------------------------------------------------------------------------------------------- configuration


class _Ignored:
    """A group of settings without a counterpart: what is set is kept and has no effect."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


class OldConfig:
    """``theano.config``: flags of eqsat where they exist; other settings are kept and have no effect."""

    _library: ClassVar[str] = "theano"
    _others: ClassVar[dict[str, Any]] = {
        "device": "cpu",
        "optimizer": "fast_run",
        "compute_test_value": "off",
        "exception_verbosity": "low",
        "cxx": "g++",
        "linker": "cvm",
        "int_division": "int",
        "cast_policy": "custom",
        "warn_float64": "ignore",
        "on_unused_input": "raise",
        "openmp_elemwise_minsize": 200000,
        "base_compiledir": "",
        "compiledir": "",
        "force_device": False,
        "assert_no_cpu_op": "ignore",
        "allow_gc": True,
        "optimizer_verbose": False,
        "optimizer_including": "",
        "optimizer_excluding": "",
        "on_opt_error": "warn",
        "on_shape_error": "warn",
        "print_test_value": False,
        "reoptimize_unpickled_function": False,
        "cycle_detection": "regular",
        "deterministic": "default",
        "check_input": True,
        "check_stack_trace": "off",
        "pickle_test_value": True,
        "ignore_bug_before": "None",
        "enable_initial_driver_test": True,
        "compiledir_format": "",
        "compile": _Ignored(),
        "cmodule": _Ignored(),
        "optdb": _Ignored(),
        "metaopt": _Ignored(),
        "vm": _Ignored(),
        "profiling": _Ignored(),
        "profile_memory": False,
        "profile_optimizer": False,
        "numpy": _Ignored(),
        "tensor": _Ignored(),
        "cuda": _Ignored(),
        "pycuda": _Ignored(),
        "NanGuardMode": _Ignored(),
        "DebugMode": _Ignored(),
        "warn": _Ignored(),
        "blas": _Ignored(),
        "gcc": _Ignored(),
        "lib": _Ignored(),
        "scan": _Ignored(),
        "dnn": _Ignored(),
        "gpuarray": _Ignored(),
        "experimental": _Ignored(),
        "unittests": _Ignored(),
        "traceback": _Ignored(),
        "nvcc": _Ignored(),
    }

    def __getattr__(self, name: str) -> Any:
        if name in FLAGS and (name != "compute_test_value"):
            return getattr(config, name)
        if name in self._others:
            return self._others[name]
        text = f"{self._library}.config has no {name!r} in eqsat"
        raise MissingNameError(text, name, lambda: [*FLAGS, *self._others])

    def __setattr__(self, name: str, value: Any) -> None:
        if name in FLAGS:
            setattr(config, name, _flag(name, value))
        else:
            self._others[name] = value

    @contextmanager
    def change_flags(self, given: Mapping[str, Any] | None = None, **flags: Any) -> Iterator[None]:
        """A context in which flags have other values; settings without a counterpart come back too."""
        wanted = {**(given or {}), **flags}
        before = dict(self._others)
        own = {name: _flag(name, value) for name, value in wanted.items() if name in FLAGS}
        with config.change_flags(**own):
            self._others.update((name, value) for name, value in wanted.items() if name not in FLAGS)
            try:
                yield
            finally:
                self._others.clear()
                self._others.update(before)


def _flag(name: str, value: Any) -> Any:
    """The value of a flag; a mode may have any name that programs give it."""
    return as_mode(value).name.partition(" ")[0] if name == "mode" else value


# ----------------------------------------------------------------------------------------------- shared variables


class Converting(TensorSharedVariable):
    """A shared variable that says which values ``set_value`` takes: ``strict`` its own dtype, ``downcast`` any."""

    __slots__ = ("downcast", "strict")
    strict: bool
    downcast: bool | None

    def set_value(self, new_value: Any, borrow: bool = False) -> None:
        strict = getattr(self, "strict", False)  # not yet set while the first value is stored
        super().set_value(self.type.filter(new_value, strict, getattr(self, "downcast", None)), borrow)


def old_shared(
    value: Any,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    **options: Any,
) -> Any:
    """``eqsat.shared`` with the arguments of Theano."""
    options.pop("target", None)
    made = shared(value, name, borrow, **options)
    if not strict and allow_downcast is None:
        return made
    result = Converting(made.type, made.get_value(borrow=True), name, borrow=True)
    result.strict, result.downcast = strict, allow_downcast
    return result


def _asarray(value: Any, dtype: Any, order: Any = None) -> Any:
    """``numpy.asarray`` that also knows the dtype "floatX"."""
    return np.asarray(value, config.floatX if str(dtype) == "floatX" else dtype, order=order)


def dump(value: Any, file: Any, *rest: Any, **options: Any) -> None:
    """Pickle to a file."""
    pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)


def clone(
    output: Any, replace: Any = None, strict: bool = True, share_inputs: bool = True, copy_inputs: Any = None
) -> Any:
    """A copy of a graph in which some variables are replaced."""
    from eqsat.graph import clone_replace

    pairs = dict(replace.items() if isinstance(replace, Mapping) else replace or ())
    result = clone_replace(output if isinstance(output, (list, tuple)) else [output], pairs)
    return result if isinstance(output, (list, tuple)) else result[0]


def _later(name: str) -> Any:
    """A name of a module that is imported when it is called."""

    @functools.wraps(getattr(eqsat.graph, name, _later))
    def call(*args: Any, **options: Any) -> Any:
        return getattr(eqsat.graph, name)(*args, **options)

    return call


class _Inplace(dict[str, Any]):
    """``theano.tensor.inplace``: the functions without an effect on their operands, which a graph never shows."""

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(T, name.removesuffix("_inplace"), default)


def upcast(*dtypes: Any) -> str:
    """The smallest dtype that holds all of some dtypes."""
    return promote(*map(check_dtype, dtypes))


class _Scalar(dict[str, Any]):
    """``theano.scalar``: scalar types are tensor types of rank 0."""

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else getattr(T, name, default)


class ScalarType(TensorType):
    """``theano.scalar.Scalar``: the type of a number, whose text is its dtype."""

    __slots__ = ()

    def __init__(self, dtype: Any, name: str | None = None) -> None:
        super().__init__(dtype, (), name=name)

    def __str__(self) -> str:
        return self.dtype


def scalar_constant(value: Any, name: str | None = None, dtype: Any = None) -> Any:
    """``theano.scalar.constant``: a number that is fixed in the graph."""
    return T.constant(value, name, dtype=dtype)


def _shaped_stack(axis: int) -> Any:
    """``horizontal_stack`` and ``vertical_stack``: matrices joined along an axis."""
    return lambda *parts: T.concatenate(parts, axis=axis)


def _extreme(function: Any) -> Any:
    """``largest`` and ``smallest`` of several tensors, element by element."""
    return lambda *parts: functools.reduce(function, map(T.as_tensor_variable, parts))


def get_vector_length(v: Any) -> int:
    """The length of a vector, where its type or its graph says it.

    Errors   ArgumentError where it is only known when a function runs
    """
    vector = T.as_tensor_variable(v)
    known = vector.type.shape[0] if vector.ndim == 1 else None
    if known is None:
        raise ArgumentError(f"the length of {vector} is not known", operands=[("v", vector)])
    return int(known)


def extract_constant(x: Any, elemwise: bool = True, only_process_constants: bool = False) -> Any:
    """The number that a graph always gives, or the variable as it is."""
    try:
        return T.get_scalar_constant_value(x)
    except T.NotScalarConstantError:
        return x


def default(x: Any, d: Any) -> Any:
    """x, or d where x is None."""
    return d if x is None else x


def change_flags(**flags: Any) -> Any:
    """Flags with other values inside a ``with`` block or a function."""
    return OLD_CONFIG.change_flags(**flags)


def _convert(dtype: str) -> Any:
    return lambda x: T.cast(x, dtype)


KINDS_OF_DTYPE = {
    "all_dtypes": ("bool", *INTEGERS, *FLOATS, *COMPLEX),
    "int_dtypes": tuple(d for d in INTEGERS if d.startswith("int")),
    "uint_dtypes": tuple(d for d in INTEGERS if d.startswith("uint")),
    "integer_dtypes": INTEGERS,
    "discrete_dtypes": ("bool", *INTEGERS),
    "float_dtypes": FLOATS,
    "complex_dtypes": COMPLEX,
    "continuous_dtypes": (*FLOATS, *COMPLEX),
}
CASTS = {f"_convert_to_{dtype}": _convert(dtype) for dtype in ALL}
OLD_CONFIG = OldConfig()
TENSOR: dict[str, Any] = {
    **OPS,
    **CASTS,
    **KINDS_OF_DTYPE,
    "config": OLD_CONFIG,
    "shared": old_shared,
    "_shared": old_shared,
    "SharedVariable": TensorSharedVariable,
    "specify_shape": specify_shape,
    "Tensor": TensorType,
    "second": T.fill,
    "horizontal_stack": _shaped_stack(1),
    "vertical_stack": _shaped_stack(0),
    "smallest": _extreme(T.minimum),
    "largest": _extreme(T.maximum),
    "get_vector_length": get_vector_length,
    "extract_constant": extract_constant,
    "default": default,
    "NoneConst": None,
    "_allclose": np.allclose,
    "floor_div": T.floordiv,
    "slicetype": eqsat.generic,
    "extract_diag": T.diagonal,
}
PARTS: dict[str, Mapping[str, Any]] = {
    "theano": {
        "config": OLD_CONFIG,
        "function": function,
        "function_dump": function_dump,
        "shared": old_shared,
        "Mode": OldMode,
        "In": In,
        "Param": param,
        "clone": clone,
        "dot": T.dot,
        "OrderedUpdates": OrderedUpdates,
        "_asarray": _asarray,
        "get_mode": old_get_mode,
        "SharedVariable": TensorSharedVariable,
        "change_flags": change_flags,
        "__version__": "1.0.5",
        **SCANS,
    },
    "scan": SCANS,
    "tensor": TENSOR,
    "ops": OPS,
    "cuda": {"cuda_available": False, "cuda_enabled": False, "pygpu_activated": False},
    "graph": {"MissingInputError": MissingInputError, "Generic": type(eqsat.generic)},
    "compile": {
        "function": function,
        "pfunc": function,
        "shared": old_shared,
        "SharedVariable": TensorSharedVariable,
        "In": In,
        "Mode": OldMode,
        "Param": param,
        "SymbolicInput": In,
        "SymbolicOutput": eqsat.Out,
        "Container": Container,
        "FunctionMaker": Executable,
        "Function": OldFunction,
        "UnusedInputError": UnusedInputError,
        "MonitorMode": OldMonitorMode,
        "NanGuardMode": OldNanGuardMode,
        "DebugMode": OldDebugMode,
        "get_mode": old_get_mode,
        "get_default_mode": old_get_mode,
        "detect_nan": detect_nan,
        "DeepCopyOp": OPS["DeepCopyOp"],
        "ViewOp": OPS["ViewOp"],
        "Rebroadcast": T.Rebroadcast,
        "Shape": OPS["Shape"],
        "Shape_i": OPS["Shape_i"],
        "SpecifyShape": OPS["SpecifyShape"],
        "FAST_RUN": older(MODES["FAST_RUN"]),
        "FAST_COMPILE": older(MODES["FAST_COMPILE"]),
    },
    "config": {
        "config": OLD_CONFIG,
        "change_flags": change_flags,
        "local_bitwidth": lambda: 64,
        "python_int_bitwidth": lambda: 64,
    },
    "printing": {"pydot_imported": False, "pydot_imported_msg": "dot text is written without pydot"},
    "pickles": {"dump": dump, "load": pickle.load, "CompatUnpickler": pickle.Unpickler},
    "scalar": _Scalar(
        {
            **{dtype: ScalarType(dtype) for dtype in ALL},
            **{
                f"{kind.split('_')[0]}_types": tuple(map(ScalarType, names))
                for kind, names in KINDS_OF_DTYPE.items()
            },
            "upcast": upcast,
            "upcast_out": lambda *types: [ScalarType(upcast(*(t.dtype for t in types)))],
            "Scalar": ScalarType,
            "get_scalar_type": ScalarType,
            "ScalarVariable": T.TensorVariable,
            "ScalarConstant": T.TensorConstant,
            "constant": scalar_constant,
            "as_scalar": T.as_tensor_variable,
        }
    ),
    "inplace": _Inplace(),
    "unittest": NAMES,
    "random": {"RandomStreams": RandomStreams, "MRG_RandomStreams": RandomStreams},
    "compat": {
        "izip": zip,
        "imap": map,
        "exc_message": lambda error: error.args[0] if len(error.args) == 1 else error.args,
        "get_unbound_function": lambda method: method,
        "operator_div": operator.truediv,
        "PY3": True,
        "cmp": lambda a, b: (a > b) - (a < b),
        "OrderedDict": dict,
        "maybe_add_to_os_environ_pathlist": lambda *_: None,
    },
    "nulls": {"NullType": NullType},
}
