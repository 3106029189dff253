"""Laws of reductions: what they fold is declared, and how they meet joins, parts, fills and multiples follows; running ops are in running.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.reduce import count_op
from eqsat.graph.ops.reshape import reshape_op
from eqsat.graph.ops.shape import dimshuffle_op, make_vector_op
from eqsat.graph.properties import additive
from eqsat.rules.facts import among, as_long, computed, disjoint, invariant, met, one_dtype, rank, repeated
from eqsat.rules.pattern import (
    Literal,
    Meta,
    ParameterCall,
    alone,
    anything,
    axes_before,
    call,
    lengths,
    numbers,
    ones,
    parameters,
    places,
    rank_of,
    reals,
    shapes,
)
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.counted import counting
from eqsat.rules.schemes.functions import beside, once, same_along
from eqsat.rules.schemes.operands import BOUNDS, applied, applied_to, joined, operands, sees
from eqsat.rules.schemes.scheme import scheme

a = anything("a")
i, j, m, n = places("i j m n")
axes, axis, more, p, q, k = parameters("axes axis more p q k")


def fold_of(d: Declaration) -> Declaration:
    """The op that a reduction or a running op puts between elements."""
    return OPS[d.reduces or d.accumulates]


def element(d: Declaration, name: str = "x") -> Meta:
    """A metavariable for the operand of a reduction: of what its op takes."""
    kind = fold_of(d).signature[0] if d.reduces or d.accumulates else "t"
    return Meta(name, {"i": "bool", "f": "float"}.get(kind, "any"))


def chooses(d: Declaration) -> bool:
    """True for a reduction that gives an element back as it is, or its place: its operations may come in any order."""
    return bool(d.ordered) or fold_of(d).idempotent


def promise(d: Declaration, tier: str = "exact") -> dict[str, Any]:
    """The tier, tags and source of a rule that changes the order of operations."""
    return {"tier": tier} if chooses(d) else {"tier": "rounds", "tags": ["backward"], "cite": "higham2002"}


def reduces(d: Declaration) -> bool:
    """True for a reduction over axes that rules see."""
    return bool(d.reduces) and not d.opaque


def sorts(d: Declaration) -> bool:
    """True for an op that puts all elements along an axis in their order."""
    return d.permutes and d.ordered == "values" and "axis" in d.parameters


def over_axes(d: Declaration) -> bool:
    """True for a reduction over axes, and for the place of what it chooses."""
    return "axes" in d.parameters and (reduces(d) or d.ordered == "places")


# ------------------------------------------------------------------------------------------------ reductions


@scheme(
    "reduction-again",
    "r(r(x)) = r(x) over the axes of both",
    holds=reduces,
    needs=lambda op: [(op, op)],
    tags=["backward"],
)
def again(d: Declaration) -> Iterator[Rule]:
    """One reduction after another is one over more axes."""
    x = element(d)
    yield rule(
        f"{d.name}-of-{d.name}",
        applied(d, applied(d, x), axes=more),
        applied(d, x, axes=ParameterCall("|", (more, axes))),
        **promise(d),
    )


@scheme(
    "reduction-beside-another",
    "r(x) over some axes gives r(x) over more",
    holds=reduces,
    needs=lambda op: [op],
    tags=["backward"],
)
def beside_another(d: Declaration) -> Iterator[Rule]:
    """A reduction over more axes is one of a reduction over fewer, where both are wanted."""
    x = element(d)
    fewer, all_of = applied(d, x, axes=more), applied(d, x)
    right = [applied(d, fewer), fewer]
    when, options = among(more, axes), promise(d)
    yield rule(f"{d.name}-beside-{d.name}", [all_of, fewer], right, when=when, grows=True, **options)


@scheme("reduction-over-ones", "r(x) = x over axes of length 1", holds=reduces, needs=lambda op: [op])
def over_ones(d: Declaration) -> Iterator[Rule]:
    """Over axes of length 1 there is nothing to fold."""
    x = element(d)
    yield rule(f"{d.name}-over-ones", applied(d, x), x, tier="extends", when=invariant(x, axes))


@scheme(
    "reduction-of-dimshuffle",
    "r(x with its axes moved) = r(x) with its axes moved",
    holds=reduces,
    needs=lambda op: [(op, "dimshuffle")],
    tags=["backward"],
)
def of_dimshuffle(d: Declaration) -> Iterator[Rule]:
    """Axes are moved after they are reduced."""
    x = element(d)
    right = dimshuffle_op(applied(d, x, axes=axes_before(p, axes)), pattern=p)
    yield rule(
        f"{d.name}-of-dimshuffle",
        applied(d, dimshuffle_op(x, pattern=p)),
        right,
        tier="rounds",
        tags=["backward"],
    )


@scheme(
    "reduction-of-part",
    "r(x)[part] = r(x[part]) where the reduced axes are taken whole",
    holds=over_axes,
    needs=lambda op: [("subtensor_1", op), ("subtensor_2", op), ("subtensor_3", op)],
    tags=["push", "backward"],
)
def of_part(d: Declaration) -> Iterator[Rule]:
    """Only the rows that a part takes are reduced."""
    x, options = element(d), promise(d)
    for at, end, bounds in BOUNDS:
        part = part_op(x, *bounds, pattern=call(f"part_before_reduction{end}", p, axes))
        yield rule(
            f"part{at}-of-{d.name}",
            part_op(applied(d, x), *bounds, pattern=p),
            applied(d, part, axes=call("axes_of_part", p, axes)),
            tier=options["tier"],
            tags=["push", *options.get("tags", ())],
            grows=True,
        )


@scheme(
    "reduction-of-join",
    "r(join(x, y)) = op(r(x), r(y)), and a join along other axes",
    holds=reduces,
    needs=lambda op: [(op, "concatenate_2"), (op, "concatenate_3")],
    tags=["backward"],
)
def of_join(d: Declaration) -> Iterator[Rule]:
    """A join is reduced piece by piece; a reduction without a value for no elements, only where both pieces have some."""
    x, y = (element(d, name) for name in "xy")
    needs = [] if d.reduction is None or d.reduction.empty else [x, y]
    some = joined(*(computed(call("has_elements", alone(k), lengths(v), ones(v))) for v in needs))
    options = promise(d, "extends")
    of = [applied(d, v) for v in (x, y)]
    for word, right, when in (
        ("of", fold_of(d)(*of), joined(among(alone(k), axes), some)),
        ("beside", join_op(*of, axis=k), disjoint(axes, alone(k))),
    ):
        left = applied(d, join_op(x, y, axis=k))
        yield rule(f"{d.name}-{word}-join", left, right, when=when, grows=False, **options)


def unvaried(v: Meta) -> ParameterCall:
    """The axes of a reduction along which v has length 1."""
    return ParameterCall("&", (axes, ones(v)))


@scheme(
    "reduction-of-fill",
    "r(n times c) = c * n, c ** n or c",
    holds=lambda d: reduces(d) and bool(fold_of(d).repeats or fold_of(d).idempotent),
    needs=lambda op: [(op, "fill")],
    tags=["filled", "backward"],
)
def of_fill(d: Declaration) -> Iterator[Rule]:
    """A value that is repeated is folded with itself at once: counted, or taken once where there is any."""
    c = Meta("c", "float" if element(d).domain == "any" else element(d).domain)
    if fold_of(d).idempotent:
        count = count_op(a, axes=unvaried(c))  # of which only the shape is read
        some = computed(call("has_elements", unvaried(c), lengths(a), ones(a)))
        yield rule(
            f"{d.name}-of-fill",
            applied(d, fill(a, c)),
            applied(d, fill(count, c)),
            tier="exact",
            when=repeated(c, axes) & some,
            grows=False,
            tags=["filled"],
        )
        return
    x, times = reals("x"), counting(fold_of(d))
    left, same = applied(d, fill(x, c)), one_dtype(x, c)  # the model of a filling may have another
    whole, part = (times(c, count_op(x, axes=s)) for s in (axes, unvaried(c)))
    for word, right, when, options in (
        ("fill", whole, invariant(c, axes), {"tags": ["filled"]}),
        ("partly-filled", applied(d, part), repeated(c, axes), {"tags": ["backward"], "grows": False}),
    ):
        yield rule(f"{d.name}-of-{word}", left, right, when=when & same, **options)


@scheme(
    "reduction-of-reshape",
    "r(reshape(x)) = r(x) over all axes, or over those that lie in one",
    holds=reduces,
    needs=lambda op: [(op, "reshape")],
    tags=["backward"],
)
def of_reshape(d: Declaration) -> Iterator[Rule]:
    """Elements that are all reduced may lie under any shape, and so may axes that lie in one which is reduced."""
    x, shape, one = element(d), shapes("shape"), n * m
    whole = applied(d, x, axes=call("every_axis", rank_of(x)))
    every = dimshuffle_op(whole, pattern=call("move_of_one", rank_of(x), k))
    forms: list[Any] = [("", shape, k, axes, every, computed(call("all_reduced", axes, k)))]
    for word, written, place, (first, second, other) in (
        ("first-in-one", (one, i), 0, (0, 1, 2)),
        ("last-in-one", (i, one), 1, (1, 2, 0)),
    ):
        both = dimshuffle_op(applied(d, x, axes=(first, second)), pattern=Literal("move", (0, 2 - place), 3))
        known = as_long(n, x, first) & as_long(m, x, second) & as_long(i, x, other) & rank(x, 3)
        forms.append((f"-{word}", make_vector_op(*written), 2, (place,), both, known))
    for end, wanted, ndim, reduced, right, when in forms:
        left = applied(d, reshape_op(x, wanted, ndim=ndim), axes=reduced)
        yield rule(f"{d.name}-of-reshape{end}", left, right, when=when, **promise(d, "extends"))


@scheme(
    "reduction-in-any-order",
    "r(sort(x)) = r(x), r(x[::-1]) = r(x), sort(x[::-1]) = sort(x)",
    holds=lambda d: sorts(d) or (reduces(d) and fold_of(d).commutative),
    needs=lambda op: (
        [(op, n) for n in ("subtensor_1", "concatenate_2")] + [(op, n) for n, d in OPS.items() if d.permutes]
    ),
    tags=["backward"],
)
def in_any_order(d: Declaration) -> Iterator[Rule]:
    """The order of elements along reduced axes, or along the one that is sorted, does not matter."""
    x = numbers("x") if sorts(d) else element(d)
    over, options = (
        alone(axis) if sorts(d) else axes,
        promise(d, "extends") if reduces(d) else {"tier": "extends"},
    )
    rolled = join_op(part_op(x, i, pattern=p), part_op(x, i, pattern=q), axis=k)
    meets = joined(among(alone(k), over), computed(call("meets_at_bound", q, p, k)))
    orders: list[tuple[str, Any, Any]] = [
        ("turned", part_op(x, pattern=p), computed(call("turned_within", p, over))),
        ("rolled", rolled, meets),
    ]
    orders += [
        (o.name, applied(o, x), among(alone(axis), over)) for o in OPS.values() if o.permutes and o is not d
    ]
    for word, other, when in orders:
        yield rule(f"{d.name}-of-{word}", applied(d, other), applied(d, x), when=when, **options)


# --------------------------------------------------------------------------------------------- what is additive


def summing() -> list[Declaration]:
    """The reductions and running ops that add, of those that rules see."""
    return [d for d in OPS.values() if "add" in (d.reduces, d.accumulates) and not d.opaque]


@scheme(
    "sum-of-additive",
    "sum(f(x, c)) = f(sum(x), c) for f additive in x; so for running sums",
    holds=lambda d: sees(d) and not d.elements and bool(additive(d)),
    needs=lambda op: [(d.name, op) for d in summing()],
    tags=["backward"],
)
def of_additive(d: Declaration) -> Iterator[Rule]:
    """An op that is additive in an operand is applied to the sum, where its other operands stay the same."""
    given = operands(d, reals if d.signature.startswith("f") else numbers)
    for t in once(d, additive(d)):
        others = {o: given[o] for o in d.tensors if o != t}
        for total in summing():
            when = joined(*(same_along(total, v)[0] for v in others.values()))
            left, right = (
                applied(total, applied_to(d, given)),
                applied_to(d, given, **{t: applied(total, given[t])}),
            )
            options: dict[str, Any] = (
                {"tags": ["backward"], "cite": "higham2002"} if others else {"tier": "extends"}
            )
            yield rule(f"{total.name}-of-{d.name}{beside(d, t)}", left, right, when=when, **options)


def linear_in_both(d: Declaration) -> bool:
    """True for an elementwise op of two operands that is linear in both together."""
    return sees(d) and len(d.tensors) == 2 and set(d.tensors) in map(set, map(str.split, d.linear.split(",")))


def sums() -> list[Declaration]:
    """The reductions that add, of those that rules see."""
    return [d for d in OPS.values() if d.reduces == "add" and reduces(d)]


@scheme(
    "sum-of-linear",
    "sum(f(x, c)) = f(sum(x), n * c) for f linear in both, where c is repeated n times",
    holds=linear_in_both,
    needs=lambda op: [(d.name, op) for d in sums()],
    tags=["backward"],
)
def of_linear(d: Declaration) -> Iterator[Rule]:
    """Repetitions by broadcasting are counted before a value meets the rest."""
    given = operands(d)
    for total in sums():
        left, options = applied(total, applied_to(d, given)), {**promise(total), "grows": False}
        times = counting(fold_of(total))
        for t, o in (d.tensors, d.tensors[::-1])[: 1 if d.commutative else 2]:
            v, c = given[t], given[o]
            counted = {t: applied(total, v), o: times(c, count_op(v, axes=axes))}
            when = invariant(c, axes) & met(v, c, axes)
            yield rule(
                f"{total.name}-of-{d.name}-same-{o}", left, applied_to(d, counted), when=when, **options
            )
            partly = {t: applied(total, v, axes=unvaried(c)), o: times(c, count_op(v, axes=unvaried(c)))}
            right, when = applied(total, applied_to(d, partly)), repeated(c, axes) & met(v, c, axes)
            yield rule(f"{total.name}-of-{d.name}-repeated-{o}", left, right, when=when, **options)
        x, y = given.values()
        outer = [times(applied(total, v), count_op(w, axes=unvaried(v))) for v, w in ((x, y), (y, x))]
        when = repeated(x, axes) & repeated(y, axes) & met(x, y, axes)
        yield rule(f"{total.name}-of-outer-{d.name}", left, d(*outer), when=when, **options)


@scheme(
    "count",
    "count(f(x)) = count(x)",
    holds=lambda d: sees(d) and len(d.tensors) == 1 and d.signature[0] == d.signature[-1],
    needs=lambda op: [("count", op)],
    tags=["filled"],
)
def of_count(d: Declaration) -> Iterator[Rule]:
    """Elements are counted without a look at them."""
    yield rule(
        f"count-of-{d.name}", count_op(d(a), axes=axes), count_op(a, axes=axes), tier="exact", tags=["filled"]
    )


RULES = [
    again,
    beside_another,
    over_ones,
    of_dimshuffle,
    of_part,
    of_join,
    of_fill,
    of_reshape,
    in_any_order,
    of_additive,
    of_linear,
    of_count,
]
