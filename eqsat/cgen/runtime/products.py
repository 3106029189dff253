"""Products of real matrices, a shared object of its own that is compiled once on a machine.

A tile of the result, a few rows by up to three vectors, stays in registers while the inner axis runs. The columns of a
tile's width are packed for ``DEPTH`` steps of the inner axis, in whatever order they lie, and serve all rows; where they
stand side by side and the rows are few they are read where they lie. Sums run along the inner axis whatever the number
of threads is. The matrix libraries that come with NumPy and SciPy choose their code by the names of processors that
they know, pack every operand in every call, and let threads wait for each other by spinning; in a loop over time each
of these costs more than the product.
"""

from __future__ import annotations

from eqsat.base.forks import Lock
from eqsat.cgen.c_files import sections
from eqsat.cgen.runtime import abi
from eqsat.cgen.runtime.build import build, let_threads_sleep
from eqsat.cgen.runtime.shared_object import SharedObject

HARD = '__attribute__((noinline, optimize("O3")))'  # loops of these functions are unrolled
SIZES, KINDS, TILE, TURN, PACK, STRIP, BLOCKS, VECTOR, PRODUCT = sections(__file__, "products.c").values()

_libraries: dict[tuple[str, bool], SharedObject] = {}
_lock = Lock()


def text(ctype: str, openmp: bool) -> str:
    """The C text of the library for a type."""
    spread = abi.SPREAD if openmp else abi.SERIAL
    tiles = (TILE.replace("@V", vectors) for vectors in "123")
    own = "".join([KINDS, *tiles, TURN, PACK, STRIP, BLOCKS, VECTOR, PRODUCT])
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


def is_loaded(ctype: str, openmp: bool) -> bool:
    """True where the process has the library of a type."""
    return (ctype, openmp) in _libraries


def library(ctype: str, compiler: str, directory: str | None, openmp: bool) -> SharedObject:
    """The library of a type in this process, compiled where the cache does not have it."""
    with _lock:
        if (ctype, openmp) not in _libraries:
            options = ["-O1", "-ffp-contract=fast", *["-fopenmp"] * openmp]
            if openmp:
                let_threads_sleep()
            built = build(text(ctype, openmp), compiler, options, directory, [f"product_{ctype}"])
            _libraries[ctype, openmp] = built.object
        return _libraries[ctype, openmp]


def address(ctype: str, compiler: str, directory: str | None, openmp: bool) -> int:
    """The address of the product of a C type."""
    return library(ctype, compiler, directory, openmp).address(f"product_{ctype}")
