"""Arguments of function(): inputs, outputs, updates and givens, checked and brought to one form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from eqsat.base.notices import warn
from eqsat.errors import (
    ArgumentError,
    DTypeError,
    EqsatError,
    MissingInputError,
    NullTypeGradError,
    RankError,
    ShapeError,
    UnusedInputError,
)
from eqsat.graph.constant import as_tensor
from eqsat.graph.core import Constant, Variable
from eqsat.graph.ops.specify import unbroadcast_like
from eqsat.graph.tensor_type import TensorType, refuse_unplain, shorten
from eqsat.graph.walk import ancestors, clone_with, graph_inputs, toposort
from eqsat.tensor.shared import TensorSharedVariable


class In:
    """An input with a default value, another name, or leave to keep or overwrite the caller's array.

    ``value`` is used where the call gives none; ``name`` is the keyword of the input; ``borrow`` and
    ``mutable`` allow the function to use the caller's array as it is, or as memory for results.

    Errors   those of ``eqsat.function``, when it is made

    >>> import eqsat, eqsat.tensor as T
    >>> x, rate = T.dscalar("x"), T.dscalar("rate")
    >>> f = eqsat.function([x, eqsat.In(rate, value=0.5)], x * rate, mode="reference")
    >>> f(4.0), f(4.0, rate=2.0)
    (array(2.), array(8.))
    """

    def __init__(
        self,
        variable: Variable,
        name: str | None = None,
        value: Any = None,
        borrow: bool = False,
        mutable: bool = False,
        strict: bool = False,
        allow_downcast: bool | None = None,
    ) -> None:
        if not isinstance(variable, Variable):
            raise ArgumentError(f"In: {variable!r} is not a variable")
        self.variable = variable
        self.name = name if name is not None else getattr(variable, "name", None)
        self.borrow, self.mutable = borrow or mutable, mutable
        self.strict, self.allow_downcast = strict, allow_downcast
        self.default = None if value is None else self.checked(value)

    def checked(self, value: Any) -> Any:
        """A copy of a default as the variable's type stores it; the error names the variable."""
        try:
            array = self.variable.type.filter(value, self.strict, self.allow_downcast)
        except EqsatError as error:
            raise type(error)(
                f"In: the default of {self.variable}: {error.message}",
                operands=[(str(self.variable), self.variable)],
                needs=error.needs,
                hint=error.hint,
            ) from None
        return array.copy() if isinstance(array, np.ndarray) else array

    def __repr__(self) -> str:
        return f"In({self.variable})"


class Out:
    """An output; ``borrow`` is taken for the sake of older programs, since results never share memory.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> eqsat.function([x], Out(x + 1, borrow=True))(1.0)
    array(2.)
    """

    def __init__(self, variable: Any, borrow: bool = False) -> None:
        self.variable, self.borrow = variable, borrow

    def __repr__(self) -> str:
        return f"Out({self.variable})"


def keyed(outputs: Any, keys: Sequence[str] | None) -> tuple[list[str] | None, Any]:
    """The keys of outputs that are given as a dict or with keys beside them, and the outputs without them."""
    if isinstance(outputs, Mapping):
        keys, outputs = list(outputs), list(outputs.values())
    if keys is not None and (not isinstance(outputs, (list, tuple)) or len(keys) != len(outputs)):
        raise ArgumentError(
            f"function: {len(keys)} output_keys do not fit the outputs", needs="a key for each output"
        )
    return (None if keys is None else list(keys)), outputs


