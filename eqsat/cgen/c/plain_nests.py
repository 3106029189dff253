"""C text of a nest without folds: plain loops, the innermost one in vector form, in tiles where memory is crossed."""

from __future__ import annotations

import re

from eqsat.cgen.c.nest_text import Body, Parameters, block
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.prelude import EXACT_FUNCTIONS
from eqsat.cgen.ir.nest import Nest

HEAD = "static __attribute__((noinline)) void @NAME(int64_t low, int64_t high, void *const *p, const int64_t *v) {\n"
SIDE = 64  # of a tile, in elements
BLOCK = 256  # elements that are picked before they are computed with
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\(")
MANY = 4096  # elements from which it matters where they lie
ONCE = 4096  # elements of a row that are fetched before one as long is computed


def elementwise(nest: Nest) -> tuple[str, Parameters, str]:
    """Text of the kernel function, its parameters, and the number of tasks as the caller's text."""
    text, names = _loops(nest, ("low", "high"), is_long(nest))
    return HEAD + names.head(nest) + text + "}\n", names, nest.lengths[0] if nest.lengths else "1"


def inline(nest: Nest) -> str:
    """A nest as one statement, with the caller's pointers and numbers."""
    text, names = _loops(nest, ("0", nest.lengths[0] if nest.lengths else "1"))
    return f"{{ {names.inline_head(nest)}\n{text}  }}"


def is_long(nest: Nest) -> bool:
    """True for one loop that may run over many elements."""
    return (
        len(nest.lengths) == 1
        and not (nest.small or nest.picks)
        and not (nest.lengths[0].isdigit() and int(nest.lengths[0]) < MANY)
    )


def is_exact(body: Body) -> bool:
    """True where elements have the same bits whether they are computed in vectors or not."""
    lines = (line for lines in body.at for line in lines)
    return all(name in EXACT_FUNCTIONS for line in lines for name in _CALLED.findall(line))


def _loops(nest: Nest, first: tuple[str, str], lined: bool = False) -> tuple[str, Parameters]:
    count = len(nest.lengths)
    names = Parameters(nest)
    counter = [f"i{axis}" for axis in range(count - 1)] + (["j"] if count else [])
    body = Body(nest, names, list(range(1, count + 1)), counter, count - 1)
    bounds = [first if a == 0 else ("0", names.number(n)) for a, n in enumerate(nest.lengths)]
    starts = [names.number(s) for s in nest.starts] or ["0"] * count
    bounds = [_from(s, *b) for s, b in zip(starts, bounds, strict=True)]
    text, opened = block(body.at[0], 1), 0
    for axis in range(count):
        if axis == count - 2 and crosses(nest):
            text += _tiles(bounds, axis, opened + 1)
            bounds[axis:] = [(f"g{a}", f"e{a}") for a in (axis, axis + 1)]
            opened += 2
        if axis == count - 1 and count > 1:
            text += body.fetched(*bounds[axis], opened + 1, ONCE)
        if axis == count - 1 and body.picks:
            text += block(_blocks(*bounds[axis]), opened + 1) + body.collected("j0", "j1", BLOCK, opened + 2)
            bounds[axis] = ("j0", "j1")
            opened += 1
        if lined and is_exact(body) and (head := _lined(body, *bounds[axis])):
            text += block([head], opened + 1)
            bounds[axis] = ("from", "to")
            opened += 1
        pragma = "#pragma omp simd\n" if axis == count - 1 and not nest.small else ""
        text += (
            pragma
            + block([_loop(counter[axis], *bounds[axis])], opened + 1)
            + block(body.at[axis + 1], opened + 2)
        )
        opened += 1
    for level in reversed(range(opened)):
        text += block(["}"], level + 1)
    return text, names


def _lined(body: Body, start: str, stop: str) -> str:
    """The head of a loop that runs twice: up to where an operand lies on lines of memory, and from there on."""
    read = next(((name, CTYPE[o.dtype]) for name, o in body.rows() if not o.written), None)
    if read is None:
        return ""
    first = f"eq_first({read[0]}, sizeof({read[1]}), {start}, {stop})"
    return f"for (int64_t from = {start}, to = {first}; from < {stop}; from = to, to = {stop}) {{"


def _blocks(start: str, stop: str) -> list[str]:
    return [
        f"for (int64_t j0 = {start}; j0 < {stop}; j0 += {BLOCK}) {{",
        f"  const int64_t j1 = eq_least(j0 + {BLOCK}, {stop});",
    ]


def _from(start: str, low: str, high: str) -> tuple[str, str]:
    """The bounds of a loop that begins elsewhere."""
    return (low, high) if start == "0" else (start if low == "0" else f"{low} + {start}", f"{high} + {start}")


def crosses(nest: Nest) -> bool:
    """True where an operand lies along the last axis but one: going row by row would skip through memory."""
    return any(o.strides[-2] == "1" and o.strides[-1] not in ("0", "1") for o in nest.operands)


def _loop(counter: str, start: str, stop: str) -> str:
    return f"for (int64_t {counter} = {start}; {counter} < {stop}; {counter}++) {{"


def _tiles(bounds: list[tuple[str, str]], axis: int, indent: int) -> str:
    lines = ""
    for depth, (a, (start, stop)) in enumerate(zip((axis, axis + 1), bounds[axis:], strict=True)):
        lines += block(
            [
                f"for (int64_t g{a} = {start}; g{a} < {stop}; g{a} += {SIDE}) {{",
                f"  const int64_t e{a} = eq_least(g{a} + {SIDE}, {stop});",
            ],
            indent + depth,
        )
    return lines
