"""One declaration per op: everything that any room knows about an op is a field here."""

from __future__ import annotations

import inspect
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from eqsat.base.configuration import config
from eqsat.errors import ArgumentError, CostError, DeclarationError, DTypeError, EqsatError, ShapeError
from eqsat.graph.batch_rules import stacked
from eqsat.graph.constant import as_tensor, beside, cast_to, pad_left, refuse_real, weak_tensors
from eqsat.graph.core import Apply, Op, Variable
from eqsat.graph.dtypes import (
    BOOL,
    CODE,
    COMPLEX,
    FLOATS,
    INEXACT,
    INTEGERS,
    SHORT,
    promote,
    to_complex,
    to_float,
    to_real,
)
from eqsat.graph.operand_names import named
from eqsat.graph.parameters import Kind, parameter_text
from eqsat.graph.properties import check_properties
from eqsat.graph.shapes import check_values, fitted, reads_values, result_types
from eqsat.graph.tensor_type import Shape, TensorType, tensor_type
from eqsat.lengths.signature import Signature, broadcast, parse

__all__ = ["Cost", "Reduction", "elemwise", "forget_op", "structural"]


@dataclass(frozen=True)
class Cost:
    """Work of one application: ``flops`` (per element for elementwise ops), memory traffic in ``bytes``.

    ``bytes=None`` means all operands are read and the result is written once; ``calls`` counts library or kernel
    launches. ``vector=False`` marks flops that are done one element at a time, in doubles whatever the dtype is.
    ``product=(m, k, n)`` says that the flops are those of products of matrices of these lengths, ``order=n``
    that they factor matrices of n rows, ``blas`` that a tuned library does them in large pieces.

    Units    flops, bytes; calls are counted
    Errors   CostError for a number that is negative or NaN

    >>> from eqsat.graph.declare import Cost
    >>> Cost(flops=25).flops
    25
    """

    flops: float = 1.0
    bytes: float | None = None
    blas: bool = False
    calls: float = 1.0
    vector: bool = True
    product: tuple[float, float, float] | None = None
    order: float = 0.0

    def __post_init__(self) -> None:
        try:
            if all(n >= 0 for n in (self.flops, self.calls, self.order, self.bytes or 0.0)):
                return
        except TypeError:
            pass
        raise CostError(f"{self}: flops, bytes, calls and order", needs="numbers that are not negative")


@dataclass(frozen=True)
class Reduction:
    """The way in which a reduction combines values: ``combine`` is C text of ``{a}`` and ``{b}``, ``identity`` the number for no elements, by dtype.

    ``openmp`` is the operator of an OpenMP reduction clause; ``accumulator`` maps dtypes to wider ones.
    ``spreads_nan`` says that one NaN makes the result NaN although ``combine`` would lose it.

    >>> from eqsat.graph.declare import Reduction
    >>> Reduction("{a} + {b}", lambda dtype: 0, "+").empty
    True
    """

    combine: str
    identity: Callable[[str], float]
    openmp: str
    accumulator: dict[str, str] = field(default_factory=dict)
    complex: str = ""  # C text of combine for complex numbers, where the operator would treat NaN otherwise
    spreads_nan: bool = False
    empty: bool = True