def listed(what: str, value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise ArgumentError(f"function: the {what} are not a list but {value!r}", hint="function([x], y)")
    return list(value)


def as_in(item: Any, downcast: bool | None) -> In:
    spec = item if isinstance(item, In) else None
    variable = item.variable if spec is not None else item
    if not isinstance(variable, Variable):
        raise ArgumentError(
            f"function: the input {variable!r} is not a variable", needs="a variable or In(variable)"
        )
    if isinstance(variable, Constant):
        raise ArgumentError(
            f"function: the constant {variable} cannot be an input", operands=[("constant", variable)]
        )
    if isinstance(variable, TensorSharedVariable):
        raise ArgumentError(
            f"function: the shared variable {variable} cannot be an input",
            hint=f"givens={{{variable}: x}}, or {variable}.set_value(...) before the call",
        )
    spec = copy(spec) if spec is not None else In(variable)
    if spec.allow_downcast is None:
        spec.allow_downcast = downcast
    return spec


def as_output(value: Any) -> Any:
    """Variable of an output; numbers and arrays become constants."""
    value = value.variable if isinstance(value, Out) else value
    refuse_unplain(value)
    try:
        return value if isinstance(value, Variable) else as_tensor(value)
    except EqsatError:
        raise ArgumentError(
            f"function: {shorten(value)} is neither a variable nor a number",
            needs="a variable, a list of variables, a dict of them or None",
        ) from None


def _pairs(what: str, value: Any) -> list[tuple[Any, Any]]:
    if value is None:
        return []
    items = list(value.items()) if isinstance(value, Mapping) else list(value)
    for item in items:
        if not isinstance(item, (tuple, list)) or len(item) != 2:
            raise ArgumentError(f"function: {what} holds {item!r}", needs="a dict or a list of pairs")
    return [(a, b) for a, b in items]


def check_updates(updates: Any) -> list[tuple[TensorSharedVariable, Any]]:
    """Shared variables and their new values, of the shared variables' types."""
    result: list[tuple[TensorSharedVariable, Any]] = []
    for target, value in _pairs("updates", updates):
        if not isinstance(target, TensorSharedVariable):
            raise ArgumentError(
                f"function: {target} is updated but is not shared", hint="w = eqsat.shared(value, 'w')"
            )
        if any(target is s for s, _ in result):
            raise ArgumentError(f"function: {target} is updated twice")
        result.append((target, _same_type("the update of", target, as_output(value))))
    return result


def default_updates(
    roots: Sequence[Variable],
    updated: Sequence[Any],
    refused: bool | Sequence[Any],
    stop: Sequence[Variable] = (),
) -> list[tuple[TensorSharedVariable, Any]]:
    """The default updates of the shared variables that a graph reads, and of those that these updates read.

    What lies behind the variables in ``stop``, the inputs of the function, is not read.
    """
    if refused is True:
        return []
    done = {*updated, *_refused(refused)}
    result: list[tuple[TensorSharedVariable, Any]] = []
    work = list(roots)
    while work:
        fresh = [v for v in graph_inputs(work, stop) if isinstance(v, TensorSharedVariable) and v not in done]
        found = [(v, new) for v in fresh if (new := getattr(v, "default_update", None)) is not None]
        done.update(fresh)
        result += check_updates(found)
        work = [value for _, value in found]
    return result


def _refused(variables: Any) -> list[Any]:
    if variables is False:
        return []
    if not isinstance(variables, (list, tuple, set, frozenset)):
        raise ArgumentError(
            f"function: no_default_updates does not take {variables!r}",
            needs="True, False or a list of shared variables",
        )
    return list(variables)


def check_givens(givens: Any) -> dict[Variable, Variable]:
    """Variables and their replacements, of the same types."""
    result: dict[Variable, Variable] = {}
    for target, value in _pairs("givens", givens):
        if not isinstance(target, Variable):
            raise ArgumentError(f"function: givens replaces {target!r}, which is not a variable")
        result[target] = _same_type("the replacement of", target, as_output(value))
    return result


def _same_type(what: str, target: Any, value: Any) -> Any:
    if not isinstance(target.type, TensorType):
        return value
    have, want = value.type, target.type
    facts: Any = {"operands": [(str(target), target), ("value", value)]}
    if have.ndim != want.ndim:
        raise RankError(f"function: {what} {target} has {have.ndim} dimensions, not {want.ndim}", **facts)
    if have.dtype != want.dtype:
        if not (isinstance(value, Constant) and value.data.ndim == 0):
            hint = f"value.astype({want.dtype!r})"
            widened = (have.dtype, want.dtype) == ("float64", "float32")
            wide = _widening(value, want.dtype) if widened else None
            if wide is not None:
                facts["operands"].append((f"{have.dtype} since", Origin(wide)))
                hint += "; or config.weak_scalars = True before the graph is made, by which numbers take the dtype beside them"
            raise DTypeError(
                f"function: {what} {target} is {have.dtype}, not {want.dtype}", **facts, hint=hint
            )
        value = as_tensor(want.filter(value.data, allow_downcast=True))
    for axis, (h, w) in enumerate(zip(value.type.shape, want.shape, strict=True)):
        if h is not None and w is not None and h != w:
            raise ShapeError(f"function: axis {axis} of {what} {target} has length {h}, not {w}", **facts)
    return unbroadcast_like(value, target)


class Origin:
    """A variable as an error shows where a dtype came from: the expression, its operands' dtypes and the line."""

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def __str__(self) -> str:
        kinds = ", ".join(v.type.short() for v in self.variable.owner.inputs)
        return f"{self.variable.owner.op.name} of {kinds}   made at {self.variable.made_at}"


def _widening(value: Any, narrow: str) -> Any:
    """The first result of a graph in the dtype of the value that is made of floats of a narrower one; None without any."""
    wide, cast = value.type.dtype, set()
    for node in toposort([value]):
        out: Any = node.outputs[0]
        kinds = [getattr(v.type, "dtype", "") for v in node.inputs]
        if getattr(out.type, "dtype", "") != wide:
            continue
        if getattr(node.op, "name", "") == "cast" and kinds == [narrow]:
            cast.add(out)
        elif narrow in kinds or not cast.isdisjoint(node.inputs):
            return out
    return value if value in cast else None


def check_policy(policy: str) -> None:
    """Refuse what is no answer to inputs that nobody needs.

    Errors   ArgumentError
    """
    known = ("raise", "warn", "ignore")
    if policy not in known:
        raise ArgumentError(f"function: on_unused_input does not take {policy!r}", among=(policy, known))


def check_inputs(
    given: Sequence[In], outputs: Sequence[Variable], policy: str, derived: Callable[[], Sequence[Variable]]
) -> None:
    """Every input used, each once, and every free variable given.

    Inputs of what ``derived`` gives count as used; it is asked only where some are not.
    """
    check_policy(policy)
    variables = [i.variable for i in given]
    count = Counter(map(id, variables))
    for v in variables:
        if count[id(v)] > 1:
            raise ArgumentError(f"function: the input {v} is listed twice")
    leaves = graph_inputs(outputs, stop=variables)
    known, used = set(variables), set(leaves)
    for leaf in leaves:
        if hasattr(leaf.type, "why_null"):
            raise NullTypeGradError(
                f"function: the graph holds a gradient that is not defined: {leaf.type.why_null}"
            )
        if leaf not in known and not isinstance(leaf, (Constant, TensorSharedVariable)):
            raise MissingInputError(
                f"function: the graph needs {leaf}, which is not among the inputs",
                operands=[(str(leaf), leaf)],
                hint=f"function([..., {leaf}], outputs), or givens={{{leaf}: value}}",
            )
    if policy != "ignore" and not known <= used:
        used.update(graph_inputs(derived(), stop=variables))
    for v in variables:
        if v not in used and policy != "ignore":
            message = f"function: no output depends on the input {v}"
            if policy == "raise":
                raise UnusedInputError(
                    message, operands=[(str(v), v)], hint="function(..., on_unused_input='ignore')"
                )
            warn(message)


def sources_of(outputs: Sequence[Variable]) -> list[Variable]:
    """The variables that derivatives among the ancestors of some outputs are taken by, and the ancestors of these."""
    found: dict[Variable, None] = {}
    work = list(outputs)
    while work:
        notes = [v.tag.reads for v in ancestors(work) if hasattr(getattr(v, "_tag", None), "reads")]
        work = [w for note in notes for w in note if w not in found]
        found.update(dict.fromkeys(work))
    return list(found)


def cut_at(given: Sequence[In], outputs: Sequence[Variable]) -> list[Variable]:
    """The outputs with each input that an op computes replaced by a variable of its own, which is then given."""
    cut: dict[Variable, Variable] = {}
    for spec in given:
        if spec.variable.owner is not None:
            leaf = cut[spec.variable] = spec.variable.type.make_variable(spec.variable.name)
            leaf.comes_from(spec.variable)
            spec.variable = leaf
    return clone_with(outputs, cut) if cut else list(outputs)
