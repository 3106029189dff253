"""Compiled functions: from input and output variables to a callable with shared state."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from eqsat.compile import Executable, build
from eqsat.configuration import config
from eqsat.errors import (
    ArgumentError,
    DTypeError,
    EqsatError,
    EqsatWarning,
    MissingInputError,
    RankError,
    ShapeError,
    UnusedInputError,
)
from eqsat.graph.constant import as_tensor
from eqsat.graph.core import Constant, Variable
from eqsat.graph.ops.shape import unbroadcast_like
from eqsat.graph.tensor_type import TensorType, shorten
from eqsat.graph.walk import clone_with, graph_inputs
from eqsat.modes import Mode, get_mode
from eqsat.profile import Profile
from eqsat.tensor.shared import TensorSharedVariable


class In:
    """An input with a default value, another name, or leave to keep or overwrite the caller's array.

    ``value`` is used where the call gives none; ``name`` is the keyword of the input; ``borrow`` and
    ``mutable`` allow the function to use the caller's array as it is, or as memory for results.
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


def function(
    inputs: Sequence[Any],
    outputs: Any = None,
    updates: Any = None,
    givens: Any = None,
    mode: Any = None,
    on_unused_input: str = "raise",
    allow_input_downcast: bool | None = None,
    name: str | None = None,
    rules: Any = None,
    model: Any = None,
    no_default_updates: bool | Sequence[Any] = False,
    profile: bool | None = None,
    output_keys: Sequence[str] | None = None,
) -> Function:
    """Compile a graph into a function of NumPy arrays.

    ``inputs`` are variables or ``In``; ``outputs`` a variable (a call gives an array), a list or tuple (a list
    of arrays), a dict (a dict with its keys; ``output_keys`` makes one of a list) or None (None). ``updates`` maps
    shared variables to new values, all computed from the old values before any is stored. ``givens`` maps variables
    to what replaces them. ``mode`` is "FAST_RUN", "FAST_COMPILE", "numpy" or "reference";
    ``on_unused_input`` "raise", "warn" or "ignore". ``rules`` and ``model`` choose the rewriting (see
    ``eqsat.optimize``). A shared variable of the graph with a ``default_update`` (the state of a random stream)
    takes it where ``updates`` does not say otherwise, unless ``no_default_updates`` is True or lists it.
    ``profile`` times every kernel: see ``f.profile``, which is also printed when the process ends.

    Errors   MissingInputError for a variable that the graph needs and that is no input; UnusedInputError;
             ArgumentError, DTypeError, RankError for updates and givens of another type

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> f = eqsat.function([x], 2 * x)
    >>> f([1.0, 2.0])
    array([2., 4.])
    """
    given = [_as_in(i, allow_input_downcast) for i in _listed("inputs", inputs)]
    keys, outputs = _keyed(outputs, output_keys)
    single = None if outputs is None else not isinstance(outputs, (list, tuple))
    roots = [as_output(v) for v in ([outputs] if single else outputs or ())]
    pairs = check_updates(updates)
    replacements = check_givens(givens)
    replaced = clone_with([*roots, *(v for _, v in pairs)], replacements)
    for target, value in default_updates(replaced, [s for s, _ in pairs], no_default_updates):
        pairs.append((target, value))
        replaced += clone_with([value], replacements)
    check_inputs(given, replaced, on_unused_input)
    return Function(
        given,
        cut_at(given, replaced),
        [s for s, _ in pairs],
        single,
        get_mode(mode),
        name,
        rules,
        model,
        config.profile if profile is None else bool(profile),
        keys,
    )


def _keyed(outputs: Any, keys: Sequence[str] | None) -> tuple[list[str] | None, Any]:
    """The keys of outputs that are given as a dict or with keys beside them, and the outputs without them."""
    if isinstance(outputs, Mapping):
        keys, outputs = list(outputs), list(outputs.values())
    if keys is not None and (not isinstance(outputs, (list, tuple)) or len(keys) != len(outputs)):
        raise ArgumentError(
            f"function: {len(keys)} output_keys do not fit the outputs", needs="a key for each output"
        )
    return (None if keys is None else list(keys)), outputs


