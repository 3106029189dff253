"""Spaces whose last axis is a row: some threads share one, so that what belongs to it is found once, and no element needs a division.

Rows that are copied go by accesses of 16 bytes where both begin at such addresses, and what is left by elements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eqsat.cgen.c.expressions import c_text, place
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.statements import printed
from eqsat.cgen.cuda.kernels import THREADS, apart, deeper, product
from eqsat.cgen.cuda.nests import WIDE
from eqsat.cgen.cuda.spaces import Space, names
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.expressions import Expression
from eqsat.cgen.ir.expressions import product as whole
from eqsat.cgen.ir.statements import Check, Copy, Let, Statement

_WORD = re.compile(r"\b[A-Za-z_]\w*")
AHEAD = 4  # accesses of a thread that wait for memory at once
ROW, ROWS = "(int64_t)blockIdx.x*blockDim.y + threadIdx.y", "(int64_t)gridDim.x*blockDim.y"
FIRST, STEP = "(int64_t)blockIdx.y*blockDim.x + threadIdx.x", "(int64_t)gridDim.y*blockDim.x"


def has_rows(space: Space) -> bool:
    """True for a space with axes beside its last one, or with a row that is copied."""
    return len(space.axes) > 1 or space.copy is not None


def row_lines(space: Space, ends: Sequence[str]) -> list[str]:
    """The body of the kernel; ``ends`` are the names of the lengths."""
    *outer, last = [c for c, _ in space.axes]
    for_row, for_each = _parted(space.before, last)
    lines = [
        f"for (int64_t eq_at = {ROW}; eq_at < {product(ends[:-1])}; eq_at += {ROWS}) {{",
        *deeper([*apart("eq_at", outer, ends[:-1]), *printed(for_row)]),
    ]
    if space.copy is not None and not for_each:
        return [*lines, *deeper(_copied(space.copy, ends[-1])), "}"]
    loop = f"for (int64_t {last} = {FIRST}; {last} < {ends[-1]}; {last} += {STEP}) {{"
    inner = printed([*for_each, *space.body])
    return [*lines, *deeper([loop, *deeper(inner), "}"]), "}"]


def _parted(before: Sequence[Statement], counter: str) -> tuple[list[Statement], list[Statement]]:
    """The statements before the body that hold for a row, and those that change with the counter along it.

    A statement behind a test that changes stays behind it.
    """
    moving = {counter}
    for_row: list[Statement] = []
    for_each: list[Statement] = []
    for s in before:
        stays = any(not isinstance(x, Let) for x in for_each)
        if stays or _names(s) & moving:
            for_each.append(s)
            moving |= {s.name} if isinstance(s, Let) else set()
        else:
            for_row.append(s)
    return for_row, for_each


def _names(s: Statement) -> set[str]:
    """The names in a statement before the body of a space."""
    if isinstance(s, Let):
        return names(s.value)
    if isinstance(s, Check):
        return names(s.test, *s.stop.values)
    return set(_WORD.findall("\n".join(printed([s]))))


def many(dtype: str) -> int:
    """The elements of a dtype in an access."""
    return max(1, WIDE // SIZE[dtype])


def _copied(s: Copy, end: str) -> list[str]:
    """Statements with which the threads of a row copy it."""
    kind, count = CTYPE[s.to.dtype], many(s.to.dtype)
    lines = [
        f"{kind} *const eq_to = {place(s.to)};",
        f"const {kind} *const eq_from = {place(s.source)};",
        f"const int64_t eq_first = {FIRST}, eq_step = {STEP};",
    ]
    if count == 1:
        return [*lines, *_by("eq_to", "eq_from", "eq_first", end, kind)]
    wide = f"eq_vector{count}_{kind}"
    return [
        *lines,
        "int64_t eq_done = 0;",
        f"if ((((uint64_t)eq_to | (uint64_t)eq_from) & {WIDE - 1}) == 0) {{",
        f"  eq_done = {end} / {count};",
        *deeper(_by(f"(({wide} *)eq_to)", f"((const {wide} *)eq_from)", "eq_first", "eq_done", wide)),
        f"  eq_done *= {count};",
        "}",
        *_by("eq_to", "eq_from", "eq_done + eq_first", end, kind),
    ]


def _by(to: str, source: str, first: str, end: str, kind: str) -> list[str]:
    """Loops that copy numbers of a kind; some of a thread are on their way at once."""
    return [
        "{",
        f"  int64_t c = {first};",
        "  #pragma unroll 1",
        f"  for (; c + {AHEAD - 1}*eq_step < {end}; c += {AHEAD}*eq_step) {{",
        f"    {kind} eq_some[{AHEAD}];",
        *_each(f"eq_some[u] = {source}[c + u*eq_step];"),
        *_each(f"{to}[c + u*eq_step] = eq_some[u];"),
        "  }",
        "  #pragma unroll 1",
        f"  for (; c < {end}; c += eq_step) {to}[c] = {source}[c];",
        "}",
    ]


def _each(statement: str) -> list[str]:
    return ["    #pragma unroll", f"    for (int u = 0; u < {AHEAD}; u++) {statement}"]


def row_geometry(space: Space) -> tuple[tuple[str, str], tuple[str, str]]:
    """The host's text of the grid and of a block."""
    rows = c_text(whole(n for _, n in space.axes[:-1]))
    n = space.axes[-1][1]
    count = many(space.copy.to.dtype) if space.copy is not None else 1
    accesses = c_text(_parts(n, count))
    across = f"eq_across({rows}, {accesses})"
    return (f"eq_grid({rows}, {THREADS} / {across})", f"eq_pieces({rows}, {accesses})"), (
        across,
        f"{THREADS} / {across}",
    )


def _parts(n: Expression, count: int) -> Expression:
    return (n + (count - 1)) // count if count > 1 else n