@dataclass(frozen=True)
class Declaration:
    """All facts about one op; see docs/ops.md for the meaning of each field."""

    name: str
    kind: str  # elemwise, reduce, view, block
    tensors: tuple[str, ...]
    meaning: Callable[..., Any]
    parameters: dict[str, Kind] = field(default_factory=dict)
    variadic: bool = False
    signature: str = ""  # of dtypes
    shapes: Signature | None = None
    shape: Callable[..., Any] | None = (
        None  # lengths of the result from those of the operands, where no signature says them
    )
    sized_by: tuple[
        str, ...
    ] = ()  # operands from whose values lengths are computed, where no signature says it
    infer: Callable[..., Any] | None = None
    outputs: int = 1
    grad: Callable[..., Any] | None = None
    connected: bool = True
    linear: str = ""
    identity: bool = False
    batch: Callable[..., Any] | None = None
    c: Any = None  # C text of an elementwise op, or of a block or view of the user
    builder: str = (
        ""  # the name under which every target has a builder of a block or view, as "cumulate.total"
    )
    dims: Callable[..., Any] | None = None
    scratch: Callable[..., str] | None = None  # C text: elements of working memory, of the result's dtype
    contiguous: bool = False
    in_place: int | None = None
    checks_first: bool = (
        False  # of a block: its program makes all checks, and may be stopped there, before it writes
    )
    unmoved: bool = False  # of a view: each element has the index that it has in the first operand
    check: Callable[[Apply, Sequence[Any]], None] | None = None
    reduction: Reduction | None = None
    cost: Cost | Callable[..., Cost] = field(default_factory=Cost)
    real: str | None = None
    commutative: bool = False
    associative: bool = False
    image: tuple[float, float] | None = None
    interval: tuple[tuple[str, str], ...] = ()
    facts: tuple[str, ...] = ()
    uniform: Callable[..., Any] | None = None
    type_text: tuple[str, str, str] | None = None
    opaque: bool = False  # rules do not see it, although its signature tells the type of the result
    real_result: bool = False
    floatx: bool = False
    conjugate: bool | None = None
    forms: tuple[int, ...] = ()  # numbers of operands with which rules see a variadic op
    form_of: str = ""  # the variadic op of which this is such a form
    weak: tuple[
        str, ...
    ] = ()  # operands that are parameters: a number there takes the dtype of the first one
    poles: tuple[str, ...] = ()  # operands at whose zero the result has no finite value
    elements: tuple[str, ...] = ()  # every element of the result is one of an operand named here ...
    elements_if: tuple[str, int] | None = None  # ... where a parameter has this value
    per_step: tuple[str, ...] = ()  # operands that exist in the steps of a loop only, as do their lengths
    # laws, which eqsat/graph/properties.py reads and eqsat/rules/schemes/ make rules of
    monotone: str | tuple[str, ...] = ()
    parity: str | tuple[str, ...] = ()
    additive: str = ""  # operands in each of which the op is additive, beside those of ``linear``
    domain: tuple[float, float] = (-np.inf, np.inf)  # of the first operand, where the result is a number
    undoes: str = ""  # the op of whose result this one gives back the operand
    turns: str | tuple[str, ...] = ()
    idempotent: bool = False
    neutral: float | None = None  # the number e with op(x, e) = x
    absorbing: float | None = None  # the number z with op(x, z) = z
    inverse: str = ""  # the op z with z(op(x, y), y) = x
    inverse_element: str = ""  # the op i with op(x, i(x)) = e, as "neg exactly" where it rounds nothing
    numbers: str = ""  # short or tame: such numbers, in rules/facts.py, are joined without loss
    repeats: str = ""  # the op z with z(x, n) = op(op(x, x), ...) of n times x
    power: float | None = None  # the number n with op(x) = x ** n
    shifted: str = ""  # the op with a number added to its operand or result, as "exp(x) - 1"
    complement: str | tuple[str, ...] = ()  # a number less a function, as "1 - sigmoid(-x)"
    logarithm_of: str = ""  # the op of whose result this one is the logarithm
    translated: str = (
        ""  # unchanged or moved: the result where one number is added to all elements along ``axes``
    )
    reduces: str = ""  # the op that a reduction over ``axes`` puts between elements
    accumulates: str = ""  # the op that a running reduction along ``axis`` puts between elements
    ordered: str = ""  # values: elements chosen by their order; places: nothing else depends on the operand
    permutes: bool = False  # the result holds each element along ``axis`` once
    keeps_order: bool = False  # of the elements along ``axes``
    finite_slope: bool = False  # the derivative is finite wherever the operands are anything at all
    of_matrices: bool = False  # rules on it ask for the lengths of matrices
    indexing: str = ""  # part, join or write: the type of its forms is worked out from patterns of indices
    brings: tuple[str, ...] = ()  # ops that rules on loops make of it: their rules are loaded with it
    compares: bool = False  # the result tells in which order two operands are, and nothing else
    chooses: str = ""  # the op that gives x where this comparison of x and y holds, and y elsewhere
    opposite: str = ""  # the op that does the same in the opposite order
    called: str = ""  # what the user calls it, where the op is one of several that do it
    doc: str = ""

    def takes_complex(self) -> bool:
        """True for an elementwise op that says how it is computed of complex numbers."""
        return isinstance(self.c, dict) and "complex" in self.c

    def conjugates(self) -> bool:
        """True where the gradient of a complex result multiplies by derivatives, which are then conjugated."""
        if self.conjugate is not None:
            return self.conjugate
        if self.kind == "elemwise":
            return self.takes_complex() and not self.real_result
        return self.kind == "block" and not self.linear

    def bind(self, **parameters: Any) -> DeclaredOp:
        """The op with these parameters; the same object for the same parameters."""
        if self.form_of:
            return OPS[self.form_of].bind(**parameters)
        if set(parameters) != set(self.parameters):
            raise ArgumentError(
                f"{self.name} takes the parameters {sorted(self.parameters)}, not {sorted(parameters)}"
            )
        key = (self.name, tuple(parameters[name] for name in self.parameters))
        op = _BOUND.get(key)
        if op is None:
            op = _BOUND[key] = DeclaredOp(self, key[1])
        return op

    def __call__(self, *tensors: Any, **parameters: Any) -> Any:
        known = None if parameters or self.form_of else _BOUND.get((self.name, ()))
        return (known or self.bind(**parameters))(*tensors)

    def shows(self) -> tuple[str, ...]:
        """The operands of which every element of a result is one: those of ``elements``, of a view the first."""
        return self.elements or (self.tensors[:1] if self.kind == "view" else ())

    def seen_as(self, count: int) -> str | None:
        """The name under which rules see an application to a number of operands; None for one that they do not."""
        if not self.variadic:
            return self.name
        return f"{self.name}_{count}" if count in self.forms else None

    def form(self, count: int) -> Declaration:
        """The declaration of the form with a number of operands: ``subtensor_2`` takes x and one scalar."""
        *first, rest = self.tensors
        more = tuple(f"{rest}{i}" for i in range(count - len(first)))
        return replace(
            self,
            name=f"{self.name}_{count}",
            tensors=(*first, *more),
            variadic=False,
            forms=(),
            form_of=self.name,
            elements=more if self.elements == (rest,) else self.elements,
        )


