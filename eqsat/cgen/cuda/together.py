"""Statements that the threads of one block run together: what one thread writes the others see behind a barrier.

Entries of the host's tables become names: those that the kernel sets are its own, the others are given to it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eqsat.cgen.c.block_text import inline_block
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.statements import printed
from eqsat.cgen.c.statements import text as statement_text
from eqsat.cgen.c.steps_text import moves
from eqsat.cgen.c.straight_nests import is_straight, straight
from eqsat.cgen.cuda.kernels import HEAD, THREADS, Kernel, apart, product
from eqsat.cgen.cuda.nest_parts import nest_lines
from eqsat.cgen.cuda.spaces import Space, hoisted, spaces_of
from eqsat.cgen.cuda.tiles import SOME, TILES
from eqsat.cgen.ir.expressions import Expression, Name, Turn, eq, length, plain_text, reads_memory, select
from eqsat.cgen.ir.nest import Nest
from eqsat.cgen.ir.statements import (
    Block,
    Call,
    Check,
    Define,
    For,
    If,
    Let,
    Local,
    Parameter,
    Point,
    Rehearse,
    RunBlock,
    Statement,
    Steps,
    Write,
)
from eqsat.cgen.ir.written_out import replaced
from eqsat.cgen.lower.loop_body import NotWhole

BARRIER = "__syncthreads();"
_ENTRY = re.compile(r"\b([NP])\[(\d+)\]|\bK\[(\d+)\]")
_OF_HOST = re.compile(r"\bc->|\(c, |\beq_(?!least\()\w+\(")
_OF_TYPE = re.compile(r"\beq_\w+__\w+\(")  # functions of ops
_KNOWN = re.compile(r"[\d*()+ /]+")  # a number without names
_UNTYPED = re.compile(r"((?:const )?\w+ \*)(const )?(\w+) = \(void \*\)")


class Together:
    """Device text of statements; with ``alone`` one thread runs them all."""

    def __init__(self, alone: bool = False) -> None:
        self.alone = alone
        self.lines: list[str] = []
        self.written: dict[str, None] = {}  # entries that the kernel sets
        self.carried: dict[str, None] = {}  # those of them that begin with the host's value
        self.checks: list[RunBlock] = []  # of lengths, which the host makes before
        self.depth = 0
        self.nests = 0
        self.times = "1"  # of a loop around, in a step of the outermost one
        self.work: list[
            tuple[str, str]
        ] = []  # of a statement: its times in a step, and its operations each time

    def all(self, statements: Sequence[Statement]) -> None:
        """Add statements.

        Errors   NotWhole for what the threads of a block cannot run
        """
        for s in statements:
            self.add(s)

    def add(self, s: Any) -> None:
        """Add a statement."""
        if isinstance(s, Nest):
            self._nest(s)
        elif isinstance(s, (Define, Point)):
            self.written[s.name] = None
            self._line(_plain(_in_turn(s)))
        elif isinstance(s, (Local, Write)) and self.alone:
            self._line(_plain(s))
        elif isinstance(s, If) and not s.otherwise:
            self._inside(f"if ({c_text(s.test)}) {{", s.body)
        elif isinstance(s, Steps):
            self._steps(s)
        elif isinstance(s, RunBlock):
            self._block(s)
        else:
            raise NotWhole

    def _line(self, *lines: str) -> None:
        self.lines += ["  " * self.depth + line for text in lines for line in text.split("\n")]

    def _inside(self, head: str, body: Sequence[Statement]) -> None:
        self._line(head)
        self.depth += 1
        self.all(body)
        self.depth -= 1
        self._line("}")

    def _nest(self, nest: Nest) -> None:
        if self.alone:
            short = nest.lengths and is_straight(nest)
            self._line(_typed(straight(nest)) if short else "\n".join(["{", *nest_lines(nest, 0, True), "}"]))
            return
        self._line("{", *(f"  {line}" for line in nest_lines(nest, self.nests)), "}", BARRIER)
        self.nests += 1
        self._note_work([str(int(nest.flops) + len(nest.operands)), *nest.lengths])

    def _note_work(self, factors: Sequence[str]) -> None:
        """Note a statement's operations, whose factors the host can compute."""
        if not any(m.group(0) in self.written for f in (*factors, self.times) for m in _ENTRY.finditer(f)):
            self.work.append((self.times, product([f for f in factors if f != "1"])))

    def fits(self, most: int, rows: str) -> str:
        """The host's test that a step is little work for a block: no more than so many operations per statement.

        A tile has its part of the rows. Empty where all numbers are known; NotWhole where it is known to be much.
        """
        some = f"(({rows} + {TILES - 1}) / {TILES})"
        terms = [(times, each.replace(SOME, some)) for times, each in self.work]
        if all(_KNOWN.fullmatch(text) for pair in terms for text in pair):
            count = [(eval_int(times), eval_int(each)) for times, each in terms]
            if sum(times * each for times, each in count) > most * sum(times for times, _ in count):
                raise NotWhole
            return ""
        work = " + ".join(f"{times}*{each}" if times != "1" else each for times, each in terms)
        return f"{work} <= {most}LL*({' + '.join(times for times, _ in terms)})"

    def _steps(self, s: Steps) -> None:
        if s.trial:
            raise NotWhole
        around, first = self.times, not self.lines
        self.times = "1" if first else product([t for t in (around, f"({c_text(s.count)})") if t != "1"])
        self.written[s.now] = None
        self.all(s.before)
        self._line(f"for ({s.now} = 0; {s.now} < {c_text(s.count)}; {s.now}++) {{")
        self.depth += 1
        for part in (s.head, s.body, s.tail):
            self.all(part)
        for m in s.moves:
            if m.to[:2] in ("N[", "P["):
                self.written[m.to] = self.carried[m.to] = None
        self._line(*moves(s))
        if s.stop:
            self._line(f"if ({s.stop}) {{ {s.now}++; break; }}")
        self.depth -= 1
        self._line("}")
        self.times = around
        self.all(s.after)

    # ------------------------------------------------------------------------------------------------------ blocks

    def _block(self, run: RunBlock) -> None:
        block = run.block
        if block.answers >= 0:
            raise NotWhole
        if self.alone:
            self._line(_refused(_typed(inline_block(run))))
            return
        self._line("{")
        self.depth += 1
        self._line(*(_given(p, run) for p in block.parameters))
        self.given = _Given({p.name: length(run.numbers[p.place]) for p in block.parameters if not p.dtype})
        tests = [s for s in block.body if isinstance(s, (Let, Check)) and not _reads(s)]
        if any(isinstance(s, Check) for s in tests):
            self.checks.append(replace(run, block=Block(block.parameters, tuple(tests))))
        for s in block.body:
            if not (isinstance(s, Rehearse) or (isinstance(s, Check) and not _reads(s))):
                self._part(s)
        self.depth -= 1
        self._line("}")

    def _part(self, s: Any) -> None:
        """Add a statement of a block."""
        if isinstance(s, Let) and not s.variable:
            self._line(_refused("\n".join(printed([s]))), *[BARRIER] * reads_memory(s.value))
        elif isinstance(s, Call):
            if s.function != "dot":
                raise NotWhole
            self._line(f"eq_together__{CTYPE[s.dtype]}({', '.join(map(c_text, s.args))});")
            self._note_space(s.args[:3])
        elif (isinstance(s, For) and _calls(s)) or isinstance(s, If):
            self._around(s)
        else:
            found = spaces_of(s)
            if found is None:
                raise NotWhole
            for space in found:
                self._space(space)

    def _around(self, s: For | If) -> None:
        """Add calls that stand in loops and tests, which all threads go through."""
        if isinstance(s, For):
            heads = [f"for (int64_t {s.counter} = {c_text(s.start)}; {s.counter} < {c_text(s.stop, 8)}; "
                     f"{s.counter} += {c_text(s.step)}) {{"]  # fmt: skip
            parts = [s.body]
        else:
            if reads_memory(s.test):
                raise NotWhole
            heads, parts = [f"if ({c_text(s.test)}) {{", "} else {"], [s.body, s.otherwise]
        for head, part in zip(heads, parts, strict=False):
            self._line(head)
            self.depth += 1
            for inner in part:
                self._part(inner)
            self.depth -= 1
        self._line("}")

    def _space(self, space: Space) -> None:
        """Add a space of which every place stands for itself: each thread takes some of them."""
        lets, space = hoisted(space)
        counters, lengths = [c for c, _ in space.axes], [n for _, n in space.axes]
        ends = [f"e{k}" for k in range(len(lengths))]
        body = printed([*space.before, *space.body])
        inside = "\n".join([*apart("eq_at", counters, ends), *body]).replace("\n", "\n    ")
        tests = " && ".join(f"({c_text(t)})" for t in space.tests)
        lines = [
            f"if ({tests}) {{" if tests else "{",
            *(f"  {line}" for line in printed(lets)),
            *(f"  const int64_t {e} = {c_text(n)};" for e, n in zip(ends, lengths, strict=True)),
            f"  for (int64_t eq_at = threadIdx.x; eq_at < {'*'.join(ends) or '1'}; eq_at += {THREADS}) {{",
            f"    {inside}",
            "  }",
            "}",
        ]
        self._line(_refused("\n".join(lines)), BARRIER)
        self._note_space(lengths)

    def _note_space(self, lengths: Sequence[Expression]) -> None:
        """Note the work of a space of a block, where it follows from what the block is given."""
        with contextlib.suppress(KeyError):
            self._note_work([plain_text(replaced(n, self.given)) for n in lengths])

    # ---------------------------------------------------------------------------------------------- the whole kernel

    def kernel(
        self,
        before: Sequence[str],
        after: Sequence[str],
        grid: str,
        more: Sequence[tuple[str, str]] = (),
        most: int = THREADS,
        block: str = "",
    ) -> Kernel:
        """The kernel of the statements between lines; ``more`` are parameters with their words.

        A ``block`` has so many threads, and no more than ``most``.
        """
        body = "".join(f"{line}\n" for line in self.lines)
        text = "".join(f"  {line}\n" for line in [*before, *body.split("\n")[:-1], *after])
        outside = [
            e for e in dict.fromkeys(m.group(0) for m in _ENTRY.finditer(text)) if e not in self.written
        ]
        parameters = [f"{'const ' if e[0] != 'P' else ''}{_type(e)}{local(e)}" for e in outside]
        parameters += [f"{_type(e)}{local(e)}_0" for e in self.carried] + [p for p, _ in more]
        first = "".join(
            f"  {_type(e)}{local(e)}{f' = {local(e)}_0' if e in self.carried else ''};\n"
            for e in self.written
        )
        threads = 1 if self.alone else most
        whole = f"{HEAD.format(threads)}({', '.join(parameters)}) {{\n{first}{named(text)}}}\n"
        words = (*outside, *self.carried, *(w for _, w in more))
        return Kernel(whole, words, (grid, "1"), (block or str(threads), "1"))


