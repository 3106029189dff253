"""Writes __init__.pyi of eqsat, eqsat.tensor and eqsat.tensor.nnet: the types of what users call, for editors and type checkers.

Parameters are those of the functions, results what the examples of their docstrings give. ``make docs`` runs this after the reference;
tests/test_stubs.py compares names and parameters with the code.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from reference_entries import declaration_of

import eqsat
from eqsat.base.configuration import FLAGS
from eqsat.graph.core import Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.tensor_type import TensorType
from eqsat.tensor.constructors import LETTERS, PLURALS, RANKS
from eqsat.tensor.variable import _tensor_py_operators

ROOT = Path(__file__).resolve().parent.parent
MODULES = ("eqsat", "eqsat.tensor", "eqsat.tensor.nnet")  # packages whose files hold names alone
TENSOR = "TensorVariable"
MOST_ARGUMENTS = 5  # of functions of loops whose arguments are told
RESULTS = {TENSOR: TENSOR, f"list[{TENSOR}] | tuple[{TENSOR}, ...]": f"list[{TENSOR}]"}
HEAD = """# {module}, written by docs/make_stubs.py from the code: run `make docs`.
# fmt: off
# ruff: noqa

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
"""
WRITTEN = {  # functions whose result has the form of an argument
    name: f"""@overload
def {name}({first}, wrt: Variable, {rest}) -> TensorVariable: ...
@overload
def {name}({first}, wrt: list[Any] | tuple[Any, ...], {rest}) -> list[TensorVariable]: ...
@overload
def {name}({first}, wrt: Mapping[Any, Any], {rest}) -> dict[Any, TensorVariable]: ..."""
    for name, first, rest in (
        ("grad", "cost: Any", "*args: Any, **options: Any"),
        ("jacobian", "expression: Any", "*args: Any, **options: Any"),
        ("hessian", "cost: Any", "*args: Any, **options: Any"),
    )
}


# ------------------------------------------------------------------------------------------ results, from examples


def kind_of(value: Any) -> str:
    """The annotation of a result."""
    if isinstance(value, Variable):
        return TENSOR
    if isinstance(value, (list, tuple)):
        kinds = sorted({kind_of(v) for v in value})
        if not kinds or len(kinds) > 1 or kinds == ["Any"]:
            return "Any"
        return f"list[{kinds[0]}]" if isinstance(value, list) else f"tuple[{kinds[0]}, ...]"
    if isinstance(value, (np.ndarray, np.generic)):
        return "NDArray[Any]"
    return type(value).__name__ if isinstance(value, (bool, int, float, str)) else "Any"


class Watched:
    """A function that remembers what it gives."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.kinds = function, set[str]()

    def __call__(self, *args: Any, **options: Any) -> Any:
        found = self.function(*args, **options)
        self.kinds.add(kind_of(found))
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)


def observed(module: ModuleType, name: str, function: Any) -> str:
    """The annotation of what a function gives in the examples of its docstring; Any where they differ."""
    watched = Watched(function)
    place = vars(module)
    names = [n for n, thing in place.items() if thing is function]
    place.update(dict.fromkeys(names, watched))
    try:
        text = inspect.getdoc(function) or ""
        known = {**vars(importlib.import_module(function.__module__)), function.__name__: watched}
        test = doctest.DocTestParser().get_doctest(text, known, name, None, 0)
        with eqsat.config.change_flags(mode="reference"):
            said: list[str] = []
            done = doctest.DocTestRunner(verbose=False).run(test, out=said.append, clear_globs=False)
    finally:
        place.update(dict.fromkeys(names, function))
    if done.failed:
        raise ValueError(f"{module.__name__}.{name}: an example of its docstring fails\n{''.join(said)}")
    return watched.kinds.pop() if len(watched.kinds) == 1 else "Any"


def result_of(module: ModuleType, name: str, function: Any) -> str:
    """The annotation of a result: of the function itself where it says one."""
    said = str(getattr(function, "__annotations__", {}).get("return", "Any"))
    if said in ("None", "bool", "int", "str", "float", "list[int]", "tuple[int, ...]"):
        return said
    return observed(module, name, function)


# -------------------------------------------------------------------------------------------------- declarations


def parameters_of(function: Any, skip_self: bool = False) -> str:
    """The parameters of a function as a stub has them: names and defaults, without types but those of defaults."""
    if isinstance(function, DeclaredOp) and not isinstance(function, FunctionType):
        names = function.declaration.tensors
        return ", ".join(f"{n}: TensorLike" for n in names) + (
            "" if not function.declaration.parameters else ", **parameters: Any"
        )
    parts: list[str] = []
    seen_star = False
    for p in list(inspect.signature(function).parameters.values())[1 if skip_self else 0 :]:
        if p.kind is p.KEYWORD_ONLY and not seen_star:
            parts.append("*")
            seen_star = True
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        seen_star |= star == "*"
        parts.append(f"{star}{p.name}: {annotation_of(p)}" + default_of(p))
        if p.kind is p.POSITIONAL_ONLY:
            parts.append("/")
    return ", ".join(parts)


