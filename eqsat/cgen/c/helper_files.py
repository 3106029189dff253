"""The C functions that ops share, in the files of ``helpers/``: one stands for each element type that is asked for.

In a file blank lines part the functions, and comments begin a line with ``//``. ``@T`` is the element type, ``@R`` that of its
real part, ``@f`` the suffix of C's functions for floats.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from eqsat.cgen.runtime.lapack import SCIPY, scipy_operands
from eqsat.graph.c_templates import C_HELPERS

_FUNCTION = re.compile(r"^(?!typedef).*?\b(eq_\w+?)__@T\(", re.MULTILINE)
_TYPE = re.compile(r"\b(eq_\w+?)__@T;$")
_COMMENT = re.compile(r"^//.*\n?", re.MULTILINE)


def helper(name: str) -> str | None:
    """C text of a helper, of the user's own before one of the same name that comes with eqsat."""
    return C_HELPERS.get(name) or _shipped().get(name) or _of_scipy(name)


def _of_scipy(name: str) -> str | None:
    """The helper that calls a function of scipy.special, for addresses of its numbers and of the result."""
    if not name.startswith(f"eq_{SCIPY}"):
        return None
    names = [f"x{k}" for k in range(scipy_operands(name[3:]))]
    given = "".join(f"const @T *{x}, " for x in names)
    values = "".join(f"*{x}, " for x in names)
    return f"static void {name}__@T({given}@T *out) {{ *out = (@T)eq_blas_{name[3:]}__double({values}0); }}"


@functools.lru_cache(maxsize=1)
def _shipped() -> dict[str, str]:
    files = sorted((Path(__file__).parent / "helpers").glob("*.c"))
    return {name: text for file in files for name, text in _functions(file.read_text(encoding="utf-8"))}


def _functions(text: str) -> list[tuple[str, str]]:
    """Name and text of the helpers of a file."""
    found = []
    for part in filter(None, (_COMMENT.sub("", part).strip() for part in text.split("\n\n"))):
        name = _FUNCTION.search(part) or _TYPE.search(part)
        assert name is not None, f"no helper is defined by {part}"
        found.append((name[1], part))
    return found
