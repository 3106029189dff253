"""Ops of the user from a Python function, and the check of operands against the types an op lists."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from eqsat.errors import ArgumentError, DTypeError, EqsatError
from eqsat.graph.constant import as_tensor
from eqsat.graph.core import Apply, Constant, Op, Type, Variable
from eqsat.graph.declare import OPS, forget_op, structural
from eqsat.graph.tensor_type import TensorType


def typed_inputs(op: Op, inputs: Sequence[Any], kinds: Sequence[Type]) -> list[Any]:
    """Operands of an op in the types it asks for; numbers and arrays become constants.

    Errors   ArgumentError for another number of operands; DTypeError for an operand of another type
    """
    if len(inputs) != len(kinds):
        raise ArgumentError(
            f"{op} takes {len(kinds)} operands, got {len(inputs)}",
            needs=", ".join(kind.short() for kind in kinds) or None,
        )
    return [_typed(op, k, kind, value) for k, (kind, value) in enumerate(zip(kinds, inputs, strict=True))]


def _typed(op: Op, k: int, kind: Type, value: Any) -> Any:
    if not isinstance(value, Variable):
        try:
            value = kind.make_constant(value)
        except EqsatError as error:
            raise type(error)(f"{op}: operand {k}: {error.message}", needs=error.needs) from None
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"{op}: operand {k}: {error}") from None
    elif not kind.is_super(value.type):
        value = _fitting_constant(kind, value)
    if not kind.is_super(value.type):
        hint = f"x.astype({kind.dtype!r})" if isinstance(kind, TensorType) else None
        raise DTypeError(
            f"{op}: operand {k} is {value.type.short()}, not {kind.short()}",
            operands=[(value.name or f"operand {k}", value)],
            needs=kind.short(),
            hint=hint,
        )
    return value


def _fitting_constant(kind: Type, value: Variable) -> Variable:
    """A constant as the type stores it, where no value changes; other variables as they are."""
    if not isinstance(value, Constant):
        return value
    try:
        return kind.make_constant(kind.filter(value.data, allow_downcast=False), value.name)
    except (TypeError, ValueError):
        return value


class GenericType(Type):
    """Any Python object; it is neither checked nor copied.

    >>> import eqsat
    >>> f = eqsat.function([eqsat.generic("x")], 1, on_unused_input="ignore")
    >>> f({"any": "object"})
    array(1, dtype=int8)
    """

    __slots__ = ()
    __props__: ClassVar[tuple[str, ...] | None] = ()

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        return value

    def __repr__(self) -> str:
        return "<Generic>"

    def short(self) -> str:
        return "any Python object"


generic = GenericType()


class FromFunctionOp(Op):
    """An op that calls a Python function of the values; equal where function and types are."""

    __props__ = ("function", "itypes", "otypes")

    def __init__(
        self,
        function: Callable[..., Any],
        itypes: Sequence[Type],
        otypes: Sequence[Type],
        infer_shape: Callable[..., Any] | None = None,
    ) -> None:
        self.function = function
        self.itypes: tuple[Type, ...] = tuple(itypes)
        self.otypes: tuple[Type, ...] = tuple(otypes)
        self.name = getattr(function, "__name__", type(function).__name__)
        if infer_shape is not None:
            self.infer_shape = infer_shape

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        results = self.function(*inputs)
        if len(self.otypes) == 1:
            results = (results,)
        elif not isinstance(results, (tuple, list)) or len(results) != len(self.otypes):
            raise ArgumentError(
                f"{self}: the function gives {results!r}", needs=f"{len(self.otypes)} results"
            )
        for box, value in zip(output_storage, results, strict=True):
            box[0] = value

    def __reduce__(self) -> Any:
        """The function goes by its name, under which the decorator may have put this op."""
        place = f"{getattr(self.function, '__module__', '')}:{getattr(self.function, '__qualname__', '')}"
        if _named_object(place) is self:
            return (_named_object, (place,))
        try:
            pickle.dumps(self.function)
        except Exception:
            raise ArgumentError(
                f"{self} cannot be pickled: no module has its function under {place}",
                hint="decorate a function at the top of a module",
            ) from None
        return (FromFunctionOp, (self.function, self.itypes, self.otypes, vars(self).get("infer_shape")))


def _named_object(place: str) -> Any:
    """The object of a module under ``module:qualified.name``; None where there is nothing."""
    import importlib

    module, _, path = place.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        return None
    return found


def as_op(
    itypes: Any = None,
    otypes: Any = None,
    infer_shape: Callable[..., Any] | None = None,
    *,
    signature: str | None = None,
    **facts: Any,
) -> Callable[..., Any]:
    """Decorator that makes an op of a function of values; old name ``wrap_py``.

    With a ``signature`` of its shapes, as ``(n,k),(k)->(n)``, the op is one that rules see. ``facts`` are the other fields of
    ``eqsat.graph.declare.structural``: ``dtypes``, ``grad``, ``facts``, ``cost``, C text. A function that is defined again
    takes the place of the first.

    ``itypes`` and ``otypes`` are types or lists of them. ``infer_shape(fgraph, node, shapes)``, or without the
    first argument, gives the shapes of the results from those of the operands, so that asking for a length does
    not run the function.

    Errors   ArgumentError where something listed is not a type; DeclarationError for what is no signature, and where
             an op has the name already

    >>> import numpy as np, eqsat, eqsat.tensor as T
    >>> @eqsat.as_op(itypes=[T.dvector], otypes=[T.dvector])
    ... def ordered(x):
    ...     return np.sort(x)
    >>> ordered(T.constant([3.0, 1.0, 2.0])).eval()
    array([1., 2., 3.])
    >>> @eqsat.as_op(signature="(n,k),(k)->(n)", dtypes="f,f->f", grad=lambda op, ins, out, dy: [None, T.dot(ins[0].T, dy)])
    ... def weighed(x, y):
    ...     return x @ y
    >>> weighed([[1.0, 2.0]], [3.0, 4.0]).eval()
    array([11.])
    >>> eqsat.graph.declare.forget_op("weighed")
    """
    if signature is not None:
        if itypes is not None or otypes is not None or infer_shape is not None:
            raise ArgumentError("as_op: a signature says what itypes, otypes and infer_shape say")
        return lambda function: _declared(function, signature, facts)
    if facts:
        raise ArgumentError(
            f"as_op: {', '.join(facts)} need a signature", hint="as_op(signature='(n)->(n)', ...)"
        )
    given = _types("itypes", itypes)
    made = _types("otypes", otypes)
    return lambda function: FromFunctionOp(function, given, made, infer_shape)


def _declared(function: Callable[..., Any], signature: str, facts: dict[str, Any]) -> Any:
    """The op of a function, in place of one of the same name that was defined at the same place."""
    old = OPS.find(facts.get("name", function.__name__))
    place = (function.__module__, function.__qualname__)
    if old is not None and (old.meaning.__module__, old.meaning.__qualname__) == place:
        forget_op(old.name)
    return structural("block", signature=signature, **facts)(function)


def _types(what: str, value: Any) -> list[Type]:
    listed = list(value) if isinstance(value, (list, tuple)) else [value]
    for kind in listed:
        if not isinstance(kind, Type):
            raise ArgumentError(f"as_op: {what} holds {kind!r}", needs="types such as T.dvector")
    return listed


wrap_py = as_op


def call_infer_shape(node: Apply, shapes: Sequence[Any]) -> Any:
    """The shapes that an op's ``infer_shape`` gives; it takes (fgraph, node, shapes) or (node, shapes).

    A shape or a length that the op cannot tell is None.
    """
    import inspect

    rule = getattr(node.op, "infer_shape")  # noqa: B009
    wants = [
        p
        for p in inspect.signature(rule).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    found = rule(node, shapes) if len(wants) == 2 else rule(None, node, shapes)
    if len(found) != len(node.outputs):
        raise ArgumentError(
            f"{node.op}: infer_shape gives {len(found)} shapes for {len(node.outputs)} results",
            needs="a list with one shape per result",
        )
    return [None if s is None else [None if n is None else as_tensor(n) for n in s] for s in found]