def annotation_of(parameter: inspect.Parameter) -> str:
    """The annotation of a parameter where it needs no import."""
    said = str(parameter.annotation)
    plain = set(re.findall(r"\w+", said)) <= {"int", "float", "str", "bool", "None", "list", "tuple"}
    return said if plain and parameter.annotation is not parameter.empty else "Any"


def default_of(parameter: inspect.Parameter) -> str:
    """The default of a parameter, as it is written where that is short."""
    if parameter.default is parameter.empty:
        return ""
    short = isinstance(parameter.default, (bool, int, float, str)) or parameter.default is None
    return f" = {parameter.default!r}" if short and "inf" not in repr(parameter.default) else " = ..."


def function_lines(module: ModuleType, name: str, function: Any) -> str:
    """The declaration of a function."""
    if name in WRITTEN:
        return WRITTEN[name]
    result = TENSOR if declaration_of(function) else result_of(module, name, function)
    return f"def {name}({parameters_of(function)}) -> {result}: ..."


def method_lines() -> Iterator[str]:
    """The mix-in of tensors: operators and methods, with the results of the functions of the same name."""
    tensor = importlib.import_module("eqsat.tensor")
    members: dict[str, Any] = {}
    for kind in reversed((_tensor_py_operators, *_tensor_py_operators.__bases__)):
        members |= vars(kind)
    skipped = (
        "__module__",
        "__annotations__",
        "__annotate__",
        "__static_attributes__",
        "__firstlineno__",
        "__doc__",
        "__slots__",
        "__init_subclass__",
        "__dict__",
        "__weakref__",
    )
    yield "    type: TensorType"
    for name, member in sorted(members.items()):
        if name in skipped or name.startswith("_offered") or name == "type":
            continue
        yield from _member(tensor, name, member)


SPECIAL = {
    **dict.fromkeys(("__int__", "__index__", "__complex__", "__float__", "__len__", "__setitem__"), ""),  # which only raise
    "__iter__": "def __iter__(self) -> Iterator[TensorVariable]: ...",
    "__array_priority__": "__array_priority__: int",
    "eval": "def eval(self, inputs_to_values: Mapping[Any, Any] | None = ..., mode: Any = ...) -> NDArray[Any]: ...",
    "__array_ufunc__": "def __array_ufunc__(self, *args: Any, **options: Any) -> Any: ...",
    "__array_function__": "def __array_function__(self, *args: Any, **options: Any) -> Any: ...",
    "__array__": "def __array__(self, *args: Any, **options: Any) -> NDArray[Any]: ...",
    "nonzero": "def nonzero(self, return_matrix: bool = ...) -> tuple[TensorVariable, ...]: ...",
    "__divmod__": "def __divmod__(self, other: TensorLike) -> tuple[TensorVariable, TensorVariable]: ...",
    "__rdivmod__": "def __rdivmod__(self, other: TensorLike) -> tuple[TensorVariable, TensorVariable]: ...",
}  # fmt: skip


def _member(tensor: ModuleType, name: str, member: Any) -> Iterator[str]:
    if name in SPECIAL:
        yield from [f"    {SPECIAL[name]}"] if SPECIAL[name] else []
    elif isinstance(member, property):
        said = str(getattr(member.fget, "__annotations__", {}).get("return", "Any"))
        yield "    @property"
        yield f"    def {name}(self) -> {TENSOR if said == 'Any' else said}: ..."
    elif re.fullmatch(r"__\w+__", name) and list(inspect.signature(member).parameters) == ["self", "other"]:
        ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        yield f"    def {name}(self, other: TensorLike) -> {TENSOR}: ...{ignored}"
    elif isinstance(member, DeclaredOp):
        yield f"    def {name}(self, *operands: TensorLike) -> {TENSOR}: ..."
    elif callable(member):
        same = getattr(tensor, name, None)
        result = result_of(tensor, name, same) if isinstance(same, FunctionType) else ""
        said = str(getattr(member, "__annotations__", {}).get("return", "Any"))
        known = said if said in ("None", "int", "float", "str") else TENSOR
        inner = parameters_of(member, skip_self=True)
        yield f"    def {name}(self{', ' * bool(inner)}{inner}) -> {known if result in ('', 'Any') and name != 'get_scalar_constant_value' else result}: ..."


