"""Blocks: spaces of which every place stands for itself become kernels, what stands around them is the host's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eqsat.base.values import dataclass
from eqsat.cgen.c.expressions import address, c_text, offset
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.statements import printed
from eqsat.cgen.cuda.kernels import FIRST, HEAD, STEP, THREADS, Kernel, apart
from eqsat.cgen.ir.expressions import Expression, negated, reads_memory
from eqsat.cgen.ir.statements import (
    Assign,
    Check,
    Clear,
    Copy,
    For,
    If,
    Let,
    Parallel,
    Parameter,
    Rehearse,
    Row,
    RunBlock,
    Statement,
    Store,
)
from eqsat.graph.dtypes import COMPLEX

_SIMPLE = (Assign, Check, For, If, Let, Row, Store)
_OF_HOST = re.compile(r"\bc->|\(c, |\b[pv]\[")  # the call, or a table of operands
_STOP = re.compile(
    r"\{ ((?:c->values\[\d+\] = [^;]*; )*)(?:c->step = (-?\d+); )?return eq_fail\(c, ([^;]*)\); \}"
)


@dataclass(frozen=True)
class Split:
    """A block in two: the statements that the host runs first, and the kernels that are launched after them."""

    host: tuple[Statement, ...]
    kernels: tuple[Kernel, ...]


@dataclass(frozen=True)
class Space:
    """Places of which each stands for itself: tests under which there are any, lengths, and what is done at each."""

    tests: tuple[Expression, ...]
    lengths: tuple[Expression, ...]
    body: tuple[Statement, ...]


class NotSplit(Exception):
    """A block that the host has to run."""


def split(run: RunBlock) -> Split | None:
    """The kernels of a block; None where the host has to run it."""
    block = run.block
    if block.answers >= 0 or any(p.dtype in COMPLEX for p in block.parameters):
        return None
    try:
        found = _Splitter(run).split(block.body)
    except NotSplit:
        return None
    return None if any(_OF_HOST.search(k.text) for k in found.kernels) else found


class _Splitter:
    def __init__(self, run: RunBlock) -> None:
        self.run = run
        pointers = [(run.pointers[p.place], p.written) for p in run.block.parameters if p.dtype]
        written = {text for text, writes in pointers if writes}
        self.in_place = any(text in written for text, writes in pointers if not writes)
        self.lets: list[Let] = []
        self.kernels: list[Kernel] = []

    def split(self, body: Sequence[Statement]) -> Split:
        host: list[Statement] = []
        for s in body:
            if isinstance(s, Let) and not s.variable and not (self.in_place and reads_memory(s.value)):
                self.lets.append(s)
                host += [] if reads_memory(s.value) else [s]
            elif isinstance(s, (Check, Rehearse)) and not self.kernels:
                if isinstance(s, Check) and (reads_memory(s.test) or any(map(reads_memory, s.stop.values))):
                    raise NotSplit
                host.append(s)
            else:
                self.kernels += [self.kernel(space) for space in spaces(s, ())]
        if not self.kernels:
            raise NotSplit
        stops = any(isinstance(s, (Check, Rehearse)) for s in host)
        return Split(tuple(host) if stops else (), tuple(self.kernels))

    def kernel(self, space: Space) -> Kernel:
        """The kernel of a space."""
        parameters = self.run.block.parameters
        ends = [f"e{k}" for k in range(len(space.lengths))]
        before = [
            *printed(self.lets),
            *(f"if (!({c_text(t)})) return;" for t in space.tests),
            *(f"const int64_t {e} = {c_text(n)};" for e, n in zip(ends, space.lengths, strict=True)),
        ]
        counters = [f"i{k}" for k in range(len(ends))]
        body = [_on_device(line, self.run.step) for line in printed(space.body)]
        inside = "\n".join([*apart("at", counters, ends), *body]).replace("\n", "\n    ")
        stops = "eq_report(" in inside
        given = [*map(_parameter, parameters), *["int64_t *eq_record"] * stops]
        first = "\n".join(before).replace("\n", "\n  ")
        text = (
            f"{HEAD.format(THREADS)}({', '.join(given)}) {{\n  {first}\n"
            f"  for (int64_t at = {FIRST}; at < {'*'.join(ends)}; at += {STEP}) {{\n    {inside}\n  }}\n}}\n"
        )
        places = self.run.pointers, self.run.numbers
        words = [places[0 if p.dtype else 1][p.place] for p in parameters]
        return Kernel(text, (*words, *["eq_gpu->record"] * stops), ("1024", "1"))


def spaces(s: Statement, tests: tuple[Expression, ...]) -> Iterator[Space]:
    """The spaces of a statement.

    Errors   NotSplit for what threads cannot do at the same time
    """
    if isinstance(s, Parallel) and s.lengths:
        *rest, last = s.body
        lengths = s.lengths
        if isinstance(last, Copy):  # a thread for each element, not for each row
            lengths, last = (*lengths, last.count), _element_of(last, len(lengths))
        if not all(map(_is_simple, (*rest, last))):
            raise NotSplit
        yield Space(tests, lengths, (*rest, last))
    elif isinstance(s, If) and not reads_memory(s.test):
        for part, test in ((s.body, s.test), (s.otherwise, negated(s.test))):
            for inner in part:
                yield from spaces(inner, (*tests, test))
    elif isinstance(s, Clear):
        text = f"(({CTYPE[s.memory.dtype]} *){c_text(s.memory.address, 12)})[i0] = 0;"
        yield Space(tests, (s.count,), (text,))
    elif isinstance(s, Copy):
        yield Space(tests, (s.count,), (_element_of(s, 0),))
    else:
        raise NotSplit


def _element_of(s: Copy, axis: int) -> str:
    """The statement that copies one element of several."""
    places = [" + ".join(filter(None, [offset(x), f"i{axis}"])) for x in (s.to, s.source)]
    to, source = (
        f"{address(x.memory.address, x.memory.dtype)}[{place}]"
        for x, place in zip((s.to, s.source), places, strict=True)
    )
    return f"{to} = {source};"


def _is_simple(s: Statement) -> bool:
    """True for a statement that a thread can run."""
    inside = (*getattr(s, "body", ()), *getattr(s, "otherwise", ()))
    return isinstance(s, (str, *_SIMPLE)) and all(map(_is_simple, inside))


def _parameter(x: Parameter) -> str:
    if not x.dtype:
        return f"const int64_t {x.name}"
    return f"{'' if x.written else 'const '}{CTYPE[x.dtype]} *{x.name}"


def _on_device(line: str, step: int) -> str:
    """A statement in which the end of a call is a report: the first one counts, and the thread ends."""

    def report(m: re.Match[str]) -> str:
        more = re.findall(r"c->values\[(\d+)\] = ([^;]*);", m.group(1))
        own = m.group(2) if m.group(2) is not None else str(step)
        late = "".join(f" eq_record[{int(k) + 2}] = {v};" for k, v in more)
        return f"{{ if (eq_report(eq_record, {own}, {m.group(3)})) {{{late} }} return; }}"

    return _STOP.sub(report, line)
