"""The four objects of every graph: Variable, Apply, Op and Type, and Constant, a variable with a value."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, ClassVar

from eqsat.base.caller import caller, line_text, placed, users_file
from eqsat.base.configuration import config
from eqsat.base.hooks import hook
from eqsat.base.names import Suggesting
from eqsat.base.scopes import current_scope
from eqsat.errors import ArgumentError
from eqsat.graph.properties import compares
from eqsat.graph.scratchpad import Tagged

_FIXED_LINE: ContextVar[str | None] = ContextVar("fixed_line", default=None)
_NUMBERS = count()


def next_number() -> int:
    """A number greater than all before, by which it can be told what was made first."""
    return next(_NUMBERS)


def user_line() -> str | None:
    """File and line of the nearest caller outside eqsat, as ``train.py:41``."""
    fixed = _FIXED_LINE.get()
    if fixed is not None:
        return fixed
    text = line_text()
    if text is not None:
        return text
    line = caller()
    return None if line is None else placed(users_file(line.path), line.number)


@contextmanager
def one_line(line: str | None) -> Iterator[None]:
    """Give all variables made inside the ``with`` block one line; looking for it once saves time."""
    token = _FIXED_LINE.set(line)
    try:
        yield
    finally:
        _FIXED_LINE.reset(token)


class Type:
    """A set of constraints on values; calling a type makes a variable of it.

    A user's type gives ``filter``; two types of one class with equal ``__props__`` are equal, and a type without
    them is equal to itself only.

    >>> import eqsat, eqsat.tensor as T
    >>> class Text(eqsat.Type):
    ...     def filter(self, value, strict=False, allow_downcast=None):
    ...         return str(value)
    >>> Text()("x").name
    'x'
    """

    __slots__ = ()
    __props__: ClassVar[tuple[str, ...] | None] = None

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Value as this type stores it; raises a TypeError or ValueError where it does not fit."""
        raise NotImplementedError(
            f"{type(self).__name__} has no filter(value, strict=False, allow_downcast=None), "
            "which gives the value as the type stores it, or raises TypeError"
        )

    def is_valid_value(self, value: Any) -> bool:
        """True for a value that ``filter`` takes as it is."""
        try:
            self.filter(value, strict=True)
        except (TypeError, ValueError):
            return False
        return True

    def make_variable(self, name: str | None = None) -> Variable:
        """New variable of this type that no op computes."""
        return Variable(self, None, None, name)

    def make_constant(self, value: Any, name: str | None = None) -> Constant:
        """Constant of this type."""
        return Constant(self, value, name)

    def __call__(self, name: str | None = None) -> Any:
        return self.make_variable(name)

    def is_super(self, other: Type) -> bool:
        """True where every value of ``other`` is a value of this type."""
        return self == other

    def values_eq(self, a: Any, b: Any) -> bool:
        """True for two equal values of this type."""
        return bool(a == b)

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        """True for two values of this type that are equal but for rounding."""
        return self.values_eq(a, b)

    def short(self) -> str:
        """Text used in error messages."""
        return str(self)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and _properties(self) == _properties(other))

    def __hash__(self) -> int:
        return hash((type(self), _properties(self)))


def _properties(thing: Any) -> Hashable:
    """The attributes by which two types, or two ops, of one class are compared."""
    if thing.__props__ is None:
        return id(thing)
    return tuple(getattr(thing, name) for name in thing.__props__)


