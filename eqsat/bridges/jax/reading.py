"""Jaxprs as bridges read them: equations as nodes, types, constants, and primitives that JAX itself runs.

A key of a random generator is the vector of its words: an array of keys has one axis more here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.extend import core

from eqsat.base.values import dataclass
from eqsat.graph.core import Type, Variable
from eqsat.graph.dtypes import ALL
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.user_op import generic


@dataclass(frozen=True, eq=False)
class Known:
    """A number of a jaxpr, or an array that it closes over."""

    aval: Any
    value: Any


class Primitive:
    """A primitive with its parameters."""

    def __init__(self, equation: Any) -> None:
        self.op_name: str = equation.primitive.name
        self.primitive = equation.primitive
        self.params: dict[str, Any] = equation.params


class Equation:
    """An equation of a jaxpr as a node."""

    def __init__(self, equation: Any) -> None:
        self.op = Primitive(equation)
        self.inputs = [operand(v) for v in equation.invars]
        self.outputs = list(equation.outvars)
        stack = getattr(equation.source_info.name_stack, "stack", ())
        self.within = "/".join(
            s.name for s in stack if type(s).__name__ == "Scope"
        )  # not those of transforms


def operand(v: Any) -> Any:
    """A variable of a jaxpr as it is; a number as what can be the key of a dict."""
    return Known(v.aval, v.val) if isinstance(v, core.Literal) else v


def is_key(dtype: Any) -> bool:
    """True for the dtype of keys of a random generator."""
    return bool(jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key))


class JaxReader:
    """Reads variables and equations of a jaxpr."""

    library = "jax"

    def type_of(self, variable: Any) -> Type | None:
        """The type of an array of a dtype that eqsat has, or of the words of keys."""
        dtype, shape = getattr(variable.aval, "dtype", None), getattr(variable.aval, "shape", ())
        if dtype is None:
            return None
        if is_key(dtype):
            return TensorType("uint32", shape=(*shape, *dtype._impl.key_shape))
        name = np.dtype(dtype).name
        return TensorType(name, shape=tuple(shape)) if name in ALL else None

    def constant(self, variable: Any) -> Variable | None:
        """A number, or an array that the function closes over."""
        if not isinstance(variable, Known):
            return None
        kind = self.type_of(variable)
        if not isinstance(kind, TensorType):
            return generic.make_constant(variable.value)
        return kind.make_constant(plain(variable.value, kind))

    def name_of(self, variable: Any) -> str | None:
        """None: variables of a jaxpr have no names."""
        return None

    def run(self, node: Any, values: Sequence[Any]) -> Sequence[Any]:
        """The results, by JAX, with the widths of dtypes that the equation has."""
        given = [theirs(v, x) for v, x in zip(node.inputs, values, strict=True)]
        with jax.enable_x64(any(_wide(v) for v in [*node.inputs, *node.outputs])):
            bound = node.op.primitive.get_bind_params(node.op.params)
            functions, params = bound if isinstance(bound, tuple) else ((), bound)  # as versions have it
            found = node.op.primitive.bind(*functions, *given, **params)
        many = found if node.op.primitive.multiple_results else [found]
        return [plain(x, self.type_of(v)) for v, x in zip(node.outputs, many, strict=True)]


def _wide(v: Any) -> bool:
    dtype = getattr(v.aval, "dtype", None)
    return (
        dtype is not None
        and not is_key(dtype)
        and np.dtype(dtype).name in ("int64", "uint64", "float64", "complex128")
    )


def plain(value: Any, kind: Type | None) -> Any:
    """A value of JAX as an array of NumPy, keys as their words; what is no tensor here as it is."""
    if not isinstance(kind, TensorType):
        return value
    if is_key(getattr(value, "dtype", np.dtype(bool))):
        value = jax.random.key_data(value)
    return np.asarray(value, kind.dtype)


def theirs(variable: Any, value: Any) -> Any:
    """A value here as one of JAX for a variable of a jaxpr."""
    dtype = getattr(variable.aval, "dtype", None)
    if dtype is not None and is_key(dtype):
        return jax.random.wrap_key_data(value, impl=dtype._impl.name)
    return value


READER = JaxReader()


def translated(t: Any, closed: Any, given: Sequence[Any]) -> list[Any]:
    """The results of a closed jaxpr, or of a jaxpr without constants, over variables of eqsat."""
    jaxpr = getattr(closed, "jaxpr", closed)
    constants = [
        t.reader.constant(Known(v.aval, c))
        for v, c in zip(jaxpr.constvars, getattr(closed, "consts", ()), strict=True)
    ]
    nodes = [Equation(e) for e in jaxpr.eqns]
    inputs, outputs = [*jaxpr.constvars, *jaxpr.invars], [operand(v) for v in jaxpr.outvars]
    return t.graph(nodes, inputs, outputs, [*constants, *given])  # type: ignore[no-any-return]


def traced(t: Any, function: Any, avals: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """The results of a function of JAX over variables of eqsat, by its jaxpr for arrays like these."""
    examples = [jax.ShapeDtypeStruct(tuple(a.shape), a.dtype) for a in avals]
    return translated(t, jax.make_jaxpr(function)(*examples), given)
