"""The names of Theano that differ from those of eqsat, by the module in which programs look for them."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

import eqsat
from eqsat import tensor as T
from eqsat.compile import Executable
from eqsat.configuration import FLAGS, config
from eqsat.errors import ConfigError
from eqsat.graph.tensor_type import TensorType
from eqsat.modes import MODES, Mode, get_mode
from eqsat.tensor.shared import TensorSharedVariable, shared
from eqsat.updates import OrderedUpdates

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
        raise AttributeError(f"theano.config has no {name!r} in eqsat")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in FLAGS:
            self._others[name] = value
            return
        try:
            setattr(config, name, value)
        except ConfigError:
            if name != "mode":
                raise
            config.mode = get_mode(value).name

    def change_flags(self, **flags: Any) -> Any:
        """A context in which flags have other values."""
        return config.change_flags(**{name: value for name, value in flags.items() if name in FLAGS})


# --------------------------------------------------------------------------------------- functions and modes


def _mode(mode: Any) -> Any:
    """A mode of eqsat for what older programs give."""
    if mode is None or isinstance(mode, (Mode, str)):
        return mode
    return getattr(mode, "mode", mode)


def function(inputs: Any, outputs: Any = None, *args: Any, **options: Any) -> Any:
    """``eqsat.function`` with the arguments of Theano; those without a counterpart are taken and ignored."""
    for name in ("rebuild_strict", "accept_inplace", "no_default_updates_strict"):
        options.pop(name, None)
    if args:  # mode, updates, givens in Theano's order
        options.update(zip(("mode", "updates", "givens", "no_default_updates"), args))
    options["mode"] = _mode(options.get("mode"))
    profile = options.get("profile")
    options["profile"] = None if profile is None else bool(profile)
    return eqsat.function(inputs, outputs, **options)


def old_shared(
    value: Any,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: Any = None,
    borrow: bool = False,
    **options: Any,
) -> Any:
    """``eqsat.shared`` with the arguments of Theano."""
    options.pop("target", None)
    return shared(value, name, borrow, **options)


def old_mode(linker: Any = None, optimizer: Any = "default") -> Mode:
    """A mode for a linker and an optimizer: "py" runs in NumPy, no optimizer leaves the graph as written."""
    rewrite = optimizer not in (None, "None", "fast_compile", "merge")
    names = {
        (True, True): "FAST_RUN",
        (True, False): "numpy",
        (False, True): "FAST_COMPILE",
        (False, False): "reference",
    }
    return MODES[names[rewrite, linker not in ("py", "vm_nogc_py")]]


def param(variable: Any, default: Any = None, **options: Any) -> Any:
    """``theano.Param``: an input with a default."""
    options.pop("implicit", None)
    return eqsat.In(variable, value=options.pop("value", default), **options)


def detect_nan(place: Any, node: Any, operands: Any, results: Any = ()) -> None:
    """Print the op, operands and results where a result holds NaN; for MonitorMode."""
    for value in results:
        if isinstance(value, np.ndarray) and value.dtype.kind in "fc" and np.isnan(value).any():
            print("*** NaN detected ***")
            eqsat.dprint(node.outputs[0])
            print(f"Inputs : {operands}\nOutputs: {results}")
            return


# ------------------------------------------------------------------------------------------------- test tools


def seed_rng(pseed: int | None = None) -> int:
    """Seed NumPy's global generator, and say with what."""
    seed = 666 if pseed is None else pseed
    np.random.seed(seed)
    return seed


def _test_verify_grad(
    op: Any, pt: Any, n_tests: int = 2, rng: Any = None, *args: Any, **options: Any
) -> None:
    from eqsat.gradient import verify_grad

    verify_grad(op, pt, n_tests, np.random.default_rng(1) if rng is None else rng, *args, **options)


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


class _Scalar(dict[str, Any]):
    """``theano.scalar``: scalar types are tensor types of rank 0."""

    def __missing__(self, name: str) -> Any:
        if name in ("float32", "float64", "int8", "int16", "int32", "int64", "complex64", "complex128"):
            return TensorType(name, ())
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return getattr(T, name, default)


OLD_CONFIG = OldConfig()
PARTS: dict[str, Mapping[str, Any]] = {
    "theano": {
        "config": OLD_CONFIG,
        "function": function,
        "shared": old_shared,
        "Mode": old_mode,
        "Param": param,
        "clone": clone,
        "dot": T.dot,
        "OrderedUpdates": OrderedUpdates,
        "_asarray": _asarray,
        "get_mode": get_mode,
        "SharedVariable": TensorSharedVariable,
        "__version__": "1.0.5",
    },
    "tensor": {
        "config": OLD_CONFIG,
        "shared": old_shared,
        "_shared": old_shared,
        "SharedVariable": TensorSharedVariable,
    },
    "ops": {},
    "cuda": {"cuda_available": False, "cuda_enabled": False, "pygpu_activated": False},
    "graph": {},
    "compile": {
        "function": function,
        "shared": old_shared,
        "SharedVariable": TensorSharedVariable,
        "Mode": old_mode,
        "Param": param,
        "SymbolicInput": eqsat.In,
        "SymbolicOutput": eqsat.Out,
        "FunctionMaker": Executable,
        "get_mode": get_mode,
        "get_default_mode": get_mode,
        "detect_nan": detect_nan,
        "FAST_RUN": MODES["FAST_RUN"],
        "FAST_COMPILE": MODES["FAST_COMPILE"],
    },
    "config": {"config": OLD_CONFIG},
    "pickles": {"dump": dump, "load": pickle.load},
    "scalar": _Scalar(),
    "unittest": {
        "seed_rng": seed_rng,
        "fetch_seed": lambda pseed=None: 666 if pseed is None else pseed,
        "verify_grad": _test_verify_grad,
    },
}
