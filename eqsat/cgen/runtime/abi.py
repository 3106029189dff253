"""C that compiled functions share with their launchers and with the library of products: types, calls, memory, threads."""

from __future__ import annotations

from eqsat.cgen.c_files import sections

HALF = "EQ_HALF"  # 1 or 2 for one half of a text that is compiled by two processes (cgen/c/halves.py)
WORK = 1 << 19  # operations from which a kernel is given to several threads
TYPES, CALL, SUPPORT, _SPREAD, SERIAL, CALLED, SHARED = sections(__file__, "abi.c").values()
SPREAD = _SPREAD.replace("WORK", str(WORK))