def _listed(what: str, value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise ArgumentError(f"function: the {what} are not a list but {value!r}", hint="function([x], y)")
    return list(value)


def _as_in(item: Any, downcast: bool | None) -> In:
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
    roots: Sequence[Variable], updated: Sequence[Any], refused: bool | Sequence[Any]
) -> list[tuple[TensorSharedVariable, Any]]:
    """The default updates of the shared variables that a graph reads, and of those that these updates read."""
    if refused is True:
        return []
    done = {*updated, *_refused(refused)}
    result: list[tuple[TensorSharedVariable, Any]] = []
    work = list(roots)
    while work:
        fresh = [v for v in graph_inputs(work) if isinstance(v, TensorSharedVariable) and v not in done]
        found = [(v, v.default_update) for v in fresh if v.default_update is not None]
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
            raise DTypeError(
                f"function: {what} {target} is {have.dtype}, not {want.dtype}",
                **facts,
                hint=f"value.astype({want.dtype!r})",
            )
        value = as_tensor(want.filter(value.data, allow_downcast=True))
    for axis, (h, w) in enumerate(zip(value.type.shape, want.shape, strict=True)):
        if h is not None and w is not None and h != w:
            raise ShapeError(f"function: axis {axis} of {what} {target} has length {h}, not {w}", **facts)
    return unbroadcast_like(value, target)


def check_inputs(given: Sequence[In], outputs: Sequence[Variable], policy: str) -> None:
    """Every input used, each once, and every free variable given."""
    if policy not in ("raise", "warn", "ignore"):
        raise ArgumentError(
            f"function: on_unused_input does not take {policy!r}", needs="one of raise, warn, ignore"
        )
    variables = [i.variable for i in given]
    for k, v in enumerate(variables):
        if any(v is w for w in variables[:k]):
            raise ArgumentError(f"function: the input {v} is listed twice")
    leaves = graph_inputs(outputs, stop=variables)
    known, used = set(variables), set(leaves)
    for leaf in leaves:
        if leaf not in known and not isinstance(leaf, (Constant, TensorSharedVariable)):
            raise MissingInputError(
                f"function: the graph needs {leaf}, which is not among the inputs",
                operands=[(str(leaf), leaf)],
                hint=f"function([..., {leaf}], outputs), or givens={{{leaf}: value}}",
            )
    for v in variables:
        if v not in used and policy != "ignore":
            message = f"function: no output depends on the input {v}"
            if policy == "raise":
                raise UnusedInputError(
                    message, operands=[(str(v), v)], hint="function(..., on_unused_input='ignore')"
                )
            warnings.warn(message, EqsatWarning, stacklevel=3)


def cut_at(given: Sequence[In], outputs: Sequence[Variable]) -> list[Variable]:
    """The outputs with each input that an op computes replaced by a variable of its own, which is then given."""
    cut: dict[Variable, Variable] = {}
    for spec in given:
        if spec.variable.owner is not None:
            leaf = cut[spec.variable] = spec.variable.type.make_variable(spec.variable.name)
            leaf.made_at = spec.variable.made_at
            spec.variable = leaf
    return clone_with(outputs, cut) if cut else list(outputs)


