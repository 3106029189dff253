"""Groups of rows as one kernel: a block of threads runs all nests over some rows, which stay in its cache, and takes the next ones."""

from __future__ import annotations

from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.cuda.kernels import Kernel
from eqsat.cgen.cuda.together import Together
from eqsat.cgen.ir.statements import RowBlocks
from eqsat.cgen.lower.loop_body import NotWhole
from eqsat.cgen.lower.rows import Unsplit

BLOCKS = 1056  # of a grid, each with memory of its own


def rows_kernel(s: RowBlocks) -> Kernel:
    """The kernel of blocks of rows.

    Errors   Unsplit for statements that the threads of a block cannot run together
    """
    found = Together()
    found.written[s.now] = None
    found.depth = 1
    try:
        found.all([*s.head, *s.body])
    except NotWhole:
        raise Unsplit from None
    loop = f"for ({s.now} = blockIdx.x; {s.now} < eq_count; {s.now} += gridDim.x) {{"
    count = c_text(s.count)
    grid = f"eq_least({count}, {BLOCKS})"
    return found.kernel([loop], ["}"], grid, [("const int64_t eq_count", count)])
