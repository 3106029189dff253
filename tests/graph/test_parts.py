"""Arithmetic of basic indices, against NumPy at every length that is tried."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import RankError
from eqsat.graph.declare import OPS
from eqsat.graph.part_calls import CALLS
from eqsat.graph.part_functions import move_after_part, part_before_move, part_of_part
from eqsat.graph.parts import (
    FULL,
    entries_apart,
    entry_of_both,
    entry_of_entry,
    split_entry,
    takes_all,
    write_in_entry,
)

SEEDS = range(12)
EACH = 150


def entry(rng: random.Random, big: int = 4) -> tuple[Any, ...]:
    """A random integer or slice."""
    if rng.random() < 0.35:
        return ("int", rng.randint(-big, big))
    ends = [rng.choice([None, None, rng.randint(-big, big)]) for _ in range(2)]
    return ("slice", *ends, rng.choice([None, None, 1, -1, 2, -2, 3]))


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ([], "0 bounds for a part of x that has 1 to come"),
        ([T.dscalar("f")], "f as a bound of a part of x"),
        ([T.lvector("n")], "n as a bound of a part of x"),
    ],
)
def test_bounds_to_come_are_as_many_whole_numbers_as_the_pattern_has(bounds: list[Any], told: str) -> None:
    with pytest.raises(RankError, match=re.escape(told)):
        OPS["subtensor"].bind(pattern=(("slice", "?", None, None),))(T.dvector("x"), *bounds)


def draws(seed: int) -> Iterator[tuple[Any, Any, int | None]]:
    """Pairs of entries, with the length of the axis if it is known."""
    rng = random.Random(seed)
    for _ in range(EACH):
        yield entry(rng), entry(rng), rng.choice([None, None, rng.randint(0, 6)])


def lengths(n: int | None, most: int = 40) -> Any:
    return range(most) if n is None else [n]


def place(e: tuple[Any, ...]) -> Any:
    return e[1] if e[0] == "int" else slice(*e[1:])


def take(x: Any, e: tuple[Any, ...]) -> Any:
    """x[e]; None where that is an error."""
    try:
        return x[place(e)]
    except IndexError:
        return None


@pytest.mark.parametrize("seed", SEEDS)
def test_an_entry_of_an_entry(seed: int) -> None:
    found = 0
    for p, q, n in draws(seed):
        both = entry_of_entry(p, q, n) if p[0] == "slice" else None
        for m in lengths(n, 60) if both is not None else ():
            wanted = take(np.arange(m)[place(p)], q)
            if wanted is not None:
                np.testing.assert_array_equal(take(np.arange(m), both), wanted, str((p, q, n, both)))
        found += both is not None
    assert found > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_what_an_entry_takes_of_joined_axes(seed: int) -> None:
    found = 0
    for e, f, m in draws(seed):
        k = abs(f[1]) if f[0] == "int" else None
        pieces = split_entry(e, m, k)
        for a in lengths(m, 20) if pieces else ():
            for b in lengths(k, 20):
                x, y = np.arange(a), 100 + np.arange(b)
                wanted = take(np.concatenate([x, y]), e)
                if wanted is None:
                    continue
                parts = [take(v, piece) for v, piece in zip((x, y), pieces, strict=True) if piece]
                order = parts if e[0] == "int" or (e[3] or 1) > 0 else parts[::-1]
                got = parts[0] if e[0] == "int" else np.concatenate(order)
                np.testing.assert_array_equal(got, wanted, str((e, m, k, pieces)))
        found += pieces is not None
    assert found > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_entries_side_by_side_and_apart(seed: int) -> None:
    found = [0, 0, 0]
    for p, q, n in draws(seed):
        both = entry_of_both(p, q, n) if p[0] == q[0] == "slice" else None
        apart, all_of_it = entries_apart(p, q, n), takes_all(p, n)
        for m in lengths(n):
            x = np.arange(m)
            one, other = take(x, p), take(x, q)
            if all_of_it:
                np.testing.assert_array_equal(one, x)
            if one is None or other is None:
                continue
            if apart:
                assert not set(np.ravel(one)) & set(np.ravel(other)), (p, q, n, m)
            if both is not None:
                np.testing.assert_array_equal(
                    np.concatenate([one, other]), take(x, both), str((p, q, n, both))
                )
        found = [a + b for a, b in zip(found, [both is not None, apart, all_of_it], strict=True)]
    assert min(found) > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_where_a_write_is_seen(seed: int) -> None:
    found = 0
    for p, q, n in draws(seed):
        pair = write_in_entry(p, q, n)
        for m in lengths(n) if pair else ():
            x = np.arange(m)
            old, seen = take(x, p), take(x, q)
            if old is None or seen is None:
                continue
            value = 1000 + np.arange(np.size(old)).reshape(np.shape(old))
            after = x.copy()
            after[place(p)] = value
            inside, of_value = pair
            part = value if of_value is None else take(value, of_value)
            got = np.array(seen)
            if inside is None:
                got = part
            else:
                got[place(inside)] = part
            np.testing.assert_array_equal(got, take(after, q), str((p, q, n, pair)))
        found += pair is not None
    assert found > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_a_part_before_axes_move(seed: int) -> None:
    rng = random.Random(seed)
    x = np.arange(24).reshape(2, 3, 4)
    for _ in range(EACH):
        move = rng.choice([(2, 0, 1), (1, "x", 0, 2), ("x", 2, 1, 0), (0, 1, 2)])
        moved = x.transpose([a for a in move if a != "x"])[
            tuple(None if a == "x" else slice(None) for a in move)
        ]
        p = tuple(entry(rng, 1) for _ in move)
        before = part_before_move(p, move, 3)
        if before is None:
            continue
        after, ndim = move_after_part(p, move, 3)
        small = x[tuple(map(place, before))]
        assert small.ndim == ndim
        got = small.transpose([a for a in after if a != "x"])
        got = got[tuple(None if a == "x" else slice(None) for a in after)]
        np.testing.assert_array_equal(got, moved[tuple(map(place, p))], str((move, p)))


def test_nothing_is_said_of_bounds_that_are_known_at_run_time() -> None:
    unknown = ("slice", None, "?", None)
    assert entry_of_entry(unknown, ("slice", 1, None, None), None) is None
    assert split_entry(unknown, 2, 3) is None and not entries_apart(unknown, ("int", 0), None)
    assert entry_of_entry(FULL, unknown, None) == unknown and entry_of_entry(unknown, FULL, None) == unknown
    assert write_in_entry(unknown, ("int", 0), None) is None and not takes_all(unknown, None)


def test_bounds_far_from_the_ends() -> None:
    far = ("slice", 100_000, None, None)
    assert entry_of_entry(far, ("slice", 50_000, None, None), None) == ("slice", 150_000, None, None)
    assert (
        entry_of_entry(("slice", None, None, 7), ("slice", 100_000, None, 11), None) is None
    )  # too many to try
    assert entries_apart(("slice", None, 10**6, None), ("slice", 10**6, None, None), 10**9)


def test_a_call_gives_a_pattern_with_as_many_unknowns_as_it_says() -> None:
    p, q, n = (FULL, ("int", "?")), (("int", 0),), (None, None)
    assert CALLS["part_of_part"](p, q, n) is None
    assert CALLS["part_of_part_at"](p, q, n) == (("int", 0), ("int", "?")) == part_of_part(p, q, n)
    some = ("slice", 1, None, None)
    assert CALLS["part_of_part"]((some,), (("int", 5),), (None,)) == (("int", 6),)
    assert CALLS["part_of_part"]((FULL,), (("int", 5),), (None,)) is None  # of the tensor itself
    assert CALLS["part_of_part"]((("slice", None, None, -1),), (("int", 0),), (1,)) is None
    assert CALLS["rows_of"]((FULL,)) == (FULL, FULL) and CALLS["columns_of"]((FULL,)) is None


FAR = [None, 2, -2, 2**63 - 1, -(2**63), 2**70, -(2**70), 2**48]


@pytest.mark.parametrize("step", [None, 2, -1, -3])
def test_bounds_beyond_every_axis_are_none(step: int | None) -> None:
    x, a = T.dvector("x"), np.arange(7.0)
    bounds = [(p, q) for p in FAR for q in FAR]
    f = eqsat.function([x], [x[1:][slice(p, q, step)] for p, q in bounds], mode="numpy")
    for (p, q), part in zip(bounds, f(a), strict=True):
        np.testing.assert_array_equal(part, a[1:][slice(p, q, step)])
