"""Products: ops of two tensors that are linear in each, with laws that are read off their signatures.

An axis of an operand is *met* where the other operand has it too, and *summed* where moreover the result has not: in
``(m,k),(k,n)->(m,n)`` k is both. Along all others the operand goes its own way, and what is done there to the result may be
done to the operand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.create import alloc_op
from eqsat.graph.ops.elemwise import fill, mul, truediv
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.graph.properties import additive
from eqsat.graph.seen import is_transparent
from eqsat.rules.equality import Need
from eqsat.rules.facts import (
    alike,
    computed,
    covers,
    invariant,
    lower,
    one_element,
    rank,
    single,
    upper,
    varies,
    zero,
)
from eqsat.rules.pattern import Literal, Meta, Number, anything, call, indices, lengths, numbers, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import applied, joined
from eqsat.rules.schemes.reductions import linear_in_both
from eqsat.rules.schemes.scheme import scheme

x, y, z, s, u, v = numbers("x y z s u v")
a = anything("a")
i, j = indices("i j")
SHARED: dict[str, Any] = {"tags": ["backward"], "cite": "higham2002"}
EXPAND: dict[str, Any] = {"tier": "loose", "grows": True, "tags": ["expand"]}
WORDS = ("left", "right")
FORMS = (("", 2), ("-three", 3))
"""Names of rules on joins, by the number of pieces."""


def is_product(d: Declaration) -> bool:
    """True for an op of two tensors that is linear in each, and whose signature says each of the lengths by one name."""
    if d.kind == "elemwise" or len(d.tensors) != 2 or set(additive(d)) != set(d.tensors):
        return False
    told = d.shapes is not None and is_transparent(d) and not d.parameters
    return told and all(axes.rest is None and all(map(str.isidentifier, axes.before)) for axes in _axes(d))


def _axes(d: Declaration) -> list[Any]:
    """The axes of the operands, and last those of the result."""
    assert d.shapes is not None
    return [*d.shapes.operands, *d.shapes.results]


@dataclass(frozen=True)
class Factor:
    """One of the two operands of a product, by its place."""

    d: Declaration
    place: int

    @property
    def word(self) -> str:
        """The side on which it stands."""
        return WORDS[self.place]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its lengths."""
        return tuple(_axes(self.d)[self.place].before)

    @property
    def result(self) -> tuple[str, ...]:
        """The names of the lengths of the result."""
        return tuple(_axes(self.d)[2].before)

    @property
    def met(self) -> tuple[int, ...]:
        """Its axes that the other operand has too."""
        return tuple(k for k, n in enumerate(self.names) if n in Factor(self.d, 1 - self.place).names)

    @property
    def summed(self) -> tuple[int, ...]:
        """Its axes that the result does not have."""
        return tuple(k for k, n in enumerate(self.names) if n not in self.result)

    @property
    def alone_and_summed(self) -> tuple[str, ...]:
        """The names of the lengths that the other operand does not have, before those of the others."""
        return (*(self.names[k] for k in self.own), *(self.names[k] for k in self.met))

    @property
    def own(self) -> dict[int, int]:
        """Its axes that the other operand does not have, with those of the result at which they stand."""
        return {k: self.result.index(n) for k, n in enumerate(self.names) if k not in self.met}

    def times(self, operand: Any, other: Any) -> Any:
        """The product with an operand in this place."""
        return self.d(*((operand, other) if self.place == 0 else (other, operand)))

    def onto_result(self, operand: Any) -> Any:
        """A factor of this operand as one of the result."""
        return aligned(operand, self.names, self.result)

    def from_result(self, operand: Any) -> Any:
        """A factor of the result as one of this operand."""
        return aligned(operand, self.result, self.names)


def aligned(operand: Any, names: tuple[str, ...], wanted: tuple[str, ...]) -> Any:
    """An operand whose axes have names, with those that are wanted; where they stand alike it broadcasts as it is."""
    if len(names) == len(wanted) and all(
        n == w or n not in wanted for n, w in zip(names, wanted, strict=True)
    ):
        return operand
    pattern = tuple(names.index(n) if n in names else "x" for n in wanted)
    return dimshuffle_op(operand, pattern=Literal("move", pattern, len(names)))


def factors(d: Declaration) -> Iterator[tuple[Factor, Factor]]:
    """Each operand with the other one."""
    left, right = Factor(d, 0), Factor(d, 1)
    yield from ((left, right), (right, left))