def eval_int(text: str) -> int:
    """The number that a product of numbers is, some of which are quotients."""
    total = 1
    for part in re.findall(r"\(\((\d+) \+ (\d+)\) / (\d+)\)|(\d+)", text):
        total *= int(part[3]) if part[3] else (int(part[0]) + int(part[1])) // int(part[2])
    return total


class _Given(dict[str, Expression]):
    """The numbers that a block is given, by name, and the rows of a tile; KeyError for others."""

    def get(self, name: str, default: Any = None) -> Any:
        return Name(SOME) if name == SOME else self[name]


def local(entry: str) -> str:
    """The name of an entry in a kernel."""
    return f"{entry[0].lower()}_{entry[2:-1]}"


def named(text: str) -> str:
    """A text with names for entries."""
    return _ENTRY.sub(lambda m: local(m.group(0)), text)


def _type(entry: str) -> str:
    return "int64_t " if entry[0] == "N" else "char *"


def _in_turn(s: Define | Point) -> Define | Point:
    """An address that is one of several in turn, by tests."""
    if not isinstance(s, Point) or not isinstance(s.address, Turn) or len(s.address.items) == 2:
        return s
    *others, address = s.address.items
    for k, item in reversed([*enumerate(others)]):
        address = select(eq(s.address.number % len(s.address.items), k), item, address)
    return replace(s, address=address)


