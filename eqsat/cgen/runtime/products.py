"""Products of real matrices, a shared object of its own that is compiled once on a machine.

A tile of the result, a few rows by up to three vectors, stays in registers while the inner axis runs. The columns of a
tile's width are packed for ``DEPTH`` steps of the inner axis, in whatever order they lie, and serve all rows; where they
stand side by side and the rows are few they are read where they lie. Sums run along the inner axis whatever the number
of threads is. The matrix libraries that come with NumPy and SciPy choose their code by the names of processors that
they know, pack every operand in every call, and let threads wait for each other by spinning; in a loop over time each
of these costs more than the product.
"""

from __future__ import annotations

from eqsat.cgen.c_files import sections
from eqsat.cgen.runtime import abi
from eqsat.cgen.runtime.libraries import HARD, Library

SIZES, KINDS, TILE, TURN, PACK, STRIP, BLOCKS, REST, VECTOR, SHORT, SHORTS, PRODUCT = sections(
    __file__, "products.c"
).values()


def text(ctype: str, openmp: bool) -> str:
    """The C text of the library for a type."""
    spread = abi.SPREAD if openmp else abi.SERIAL
    tiles = (TILE.replace("@V", vectors) for vectors in "123")
    shorts = (SHORT.replace("@V", vectors) for vectors in "1234")
    own = "".join([KINDS, *tiles, TURN, PACK, STRIP, BLOCKS, REST, VECTOR, *shorts, SHORTS, PRODUCT])
    return "".join(
        [
            abi.TYPES,
            abi.CALL,
            abi.SUPPORT,
            spread,
            SIZES,
            own.replace("@HARD", HARD).replace("@T", ctype),
        ]
    )


product = Library("product", text)
