"""The policy of checkpoints: gradients of a loop keep some states and compute the others again, as the user says or within a bound of memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.graph.constant import cast_to
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.ops.create import known_integer
from eqsat.graph.ops.elemwise import add
from eqsat.graph.walk import clone_with
from eqsat.scan.segments import Parts
from eqsat.scan.utils import alike, has_gradient, is_zero

STATES = ("mit_sot", "sit_sot")


def steps_between(op: Any, inputs: Sequence[Any], gradients: Sequence[Any]) -> int:
    """After how many steps the gradient keeps the states: 0 or 1 for each step, else it goes in parts.

    Where the user does not say, it goes in parts if the cost uses no more of each state than its last value, so that
    nothing else would keep the others, and if these and their gradients took more than ``config.memory_bound``.
    """
    info = op.info
    if info.as_while or info.n_mit_mot or op.truncate_gradient > 0 or not (info.n_mit_sot + info.n_sit_sot):
        return 0
    if op.checkpoint is not None:
        return int(op.checkpoint)
    bound = config.memory_bound
    if bound is None or kept_bytes(op, inputs) <= bound:
        return 0
    given = op.info.split("outer_out", gradients)
    if any(only_last(g) is None for kind in STATES for g in given[kind]):
        return 0
    return default_steps(inputs[0])


def default_steps(n_steps: Any) -> int:
    """The number of steps of a part with which the fewest values are kept: the square root of the number of all."""
    return max(2, math.isqrt(_number(n_steps)))


def _number(n_steps: Any) -> int:
    n = known_integer(n_steps)
    return int(config.default_length) if n is None else n


def kept_bytes(op: Any, inputs: Sequence[Any]) -> int:
    """Bytes of all values of the states and of their gradients; unknown lengths are ``config.default_length``."""
    found = op.info.split("inner_in", op.inner_inputs)
    taps = op.info.mit_sot_in_slices
    several = [found["mit_sot"][k] for k in np.cumsum([0, *map(len, taps)])[:-1]] if taps else []
    rows = [v.type for v in (*several, *found["sit_sot"])]
    default = int(config.default_length)
    sizes = (
        math.prod(default if n is None else n for n in kind.shape) * np.dtype(kind.dtype).itemsize
        for kind in rows
    )
    return 2 * _number(inputs[0]) * sum(sizes)


def only_last(gradient: Any) -> list[Any] | None:
    """The gradients of the last row, where those of all others are known to be zero; None where they are not."""
    found = []
    while gradient.owner is not None and _adds_to_last(gradient.owner.op):
        found.append(gradient.owner.inputs[1])
        gradient = gradient.owner.inputs[0]
    return found if is_zero(gradient) else None


def _adds_to_last(op: Any) -> bool:
    if not isinstance(op, DeclaredOp) or op.name != "set_part" or not op.params["add"]:
        return False
    first, *rest = op.params["pattern"]
    return first == ("int", -1) and all(entry == ("slice", None, None, None) for entry in rest)


def gradients_in_parts(op: Any, inputs: Sequence[Any], gradients: Sequence[Any], every: int) -> list[Any]:
    """Gradient for each outer input, of the same loop in parts."""
    from eqsat.gradient.reverse import seeded_grad

    own = [v.type.make_variable(v.name) if has_gradient(v) else v for v in inputs]
    given = op.info.split("outer_out", gradients)
    states = [*given["mit_sot"], *given["sit_sot"]]
    ends = [only_last(g) for g in states]
    stacked = [k for k, pieces in enumerate(ends) if pieces is None]
    parts = Parts(op, own, every, stacked)
    pairs = [(v, g) for v, pieces in zip(parts.last_states(), ends, strict=True) for g in pieces or ()]
    outputs, rows = parts.all_values()
    pairs += [*zip(outputs, given["nit_sot"], strict=True), *zip(parts.shared, given["shared"], strict=True)]
    pairs += [(v, states[k]) for v, k in zip(rows, stacked, strict=True)]
    known: dict[Any, Any] = {}
    for v, g in pairs:
        if has_gradient(v) and not is_zero(g):
            g = alike(cast_to(g, v.type.dtype), v)
            known[v] = add(known[v], g) if v in known else g
    wrt = [v for v in own if has_gradient(v)]
    if not known:
        return [None] * len(inputs)
    policy: Any = {"disconnected_inputs": "ignore", "return_disconnected": "None", "null_gradients": "return"}
    found = iter(seeded_grad(wrt, known, **policy))
    made = [next(found) if has_gradient(v) else None for v in own]
    there: dict[int, Any] = {k: g for k, g in enumerate(made) if g is not None}
    swapped = clone_with(list(there.values()), dict(zip(own, inputs, strict=True)))
    there.update(zip(there, swapped, strict=True))
    return [there.get(k) for k in range(len(inputs))]
