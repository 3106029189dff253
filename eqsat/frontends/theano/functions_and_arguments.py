"""``theano.function``: its arguments in Theano's order, inputs that keep a state, and values that are read by name."""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, cast

import eqsat
from eqsat import tensor
from eqsat.errors import ArgumentError, DTypeError, UnusedInputError
from eqsat.frontends.theano.mode_names import as_mode
from eqsat.functions.function import Function
from eqsat.graph.core import Constant, Variable
from eqsat.graph.updates import OrderedUpdates
from eqsat.graph.walk import ancestors
from eqsat.tensor.shared import TensorSharedVariable

T: Any = tensor
ORDER = (
    *("mode", "updates", "givens", "no_default_updates", "accept_inplace", "name", "rebuild_strict"),
    *("allow_input_downcast", "profile", "on_unused_input"),
)
NO_COUNTERPART = ("accept_inplace", "rebuild_strict", "no_default_updates_strict", "extra_tag_to_remove")


class In(eqsat.In):
    """``theano.In``: an input with a default, and with ``update`` a state that every call replaces."""

    def __init__(
        self,
        variable: Any,
        name: str | None = None,
        value: Any = None,
        update: Any = None,
        mutable: bool | None = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        autoname: bool = True,
        implicit: bool | None = None,
        borrow: bool | None = None,
        shared: bool = False,
    ) -> None:
        self.box = value if isinstance(value, Container) else None
        value = None if self.box is not None else value
        super().__init__(variable, name, value, bool(borrow), bool(mutable), strict, allow_downcast)
        if not autoname:
            self.name = name
        self.update = update
        kind, new = variable.type, getattr(update, "type", variable.type)
        if (kind.dtype, kind.ndim) != (new.dtype, new.ndim):
            raise DTypeError(
                f"In: the update of {variable} has another type",
                operands=[(str(variable), variable), ("update", update)],
            )

    @property
    def value(self) -> Any:
        """The default, or the container of another function whose value this input has."""
        return self.default if self.box is None else self.box

    @property
    def stateful(self) -> bool:
        """True where the value outlives a call."""
        return self.update is not None or self.box is not None


class Container:
    """The place of an input's value: ``value`` is read and set, and another function may share it."""

    def __init__(self, store: Any, given: eqsat.In) -> None:
        self.store, self.given = store, given

    @property
    def value(self) -> Any:
        """The value of the input between calls; None where it has none."""
        if self.store is not None:
            return self.store.get_value(borrow=True)
        return self.given.default

    @value.setter
    def value(self, new: Any) -> None:
        if self.store is not None:
            self.store.set_value(new)
        else:
            self.given.default = self.given.checked(new)

    data = value

    @property
    def type(self) -> Any:
        """The type of the input."""
        return self.given.variable.type

    @property
    def name(self) -> str | None:
        """The name of the input."""
        return self.given.name

    @property
    def storage(self) -> list[Any]:
        """The list of one value that the function reads."""
        return self.store.container if self.store is not None else [self.given.default]


class Values:
    """``f.container`` and ``f.value``: by the place, the name or the variable of an input."""

    def __init__(self, containers: dict[Any, Container], read: bool) -> None:
        self.containers, self.read = containers, read

    def _of(self, key: Any) -> Container:
        if key not in self.containers:
            names = ", ".join(k for k in self.containers if isinstance(k, str))
            raise ArgumentError(
                f"no input has the key {key!r}", needs=f"a place, a variable or one of {names}"
            )
        return self.containers[key]

    def __getitem__(self, key: Any) -> Any:
        container = self._of(key)
        return container.value if self.read else container

    def __setitem__(self, key: Any, value: Any) -> None:
        self._of(key).value = value

    def __contains__(self, key: Any) -> bool:
        return key in self.containers

    def __len__(self) -> int:
        return len({id(c) for c in self.containers.values()})


