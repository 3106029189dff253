"""What scan says about mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError, EqsatError, MissingInputError, RankError, ShapeError
from eqsat.scan import Scan, ScanArgs, ScanInfo, scan, until

x, m, s, n = T.dvector("x"), T.dmatrix("m"), T.dscalar("s"), T.lscalar("n")
k = T.lvector("k")
fixed = T.TensorType("float64", shape=(3,))("fixed")
two = T.TensorType("float64", shape=(2, 3))("two")
w = eqsat.shared(np.int64(1), "w")


def same(*args: Any) -> Any:
    return args[-1]


def states(count: int) -> Any:
    """A scan op with one sit-sot state of vectors."""
    args = ScanArgs.create_empty(n)
    v = T.dvector("v")
    args.sit_sot_in_slices, args.outer_in_sit_sot, args.inner_in_sit_sot = [(-1,)], [x], [v]
    args.inner_out_sit_sot = [v * 2]
    return args.make_node().op.make_node(*[n, x, x, x][:count])


CASES: list[tuple[Callable[[], Any], type[EqsatError], str]] = [
    (lambda: scan(3, x), ArgumentError, "scan: 3 cannot be called"),
    (lambda: scan(same, x, truncate_gradient=0), ArgumentError, "scan: truncate_gradient is 0"),
    (lambda: scan(same, {"input": x, "taps": "a"}), ArgumentError, "the taps of sequence 0 are 'a'"),
    (lambda: scan(same, {"input": x, "taps": [0, 0]}), ArgumentError, r"sequence 0 are \[0, 0\], one of them twice"),
    (lambda: scan(same, {"input": x, "lags": [0]}), ArgumentError, "sequence 0 has the entry 'lags'"),
    (lambda: scan(same, {"taps": [0]}), ArgumentError, "sequence 0 has no input"),
    (lambda: scan(same, [x, s]), RankError, "sequence 1 is a scalar"),
    (lambda: scan(same, {"input": two, "taps": [-3, 0]}), ShapeError, "a sequence of length 2 is too short for the taps"),
    (lambda: scan(same, x, [{"initial": None, "taps": [-1]}]), ArgumentError, "output 0 has taps but no initial value"),
    (lambda: scan(same, x, [{"initial": x, "taps": [-1, 0]}]), ArgumentError, r"output 0 are \[-1, 0\]"),
    (lambda: scan(same, x, [{"start": x}]), ArgumentError, "output 0 has the entry 'start'"),
    (lambda: scan(same, x, {"initial": s, "taps": [-2]}), RankError, r"with the taps \[-2\] is a scalar"),
    (lambda: scan(same, m, {"initial": two, "taps": [-3]}), ShapeError, "output 0 has 2 initial values"),
    (lambda: scan(same, None, x), ArgumentError, "neither sequences nor n_steps is given"),
    (lambda: scan(same, x, n_steps=-2), ArgumentError, "n_steps is -2"),
    (lambda: scan(same, x, n_steps=2.5), DTypeError, "n_steps: .* is not an integer"),
    (lambda: scan(same, x, n_steps=x), RankError, "n_steps: x is not a scalar"),
    (lambda: scan(same, [x, two], n_steps=4), ShapeError, "a sequence lasts 2 steps, n_steps is 4"),
    (lambda: scan(lambda a: ([a, [a]],), x), ArgumentError, "among its outputs"),
    (lambda: scan(lambda a, b: (a, b), x, s), ArgumentError, "fn returns 2 outputs, outputs_info has 1 items"),
    (lambda: scan(lambda a: m, None, s, n_steps=2), RankError, r"begin as f64\[\], a step gives f64\[\?, \?\]"),
    (lambda: scan(lambda a, b: b * 0.5, x, k), DTypeError, r"begin as i64\[\?\], a step gives f64\[\?\]"),
    (lambda: scan(lambda a: two[:, 0], None, fixed, n_steps=2), ShapeError, "axis 0 has lengths 3 and 2"),
    (lambda: scan(lambda a: a + s, x, strict=True), MissingInputError, "fn uses s, which strict=True does not allow"),
    (lambda: scan(lambda a: {s: a}, x), ArgumentError, "fn updates s, which is not shared"),
    (lambda: scan(lambda a: {w: "b"}, x), ArgumentError, "the update of w is 'b'"),
    (lambda: scan(lambda a: {w: a}, x), DTypeError, r"w is i64\[\], its update f64\[\]"),
    (lambda: scan(lambda a: (a, until(a)), x), DTypeError, r"the condition of until is f64\[\]"),
    (lambda: scan(lambda a: (a, until(k > 0)), x), DTypeError, r"the condition of until is bool\[\?\]"),
    (lambda: states(1), ArgumentError, "scan takes 2 operands, got 1"),
    (lambda: states(2).op.make_node(-1, x), ArgumentError, "the number of steps is -1"),
    (lambda: states(2).op.make_node(n, m), RankError, r"m is f64\[\?, \?\], a step takes f64\[\?\]"),
    (lambda: states(2).op.make_node(n, k), DTypeError, r"k is i64\[\?\], a step takes f64\[\?\]"),
    (lambda: Scan([x], [m], ScanInfo(sit_sot_in_slices=((-1,),))), RankError, "a state is .* before a step and"),
    (lambda: Scan([x], [k], ScanInfo(n_shared_outs=1)), DTypeError, "a state is .* before a step and"),
    (lambda: Scan([fixed], [x], ScanInfo(n_shared_outs=1)), ShapeError, "a state is .* before a step and"),
    (lambda: scan(same, m).__getitem__(0).owner.op.make_node(3, two), ShapeError, "two has 2 rows for 3 steps"),
    (lambda: Scan([eqsat.generic()], [x], ScanInfo(n_non_seqs=1, n_nit_sot=1)).make_node(2, x), DTypeError, "x is f64"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "error", "text"), CASES, ids=range(len(CASES)))
def test_messages_when_the_graph_is_built(make: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_a_message_names_both_types_and_the_lines() -> None:
    with pytest.raises(DTypeError) as caught:
        scan(lambda a, b: b * 0.5, x, k)
    lines = str(caught.value).splitlines()
    assert lines[0] == "scan: the values of output 0 begin as i64[?], a step gives f64[?]"
    assert "initial value  i64[?]   made at test_errors.py" in lines[1] and "output 0" in lines[2]
    assert lines[-1].split(None, 1)[1] == "initial.astype('float64')"


def test_messages_when_the_loop_runs(seed_mode: str) -> None:
    powers = scan(lambda a: a * 2, outputs_info=x, n_steps=n)[0]
    both = scan(lambda a, b: a + b, [x, x[:2]], n_steps=n)[0]
    far = scan(lambda a: a, outputs_info={"initial": m, "taps": [-3]}, n_steps=n)[0]
    grows = scan(lambda a: T.concatenate([a, a]), outputs_info=x, n_steps=n)[0]
    ragged = scan(lambda a: T.arange(a), k)[0]
    for out, given, text in [
        (powers, {x: [1.0], n: -1}, "the number of steps is -1"),
        (both, {x: [1.0, 2.0, 3.0], n: 3}, "sequence 1 has 2 rows, 3 steps need 3"),
        (far, {m: np.ones((2, 2)), n: 1}, "an initial value has 2 rows"),
        (grows, {x: [1.0], n: 2}, r"a value has the shape \(1,\) before step 0 and \(2,\) after it"),
        (ragged, {k: [2, 3]}, r"the shape \(2,\) before step 1 and \(3,\) after it"),
    ]:
        f = eqsat.function(list(given), out, mode=seed_mode)
        with pytest.raises(ShapeError, match=text):
            f(*given.values())
