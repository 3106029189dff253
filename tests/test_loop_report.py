"""What the report says of loops: on pairs of graphs made by hand, and on what the optimiser makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.extract.cost import CostModel
from eqsat.inspect.loop_report import LoopChange, loop_changes

x, h0 = T.dmatrix("x"), T.dvector("h0")
w, u = (eqsat.shared(np.eye(4), name) for name in ("W", "U"))


def scan(*given: Any, **options: Any) -> Any:
    return eqsat.scan(*given, **options)[0]


def changes(before: Any, after: Any) -> list[LoopChange]:
    outputs = [list(v) if isinstance(v, list) else [v] for v in (before, after)]
    return loop_changes(*outputs, CostModel())


def sums(loop: LoopChange) -> list[str]:
    """The expressions that left the loop, without lines."""
    return [f"{was.rpartition(' at ')[0]} -> {now}" for was, now in (*loop.before, *loop.after)]


def recurrent(product: bool = True) -> Any:
    rows = x if product else T.dot(x, w)
    return scan(lambda a, h: T.tanh((T.dot(a, w) if product else a) + T.dot(h, u)), rows, h0, name="rnn")


def test_a_product_that_leaves_the_loop() -> None:
    (loop,) = changes(recurrent()[-1], recurrent(product=False)[-1])
    assert loop.name == "scan{rnn}" and loop.steps == "length(x, 0) steps" and loop.loops == 1
    assert loop.made_at is not None and loop.made_at.startswith("test_loop_report.py:")
    assert loop.assumed and loop.count == loop.trips == eqsat.config.default_length
    assert [now for _, now in loop.before] == ["dot(x, W)"] and loop.after == ()
    assert loop.before[0][0].startswith("dot(x[t], W) at test_loop_report.py:")
    assert loop.ops[0] - loop.ops[1] == 3 and loop.seconds[0] > 1.5 * loop.seconds[1]


def test_what_a_loop_may_never_come_to_is_not_done_before_it() -> None:
    """A bound on steps may be far above the steps that are run; what does not change in the loop leaves it all the same."""

    def summed(k: Any, total: Any, y: Any) -> Any:
        term = T.exp(-k) * T.exp(y)
        return total + term, eqsat.scan.until(term.sum() < 1e-9)

    rows = T.arange(100_000).astype("float64")
    y = eqsat.scan(summed, rows, T.zeros_like(h0), non_sequences=[h0])[0][-1]
    report = eqsat.optimize(y)
    (loop,) = report.loops
    done = [now for _, now in loop.before]
    assert any("exp(h0)" in now for now in done) and not any("arange" in now for now in done), done
    given = np.array([0.5, -1.0, 2.0])
    expected = np.exp(given) / (1 - np.exp(-1.0))
    np.testing.assert_allclose(eqsat.function([h0], y)(given), expected, rtol=1e-8)


def test_the_text_of_a_loop() -> None:
    facts: dict[str, Any] = {"count": 9.0, "trips": 9.0, "assumed": False}
    loop = LoopChange(
        "scan{rnn}", "a.py:3", "9 steps", **facts, ops=(5, 2), seconds=(2e-3, 5e-4),
        before=(("dot(x[t], W) at a.py:2", "dot(x, W)"), *(("", f"exp(x{k})") for k in range(7))),
        after=(("", "sum(s)"),), gone=("b",), last_only=(("h", 1024.0),), merged=("scan{two}",),
    )  # fmt: skip
    assert str(loop) == (
        "loop    scan{rnn} at a.py:3: 9 steps\n"
        "          5 -> 2 ops a step, 2.00 ms -> 0.50 ms in all steps\n"
        "          before the loop: dot(x, W)\n"
        "            for dot(x[t], W) at a.py:2\n"
        + "".join(f"          before the loop: exp(x{k})\n" for k in range(5))
        + "          before the loop: 2 more\n"
        "          after the loop: sum(s)\n"
        "          no longer there: b\n"
        "          only the last value is kept: h, 1,024 bytes less\n"
        "          runs together with: scan{two}"
    )
    gone = LoopChange("scan", None, "n steps", 256.0, 512.0, True, (5, 0), (2e-3, 0.0), 0, (("", "exp(x)"),))
    assert str(gone) == (
        "loop    scan: n steps (512 in all, assumed)\n"
        "          the loop is gone: 5 ops a step, 2.00 ms in all steps\n"
        "          instead of the loop: exp(x)"
    )


def test_an_output_that_is_computed_of_the_stack() -> None:
    def step(a: Any, h: Any) -> Any:
        new = T.tanh(a + h)
        return [new, T.exp(new)]

    before = scan(step, x, [h0, None], name="f")[1]
    after = T.exp(scan(lambda a, h: T.tanh(a + h), x, h0, name="f"))
    (loop,) = changes(before, after)
    assert sums(loop) == ["exp(tanh((x[t] + h0[t-1]))) -> exp(h0[all t])"] and loop.ops == (3, 2)


def test_a_loop_that_is_gone() -> None:
    (loop,) = changes(scan(lambda row: T.exp(row) * 2, x), T.exp(x) * 2)
    assert loop.loops == 0 and loop.seconds[1] == 0 and loop.ops[1] == 0
    assert sums(loop) == ["(exp(x[t]) * 2.0) -> (exp(x) * 2.0)"]


def test_loops_that_run_together() -> None:
    one = scan(lambda a, p: T.tanh(p + a), x, h0, name="one")
    two = scan(lambda a, q: T.sin(q * a), x, h0, name="two")
    both = scan(lambda a, p, q: [T.tanh(p + a), T.sin(q * a)], x, [h0, h0], name="one+two")
    first, second = changes([one, two], list(both))
    assert first.merged == ("scan{two}",) and second.merged == ("scan{one}",)
    assert first.ops == (2, 4) and first.gone == second.gone == ()


def test_a_loop_that_becomes_two() -> None:
    outputs = scan(lambda a, p, q: [T.tanh(p + a), T.sin(q * a)], x, [h0, h0[::-1]])
    one = scan(lambda a, p: T.tanh(p + a), x, h0)
    two = scan(lambda a, q: T.sin(q * a), x, h0[::-1])
    (loop,) = changes(outputs, [one, two])
    assert loop.loops == 2 and loop.ops == (4, 4) and " of 2 loops" in str(loop)


def test_inputs_and_states_that_are_gone() -> None:
    unused, other = T.dvector("unused"), T.dscalar("other")
    both = scan(lambda a, b, p, q: [p + a, q * 2], [x, unused], [h0, other], n_steps=5, name="f")
    (loop,) = changes(both[0], scan(lambda a, p: p + a, x, h0, n_steps=5, name="f"))
    assert loop.gone == ("unused[t]", "other") and not loop.assumed and loop.count == 5


def test_states_of_which_the_last_value_is_kept() -> None:
    from eqsat.scan import Scan, ScanInfo

    h, a = T.dvector("h"), T.dvector("a")
    kept = Scan([a, h], [T.tanh(h + a)], ScanInfo(n_seqs=1, n_shared_outs=1), name="f")(10, x, h0)
    (loop,) = changes(scan(lambda a, h: T.tanh(h + a), x, T.dvector("h"), n_steps=10, name="f")[-1], kept)
    assert loop.last_only == (("h", 9 * 8.0 * eqsat.config.default_length),)


def test_loops_inside_loops_are_reported_with_all_their_steps() -> None:
    def outer(inside: bool) -> Any:
        def step(row: Any, s: Any) -> Any:
            rows = row if inside else T.exp(row)
            found = scan(
                lambda a, b: b * (T.exp(a) if inside else a), rows, T.constant(1.0), n_steps=3, name="inner"
            )
            return s + found[-1]

        return scan(step, x, T.constant(0.0), n_steps=7, name="outer")

    first, second = changes(outer(True), outer(False))
    assert (first.name, first.trips, second.name, second.trips) == ("scan{outer}", 7, "scan{inner}", 21)
    assert second.ops == (2, 1) and first.ops[1] - first.ops[0] == 1
    assert sums(second) == ["exp(x[t][t]) -> exp(x[t])"]
    assert "(21 in all)" in str(second)


def test_steps_of_more_work_take_longer() -> None:
    few, many = (changes(scan(lambda s: T.tanh(s), None, h0, n_steps=n), h0)[0] for n in (10, 1000))
    assert many.seconds[0] == pytest.approx(100 * few.seconds[0], rel=0.05)


def test_a_graph_without_loops() -> None:
    report = eqsat.optimize(T.exp(x))
    assert report.loops == [] and "loop " not in str(report)


def test_the_report_of_the_optimiser() -> None:
    report = eqsat.optimize(recurrent()[-1])
    (loop,) = report.loops
    assert loop.name == "scan{rnn}" and loop.loops == 1 and loop.seconds[1] < loop.seconds[0]
    assert any("W" in now and "x" in now for _, now in loop.before)
    text = str(report)
    assert "\nloop    scan{rnn} at " in text and "before the loop: " in text
    f = eqsat.function([x, h0], recurrent()[-1], mode="numpy")
    assert [found.name for found in f.report.loops] == ["scan{rnn}"]


def test_gradients_leave_sums_to_one_product() -> None:
    grads = T.grad(recurrent()[-1].sum(), [w, u])
    loops = {loop.name: loop for loop in eqsat.optimize(grads).loops}
    assert set(loops) == {"scan{rnn}", "scan{rnn_grad}"}
    assert loops["scan{rnn_grad}"].after and {"d_W", "d_U"} <= set(loops["scan{rnn_grad}"].gone)


def test_names_of_states_survive_the_optimiser() -> None:
    one = scan(lambda a, p: T.tanh(p + a), x, h0, name="one")
    two = scan(lambda a, q: T.sin(q * a), x, T.exp(h0), name="two")
    report = eqsat.optimize([one[-1], two[-1]])
    text = str(eqsat.dprint(report.optimized, file="str"))
    assert "loop scan{one+two}" in text and "h0[t-1]" in text and "q[t-1]" in text
    assert [loop.merged for loop in report.loops] == [("scan{two}",), ("scan{one}",)]


def test_each_loop_that_is_gone_is_credited_with_its_own() -> None:
    rows, w, start = T.dmatrix("rows"), T.dmatrix("w"), T.dvector("start")
    tanhs, _ = eqsat.scan(lambda a: T.tanh(T.dot(a, w)), rows, name="tanhs")
    exps, _ = eqsat.scan(lambda a: T.exp(a), rows, name="exps")
    total, _ = eqsat.scan(lambda a, s: a + s, rows, start, name="total")
    report = eqsat.optimize([tanhs, exps, total[-1]])
    found = {loop.name: [now for _, now in loop.before] for loop in report.loops}
    assert found == {
        "scan{tanhs}": ["tanh(rows_dot(rows[:, None, :], w))"],
        "scan{exps}": ["exp(rows)"],
        "scan{total}": ["sum(rows, (0))"],
    }