class Declarations(dict[str, Declaration]):
    """Ops by name. The forms of a variadic op, as ``subtensor_2``, are found by name too, but not listed."""

    def __init__(self) -> None:
        self.made: dict[str, tuple[Declaration, Declaration]] = {}
        self.version = 0  # another one whenever an op is declared or forgotten

    def __setitem__(self, name: str, declaration: Declaration) -> None:
        self.version += 1
        super().__setitem__(name, declaration)

    def pop(self, name: str, *default: Any) -> Any:
        self.version += 1
        return super().pop(name, *default)

    def __missing__(self, name: str) -> Declaration:
        base, _, count = name.rpartition("_")
        whole = self.get(base)
        if whole is None or not count.isdigit() or int(count) not in whole.forms:
            raise KeyError(name)
        if self.made.get(name, (None, None))[0] is not whole:
            self.made[name] = whole, whole.form(int(count))
        return self.made[name][1]

    def find(self, name: str) -> Declaration | None:
        """The declaration of an op or of a form of one; None where there is none."""
        try:
            return self[name]
        except KeyError:
            return None


OPS = Declarations()
_BOUND: dict[tuple[str, tuple[Any, ...]], DeclaredOp] = {}


def documented(declaration: Declaration) -> str:
    """The docstring of an op, with its signature where it says nothing of shapes itself."""
    shapes = declaration.shapes
    if declaration.kind == "elemwise" or shapes is None or "Shapes " in declaration.doc:
        return declaration.doc
    pairs = zip(declaration.tensors, shapes.operands, strict=True)
    said = ", ".join(f"{name}: {axes}" for name, axes in pairs)
    return f"{declaration.doc}\n\nShapes   {said} -> {', '.join(map(str, shapes.results))}"


