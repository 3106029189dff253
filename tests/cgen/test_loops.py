"""Loops in C: every kind of state against the reference, without a return to Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.scan.python_loop
import eqsat.tensor as T
from eqsat.errors import ShapeError
from eqsat.scan import ScanArgs, scan, until

MODES = ("FAST_COMPILE", "FAST_RUN")
Agree = Callable[..., list[Any]]
pytestmark = pytest.mark.c


@pytest.fixture
def agree(monkeypatch: pytest.MonkeyPatch) -> Iterator[Agree]:
    """Compile in every mode, call, and compare with the reference, which alone may run steps in Python."""
    if eqsat.cgen.find_compiler() is None:
        pytest.skip("no C compiler")
    run, allowed = eqsat.scan.python_loop.run_loop, [True]

    def guarded(*args: Any) -> list[Any]:
        assert allowed[0], "a compiled function runs its loop in Python"
        return run(*args)

    monkeypatch.setattr(eqsat.scan.python_loop, "run_loop", guarded)

    def check(
        inputs: Sequence[Any], outputs: Sequence[Any], *calls: Sequence[Any], rtol: float = 1e-10
    ) -> list[Any]:
        got: list[Any] = []
        reference = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")
        for mode in MODES:
            f = eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore")
            assert (
                mode == "FAST_RUN" or "eq_loop" in f.c_source or "eq_series" in f.c_source
            )  # some loops become expressions
            for values in calls:
                kept = [np.array(v) for v in values]
                allowed[0] = True
                want = reference(*values)
                allowed[0] = False
                got = f(*values)
                for have, expected in zip(got, want, strict=True):
                    assert have.dtype == expected.dtype and have.shape == expected.shape
                    np.testing.assert_allclose(have, expected, rtol=rtol, atol=1e-12)
                for value, before in zip(values, kept, strict=True):
                    np.testing.assert_array_equal(value, before)
        allowed[0] = True
        return got

    yield check


X = np.sin(np.arange(24.0)).reshape(8, 3)
H = np.array([0.1, -0.2, 0.3])
W = np.cos(np.arange(9.0)).reshape(3, 3)


def test_a_state_that_is_stacked(agree: Agree) -> None:
    x, h, w = T.dmatrix("x"), T.dvector("h"), T.dmatrix("w")
    out, _ = scan(lambda row, s, w: T.tanh(row + T.dot(s, w)), x, h, w)
    agree([x, h, w], [out, out[-1], out.sum(0)], (X, H, W), (X[:1], H, W))


def test_an_output_without_a_state(agree: Agree) -> None:
    x = T.dmatrix("x")
    rows, _ = scan(lambda row: row * row.sum(), x)
    sums, _ = scan(lambda row: row.sum(), x)
    agree([x], [rows, sums, rows.T], (X,), (X[:, :1],), (np.ones((0, 3)),), (np.ones((3, 0)),))


def test_a_state_that_nobody_reads_takes_a_ring(agree: Agree) -> None:
    x, h = T.dmatrix("x"), T.dmatrix("h")
    (_, b), _ = scan(
        lambda row, p, q: [p + 0.5 * q + row, q.sum() + row.max()],
        x,
        [{"initial": h, "taps": [-3, -1]}, None],
    )
    agree([x, h], [b], (X, X[:3]), (X[:2], X[:4]))


@pytest.mark.parametrize("taps", [[-1], [-2], [-2, -1], [-4, -2], [-1, -3, -2]])
def test_taps(agree: Agree, taps: list[int]) -> None:
    x, h = T.dmatrix("x"), T.dmatrix("h")
    out, _ = scan(lambda row, *old: sum(old) * 0.5 + row, x, {"initial": h, "taps": taps})
    agree([x, h], [out], *[(X[:k], X[1 : 1 - min(taps)]) for k in range(8)])


def test_sequences_with_taps_and_backwards(agree: Agree) -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    out, _ = scan(lambda a, b, c: a * b - c, [{"input": x, "taps": [-1, 2]}, y], go_backwards=True)
    again, _ = scan(lambda a, b: a * b, [x.T, y[::2, 1]])
    agree([x, y], [out, again], (X, X + 1), (X[:5], X))


def test_last_values(agree: Agree) -> None:
    a = ScanArgs.create_empty(T.lscalar("n"))
    s, t = T.dvector("s"), T.lscalar("t")
    a.outer_in_shared = [T.dvector("begin"), T.lscalar("count")]
    a.inner_in_shared, a.inner_out_shared = [s, t], [T.sin(s) + t, t + 2]
    node = a.make_node()
    agree(node.inputs, node.outputs, (0, H, 3), (1, H, 3), (2, H, 3), (7, H, 3))


def test_last_values_change_places(agree: Agree) -> None:
    a = ScanArgs.create_empty(T.lscalar("n"))
    s, t, u = (T.dvector(k) for k in "stu")
    a.outer_in_shared = [T.dvector("p"), T.dvector("q"), T.dvector("r")]
    a.inner_in_shared, a.inner_out_shared = [s, t, u], [t, s, u[::-1]]
    node = a.make_node()
    agree(node.inputs, node.outputs, *[(n, H, H + 1, H + 2) for n in range(5)])


def test_a_delay_line_moves_pointers(agree: Agree) -> None:
    a = ScanArgs.create_empty(T.lscalar("n"))
    x, *s = (T.dvector() for _ in range(6))
    a.outer_in_seqs, a.inner_in_seqs = [T.dmatrix("xs")], [x]
    a.outer_in_shared, a.inner_in_shared = [T.dvector(f"s{k}") for k in range(5)], s
    a.inner_out_shared = [T.sin(x + s[3]), s[0], s[1], s[2], s[1]]
    node = a.make_node()
    starts = [H + k for k in range(5)]
    agree(node.inputs, node.outputs, *[(n, X, *starts) for n in range(9)])
    f = eqsat.function(node.inputs, node.outputs, mode="FAST_COMPILE")
    body = f.c_source.partition("for (n_")[2].partition("return 0;")[0]
    assert body.count("eq_spread") == 2  # a sum and its sine; nothing is copied


def test_a_last_value_whose_length_changes(agree: Agree) -> None:
    a = ScanArgs.create_empty(T.lscalar("n"))
    s, t = T.dvector("s"), T.dvector("t")
    a.outer_in_shared = [T.dvector("begin"), T.dvector("other")]
    a.inner_in_shared, a.inner_out_shared = [s, t], [T.concatenate([s, s[:1] + t.sum()]), s * 2]
    node = a.make_node()
    agree(node.inputs, node.outputs, *[(n, H, H[:1]) for n in range(5)])


def test_a_length_that_is_known_of_the_first_value_only(agree: Agree) -> None:
    x, c = T.lvector("x"), T.dmatrix("c")

    def step(k: Any, before: Any) -> Any:
        state = T.tanh(c[:, k] + c.dot(before))
        return state[0], state

    (firsts, _), _ = scan(step, sequences=x, outputs_info=[None, T.zeros(3)])
    agree([x, c], [firsts], ([0, 2, 1, 0], W), ([1], W))


def test_until(agree: Agree) -> None:
    x, n = T.dmatrix("x"), T.lscalar("n")
    (out, total), _ = scan(
        lambda row, s: ([row * 2, s + row.sum()], until(s + row.sum() > 1.5)),
        x,
        [None, T.constant(0.0)],
        n_steps=n,
    )
    agree([x, n], [out, total, total[-1:], out.sum()], (X, 8), (X, 2), (X + 3, 8), (X, 0))
    never, _ = scan(lambda s: (s + 1, until(s < 0)), None, T.constant(np.int64(0)), n_steps=n)
    agree([n], [never], (5,), (0,))


def test_a_buffer(agree: Agree) -> None:
    a = ScanArgs.create_empty(T.lscalar("n"))
    x, now, later = T.dvector("x"), T.dvector("now"), T.dvector("later")
    a.outer_in_seqs, a.inner_in_seqs = [T.dmatrix("xs")], [x]
    a.mit_mot_in_slices, a.mit_mot_out_slices = [(0, 1)], [(0, 2)]
    a.outer_in_mit_mot, a.inner_in_mit_mot = [T.dmatrix("buffer")], [[now, later]]
    a.inner_out_mit_mot = [[later + x, now]]
    a.inner_out_nit_sot = [now * later]
    node = a.make_node()
    agree(node.inputs, node.outputs, (0, X, X), (3, X, X), (5, X, X[:7]))
    swapped = ScanArgs.from_node(node)
    swapped.inner_out_mit_mot = [swapped.inner_in_mit_mot[0][::-1]]
    other = swapped.make_node()
    agree(other.inputs, other.outputs, (0, X, X), (3, X, X), (5, X, X[:7]))


def test_a_buffer_that_dies_is_written_in_place(agree: Agree) -> None:
    x, h = T.dmatrix("x"), T.dvector("h")
    out, _ = scan(lambda row, s: T.tanh(s * row), x, h)
    grads = T.grad(out.sum() + (out[-1] ** 2).sum(), [x, h])
    agree([x, h], grads, (X, H), (X[:1], H))


@pytest.mark.parametrize("truncate", [-1, 2])
def test_gradients(agree: Agree, truncate: int) -> None:
    x, h, w = T.dmatrix("x"), T.dmatrix("h"), T.dmatrix("w")
    out, _ = scan(
        lambda row, before, s, w: T.tanh(row + T.dot(s, w) * before),
        x,
        {"initial": h, "taps": [-3, -1]},
        w,
        truncate_gradient=truncate,
    )
    agree([x, h, w], T.grad((out**2).sum(), [x, h, w]), (X, X[:3], W), (X[:2], X[:3], W))


def test_loops_three_deep(agree: Agree) -> None:
    x, n = T.dtensor3("x"), T.lscalar("n")

    def innermost(v: Any, s: Any) -> Any:
        return T.sin(s + v)

    def middle(row: Any, s: Any) -> Any:
        inner, _ = scan(innermost, row, s)
        return inner[-1] * 0.5 + inner.sum()

    def outermost(page: Any, s: Any, n: Any) -> Any:
        inner, _ = scan(middle, page, s, n_steps=n)
        return inner.sum(), inner

    (_, pages), _ = scan(outermost, x, [T.constant(0.1), None], n)
    cube = np.sin(np.arange(60.0)).reshape(4, 5, 3)
    agree([x, n], [pages], (cube, 5), (cube, 2), (cube[:1], 1))


def test_lengths_that_change_with_the_pass(agree: Agree) -> None:
    x, k = T.dvector("x"), T.lvector("k")
    out, _ = scan(lambda j: (x[:j] ** 2).sum() + T.sort(x[j:])[-1:].sum(), k)
    agree([x, k], [out], (X[0], np.array([0, 1, 2, 3, 1])), (X[:, 0], np.arange(8)))


def test_rows_whose_length_the_first_pass_tells(agree: Agree) -> None:
    x, k, h = T.dvector("x"), T.lvector("k"), T.dvector("h")
    (a, b), _ = scan(lambda j, s: [x[: j * 0 + 2] + j, s * 0.5 + x[:j].sum()], k, [None, h])
    agree([x, k, h], [a, b], (X[0], np.arange(3), H), (X[0], np.zeros(0, "int64"), H))


def test_the_last_of_rows_whose_length_the_first_pass_tells(agree: Agree) -> None:
    x, h = T.dmatrix("x"), T.dvector("h")
    joined, _ = scan(lambda row: T.concatenate([row, h]), x)
    doubled, _ = scan(lambda row: T.concatenate([row, h]) * 2, x)
    agree([x, h], [joined[-1], doubled[-2:]], (X, H), (X[:1], H[:2]), (X[:2], H))


def test_a_look_at_the_old_value_is_kept_before_it_is_overwritten(agree: Agree) -> None:
    n, h = T.lscalar("n"), T.lvector("h")
    (last, _), _ = scan(lambda s: [s[-1], s + 2], outputs_info=[None, h], n_steps=n)
    agree([n, h], [last], (1, np.array([3, 3])), (4, np.array([1, 2, 3])))


def test_a_loop_of_no_steps_learns_the_lengths_of_rows(agree: Agree) -> None:
    x, w = T.dmatrix("x"), T.dmatrix("w")
    out, _ = scan(lambda row: T.dot(row, w), x)
    agree([x, w], [out], (np.ones((0, 3)), np.ones((3, 5))), (X, W))


def test_two_applications_of_one_step(agree: Agree) -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    a, _ = scan(lambda row, s: T.tanh(s + row), x, y[0])
    b, _ = scan(lambda row, s: T.tanh(s + row), y, a[-1])
    c, _ = scan(lambda row, s: T.tanh(s + row), a, b[0] * 2)
    agree([x, y], [a, b, c], (X, X[:2] + 1), (X[:3], X))


def test_dtypes(agree: Agree) -> None:
    x, z, k = T.fmatrix("x"), T.zvector("z"), T.bvector("k")
    (a, b, c, d), _ = scan(
        lambda row, w, j, s, p: [T.cast(s + row, "float32"), w * 1j, T.cast(j + p, "int8"), j > 2],
        [x, z, k],
        [x[0], None, T.constant(np.int8(1)), None],
    )
    agree(
        [x, z, k],
        [a, b, c, d],
        (X.astype("f4"), np.arange(8) * (1 + 2j), np.arange(8, dtype="i1")),
        rtol=1e-6,
    )


def test_random_draws_and_shared_variables(agree: Agree) -> None:
    stream = T.random.RandomStream(seed=3) if hasattr(T, "random") else None
    if stream is None:
        pytest.skip("no random streams here")
    total = eqsat.shared(np.float64(1.0), "total")
    out, updates = scan(lambda: (stream.normal(size=(3,)), {total: total * 2}), n_steps=4)
    results = {}
    for mode in ("reference", "FAST_RUN"):
        f = eqsat.function([], out, updates=updates, mode=mode)
        results[mode] = f()
    np.testing.assert_allclose(results["reference"].shape, results["FAST_RUN"].shape)
    assert total.get_value() == 2.0**8


@pytest.mark.parametrize("mode", ["reference", *MODES])
def test_errors_are_those_of_the_reference(mode: str) -> None:
    x, h, n = T.dmatrix("x"), T.dmatrix("h"), T.lscalar("n")
    out, _ = scan(lambda row, a, b: a + b + row, x, {"initial": h, "taps": [-2, -1]}, n_steps=n, name="walk")
    f = eqsat.function([x, h, n], out, mode=mode)
    for values, text in [
        ((X, X, -2), "scan{walk}: the number of steps is -2"),
        ((X[:2], X, 3), "scan{walk}: sequence 0 has length 2, it needs 3"),
        ((X, X[:1], 3), "scan{walk}: the initial value of a state has length 1, it needs 2"),
    ]:
        with pytest.raises(ShapeError) as caught:
            f(*values)
        assert caught.value.message == text
        assert caught.value.operands
    s = T.dvector("s")
    grows, _ = scan(lambda s, x: T.dot(s, x), None, s, x, n_steps=n)
    g = eqsat.function([s, x, n], grows, mode=mode)
    with pytest.raises(ShapeError) as caught:
        g(np.ones(8), X, 2)
    assert caught.value.message == "scan: a state has the shape (8,) before step 0 and (3,) after it"
    assert g(np.ones(8), X, 0).shape == (0, 8)
    y = T.dmatrix("y")
    both, _ = scan(lambda s, x: T.dot(x, s), None, y, x, n_steps=n)
    g = eqsat.function([y, x, n], both, mode=mode)
    with pytest.raises(ShapeError) as caught:
        g(np.ones((3, 4)), X, 2)
    assert caught.value.message == "scan: a state has the shape (3, 4) before step 0 and (8, 4) after it"


@pytest.mark.parametrize("mode", MODES)
def test_results_are_nobody_elses_memory(mode: str) -> None:
    x, h = T.dmatrix("x"), T.dvector("h")
    same, _ = scan(lambda row, s: [row, s], x, [None, h])
    a = ScanArgs.create_empty(T.lscalar("n"))
    s = T.dvector("s")
    a.outer_in_shared, a.inner_in_shared, a.inner_out_shared = [h], [s], [s[::-1]]
    node = a.make_node()
    f = eqsat.function([x, h, a.n_steps], [*same, *node.outputs], mode=mode)
    for n in (0, 1, 3):
        first, second = f(X, H, n), f(X, H, n)
        for k, value in enumerate(first):
            others = [X, H, *second, *first[:k]]
            assert not any(np.shares_memory(value, other) for other in others)


@pytest.mark.sweep
def test_many_states(agree: Agree) -> None:
    h = T.dmatrix("h")
    starts = [h[k] for k in range(60)]
    outs, _ = scan(
        lambda *s: [T.tanh(a + 0.5 * b) for a, b in zip(s, s[1:] + s[:1], strict=True)],
        None,
        starts,
        n_steps=5,
    )
    agree([h], [outs[0], outs[59][-1]], (np.sin(np.arange(180.0)).reshape(60, 3),))


@pytest.mark.sweep
def test_a_long_body_is_cut_into_functions(agree: Agree) -> None:
    x, h = T.dmatrix("x"), T.dvector("h")

    def step(row: Any, s: Any) -> Any:
        for k in range(40):
            s = T.sort(T.sin(s / (k + 1)) + row)  # no map that makes rounding errors grow
        return s, until(s[0] > 5)

    out, _ = scan(step, x, h)
    agree([x, h], [out], (X, H))


def test_a_step_in_python_keeps_the_loop_in_python() -> None:
    class Twice(eqsat.Op):
        def make_node(self, x: Any) -> Any:
            return eqsat.Apply(self, [x], [x.type()])

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0] * 2

    x = T.dmatrix("x")
    out, _ = scan(lambda row: Twice()(row) + 1, x)
    f = eqsat.function([x], out + 1)
    assert "eq_loop" not in f.c_source
    np.testing.assert_allclose(f(X), X * 2 + 2)


@pytest.mark.seed("L030")
def test_only_the_last_rows_that_are_read_are_kept(agree: Agree, growth: Callable[..., float]) -> None:
    x, n = T.dvector("x"), T.lscalar("n")
    out, _ = scan(lambda s: T.sin(s) + 0.1, None, x, n_steps=n)
    (low, high), _ = scan(lambda s: (([s * 0.9, s[0]]), until(s[0] < 0.05)), None, [x, None], n_steps=n)
    ends = [out[-1], out[-3:] * 2, out[-2:, 1].sum(), out.shape[0], low[-1], high[-2:], high[-1]]
    agree([x, n], ends, *[(H + 1, k) for k in (1, 2, 3, 4, 9, 40)])
    f = eqsat.function([x, n], ends, mode="FAST_COMPILE")
    with pytest.raises(eqsat.errors.BoundsError):
        f(H, 0)
    f(np.ones(10_000), 3)
    assert growth(f, np.ones(10_000), 20_000) < 20, "megabytes; a stack would take 1,600"


def test_memory_does_not_depend_on_the_number_of_steps(growth: Callable[..., float]) -> None:
    a = ScanArgs.create_empty(T.lscalar("n"))
    s = T.dvector("s")
    a.outer_in_shared, a.inner_in_shared = [T.dvector("begin")], [s]
    a.inner_out_shared = [T.sin(s) + 1]
    a.outer_in_sit_sot, a.inner_in_sit_sot = [T.dvector("other")], [s2 := T.dvector("s2")]
    a.sit_sot_in_slices, a.inner_out_sit_sot = [(-1,)], [s2 * 0.5]
    a.inner_out_shared = [T.sin(s) + s2]
    node = a.make_node()
    f = eqsat.function(node.inputs, node.outputs[-1])
    big = np.ones(10_000)
    f(2_000_000, np.ones(1), np.ones(1))
    assert growth(f, 20_000, big, big) < 20, "megabytes; a stack would take 1,600"
