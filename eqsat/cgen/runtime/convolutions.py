"""Convolutions and their adjoints, a shared object of its own that is compiled once on a machine.

A tile of the result, a few places by up to three vectors of channels, stays in registers while the sum over channels and taps
runs. Where a place's operands lie is the sum of two offsets, one of the place and one of the channel and tap, which are in
tables: so strides, gaps, borders, flips, and the phases of an adjoint are the same loop. Images with borders are copied once,
with zeros around them, into memory of the thread that is small enough for its cache; filters are packed once a call.
Where a group has few channels in the result, vectors lie along the places instead. Sums run in the same order whatever
the number of threads is.
"""

from __future__ import annotations

from eqsat.cgen.c_files import sections
from eqsat.cgen.runtime import abi
from eqsat.cgen.runtime.libraries import HARD, Library
from eqsat.cgen.runtime.products import KINDS, PACK, SIZES, TURN

(PLAN,) = sections(__file__, "convolution_plans.c").values()
SUPPORT, TILE, RUN, *REST = sections(__file__, "convolutions.c").values()


def text(ctype: str, openmp: bool) -> str:
    """The C text of the library for a type."""
    spread = abi.SPREAD if openmp else abi.SERIAL
    tiles = [part.replace("@V", n) for part, numbers in ((TILE, "123"), (RUN, "124")) for n in numbers]
    own = "".join([KINDS, TURN, PACK, *tiles, *REST]).replace("@HARD", HARD).replace("@T", ctype)
    return "".join([abi.TYPES, abi.CALL, abi.SUPPORT, spread, SIZES, PLAN, SUPPORT, own])


convolution = Library("convolution", text)
