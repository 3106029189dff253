"""Random scan programs give the same values in every mode and in plain loops, and the gradients that differences give.

``EQSAT_SCAN_PROGRAMS=n`` runs n programs, each in every mode, instead of 500 with the compiled modes by turns;
``EQSAT_SCAN_START`` is the first seed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.modes import get_mode
from scan.arrays import Arrays, Wrong
from scan.graphs import Graph
from scan.programs import Program
from scan.random_programs import grow
from scan.shrinking import shrink

SOAK = "EQSAT_SCAN_PROGRAMS" in os.environ
PROGRAMS = int(os.environ.get("EQSAT_SCAN_PROGRAMS", "500"))
START = int(os.environ.get("EQSAT_SCAN_START", "0"))
TOGETHER = 10  # programs in one function, so that what is made once per function is made once for all
MODES: dict[str, Any] = {
    "numpy": "numpy",
    "FAST_RUN": "FAST_RUN",
    "FAST_COMPILE": "FAST_COMPILE",
    "without fusion": get_mode("FAST_RUN").excluding("fusion"),
}
GROUPS = range(START, START + PROGRAMS, TOGETHER)


def check(programs: Sequence[Program], mode: Any) -> None:
    """Compile programs as one function, call it twice, and compare with the loops over arrays."""
    graphs = [Graph(p) for p in programs]
    f = eqsat.function(
        [v for g in graphs for v in g.inputs],
        [v for g in graphs for v in g.outputs],
        updates={s: v for g in graphs for s, v in g.updates.items()},
        mode=mode,
        on_unused_input="ignore",
    )
    for call in (0, 1):
        values = [called(p, call) for p in programs]
        for g, (given, _) in zip(graphs, values, strict=True):
            for s, i in zip(g.shared, g.program.shared, strict=True):
                s.set_value(given[i.name])
        args = [given[i.name] for p, (given, _) in zip(programs, values, strict=True) for i in p.inputs]
        copies = [np.copy(a) for a in args]
        got = iter(f(*args))
        for a, b in zip(args, copies, strict=True):
            np.testing.assert_array_equal(a, b, "an input was changed")
        for p, g, (given, fixed) in zip(programs, graphs, values, strict=True):
            wanted, after = Arrays(p, fixed_sizes=fixed).run(given)
            for name, want in zip(p.outputs, wanted, strict=True):
                same(next(got), want, f"{name} of program {p.seed}, call {call}")
            for s, i in zip(g.shared, p.shared, strict=True):
                same(s.get_value(), after[i.name], f"{i.name} after program {p.seed}, call {call}")


def called(p: Program, call: int) -> tuple[dict[str, Any], bool]:
    """Values for a call, and whether lengths are those of the program: a later call has more steps where it can."""
    if call:
        values = p.values(call, longer=2)
        try:
            Arrays(p, fixed_sizes=False).run(values)
        except Wrong:
            return p.values(call), True
        return values, False
    return p.values(), True


def same(got: Any, want: Any, what: str) -> None:
    want = np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), what
    limit = {"float64": 1e-8, "float32": 1e-3}.get(want.dtype.name, 0)
    np.testing.assert_allclose(got, want, rtol=limit, atol=limit, err_msg=what)


def problem(programs: Sequence[Program], mode: Any) -> BaseException | None:
    """What goes wrong with programs in a mode."""
    try:
        check(programs, mode)
    except Exception as error:
        return error
    return None


def report(programs: Sequence[Program], mode: Any, error: BaseException) -> str:
    """The smallest program with the failure of a group, as a description and as a graph."""
    alone = [(p, e) for p, e in ((p, problem([p], mode)) for p in programs) if e is not None]
    if not alone:
        seeds = ", ".join(p.seed for p in programs)
        return f"{mode}: programs fail only together: {seeds}\n{error}"
    p, first = alone[0]
    kind = type(first)
    small = shrink(p, lambda other: type(problem([other], mode)) is kind)
    last = problem([small], mode)
    graph = eqsat.printing.debugprint(Graph(small).outputs, file="str")
    return f"{mode}: {kind.__name__}: {last}\n{len(alone)} programs fail alone; {p.seed} made smaller:\n{small}\n\n{graph}"


def checked(programs: Sequence[Program], mode: Any) -> None:
    error = problem(programs, mode)
    if error is not None:
        pytest.fail(report(programs, mode, error), pytrace=False)


@pytest.mark.parametrize("first", GROUPS)
def test_the_reference_equals_plain_loops(first: int) -> None:
    for seed in range(first, first + TOGETHER):
        checked([grow(seed)], "reference")


def modes_of(group: int) -> list[str]:
    """The modes of a group: rewritten in NumPy, and one of the compiled modes by turns, or all in a long run."""
    return list(MODES) if SOAK else ["numpy", list(MODES)[1 + group % 3]]


@pytest.mark.parametrize(
    ("name", "first"), [(name, first) for k, first in enumerate(GROUPS) for name in modes_of(k)]
)
def test_every_mode_equals_plain_loops(name: str, first: int) -> None:
    eqsat.config.egraph_seconds = 20.0  # so that what is tested does not depend on the machine
    checked([grow(seed) for seed in range(first, first + TOGETHER)], MODES[name])
