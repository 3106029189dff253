"""Methods under ``jit``: the attributes of the object are arguments, and those that the method sets are results."""

from __future__ import annotations

import inspect
from typing import Any

from eqsat.errors import ArgumentError
from eqsat.tracing.names import StandIns


def bound(jitted: Any, instance: Any) -> Any:
    """A method of an object: a call gives it the attributes of now, and sets those that the function sets."""
    inner = jitted.of_methods(type(instance))

    def call(*args: Any, **keywords: Any) -> Any:
        result, changed = inner(attributes(instance), *args, **keywords)
        for name, value in changed.items():
            setattr(instance, name, value)
        return result

    call.__self__ = instance  # type: ignore[attr-defined]
    return call


def attributes(instance: Any) -> dict[str, Any]:
    """The attributes of an object.

    Errors   ArgumentError for an object that keeps them elsewhere
    """
    try:
        return vars(instance)
    except TypeError:
        raise ArgumentError(
            f"jit: an object of the class {type(instance).__name__} has no __dict__",
            hint="static_argnums=0, or a dataclass",
        ) from None


class Method:
    """A method as a function of attributes and arguments, which gives its result and the attributes that it set."""

    def __init__(self, fn: Any, owner: type) -> None:
        self.fn, self.owner = fn, owner
        self.__wrapped__ = fn
        self.__name__ = getattr(fn, "__name__", "method")
        parameters = list(inspect.signature(fn).parameters.values())
        self.__signature__ = inspect.Signature(
            [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY), *parameters[1:]]
        )

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return StandIns().called(self, args, keywords)

    def called(self, fn: Any, state: dict[str, Any], *args: Any, **keywords: Any) -> Any:
        """Run the method on an object that has the attributes of the state."""
        held: Any = object.__new__(self.owner)
        vars(held).update(state)
        result = fn(held, *args, **keywords)
        changed = {k: v for k, v in vars(held).items() if k not in state or state[k] is not v}
        return result, changed