class DeclaredOp(Op):
    """A declaration with its parameters fixed."""

    def __init__(self, declaration: Declaration, values: tuple[Any, ...]) -> None:
        self.declaration = declaration
        self.values = values
        self.name = declaration.name
        self.__doc__ = documented(declaration)
        self.params = dict(zip(declaration.parameters, values, strict=True))
        self.plans: dict[tuple[Any, ...], _Plan] = {}
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
        return Apply(self, inputs, [_variable(kind) for kind in known])

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
        return inputs, [out] if declaration.outputs == 1 else list(out)

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
        if self.declaration.outputs == 1:
            results = (results,)
        for variable, value, box in zip(node.outputs, results, output_storage, strict=True):
            kind: Any = variable.type
            result = np.asarray(value)
            if result.dtype != kind.dtype:
                result = result.astype(kind.dtype)
            assert result.ndim == kind.ndim, (str(node), result.shape, kind)
            box[0] = result

    def grad(self, inputs: Sequence[Variable], output_gradients: Sequence[Variable]) -> Sequence[Any]:
        raise NotImplementedError("declared ops are differentiated by eqsat.gradient")


def _variable(kind: Any) -> Variable:
    """A variable of a type; that of a tensor is made without a call that could name a misspelt keyword."""
    made: Variable = kind.variable_class(kind) if type(kind) is TensorType else kind.make_variable()
    return made


def find_op(name: str, values: tuple[Any, ...]) -> DeclaredOp:
    """The declared op of a name with parameter values, in the order of the declaration."""
    declaration = OPS[name]
    return declaration.bind(**dict(zip(declaration.parameters, values, strict=True)))


def coded_op(name: str, params: Sequence[int], codes: Any) -> DeclaredOp:
    """The declared op of a name with parameters that are codes, as e-nodes have them."""
    kinds = OPS[name].parameters.values()
    return find_op(name, tuple(k.decode(p, codes) for k, p in zip(kinds, params, strict=True)))


# ---------------------------------------------------------------------------------------------- elementwise


class _Plan(NamedTuple):
    """The types of an elementwise op for operands of some types: the dtypes and rank they get, and the type of the result."""

    dtypes: list[str]
    ndim: int
    result: TensorType
    fits: bool  # the operands need neither a cast nor new axes


MOST_PLANS = 1000  # kept per op


def elemwise_node(op: DeclaredOp, inputs: list[Any]) -> Apply:
    """Apply an elementwise op: operands cast to one dtype, padded on the left, static lengths checked."""
    types: tuple[Any, ...] = tuple([v.type for v in inputs])
    if op.declaration.floatx:
        types = (*types, config.floatX)
    plan = op.plans.get(types)
    if plan is None:
        if len(op.plans) >= MOST_PLANS:
            op.plans.clear()
        plan = op.plans[types] = _elemwise_plan(op, inputs)
    if not plan.fits:
        inputs = [pad_left(cast_to(v, d), plan.ndim) for v, d in zip(inputs, plan.dtypes, strict=True)]
    return Apply(op, inputs, [_variable(plan.result)])


def _elemwise_plan(op: DeclaredOp, inputs: list[Any]) -> _Plan:
    dtypes, result = elemwise_dtypes(op, inputs)
    ndim = max((v.type.ndim for v in inputs), default=0)
    shape = broadcast_shape(op, inputs, ndim)
    fits = all(v.type.dtype == d and v.type.ndim == ndim for v, d in zip(inputs, dtypes, strict=True))
    return _Plan(dtypes, ndim, tensor_type(result, shape), fits)


