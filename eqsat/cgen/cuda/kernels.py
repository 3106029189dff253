"""Kernels as device text: what a launch of one needs, and the form that all of them have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c import nest_text
from eqsat.cgen.c.nest_text import Parameters, picked_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.ir.nest import At

THREADS = 256  # of a block
FIRST = f"(int64_t)blockIdx.x*{THREADS} + threadIdx.x"
STEP = f"(int64_t)gridDim.x*{THREADS}"
HEAD = 'extern "C" __global__ void __launch_bounds__({}) @NAME'


class Body(nest_text.Body):
    """Statements of a nest on the device, where an index that a kernel before has found to be outside reads the first element.

    The host learns of it at the end of the call, and what was read is not seen.
    """

    def pick(self, at: At, index: str) -> str:
        return picked_text(at, index, self.names.number, "eq_inside({i}, {n})")


@dataclass(frozen=True)
class Kernel:
    """The text of a kernel, with ``@NAME`` where its name stands, and the host's text of its launch.

    ``words`` are the arguments, pointers then numbers; ``grid`` and ``block`` have two axes each. It runs where ``test`` holds.
    """

    text: str
    words: tuple[str, ...]
    grid: tuple[str, str]
    block: tuple[str, str] = (str(THREADS), "1")
    test: str = ""


def head(x: Any, names: Parameters, extra: Mapping[str, str] | None = None) -> str:
    """The first line of the kernel of a nest or of lanes; ``extra`` pointers have types of their own."""
    parts = [
        f"{'' if o.written else 'const '}{CTYPE[o.dtype]} *__restrict__ {name}"
        for name, o in zip(names.names, x.operands, strict=False)
    ]
    parts += [f"{(extra or {})[name]} *__restrict__ {name}" for name in names.names[len(x.operands) :]]
    parts += [f"const int64_t {name}" for name in names.numbers.values()]
    return f"{HEAD.format(THREADS)}({', '.join(parts)}) {{\n"


def words(names: Parameters, known: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The host's text of the arguments of a kernel, in the order of its parameters."""
    texts = [*names.pointers, *names.numbers]
    return tuple((known or {}).get(text, text) for text in texts)


def not_empty(lengths: Sequence[str]) -> str:
    """The host's test that a space has a place; empty where that is known."""
    return " && ".join(f"{n} > 0" for n in dict.fromkeys(lengths) if not n.isdigit() or n == "0")


def apart(flat: str, counters: Sequence[str], lengths: Sequence[str]) -> list[str]:
    """Statements that take a flat index apart into the counters of some axes."""
    lines, rest = [], flat
    for counter, n in reversed([*zip(counters, lengths, strict=True)][1:]):
        lines.append(f"const int64_t {counter} = {rest} % {n}, {counter}_ = {rest} / {n};")
        rest = f"{counter}_"
    return [*lines, f"const int64_t {counters[0]} = {rest};"] if counters else []


def deeper(lines: Iterable[str], by: int = 1) -> list[str]:
    """Lines that stand so many levels deeper."""
    pad = "  " * by
    return [pad + line.replace("\n", f"\n{pad}") for line in lines]


def product(texts: Sequence[str]) -> str:
    """The text of a product; 1 of none."""
    return "*".join(texts) or "1"
