"""Steps that compute a few integers which the host program reads, as lengths and numbers of steps: the host computes them itself.

A kernel for them would be launched, and waited for, before the host could go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from eqsat.cgen.ir.memory import kind_of
from eqsat.graph.dtypes import INTEGERS
from eqsat.graph.plan import Branch, Call, Kernel, Loop, Step, reads, writes

MOST = 16  # integers


def are_few(variables: Iterable[Any]) -> bool:
    """True for integers and truth values of which no more than some are known to be there."""
    return all(
        getattr(v.type, "dtype", "") in (*INTEGERS, "bool")
        and None not in v.type.shape
        and prod(v.type.shape) <= MOST
        for v in variables
    )


def of_host(steps: Sequence[Step]) -> set[int]:
    """The identities of the steps whose integers the host program needs."""
    needed: set[Any] = set()
    found: set[int] = set()
    for s in reversed(steps):
        of_few = isinstance(s, Call) or (isinstance(s, Kernel) and are_few(reads(s)))
        if of_few and are_few(writes(s)) and needed.intersection(writes(s)):
            found.add(id(s))
            needed.update(v for v in reads(s) if are_few([v]))
        if isinstance(s, Loop):
            needed.add(s.count)
        elif isinstance(s, Call) and kind_of(s) == "view":
            needed.update(v for v in s.apply.inputs if are_few([v]))
        elif isinstance(s, Branch):
            needed.update(v for v in s.apply.inputs[:1] if are_few([v]))
    return found
