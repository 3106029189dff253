"""One declaration per op: everything that any room knows about an op is a field here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from eqsat.base.names import check_among
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, DeclarationError
from eqsat.graph.batch_rules import stacked
from eqsat.graph.c_templates import check_templates
from eqsat.graph.core import Apply
from eqsat.graph.declaration_checks import (
    bounds,
    check_declaration,
    check_names,
    check_ops,
    check_takes,
    check_types,
)
from eqsat.graph.declaration_fields import among, lengths, of_op, one_of, operands, ops_named, taking
from eqsat.graph.declared_op import DeclaredOp
from eqsat.graph.or_nan import twin
from eqsat.graph.parameters import Kind
from eqsat.graph.properties import (
    check_properties,
    complements,
    inverse_element,
    of_products,
    ratio,
    shifted,
    turns,
)
from eqsat.graph.shapes import result_types
from eqsat.graph.work import Cost, Reduction
from eqsat.lengths.signature import Signature, broadcast, parse

__all__ = ["Cost", "Reduction", "elemwise", "forget_op", "structural"]


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
    # lengths of the result from those of the operands, where no signature says them
    shape: Callable[..., Any] | None = None
    # operands from whose values lengths are computed, where no signature says it
    sized_by: tuple[str, ...] = among(operands, ())
    infer: Callable[..., Any] | None = None
    outputs: int = 1
    grad: Callable[..., Any] | None = None
    connected: bool = True
    linear: str = among(operands)
    identity: bool = False
    batch: Callable[..., Any] | None = None
    c: Any = None  # C text of an elementwise op, or of a block or view of the user
    builder: str = ""  # the name under which every target has a builder of a block or view
    kernels: Callable[..., Any] | None = None  # of a block: its results written with ops that kernels compute
    dims: Callable[..., Any] | None = None
    scratch: Callable[..., str] | None = None  # C text: elements of working memory, of the result's dtype
    contiguous: bool = False
    in_place: int | None = None
    checks_first: bool = False  # of a block: it can be stopped after all its checks, before it writes
    # of a view: its first operand with other elements where the view has its own, by op, operands and those elements
    put: Callable[..., Any] | None = None
    unmoved: bool = False  # of a view: each element has the index that it has in the first operand
    # of a view: whether its elements are those of the first operand in the same row-major order, which an op may know by its parameters
    in_rows: bool | Callable[[Any], bool] = False
    # of a block that moves ``elements``: in how many boxes its result falls that are one operand each, by op and operands
    pieces: Callable[[Any, int], int] | None = None
    # of a block that picks elements of its first operand, as x[i, :]: for each axis of it the number of the index array, or -1
    picks: Callable[[Any], tuple[int, ...]] | None = None
    check: Callable[[Apply, Sequence[Any]], None] | None = None
    reduction: Reduction | None = None
    cost: Cost | Callable[..., Cost] = field(default_factory=Cost)
    real: str | None = None
    commutative: bool = taking(2)
    associative: bool = taking(2)
    image: tuple[float, float] | None = None
    interval: tuple[tuple[str, str], ...] = ()
    facts: tuple[str, ...] = ()
    uniform: Callable[..., Any] | None = None
    type_text: tuple[str, str, str] | None = None
    opaque: bool = False  # rules do not see it, although its signature tells the type of the result
    real_result: bool = False
    floatx: bool = False
    of_bools: str = ""  # the dtype that operands get which are all bool, where the letter n would refuse them
    conjugate: bool | None = None
    forms: tuple[int, ...] = ()  # numbers of operands with which rules see a variadic op
    form_of: str = ""  # the variadic op of which this is such a form
    weak: tuple[str, ...] = among(operands, ())  # operands where a number takes the dtype of the first one
    poles: tuple[str, ...] = among(operands, ())  # operands at whose zero the result has no finite value
    # every element of the result is one of an operand named here ...
    elements: tuple[str, ...] = among(operands, ())
    elements_if: tuple[str, int] | None = None  # ... where a parameter has this value
    # lengths of the signature along which each part of a result needs that part of the operands alone
    free: str = among(lengths)
    # lengths of the signature along which the results for parts of the operands add up to that for all
    sums: str = among(lengths)
    # operands that exist in the steps of a loop only, as do their lengths
    per_step: tuple[str, ...] = among(operands, ())
    # laws, which eqsat/graph/properties.py reads and eqsat/rules/schemes/ make rules of
    monotone: str | tuple[str, ...] = ()
    parity: str | tuple[str, ...] = ()
    additive: str = ""  # operands in each of which the op is additive, beside those of ``linear``
    domain: tuple[float, float] = (-np.inf, np.inf)  # of the first operand, where the result is a number
    undoes: str = of_op(takes=1)  # the op of whose result this one gives back the operand
    turns: str | tuple[str, ...] = of_op(lambda d: [op for t in turns(d) for op in t[:2]], (), takes=1)
    idempotent: bool = taking(2)
    neutral: float | None = taking(2, None)  # the number e with op(x, e) = x
    absorbing: float | None = taking(2, None)  # the number z with op(x, z) = z
    # made: the results for floats are whole numbers, or none; kept: operands that are whole stay, too
    whole: str = one_of("made", "kept")
    inverse: str = of_op(takes=2)  # the op z with z(op(x, y), y) = x
    # the op i with op(x, i(x)) = e, as "neg exactly" where it rounds nothing
    inverse_element: str = of_op(inverse_element, takes=2)
    # short or tame: such numbers, in rules/facts.py, are joined without loss
    numbers: str = one_of("short", "tame", takes=2)
    repeats: str = of_op(takes=2)  # the op z with z(x, n) = op(op(x, x), ...) of n times x
    # such an op that gives the neutral number for n = 0 whatever x is, where ``repeats`` does not
    counted: str = of_op(takes=2)
    iterated: str = of_op(takes=2)  # the op z with op(op(x, c), d) = op(x, z(c, d)) for whole c and d above 0
    power: float | None = taking(1, None)  # the number n with op(x) = x ** n
    spelled: Callable[..., Any] | None = None  # other ways to write it, by names: of the operands
    unstable: Callable[..., Any] | None = None  # such that overflow or lose digits
    # the op with a number added to its operand or result, as "exp(x) - 1"
    shifted: str = of_op(lambda d: shifted(d)[:1], takes=1)
    # a number less a function, as "1 - sigmoid(-x)"
    complement: str | tuple[str, ...] = of_op(lambda d: [c.of for c in complements(d)], (), takes=1)
    logarithm_of: str = of_op(takes=1)  # the op of whose result this one is the logarithm
    # the functions f and g of the operand with op(x) = f(x) / g(x), as "sin over cos"
    ratio: str = of_op(lambda d: ratio(d) or ())
    # unchanged or moved: the result where one number is added to all elements along ``axes``
    translated: str = one_of("unchanged", "moved")
    reduces: str = of_op()  # the op that a reduction over ``axes`` puts between elements
    accumulates: str = of_op()  # the op that a running reduction along ``axis`` puts between elements
    # values: elements chosen by their order; places: nothing else depends on the operand
    ordered: str = one_of("values", "places")
    places_of: str = of_op()  # the op that gives the elements at the places that this one finds
    permutes: bool = False  # the result holds each element along ``axis`` once
    stays: str = one_of("above", "below", takes=1)  # each result its operand, or equal to it
    total: float | None = None  # of the elements along ``axes`` where there are any
    keeps_order: bool = False  # of the elements along ``axes``
    of_matrices: bool = False  # rules on it ask for the lengths of matrices
    # part, join or write: the type of its forms is worked out from patterns of indices
    indexing: str = one_of("part", "join", "write")
    # ops that rules on loops make of it: their rules are loaded with it
    brings: tuple[str, ...] = of_op(default=())
    counts: bool = False  # a length of the result is the number of elements of operands that hold
    compares: bool = taking(2)  # the result tells in which order two operands are, and nothing else
    # the op that gives x where this comparison of x and y holds, and y elsewhere
    chooses: str = of_op(takes=2)
    # kept: f(A.T) is f(A).T; dropped: f(A); swapped: f(A, B).T is f(B.T, A.T)
    transposed: str = one_of("kept", "dropped", "swapped")
    # the op that f(A B) is of f(A) and f(B), perhaps reversed, perhaps if a parameter is set
    of_products: str = of_op(lambda d: [found.outer for found in [of_products(d)] if found])
    # what a function of matrices does to the elements of a diagonal one
    of_numbers: Callable[..., Any] | None = None
    of_multiples: Callable[..., Any] | None = None  # the result for c A, from c and that for A ...
    scales_positive: bool = False  # ... where c is positive
    opposite: str = of_op()  # the op that does the same in the opposite order
    failure: str = ""  # what a LinAlgError says of a matrix that has no result; beside the op there is one that gives NaN for it
    raises: str = of_op()  # the op that does the same and raises the error
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
        try:
            op = _BOUND.get(key)
        except TypeError:  # what has no hash, as a list
            self._check_values(key[1])
            raise
        if op is None:
            self._check_values(key[1])
            op = _BOUND[key] = DeclaredOp(self, key[1])
        return op

    def _check_values(self, values: Sequence[Any]) -> None:
        for (name, kind), value in zip(self.parameters.items(), values, strict=True):
            if kind.refuses is not None and kind.refuses(value):
                raise ArgumentError(f"{self.name}: {name} is {value!r}", needs=kind.needs)

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
        self.waiting: dict[
            str, dict[str, list[str]]
        ] = {}  # names of ops, by op and field, that were none yet
        self.version = 0  # another one whenever an op is declared or forgotten

    def __setitem__(self, name: str, declaration: Declaration) -> None:
        self.version += 1
        super().__setitem__(name, declaration)

    def pop(self, name: str, *default: Any) -> Any:
        self.version += 1
        self.waiting.pop(name, None)
        return super().pop(name, *default)

    def __missing__(self, name: str) -> Declaration:
        base, _, count = name.rpartition("_")
        whole = self.get(base)
        if whole is None or not count.isdigit() or int(count) not in whole.forms:
            raise KeyError(name)
        if self.made.get(name, (None, None))[0] is not whole:
            self.made[name] = whole, whole.form(int(count))
        return self.made[name][1]

    def check(self, names: Iterable[str] | None = None) -> None:
        """Refuse ops, some or all, that name another op which is not declared by now.

        Errors   DeclarationError with the field, and the names that are close
        """
        if self.waiting:
            check_ops(self.waiting, list(self.waiting) if names is None else names, self)

    def find(self, name: str) -> Declaration | None:
        """The declaration of an op or of a form of one; None where there is none."""
        try:
            return self[name]
        except KeyError:
            return None


OPS = Declarations()
LISTS = {  # fields of which one text is the only item
    name for name, field in Declaration.__dataclass_fields__.items() if field.type == "tuple[str, ...]"
}
OF_DECORATORS = (
    "kind",
    "tensors",
    "meaning",
    "shapes",
    "form_of",
    "raises",
    "doc",
)  # fields that nobody gives by hand
_BOUND: dict[tuple[str, tuple[Any, ...]], DeclaredOp] = {}


def find_op(name: str, values: tuple[Any, ...]) -> DeclaredOp:
    """The declared op of a name with parameter values, in the order of the declaration.

    Errors   DeclarationError for a name that no op of this process has, as a pickle may bring one
    """
    declaration = OPS.find(name)
    if declaration is None:
        raise DeclarationError(
            f"{name} is no op of this process",
            needs="its declaration, as where the function or graph was made",
            hint="import the module that declares it before the pickle is loaded",
        )
    return declaration.bind(**dict(zip(declaration.parameters, values, strict=True)))


def coded_op(name: str, params: Sequence[int], codes: Any) -> DeclaredOp:
    """The declared op of a name with parameters that are codes, as e-nodes have them."""
    kinds = OPS[name].parameters.values()
    return find_op(name, tuple(k.decode(p, codes) for k, p in zip(kinds, params, strict=True)))


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
        called = fields.get("name", meaning.__name__)
        check_types(called, {"signature": signature}, hint)
        if len(signature.partition("->")[0].split(",")) != len(tensors):
            raise DeclarationError(f"{called}: the signature {signature!r} does not fit {tensors}")
        check_templates(called, c, tensors)
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
            check_types(fields.get("name", meaning.__name__), {"signature": signature}, hint)
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


def check_fields(fields: Mapping[str, Any]) -> None:
    """Refuse keywords that no declaration has."""
    taken = Declaration.__dataclass_fields__
    if not fields.keys() <= taken.keys():
        elementwise = fields["kind"] == "elemwise"
        known = [*(f for f in taken if f not in OF_DECORATORS), *(["dtypes"] * (not elementwise))]
        unknown = [f for f in fields if f not in taken]
        check_among("elemwise" if elementwise else "structural", unknown, known)


@lru_cache(maxsize=256)
def hint(name: str) -> Any:
    """The type of a field, which is text until it is asked for."""
    return eval(str(Declaration.__dataclass_fields__[name].type), globals())


def _register(meaning: Callable[..., Any], **fields: Any) -> Any:
    name = fields.pop("name", None) or meaning.__name__.strip("_")
    if not name.isidentifier():
        raise DeclarationError(
            f"an op cannot be named {name!r}", hint="name='...' with letters, digits and _"
        )
    if name in OPS:
        raise DeclarationError(f"an op named {name!r} exists already")
    check_fields(fields)
    fields = {f: (v,) if type(v) is str and f in LISTS else v for f, v in fields.items()}
    check_types(name, fields, hint)
    fields |= {f: bounds(name, f, fields[f]) for f in ("image", "domain") if fields.get(f) is not None}
    declaration = Declaration(name=name, meaning=meaning, doc=inspect.getdoc(meaning) or "", **fields)
    check_names(declaration, fields)
    check_properties(declaration)
    check_declaration(declaration, OPS)
    check_takes(declaration, fields)
    named = {
        f: [op for op in ops if op not in (name, *OPS)] for f, ops in ops_named(declaration, fields).items()
    }
    if any(named.values()):
        OPS.waiting[name] = named
    declared = declaration if declaration.parameters else declaration.bind()
    OPS[name] = declaration
    if declaration.failure:
        beside = twin(declaration)
        OPS[beside.name] = beside
    return declared


def forget_op(name: str) -> None:
    """Remove a declaration; for tests that declare ops of their own.

    >>> from eqsat.graph.declare import OPS, elemwise, forget_op
    >>> halve = elemwise(c="({x} / 2)", signature="f->f", name="halve")(lambda x: x / 2)
    >>> forget_op("halve")
    >>> "halve" in OPS
    False
    """
    declaration = OPS.pop(name, None)
    for key in [k for k in _BOUND if k[0] == name]:
        del _BOUND[key]
    if declaration is not None and declaration.failure and not declaration.raises:
        forget_op(twin(declaration).name)
