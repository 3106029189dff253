"""Complex numbers in device texts: what ops, helpers and literals say in C99, in words that C++ has too.

``complex.cu`` defines these words: a structure with operators for the device, C's own type where a text runs on the processor.
"""

from __future__ import annotations

import re

from eqsat.cgen.c.prelude import parts_of
from eqsat.cgen.c_files import sections

_FUNCTIONS = sections(__file__, "complex.cu")
STRUCT, IN_C = _FUNCTIONS.pop("STRUCT"), _FUNCTIONS.pop("C")
_PART = re.compile(r"__(real|imag)__ *(?:(\()|(\w+(?:\[[^]]*\])?))")
_TYPES = {"": "complex128_t", "f": "complex64_t"}
_CALLED = re.compile(rf"\b({'|'.join(_FUNCTIONS)})(f?)\(")


def spelled(text: str) -> str:
    """A text of C99 about complex numbers in words of the device.

    >>> spelled("hypot(__real__ t3, __imag__(t4))")
    'hypot(eq_real(t3), eq_imag(t4))'
    """
    text = _PART.sub(lambda m: f"eq_{m[1]}({m[3] + ')' if m[3] else ''}", text)
    return text.replace("__builtin_complex(", "eq_complex(")


def functions(text: str) -> str:
    """The functions of complex numbers of C's library that a text calls, as device text, and before all the type."""
    found: dict[tuple[str, str], str] = {}
    waiting = _CALLED.findall(text)
    while waiting:
        name, f = key = waiting.pop()
        found.pop(key, None)
        found[key] = _FUNCTIONS[name].replace("@f", f).replace("@T", _TYPES[f])
        found[key] = found[key].replace("@R", parts_of(_TYPES[f]))
        waiting += [other for other in _CALLED.findall(found[key]) if other != key]
    return "".join(reversed(found.values()))


def structure(text: str) -> str:
    """The type of complex numbers, where a text has some."""
    return STRUCT if re.search(r"\bcomplex(64|128)_t\b", text) else ""