class Function:
    """A compiled function. Call it with arrays in the order of its inputs, or by the names of the inputs.

    ``c_source`` is the generated C or None, ``report`` what the optimiser did, ``seconds`` the time of each
    stage of making it, ``inputs`` and ``outputs`` the variables it was made of.
    """

    def __init__(
        self,
        given: list[In],
        roots: list[Variable],
        shared: list[TensorSharedVariable],
        single: bool | None,
        mode: Mode,
        name: str | None,
        rules: Any = None,
        model: Any = None,
        profile: bool = False,
        keys: list[str] | None = None,
    ) -> None:
        self.keys = keys
        self.given, self.mode, self.name, self.single = given, mode, name, single
        self.rules, self.model, self.profiling = rules, model, profile
        self.count = len(given)
        self.inputs = [i.variable for i in given]
        self.roots = roots
        self.outputs = roots[: len(roots) - len(shared)]
        self.updated = shared
        stop = set(self.inputs)
        self.state = [v for v in graph_inputs(roots, stop) if isinstance(v, TensorSharedVariable)]
        self.executable: Executable = build(
            [*self.inputs, *self.state], roots, mode, rules, model, profile, self._updates()
        )
        self.profile = self._profiled() if profile else None
        self._call = (
            self.executable.call if self.profile is None else self.profile.timed(self.executable.call)
        )
        self.bind_state()
        self._results = len(self.outputs)
        self._defaults = any(i.default is not None for i in given)
        arrays = all(isinstance(v.type, TensorType) for v in self.inputs)
        self._checked = arrays and mode.compiled and self.executable.source is not None

    def bind_state(self) -> None:
        """Note where the values of the shared variables lie."""
        self._boxes = [s.container for s in self.state]
        self._targets = [s.container for s in self.updated]

    def _profiled(self) -> Profile:
        steps = self.executable.profile or (list)
        profile = Profile(str(self), steps, self.executable.seconds)
        profile.print_at_exit()
        return profile

    def _updates(self) -> dict[int, int]:
        """Number of each result that is the new value of a shared variable which is also read, and of that argument."""
        place = {s: len(self.inputs) + k for k, s in enumerate(self.state)}
        first = len(self.outputs)
        return {first + k: place[s] for k, s in enumerate(self.updated) if s in place}

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if keywords or len(args) != self.count:
            args = self._bind(args, keywords)
        if self._boxes:
            args = (*args, *[box[0] for box in self._boxes])
        results = self._call(*args) if self._checked else None
        if results is None:
            args = self._converted(args)
            results = self._call(*args)
            assert results is not None, "an argument of the right type was refused"
        if self._targets:
            for box, value in zip(self._targets, results[self._results :], strict=True):
                box[0] = value
            results = results[: self._results]
        if self.single:
            return results[0]
        if self.keys is not None:
            return dict(zip(self.keys, results, strict=True))
        return results if self.single is not None else None

    def _converted(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments, each brought to its type, or the error that says why not."""
        plain = [self._filtered(spec, value) for spec, value in zip(self.given, args, strict=False)]
        return (*plain, *args[self.count :])

    def _filtered(self, spec: In, value: Any) -> Any:
        where = f"input {spec.name or self.given.index(spec)}"
        try:
            array = spec.variable.type.filter(value, spec.strict, spec.allow_downcast)
        except EqsatError as error:
            raise type(error)(
                f"{self}: {where}: {error.message}",
                operands=[(spec.name or where, spec.variable)],
                needs=error.needs,
                hint=error.hint,
            ) from None
        except (TypeError, ValueError) as error:
            tensor = isinstance(spec.variable.type, TensorType)
            raise ArgumentError(
                f"{self}: {where}: {f'no array can be made of {shorten(value)}' if tensor else error}",
                operands=[(spec.name or where, spec.variable)],
            ) from None
        if isinstance(array, np.ndarray) and not (array.flags.aligned and array.dtype.isnative):
            array = np.require(array, array.dtype.newbyteorder("="), "A")
        return array

    def _bind(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[Any, ...]:
        """Arguments in order, from positions, keywords and defaults."""
        if len(args) > self.count:
            takes = f"{self.count} argument{'s' if self.count != 1 else ''}"
            raise ArgumentError(f"{self} takes {takes}, {len(args)} were given")
        values: list[Any] = [*args, *[None] * (self.count - len(args))]
        present = [True] * len(args) + [False] * (self.count - len(args))
        names = {spec.name: k for k, spec in enumerate(self.given) if spec.name is not None}
        for word, value in keywords.items():
            if word not in names:
                raise ArgumentError(
                    f"{self} has no input named {word!r}",
                    needs="one of " + ", ".join(names) if names else None,
                )
            if (same := sum(spec.name == word for spec in self.given)) > 1:
                raise ArgumentError(
                    f"{self}: the name {word!r} belongs to {same} inputs", hint="give them by position"
                )
            if present[names[word]]:
                raise ArgumentError(f"{self}: the input {word!r} is given twice")
            values[names[word]], present[names[word]] = value, True
        missing = [spec for k, spec in enumerate(self.given) if not present[k] and spec.default is None]
        if missing:
            named = [(spec.name or f"input {self.given.index(spec)}", spec.variable) for spec in missing]
            words = ", ".join(name for name, _ in named)
            raise ArgumentError(
                f"{self}: missing {'inputs' if len(named) > 1 else 'input'} {words}", operands=named
            )
        for k, spec in enumerate(self.given):
            if not present[k]:
                values[k] = spec.default
        return tuple(values)

    def copy(
        self,
        share_memory: bool = False,
        swap: Mapping[Any, Any] | None = None,
        delete_updates: bool = False,
        name: str | None = None,
    ) -> Function:
        """A function that computes the same; see ``eqsat.function_copy.copied``."""
        from eqsat.function_copy import copied

        return copied(self, swap or {}, delete_updates, name)

    def __copy__(self) -> Function:
        return self.copy()

    def __reduce__(self) -> Any:
        from eqsat.function_copy import reduced

        return reduced(self)

    @property
    def maker(self) -> Any:
        """What the function was made of: ``f.maker.fgraph`` is the graph that runs."""
        from eqsat.function_copy import Maker

        return Maker(self)

    @property
    def c_source(self) -> str | None:
        """The generated C, or None where the function runs in NumPy."""
        return self.executable.source

    @property
    def outputs_optimised(self) -> list[Any]:
        """The rewritten outputs and updates."""
        return self.executable.outputs

    @property
    def report(self) -> Any:
        """What the optimiser did; None in modes that do not rewrite."""
        return self.executable.report

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of each stage of making the function."""
        return self.executable.seconds

    def __str__(self) -> str:
        return self.name or "function"

    def __repr__(self) -> str:
        words = ", ".join(str(v) for v in self.inputs)
        return f"<eqsat.Function {self.name or ''}({words}) {self.mode.name}>"


_EVALUATED: dict[Any, Any] = {}


def evaluate(variable: Any, values: Mapping[Any, Any] | None = None, mode: Any = None) -> Any:
    """Value of a variable for values of the inputs, which are variables or their names."""
    given = {_named_leaf(variable, key): value for key, value in dict(values or {}).items()}
    key = (variable, tuple(given), get_mode(mode))
    found = _EVALUATED.get(key)
    if found is None:
        if len(_EVALUATED) > 256:
            _EVALUATED.clear()
        try:
            found = _EVALUATED[key] = function(list(given), variable, mode=mode, on_unused_input="ignore")
        except MissingInputError as error:
            name, leaf = error.operands[0]
            raise MissingInputError(
                f"eval: no value is given for {name}",
                operands=[(name, leaf)],
                hint=f"eval({{{name}: value}})",
            ) from None
    return found(*given.values())


def _named_leaf(variable: Any, key: Any) -> Any:
    """The input of a graph that a key of ``eval`` means: the variable itself, or the one with that name."""
    if not isinstance(key, str):
        return key
    leaves = [v for v in graph_inputs([variable]) if not isinstance(v, (Constant, TensorSharedVariable))]
    found = [v for v in leaves if v.name == key]
    if len(found) > 1:
        raise ArgumentError(f"eval: {len(found)} inputs have the name {key!r}", hint="eval({x: value})")
    if not found:
        names = ", ".join(v.name for v in leaves if v.name)
        raise ArgumentError(
            f"eval: the graph has no input named {key!r}", needs=f"one of {names}" if names else None
        )
    return found[0]
