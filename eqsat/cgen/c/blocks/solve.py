"""Systems of linear equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks.matrices import each_matrix, item
from eqsat.cgen.c.operand import COperand, CWriter, loops
from eqsat.graph.ops.matrices import DIVERGED
from eqsat.graph.ops.solve import SINGULAR


def solve(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    a, b = ins
    lengths = out.n[:-2]
    n, k, t = b.n[-2], b.n[-1], a.ctype
    w.emit(f"{t} *t = malloc((size_t)({n}*{n} + {n}*{k} + 1) * sizeof({t}));")
    w.emit(f"int32_t *q = malloc((size_t)({n} + 1) * sizeof(int32_t)); const {t} *last = 0;")
    w.emit(f"if (!t || !q) {{ free(t); free(q); {w.fail('MemoryError', 'solve: no memory for a matrix')} }}")
    stop = w.fail("LinAlgError", f"solve: {SINGULAR}")
    factor = f"if (eq_factor__{t}({n}, now, {a.s[-2]}, {a.s[-1]}, t, q)) {{ free(t); free(q); {stop} }}"
    body = (
        f"const {t} *now = {item(a, 2)}; if (now != last) {{ {factor} last = now; }} "
        f"eq_factored__{t}({n}, {k}, t, q, {item(b, 2)}, {b.s[-2]}, {b.s[-1]}, t + {n}*{n}, {item(out, 2)});"
    )
    w.emit(loops(lengths, body))
    w.emit("free(t); free(q);")


def triangle(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    a, b = ins
    lengths = out.n[:-2]
    low, unit = op.params["lower"], op.params["unit"]
    call = (
        f"int64_t bad = eq_triangle__{a.ctype}({b.n[-2]}, {b.n[-1]}, {low}, {unit}, {item(a, 2)}, {a.s[-2]}, {a.s[-1]}, "
        f"{item(b, 2)}, {b.s[-2]}, {b.s[-1]}, {item(out, 2)});"
    )
    memory = w.fail("MemoryError", "solve_triangular: no memory for a matrix")
    stop = w.fail("LinAlgError", f"solve_triangular: {SINGULAR}")
    w.parallel(lengths, f"{call} if (bad == 1) {memory} if (bad) {stop}")


inv = each_matrix("eq_inv", SINGULAR)
pinv = each_matrix("eq_pinv", DIVERGED, flags=("cutoff",))
