"""Blocks of rows become a C function, which threads run over parts of the blocks, and a statement that calls it."""

from __future__ import annotations

from typing import Any

from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.pieces import LONG, RARE
from eqsat.cgen.c.registers import in_registers, stays
from eqsat.cgen.c.statements import lines_of
from eqsat.cgen.ir.statements import RowBlocks
from eqsat.cgen.lower.rows import Unsplit

_BODY = """static @HOW int64_t @NAME(eq_call *c, int64_t low, int64_t high) {
  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;
"""
_TASKS = """static void @NAME(int64_t low, int64_t high, void *const *p, const int64_t *v) {
  eq_call *c = p[0], own = *c;
  if (v[0]) own.threads = 1;
  if (@BODY(&own, low, high)) {
    c->code = own.code; c->step = own.step; *(int64_t *)p[1] = 1;
    memcpy(c->values, own.values, sizeof c->values);
  }
}
"""


def rows_call(body: Any, s: RowBlocks) -> str:
    """The statement that runs blocks of rows; threads have copies of the entries that the blocks set."""
    lines = "".join(f"    {line}\n" for line in lines_of([*s.head, *s.body]))
    if stays(lines):
        raise Unsplit
    loop = f"  for ({s.now} = low; {s.now} < high; {s.now}++) {{\n{lines}  }}\n"
    how = RARE if len(lines) > LONG and body.depth == 1 else "__attribute__((noinline))"
    text = f"{_BODY.replace('@HOW', how)}{in_registers(loop, ())}  return 0;\n}}\n"
    inner = body.unit.function("rows", text)
    outer = body.unit.function("k", _TASKS.replace("@BODY", inner))
    count, work = c_text(s.count), c_text(s.work)
    return (
        f"{{ int64_t failed = 0; eq_spread(c, {outer}, {count}, 1, {work}, (void *[]){{c, &failed}}, "
        f"(int64_t[]){{{count} > 1}}); if (failed) return 1; }}"
    )
