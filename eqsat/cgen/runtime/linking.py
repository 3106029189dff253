"""The libraries that a C text is linked with. For a short text the linker takes a third of the time, mostly to read libraries.

A process has its C library already: a text that calls nothing else is linked with none, one that calls mathematics with
that alone. Any other text, such as that of a user's op, is linked as C usually is, so that the linker says what is missing.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import re

from eqsat.cgen.runtime.abi import TYPES

LINUX = platform.system() == "Linux"
USUAL = ["-Wl,--no-undefined", "-lm"] if LINUX else ["-lm"]
_WORDS = {"if", "for", "while", "switch", "return", "sizeof", "case", "else", "do"}
_WORDS |= {"void", "char", "short", "int", "long", "float", "double"}
_WORDS |= {"fabs", "fabsf"}  # each is one instruction
_NO_CALLS = re.compile(r"^ *#.*$|__attribute__\(\(.*?\)\)(?!\))|\b(?:eq|__builtin)_\w+", re.MULTILINE)
_CALL = re.compile(r"(?<!->)(?<!\.)\b([a-zA-Z_]\w*) ?\(")
_DEFINED = re.compile(r"^ *#define (\w+)", re.MULTILINE)
_ELSEWHERE = re.compile(r"\bextern\b|#include|omp parallel")


def link_options(text: str, compiler: str) -> list[str]:
    """The libraries that a compiler is told, behind a text or its objects.

    >>> link_options("double f(double x) { return own(x); }", "gcc") == USUAL
    True
    """
    if not LINUX or "gcc" not in os.path.basename(os.path.realpath(compiler)) or _ELSEWHERE.search(text):
        return USUAL
    called = functions_called(text) - functions_called(TYPES)
    if not called:
        return ["-nodefaultlibs", "-lgcc"]
    return ["-nodefaultlibs", "-lm", "-lgcc"] if all(map(_is_mathematics, called)) else USUAL


def functions_called(text: str) -> set[str]:
    """The names before parentheses that are neither words of C, members, macros, nor ours, which every text has that uses them.

    >>> sorted(functions_called("float f(float x) { if (x) return eq_least(x, 1)*tanhf(x); }"))
    ['f', 'tanhf']
    """
    found = set(_CALL.findall(_NO_CALLS.sub("", text))) - set(_DEFINED.findall(text)) - _WORDS
    return {name for name in found if not name.endswith("_t")}


@functools.cache
def _is_mathematics(name: str) -> bool:
    try:
        return hasattr(ctypes.CDLL("libm.so.6"), name)
    except OSError:
        return False
