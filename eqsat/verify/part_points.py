"""Index patterns, and shapes that fit them, for the points at which rules on parts are tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat.errors import EqsatError
from eqsat.graph.declare import OPS, find_op
from eqsat.graph.part_functions import part_lengths
from eqsat.graph.parts import BACKWARDS, FULL
from eqsat.rules.pattern import Literal, Meta, Number, Parameter, ParameterCall, Term, metas_of, subterms
from eqsat.rules.rule import Rule
from eqsat.verify.draws import of_rule
from eqsat.verify.sides import first_index

Shape = tuple[int, ...]
LONGEST = 1000  # length of an axis that is drawn since a rule names it


def draw_parts(
    rule: Rule, rng: Any, shapes: dict[str, Shape], kinds: dict[str, str], other: Callable[..., Any]
) -> dict[str, Any]:
    """Values of all parameters; shapes are changed where operands must fit a part or each other."""
    for meta in metas_of(rule.left):
        if meta.domain == "place":
            shapes[meta.name] = ()
    params = Drawn({n: other(rule, rng, k, shapes) for n, k in kinds.items() if k != "part"})
    params.turned, params.following = turned_parts(rule), following_parts(rule, params)
    shape_of(rule.left, rng, shapes, params)
    missing = {n for n in kinds if n not in params}
    return {**params, **dict.fromkeys(missing, (FULL,))}


class Drawn(dict[str, Any]):
    """Parameters by name; ``turned`` ones are patterns that turn the order of rows.

    ``following`` ones take all but the first, or all but the last, along an axis.
    """

    turned: frozenset[str] = frozenset()
    following: dict[str, tuple[int, Any]]


@of_rule
def named_lengths(rule: Rule) -> tuple[int, ...]:
    """The lengths beyond the usual 3 at which a part of a rule begins or ends, and those that are one more."""
    terms = [p for pair in rule.pairs for side in pair for p in subterms(side) if isinstance(p, Term)]
    parts = [v.value for p in terms for v in p.params if isinstance(v, Literal) and v.kind == "part"]
    bounds = {abs(n) for part in parts for entry in part for n in entry if isinstance(n, int)}
    return tuple(sorted({n for b in bounds for n in (b, b + 1) if 3 < n <= LONGEST}))


@of_rule
def turned_parts(rule: Rule) -> frozenset[str]:
    """The parameters of which a rule asks that they turn the order of rows."""
    return frozenset(a.name for call in calls_of(rule, "turns_rows") for a in call.args)


def following_parts(rule: Rule, params: dict[str, Any]) -> dict[str, tuple[int, Any]]:
    """The axes and entries of parameters of which a rule asks that one takes what follows on another."""
    found: dict[str, tuple[int, Any]] = {}
    for p, q, axis in (call.args for call in [*calls_of(rule, "follows"), *made_by(rule, "last_of_behind")]):
        at = min(params[axis.args[0].name]) if isinstance(axis, ParameterCall) else params[axis.name]
        found |= {p.name: (at, ("slice", 1, None, None)), q.name: (at, ("slice", None, -1, None))}
    return found


def made_by(rule: Rule, function: str) -> list[Any]:
    """The patterns of a right side that a function of patterns gives."""
    given = (v for t in subterms(rule.right) if isinstance(t, Term) for v in t.params)
    return [v for v in given if isinstance(v, ParameterCall) and v.function == function]


def calls_of(rule: Rule, function: str) -> list[Any]:
    """The questions that a rule asks a function of index patterns."""
    facts = rule.when.facts if rule.when is not None else ()
    return [args[0] for fact, args in facts if fact == "computed" and args[0].function == function]


def shape_of(pattern: Any, rng: Any, shapes: dict[str, Shape], params: dict[str, Any]) -> Shape | None:
    """The shape of a pattern, with parameters drawn on the way; None where it cannot be."""
    if isinstance(pattern, Meta):
        return shapes[pattern.name]
    if isinstance(pattern, Number):
        return ()
    assert isinstance(pattern, Term)
    found = [shape_of(a, rng, shapes, params) for a in pattern.args]
    if found[0] is None:
        return None
    base = OPS[pattern.op].form_of
    if base in ("subtensor", "set_part"):
        _draw(pattern.params[0], found[0], len(pattern.args) - (2 if base == "set_part" else 1), rng, params)
    values = [params[p.name] if isinstance(p, Parameter) else p for p in pattern.params]
    if base == "set_part":
        return _fit_value(pattern, found[0], values[0], rng, shapes)
    if base == "concatenate":
        _fit_joined(pattern, found[0], values[0], rng, shapes)
        found = [shape_of(a, rng, shapes, params) for a in pattern.args]
    return _applied(pattern, values, found)


def _applied(pattern: Term, values: list[Any], shapes: list[Shape | None]) -> Shape | None:
    if None in shapes:
        return None
    if OPS[pattern.op].kind == "elemwise":
        return _broadcast([s for s in shapes if s is not None])
    first = first_index(pattern.op) or len(shapes)
    arrays = [np.ones(s or ()) if k < first else np.zeros(s or (), "int64") for k, s in enumerate(shapes)]
    try:
        return np.shape(find_op(pattern.op, tuple(values)).compute(*arrays))
    except (EqsatError, ValueError, IndexError, TypeError, AssertionError):
        return None


def _broadcast(shapes: list[Shape]) -> Shape | None:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def _fit_value(pattern: Term, shape: Shape, part: Any, rng: Any, shapes: dict[str, Shape]) -> Shape | None:
    """A value that is written has the shape of the part, or length 1 somewhere."""
    value = pattern.args[1]
    try:
        wanted = part_lengths(part, shape, ())
    except ValueError:
        return None
    if isinstance(value, Meta):
        shapes[value.name] = tuple(1 if n is None or rng.random() < 0.2 else n for n in wanted)
    return shape


def _fit_joined(pattern: Term, shape: Shape, axis: int, rng: Any, shapes: dict[str, Shape]) -> None:
    """Tensors to join agree but along the axis."""
    for arg in pattern.args[1:]:
        if isinstance(arg, Meta) and axis < len(shape):
            shapes[arg.name] = (*shape[:axis], int(rng.integers(0, 4)), *shape[axis + 1 :])


def _draw(parameter: Any, shape: Shape, unknowns: int, rng: Any, params: dict[str, Any]) -> None:
    """Draw a pattern for a tensor, with some "?"."""
    if not isinstance(parameter, Parameter) or parameter.name in params:
        return
    entries = [drawn_entry(rng, n) for n in shape]
    if isinstance(params, Drawn) and parameter.name in params.turned and shape:
        entries = [BACKWARDS, *[FULL] * (len(shape) - 1)]
    axis, entry = getattr(params, "following", {}).get(parameter.name, (len(shape), None))
    if axis < len(shape):
        entries = [entry if a == axis else FULL for a in range(len(shape))]
    places = [(axis, k) for axis, e in enumerate(entries) for k in range(1, 2 if e[0] == "int" else 3)]
    for axis, k in rng.permutation(np.array(places, int).reshape(-1, 2))[:unknowns]:
        entries[axis] = (*entries[axis][:k], "?", *entries[axis][k + 1 :])
    params[parameter.name] = tuple(entries)


def drawn_entry(rng: Any, n: int) -> tuple[Any, ...]:
    """An entry of an index pattern for an axis."""
    kind = rng.random()
    if kind < 0.35:
        return FULL
    if kind < 0.65 and n:
        return ("int", int(rng.integers(-n, n)))
    start, stop = (None if rng.random() < 0.4 else int(rng.integers(-n - 1, n + 2)) for _ in range(2))
    return ("slice", start, stop, rng.choice(np.array([None, 1, -1, 2, -2], object)))
