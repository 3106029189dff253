# eqsat, written by docs/make_stubs.py from the code: run `make docs`.
# fmt: off
# ruff: noqa

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

import eqsat
from eqsat import bridges as bridges
from eqsat import compat as compat
from eqsat.rules import conditions as conditions
from eqsat import costs as costs
from eqsat import cuda as cuda
from eqsat import debug as debug
from eqsat import export as export
from eqsat import extract as extract
from eqsat import optim as optim
from eqsat import printing as printing
from eqsat import rounding as rounding
from eqsat import rules as rules
from eqsat import tracing as tracing
from eqsat import verify as verify
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
    floatX: str
    autocast_float: str
    weak_scalars: bool
    mode: str
    variables_are_true: bool
    compare_dtype: str
    egraph_seconds: float
    egraph_nodes: int
    extract_seconds: float
    cache: bool
    cache_dir: str
    compile_seconds: float
    cc: str
    profile: bool
    openmp: bool
    threads: str
    blas_threads: str
    memory_bound: Any
    variants: int
    cost_model: str
    target: str
    cuda_device: str
    cuda_arch: str
    cuda_graphs: str
    cuda_atomics: str
    cuda_blas: str
    default_length: int

config: _Flags

class Function(_Function, Generic[Results]):
    def __call__(self, *args: Any, **keywords: Any) -> Results: ...

@overload
def function(inputs: Any, outputs: Variable | float, updates: Any = None, givens: Any = None, mode: Any = None, on_unused_input: str = 'raise', allow_input_downcast: bool | None = None, name: str | None = None, rules: Any = None, model: Any = None, no_default_updates: Any = False, profile: bool | None = None, output_keys: Any = None, shape_hints: Any = None, variants: int | str | None = None, target: str | None = None) -> Function[NDArray[Any]]: ...
@overload
def function(inputs: Any, outputs: list[Any] | tuple[Any, ...], updates: Any = None, givens: Any = None, mode: Any = None, on_unused_input: str = 'raise', allow_input_downcast: bool | None = None, name: str | None = None, rules: Any = None, model: Any = None, no_default_updates: Any = False, profile: bool | None = None, output_keys: Any = None, shape_hints: Any = None, variants: int | str | None = None, target: str | None = None) -> Function[list[NDArray[Any]]]: ...
@overload
def function(inputs: Any, outputs: Out, updates: Any = None, givens: Any = None, mode: Any = None, on_unused_input: str = 'raise', allow_input_downcast: bool | None = None, name: str | None = None, rules: Any = None, model: Any = None, no_default_updates: Any = False, profile: bool | None = None, output_keys: Any = None, shape_hints: Any = None, variants: int | str | None = None, target: str | None = None) -> Function[Any]: ...
@overload
def function(inputs: Any, outputs: Mapping[Any, Any], updates: Any = None, givens: Any = None, mode: Any = None, on_unused_input: str = 'raise', allow_input_downcast: bool | None = None, name: str | None = None, rules: Any = None, model: Any = None, no_default_updates: Any = False, profile: bool | None = None, output_keys: Any = None, shape_hints: Any = None, variants: int | str | None = None, target: str | None = None) -> Function[dict[Any, NDArray[Any]]]: ...
@overload
def function(inputs: Any, outputs: None = None, updates: Any = None, givens: Any = None, mode: Any = None, on_unused_input: str = 'raise', allow_input_downcast: bool | None = None, name: str | None = None, rules: Any = None, model: Any = None, no_default_updates: Any = False, profile: bool | None = None, output_keys: Any = None, shape_hints: Any = None, variants: int | str | None = None, target: str | None = None) -> Function[None]: ...

