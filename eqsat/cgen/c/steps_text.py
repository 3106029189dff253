"""A loop over steps becomes a C function and a statement that calls it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.pieces import calls
from eqsat.cgen.c.registers import in_registers
from eqsat.cgen.c.statements import lines_of
from eqsat.cgen.ir.statements import Steps
from eqsat.cgen.lower.loop_body import Body
from eqsat.cgen.lower.segment import PART

SHORT = 4000  # characters of a pass that is written twice, so that a state of two steps ago needs no move
_LOOP, _CALL = re.compile(r"\bfor \("), re.compile(r"\(c\b(?!, \d+, )")  # but for an error
_HEAD = "static __attribute__((noinline{})) int64_t @NAME(eq_call *c) {{\n"
_TABLES = "  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;\n"
PASS_HEAD = _HEAD.format("") + _TABLES
# A step waits for the one before: products are added in one operation, and numbers stay apart that vectors would hold.
_OPTIONS = ', optimize({}"expensive-optimizations", "no-tree-slp-vectorize")'
ALONE_HEADS = {
    rounds: _HEAD.format(_OPTIONS.format('"fp-contract=fast", ' if rounds else "")) + _TABLES
    for rounds in (False, True)
}


def steps_call(body: Body, s: Steps) -> str:
    """The statement that runs a loop, whose passes a segment has written."""
    count, now = c_text(s.count), s.now
    passes = f"({count} > 0 ? {count} : 1)" if s.trial and not s.at_least_one else count
    lines = [*lines_of([*s.head, *s.body, *s.tail]), *_all_moves(body, s)]
    if not body.flat:
        lines = calls(lines, partial(pass_of, body.unit))
    if s.stop:
        lines.append(f"if ({s.stop}) {{ {now}++; break; }}")
    text = "".join(f"    {line}\n" for line in lines)
    after = f"  if ({count} == 0) {now} = 0;\n" if s.trial else ""
    after += "".join(f"  {line}\n" for line in lines_of(s.after))
    before = "".join(f"  {line}\n" for line in lines_of(s.before))
    alone = body.flat and not _CALL.search(text)
    twice = alone and not s.stop and len(text) < SHORT and not _LOOP.search(text)
    loop = _loop(now, passes, text, twice)
    whole = in_registers(f"{before}{loop}{after}", s.leaving)
    unit: Any = body.unit
    head = ALONE_HEADS[body.rounds] if alone else PASS_HEAD
    name = unit.function("loop", f"{head}{whole}  return 0;\n}}\n")
    return f"if ({name}(c)) return 1;"


def _loop(now: str, passes: str, text: str, twice: bool) -> str:
    """The loop around a pass, which may be written twice, and once more for a last one."""
    if not twice:
        return f"  for ({now} = 0; {now} < {passes}; {now}++) {{\n{text}  }}\n"
    both = f"{text}    {now}++;\n    {{\n{text}    }}\n"
    last = f"  if ({now} < {passes}) {{\n{text}    {now}++;\n  }}\n"
    return f"  for ({now} = 0; {now} + 1 < {passes}; {now}++) {{\n{both}  }}\n{last}"


def pass_of(unit: Any, lines: Sequence[str]) -> str:
    """Name of the C function of some statements of a pass."""
    inside = "".join(f"  {line}\n" for line in lines)
    return str(unit.function("pass", f"{PASS_HEAD}{inside}  return 0;\n}}\n"))


def moves(s: Steps) -> list[str]:
    """The moves at the end of a pass as one statement, which begins with all that is read."""
    types = [CTYPE.get(m.dtype, "char *") for m in s.moves]
    read = "".join(f"{t} m{k} = {m.source}; " for k, (t, m) in enumerate(zip(types, s.moves, strict=True)))
    written = " ".join(f"{m.to} = m{k};" for k, m in enumerate(s.moves))
    return [f"{{ {read}{written} }}"] if s.moves else []


def _all_moves(body: Body, s: Steps) -> list[str]:
    """The moves at the end of a pass; many of them are several statements."""
    if not s.moves:
        return []
    test = f"if ({c_text(s.count)} > 0) " if s.trial else ""
    if len(s.moves) <= PART or body.flat:
        return [f"{test}{line}" for line in moves(s)]
    middle = [body.new_number() if m.to.startswith("N") else body.new_pointer() for m in s.moves]
    read_first = [f"{t} = {m.source};" for t, m in zip(middle, s.moves, strict=True)]
    lines = [*read_first, *(f"{m.to} = {t};" for t, m in zip(middle, s.moves, strict=True))]
    return [f"{test}{{", *lines, "}"] if test else lines