def _plain(statement: Statement) -> str:
    """The text of a statement that every thread runs by itself."""
    text = statement_text(statement).replace("c->lane()", "(int64_t)blockIdx.x")
    return _refused(text.replace("(void *)K", "(char *)K").replace("(void *)&", "(char *)&"))


def _refused(text: str) -> str:
    """A text in which nothing is the host's."""
    if not text or _OF_HOST.search(_OF_TYPE.sub("(", text)):
        raise NotWhole
    return text


def _typed(text: str) -> str:
    """A text in which addresses have types; C++ converts none by itself."""
    return _UNTYPED.sub(r"\1\2\3 = (\1)", text)


def _given(p: Parameter, run: RunBlock) -> str:
    if not p.dtype:
        return f"const int64_t {p.name} = {run.numbers[p.place]};"
    kind = f"{'' if p.written else 'const '}{CTYPE[p.dtype]} *"
    return f"{kind}const {p.name} = ({kind}){run.pointers[p.place].removeprefix('(void *)')};"


def _reads(s: Let | Check) -> bool:
    values = (s.value,) if isinstance(s, Let) else (s.test, *s.stop.values)
    return any(map(reads_memory, values))


def _calls(s: Any) -> bool:
    """True for a statement with a call inside."""
    inside = (*getattr(s, "body", ()), *getattr(s, "otherwise", ()))
    return isinstance(s, Call) or any(map(_calls, inside))
