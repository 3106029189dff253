"""Blocks of the host whose loops are kernels: spaces of which every place stands for itself, scatters, products."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.configuration import config
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.statements import printed
from eqsat.cgen.cuda.kernels import FIRST, HEAD, STEP, THREADS, Kernel, apart, deeper
from eqsat.cgen.cuda.ordered import Ordered, by_atomics, geometry, ordered, ordered_text
from eqsat.cgen.cuda.products import is_large, one_or_many, stack_of
from eqsat.cgen.cuda.running import Running, launch_numbers, part_text, running, running_text
from eqsat.cgen.cuda.space_rows import has_rows, row_geometry, row_lines
from eqsat.cgen.cuda.spaces import Space, everything, hoisted, names, read, root, size_of, spaces_of, values
from eqsat.cgen.ir.expressions import Argument, Expression, Int, Name, inside, negated, reads_memory
from eqsat.cgen.ir.operand import Element
from eqsat.cgen.ir.statements import (
    Assign,
    Block,
    Call,
    Check,
    Clear,
    Copy,
    For,
    If,
    Let,
    Parallel,
    Parameter,
    Rehearse,
    RunBlock,
    Statement,
    Stop,
    Store,
)

_OF_HOST = re.compile(r"\bc->|\(c, |\b[pv]\[")  # the call, or a table of operands
_STOP = re.compile(
    r"\{ ((?:c->values\[\d+\] = [^;]*; )*)(?:c->step = (-?\d+); )?return eq_fail\(c, ([^;]*)\); \}"
)
_WORD = re.compile(r"\b[A-Za-z_]\w*")
UNKNOWN = "1024"  # blocks where the host does not know the number of places


class _OfHost(Exception):
    """A block that the host has to run."""


def launching(run: RunBlock, unit: Any) -> tuple[RunBlock, list[str]] | None:
    """A block that launches kernels in place of its loops, and the dtypes of rooms for chunks that it is given as its last pointers.

    None where the host has to run it.
    """
    block = run.block
    if block.answers >= 0:
        return None
    before = len(unit.kernels)
    found = _Launching(run, unit)
    try:
        body = found.body(block.body)
    except _OfHost:
        for text in list(unit.kernels)[before:]:
            unit.products.pop(unit.kernels.pop(text), None)
        return None
    return replace(run, block=Block(block.parameters, tuple(body))), found.rooms


def touches_memory(statements: Iterable[Statement]) -> bool:
    """True where statements read or write memory of arrays, or may."""
    return any(
        isinstance(s, (str, Store, Copy, Clear, Call)) or any(map(reads_memory, values(s)))
        for s in everything(statements)
    )


def writes_known(statements: Iterable[Statement]) -> bool:
    """True for statements that write a few numbers which the host knows: it does so at once while no kernel runs."""
    return all(
        isinstance(s, (Let, Check, Store)) and not any(reads_memory(v) for v in _read_values(s))
        for s in statements
    )


def _read_values(s: Statement) -> list[Expression]:
    return [v for v in values(s) if v is not getattr(s, "element", None)]


class _Launching:
    """The statements of a block with launches in them."""

    def __init__(self, run: RunBlock, unit: Any) -> None:
        self.run, self.unit = run, unit
        self.types: dict[str, str] = {p.name: _type(p) for p in run.block.parameters}
        pointers = [(run.pointers[p.place], p.written) for p in run.block.parameters if p.dtype]
        written = {text for text, writes in pointers if writes}
        self.in_place = any(text in written for text, writes in pointers if not writes)
        self.writes = {p.name for p in run.block.parameters if p.dtype and run.pointers[p.place] in written}
        self.late: dict[str, Let] = {}  # values that kernels read
        self.reports = False
        self.rooms: list[str] = []  # dtypes of memory for chunks

    # ------------------------------------------------------------------------------------------------- statements

    def body(self, statements: Sequence[Statement], in_loop: bool = False) -> list[Statement]:
        found: list[Statement] = []
        for s in statements:
            found += self.one(s, in_loop)
        return found

    def one(self, s: Statement, in_loop: bool) -> list[Statement]:
        if isinstance(s, Let):
            return self._let(s)
        if isinstance(s, Rehearse):
            return ["if (c->dry) { eq_wait(); return 0; }" if self.reports else s]
        if isinstance(s, (Assign, Check, Stop)) and self._is_known(*values(s)):
            return [s]
        if isinstance(s, If) and self._is_known(s.test):
            return [If(s.test, self.body(s.body, in_loop), self.body(s.otherwise, in_loop))]
        if isinstance(s, Call) and s.function == "dot" and self._is_known(*s.args):
            return [self._product(s)]
        if isinstance(s, Call) and s.function == "conv" and self._is_known(*s.args):
            what, *numbers = s.args[:-1]  # the rest of the memory is a processor's
            assert isinstance(what, Int)
            number = self.unit.convolution(what.value, s.dtype)
            given = ", ".join(map(c_text, numbers))
            return [f"if (eq_convolution{number}({given})) return eq_stopped(c);"]
        if isinstance(s, If):
            return self._tested(s, in_loop)
        if isinstance(s, (Store, Check)):
            if in_loop:
                raise _OfHost
            return [self._space(Space((), (), (s,)))]
        if isinstance(s, (For, Parallel, Copy, Clear)):
            return self._loop(s)
        raise _OfHost

    def _product(self, s: Call, axes: Sequence[Any] = ()) -> Statement:
        numbers = {p.name: self.run.numbers[p.place] for p in self.run.block.parameters if not p.dtype}
        vector = any(self._number(x, numbers) == "1" for x in s.args[:2])
        self.unit.large |= not vector and is_large(s, numbers, axes)
        return one_or_many(s, self.unit.product(s.dtype, vector), axes)

    def _number(self, x: Expression, numbers: Mapping[str, str]) -> str:
        """A number of a block, as the host program gives it."""
        return numbers.get(x.name, "") if isinstance(x, Name) else c_text(x)

    def _let(self, s: Let) -> list[Statement]:
        if isinstance(s.value, Argument) and s.value.to:
            self.types[s.name] = f"const {CTYPE[s.dtype]} *"
            return [s]
        if s.dtype in ("int64", "bool") and self._is_known(s.value):
            self.types[s.name] = CTYPE[s.dtype]
            self.late.pop(s.name, None)
            return [s]
        reads = [x for x in inside(s.value) if isinstance(x, Element)]
        if s.variable or any(names(x.memory.address) & self.writes for x in reads):
            raise _OfHost
        self.late[s.name] = s
        return []

    def _is_known(self, *expressions: Expression) -> bool:
        """True for values that the host has without a look at memory of arrays."""
        return not any(reads_memory(e) or names(e) & self.late.keys() for e in expressions)

    def _tested(self, s: If, in_loop: bool) -> list[Statement]:
        """A test of values that only kernels know: they look at it."""
        if in_loop or any(
            isinstance(x, Element) and names(x.memory.address) & self.writes for x in inside(s.test)
        ):
            raise _OfHost
        found: list[Statement] = []
        for part, test in ((s.body, s.test), (s.otherwise, negated(s.test))):
            for inner in part:
                for space in self._spaces(inner):
                    found.append(self._space(replace(space, tests=(test, *space.tests))))
        return found

    def _spaces(self, s: Statement) -> list[Space]:
        found = spaces_of(s)
        if found is None:
            raise _OfHost
        return found

    def _loop(self, s: Any) -> list[Statement]:
        if (rows := running(s)) is not None:
            return self._running(rows)
        found = spaces_of(s)
        if found is not None:
            return [x for space in found for x in self._hoisted(space)]
        if isinstance(s, For) and (turns := ordered(s)) is not None:
            read_too = {root(x) for x in read(turns.body)} - {root(turns.target)}
            if not read_too & self.writes:
                places = by_atomics(turns) if config.cuda_atomics == "allowed" else None
                return [self._ordered(turns) if places is None else self._space(places)]
        if isinstance(s, (Copy, Clear)) or not any(
            isinstance(x, (Call, Parallel, Copy)) for x in everything(s.body)
        ):
            raise _OfHost
        if not self._is_known(*values(s)):
            raise _OfHost
        if (stack := stack_of(s)) is not None and self._is_known(*stack[0].args):
            return [self._product(*stack)]
        counters = [s.counter] if isinstance(s, For) else [f"i{k}" for k in range(len(s.lengths))]
        self.types |= dict.fromkeys(counters, "int64_t")
        body = self.body(s.body, in_loop=True)
        if isinstance(s, For):
            return [replace(s, body=body, vector=False)]
        for counter, n in reversed([*zip(counters, s.lengths, strict=True)]):
            body = [For(counter, n, body)]
        return body

    def _hoisted(self, space: Space) -> list[Statement]:
        lets, space = hoisted(space)
        if any(x.name in self.types or x.name in self.late for x in lets):
            raise _OfHost
        return [*(x for let in lets for x in self._let(let)), self._space(space)]

    # ---------------------------------------------------------------------------------------------------- kernels

    def _space(self, space: Space) -> str:
        """The launch of the kernel of a space."""
        ends = [f"e{k}" for k in range(len(space.axes))]
        size = size_of(space)
        known = self._is_known(size)
        space = replace(space, before=tuple(_used(space)))
        by_rows = known and has_rows(space)
        lines = row_lines(space, ends) if by_rows else _flat_lines(space, ends)
        guard: list[str] = []
        tests = [] if not known or isinstance(size, Int) else [f"{c_text(size)} > 0"]
        for t in space.tests:
            if self._is_known(t):
                tests.append(f"({c_text(t)})")
            else:
                guard.append(f"if (!({c_text(t)})) return;")
        grid, block = (f"eq_grid({c_text(size)}, {THREADS})" if known else UNKNOWN, "1"), (str(THREADS), "1")
        if by_rows:
            grid, block = row_geometry(space)
        lengths = [n for _, n in space.axes]
        lines = [*guard, *(_on_device(line, self.run.step) for line in lines)]
        return self._kernel(lengths, lines, grid, block, " && ".join(tests))

    def _ordered(self, s: Ordered) -> str:
        lengths = [n for _, n in (*s.turns, *s.own)]
        if not self._is_known(*lengths, s.target.memory.size):
            raise _OfHost
        text = ordered_text(
            s, [f"e{k}" for k in range(len(lengths))], lambda x, end: _on_device(x, self.run.step, end)
        )
        return self._kernel(lengths, text.split("\n"), *geometry(s))

    def _running(self, s: Running) -> list[Statement]:
        """Launches of the kernels of running reductions; few long rows are cut into chunks, of which one kernel makes the sums."""
        if not self._is_known(*(n for _, n in s.kept), s.loop.start, s.loop.stop):
            raise _OfHost
        rows, span, chunks, part, across, beside = (
            f"eq_{word}{len(self.rooms)}" for word in ("rows", "span", "chunks", "part", "across", "beside")
        )
        found: list[Statement] = [*launch_numbers(s, len(self.rooms))]
        self.types |= {rows: "int64_t", span: "int64_t", chunks: "int64_t"}
        self.types[part] = f"{CTYPE[s.dtype]} *"
        found.append(f"{CTYPE[s.dtype]} *const {part} = p[{len(self.run.pointers) + len(self.rooms)}];")
        self.rooms.append(s.dtype)
        grid, block = (f"eq_least(({rows} + {beside} - 1) / {beside}, 65535)", chunks), (across, beside)
        for text, test in ((part_text, f"{chunks} > 1 && "), (running_text, "")):
            lines = text(s, rows, span, part)
            found.append(self._kernel([n for _, n in s.kept], lines, grid, block, f"{test}{rows} > 0"))
        return found

    def _kernel(
        self,
        lengths: Sequence[Expression],
        lines: Sequence[str],
        grid: tuple[str, str],
        block: tuple[str, str] = (str(THREADS), "1"),
        test: str = "",
    ) -> str:
        """The launch of a kernel, which is given what it mentions."""
        used = {word for line in lines for word in _WORD.findall(line)}
        ends = [f"const int64_t e{k} = {c_text(n)};" for k, n in enumerate(lengths) if f"e{k}" in used]
        lets = self._late([*ends, *lines])
        stop = ["if (eq_record[0] != -1) return;"] if self.reports else []
        text = "\n".join([*stop, *printed(lets), *ends, *lines]).replace("\n", "\n  ")
        used = set(_WORD.findall(text))
        given = {name: kind for name, kind in self.types.items() if name in used}
        words = tuple(given)
        if "eq_record" in used:
            given["eq_record"], words = "int64_t *", (*words, "eq_gpu->record")
            self.reports = self.reports or "eq_report(" in text
        head = ", ".join(self._declared(name, kind) for name, kind in given.items())
        whole = f"{HEAD.format(THREADS)}({head}) {{\n  {text}\n}}\n"
        if _OF_HOST.search(whole):
            raise _OfHost
        return self.unit.launched(Kernel(whole, words, grid, block, test))

    def _declared(self, name: str, kind: str) -> str:
        if not kind.endswith("*"):
            return f"const {kind} {name}"
        return f"{kind}{name}" if self.in_place or name == "eq_record" else f"{kind}__restrict__ {name}"

    def _late(self, lines: Sequence[str]) -> list[Let]:
        """The values that statements mention and the host does not have, in the order in which they are made."""
        wanted = {word for line in lines for word in _WORD.findall(line)}
        found = []
        for name, let in reversed(self.late.items()):
            if name in wanted:
                found.append(let)
                wanted |= names(let.value)
        return found[::-1]


def _used(space: Space) -> list[Statement]:
    """The values and checks before the body of a space, without values that nobody reads."""
    wanted = {word for line in printed(space.body) for word in _WORD.findall(line)}
    found: list[Statement] = []
    for s in reversed(space.before):
        if not isinstance(s, Let) or s.name in wanted:
            found.append(s)
            wanted |= {word for line in printed([s]) for word in _WORD.findall(line)}
    return found[::-1]


def _type(x: Parameter) -> str:
    return f"{'' if x.written else 'const '}{CTYPE[x.dtype]} *" if x.dtype else "int64_t"


def _flat_lines(space: Space, ends: Sequence[str]) -> list[str]:
    """The body of the kernel of a space by places, which a thread takes one after the other."""
    inside = [*apart("eq_at", [c for c, _ in space.axes], ends), *printed(space.before), *printed(space.body)]
    loop = f"for (int64_t eq_at = {FIRST}; eq_at < {'*'.join(ends) or '1'}; eq_at += {STEP}) {{"
    return [loop, *deeper(inside), "}"]


def _on_device(line: str, step: int, end: str = "return") -> str:
    """A statement in which the end of a call is a report: the first one counts, and the thread ends."""

    def report(m: re.Match[str]) -> str:
        more = re.findall(r"c->values\[(\d+)\] = ([^;]*);", m.group(1))
        own = m.group(2) if m.group(2) is not None else str(step)
        late = "".join(f" eq_record[{int(k) + 2}] = {v};" for k, v in more)
        return f"{{ if (eq_report(eq_record, {own}, {m.group(3)})) {{{late} }} {end}; }}"

    return _STOP.sub(report, line)