class Variable(Tagged, Suggesting):
    """A node that stands for a value: an input, a constant or an output of an Apply.

    ``type`` constrains the value, ``owner`` is the Apply that computes it or None, ``index`` its place among
    the owner's outputs, ``name`` what the user calls it, ``made_at`` the user's line and ``scope`` the name scope in which it was made.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> y = T.exp(x)
    >>> x.name, x.owner, y.owner.inputs, y.index
    ('x', None, [x], 0)
    """

    __slots__ = ("type", "owner", "index", "name", "made_at", "scope", "_read", "__weakref__")

    def __init__(
        self, type: Type, owner: Apply | None = None, index: int | None = None, name: str | None = None
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise ArgumentError(
                f"the name of a variable is text, not {name!r}", hint="x = T.vector('x')", name=name
            )
        self.type = type
        self.owner = owner
        self.index = index
        self.name = name
        self.made_at = user_line()
        self.scope = current_scope()
        self._read = False  # an Apply takes it as an input

    def clone(self, name: str | None = None) -> Variable:
        """New variable of the same type without an owner."""
        fresh = self.type.make_variable(self.name if name is None else name)
        fresh.scope = self.scope
        return fresh

    def comes_from(self, old: Variable) -> None:
        """Take the user's line and the name scope of the variable in whose place this one stands."""
        self.made_at, self.scope = old.made_at, old.scope

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        text: str = hook("short_text")(self)
        return text

    def __repr__(self) -> str:
        return str(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The text in IPython and notebooks: an input with its type."""
        short = getattr(self.type, "short", None) if self.owner is None else None
        printer.text(f"{self}: {short()}" if short is not None else str(self))

    def _repr_svg_(self) -> str | None:
        """A picture for notebooks; an input, which has none, is shown by its name."""
        return None if self.owner is None else hook("draw")(self)

    def __bool__(self) -> bool:
        """True for a variable of a program for Theano or PyTensor, unless it compares; else there is no answer."""
        if config.variables_are_true and not _compares(self):
            return True
        of_rule = self.owner is not None and any(hasattr(v, "meta") for v in self.owner.inputs)
        raise ArgumentError(
            f"{self} has no truth value before it is computed",
            operands=[(str(self), self)],
            hint="conditions joined by &, as (x > 0) & (y > 0)"
            if of_rule
            else "T.switch(condition, x, y), eqsat.ifelse to run one of them, or `x is not None`",
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        from eqsat.graph.pickling import reduce_variable

        return reduce_variable(self)

    def __dask_tokenize__(self) -> str:
        token: str = hook("token")(self)
        return token

    def __setstate__(self, fields: dict[str, Any]) -> None:
        for name, value in fields.items():
            setattr(self, name, value)

    def __copy__(self) -> Variable:
        """A variable of its own: an input is cloned, a result is computed by a new application."""
        if self.owner is None:
            return self.clone()
        fresh = Apply(self.owner.op, self.owner.inputs, [v.clone() for v in self.owner.outputs])
        assert self.index is not None
        return fresh.outputs[self.index]


def _compares(variable: Variable) -> bool:
    """True for what a comparison gives, which Theano alone refuses to judge: ``a < b < c`` asks for it."""
    owner = variable.owner
    if owner is not None and getattr(owner.op, "name", "") == "cast":  # config.compare_dtype
        owner = owner.inputs[0].owner
    return owner is not None and compares(getattr(owner.op, "declaration", None))


class Constant(Variable):
    """A variable with a value that never changes; it needs no place among a function's inputs.

    >>> import eqsat.tensor as T
    >>> T.constant(2.0).data
    array(2., dtype=float32)
    """

    __slots__ = ("_data",)

    def __init__(self, type: Type, data: Any, name: str | None = None) -> None:
        super().__init__(type, None, None, name)
        self._data = type.filter(data)

    @property
    def data(self) -> Any:
        """The value; it cannot be set again."""
        return self._data

    @data.setter
    def data(self, value: Any) -> None:
        raise ArgumentError("the value of a constant cannot change", hint="eqsat.shared(value)", value=value)

    def clone(self, name: str | None = None) -> Variable:
        return self

    def __bool__(self) -> bool:
        """The truth of the value, which for an array is that of its only element."""
        if config.variables_are_true:
            return True
        if getattr(self.data, "size", 1) != 1:
            raise ArgumentError(
                f"{self} has {self.data.size} elements and no truth value",
                operands=[(str(self), self)],
                hint="x.data.all() or x.data.any()",
            )
        return bool(self.data)

    def __str__(self) -> str:
        return self.name if self.name is not None else f"{self.data}"


class Apply(Tagged):
    """One application of an op: it sets ``owner`` and ``index`` of its outputs.

    Errors   ArgumentError where an input or output is not a variable, or an output has an owner already

    >>> import eqsat.tensor as T
    >>> node = T.exp(T.dscalar("x")).owner
    >>> node.op, node.inputs, node.outputs[0].owner is node
    (exp, [x], True)
    """

    __slots__ = ("op", "inputs", "outputs", "__weakref__")

    def __init__(self, op: Op, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        self.op = op
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        for variable in self.inputs:
            if not isinstance(variable, Variable):
                raise ArgumentError(f"input {variable!r} of Apply is not a Variable", op=op)
            variable._read = True
        for index, output in enumerate(self.outputs):
            if not isinstance(output, Variable):
                raise ArgumentError(f"output {output!r} of Apply is not a Variable", op=op)
            if output.owner is not None and output.owner is not self:
                raise ArgumentError(f"{output} is already an output of {output.owner.op}", op=op)
            if output._read and _depends_on(self.inputs, output):
                raise ArgumentError(f"{op}: {output} would be computed from itself", op=op)
            output.owner = self
            output.index = index

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.inputs))})"

    @property
    def out(self) -> Variable:
        """The output of an op that has one."""
        (output,) = self.outputs
        return output

    def __reduce_ex__(self, protocol: Any) -> Any:
        from eqsat.graph.pickling import reduce_apply

        return reduce_apply(self)


def _depends_on(variables: Sequence[Variable], other: Variable) -> bool:
    from eqsat.graph.walk import ancestors

    return any(v is other for v in ancestors(variables))


class Op:
    """The definition of a computation; equal where class and ``__props__`` are equal.

    A user's op gives ``perform`` and either ``make_node`` or the lists ``itypes`` and ``otypes``; ``grad`` or
    ``L_op`` where it can be differentiated. ``destroy_map`` and ``view_map`` map an output to the inputs that it
    overwrites or looks at. See docs/ops.md for all that it may give.

    >>> import eqsat, eqsat.tensor as T
    >>> class Double(eqsat.Op):
    ...     __props__ = ()
    ...     itypes = otypes = [T.dvector]
    ...
    ...     def perform(self, node, inputs, output_storage):
    ...         output_storage[0][0] = 2 * inputs[0]
    >>> Double()(T.constant([1.0, 2.0])).eval()
    array([2., 4.])
    """

    __props__: ClassVar[tuple[str, ...] | None] = None
    itypes: Sequence[Type] | None = None
    otypes: Sequence[Type] | None = None
    destroy_map: Mapping[int, Sequence[int]] = {}
    view_map: Mapping[int, Sequence[int]] = {}
    name: str

    def make_node(self, *inputs: Any, **keywords: Any) -> Apply:
        """An Apply of this op with fresh outputs; raises where the inputs do not fit. Subclasses name their operands."""
        if keywords:
            raise TypeError(f"{type(self).__name__}.make_node takes no {', '.join(keywords)}")
        if self.itypes is None or self.otypes is None:
            raise NotImplementedError(f"{type(self).__name__} has no make_node")
        from eqsat.graph.user_op import typed_inputs

        return Apply(self, typed_inputs(self, inputs, self.itypes), [kind() for kind in self.otypes])

    def perform(self, node: Apply, inputs: Sequence[Any], output_storage: list[list[Any]]) -> None:
        """Compute the outputs of ``node`` into ``output_storage[i][0]``: the op's meaning in NumPy."""
        raise NotImplementedError(f"{type(self).__name__} has no perform")

    def grad(self, inputs: Sequence[Any], output_gradients: Sequence[Any]) -> Sequence[Any]:
        """Gradient of the cost for each input, None where it does not depend on it."""
        raise NotImplementedError(f"{type(self).__name__} has no grad")

    def L_op(
        self, inputs: Sequence[Any], outputs: Sequence[Any], output_gradients: Sequence[Any]
    ) -> Sequence[Any]:
        """As ``grad``, with the outputs at hand; calls ``grad`` where the op gives no other."""
        return self.grad(inputs, output_gradients)

    def R_op(self, inputs: Sequence[Any], eval_points: Sequence[Any]) -> Sequence[Any]:
        """Change of each output for changes of the inputs, of which some may be None."""
        raise NotImplementedError(f"{type(self).__name__} has no R_op")

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """True where the op may run while the function is made, if all its inputs are constants."""
        return True

    def __call__(
        self, *inputs: Any, name: str | None = None, return_list: bool = False, **keywords: Any
    ) -> Any:
        node = self.make_node(*inputs, **keywords)
        if name is not None:
            node.outputs[0].name = name
        return node.outputs[0] if len(node.outputs) == 1 and not return_list else list(node.outputs)

    def properties(self) -> Hashable:
        """The attributes by which two ops of one class are compared."""
        return _properties(self)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(self) is type(other) and self.properties() == other.properties()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self.properties()))

    def __str__(self) -> str:
        return getattr(self, "name", None) or type(self).__name__

    def __repr__(self) -> str:
        return str(self)


Result = Variable  # the name in the first versions of Theano
