"""Loops as text: headings, what each variable inside stands for, nesting, one line of mathematics, clusters in dot."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.inner_graphs import insides
from eqsat.printing import debugprint, pp
from eqsat.printing.dot_text import dot_text
from eqsat.scan import Scan, ScanInfo, until


def text(obj: Any, **options: Any) -> str:
    return "\n" + str(debugprint(obj, file="str", **options))


def inner(obj: Any, **options: Any) -> str:
    return text(obj, **options).partition("Inner graphs:\n\n")[2]


def sums(rows: Any, name: str | None = None) -> Any:
    return eqsat.scan(lambda a, s: s + a, rows, T.constant(0.0), name=name)[0]


def test_a_loop_says_what_goes_in_and_what_comes_out() -> None:
    x, h0, w = T.dmatrix("x"), T.dvector("h0"), eqsat.shared(np.ones(3), "w")
    states, _ = eqsat.scan(lambda row, h: T.tanh(row + h * w), x, h0, name="rnn")
    assert (
        text(states)
        == """
scan{rnn} [id A]
 ├─ length{0} [id B]
 │  └─ x [id C]
 ├─ x [id C]
 ├─ h0 [id D]
 └─ w [id E]

Inner graphs:

loop scan{rnn} [id A]: length(x, 0) [id B] steps
 → x[t] [id F]: sequence x [id C]
 → h0[t-1] [id G]: state, at first h0 [id D]
 → w [id H] = w [id E]
 ← h0[t]: tanh [id I]
    └─ add [id J]
       ├─ x[t] [id F]
       └─ mul [id K]
          ├─ h0[t-1] [id G]
          └─ w [id H]"""
    )


def test_every_kind_of_variable() -> None:
    start, count = T.dvector("start"), eqsat.shared(np.float64(0), "count")

    def step(far: Any, near: Any) -> Any:
        return [far + near, near * 2], {count: count + 1}, until(near > 5)

    outputs, updates = eqsat.scan(step, None, [{"initial": start, "taps": [-2, -1]}, None], n_steps=9)
    assert (
        inner([*outputs, *updates.values()], ids=False)
        == """loop scan: 9 steps at most, until a condition holds
 → start[t-2]: state, at first subtensor{[:2]}
 → start[t-1]: state, at first subtensor{[:2]}
 → count: carried, at first count
 ← start[t] (.0): add
    ├─ start[t-2]
    └─ start[t-1]
 ← out[t] (.1): mul
    ├─ start[t-1]
    └─ 2.0
 ← next count (.2): add
    ├─ count
    └─ 1.0
 ← until: gt
    ├─ start[t-1]
    └─ 5.0"""
    )


def test_gradients_are_named_after_what_they_are_gradients_of() -> None:
    x, h0, w = T.dvector("x"), T.dscalar("h0"), T.dscalar("w")
    states, _ = eqsat.scan(lambda a, h: h * w + a, x, h0, name="f")
    shown = inner(T.grad(states[-1], w), ids=False)
    backwards = shown.split("\n\n")[0].splitlines()
    assert backwards[0] == "loop scan{f_grad}: length(x, 0) steps"
    assert [line for line in backwards if line.startswith(" →")] == [
        " → h0[t-1]: sequence subtensor{[::-1]}",
        " → d_h0[t]: buffer, at first concatenate{0}",
        " → d_h0[t+1]: buffer, at first concatenate{0}",
        " → d_w: carried, at first alloc",
        " → w = w",
    ]
    assert any(line.startswith(" ← next d_w (.") for line in backwards)


def test_nested_loops_are_indented_and_printed_once() -> None:
    x, s = T.dmatrix("x"), T.dscalar("s")

    def outer(row: Any, total: Any) -> Any:
        found = eqsat.scan(lambda a, b: a * b + s, row, T.constant(1.0), name="inner")[0]
        return total + found[-1] * found[0]

    shown = inner(eqsat.scan(outer, x, T.constant(0.0), name="outer")[0])
    heads = [line for line in shown.splitlines() if "loop" in line]
    assert [head.partition(" [")[0] for head in heads] == ["loop scan{outer}", "    loop scan{inner}"]
    assert "length(x[t], 0) [id" in heads[1]
    assert "     → x[t][t] [id" in shown and "     ← b[t]: add [id" in shown


def test_labels_are_not_used_twice() -> None:
    h, g, x = T.dscalar("h"), T.dscalar("h"), T.exp(T.dvector())
    outputs, _ = eqsat.scan(lambda *v: [v[2] + v[0], v[3] * v[1]], [x, T.sin(x)], [h, g])
    (loop,) = insides(outputs[0].owner)
    assert [p.label for p in loop.inputs] == ["steps", "row[t]", "row_2[t]", "h[t-1]", "h_2[t-1]"]
    assert [p.label for p in loop.outputs] == ["h[t]", "h_2[t]"] and loop.back == ((0, 3), (1, 4))


def test_names_of_hand_made_steps_get_their_time() -> None:
    x, s, xs, n = T.dscalar("x"), T.dscalar("s"), T.dvector("xs"), T.lscalar("n")
    made = Scan([x, s], [s + x], ScanInfo(n_seqs=1, sit_sot_in_slices=((-1,),)))(n, xs, 0.0)
    assert inner(made, ids=False).splitlines()[:4] == [
        "loop scan: n steps",
        " → x[t]: sequence xs",
        " → s[t-1]: state, at first 0.0",
        " ← s[t]: add",
    ]


def test_many_weights_take_lines_of_bounded_width() -> None:
    weights = [T.dscalar(f"weight{k}") for k in range(30)]

    def step(h: Any) -> Any:
        for w in weights:
            h = h * w
        return h

    total, _ = eqsat.scan(step, None, T.dscalar("h"), n_steps=3)
    lines = inner(total).splitlines()
    assert max(map(len, lines[:12])) <= 100
    assert sum(line.count(" = weight") for line in lines) == 30


def test_one_line_of_mathematics() -> None:
    x, w = T.dvector("x"), T.dscalar("w")
    assert pp(sums(x)) == "scan(s[t] = (s[t-1] + x[t]) from 0.0, t < length(x, 0))"
    assert pp(sums(T.exp(x))) == "scan(a[t] of exp(x), s[t] = (s[t-1] + a[t]) from 0.0, t < length(x, 0))"
    powers, _ = eqsat.scan(lambda h: [h * w, h - w], None, [T.dscalar("h"), None], n_steps=4)
    assert pp(powers[1]) == "scan(h[t] = (h[t-1] * w) from h, out[t] = (h[t-1] - w), t < 4)[1]"
    nested, _ = eqsat.scan(lambda row: sums(row)[-1], T.dmatrix("m"))
    assert pp(nested) == (
        "scan(out[t] = scan(s[t] = (s[t-1] + m[t][t]) from 0.0, t < length(m[t], 0))[-1], t < length(m, 0))"
    )


def test_clusters_of_the_dot_language() -> None:
    nested, _ = eqsat.scan(lambda row, s: s + sums(row, "inner")[-1], T.dmatrix("m"), T.constant(1.0))
    shown = dot_text(nested)
    labels = re.findall(r'subgraph (\w+) \{\s+label="(.*?)"', shown)
    assert labels == [
        ("cluster_op1_0", "loop scan: length(m, 0) steps"),
        ("cluster_op3_0", "loop scan{inner}: length(m[t], 0) steps"),
    ]
    ports = dict(re.findall(r'(\w+) \[shape=cds.*label="(.*?)"', shown))
    assert list(ports.values()) == ["steps", "m[t]", "s[t-1]", "steps", "m[t][t]", "s[t-1]", "s[t]", "s[t]"]  # fmt: skip
    named = {ports.get(a, a): ports.get(b, b) for a, b in re.findall(r"(\w+) -> (\w+) \[style=dashed", shown)}
    assert named == {"s[t]": "s[t-1]"} and shown.count("next step") == 2
    known = set(re.findall(r"^\s*(\w+) \[shape", shown, re.MULTILINE))
    ends = {name for edge in re.findall(r"(\w+) -> (\w+)", shown) for name in edge}
    assert ends <= known and shown.count("{\n") == shown.count("}\n")
    closed = dot_text(nested, scan_graphs=False)
    assert "subgraph" not in closed and 'label="scan"' in closed


def test_the_same_loop_twice_has_nodes_of_its_own_in_dot() -> None:
    x, y = T.dvectors("x", "y")
    op = sums(x).owner.op
    shown = dot_text(op(T.lscalar("n"), x, 0.0) + op(T.lscalar("m"), y, 1.0))
    names = re.findall(r"^\s*(\w+) \[shape", shown, re.MULTILINE)
    assert len(names) == len(set(names)) and shown.count("subgraph") == 2


@pytest.mark.parametrize("printing", [text, dot_text, pp])
def test_a_deep_step_does_not_recurse(printing: Any) -> None:
    def step(h: Any) -> Any:
        for _ in range(5_000):
            h = T.tanh(h)
        return h

    assert "tanh" in printing(eqsat.scan(step, None, T.dscalar("h"), n_steps=2)[0])


def test_branches_say_what_their_operands_are() -> None:
    x = T.dvector("x")
    f = eqsat.function([x], eqsat.ifelse(x.sum() > 0, T.tanh(x), T.exp(x)), mode="numpy")
    assert inner(f, ids=False) == (
        "ifelse then\n → condition: gt 2\n → x = x\n ← tanh\n    └─ x\n"
        "ifelse else\n → x = x\n ← exp\n    └─ x"
    )
    assert dot_text(f).count("subgraph") == 2
