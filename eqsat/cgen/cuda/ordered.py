"""Loops whose turns may write the same element, as a scatter does: each element is written by one thread, in the order of the turns.

A block of threads has the elements that a hash of their address gives it. All blocks go through all turns, 256 at once: each thread
works out where one turn writes, and then those of the block's own turns run one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.expressions import c_text, place
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.statements import printed
from eqsat.cgen.cuda.kernels import THREADS, apart, deeper
from eqsat.cgen.cuda.spaces import (
    Space,
    everything,
    following,
    is_simple,
    known_twice,
    names,
    read,
    root,
    stored,
)
from eqsat.cgen.ir.expressions import ONE, ZERO, Binary, Cast, Expression, Int, inside
from eqsat.cgen.ir.operand import Element
from eqsat.cgen.ir.statements import Assign, Check, For, Let, Row, Statement, Store
from eqsat.graph.dtypes import FLOATS

WORDS = THREADS // 32


@dataclass(frozen=True)
class Ordered:
    """Turns along axes ``turns``, each of which writes elements at ``target`` along the axes ``own``."""

    turns: tuple[tuple[str, Expression], ...]
    own: tuple[tuple[str, Expression], ...]
    body: tuple[Statement, ...]
    target: Element


def ordered(s: For) -> Ordered | None:
    """A nest of loops in which turns may need those before them where they write the same element; None for others."""
    found = _nest(s)
    if found is None:
        return None
    axes, body = found
    local = {x.name for x in everything(body) if isinstance(x, (Let, Row))}
    if not all(map(is_simple, body)) or any(
        isinstance(x, Assign) and x.name not in local for x in everything(body)
    ):
        return None
    targets = [x for x in stored(body) if root(x) not in local]
    written = {root(x) for x in targets}
    if not targets or "" in written or any(x != targets[0] for x in targets):
        return None
    if any(x != targets[0] for x in read(body) if root(x) in written):
        return None
    own = [a for a in axes if _is_own(a[0], body, targets[0])]
    turns = [a for a in axes if a not in own]
    checked = {name for x in body if isinstance(x, Check) for name in names(x.test)}
    if any(following(c, body) & checked for c, _ in own):
        return None
    return Ordered(tuple(turns), tuple(own), tuple(body), targets[0])


def _nest(s: For) -> tuple[list[tuple[str, Expression]], list[Statement]] | None:
    """The axes of loops that stand inside each other, and what runs at each place."""
    axes: list[tuple[str, Expression]] = []
    before: list[Statement] = []
    inner: Any = s
    while True:
        if inner.start != ZERO or inner.step != ONE or inner.running or inner.combined:
            return None
        known = {c for c, _ in axes} | {x.name for x in before if isinstance(x, Let)}
        if names(inner.stop) & known or inner.counter in known:
            return None
        axes.append((inner.counter, inner.stop))
        *first, last = inner.body
        if not isinstance(last, For) or not all(_is_value(x) for x in first):
            return axes, [*before, *inner.body]
        before += first
        inner = last


def _is_value(s: Statement) -> bool:
    return isinstance(s, Check) or (isinstance(s, Let) and not s.variable)


def _is_own(counter: str, body: Sequence[Statement], target: Element) -> bool:
    """True for a counter that is the index of one axis of the target, and has nothing to do with the others."""
    more = following(counter, body) - {counter}
    return known_twice(counter, [target]) and not more & names(*target.index, target.memory.address)


def ordered_text(s: Ordered, ends: Sequence[str], onto: Any) -> str:
    """The body of the kernel; ``ends`` are names of the lengths of turns and own axes, ``onto`` makes a check a report."""
    (turns, own), count = ([c for c, _ in axes] for axes in (s.turns, s.own)), len(s.turns)
    many, wide = ("*".join(e) or "1" for e in (ends[:count], ends[count:]))
    first = [*_needed(s), *(x for x in s.body if isinstance(x, Check))]
    looked = printed([x for x in s.body if x in first])
    body = printed([x for x in s.body if not isinstance(x, Check)])
    start = replace(s.target, index=tuple(ZERO if names(i) & set(own) else i for i in s.target.index))
    lines = [
        f"__shared__ unsigned eq_mine[{WORDS}];",
        f"__shared__ int eq_row[{THREADS}];",
        "const int eq_me = (int)(threadIdx.y*blockDim.x + threadIdx.x);",
        f"const int64_t eq_many = {many}, eq_wide = {wide};",
        f"for (int64_t eq_first = 0; eq_first < eq_many; eq_first += {THREADS}) {{",
        f"  if (eq_me < {WORDS}) eq_mine[eq_me] = 0;",
        "  __syncthreads();",
        "  const int64_t eq_at = eq_first + eq_me;",
        "  if (eq_at < eq_many) do {",
        *deeper([*apart("eq_at", turns, ends[:count]), *(onto(line, "break") for line in looked)], 2),
        f"    const uint64_t eq_place = (uint64_t)({place(start)})/sizeof({CTYPE[s.target.dtype]});",
        "    const uint64_t eq_hash = eq_place*11400714819323198485ULL >> 32;",
        "    if (eq_hash*gridDim.x >> 32 != blockIdx.x) break;",
        "    eq_row[eq_me] = (int)((eq_hash & 65535)*blockDim.y >> 16);",
        "    atomicOr(&eq_mine[eq_me / 32], 1u << eq_me % 32);",
        "  } while (0);",
        "  __syncthreads();",
        f"  for (int eq_w = 0; eq_w < {WORDS}; eq_w++) for (unsigned eq_bits = eq_mine[eq_w]; eq_bits; eq_bits &= eq_bits - 1) {{",
        "    const int eq_turn = 32*eq_w + __ffs((int)eq_bits) - 1;",
        "    if (eq_row[eq_turn] != (int)threadIdx.y) continue;",
        "    const int64_t eq_at = eq_first + eq_turn;",
        *deeper(apart("eq_at", turns, ends[:count]), 2),
        "    for (int64_t eq_to = (int64_t)blockIdx.y*blockDim.x + threadIdx.x; eq_to < eq_wide; eq_to += (int64_t)gridDim.y*blockDim.x) {",
        *deeper([*apart("eq_to", own, ends[count:]), *body], 3),
        "    }",
        "  }",
        "  __syncthreads();",
        "}",
    ]
    return "\n".join(lines)


def by_atomics(s: Ordered) -> Space | None:
    """The places at which something is added to an element of floats, in any order; None for turns that do anything else."""
    *before, last = s.body
    if not isinstance(last, Store) or not all(isinstance(x, (Let, Check)) for x in before):
        return None
    dtype = last.element.memory.dtype
    total = last.value.x if isinstance(last.value, Cast) and last.value.of == dtype else last.value
    if (
        dtype not in FLOATS
        or not isinstance(total, Binary)
        or total.op != "+"
        or s.target not in (total.x, total.y)
    ):
        return None
    value = total.y if total.x == s.target else total.x
    if any(x == s.target for x in inside(value)) or s.target in read(before):
        return None
    text = f"atomicAdd({place(s.target)}, ({CTYPE[dtype]})({c_text(value)}));"
    return Space((*s.turns, *s.own), (), (*before, text))


def _needed(s: Ordered) -> list[Statement]:
    """The values by which the target of a turn is found, and those that its checks read."""
    own = {c for c, _ in s.own}
    wanted = names(*(i for i in s.target.index if not names(i) & own), s.target.memory.address)
    for x in s.body:
        if isinstance(x, Check):
            wanted |= names(x.test, *x.stop.values)
    found: list[Statement] = []
    for x in reversed(s.body):
        if isinstance(x, Let) and x.name in wanted:
            found.append(x)
            wanted |= names(x.value)
    return found


def geometry(s: Ordered) -> tuple[tuple[str, str], tuple[str, str]]:
    """The host's text of the grid and of a block: as many rows of threads as own places leave room for."""
    wide: Expression = Int(1)
    for _, n in s.own:
        wide = wide * n
    size = s.target.memory.size
    across = f"eq_power({c_text(wide)}, {THREADS})"
    places = f"eq_places({c_text(size)}, {c_text(wide)})"
    return (places, f"eq_beside({c_text(wide)}, {places})"), (across, f"{THREADS} / {across}")
