"""The arguments of calls that are too many for lists in the text: a table that is filled before the call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.arrays import Storage, bare
from eqsat.cgen.ir.expressions import Pointer, Text

LONG = 1000  # arguments from which a call takes them from a table
_PLACE = re.compile(r"[NP]\[(\d+)\]")


def tabled(w: Any, pointers: Sequence[str], numbers: Sequence[str]) -> tuple[str, str, str, Storage]:
    """A statement that fills memory with arguments, the two arguments that lead to them, what they depend on, the memory."""
    found = [t if _PLACE.fullmatch(t) else w.point(Pointer(t)) for t in pointers]
    found += [t if bare(t).isdigit() or _PLACE.fullmatch(t) else w.number_of("a", Text(t)) for t in numbers]
    codes = [~int(bare(t)) if bare(t).isdigit() else int(t[2:-1]) for t in found]
    size = str(len(codes))
    storage = w.slots.take(size)
    room = w.buffer(storage, size, "int64")
    depends = " ".join(t for t in found if not bare(t).isdigit())
    w.table.same_content(room, depends)
    fill = f"eq_fill(c, (int64_t *){room}, {w.unit.table(codes)}, {len(pointers)}, {size}); "
    return fill, f"(void **){room}, (int64_t *){room} + {len(pointers)}", depends, storage