class OldFunction(Function):
    """A compiled function whose inputs and shared variables are read and set as ``f["name"]`` and ``f[variable]``."""

    trust_input = False

    @property
    def outputs(self) -> list[Any]:
        """The outputs as ``Out``, whose ``variable`` is the variable."""
        return [eqsat.Out(v) for v in super().outputs]

    def _places(self) -> list[tuple[Any, str | None, Container]]:
        """Variable, name and container of each input and of each shared variable."""
        inputs = [(i.variable, i.name, Container(None, i)) for i in self.given]
        return [*inputs, *((v, v.name, Container(v, eqsat.In(v))) for v in self.state)]

    def _containers(self) -> dict[Any, Container]:
        found: dict[Any, Container] = {}
        for place, (variable, name, container) in enumerate(self._places()):
            found |= {place: container, variable: container}
            if name is not None:
                found.setdefault(name, container)
        return found

    @property
    def input_storage(self) -> list[Container]:
        """The containers of the inputs, in order."""
        return [Container(None, i) for i in self.given]

    @property
    def container(self) -> Values:
        """The containers of the inputs."""
        return Values(self._containers(), False)

    @property
    def value(self) -> Values:
        """The values of the inputs between calls."""
        return Values(self._containers(), True)

    def __getitem__(self, key: Any) -> Any:
        return self.value[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.value[key] = value

    def __contains__(self, key: Any) -> bool:
        return key in self._containers()

    def get_shared(self) -> list[Any]:
        """The shared variables that the function reads or updates."""
        return list(dict.fromkeys([*self.state, *self.updated]))

    def free(self) -> None:
        """Nothing is held between calls."""


class Stateful(OldFunction):
    """A function some of whose inputs have a state: a value given in a call replaces it."""

    wanted: list[In]
    stores: dict[Any, Any]

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if len(args) > len(self.wanted):
            raise ArgumentError(f"{self} takes {len(self.wanted)} arguments, {len(args)} were given")
        rest = []
        for spec, value in zip(self.wanted, args, strict=False):
            if spec.stateful:
                self.stores[spec.variable].set_value(value)
            else:
                rest.append(value)
        for spec in self.wanted:
            if spec.stateful and spec.name in keywords:
                self.stores[spec.variable].set_value(keywords.pop(spec.name))
        return super().__call__(*rest, **keywords)

    def __reduce__(self) -> Any:
        kind, how = super().__reduce__()
        return kind, how, {"wanted": self.wanted, "stores": self.stores}

    def _places(self) -> list[tuple[Any, str | None, Container]]:
        plain = {variable: container for variable, _, container in super()._places()}
        own = []
        for spec in self.wanted:
            store = self.stores.get(spec.variable)
            container = plain[spec.variable] if store is None else Container(store, spec)
            own.append((spec.variable, spec.name, container))
        hidden = set(self.stores.values())
        return own + [(v, v.name, plain[v]) for v in self.state if v not in hidden]


# Variables on which an expression depended as it was written, although what was built of it does not.
_EXCUSED: weakref.WeakSet[Variable] = weakref.WeakSet()


def excuse(value: Any) -> None:
    """Remember that inputs of a graph may be unused later: Theano's graph of the same expression reads them."""
    variables = value if isinstance(value, (list, tuple)) else [value]
    for v in ancestors([v for v in variables if isinstance(v, Variable)]):
        if v.owner is None:
            _EXCUSED.add(v)


def function(inputs: Any, outputs: Any = None, *args: Any, **options: Any) -> Any:
    """``eqsat.function`` with the arguments of Theano; those without a counterpart are taken and ignored."""
    options |= dict(zip(ORDER, args, strict=False))
    for name in NO_COUNTERPART:
        options.pop(name, None)
    options["mode"] = as_mode(options.get("mode"))
    options["on_unused_input"] = options.get("on_unused_input") or "raise"
    profile = options.get("profile")
    options["profile"] = None if profile is None else bool(profile)
    wanted = [_as_in(item) for item in inputs] if isinstance(inputs, (list, tuple)) else inputs
    outputs = [] if outputs is None else outputs
    if isinstance(wanted, list) and any(spec.stateful for spec in wanted if isinstance(spec, In)):
        return _stateful(wanted, outputs, options)
    made = _made(wanted, outputs, options)
    made.__class__ = OldFunction
    return made


def _made(inputs: Any, outputs: Any, options: dict[str, Any]) -> Function:
    """The function; inputs that an excused expression read do not count as unused."""
    try:
        return eqsat.function(inputs, outputs, **options)
    except UnusedInputError as error:
        if not all(isinstance(v, Variable) and v in _EXCUSED for _, v in error.operands):
            raise
        return eqsat.function(inputs, outputs, **(options | {"on_unused_input": "ignore"}))


def _as_in(item: Any) -> Any:
    """An input from Theano's shortcuts: a variable, (name, v), (v, value), ((v, update), value), (name, v, value)."""
    if not isinstance(item, (tuple, list)):
        return item
    parts = list(item)
    name = parts.pop(0) if isinstance(parts[0], str) else None
    target, value = parts[0], parts[1] if len(parts) > 1 else None
    variable, update = target if isinstance(target, (tuple, list)) else (target, None)
    return In(variable, name=name, value=value, update=update)


def _stateful(wanted: Sequence[Any], outputs: Any, options: dict[str, Any]) -> Stateful:
    """A function whose inputs with an update are shared variables inside."""
    specs = [spec if isinstance(spec, In) else In(spec) for spec in wanted]
    stores: dict[Any, Any] = {}
    for spec in specs:
        if spec.stateful:
            own = (
                TensorSharedVariable(cast(Any, spec.variable.type), spec.default, spec.name)
                if spec.box is None
                else None
            )
            stores[spec.variable] = own if spec.box is None else spec.box.store
    updates = OrderedUpdates(options.get("updates") or ())
    for spec in specs:
        if spec.update is not None:
            updates[stores[spec.variable]] = spec.update
    givens = options.get("givens") or {}
    pairs = dict(givens.items() if isinstance(givens, Mapping) else givens)
    options = options | {"updates": updates, "givens": pairs | stores}
    made: Any = _made([spec for spec in specs if not spec.stateful], outputs, options)
    made.__class__ = Stateful
    made.wanted, made.stores = specs, stores
    return made  # type: ignore[no-any-return]


def function_dump(filename: str, inputs: Any, outputs: Any = None, *args: Any, **options: Any) -> None:
    """Pickle what ``theano.function`` would be called with."""
    names = dict(zip(ORDER, args, strict=False))
    options.pop("extra_tag_to_remove", None)
    with open(filename, "wb") as file:
        pickle.dump({"inputs": inputs, "outputs": outputs} | names | options, file, protocol=-1)


def param(variable: Any, default: Any = None, **options: Any) -> Any:
    """``theano.Param``: an input with a default."""
    return In(variable, value=options.pop("value", default), **options)


def specify_shape(x: Any, *shape: Any) -> Any:
    """``specify_shape``: lengths may be variables, which are compared when the function is called.

    x counts as read even where only the shape is asked for.
    """
    excuse(x)
    x = T.as_tensor_variable(x)
    given = shape[0] if len(shape) == 1 and not _is_number(shape[0]) else shape
    lengths = list(given) if isinstance(given, (list, tuple)) else _entries(given, x)
    known = [
        int(n.data) if isinstance(n, Constant) else None if isinstance(n, Variable) else n for n in lengths
    ]
    made = T.specify_shape(x, tuple(known))
    open_ones = [k for k, n in enumerate(lengths) if isinstance(n, Variable) and not isinstance(n, Constant)]
    conditions = [T.eq(made.shape[k], lengths[k]) for k in open_ones]
    if not conditions:
        return made
    return T.Assert(f"specify_shape: a length of {x} is not the one that was given")(made, *conditions)


def _is_number(n: Any) -> bool:
    """True for a length: None, a number or a scalar."""
    return n is None or not isinstance(n, (list, tuple)) and T.as_tensor_variable(n).ndim == 0


def _entries(shape: Any, x: Any) -> list[Any]:
    """The lengths in a vector, of which there are as many as x has axes."""
    vector = T.as_tensor_variable(shape)
    if isinstance(vector, Constant):
        return [int(n) for n in vector.data]
    return [vector[k] for k in range(x.ndim)]


__all__ = ["Container", "In", "OldFunction", "excuse", "function", "param"]