def elemwise_dtypes(op: DeclaredOp, inputs: Sequence[Any]) -> tuple[list[str], str]:
    """Dtypes to which the operands of an elementwise op are cast, and that of the result."""
    wanted, (result,) = dtypes_of(op, inputs)
    return wanted, to_real(result) if op.declaration.real_result else result


def dtypes_of(op: DeclaredOp, inputs: Sequence[Any]) -> tuple[list[str], list[str]]:
    """Dtypes to which the operands are cast, and those of the results, by the op's signature of dtypes.

    Letters: ``t`` any, ``n`` any but bool, ``i`` integer or bool, ``f`` floating, ``c`` complex, ``?`` bool,
    ``d`` the op's own dtype parameter, ``a`` anything, left as it is; a result may also be the name of a dtype.
    Operands with one letter get one dtype. Complex operands are refused unless ``c`` of the declaration has C text for them.
    """
    letters, _, outs = op.declaration.signature.partition("->")
    names = letters.split(",")
    groups: dict[str, list[str]] = {}
    for letter, v in zip(names, inputs, strict=True):
        groups.setdefault(letter, []).append(v.type.dtype)
    chosen = {letter: _group_dtype(op, letter, found, inputs) for letter, found in groups.items()}
    wanted = [v.type.dtype if k == "a" else chosen[k] for k, v in zip(names, inputs, strict=True)]
    if outs == "d":
        for v in inputs:
            refuse_real(v, op.params["dtype"])
    return wanted, [_result_dtype(op, out, chosen, wanted) for out in outs.split(",")]


def _result_dtype(op: DeclaredOp, out: str, chosen: dict[str, str], wanted: list[str]) -> str:
    if out in CODE:
        return out
    if out == "d":
        return str(op.params["dtype"])
    return BOOL if out == "?" else to_complex(wanted[0]) if out == "c" else chosen[out]


def _group_dtype(op: DeclaredOp, letter: str, found: list[str], inputs: Sequence[Any]) -> str:
    name = promote(*found)
    if letter == "?":
        return BOOL
    if letter == "c":
        return promote(*(to_complex(d) for d in found))
    if name in COMPLEX and letter != "a" and not op.declaration.takes_complex():
        _refuse(op, inputs, "real numbers", "T.real(x), T.imag(x) or T.abs(x)")
    if letter == "f" and op.declaration.floatx and config.floatX == "float32" and name not in INEXACT:
        return "float32"
    if letter == "f":
        return promote(*(to_float(d) for d in found))
    if letter == "n" and name == BOOL:
        _refuse(op, inputs, "numbers, not bool", f"{op.name}(x.astype('int8'), ...)")
    if letter == "i" and name in INEXACT:
        _refuse(op, inputs, "integers or bool", "x.astype('int64')")
    return name


def _refuse(op: DeclaredOp, inputs: Sequence[Any], needs: str, hint: str) -> None:
    kinds = ", ".join(SHORT[v.type.dtype] for v in inputs)
    raise DTypeError(
        f"{op.name} is not defined for {kinds}", operands=named(op, inputs), needs=needs, hint=hint
    )


def broadcast_shape(op: DeclaredOp, inputs: Sequence[Any], ndim: int) -> Shape:
    """Static shape of an elementwise result; raises ShapeError where known lengths differ."""
    shape: list[int | None] = []
    padded = [(1,) * (ndim - v.type.ndim) + v.type.shape for v in inputs]
    for axis, lengths in enumerate(zip(*padded, strict=True)):
        known = {n for n in lengths if n is not None and n != 1}
        if len(known) > 1:
            raise ShapeError(
                f"{op.name}: axis {axis} has the lengths {' and '.join(map(str, sorted(known)))}",
                operands=named(op, inputs),
                needs="equal lengths, or length 1 in the type of one operand",
                axis=axis,
            )
        shape.append(known.pop() if known else 1 if all(n == 1 for n in lengths) else None)
    return tuple(shape)


