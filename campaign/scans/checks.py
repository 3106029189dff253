"""Scan programs as compiled functions against loops over arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import eqsat
from campaign.scans.arrays import Arrays, Wrong
from campaign.scans.graphs import Graph
from campaign.scans.programs import Program


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
