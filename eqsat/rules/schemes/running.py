"""Laws of running ops: their elements and parts are reductions of parts, and their differences the elements that were put in."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.condition import ALL_AXES
from eqsat.rules.facts import computed, covers, invariant
from eqsat.rules.pattern import Meta, alone, axis_before, call, lengths, parameters
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import BOUNDS, applied, applied_to, joined, operands
from eqsat.rules.schemes.reductions import element, fold_of, linear_in_both, promise, reduces
from eqsat.rules.schemes.scheme import scheme

axis, p, q = parameters("axis p q")


def accumulates(d: Declaration) -> bool:
    """True for a running op along an axis."""
    return bool(d.accumulates)


def total_of(d: Declaration) -> Declaration | None:
    """The reduction that folds what a running op does."""
    return next((o for o in OPS.values() if reduces(o) and o.reduces == d.accumulates), None)


@scheme(
    "running-part",
    "running(x)[i] = r(x[:i + 1]), running(x)[-1] = op(r(x[:-1]), x[-1]), running(x)[:n] = running(x[:n])",
    holds=accumulates,
    needs=lambda op: [("subtensor_1", op), ("subtensor_2", op)],
    tags=["push", "backward"],
)
def running_part(d: Declaration) -> Iterator[Rule]:
    """One element of a running op is a reduction of those up to it; parts from the start are computed alone.

    An element that may be outside is read from the running op, which refuses it: a part ends where the elements do. The last one
    is added to those before it, so that there has to be one.
    """
    x, total = element(d), total_of(d)
    if total is not None:
        options = promise(d)
        tags = ["push", *options.get("tags", ())]
        parts = call("part_before_last", p, axis), call("part_up_to_known", p, axis, lengths(x))
        rest, whole, every = (
            dimshuffle_op(
                applied(total, part_op(x, pattern=part), axes=call("axes_up_to", p, axis)),
                pattern=call("move_up_to", p, axis),
            )
            for part in (*parts, call("part_of_all_to_last", p, axis))
        )
        of_nothing = total.reduction is not None and total.reduction.empty
        ends = {"element": whole, "last": fold_of(d)(rest, part_op(x, pattern=p)) if of_nothing else every}
        for which, right in ends.items():
            yield rule(
                f"{which}-of-{d.name}",
                part_op(applied(d, x), pattern=p),
                right,
                tier=options["tier"],
                tags=tags,
                grows=True,
            )
    yield rule(
        f"inner-part-of-{d.name}",
        part_op(applied(d, x), pattern=p),
        part_op(applied(d, part_op(x, pattern=call("part_up_to_stop", p, axis))), pattern=p),
        tier="exact",
        tags=["push"],
        grows=True,
    )
    first = computed(call("takes_first", p, axis))
    yield rule(
        f"first-of-{d.name}",
        part_op(applied(d, x), pattern=p),
        part_op(x, pattern=p),
        tier="exact",
        when=first,
    )
    for at, end, bounds in BOUNDS[:2]:
        part = part_op(x, *bounds, pattern=call(f"part_from_start{end}", p, axis))
        right = applied(d, part, axis=call("place_up_to", p, axis))
        yield rule(
            f"part{at}-of-{d.name}",
            part_op(applied(d, x), *bounds, pattern=p),
            right,
            tier="exact",
            tags=["push"],
            grows=True,
        )


@scheme(
    "running-difference",
    "running(x)[1:] - running(x)[:-1] = x[1:], and so for quotients",
    holds=lambda d: accumulates(d) and fold_of(d).inverse in OPS,
    needs=lambda op: [("subtensor_1", op)],
)
def difference(d: Declaration) -> Iterator[Rule]:
    """The difference of neighbouring elements of a running op is the element that was put in last."""
    x, back = element(d), OPS[fold_of(d).inverse]
    x = Meta("x", "float" if back.signature.startswith("f") else "number")
    of = [part_op(applied(d, x), pattern=part) for part in (p, q)]
    yield rule(
        f"{back.name}-of-{d.name}",
        back(*of),
        part_op(x, pattern=p),
        tier="extends" if back.poles else "rounds",
        when=computed(call("follows", p, q, axis)),
    )


@scheme(
    "over-one-element",
    "running(x) = x, sort(x) = x along an axis of length 1",
    holds=lambda d: accumulates(d) or d.permutes,
    needs=lambda op: [op],
)
def over_one_element(d: Declaration) -> Iterator[Rule]:
    """Along an axis of length 1 there is nothing to fold, and nothing to put in order."""
    x = element(d)
    yield rule(f"{d.name}-over-one", applied(d, x), x, tier="extends", when=invariant(x, alone(axis)))


@scheme(
    "running-of-dimshuffle",
    "running(x with its axes moved) = running(x) with its axes moved",
    holds=accumulates,
    needs=lambda op: [(op, "dimshuffle")],
)
def running_of_dimshuffle(d: Declaration) -> Iterator[Rule]:
    """Axes are moved after a running op."""
    x = element(d)
    right = dimshuffle_op(applied(d, x, axis=axis_before(p, axis)), pattern=p)
    yield rule(f"{d.name}-of-dimshuffle", applied(d, dimshuffle_op(x, pattern=p)), right, tier="exact")


@scheme(
    "running-of-linear",
    "f(running(x), running(y)) = running(f(x, y)) for sums and f linear in both",
    holds=lambda d: d.accumulates == "add" and not d.opaque,
    needs=lambda op: [(f.name, op) for f in OPS.values() if linear_in_both(f)],
    tags=["backward"],
)
def of_linear(d: Declaration) -> Iterator[Rule]:
    """Running sums of one length are added before they run."""
    for f in [f for f in OPS.values() if linear_in_both(f) and not f.elements]:
        given = operands(f)
        both = {t: applied(d, v) for t, v in given.items()}
        when = joined(*(covers(v, ALL_AXES) for v in given.values()))
        left, right = applied_to(f, both), applied(d, applied_to(f, given))
        yield rule(f"{f.name}-of-{d.name}s", left, right, when=when, tags=["backward"], cite="higham2002")


RULES = [running_part, difference, over_one_element, running_of_dimshuffle, of_linear]