def check_lengths(node: Apply, values: Sequence[Any]) -> None:
    """Refuse at run time what static broadcasting does not allow: lengths that differ, even 1 against n."""
    shapes = [v.type.shape for v in node.inputs]  # type: ignore[attr-defined]
    first = values[0].shape
    if all(v.shape == first for v in values):
        return
    for axis in range(len(first)):
        found = {v.shape[axis] for v, s in zip(values, shapes, strict=True) if s[axis] != 1}
        if len(found) > 1:
            raise run_time_length_error(node, axis, sorted(found))


def run_time_length_error(node: Apply, axis: int, lengths: Sequence[int]) -> ShapeError:
    """The error for operands whose lengths turn out to differ when the function runs."""
    op: Any = node.op
    return ShapeError(
        f"{op.name}: axis {axis} has the lengths {' and '.join(map(str, lengths))} at run time",
        operands=named(op, node.inputs),
        needs="equal lengths; length 1 broadcasts only where the type says so",
        hint="T.row, T.col, T.addbroadcast(x, axis) or TensorType(dtype, shape=(1, None))",
        axis=axis,
    )


# ------------------------------------------------------------------------------------------------ decorators


def elemwise(
    *,
    c: str | dict[str, str] | Callable[[str, str], str],
    signature: str = "t->t",
    parameters: dict[str, Kind] | None = None,
    **fields: Any,
) -> Callable[[Callable[..., Any]], Any]:
    """Declare an elementwise op; the decorated function is its meaning on NumPy arrays.

    ``c`` is a C expression of the parameters in braces; a dict gives one per ``bool``, ``int``, ``uint``,
    ``float``, ``complex`` (``else`` for the rest but complex), a function one per dtype of operand and result. ``{f}`` is the suffix of C's float functions, ``{T}`` the C type of the
    result, ``{U}`` that of the operand.

    Errors   DeclarationError for a signature, C text or field that does not fit the function

    >>> from eqsat.graph.declare import elemwise, forget_op
    >>> halve = elemwise(c="({x} / 2)", signature="f->f", name="halve")(lambda x: x / 2)
    >>> halve([1.0, 3.0]).eval(mode="reference")
    array([0.5, 1.5])
    >>> forget_op("halve")
    """

    def build(meaning: Callable[..., Any]) -> Any:
        tensors = tuple(
            p.name
            for p in inspect.signature(meaning).parameters.values()
            if p.kind is not inspect.Parameter.KEYWORD_ONLY
        )
        if len(signature.partition("->")[0].split(",")) != len(tensors):
            raise DeclarationError(f"{meaning.__name__}: the signature {signature!r} does not fit {tensors}")
        for text in c.values() if isinstance(c, dict) else [c] if isinstance(c, str) else []:
            check_template(meaning.__name__, text, tensors)
        return _register(
            meaning,
            kind="elemwise",
            tensors=tensors,
            signature=signature,
            shapes=broadcast(len(tensors)),
            c=c,
            parameters=parameters or {},
            **fields,
        )

    return build


def check_template(name: str, text: str, tensors: Sequence[str]) -> None:
    """Raise DeclarationError where a C template names something that is not a parameter of the op."""
    known = {*tensors, "f", "T", "U"}
    unknown = {part[1] for part in string.Formatter().parse(text) if part[1] is not None} - known
    if unknown:
        raise DeclarationError(f"{name}: the C text names {sorted(unknown)}, the op has {list(tensors)}")


