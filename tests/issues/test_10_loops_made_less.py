"""Loops make no steps that nobody reads, are one where one condition ends them, and are opened in the mode of the function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.core import Constant
from eqsat.graph.walk import toposort

MANY = 10**12  # steps that no test waits for
until = eqsat.scan.until


def loops(outputs: Any, **options: Any) -> list[Any]:
    """The loops of the rewritten graph."""
    found = eqsat.optimize(outputs, **options).optimized
    return [node for node in toposort(found) if str(node.op).startswith("scan")]


def values(count: int, start: float = 0.5) -> Any:
    """The first values of the state that the tests step."""
    found = [np.tanh(2 * start)]
    while len(found) < count:
        found.append(np.tanh(2 * found[-1]))
    return np.array(found[:count])


def run(inputs: Any, outputs: Any, *given: Any) -> Any:
    return eqsat.function(inputs, outputs, mode="numpy")(*given)


Read = Callable[[Any, Any], Any]
READS: dict[str, tuple[Read, Read]] = {
    "first rows": (lambda h, k: h[:3], lambda v, k: v[:3]),
    "a row": (lambda h, k: h[2], lambda v, k: v[2]),
    "a row known at run time": (lambda h, k: h[k], lambda v, k: v[k]),
    "rows up to a bound": (lambda h, k: h[:k], lambda v, k: v[:k]),
    "every second": (lambda h, k: h[1:k:2], lambda v, k: v[1:k:2]),
    "what is computed of rows": (lambda h, k: T.exp(-h)[:k], lambda v, k: np.exp(-v)[:k]),
    "moved": (lambda h, k: (2 * h)[:, None][:3], lambda v, k: (2 * v)[:3, None]),
    "a part of a part": (lambda h, k: h[:6][::-1], lambda v, k: v[:6][::-1]),
    "an element of a part": (lambda h, k: h[1:5][2], lambda v, k: v[3]),
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("known", [True, False], ids=["known steps", "unknown steps"])
def test_steps_that_nobody_reads_are_not_made(name: str, known: bool) -> None:
    s, k, n = T.dscalar("s"), T.lscalar("k"), T.lscalar("n")
    h = eqsat.scan(lambda h: T.tanh(2 * h), outputs_info=s, n_steps=MANY if known else n)[0]
    read, expected = READS[name]
    found = eqsat.function([s, k, n], read(h, k), mode="numpy", on_unused_input="ignore")(0.5, 5, MANY)
    np.testing.assert_allclose(found, expected(values(8), 5))


@pytest.mark.parametrize("bound", [-9, -2, 0, 3, 9])
@pytest.mark.parametrize("steps", [1, 5])
def test_bounds_may_count_from_the_end_or_lie_beyond_it(bound: int, steps: int) -> None:
    s, k, n = T.dscalar("s"), T.lscalar("k"), T.lscalar("n")
    h = eqsat.scan(lambda h: T.tanh(2 * h), outputs_info=s, n_steps=n)[0]
    np.testing.assert_allclose(run([s, n, k], h[:k], 0.5, steps, bound), values(steps)[:bound])
    np.testing.assert_allclose(run([s, n, k], h[1:k], 0.5, steps, bound), values(steps)[1:bound])


def test_a_row_that_no_step_makes_is_an_error() -> None:
    s, k, n = T.dscalar("s"), T.lscalar("k"), T.lscalar("n")
    h = eqsat.scan(lambda h: T.tanh(2 * h), outputs_info=s, n_steps=n)[0]
    with pytest.raises(IndexError):
        run([s, n, k], h[k], 0.5, 5, 9)


def test_the_furthest_row_that_any_output_reads_counts() -> None:
    s, n = T.dscalar("s"), T.lscalar("n")
    a, b = eqsat.scan(lambda a, b: [b, a + b], outputs_info=[s, s], n_steps=n)[0]
    first, element, count = run([s, n], [a[:4], b[5], a.shape[0]], 1.0, MANY)
    assert first.tolist() == [1, 2, 3, 5] and element == 21 and count == MANY


def test_loops_over_rows_of_a_loop() -> None:
    s, n = T.dscalar("s"), T.lscalar("n")
    h = eqsat.scan(lambda h: T.tanh(2 * h), outputs_info=s, n_steps=n)[0]
    total = eqsat.scan(lambda x, t: t + x * x, h, outputs_info=s)[0]
    np.testing.assert_allclose(run([s, n], total[:3], 0.5, MANY), 0.5 + np.cumsum(values(3) ** 2))


def test_values_of_several_steps_ago() -> None:
    v, n = T.dvector("v"), T.lscalar("n")
    sums = eqsat.scan(lambda a, b: a + b, outputs_info={"initial": v, "taps": [-1, -2]}, n_steps=n)[0]
    assert run([v, n], sums[:4], [1.0, 1.0], MANY).tolist() == [2, 3, 5, 8]


def test_a_loop_that_may_stop_before() -> None:
    v = T.dvector("v")
    rows = eqsat.scan(lambda x: (x + 1, until(x > 5)), v)[0]
    for k in range(1, 5):
        assert run([v], rows[:k], [1.0, 2, 7, 3]).tolist() == [2, 3, 8][:k]


@pytest.mark.sweep
def test_all_steps_are_made_where_the_mode_says_so_or_something_else_is_read() -> None:
    s = T.dscalar("s")
    h = eqsat.scan(lambda h: T.tanh(2 * h), outputs_info=s, n_steps=50)[0]

    def steps(outputs: Any, **options: Any) -> list[int]:
        return [int(n.inputs[0].data) for n in loops(outputs, **options) if isinstance(n.inputs[0], Constant)]

    assert steps(h[:20]) == [20]
    assert steps(h[:20], without=["save-memory"]) == [50]
    assert steps([h[:20], h.sum()]) == [50] and steps(h[-1]) == [50] and steps(h[::-1][:2]) == [50]


@pytest.mark.sweep
def test_gradients_through_first_rows() -> None:
    s = T.dscalar("s")
    h = eqsat.scan(lambda h: T.tanh(2 * h), outputs_info=s, n_steps=6)[0]
    slope = T.grad(h[:3].sum(), s)
    found = eqsat.function([s], slope, mode="numpy")(0.5)
    assert found == pytest.approx(eqsat.function([s], slope, mode="reference")(0.5), rel=1e-12)


# ------------------------------------------------------------------------------------- loops that one condition ends

Make = Callable[[Any, Any], list[Any]]
Made = tuple[Make, int]


def stepped(step: Callable[..., Any], *states: Any, **options: Any) -> list[Any]:
    found = eqsat.scan(step, outputs_info=list(states) or None, **options)[0]
    return found if isinstance(found, list) else [found]


ENDS: dict[str, Made] = {
    "one condition on rows": (
        lambda v, s: [
            *stepped(lambda x: (x + 1, until(x > 5)), sequences=v),
            *stepped(lambda x: (x - 1, until(x > 5)), sequences=v),
        ],
        1,
    ),
    "two conditions on rows": (
        lambda v, s: [
            *stepped(lambda x: (x + 1, until(x > 5)), sequences=v),
            *stepped(lambda x: (x - 1, until(x > 6)), sequences=v),
        ],
        2,
    ),
    "one condition on a state of each": (
        lambda v, s: [
            *stepped(lambda h: (2 * h, until(h > 5)), s, n_steps=50),
            *stepped(lambda h, g: ([2 * h, g + h], until(h > 5)), s, s, n_steps=50),
        ],
        1,
    ),
    "states that go on in two ways": (
        lambda v, s: [
            *stepped(lambda h: (2 * h, until(h > 5)), s, n_steps=50),
            *stepped(lambda h, g: ([3 * h, g + h], until(h > 5)), s, s, n_steps=50),
        ],
        2,
    ),
    "states that begin in two ways": (
        lambda v, s: [
            *stepped(lambda h: (2 * h, until(h > 5)), s, n_steps=50),
            *stepped(lambda h: (2 * h, until(h > 5)), s + 1, n_steps=50),
        ],
        2,
    ),
    "different numbers of steps": (
        lambda v, s: [
            *stepped(lambda h: (2 * h, until(h > 5)), s, n_steps=50),
            *stepped(lambda h: (2 * h, until(h > 5)), s, n_steps=51),
        ],
        2,
    ),
    "three, of which two end alike": (
        lambda v, s: [
            *stepped(lambda x, h: (x + h, until(x > 5)), s, sequences=v),
            *stepped(lambda x, h: (x * h, until(x > 5)), s, sequences=v),
            *stepped(lambda x, h: (x * h, until(h > 5)), s, sequences=v),
        ],
        2,
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_loops_that_one_condition_ends_are_one(name: str) -> None:
    make, count = ENDS[name]
    v, s = T.dvector("v"), T.dscalar("s")
    outputs = make(v, s)
    assert len(loops(outputs)) == count
    given = ([1.0, 2.0, 7.0, 3.0], 1.0)
    plain = eqsat.function([v, s], outputs, mode="reference", on_unused_input="ignore")(*given)
    found = eqsat.function([v, s], outputs, mode="numpy", on_unused_input="ignore")(*given)
    for one, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(one, other)


# ---------------------------------------------------------------------------------------------------- modes of loops

MODES = {
    None: True,
    "FAST_RUN": True,
    "FAST_COMPILE": False,
    "numpy": False,
    "reference": False,
}


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_loop_is_opened_where_its_mode_rewrites_as_the_function_does(mode: str | None) -> None:
    W, X, s = T.dmatrix("W"), T.dtensor3("X"), T.dmatrix("s")
    h = eqsat.scan(lambda x, h: T.tanh(T.dot(x, W) + h), X, outputs_info=s, mode=mode)[0]
    pushed = any(n.op.name == "rows_dot" for n in toposort(eqsat.optimize(h).optimized))
    assert pushed == MODES[mode]


def test_a_mode_with_other_rules_keeps_the_loop_closed() -> None:
    W, X = T.dmatrix("W"), T.dtensor3("X")
    mode = eqsat.modes.get_mode("FAST_RUN").excluding("log-exp")
    h = eqsat.scan(lambda x: T.dot(x, W), X, mode=mode)[0]
    assert len(loops(h)) == 1 and not loops(h, rules="-log-exp")
    assert len(loops(h, rules="-log-exp", without=["merge-loops"])) == 1
