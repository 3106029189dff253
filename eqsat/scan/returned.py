"""Results of fn, brought to one form: outputs, updates of shared variables, the condition of until."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, DTypeError, EqsatError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant, Variable
from eqsat.graph.dtypes import INEXACT, promote
from eqsat.graph.ops.elemwise import neq
from eqsat.graph.ops.specify import specify, unbroadcast_like
from eqsat.graph.tensor_type import shorten
from eqsat.graph.walk import clone_with
from eqsat.scan.scan_arguments import listed, tensor_of
from eqsat.scan.utils import is_tensor, until

FORMS = "tensors, a dict {shared: new} and until(condition), each optional"


@dataclass
class Returned:
    """The results of fn: outputs, updates of shared variables, the condition of ``until``."""

    outputs: list[Any] = field(default_factory=list)
    updates: dict[Any, Any] = field(default_factory=dict)
    condition: Any = None

    @property
    def roots(self) -> list[Any]:
        """Outputs, new values of shared variables that are variables, and the condition."""
        news = [v for v in self.updates.values() if isinstance(v, Variable)]
        return [*self.outputs, *news, *([] if self.condition is None else [self.condition])]

    def replaced(self, pairs: Mapping[Variable, Any]) -> Returned:
        """The same with some variables replaced."""
        keys = [s for s, v in self.updates.items() if isinstance(v, Variable)]
        new = clone_with(self.roots, pairs)
        outputs, news = new[: len(self.outputs)], new[len(self.outputs) :]
        updates = {**self.updates, **dict(zip(keys, news, strict=False))}
        return Returned(outputs, updates, None if self.condition is None else new[-1])

    def add(self, part: Any) -> None:
        """One of the parts that fn returns."""
        if isinstance(part, until):
            if self.condition is not None:
                raise ArgumentError("scan: fn returns until twice", hint="until(one | other)")
            self.condition = as_condition(part.condition)
        elif isinstance(part, Mapping) or _is_pairs(part):
            for s, value in part.items() if isinstance(part, Mapping) else part:
                self.add_update(s, value)
        elif part is not None:
            self.outputs += [_output(v, k) for k, v in enumerate(listed(part), len(self.outputs))]

    def add_update(self, s: Any, value: Any) -> None:
        """The next value of a shared variable; it may not have two."""
        if not hasattr(s, "get_value"):
            raise ArgumentError(
                f"scan: fn updates {shorten(s)}, which is not shared",
                operands=[(str(s), s)] if isinstance(s, Variable) else [],
                hint="w = eqsat.shared(value, 'w'), or a state: an item of outputs_info and an output of fn",
            )
        if s in self.updates and self.updates[s] is not value:
            raise ArgumentError(f"scan: fn updates {s} twice", operands=[(str(s), s)])
        self.updates[s] = value


def as_returned(value: Any) -> Returned:
    """Outputs, updates and a condition, in any order, from what fn returns."""
    found = Returned()
    for part in list(value) if _several(value) else [value]:
        found.add(part)
    return found


def as_condition(value: Any) -> Any:
    """The condition of until, a scalar bool or integer; a floating number holds where it is not 0.

    Errors   ArgumentError for what is no tensor; RankError for several values
    """
    condition = tensor_of("the condition of until", value, "a scalar")
    if condition.type.ndim:
        raise RankError(
            f"scan: the condition of until is {condition.type.short()}",
            operands=[("condition", condition)],
            needs="a scalar",
            hint="until(condition.any()), or condition.all()",
        )
    return neq(condition, 0) if condition.type.dtype in INEXACT else condition


def next_value(s: Any, value: Any) -> Any:
    """The new value of a shared variable after a step, in the type of that variable."""
    try:
        v = as_tensor(value)
    except EqsatError:
        raise ArgumentError(
            f"scan: the update of {s} is {shorten(value)}",
            operands=[(str(s), s)],
            needs="a tensor or a number",
        ) from None
    rank = v.type.ndim == s.type.ndim
    if not rank or promote(v.type.dtype, s.type.dtype) != s.type.dtype:
        error = DTypeError if rank else RankError
        raise error(
            f"scan: {s} is {s.type.short()}, its update {v.type.short()}",
            operands=[(str(s), s), ("update", v)],
            needs="one dtype" if rank else "one number of dimensions",
            hint=f"new.astype({s.type.dtype!r})" if rank else None,
        )
    return specify(unbroadcast_like(cast_to(v, s.type.dtype), s), s.type.shape)


def _several(value: Any) -> bool:
    """True for a list or tuple of parts of different kinds, not of outputs alone."""
    if not isinstance(value, (list, tuple)) or _is_pairs(value):
        return False
    return any(isinstance(v, (until, Mapping, list, tuple)) or v is None for v in value)


def _is_pairs(value: Any) -> bool:
    if not isinstance(value, (list, tuple)) or not value:
        return False
    return all(isinstance(v, (list, tuple)) and len(v) == 2 and hasattr(v[0], "get_value") for v in value)


def _output(value: Any, k: int) -> Any:
    if isinstance(value, (until, Mapping, list, tuple)) or value is None:
        kind = "None" if value is None else f"a {type(value).__name__}"
        raise ArgumentError(f"scan: output {k} of fn is {kind}", needs=FORMS)
    if isinstance(value, Variable) and not isinstance(value, Constant) and is_tensor(value):
        return value
    return tensor_of(f"output {k} of fn", value, FORMS)
