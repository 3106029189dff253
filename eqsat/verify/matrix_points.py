"""Points for rules on matrices: invertible, symmetric, positive definite, triangular and unit ones of lengths that fit."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from eqsat.graph.declare import OPS
from eqsat.graph.moves import MOVES
from eqsat.rules.facts import FACTS
from eqsat.rules.pattern import Meta, Parameter, ParameterCall, Term, metas_of, subterms
from eqsat.rules.rule import Rule
from eqsat.verify.draws import of_rule, one_of

Array = Any
Shape = tuple[int, ...]


def takes_square(op: str) -> bool:
    """True for an op whose first operand is a square matrix, or a stack of them."""
    shapes = OPS[op].shapes
    sides = shapes.operands[0].after if shapes is not None and shapes.stacks else ()
    return len(sides) == 2 and sides[0] == sides[1]


@of_rule
def ops_in(rule: Rule) -> set[str]:
    """The ops on either side of a rule."""
    return {p.op for side in (rule.left, rule.right) for p in subterms(side) if isinstance(p, Term)}


@of_rule
def about_matrices(rule: Rule) -> bool:
    """True for a rule with an op of linear algebra, or a condition on matrices."""
    facts = {fact for fact, _ in rule.when.every()} if rule.when is not None else set()
    told = any(FACTS[fact].about == "matrices" for fact in facts)
    return told or any(OPS[op].of_matrices or takes_square(op) for op in ops_in(rule))


def asked(rule: Rule, fact: str) -> set[str]:
    """The metavariables of which a rule asks a fact."""
    return {args[0].name for f, args in (rule.when.facts if rule.when is not None else ()) if f == fact}


def matrix_shapes(rule: Rule, rng: Any) -> dict[str, Shape]:
    """One length for all axes in most draws; vectors where a rule needs them, columns and rows now and then."""
    n = one_of(rng, (1, 2, 3))
    ranks = {
        args[0].name: args[1] for f, args in (rule.when.facts if rule.when is not None else ()) if f == "rank"
    }
    shapes: dict[str, Shape] = {}
    indexed = tuple(int(k) for k in rng.integers(0, 4, 1 if rng.random() < 0.75 else 2))
    for meta in sorted(metas_of(rule.left), key=lambda m: m.name):
        rank = ranks.get(meta.name, needed_rank(rule, meta))
        shapes[meta.name] = {0: (), 1: (n,)}.get(rank, (n,) * rank)
        if rank == 2 and meta.name not in factored(rule):
            m, k = rng.choice([n, n, n, 1, 2], 2)
            shapes[meta.name] = [(n, n), (n, 1), (1, n), (int(m), int(k))][one_of(rng, (0, 0, 0, 1, 2, 3))]
        if meta.domain == "index":
            shapes[meta.name] = indexed
        if meta.domain == "place":
            shapes[meta.name] = ()
    if (
        not asked_moves(rule) and rng.random() < 0.12
    ):  # stacks of matrices, which ops of linear algebra take too
        shapes = {name: (2, *s) if len(s) == 2 else s for name, s in shapes.items()}
    return shapes


@of_rule
def asked_moves(rule: Rule) -> bool:
    """True for a rule on moves of the axes of a matrix."""
    return any(f in ("swaps", "moves_as") for f, _ in (rule.when.facts if rule.when is not None else ()))


def needed_rank(rule: Rule, meta: Meta) -> int:
    """The rank that the ops around a metavariable need: 1 for what is made a column, 2 for most."""
    vector = 2
    for side in (rule.left, rule.right):
        for p in subterms(side):
            if isinstance(p, Term) and meta in p.args:
                if p.op == "dimshuffle" and (names := named_moves(rule, p)):
                    vector = MOVES[names[0]][1]
                if p.op == "set_diagonal" and p.args[1] == meta:
                    vector = 1
    return vector


def named_moves(rule: Rule, term: Term) -> list[str]:
    """The names that a rule gives to the move of a dimshuffle."""
    (pattern,) = term.params
    if getattr(pattern, "function", "") == "move":
        return [pattern.args[0]]
    facts = rule.when.facts if rule.when is not None else ()
    return [args[1] for f, args in facts if f == "moves_as" and args[0] == pattern]


@of_rule
def factored(rule: Rule) -> set[str]:
    """The metavariables that a rule factors, alone or with others: they must be square and far from singular."""
    terms = [p for side in (rule.left, rule.right) for p in subterms(side)]
    found = [p.args[0] for p in terms if isinstance(p, Term) and takes_square(p.op)]
    facts = ("lower", "upper", "symmetric", "posdef", "identity", "positive_diagonal", "closes")
    return {m.name for p in found for m in metas_of(p)}.union(*(asked(rule, f) for f in facts))


def draw_matrices(rule: Rule, values: dict[str, Array], rng: Any) -> None:
    """Replace what a rule factors, or knows facts of, by matrices for which it has a result with some digits."""
    if not about_matrices(rule):
        return
    for name in sorted(factored(rule) & set(values)):
        v = values[name]
        if v.ndim != 2 or v.shape[0] != v.shape[1] or v.dtype.kind != "f" or rng.random() < 0.1:
            continue
        n = len(v)
        a = rng.normal(size=(n, n)) + np.diag(rng.choice([-1, 1], n) * (n + 1.0))
        if any(isinstance(p, Term) and p.op == "cholesky" for p in subterms(rule.left)) or name in asked(
            rule, "posdef"
        ):
            a = a @ a.T
        if name in asked(rule, "symmetric"):
            a = a + a.T
        if name in asked(rule, "positive_diagonal"):
            a = np.where(np.eye(n) == 1, np.abs(a), a)
        a = np.tril(a) if name in asked(rule, "lower") else a
        a = np.triu(a) if name in asked(rule, "upper") else a
        a = np.eye(n) if name in asked(rule, "identity") else a
        values[name] = a.astype(v.dtype)
    for p in subterms(rule.left):
        if isinstance(p, Term) and p.op == "gather_2" and isinstance(p.args[1], Meta):
            least = min([3, *(n for v in values.values() for n in v.shape)])
            index = values[p.args[1].name]
            values[p.args[1].name] = rng.integers(
                -max(least, 1), max(least, 1), index.shape if least else (0,)
            )


STACKED = {"left_factor": 0, "left_stack": 1}
"""Functions of the moves of two factors, with the number of axes along which their products are stacked."""


def draw_factors(rule: Rule, values: dict[str, Array], params: dict[str, Any], rng: Any) -> None:
    """Two matrices, or stacks of them, with their axes moved so that they broadcast; one of the axes of both is summed."""
    moves = [p for p in subterms(rule.right) if isinstance(p, Term) and p.op == "dimshuffle"]
    called = {v.function for p in moves for v in p.params if isinstance(v, ParameterCall)} & set(STACKED)
    if not called:
        return
    batch = STACKED[called.pop()]
    m, k, n, *others = rng.integers(1, 4, 3 + batch).tolist()
    rows, both, columns, *stack = rng.permutation(3 + batch).tolist()  # the axes of what each is along
    for name, own in (("p", (*stack, rows, both)), ("q", (*stack, both, columns))):
        params[name] = tuple(own.index(a) if a in own else "x" for a in range(3 + batch))
    params["axes"] = (both,) if rng.random() < 0.7 else (rows,)
    shapes = ((*others, m, 1 if rng.random() < 0.3 else k), (*others, k, n))
    for meta, shape in zip(sorted(rule.metas, key=str), shapes, strict=True):
        values[meta.name] = rng.normal(size=shape).astype(values[meta.name].dtype)


def draw_new_shapes(rule: Rule, values: dict[str, Array], params: dict[str, Any], rng: Any) -> None:
    """Shapes to which tensors can be brought, and the numbers of their lengths."""
    draw_factors(rule, values, params, rng)
    draw_lengths(rule, values, params, rng)
    for p in [q for side in (rule.left, rule.right) for q in subterms(side)]:
        for place, term in enumerate(p.args if isinstance(p, Term) else ()):
            if isinstance(term, Term) and term.op == "reshape":
                reshaped(term, place if p.op == "dot" else None, values, params, rng)
    if isinstance(rule.left, Term) and rule.left.op == "reshape":
        reshaped(rule.left, None, values, params, rng)


def draw_lengths(rule: Rule, values: dict[str, Array], params: dict[str, Any], rng: Any) -> None:
    """Lengths of a tensor, now and then another number, with the moves and dtypes with which they broadcast to it as numbers."""
    counts: dict[Any, Any] = {}
    for fact, args in rule.when.facts if rule.when is not None else ():
        if fact == "as_long" and isinstance(args[2], int) and args[2] < values[args[1].name].ndim:
            n, x, axis = args
            counts[n] = values[x.name]
            values[n.name] = np.array(counts[n].shape[axis] + (rng.random() < 0.15))
    for p in subterms(rule.left):
        found = [counts[m] for m in metas_of(p) if m in counts]
        if found and isinstance(p, Term) and p.op == "dimshuffle" and isinstance(p.params[0], Parameter):
            params[p.params[0].name] = ("x",) * found[0].ndim
        if found and isinstance(p, Term) and p.op == "cast" and isinstance(p.params[0], Parameter):
            params[p.params[0].name] = found[0].dtype.name


def split(size: int, count: int, rng: Any) -> list[int]:
    """As many lengths, of which the product is the size."""
    lengths, rest = [1] * count, size
    for prime in (2, 3, 5, 7, 11, 13):
        while rest and rest % prime == 0:
            lengths[int(rng.integers(count))] *= prime
            rest //= prime
    lengths[int(rng.integers(count))] *= rest
    return lengths


def reshaped(
    term: Term, side: int | None, values: dict[str, Array], params: dict[str, Any], rng: Any
) -> None:
    """A shape for one reshape: a row or a column for a side of a product."""
    tensors = [values[m.name].shape for m in metas_of(term.args[0]) if m.domain != "shape"]
    try:
        size = prod(np.broadcast_shapes(*tensors))
    except ValueError:  # tensors that are joined
        size = sum(map(prod, tensors))
    least = next((k for k in (2, 3) if size and size % k == 0), 1)
    found = [(size,), (1, size), (size, 1), (least, size // least), (size // least, 1, least)]
    if side is not None:
        found = [(1, size)] if side == 0 else [(size, 1)]
    shape = found[int(rng.integers(0, len(found)))]
    if isinstance(term.args[1], Term):
        # a vector of lengths: those that it has, or others of as many elements
        count = len(term.args[1].args)
        same = count == len(tensors[0]) and rng.random() < 0.7
        lengths = tensors[0][:: one_of(rng, (1, -1))] if same else split(size, count, rng)
        left_over = int(rng.integers(count)) if rng.random() < 0.2 else None
        for k, (n, arg) in enumerate(zip(lengths, term.args[1].args, strict=True)):
            given = [m.name for m in metas_of(arg)]  # several of a product
            parts = split(n, len(given), rng)
            if k == left_over:
                parts = [-1, *[1] * (len(given) - 1)]
            values.update({name: np.array(part) for name, part in zip(given, parts, strict=True)})
        return
    values[term.args[1].name] = np.array(shape, "int64")
    if isinstance(term.params[0], Parameter):
        params[term.params[0].name] = len(shape)