def sums() -> list[Declaration]:
    """The elementwise ops that are linear in two operands together: sums and differences."""
    return [OPS[name] for name in sorted(OPS) if linear_in_both(OPS[name]) and not OPS[name].elements]


# -------------------------------------------------------------------------------------------- signs and factors


def is_linear(d: Declaration) -> bool:
    """True for an op, not of single elements, that computes something linear in an operand."""
    computes = d.kind == "block" and d.shapes is not None and not d.accumulates and not d.elements
    return computes and is_transparent(d) and bool(additive(d))


@scheme("linear-of-neg", "f(-x, y) = -f(x, y)", holds=is_linear, needs=lambda op: [(op, "neg")])
def of_neg(d: Declaration) -> Iterator[Rule]:
    """The sign goes out of each operand in which the op is linear."""
    given = numbers_of(d)
    for t in additive(d):
        left = applied(d, *(-w if w.name == t else w for w in given))
        yield rule(f"{d.name}-neg-{t}", left, -applied(d, *given), tier="extends")


def numbers_of(d: Declaration) -> list[Meta]:
    """A metavariable for each operand."""
    return [Meta(t, "float" if d.poles else "number") for t in d.tensors]


@scheme(
    "linear-of-multiple",
    "f(c * x) = c * f(x), where c is a number",
    holds=lambda d: is_linear(d) and len(d.tensors) == 1 and d.shapes is not None and d.shapes.takes_any,
    needs=lambda op: [(op, "mul")],
    tags=["backward"],
)
def of_number(d: Declaration) -> Iterator[Rule]:
    """A known number goes out of an op of one tensor."""
    left, right = applied(d, x * s), applied(d, x) * value(s)
    yield rule(f"{d.name}-of-multiple", left, right, when=single(s), tags=["backward"])


@scheme(
    "product-of-multiple",
    "f(s * x, y) = s * f(x, y), f(x / s, y) = f(x, y) / s, where s is the same along summed axes",
    holds=is_product,
    needs=lambda op: [(op, "mul"), (op, "truediv")],
    tags=["backward"],
)
def of_multiple(d: Declaration) -> Iterator[Rule]:
    """A factor goes out of each operand where all that is summed has it."""
    for f, _ in factors(d):
        for word, op in (("scaled", mul), ("divided", truediv)):
            yield rule(
                f"{d.name}-{word}-{f.word}",
                f.times(op(x, s), y),
                op(f.times(x, y), f.onto_result(s)),
                when=invariant(s, f.summed) & covers(x, f.met),
                **SHARED,
            )


@scheme(
    "multiple-of-product",
    "s * f(x, y) = f(s * x, y), where s is the same along the axes of y, or a number",
    holds=is_product,
    needs=lambda op: [("mul", op)],
    tags=["backward"],
)
def multiple_of(d: Declaration) -> Iterator[Rule]:
    """A factor goes into each operand; where it has the axes of both, their product is larger than either."""
    for f, other in factors(d):
        beside, shown = tuple(other.own.values()), axes_shown(f)
        for word, fits in (("scale", invariant(s, beside) & covers(x, shown)), ("scalar", one_element(s))):
            yield rule(
                f"{word}-into-{f.word}-of-{d.name}",
                s * f.times(x, y),
                f.times(f.from_result(s) * x, y),
                when=varies(s) & fits,
                grows=True,
                **SHARED,
            )


# ---------------------------------------------------------------------------------------------------------- sums


@scheme(
    "sum-of-products",
    "f(x, y) + f(x, z) = f(x, y + z)",
    holds=is_product,
    needs=lambda op: [(d.name, op) for d in sums()],
    tags=["backward"],
)
def common(d: Declaration) -> Iterator[Rule]:
    """Sums and differences of products that share an operand are one product."""
    for f, other in factors(d):
        for plus in sums():
            end = "" if plus.name == "add" else f"-{plus.name}"
            left = plus(f.times(x, z), f.times(y, z))
            yield rule(f"{d.name}-common-{other.word}{end}", left, f.times(plus(x, y), z), **SHARED)


@scheme(
    "product-of-sum",
    "f(x, y + z) = f(x, y) + f(x, z)",
    holds=is_product,
    needs=lambda op: [(op, "add")],
    tags=["expand"],
)
def of_sum(d: Declaration) -> Iterator[Rule]:
    """A product with a sum is a sum of products, where no term is repeated along what is met."""
    for f, _ in factors(d):
        sides = f.times(x + y, z), f.times(x, z) + f.times(y, z)
        yield rule(f"{d.name}-of-sum-{f.word}", *sides, when=covers(x, f.met) & covers(y, f.met), **EXPAND)


