"""A long text in two halves, which two processes of the compiler take at once; as it is, a text has both.

One half has kernels that call no other function of the text, the other half has the rest, which declares them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eqsat.cgen.c.pieces import RARE
from eqsat.cgen.runtime.abi import HALF

LONG = 4000  # characters of functions from which a second process of the compiler, and a link, take less time than they save
SELDOM = 0.4  # the part of a compiler's time on optimised statements that it takes for others

_KERNEL = re.compile(
    r"static (__attribute__\(\(noinline\)\) void eq_k\d+\([^)]*\)) \{\n(?!.*\nstatic )", re.DOTALL
)
_SHARED = re.compile(r"\beq_(?:[a-z]\d|blas|alone|spent|tick)")  # what one half has


def in_halves(functions: Sequence[str], rest: Sequence[str]) -> str:
    """The texts of functions, and the text after them that is in the half of their callers."""
    apart = _first_half(functions)
    taken = set(apart)
    others = "".join([*(f for f in functions if f not in taken), *rest])
    if not apart:
        return others
    heads = "".join(f"{_KERNEL.match(f)[1]};\n" for f in apart)  # type: ignore[index]
    texts = "".join(f.removeprefix("static ") for f in apart)
    return f"#if {HALF} != 2\n{texts}#else\n{heads}#endif\n#if {HALF} != 1\n{others}#endif\n"


def _first_half(functions: Sequence[str]) -> list[str]:
    """The first kernels that call no others and take half of the compiler's time; none where the text is short."""
    whole, taken = sum(map(_work, functions)), 0.0
    found: list[str] = []
    for text in functions if whole >= LONG else ():
        if taken + _work(text) / 2 < whole / 2 and _is_leaf(text):
            found.append(text)
            taken += _work(text)
    return found if 4 * taken >= whole else []


def _work(text: str) -> float:
    """The characters of optimised statements that take a compiler as long as a function does."""
    return len(text) * (SELDOM if RARE in text else 1.0)


def _is_leaf(text: str) -> bool:
    """True for one kernel that calls no other function of the text and reads none of its tables."""
    head = _KERNEL.match(text)
    return head is not None and not _SHARED.search(text, head.end())