def structural(
    kind: str,
    *,
    signature: str = "",
    dtypes: str = "",
    parameters: dict[str, Kind] | None = None,
    variadic: bool = False,
    **fields: Any,
) -> Callable[[Callable[..., Any]], Any]:
    """Declare an op that changes shape, reduces or calls a library; keyword-only arguments are parameters.

    ``signature`` states the shapes of operands and results, as ``(m,k),(k,n)->(m,n)``; types, lengths in C and
    checks in every mode follow from it (eqsat/lengths/signature.py has the notation). ``dtypes`` says to which dtypes operands
    are converted and those of the results, in the letters of elementwise ops; without it nothing is converted, and results
    have the dtype of the first operand. An op that is no signature gives ``infer``, and ``dims`` for C.

    A block with ``outputs=k`` gives a list of k variables: ``infer``, ``dims`` and the meaning return one item per result,
    the C text writes to a list of operands, ``grad(op, inputs, outputs, gradients)`` gets lists, with None
    where no gradient arrives.

    Errors   DeclarationError for fields that do not fit the kind

    >>> from eqsat.graph.declare import forget_op, structural
    >>> itself = structural("view", name="itself", infer=lambda op, x: x.type, c=lambda w, op, ins: ins[0])
    >>> itself(lambda x: x)([1.0, 3.0]).eval(mode="reference")
    array([1., 3.])
    >>> forget_op("itself")
    """

    def build(meaning: Callable[..., Any]) -> Any:
        tensors = tuple(
            p.name
            for p in inspect.signature(meaning).parameters.values()
            if p.kind is not inspect.Parameter.KEYWORD_ONLY
        )
        if fields.get("outputs", 1) != 1 and (
            kind != "block" or "in_place" in fields or "type_text" in fields
        ):
            raise DeclarationError(
                f"{meaning.__name__}: only a block that is opaque to rules has several results"
            )
        if signature:
            fields.setdefault("shapes", parse(signature))
            fields.setdefault("infer", result_types)
            if fields["shapes"].stacks:
                fields.setdefault("batch", stacked)
        return _register(
            meaning,
            kind=kind,
            tensors=tensors,
            parameters=parameters or {},
            variadic=variadic,
            signature=dtypes,
            **fields,
        )

    return build


def _register(meaning: Callable[..., Any], **fields: Any) -> Any:
    name = fields.pop("name", None) or meaning.__name__.strip("_")
    if not name.isidentifier():
        raise DeclarationError(
            f"an op cannot be named {name!r}", hint="name='...' with letters, digits and _"
        )
    if name in OPS:
        raise DeclarationError(f"an op named {name!r} exists already")
    declaration = Declaration(name=name, meaning=meaning, doc=inspect.getdoc(meaning) or "", **fields)
    check_properties(declaration)
    OPS[name] = declaration
    return declaration if declaration.parameters else declaration.bind()


def forget_op(name: str) -> None:
    """Remove a declaration; for tests that declare ops of their own.

    >>> from eqsat.graph.declare import OPS, elemwise, forget_op
    >>> halve = elemwise(c="({x} / 2)", signature="f->f", name="halve")(lambda x: x / 2)
    >>> forget_op("halve")
    >>> "halve" in OPS
    False
    """
    OPS.pop(name, None)
    for key in [k for k in _BOUND if k[0] == name]:
        del _BOUND[key]


def dtype_class(dtype: str) -> str:
    """The key under which a C template of a dtype is found: bool, int, uint, float or complex."""
    if dtype in COMPLEX:
        return "complex"
    if dtype in FLOATS:
        return "float"
    if dtype in INTEGERS:
        return "uint" if dtype.startswith("u") else "int"
    return "bool"


def c_template(op: DeclaredOp, operand: str, result: str) -> str:
    """C text of an elementwise op for an operand dtype and a result dtype."""
    c = op.declaration.c
    if callable(c):
        return str(c(operand, result))
    if isinstance(c, str):
        return c
    found = c.get(dtype_class(operand), c.get("else"))
    assert found is not None, (op.name, operand)
    return str(found)


C_HELPERS: dict[str, str] = {}


def c_helper(name: str, text: str) -> str:
    """Register a C function used by templates as ``name__double(...)``.

    ``@T`` in the text is the C type, ``@R`` that of its real part, ``@f`` the suffix of C's float functions.
    """
    C_HELPERS[name] = text
    return name