# ---------------------------------------------------------------------------------------------------------- files


TENSOR_HEAD = """from eqsat.graph.core import Apply as Apply, Constant as Constant, Op as Op, Result as Result, Type as Type, Variable as Variable
from eqsat.graph import tensor_type as _tensor_type
from eqsat.tensor import shared as _shared
from eqsat.tensor import basic as basic, fft as fft, nnet as nnet, random as random, signal as signal, xlogx as xlogx

TensorLike: TypeAlias = Variable | ArrayLike | Sequence[Any]

class TensorType(_tensor_type.TensorType):
    def __call__(self, name: str | None = ..., shape: Sequence[int | None] | None = ...) -> TensorVariable: ...

class _tensor_py_operators:
{methods}

class TensorVariable(_tensor_py_operators, Variable):  # type: ignore[misc]
    type: TensorType  # type: ignore[assignment]

class TensorConstant(TensorVariable, Constant):  # type: ignore[misc]
    type: TensorType  # type: ignore[assignment]

class TensorSharedVariable(TensorVariable):
    default_update: Any
    value: Any
    def get_value(self, borrow: bool = ..., return_internal_type: bool = ...) -> NDArray[Any]: ...
    def set_value(self, new_value: Any, borrow: bool = ...) -> None: ...
    def clone(self, name: str | None = ...) -> TensorSharedVariable: ...
    def zero(self) -> None: ...

class _LinearAlgebra:  # no ModuleType, which has any attribute
{linalg}

linalg: _LinearAlgebra
nlinalg: _LinearAlgebra
slinalg: _LinearAlgebra

def shared({shared}) -> TensorSharedVariable: ...
def constant({constant}) -> TensorConstant: ...
@overload
def ifelse(condition: TensorLike, then_branch: list[Any] | tuple[Any, ...], else_branch: Any, name: str | None = ...) -> list[TensorVariable]: ...
@overload
def ifelse(condition: TensorLike, then_branch: TensorLike, else_branch: TensorLike, name: str | None = ...) -> TensorVariable: ...
"""


FACADE_HEAD = """import eqsat
{modules}
from eqsat import errors as errors, graph as graph, gradient as gradient, tensor as tensor
from eqsat.base.configuration import Config
from eqsat.functions import profile as profile
from eqsat.functions.function import Function as _Function
from eqsat.graph.core import Variable as Result
from eqsat.graph.updates import OrderedUpdates
from eqsat.graph.user_op import GenericType
from eqsat.inspect import drawing as drawing, report as report
from eqsat.pipeline import modes as modes
from eqsat.scan import _ScanModule
from eqsat.tensor import TensorLike, TensorType as TensorType, TensorVariable, grad as grad, ifelse as ifelse, shared as shared
from typing import Generic, Literal, TypeVar

__version__: str
generic: GenericType
Results = TypeVar("Results")

class _Flags(Config):
{flags}

config: _Flags

class Function(_Function, Generic[Results]):
    def __call__(self, *args: Any, **keywords: Any) -> Results: ...

{functions}

class _Scan(_ScanModule):
{scans}

scan: _Scan
{loops}

@overload
def dprint({printed_to}) -> str: ...
@overload
def dprint({printed}) -> None: ...
"""


def module_line(name: str, place: str) -> str:
    """The import of a module that the facade offers."""
    parent, _, last = place.rpartition(".")
    return f"from {parent} import {last} as {name}"


def facade_head() -> str:
    """The parts of the stub of eqsat that are written at more length: compiled functions by their outputs, loops, flags."""
    kinds = {"Variable | float": "NDArray[Any]", "list[Any] | tuple[Any, ...]": "list[NDArray[Any]]", "Out": "Any", "Mapping[Any, Any]": "dict[Any, NDArray[Any]]"}  # fmt: skip
    whole = parameters_of(eqsat.function)
    functions = [
        f"@overload\ndef function({whole.replace('outputs: Any = None, ', f'outputs: {kind}, ')}) -> Function[{result}]: ..."
        for kind, result in kinds.items()
    ]
    functions.append(
        f"@overload\ndef function({whole.replace('outputs: Any = None', 'outputs: None = None')}) -> Function[None]: ..."
    )
    flags = [f"    {flag.name}: {type(flag.default).__name__ if type(flag.default) in (int, float, str, bool) else 'Any'}" for flag in FLAGS.values()]  # fmt: skip
    scans = list(loops_of("__call__", eqsat.scan.scan, "    ", "self, "))
    loops = [
        line for name in ("map", "reduce", "foldl", "foldr") for line in loops_of(name, getattr(eqsat, name))
    ]
    printed = parameters_of(eqsat.dprint)
    printed_to = printed.replace(", file: Any = None, *", ', *, file: Literal["str"]')
    modules = [module_line(name, place) for name, place in eqsat._LATER.items() if ":" not in place]
    return FACADE_HEAD.format(
        modules="\n".join(modules),
        flags="\n".join(flags),
        functions="\n".join(functions),
        scans="\n".join(scans),
        loops="\n".join(loops),
        printed=printed,
        printed_to=printed_to,
    )


