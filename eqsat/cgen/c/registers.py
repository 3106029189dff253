"""The numbers and pointers of a loop as local variables of its function, which a compiler can keep in registers."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ENTRY = re.compile(r"\b([NP])\[(\d+)\]")
_SET_ELSEWHERE = re.compile(r"\beq_(?:take|give)\(c, \d+, (\d+),")
_CALLS = re.compile(r"\beq_(?:(?:loop|pass)\d+\(c\)|fill\(c,)")


def stays(text: str) -> bool:
    """True for statements of which other functions read the entries of N and P that they set."""
    return _CALLS.search(text) is not None


def in_registers(text: str, leaving: Sequence[str]) -> str:
    """The statements of a loop with local variables for the entries of N and P; those ``leaving`` are written back.

    What other functions read or set stays where it is.
    """
    if stays(text):
        return text
    fixed = {f"P[{k}]" for k in _SET_ELSEWHERE.findall(text)}
    found = dict.fromkeys(m.group(0) for m in _ENTRY.finditer(text) if m.group(0) not in fixed)
    local = {entry: f"{entry[0].lower()}_{entry[2:-1]}" for entry in found}
    first = "".join(
        f"  {'int64_t ' if entry[0] == 'N' else 'char *'}{name} = {entry};\n" for entry, name in local.items()
    )
    last = "".join(f"  {entry} = {local[entry]};\n" for entry in leaving if entry in local)
    return first + _ENTRY.sub(lambda m: local.get(m.group(0), m.group(0)), text) + last
