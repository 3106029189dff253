"""C text of the launcher: it checks the arrays of a call, finds memory for outputs and runs a segment.

It is compiled once per machine and gives Python builtin functions. It sees NumPy arrays through their struct,
whose layout ``layout.py`` has checked, and calls Python through a table of functions that it is given.
"""

from __future__ import annotations

from eqsat.cgen.c_files import sections
from eqsat.cgen.runtime.abi import CALL, CALLED, SHARED, TYPES
from eqsat.cgen.runtime.team import HEADERS, TEAM
from eqsat.graph.dtypes import ALL

_PARTS = sections(__file__, "launcher.c")
OBJECTS = _PARTS["OBJECTS"]  # objects of Python and arrays of NumPy, as they lie in memory
LAUNCHER = (
    HEADERS
    + TYPES
    + CALL
    + TEAM
    + CALLED
    + SHARED
    + f"#define DTYPES {len(ALL)}\n#define BOOL {ALL.index('bool')}\n"
    + OBJECTS
    + _PARTS["LAUNCHER"]
)
PLAIN = LAUNCHER + _PARTS["PLAIN"]  # with a way in for where NumPy's struct is not known
