"""profile=True: times per kernel, library call and Python op, in C and in NumPy, printed at exit."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.printing import Print
from eqsat.scan import ScanArgs


def model(**options: Any) -> Any:
    x, w = T.dmatrix("x"), eqsat.shared(np.ones((30, 20)), "w")
    quiet = Print("x", attrs=())(x + 1)
    return eqsat.function(
        [x],
        [T.tanh(T.dot(x, w)).sum(), T.softmax(x), quiet.sum()],
        updates=[(w, w * 0.5)],
        name="train",
        **options,
    )


@pytest.mark.c
def test_rows_of_a_compiled_function() -> None:
    f, plain = model(profile=True), model()
    data = np.random.default_rng(0).normal(size=(50, 30))
    for _ in range(3):
        for found, wanted in zip(f(data), plain(data), strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert f.profile.calls == 3 and plain.profile is None
    kinds = {row.kind for row in f.profile.rows}
    assert {"kernel", "block", "python"} <= kinds
    texts = [row.text for row in f.profile.rows]
    assert any("tanh" in t and "sum" in t for t in texts) and any(
        t.startswith("dot(") and "->" in t for t in texts
    )
    assert 0 < sum(row.seconds for row in f.profile.rows) <= f.profile.seconds
    assert all(row.seconds >= 0 for row in f.profile.rows)
    assert any(
        row.kind == "python" and row.text.startswith("Print") and row.seconds > 0 for row in f.profile.rows
    )
    text = str(f.profile)
    assert text.startswith("train: 3 calls, ") and "arguments, memory and results" in text
    made, inside = text.splitlines()[0], text.splitlines()[1]
    assert re.search(
        r"made in [\d.]+ s \(e-graph [\d.]+, plan [\d.]+, emit [\d.]+, cc [\d.]+, load [\d.]+\)", made
    )
    assert re.fullmatch(
        r"  e-graph: encode [\d.]+, template [\d.]+, load [\d.]+, saturate [\d.]+, read [\d.]+, extract [\d.]+.*",
        inside,
    )
    assert f.profile.making["e-graph"] >= 0.9 * sum(f.profile.rewriting.values())
    assert "eq_tick" in f.c_source and "eq_tick" not in plain.c_source


def test_rows_of_a_function_in_numpy() -> None:
    f = model(profile=True, mode="numpy")
    f(np.ones((5, 30)))
    assert f.profile.calls == 1 and {row.kind for row in f.profile.rows} == {"numpy"}
    assert [row for row in f.profile.rows if row.text.startswith("tanh(") and row.seconds > 0]


def test_the_flag_profiles_every_function() -> None:
    x = T.dscalar("x")
    with eqsat.config.change_flags(profile=True):
        assert eqsat.function([x], x + 1, mode="numpy").profile is not None
        assert eqsat.function([x], x + 1, mode="numpy", profile=False).profile is None


def test_small_steps_are_counted_together() -> None:
    rows = [eqsat.functions.profile.Row("kernel", f"op{k}", 10.0**-k) for k in range(12)]
    profile = eqsat.functions.profile.Profile("f", lambda: rows, {"cc": 0.1})
    profile.seconds, profile.calls = 1.2, 1
    text = str(profile)
    assert "op4" in text and "op5" not in text and "7 steps below 0.05 % each" in text


def test_the_table_is_printed_at_exit() -> None:
    program = (
        "import eqsat, eqsat.tensor as T\nx = T.dscalar('x')\n"
        "f = eqsat.function([x], T.exp(x), profile=True, mode='numpy', name='mine')\nf(1.0)\n"
        "g = eqsat.function([x], T.exp(x), profile=True, mode='numpy', name='unused')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "mine: 1 calls" in done.stderr and "exp(x) -> f64[]" in done.stderr and "unused" not in done.stderr


@pytest.mark.c
def test_what_is_inside_a_loop_has_clocks_of_its_own() -> None:
    x, w = T.dmatrix("x"), eqsat.shared(np.eye(20), "w")
    states, _ = eqsat.scan(lambda row, h: T.tanh(row + T.dot(h, w)), x, T.zeros(20), name="rnn")
    f = eqsat.function([x], states, profile=True)
    data = np.random.default_rng(0).normal(size=(50, 20))
    expected = eqsat.function([x], states)(data)
    np.testing.assert_array_equal(f(data), expected)
    (loop,) = [row for row in f.profile.rows if row.kind == "loop"]
    texts = [row.text for row in loop.inside]
    assert any("tanh" in t for t in texts) and any(t.startswith("dot") for t in texts)
    assert all(row.seconds > 0 for row in loop.inside if "tanh" in row.text)
    assert sum(row.seconds for row in loop.inside) <= loop.seconds <= f.profile.seconds
    lines = str(f.profile).splitlines()
    place = next(k for k, line in enumerate(lines) if "  loop    scan{rnn}" in line)
    assert re.match(r"  .{6}  .{9}    (kernel|block|view)", lines[place + 1])


@pytest.mark.c
def test_loops_in_loops_and_loops_whose_lengths_change() -> None:
    x = T.dmatrix("x")

    def outer(row: Any, total: Any) -> Any:
        inner, _ = eqsat.scan(lambda a, b: T.tanh(a * b + 1), row, T.constant(0.5), name="inner")
        return T.tanh(total + inner[-1])

    nested, _ = eqsat.scan(outer, x, T.constant(0.0), name="outer")
    args = ScanArgs.create_empty(n := T.lscalar("n"))
    s, t = T.dvector("s"), T.dvector("t")
    args.outer_in_shared = begin = [T.dvector("begin"), T.dvector("other")]
    args.inner_in_shared = [s, t]
    args.inner_out_shared = [T.concatenate([T.exp(s), s[:1] + t.sum()]), T.tanh(s) * 2]
    ragged = args.make_node(name="ragged").outputs
    outputs = [nested, *ragged, T.exp(x).sum()]
    f = eqsat.function([x, n, *begin], outputs, profile=True)
    plain = eqsat.function([x, n, *begin], outputs)
    given = np.ones((4, 5)), 4, np.zeros(3), np.ones(2)
    for found, wanted in zip(f(*given), plain(*given), strict=True):
        np.testing.assert_array_equal(found, wanted)
    loops = {row.text.partition(" ->")[0]: row for row in f.profile.rows if row.kind == "loop"}
    (inner,) = [row for row in loops["scan{outer}"].inside if row.kind == "loop"]
    assert inner.text.startswith("scan{inner}") and any("tanh" in row.text for row in inner.inside)
    assert any("exp" in row.text and row.seconds > 0 for row in loops["scan{ragged}"].inside)
    clocks = [int(number) for number in re.findall(r"eq_tick\((\d+)\)", f.c_source)]
    assert set(clocks) == set(
        range(sum(map(counted, f.profile.rows)) + 1)
    )  # steps that are written twice share one


def counted(row: eqsat.functions.profile.Row) -> int:
    """A step that C runs, and those inside it; copies of outputs have the clock 0."""
    return int(row.kind != "copy") + sum(map(counted, row.inside))
