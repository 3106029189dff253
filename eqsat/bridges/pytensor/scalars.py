"""Functions of numbers, which PyTensor applies to each element.

A class of PyTensor whose name without capitals is a function of ``eqsat.tensor`` is that function; ``SPELLED`` has the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import eqsat.tensor as T
from eqsat.bridges.bessel import i0e, i1e
from eqsat.bridges.translate import Refused, Translation
from eqsat.scan import scan, until


def _clip(x: Any, low: Any, high: Any) -> Any:
    """x within a range; low where it is above high."""
    return T.switch(x < low, low, T.switch(x > high, high, x))


def _truth(x: Any) -> Any:
    return x if x.type.dtype == "bool" else T.neq(x, 0)


SPELLED: dict[str, Callable[..., Any]] = {
    "AND": T.and_,
    "OR": T.or_,
    "ScalarMaximum": T.maximum,
    "ScalarMinimum": T.minimum,
    "Switch": lambda c, a, b: T.switch(_truth(c), a, b),
    "Clip": _clip,
    "Identity": lambda x: x,
    "Second": T.fill,
    "IntDiv": T.floordiv,
    "MulWithoutZeros": T.mul_without_zeros,
    "Psi": T.digamma,
    "XlogX": T.xlogx.xlogx,
    "XlogY0": T.xlogx.xlogy0,
    "GammaU": lambda k, x: T.gammaincc(k, x) * T.gamma(k),
    "GammaL": lambda k, x: T.gammainc(k, x) * T.gamma(k),
    "I0e": i0e,
    "I1e": i1e,
    "ComplexFromPolar": lambda r, angle: T.complex(r * T.cos(angle), r * T.sin(angle)),
    "RoundHalfToEven": T.round_half_to_even,
    "RoundHalfAwayFromZero": T.round_half_away_from_zero,
}


def scalar_function(translation: Translation, op: Any) -> Callable[..., Any]:
    """The function of tensors of eqsat that a scalar op of PyTensor is.

    Errors   Refused where eqsat has no such function
    """
    name = type(op).__name__
    if name == "Cast":
        return lambda x: T.cast(x, op.o_type.dtype)
    if name == "Composite":
        return lambda *given: composite(translation, op.fgraph, given)
    if any(c.__name__ == "ScalarLoop" for c in type(op).__mro__):
        return lambda n, *given: loop(translation, op, n, given)
    found = SPELLED.get(name) or getattr(T, name.lower(), None)
    if not callable(found):
        raise Refused(f"eqsat.tensor has no function for {name}")
    return found


def composite(translation: Translation, fgraph: Any, given: Any) -> Any:
    """A graph of scalar ops applied to tensors of any rank."""
    values = dict(zip(fgraph.inputs, given, strict=True))

    def value(v: Any) -> Any:
        if v not in values:
            values[v] = translation.reader.constant(v)
        return values[v]

    for node in fgraph.toposort():
        made = scalar_function(translation, node.op)(*map(value, node.inputs))
        for out, m in zip(node.outputs, made if isinstance(made, list) else [made], strict=True):
            values[out] = m if m.type.dtype == out.type.dtype else T.cast(m, out.type.dtype)
    found = [value(v) for v in fgraph.outputs]
    return found if len(found) > 1 else found[0]


def loop(translation: Translation, op: Any, n_steps: Any, given: Sequence[Any]) -> list[Any]:
    """A loop for each element, all together, until the last has ended.

    A result is that of the step in which its element ended; what elements carry goes on, since nothing reads it there.
    """
    count = len(op.outputs) - bool(op.is_while)
    rank = max(v.ndim for v in (n_steps, *given))
    n_steps, *given = [T.shape_padleft(v, rank - v.ndim) for v in (n_steps, *given)]
    done, *rest = T.broadcast_arrays(T.le(n_steps, 0), *given)
    results = rest[:count]
    states = [T.broadcast_arrays(*(given[k] for k in read))[0] for read in _read(op.fgraph, count)]

    def step(k: Any, done: Any, *values: Any) -> Any:
        results, states, rest = values[:count], values[count : 2 * count], values[2 * count : -1]
        made = composite(translation, op.fgraph, [*states, *rest])
        made = made if isinstance(made, list) else [made]
        carried = [T.cast(m, s.dtype) for m, s in zip(made[:count], states, strict=True)]
        active = T.and_(k < values[-1], T.invert(done))
        held = [T.switch(active, m, r) for m, r in zip(carried, results, strict=True)]
        ended = T.switch(active, made[count], done) if op.is_while else done
        return [ended, *held, *carried], until(T.all(T.or_(ended, T.ge(k + 1, values[-1]))))

    found, _ = scan(
        step,
        sequences=[T.arange(T.max(n_steps, initial=1))],
        outputs_info=[done, *results, *states],
        non_sequences=[*given[count:], n_steps],
    )
    ended, *last = [f[-1] for f in found[: count + 1]]
    return [*last, ended] if op.is_while else last


def _read(fgraph: Any, count: int) -> list[list[int]]:
    """For each state of a step its own place, then those of all that its values are computed from, in whatever steps."""
    below: dict[Any, set[int]] = {v: {k} for k, v in enumerate(fgraph.inputs)}
    for node in fgraph.toposort():
        read = set().union(*(below.get(v, ()) for v in node.inputs))
        below.update(dict.fromkeys(node.outputs, read))
    found = [{k, *below.get(v, ())} for k, v in enumerate(fgraph.outputs[:count])]
    for _ in range(count):
        found = [read.union(*(found[k] for k in read if k < count)) for read in found]
    return [[k, *sorted(read - {k})] for k, read in enumerate(found)]
