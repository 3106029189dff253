"""Random loops of all kinds of states, one inside another, as written in C against the reference."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.scan import ScanArgs

pytestmark = [pytest.mark.c, pytest.mark.sweep]
KINDS = [T.dscalar, T.dvector, T.dmatrix]
SIDE = 3


class Program:
    """A random scan of rows, states of every kind and fixed values whose axes all have length 3."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.inputs: list[Any] = []
        self.long: set[Any] = set()  # those that are cut into rows
        self.n = T.lscalar("n")
        self.outputs = self.scan(2, self.n, []).make_node(name=f"random{seed}").outputs

    def given(self, ndim: int, long: bool = False) -> Any:
        """A new input of the whole program."""
        self.inputs.append(T.tensor("float64", shape=(None,) * ndim, name=f"x{len(self.inputs)}"))
        if long:
            self.long.add(self.inputs[-1])
        return self.inputs[-1]

    def scan(self, depth: int, n: Any, around: list[Any]) -> ScanArgs:
        """A scan of which some operands are those of a loop around it."""
        rng, a = self.rng, ScanArgs.create_empty(n)
        pool: list[Any] = []

        def outer(ndim: int) -> Any:
            fitting = [v for v in around if v.ndim == ndim]
            return rng.choice(fitting) if fitting and rng.random() < 0.5 else self.given(ndim)

        def inner(ndim: int) -> Any:
            pool.append(KINDS[ndim]())
            return pool[-1]

        ranks = {
            kind: [rng.randint(0, 2) for _ in range(rng.randint(0, 2))]
            for kind in ("seq", "several", "new", "fixed")
        }
        ranks |= {
            kind: [rng.randint(0, 2) for _ in range(rng.randint(0, 2))]
            for kind in ("buffer", "single", "last")
        }
        ranks["single"] += [rng.randint(0, 2)]
        a.outer_in_seqs, a.inner_in_seqs = (
            [self.given(r + 1, True) for r in ranks["seq"]],
            [inner(r) for r in ranks["seq"]],
        )
        for r in ranks["buffer"]:
            taps = tuple(rng.sample(range(-1, 3), rng.randint(1, 2)))
            a.mit_mot_in_slices.append(taps)
            a.mit_mot_out_slices.append(tuple(rng.sample(range(-1, 3), rng.randint(1, 2))))
            a.outer_in_mit_mot.append(self.given(r + 1, True))
            a.inner_in_mit_mot.append([inner(r) for _ in taps])
        for r in ranks["several"]:
            taps = tuple(sorted(rng.sample(range(-5, 0), rng.randint(1, 3))))
            a.mit_sot_in_slices.append(taps)
            a.outer_in_mit_sot.append(self.given(r + 1, True))
            a.inner_in_mit_sot.append([inner(r) for _ in taps])
        a.sit_sot_in_slices = [(-1,) for _ in ranks["single"]]
        for kind, starts, ins in (
            ("single", a.outer_in_sit_sot, a.inner_in_sit_sot),
            ("last", a.outer_in_shared, a.inner_in_shared),
            ("fixed", a.outer_in_non_seqs, a.inner_in_non_seqs),
        ):
            starts += [outer(r) for r in ranks[kind]]
            ins += [inner(r) for r in ranks[kind]]
        if depth > 1 and rng.random() < 0.5:
            nested = self.scan(depth - 1, T.constant(np.int64(rng.randint(1, 4))), list(pool))
            used = [v for v in nested.outer_inputs[1:] if v in self.inputs]
            for v in used:
                self.inputs.remove(v)
                pool += [] if v in self.long else [v]
                a.outer_in_non_seqs.append(self.given(v.ndim, v in self.long))
                a.inner_in_non_seqs.append(v)
            made = nested.make_node().outputs
            pool += [v[-1] if v.ndim == 3 else v.sum(0) for v in made if v.ndim > 0 and v.ndim < 4]
        for _ in range(rng.randint(1, 4)):
            pool.append(self.made(pool))
        buffers = zip(ranks["buffer"], a.mit_mot_out_slices, strict=True)
        a.inner_out_mit_mot = [[self.end(pool, r) for _ in taps] for r, taps in buffers]
        a.inner_out_mit_sot = [self.end(pool, r) for r in ranks["several"]]
        a.inner_out_sit_sot = [self.end(pool, r) for r in ranks["single"]]
        a.inner_out_nit_sot = [self.end(pool, r) for r in ranks["new"]]
        a.inner_out_shared = [self.end(pool, r) for r in ranks["last"]]
        if rng.random() < 0.3:
            a.cond = [T.sin(T.sum(rng.choice(pool)) * 5) > 0.9]
        return a

    def made(self, pool: list[Any]) -> Any:
        """A bounded value of some that are there."""
        x, y = self.rng.choice(pool), self.rng.choice(pool)
        way = self.rng.randint(0, 5)
        if way == 0 and x.ndim > 0 and y.ndim > 0:
            return T.tanh(T.dot(x, y))
        if way == 1 and x.ndim > 0:
            return T.tanh(x.sum(axis=self.rng.randint(0, x.ndim - 1)))
        if way == 2 and x.ndim > 0:
            return x[::-1] * 0.9
        if way == 3 and x.ndim > 0:
            return T.sort(x, axis=-1)
        return T.sin(x * 1.5 + y) if x.ndim >= y.ndim else T.sin(y - x)

    def end(self, pool: list[Any], ndim: int) -> Any:
        """A value of a rank, made or as it is."""
        fitting = [v for v in pool if v.ndim == ndim]
        if fitting:
            x = self.rng.choice(fitting)
            return x if self.rng.random() < 0.4 else T.tanh(x * 1.1 + 0.1)
        return T.constant(np.full((SIDE,) * ndim, 0.5)) if ndim else T.constant(np.float64(0.5))


def values_of(program: Program, n: int) -> list[Any]:
    """Values whose axes have length 3, but for the first of what is cut into rows."""
    data = np.random.default_rng(len(program.inputs))
    found = []
    for v in program.inputs:
        first = [12] if v in program.long else [SIDE] * min(v.ndim, 1)
        found.append(data.uniform(-1, 1, [*first, *[SIDE] * (v.ndim - 1)]))
    return [*found, n]


@pytest.mark.parametrize("group", range(12))
def test_random_loops(group: int) -> None:
    if eqsat.cgen.find_compiler() is None:
        pytest.skip("no C compiler")
    for seed in range(group * 5, group * 5 + 5):
        program = Program(seed)
        inputs = [*program.inputs, program.n]
        f, g = (
            eqsat.function(inputs, program.outputs, mode=mode, on_unused_input="ignore")
            for mode in ("reference", "FAST_COMPILE")
        )
        assert "eq_loop" in g.c_source
        for n in (0, 1, 2, 7):
            values = values_of(program, n)
            kept = [np.array(v) for v in values]
            for want, have in zip(f(*values), g(*values), strict=True):
                assert want.shape == have.shape and want.dtype == have.dtype, (seed, n)
                np.testing.assert_allclose(have, want, rtol=1e-8, atol=1e-10, err_msg=f"{seed} {n}")
            for value, before in zip(values, kept, strict=True):
                np.testing.assert_array_equal(value, before)
