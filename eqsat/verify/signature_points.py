"""Shapes for rules on products: the lengths that signatures name alike are drawn once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS
from eqsat.rules.pattern import Literal, Meta, Parameter, Term, subterms
from eqsat.rules.rule import Rule
from eqsat.verify.draws import of_rule

Shape = tuple[int, ...]
PIECES = ("concatenate_2", "concatenate_3")


def names_lengths(op: str) -> bool:
    """True for an op of several tensors whose signature says the number of axes of each."""
    shapes = OPS[op].shapes
    told = shapes is not None and not shapes.repeated and all(a.rest is None for a in shapes.operands)
    return told and shapes is not None and sum(bool(a.before) for a in shapes.operands) > 1


@of_rule
def has_products(rule: Rule) -> bool:
    """True for a rule with such an op on the left."""
    return any(names_lengths(p.op) for left, _ in rule.pairs for p in subterms(left) if isinstance(p, Term))


@of_rule
def of_stacks(rule: Rule) -> bool:
    """True where such an op takes stacks of matrices."""
    ops = {
        p.op for left, _ in rule.pairs for p in subterms(left) if isinstance(p, Term) and names_lengths(p.op)
    }
    signatures = [s for s in (OPS[op].shapes for op in ops) if s is not None]
    return any(len(axes.before) > 2 for s in signatures for axes in s.operands)


def product_shapes(rule: Rule, rng: Any) -> dict[str, Shape]:
    """Shapes of the metavariables under such ops; the others are drawn elsewhere."""
    found: dict[str, Shape] = {}
    names: dict[tuple[str, str], int] = {}  # lengths by the op and the letter of its signature
    stack: list[tuple[Any, Shape | None]] = [(left, None) for left, _ in rule.pairs]
    while stack:
        item, shape = stack.pop()
        if isinstance(item, Meta) and shape is not None:
            found[item.name] = shape
        elif isinstance(item, Term):
            stack += zip(item.args, asked_shapes(item, shape, names, rng), strict=True)
    return found


def asked_shapes(
    p: Term, shape: Shape | None, names: dict[tuple[str, str], int], rng: Any
) -> list[Shape | None]:
    """The shapes of the operands of a term of some shape, where they follow from it."""
    d = OPS[p.op]
    if names_lengths(p.op):
        assert d.shapes is not None
        result = dict(zip(d.shapes.results[0].before, shape or ()))
        known = {
            n: result[n] if n in result else names.setdefault((p.op, n), int(rng.integers(1, 4)))
            for a in d.shapes.operands
            for n in a.before
        }
        return [tuple(known[n] for n in axes.before) for axes in d.shapes.operands]
    if shape is None:
        under = next((a for a in p.args if isinstance(a, Term) and names_lengths(a.op)), None)
        if under is None or d.kind != "elemwise":
            return [None] * len(p.args)
        results = OPS[under.op].shapes
        assert results is not None
        shape = tuple(
            names.setdefault((under.op, n), int(rng.integers(1, 4))) for n in results.results[0].before
        )
    if p.op == "dimshuffle":
        return [before_move(p.params[0], shape)]
    if p.op in PIECES and isinstance(p.params[0], int):
        return list(pieces(shape, p.params[0], len(p.args), rng))
    return (
        list(thinned(shape, len(p.args), rng))
        if d.kind == "elemwise"
        else [shape, *[None] * (len(p.args) - 1)]
    )


def pieces(shape: Shape, axis: int, count: int, rng: Any) -> Iterator[Shape]:
    """The shapes of some pieces that are joined, at most points of nearly one length; the last takes what is left."""
    rest = shape[axis]
    for k in range(count):
        length = rest // (count - k) if rng.random() < 0.8 else int(rng.integers(rest + 1))
        length = rest if k == count - 1 else length
        rest -= length
        yield (*shape[:axis], length, *shape[axis + 1 :])


def thinned(shape: Shape, count: int, rng: Any) -> Iterator[Shape]:
    """The shapes of operands that broadcast to one: all have it but now and then one, with axes of length 1."""
    thin = int(rng.integers(3 * count))
    for k in range(count):
        yield tuple(1 if k == thin and rng.random() < 0.5 else n for n in shape)


def before_move(pattern: Any, shape: Shape) -> Shape | None:
    """The shape whose axes a move brings into another one; a move that is left open turns a matrix."""
    if isinstance(pattern, Literal):
        places = {axis: k for k, axis in enumerate(pattern.value)}
        return tuple(shape[places[axis]] if axis in places else 1 for axis in range(pattern.ndim))
    return shape[::-1] if isinstance(pattern, Parameter) and len(shape) == 2 else None


def apart_along_one(shapes: dict[str, tuple[int, ...]], rng: Any) -> dict[str, tuple[int, ...]]:
    """Shapes of lengths along one axis that have nothing to do with each other, as of tensors that are joined there."""
    axis = int(rng.integers(0, max(map(len, shapes.values()), default=0) or 1))
    return {
        n: tuple(int(rng.integers(0, 5)) if a == axis else k for a, k in enumerate(s))
        for n, s in shapes.items()
    }
