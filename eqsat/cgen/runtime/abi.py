"""C that compiled functions share with their launcher and with the library of products: types, calls, threads."""

from __future__ import annotations

from eqsat.cgen.c_files import sections

WORK = 1 << 19  # operations from which a kernel is given to several threads
TYPES, CALL, SUPPORT, _SPREAD, SERIAL, CALLED = sections(__file__, "abi.c").values()
SPREAD = _SPREAD.replace("WORK", str(WORK))
