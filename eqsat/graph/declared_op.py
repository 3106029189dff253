"""A declaration with its parameters fixed: the op that is applied to variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.errors import ArgumentError, AxisError, DeclarationError, EqsatError
from eqsat.graph.constant import as_tensor, beside, cast_to, weak_tensors
from eqsat.graph.core import Apply, Op, Variable
from eqsat.graph.dtypes import promote
from eqsat.graph.elementwise import MOST_PLANS, Plan, check_lengths, dtypes_of, elemwise_node, variable_of
from eqsat.graph.operand_names import named
from eqsat.graph.parameters import AXES, AXIS, parameter_text
from eqsat.graph.shapes import (
    check_promised,
    check_values,
    fitted,
    no_promised_shape,
    reads_values,
    result_types,
)
from eqsat.graph.tensor_type import TensorType

if TYPE_CHECKING:
    from eqsat.graph.declare import Declaration


def documented(declaration: Declaration) -> str:
    """The docstring of an op, with its signature, before examples, where it says nothing of shapes itself."""
    shapes = declaration.shapes
    if declaration.kind == "elemwise" or shapes is None or "Shapes " in declaration.doc:
        return declaration.doc
    pairs = zip(declaration.tensors, shapes.operands, strict=True)
    said = ", ".join(f"{name}: {axes}" for name, axes in pairs)
    prose, mark, example = declaration.doc.partition("\n>>> ")
    told = f"{prose.rstrip()}\n\nShapes   {said} -> {', '.join(map(str, shapes.results))}"
    return f"{told}\n{mark}{example}" if mark else told


class DeclaredOp(Op):
    """A declaration with its parameters fixed."""

    def __init__(self, declaration: Declaration, values: tuple[Any, ...]) -> None:
        self.declaration = declaration
        self.values = values
        self.name = declaration.name
        self.__doc__ = documented(declaration)
        self.params = dict(zip(declaration.parameters, values, strict=True))
        self.plans: dict[tuple[Any, ...], Plan] = {}
        self.kinds: dict[tuple[Any, ...], list[TensorType]] = {}  # of results, by the types of the operands
        self._hash = hash((declaration.name, values))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, DeclaredOp)
            and self.declaration.name == other.declaration.name
            and self.values == other.values
        )

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        from eqsat.graph.declare import find_op

        return (find_op, (self.declaration.name, self.values))

    def __str__(self) -> str:
        kinds = self.declaration.parameters.values()
        said = [(kind.text or parameter_text)(v) for kind, v in zip(kinds, self.values, strict=True)]
        return self.name + ("{" + ", ".join(filter(None, said)) + "}" if any(said) else "")

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if keywords:
            args = tuple(self._by_name(args, keywords))
        if len(args) not in (0, 2) and self.declaration.associative:
            return self._folded(args)
        for arg in args:
            if hasattr(type(arg), "_apply_op"):  # of a variable the answer would be an error with close names
                return arg._apply_op(self, args)
        outputs = self.make_node(*args).outputs
        return outputs[0] if self.declaration.outputs == 1 else list(outputs)

    def _by_name(self, args: Sequence[Any], keywords: dict[str, Any]) -> list[Any]:
        """Operands of which some are given by the names that the op has for them."""
        declaration = self.declaration
        names = [] if declaration.variadic else list(declaration.tensors)[len(args) :]
        for name in keywords:
            if name not in names:
                text = f"{self.name}() got an unexpected keyword argument {name!r}"
                raise ArgumentError(text, among=(name, names), keyword=name)
        return [*args, *(keywords[name] for name in names if name in keywords)]

    def _folded(self, args: Sequence[Any]) -> Any:
        """An associative op of one operand or of many: two at a time from the left, in the dtype that holds them all."""
        if not any(hasattr(type(arg), "_apply_op") for arg in args):
            first, *rest = self._tensors(args)
            args = [cast_to(first, promote(*(v.type.dtype for v in (first, *rest)))), *rest]
        return reduce(self, args)

    def make_node(self, *args: Any) -> Apply:
        declaration = self.declaration
        if not declaration.variadic and len(args) != len(declaration.tensors):
            raise ArgumentError(
                f"{self} takes {len(declaration.tensors)} tensors, got {len(args)}", op=self.name
            )
        inputs = self._tensors(args)
        if declaration.kind == "elemwise":
            return elemwise_node(self, inputs)
        types = tuple([v.type for v in inputs])
        known = self.kinds.get(types)
        if known is None:
            inputs, known = self._typed(inputs)
            if declaration.infer is result_types and not reads_values(declaration.shapes):
                self._remember(types, inputs, known)
        return Apply(self, inputs, [variable_of(kind) for kind in known])

    def _typed(self, inputs: list[Any]) -> tuple[list[Any], list[TensorType]]:
        """Operands as the op takes them, and the types of its results."""
        declaration = self.declaration
        assert declaration.infer is not None, declaration.name
        if declaration.signature:
            wanted, _ = dtypes_of(self, inputs)
            inputs = [cast_to(v, d) for v, d in zip(inputs, wanted, strict=True)]
        if declaration.shapes is not None and not declaration.shapes.takes_any:
            inputs = fitted(self, inputs)
        out = declaration.infer(self, *inputs)
        self._check_axes(inputs)
        return inputs, [out] if declaration.outputs == 1 else list(out)

    def _check_axes(self, inputs: Sequence[Any]) -> None:
        """Refuse a parameter that names an axis which the first operand has not."""
        for name, kind in self.declaration.parameters.items():
            value = self.params[name]
            axes = value if kind is AXES else (value,) if kind is AXIS else ()
            if any(axis >= inputs[0].type.ndim for axis in axes):
                raise AxisError(f"{self}: the operand lacks an axis of these", operands=named(self, inputs))

    def _remember(self, types: tuple[Any, ...], inputs: Sequence[Any], kinds: list[TensorType]) -> None:
        """Keep the types of results for operands that need no cast and no new axes."""
        if len(self.kinds) >= MOST_PLANS:
            self.kinds.clear()
        if tuple([v.type for v in inputs]) == types:
            self.kinds[types] = kinds

    def _tensors(self, args: Sequence[Any]) -> list[Any]:
        """Operands as tensors; the error for one that is none names the op."""
        try:
            if self.declaration.kind == "elemwise" and config.weak_scalars:
                return weak_tensors(args)
            if weak := self.declaration.weak:
                first = as_tensor(args[0])
                return [
                    beside(arg, first) if name in weak else as_tensor(arg)
                    for name, arg in zip(self.declaration.tensors, args, strict=False)
                ]
            return [as_tensor(arg) for arg in args]
        except EqsatError as error:
            raise type(error)(
                f"{self.name}: {error.message}", operands=error.operands, needs=error.needs, hint=error.hint
            ) from None

    def result_dtypes(self, inputs: Sequence[Any]) -> Sequence[str]:
        """The dtype of each result; that of the first operand where nothing else is declared."""
        if self.declaration.signature:
            return dtypes_of(self, inputs)[1]
        return [inputs[0].type.dtype] * self.declaration.outputs

    def compute(self, *values: Any) -> Any:
        """The meaning of the op on NumPy arrays, a tuple where it has several results."""
        with np.errstate(all="ignore"):
            return self.declaration.meaning(*values, **self.params)

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        if self.declaration.kind == "elemwise" and len(inputs) > 1:
            check_lengths(node, inputs)
        else:
            check_values(node, inputs)
            if self.declaration.check is not None:
                self.declaration.check(node, inputs)
        results = self.compute(*inputs)
        count = self.declaration.outputs
        if count == 1:
            results = (results,)
        elif not isinstance(results, (tuple, list)) or len(results) != count:
            raise DeclarationError(f"{self.name}: its function gives {results!r}", needs=f"{count} results")
        for variable, value, box in zip(node.outputs, results, output_storage, strict=True):
            kind: Any = variable.type
            result = np.asarray(value)
            if result.dtype != kind.dtype:
                result = result.astype(kind.dtype)
            if result.ndim != kind.ndim:
                raise no_promised_shape(node, (None,) * kind.ndim, result.shape)
            box[0] = result
        if self.of_user:
            check_promised(node, inputs, [box[0].shape for box in output_storage])

    @cached_property
    def of_user(self) -> bool:
        """True for a view or block that no target builds: its function, or C text of its own, may give what it does not promise."""
        d = self.declaration
        return d.kind != "elemwise" and not (d.builder or d.kernels or d.reduction)

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Sequence[Any]:
        raise NotImplementedError("declared ops are differentiated by eqsat.gradient")
