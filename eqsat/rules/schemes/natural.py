"""A movement says how operands that broadcast meet it; from that follow its laws with all elementwise ops.

A movement m takes elements of a tensor to other places. So ``m(f(x, y)) = f(m(x), m(y))`` for every elementwise f, where an operand
that has length 1 along some axes may go another way than m: it stays as it is, or an axis of it is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.declare import Declaration
from eqsat.rules.condition import Condition
from eqsat.rules.facts import single, varies
from eqsat.rules.pattern import Meta, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.elementwise import applied, is_elementwise, mixtures, operands_of
from eqsat.rules.schemes.operands import joined
from eqsat.rules.schemes.scheme import Property, Scheme, scheme


@dataclass(frozen=True)
class Way:
    """One way of an operand: what becomes of it, given the other operands, those first that go as the result does, and what
    must be known of it."""

    letter: str  # in names of rules
    of: Callable[[Any, Sequence[Meta]], Any]
    when: Callable[[Any], Condition | None] = lambda v: None


Ways = Sequence[Way]


@dataclass(frozen=True)
class Movement:
    """A movement ``of`` a tensor by the op ``op``, and the ways of operands; the first is that of the result.

    ``joint`` says what must be known of all operands together, None or True for nothing; False where they may not go these ways.
    """

    name: str
    op: str
    of: Callable[[Any], Any]
    ways: tuple[Way, ...]
    joint: Callable[[Ways, Sequence[Meta]], Condition | bool | None] = lambda ways, operands: None
    tags: tuple[str, ...] = ()
    grows: bool | None = None
    tier: str = "exact"


def natural(m: Movement, holds: Property = is_elementwise) -> Scheme:
    """The law m(f(x, ...)) = f(m(x), ...): a movement of a result is one of the operands."""

    def make(d: Declaration) -> Iterator[Rule]:
        operands = operands_of(d)
        for ways in mixtures(d, m.ways):
            joint = m.joint(ways, operands)
            if joint is False:
                continue
            alone = len(operands) == 1
            usual = [v for w, v in zip(ways, operands, strict=True) if w is m.ways[0]]
            beside = {v: others(list(dict.fromkeys([*usual, *operands])), v) for v in operands}
            facts = [] if alone else [w.when(v) for w, v in zip(ways, operands, strict=True)]
            yield rule(
                f"{m.name}-of-{d.name}{ending(ways, m.ways[0])}",
                m.of(applied(d, operands)),
                applied(d, [w.of(v, beside[v]) for w, v in zip(ways, operands, strict=True)]),
                tier=m.tier,
                when=joined(*facts, joint if isinstance(joint, Condition) else None),
                tags=m.tags,
                grows=m.grows,
            )

    law = f"{m.name}(f(x, ...)) = f({m.name}(x), ...)"
    name = f"{m.name}-of-elementwise"
    return scheme(name, law, holds=holds, needs=lambda op: [(m.op, op)], tags=m.tags)(make)


def others(operands: Sequence[Meta], one: Meta) -> list[Meta]:
    """The operands but one."""
    return [v for v in operands if v != one]


def ending(ways: Ways, usual: Way) -> str:
    """The end of the name of a rule in which operands go other ways than the result."""
    return "" if all(w is usual for w in ways) else "-" + "".join(w.letter for w in ways)


def outside(
    m: Movement, *, most: int = 99, numbers: str = "extends", holds: Property = is_elementwise
) -> Scheme:
    """The law f(m(x), ...) = m(f(x, ...)), where each operand was moved so, at most ``most`` of them, or is a number.

    ``numbers`` is the tier of rules with numbers.
    """

    def make(d: Declaration) -> Iterator[Rule]:
        operands = operands_of(d)
        for moves in mixtures(d, (True, False)):
            if not 0 < sum(moves) <= most:
                continue
            pairs = list(zip(moves, operands, strict=True))
            still = [single(v) for moved, v in pairs if not moved]
            yield rule(
                f"{d.name}-of-{m.name}{'' if all(moves) else '-' + ''.join('t' if t else 'n' for t in moves)}",
                applied(d, [m.of(v) if moved else v for moved, v in pairs]),
                m.of(applied(d, [v if moved else value(v) for moved, v in pairs])),
                tier=numbers if still else m.tier,
                when=joined(*still, *(varies(v) for moved, v in pairs if moved and still)),
                tags=m.tags,
                grows=m.grows,
            )

    law = f"f({m.name}(x), ...) = {m.name}(f(x, ...))"
    name = f"elementwise-of-{m.name}"
    return scheme(name, law, holds=holds, needs=lambda op: [(op, m.op)], tags=m.tags)(make)