def loops_of(name: str, function: Any, margin: str = "", first: str = "") -> Iterator[str]:
    """A loop by the function that it calls: by its number of arguments, which tells what those of a lambda are, and its results."""
    text = parameters_of(function)
    for count, (gives, result) in product(range(MOST_ARGUMENTS, -1, -1), RESULTS.items()):
        operands = f"[{', '.join([TENSOR] * count)}]"
        inner = text.replace("fn: Any", f"fn: Callable[{operands}, {gives}]", 1)
        yield f"{margin}@overload\n{margin}def {name}({first}{inner}) -> tuple[{result}, OrderedUpdates]: ..."
    inner = text.replace("fn: Any", "fn: Callable[..., Any]", 1)
    yield f"{margin}@overload\n{margin}def {name}({first}{inner}) -> tuple[Any, OrderedUpdates]: ..."


def stub_of(path: str) -> str:
    """The text of a stub."""
    module = importlib.import_module(path)
    lines = [HEAD.format(module=path)]
    names = [n for n in module.__all__ if not isinstance(getattr(module, n), ModuleType)]
    if path == "eqsat":
        lines.append(facade_head())
    elif path == "eqsat.tensor":
        lines.append(tensor_head(module))
    else:
        lines.append("from eqsat.tensor import TensorLike as TensorLike, TensorVariable as TensorVariable\n")
        inner = [n for n in module.__all__ if isinstance(getattr(module, n), ModuleType)]
        lines.append(f"from {path} import {', '.join(f'{n} as {n}' for n in inner)}\n")
    pairs = re.findall(r"^(?:def|class) (\w+)|\bas (\w+)|^(\w+):", "\n".join(lines), re.M)
    written = {name for pair in pairs for name in pair}
    for name in sorted(set(names) - written - {"_tensor_py_operators"}):
        thing = getattr(module, name)
        lines.append(declaration(module, name, thing) if path != "eqsat" else imported(name, thing))
    lines.append(f"\n__all__ = {module.__all__!r}")
    return "\n".join(lines) + "\n"


def imported(name: str, thing: Any) -> str:
    """A name of the facade from its home."""
    return f"from {thing.__module__} import {thing.__name__} as {name}"


def functions_of(path: str) -> Iterator[str]:
    """The functions of a module as methods of a class."""
    module = importlib.import_module(path)
    for name in module.__all__:
        thing = getattr(module, name)
        if isinstance(thing, type):
            yield f"    {name}: type[Any]"
        else:
            yield f"    @staticmethod\n    {declaration(module, name, thing)}"


def tensor_head(module: Any) -> str:
    """The parts of the stub of eqsat.tensor that are written at more length: classes, constants, shared variables."""
    return TENSOR_HEAD.format(
        methods="\n".join(method_lines()),
        linalg="\n".join(functions_of("eqsat.tensor.linalg")),
        shared=parameters_of(module.shared),
        constant=parameters_of(module.constant),
    )


def declaration(module: ModuleType, name: str, thing: Any) -> str:
    """The line of one name."""
    if isinstance(thing, TensorType):
        return f"{name}: TensorType"
    if name in RANKS:
        return f"def {name}(name: str | None = ..., dtype: Any = ..., shape: Any = ...) -> {TENSOR}: ..."
    if name in PLURALS.values() or name[:1] in LETTERS and name[1:] in PLURALS.values():
        return f"def {name}(*names: Any, dtype: Any = ..., shape: Any = ...) -> list[{TENSOR}]: ..."
    if isinstance(thing, type):
        return f"from {thing.__module__} import {thing.__name__} as {name}"
    if isinstance(thing, DeclaredOp) or callable(thing) and hasattr(thing, "__name__"):
        return function_lines(module, name, thing)
    return f"{name}: Any"


def file_of(path: str) -> Path:
    """The file of a module's stub."""
    return ROOT / path.replace(".", "/") / "__init__.pyi"


def main() -> None:
    """Write all stubs."""
    for path in MODULES:
        text = stub_of(path)
        file_of(path).write_text(text, encoding="utf-8")
        print(f"{file_of(path).relative_to(ROOT)}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