@scheme(
    "product-of-sum-with-outer",
    "f(x + s * y, z) = f(x, z) + s * f(y, z), and f(x + y, z) = f(x, z) + f(y, z) for a diagonal y",
    holds=is_product,
    needs=lambda op: [(op, d.name) for d in sums()],
    tags=["backward"],
)
def of_sum_with_outer(d: Declaration) -> Iterator[Rule]:
    """Outer products and diagonals, with which it is cheap to multiply, are not added to a matrix before."""
    for f, _ in factors(d):
        every, flat = tuple(range(len(f.names))), tuple(f.own)
        along = invariant(s, f.summed) & covers(y, f.met) & invariant(y, flat)
        kinds = [("outer", s * y, f.onto_result(s) * f.times(y, z), along)]
        if every == (0, 1):
            kinds.append(("diagonal", y, f.times(y, z), lower(y) & upper(y) & covers(y, every)))
        for plus in sums() if flat else ():
            for word, term, product, known in kinds:
                for end, op in (("", plus), ("-first", swapped(plus)))[: 1 if plus.commutative else 2]:
                    yield rule(
                        f"{d.name}-of-{plus.name}-{word}{end}-{f.word}",
                        f.times(op(x, term), z),
                        op(f.times(x, z), product),
                        when=covers(x, every) & known,
                        grows=False,
                        **SHARED,
                    )


def swapped(d: Declaration) -> Callable[[Any, Any], Any]:
    """An op of two operands in the opposite order."""
    return lambda v, w: d(w, v)


@scheme(
    "sum-over-product",
    "sum(f(x, y)) = f(sum(x), y), over axes that only x has",
    holds=is_product,
    needs=lambda op: [("sum", op)],
    tags=["backward"],
)
def sum_over(d: Declaration) -> Iterator[Rule]:
    """An operand is summed first along axes that only it has; both are, where all such axes are summed."""
    left, right = Factor(d, 0), Factor(d, 1)
    for word, f, g in (("left", True, False), ("right", False, True), ("both", True, True)):
        reduced = [sum_op(w, axes=tuple(o.own)) if t else w for w, o, t in ((x, left, f), (y, right, g))]
        axes = [k for o, t in ((left, f), (right, g)) if t for k in o.own.values()]
        if all(o.own for o, t in ((left, f), (right, g)) if t):
            whole = sum_op(applied(d, x, y), axes=tuple(sorted(axes)))
            yield rule(f"sum-{word}-of-{d.name}", whole, applied(d, *reduced), grows=False, **SHARED)


# --------------------------------------------------------------------------------------------------------- joins


@scheme(
    "join-of-products",
    "join(f(x, y), f(x, z)) = f(x, join(y, z)), along axes that only y and z have",
    holds=is_product,
    needs=lambda op: [(f"concatenate_{count}", op) for _, count in FORMS],
    tags=["backward"],
)
def join_of(d: Declaration) -> Iterator[Rule]:
    """Products that share an operand are joined before they are computed."""
    for f, _ in factors(d):
        for axis, at in f.own.items():
            for word, count in FORMS:
                pieces = (x, y, z)[:count]
                yield rule(
                    f"join-of{word}-{d.name}-{f.word}-{axis}",
                    join_op(*(f.times(piece, a) for piece in pieces), axis=at),
                    f.times(join_op(*pieces, axis=axis), a),
                    tags=["backward"],
                    cite="jia2019",
                )


@scheme(
    "product-of-joins",
    "f(join(x, u), join(y, v)) = f(x, y) + f(u, v), along a summed axis",
    holds=is_product,
    needs=lambda op: [(op, "concatenate_2"), ("add", op)],
    tags=["backward", "expand"],
)
def of_joins(d: Declaration) -> Iterator[Rule]:
    """Operands that are joined where they are summed are multiplied piece by piece; on request the other way round."""
    left, right = Factor(d, 0), Factor(d, 1)
    for k in left.summed:
        m = right.names.index(left.names[k])
        whole = applied(d, join_op(x, u, axis=k), join_op(y, v, axis=m))
        parts = applied(d, x, y) + applied(d, u, v)
        meets = computed(call("meets", k, lengths(x), m, lengths(y)))
        end = f"-{left.names[k]}" if len(left.summed) > 1 else ""
        yield rule(
            f"{d.name}-of-joins{end}", whole, parts, when=meets, grows=True, tags=["backward"], cite="jia2019"
        )
        if len(left.summed) == 1 and not set(left.met) - {k}:
            same = alike(x, u, tuple(left.own)) & alike(y, v, tuple(right.own))
            yield rule(f"sum-of-{d.name}-as-one", parts, whole, when=same, cite="jia2019", **EXPAND)