class _Scan(_ScanModule):
    @overload
    def __call__(self, fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[TensorVariable, OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[list[TensorVariable], OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[TensorVariable, OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[list[TensorVariable], OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[TensorVariable, OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[list[TensorVariable], OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[TensorVariable, TensorVariable], TensorVariable], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[TensorVariable, OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[list[TensorVariable], OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[TensorVariable], TensorVariable], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[TensorVariable, OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[list[TensorVariable], OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[], TensorVariable], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[TensorVariable, OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[[], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[list[TensorVariable], OrderedUpdates]: ...
    @overload
    def __call__(self, fn: Callable[..., Any], sequences: Any = None, outputs_info: Any = None, non_sequences: Any = None, n_steps: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, profile: Any = False, allow_gc: Any = None, strict: bool = False, return_list: bool = False, checkpoint: int | bool | None = None) -> tuple[Any, OrderedUpdates]: ...

scan: _Scan
@overload
def map(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def map(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def map(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def map(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def map(fn: Callable[[TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def map(fn: Callable[[TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def map(fn: Callable[[TensorVariable, TensorVariable], TensorVariable], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def map(fn: Callable[[TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def map(fn: Callable[[TensorVariable], TensorVariable], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def map(fn: Callable[[TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def map(fn: Callable[[], TensorVariable], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def map(fn: Callable[[], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def map(fn: Callable[..., Any], sequences: Any, non_sequences: Any = None, truncate_gradient: int = -1, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[Any, OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def reduce(fn: Callable[[], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def reduce(fn: Callable[..., Any], sequences: Any, outputs_info: Any, non_sequences: Any = None, go_backwards: bool = False, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[Any, OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldl(fn: Callable[[], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldl(fn: Callable[..., Any], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[Any, OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable, TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable, TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable, TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable, TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable, TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[TensorVariable], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[], TensorVariable], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[TensorVariable, OrderedUpdates]: ...
@overload
def foldr(fn: Callable[[], list[TensorVariable] | tuple[TensorVariable, ...]], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[list[TensorVariable], OrderedUpdates]: ...
@overload
def foldr(fn: Callable[..., Any], sequences: Any, outputs_info: Any, non_sequences: Any = None, mode: Any = None, name: str | None = None, return_list: bool = False) -> tuple[Any, OrderedUpdates]: ...

@overload
def dprint(obj: Any, ids: bool | str = True, print_type: bool = False, depth: int | None = None, *, file: Literal["str"], print_shape: bool = False, print_destroy_map: bool = False, print_view_map: bool = False, stop_on_name: bool = False) -> str: ...
@overload
def dprint(obj: Any, ids: bool | str = True, print_type: bool = False, depth: int | None = None, file: Any = None, *, print_shape: bool = False, print_destroy_map: bool = False, print_view_map: bool = False, stop_on_name: bool = False) -> None: ...

from eqsat.graph.core import Apply as Apply
from eqsat.inspect.comparison.comparison import Comparison as Comparison
from eqsat.graph.core import Constant as Constant
from eqsat.graph.fgraph import FunctionGraph as FunctionGraph
from eqsat.functions.arguments import In as In
from eqsat.graph.core import Op as Op
from eqsat.graph.control.op_from_graph import OpFromGraph as OpFromGraph
from eqsat.graph.updates import OrderedUpdates as OrderedUpdates
from eqsat.functions.arguments import Out as Out
from eqsat.graph.core import Type as Type
from eqsat.graph.core import Variable as Variable
from eqsat.research.ablation import ablate as ablate
from eqsat.rounding.measure import accuracy as accuracy
from eqsat.graph.user_op import as_op as as_op
from eqsat.graph.tools import clone_replace as clone
from eqsat.graph.tools import clone_replace as clone_replace
from eqsat.inspect.comparison.comparison import compare as compare
from eqsat.research.derivation import derive as derive
from eqsat.research.discovery import discover as discover
from eqsat.research.equality import equal as equal
from eqsat.bridges.egglog import from_egglog as from_egglog
from eqsat.bridges.rules.imported import import_rules as import_rules
from eqsat.tracing.jitted import jit as jit
from eqsat.bridges.sympy.compiled import lambdify as lambdify
from eqsat.rules.metavars import metaaxes as metaaxes
from eqsat.rules.metavars import metaconstants as metaconstants
from eqsat.rules.metavars import metavars as metavars
from eqsat.research.minimal import minimise as minimise
from eqsat.base.scopes import name_scope as name_scope
from eqsat.optimise import optimize as optimize
from eqsat.printing.line import pp as pp
from eqsat.inspect.rule_profile import profile_rules as profile_rules
from eqsat.frontends.rewrite_graph import rewrite_graph as rewrite_graph
from eqsat.rules.public import rule as rule
from eqsat.scan.checkpoints import scan_checkpoints as scan_checkpoints
from eqsat.bridges import to_onnx as to_onnx
from eqsat.tracing.gradients import value_and_grad as value_and_grad
from eqsat.graph.tools import vectorize as vectorize
from eqsat.graph.tools import vectorize_graph as vectorize_graph
from eqsat.graph.user_op import as_op as wrap_py

__all__ = ['Apply', 'Comparison', 'Constant', 'Function', 'FunctionGraph', 'In', 'Op', 'OpFromGraph', 'OrderedUpdates', 'Out', 'Result', 'TensorType', 'Type', 'Variable', 'ablate', 'accuracy', 'as_op', 'clone', 'clone_replace', 'compare', 'config', 'conditions', 'derive', 'discover', 'dprint', 'equal', 'foldl', 'foldr', 'from_egglog', 'function', 'generic', 'grad', 'ifelse', 'import_rules', 'jit', 'lambdify', 'map', 'metaaxes', 'metaconstants', 'metavars', 'minimise', 'name_scope', 'optim', 'optimize', 'pp', 'printing', 'profile_rules', 'reduce', 'rewrite_graph', 'rule', 'rules', 'scan', 'scan_checkpoints', 'shared', 'tensor', 'to_onnx', 'value_and_grad', 'vectorize', 'vectorize_graph', 'verify', 'wrap_py']
