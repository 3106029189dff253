"""What is rewritten in loops: each kind by itself, switched off by itself, and with the same gradients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.extract.cost import CostModel
from eqsat.gradient import verify_grad
from eqsat.graph.walk import toposort
from eqsat.pipeline.modes import get_mode
from eqsat.scan import Scan, scan
from eqsat.scan.opt import REWRITES

X, W, H, V = T.dmatrix("X"), T.dmatrix("W"), T.dvector("H"), T.dmatrix("V")
ZERO = T.constant(0.0, dtype="float64")
RANDOM = np.random.default_rng(5)
VALUES = {X: RANDOM.normal(size=(6, 3)), W: RANDOM.normal(size=(3, 3)), H: RANDOM.normal(size=3)}
VALUES[V] = RANDOM.normal(size=(3, 2))


def ops(outputs: list[Any]) -> Counter[str]:
    """Names of the ops of a graph."""
    return Counter(str(node.op).partition("{")[0] for node in toposort(outputs))


def scans(outputs: list[Any]) -> list[Any]:
    return [node for node in toposort(outputs) if isinstance(node.op, Scan)]


def inside(outputs: list[Any]) -> Counter[str]:
    """Names of the ops in the loops of a graph, and in loops in them."""
    found: Counter[str] = Counter()
    for node in scans(outputs):
        found += ops(node.op.inner_outputs) + inside(node.op.inner_outputs)
    return found


def optimised(outputs: list[Any], *excluded: str) -> list[Any]:
    """The graph of a function in the rewriting mode without some rewrites, whose values are those of the reference."""
    mode = get_mode("numpy").excluding(*excluded) if excluded else get_mode("numpy")
    given = list(VALUES)
    f = eqsat.function(given, outputs, mode=mode, on_unused_input="ignore")
    expected = eqsat.function(given, outputs, mode="reference", on_unused_input="ignore")(*VALUES.values())
    for have, want in zip(f(*VALUES.values()), expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-10, atol=1e-12)
    return list(f.outputs_optimised)


# --------------------------------------------------------------------------------- one graph for each kind of rewrite


def constants_and_unused() -> list[Any]:
    two = T.constant(2.0, dtype="float64")
    out, _ = scan(lambda x, u, h, c, w: T.tanh(h + x * c * c), [X, X[::-1]], H, [two, W])
    return [out]


def non_sequence() -> list[Any]:
    h, v, w = T.dvector(), T.dvector(), T.dmatrix()
    info = eqsat.scan.ScanInfo(sit_sot_in_slices=((-1,),), n_non_seqs=2)
    op = Scan([h, v, w], [T.tanh(h + T.dot(v, w))], info)
    return [op(T.constant(40), H, X[0], W)]


def sequence() -> list[Any]:
    return [scan(lambda x, h: T.tanh(T.dot(T.exp(x), W) + h), X, H)[0]]


def output() -> list[Any]:
    return [scan(lambda x, h: (T.tanh(x + h), T.dot(T.tanh(x + h), V)), X, [H, None])[0][1]]


def accumulated() -> list[Any]:
    x, s = T.dvector(), T.dmatrix()
    info = eqsat.scan.ScanInfo(n_seqs=1, n_shared_outs=1)
    op = Scan([x, s], [s + T.outer(x, T.exp(x))], info)
    return [op(X.shape[0], X, T.zeros((3, 3), dtype="float64"))]


def in_place() -> list[Any]:
    return [scan(lambda x, h: T.tanh(x + h), X, H)[0][-1]]


def late_rows() -> list[Any]:
    h, _ = scan(lambda x, h: T.tanh(x + h), X, H)
    return [h[-1], h[-3:]]


def merged() -> list[Any]:
    a, _ = scan(lambda x, h: T.tanh(T.dot(h, W) + x), X, H)
    (_, b), _ = scan(lambda x, h: (T.tanh(T.dot(h, W) + x), T.dot(T.exp(h), V)), X, [H, None])
    return [a, b]


def twins() -> list[Any]:
    (a, b), _ = scan(lambda x, y, h, k: (T.tanh(x + h), T.tanh(y + k)), [X, X], [H, H])
    return [a, b]


def tiny() -> list[Any]:
    """Two steps of which the first meets zeros, and three."""
    h, _ = scan(lambda h: T.tanh(T.dot(h, W) + h * X[0, 0]), None, T.zeros((3,), dtype="float64"), n_steps=2)
    (a, b), _ = scan(lambda x, a, b: (a + x * b, x), X[:3], [{"initial": X[:2], "taps": [-2]}, H])
    return [h[-1], a, b]


GRAPHS: dict[str, Callable[[], list[Any]]] = {
    "remove_constants_and_unused_inputs_scan": constants_and_unused,
    "PushOutNonSeqScan": non_sequence,
    "PushOutSeqScan": sequence,
    "PushOutScanOutput": output,
    "PushOutDot1": accumulated,
    "ScanInplaceOptimizer": in_place,
    "ScanSaveMem": late_rows,
    "ScanMerge": merged,
    "UnrollTiny": tiny,
    "scan_merge_inouts": twins,
}


def test_every_rewrite_has_a_graph_here() -> None:
    assert set(GRAPHS) == set(REWRITES)


# ---------------------------------------------------------------------------------------------------- one by one


@pytest.mark.seed("L023")
def test_unused_inputs_disappear_and_constants_stand_inside() -> None:
    (node,) = scans(optimised(constants_and_unused()))
    assert node.op.info.n_seqs == 1 and node.op.info.n_non_seqs == 0
    assert inside([node.outputs[0]])["mul"] == 0, "x * 2 * 2 is x * 4, computed of all rows before"
    (left,) = scans(optimised(constants_and_unused(), "remove_constants_and_unused_inputs_scan"))
    assert left.op.info.n_seqs == 2 and left.op.info.n_non_seqs == 2


@pytest.mark.seed("L024")
def test_a_product_of_non_sequences_runs_once() -> None:
    outputs = optimised(non_sequence())
    assert inside(outputs)["dot"] == 0 and ops(outputs)["dot"] == 1
    left = optimised(non_sequence(), "PushOutNonSeqScan")
    assert inside(left)["dot"] == 1 and ops(left)["dot"] == 0


@pytest.mark.seed("L025")
def test_work_on_rows_is_done_on_all_rows_before() -> None:
    outputs = optimised(sequence())
    assert inside(outputs)["exp"] == inside(outputs)["dot"] == 0
    found = ops(outputs)
    assert found["exp"] == 1 and found["rows_dot"] + found["dot"] == 1
    left = optimised(sequence(), "PushOutSeqScan")
    assert inside(left)["exp"] == inside(left)["dot"] == 1 and ops(left)["exp"] == 0


@pytest.mark.seed("L026")
def test_a_bound_on_memory_keeps_work_inside() -> None:
    x = T.TensorType("float64", shape=(1000, 200))("x")
    w = T.TensorType("float64", shape=(200, 300))("w")
    h, _ = scan(lambda r, h: T.tanh(T.dot(r, w) + h), x, T.zeros((300,), dtype="float64"))
    free = eqsat.optimize(h[-1])
    assert inside(free.optimized)["dot"] == 0
    bound = eqsat.optimize(h[-1], model=CostModel(memory=1e6))
    assert inside(bound.optimized)["dot"] == 1, "the product of all rows takes 2.4 MB"
    assert bound.cost_after > free.cost_after


@pytest.mark.seed("L027")
def test_work_on_an_output_is_done_after_the_loop() -> None:
    outputs = optimised(output())
    assert inside(outputs)["dot"] == 0 and ops(outputs)["rows_dot"] + ops(outputs)["dot"] == 1
    left = optimised(output(), "PushOutScanOutput")
    assert inside(left)["dot"] == 1


@pytest.mark.seed("L028")
def test_a_sum_of_products_is_one_product() -> None:
    outputs = optimised(accumulated())
    assert not scans(outputs) and ops(outputs)["sum_dots"] + ops(outputs)["dot"] == 1
    left = optimised(accumulated(), "PushOutDot1", "product-by-broadcasting")  # which finds it afterwards
    assert ops(left)["sum_dots"] + ops(left)["dot"] == 0


def carried() -> tuple[list[Any], list[Any]]:
    """A state of which the last value counts, as an op of a user who builds it from its parts.

    The sum keeps its elements together: steps on each element alone have no buffer at all.
    """
    x, h = T.dvector(), T.dvector()
    op = Scan([x, h], [T.tanh(x + h * T.sum(h))], eqsat.scan.ScanInfo(n_seqs=1, n_shared_outs=1))
    return [X, H], [op(X.shape[0], X, H)]


@pytest.mark.c
@pytest.mark.seed("L029")
def test_a_state_overwrites_its_old_value() -> None:
    given, outputs = carried()
    mode = get_mode("FAST_RUN")
    f, g = (eqsat.function(given, outputs, mode=m) for m in (mode, mode.excluding("ScanInplaceOptimizer")))
    buffers = [h.c_source.count("eq_take(c") for h in (f, g)]
    assert buffers[0] < buffers[1], "one buffer instead of two"
    values = [np.array(VALUES[v]) for v in given]
    np.testing.assert_array_equal(f(*values)[0], g(*values)[0])
    for value, v in zip(values, given, strict=True):
        np.testing.assert_array_equal(value, VALUES[v])


@pytest.mark.c
@pytest.mark.seed("L030")
@pytest.mark.parametrize("back", [1, 3])
def test_of_a_stack_whose_last_rows_are_read_these_are_kept(back: int, growth: Callable[..., float]) -> None:
    h0, n = T.dvector("h0"), T.lscalar("n")
    h, _ = scan(lambda h: T.tanh(h) * 1.1, None, h0, n_steps=n)
    part = h[-1] if back == 1 else h[-3:]
    f = eqsat.function([h0, n], part, mode="FAST_RUN")
    whole = eqsat.function([h0, n], part, mode=get_mode("FAST_RUN").excluding("ScanSaveMem"))
    start = np.linspace(-1, 1, 2000)
    for steps in (1, 2, 3, 7):
        np.testing.assert_array_equal(f(start, steps), whole(start, steps))
    assert growth(f, start, 3000) < 20
    assert growth(whole, start, 3000) > 30, "3,000 rows take 48 MB"


@pytest.mark.seed("L031")
def test_loops_of_equal_length_are_one() -> None:
    (node,) = scans(optimised(merged()))
    assert ops(node.op.inner_outputs)["dot"] <= 2, "what both compute is computed once"
    assert node.op.info.n_sit_sot == 1
    assert len(scans(optimised(merged(), "ScanMerge"))) == 2
    n = T.lscalar("n")
    other, _ = scan(lambda h: T.tanh(T.dot(h, W)), None, H, n_steps=n)
    assert len(scans(eqsat.optimize([merged()[0], other]).optimized)) == 2
    first, _ = scan(lambda x, h: T.tanh(T.dot(h, W) + x), X, H)
    second, _ = scan(lambda x, h: T.tanh(T.dot(h, W) + x), X, first[-1])
    assert len(scans(optimised([first, second]))) == 2, "the second needs the last value of the first"


@pytest.mark.seed("L032")
def test_equal_inputs_and_outputs_are_one() -> None:
    (node,) = scans(optimised(twins()))
    assert node.op.info.n_seqs == 1 and len(node.outputs) == 1
    (left,) = scans(optimised(twins(), "scan_merge_inouts"))
    assert left.op.info.n_seqs == 2 and len(left.outputs) == 2


def test_equal_states_inside_begin_with_equal_states_around() -> None:
    h, x = T.dscalar("h"), T.dvector("x")

    def step(row: Any, s: Any, t: Any) -> Any:
        (a, b), _ = scan(lambda u, v: [T.sin(u) + row, T.sin(v) + row], outputs_info=[t, t], n_steps=2)
        return [T.sin(s) + row, T.sin(t) + row, a[-1] * b[0]]

    (s, t, products), _ = scan(step, x, [h, h, None])
    modes = ("reference", "numpy", "FAST_RUN")
    got = [
        eqsat.function([h, x], [s[-1], t.sum(), products], mode=mode)(0.3, [0.1, 0.2, 0.3]) for mode in modes
    ]
    for a, b, c in zip(*got, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12)
        np.testing.assert_allclose(c, a, rtol=1e-12)


def test_the_stack_of_old_values_is_that_of_new_ones_behind_the_first() -> None:
    (_, before), _ = scan(lambda x, h: (T.tanh(T.dot(h, W) + x), h), X, [H, None])
    shifted = T.concatenate([H[None], scan(lambda x, h: T.tanh(T.dot(h, W) + x), X, H)[0]])[0:-1]
    one, other = eqsat.optimize(before), eqsat.optimize(shifted)
    assert one.cost_after == pytest.approx(other.cost_after)
    assert ops(optimised([before - shifted]))["sub"] == 0, "they are equal"
    for part in (before, shifted, before[::-1]):
        optimised([part])


def test_gradients_store_values_or_compute_them_again_by_cost() -> None:
    """The loop backwards reads gates that the loop forwards has stacked, unless these take too much memory."""
    x = T.TensorType("float64", shape=(60, 20, 30))("x")
    u, v = (T.TensorType("float64", shape=(30, 30))(name) for name in "uv")
    h, _ = scan(lambda r, h: T.tanh(T.dot(r, v) + T.dot(h, u)), x, T.zeros((20, 30), dtype="float64"))
    slopes = T.grad((h[-1] ** 2).sum(), [u, v])
    found = eqsat.optimize(slopes).optimized
    assert inside(found)["dot"] == 2, "h u forwards, and its transpose backwards"
    assert ops(found)["rows_dot"] == 1 and ops(found)["sum_dots"] == 2 and inside(found)["tanh"] == 1
    bound = eqsat.optimize(slopes, model=CostModel(memory=20 * 30 * 8.0)).optimized
    assert inside(bound)["dot"] > 2 and ops(bound)["rows_dot"] == ops(bound)["sum_dots"] == 0
    values = [0.1 * RANDOM.normal(size=w.type.shape) for w in (x, u, v)]
    expected = eqsat.function([x, u, v], slopes, mode="reference")(*values)
    for outputs in (found, bound):
        made = eqsat.function([x, u, v], outputs, mode="FAST_COMPILE")(*values)
        for a, b in zip(made, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9)


def test_few_steps_are_written_one_after_the_other() -> None:
    h, _ = scan(lambda h: T.tanh(T.dot(h, W) + h * X[0, 0]), None, H, n_steps=2)
    outputs = optimised([h[-1]])
    assert not scans(outputs) and ops(outputs)["dot"] == 2
    assert not scans(optimised([tiny()[0]])), "what begins with zeros stays zeros"
    (left,) = scans(optimised([h[-1]], "UnrollTiny"))
    assert left.op.info.n_sit_sot + left.op.info.n_shared_outs == 1
    one, _ = scan(lambda x, h: T.tanh(x + h), X, H, n_steps=1)
    assert not scans(optimised([one]))


@pytest.mark.seed("L033")
@pytest.mark.parametrize("name", sorted(GRAPHS))
@pytest.mark.sampled(4)
def test_each_can_be_left_out(name: str) -> None:
    """The values are compared in ``optimised``; old names and words mean the same."""
    optimised(GRAPHS[name](), name)
    optimised(GRAPHS[name](), REWRITES[name].word)
    optimised(GRAPHS[name](), *REWRITES)


@pytest.mark.seed("L034")
@pytest.mark.parametrize("name", [*sorted(GRAPHS), "all"])
@pytest.mark.sampled(4)
def test_gradients_stay_what_they_are(name: str) -> None:
    make = GRAPHS.get(name, merged)
    others = [other for other in REWRITES if other != name] if name in GRAPHS else []
    mode = get_mode("FAST_RUN").excluding(*others) if others else get_mode("FAST_RUN")
    given = list(VALUES)

    def outputs(*variables: Any) -> Any:
        replaced = eqsat.clone_replace(make(), dict(zip(given, variables, strict=True)))
        return sum((v**2).sum() for v in replaced)

    verify_grad(outputs, list(VALUES.values()), rng=np.random.default_rng(1), n_tests=1, mode=mode)


@pytest.mark.seed("L051")
def test_the_modules_of_the_room() -> None:
    import eqsat.scan.basic
    import eqsat.scan.op
    import eqsat.scan.opt
    import eqsat.scan.utils
    import eqsat.scan.views

    assert eqsat.scan.basic.scan is eqsat.scan.scan and eqsat.scan.op.Scan is Scan
    assert eqsat.scan.utils.ScanArgs is eqsat.scan.ScanArgs and eqsat.scan.views.foldl is eqsat.foldl
    assert "PushOutDot1" in eqsat.scan.opt.REWRITES


@pytest.mark.c
def test_rows_that_an_index_array_picks_are_kept() -> None:
    x, i, start = T.dmatrix("x"), T.lvector("i"), T.dvector("start")
    states, _ = eqsat.scan(lambda row, h: T.tanh(row + h), sequences=x, outputs_info=start)
    outputs = [states[-1] * 2, T.exp(states[i]), T.set_subtensor(states[1:3], 0.0) * 3]
    given = np.random.default_rng(3).normal(size=(9, 4)), np.array([0, 3, 8, 1]), np.zeros(4)
    for found, wanted in zip(
        eqsat.function([x, i, start], outputs[:2])(*given),
        eqsat.function([x, i, start], outputs[:2], mode="reference")(*given),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    fast, slow = (
        eqsat.function([x, start], [outputs[0], outputs[2]], mode=m) for m in ("FAST_RUN", "reference")
    )
    for found, wanted in zip(fast(given[0], given[2]), slow(given[0], given[2]), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