# -------------------------------------------------------------------------------------------- picks, zeros, fills


@scheme(
    "pick-of-product",
    "pick(f(x, y)) = f(pick(x), y), along an axis that only x has; of pairs, the sum of rows times columns",
    holds=is_product,
    needs=lambda op: [("gather_2", op), ("gather_3", op)],
    tags=["pick", "backward"],
)
def pick_of(d: Declaration) -> Iterator[Rule]:
    """Only the rows or columns that are picked are computed."""
    for f, _ in factors(d):
        for axis, at in f.own.items():
            yield rule(
                f"pick-of-{d.name}-{f.word}-{axis}",
                gather_op(f.times(x, y), i, pattern=only(at, len(f.result))),
                f.times(gather_op(x, i, pattern=only(axis, len(f.names))), y),
                when=rank(i, 1),
                tags=["pick", "backward"],
                cite="higham2002",
            )
    left, right = Factor(d, 0), Factor(d, 1)
    if (len(left.own), len(right.own), len(left.summed)) == (1, 1, 1) and len(left.result) == 2:
        rows, columns = (
            aligned(gather_op(w, at, pattern=only(min(f.own), len(f.names))), f.names, f.alone_and_summed)
            for f, w, at in ((left, x, i), (right, y, j))
        )
        yield rule(
            f"pairs-of-{d.name}",
            gather_op(applied(d, x, y), i, j, pattern=(0, 1)),
            dimshuffle_op(sum_op(rows * columns, axes=(1,)), pattern=Literal("move", (0,), 2)),
            when=rank(i, 1)
            & rank(j, 1)
            & covers(i, (0,))
            & covers(j, (0,))
            & covers(x, left.met)
            & covers(y, right.met),
            tags=["pick", "backward"],
        )


def only(axis: int, rank: int) -> tuple[int, ...]:
    """The pattern of a gather from one axis."""
    return tuple(0 if k == axis else -1 for k in range(rank))


def wakes_zeros(op: str) -> list[Need]:
    """Any product of matrices, of which one may be a constant; stacks of zeros are filled or allocated."""
    if all(len(f.names) == 2 for f, _ in factors(OPS[op])):
        return [op]
    makers = ("fill", *(OPS["alloc"].form(count).name for count in OPS["alloc"].forms))
    return [("fill", op), *((op, maker) for maker in makers)]


@scheme(
    "product-of-zeros",
    "f(0, y) = 0, fill(f(x, y), c) = c repeated",
    holds=is_product,
    needs=wakes_zeros,
    tags=["filled"],
)
def of_zeros(d: Declaration) -> Iterator[Rule]:
    """Of a product with zeros, and of one that is filled with a number, only the shape is left."""
    left, right = Factor(d, 0), Factor(d, 1)
    sizes = [
        length_op(w, axis=f.names.index(n))
        for n in left.result
        for f, w in [(left, x) if n in left.names else (right, y)]
    ]
    whole = covers(x, axes_shown(left)) & covers(y, axes_shown(right))
    product = applied(d, x, y)
    for f, w in ((left, x), (right, y)):
        nothing = alloc_op(Number(0.0).at(len(sizes)), *sizes)
        # that it is zero is known at once, its shape without the product a little later
        for word, zeros, when, grows in (
            ("known-", fill(product, 0), zero(w), False),
            ("", nothing, joined(zero(w), whole), True),
        ):
            name = f"{d.name}-of-{word}zeros-{f.word}"
            yield rule(name, product, zeros, tier="extends", when=when, grows=grows, tags=["filled"])
    sides = fill(product, a), alloc_op(a, *sizes)
    yield rule(f"fill-of-{d.name}", *sides, tier="exact", when=whole & one_element(a))


def axes_shown(f: Factor) -> tuple[int, ...]:
    """The axes of a factor that the result has."""
    return tuple(k for k in range(len(f.names)) if k not in f.summed)


RULES = [
    of_neg,
    of_number,
    of_multiple,
    multiple_of,
    common,
    of_sum,
    of_sum_with_outer,
    sum_over,
    join_of,
    of_joins,
    pick_of,
    of_zeros,
]
