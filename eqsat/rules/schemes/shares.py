"""Elements that add up to a known number along some axes, as those of a softmax do."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.elemwise import fill, minimum
from eqsat.graph.ops.reduce import count_op
from eqsat.rules.facts import among, computed
from eqsat.rules.pattern import call, lengths, ones, parameters, reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import applied
from eqsat.rules.schemes.reductions import sums
from eqsat.rules.schemes.scheme import scheme

axes, more = parameters("axes more")


@scheme(
    "sum-of-shares",
    "sum(f(x)) = n where the elements of f(x) along its axes add up to n",
    holds=lambda d: d.total is not None and set(d.parameters) == {"axes"},
    needs=lambda op: [(d.name, op) for d in sums()],
    tags=["backward"],
)
def of_shares(d: Declaration) -> Iterator[Rule]:
    """The sum is the number times that of the rows, and 0 where the axes have no elements."""
    x = reals("x")
    count = count_op(x, axes=axes)
    any_at_all = minimum(count, 1)
    some = computed(call("has_elements", axes, lengths(x), ones(x)))
    for total in sums():
        left = applied(total, applied(d, x), axes=more)
        for end, whole, when in (
            ("", fill(count, d.total), among(axes, more) & some),
            ("-if-any", any_at_all if d.total == 1 else any_at_all * d.total, among(axes, more)),
        ):
            right = applied(total, whole, axes=more)
            yield rule(
                f"{total.name}-of-{d.name}{end}", left, right, when=when, grows=False, tags=["backward"]
            )


RULES = [of_shares]
