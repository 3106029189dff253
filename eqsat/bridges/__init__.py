"""Graphs of other libraries as graphs of eqsat; a module is loaded when it is used first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eqsat.base.names import late_names

if TYPE_CHECKING:
    from eqsat.bridges.sympy import from_sympy, lambdify, to_sympy


def from_pytensor(outputs: Any, inputs: Any = None) -> Any:
    """The graph of a PyTensor variable, or of a list of them, as variables of eqsat; see ``eqsat.bridges.pytensor.from_pytensor``."""
    from eqsat.bridges.pytensor import from_pytensor as translated

    return translated(outputs, inputs)


def from_jax(fn: Any, *examples: Any, opaque: bool = True) -> Any:
    """The graph of a function of JAX for arguments like the examples; see ``eqsat.bridges.jax.from_jax``."""
    from eqsat.bridges.jax import from_jax as translated

    return translated(fn, *examples, opaque=opaque)


def from_onnx(model: Any, constants: Any = None, opaque: bool = True) -> Any:
    """A model of ONNX, a path or what ``onnx.load`` gives, as variables of eqsat; see ``eqsat.bridges.onnx.from_onnx``."""
    from eqsat.bridges.onnx import from_onnx as translated

    return translated(model, constants, opaque)


def from_torch(program: Any, opaque: bool = True) -> Any:
    """A program that ``torch.export.export`` gave as variables of eqsat; see ``eqsat.bridges.torch.from_torch``."""
    from eqsat.bridges.torch import from_torch as translated

    return translated(program, opaque)


def to_onnx(f: Any, path: Any = None, inputs: Any = None) -> Any:
    """A compiled function, or outputs, as a model of ONNX, which is saved where a path is given.

    Of a function the graph is the one that was chosen, of outputs the one as written; ``inputs`` are then the variables without a
    value, in the order of their use, unless they are given. Shared variables are constants of the model, with their values now.
    The model is checked by ``onnx.checker``.

    Errors   ArgumentError for an op that ONNX does not have, with its name and the line that made it, and for a function that updates
             variables; EqsatWarning for ops that are written in a form that keeps fewer digits

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.TensorType("float32", shape=(None, 3))("x")
    >>> model = eqsat.to_onnx(T.softmax(T.exp(x), axis=1), "model.onnx")  # doctest: +SKIP
    >>> [node.op_type for node in model.graph.node]  # doctest: +SKIP
    ['Exp', 'Softmax', 'Identity']
    """
    from eqsat.bridges.onnx import to_onnx as written

    return written(f, path, inputs)


_SYMPY = ("from_sympy", "lambdify", "to_sympy")

__all__ = ["from_jax", "from_onnx", "from_pytensor", "from_torch", "to_onnx", *_SYMPY]

late_names(__name__, {name: f"eqsat.bridges.sympy:{name}" for name in _SYMPY})
