"""The op: its interface, its lists by kind, the mappings between them, printing, pickling, compiling once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.functions.function
import eqsat.tensor as T
from eqsat.graph.core import Apply
from eqsat.graph.walk import toposort
from eqsat.scan import Scan, ScanArgs, ScanInfo, scan

X, H = np.arange(12.0).reshape(4, 3) / 10, np.array([0.1, 0.2, 0.3])


def every_kind() -> Any:
    """A node with two sequences, a mit-mot of two reads and two writes, a mit-sot, a sit-sot and so on."""
    x, y, w = T.dmatrix("x"), T.dvector("y"), T.dvector("w")
    a = ScanArgs.create_empty(T.constant(np.int64(3)))
    row, item, now, later, two, one, state, count, weight = inner = [
        T.dvector("row"), T.dscalar("item"), T.dvector("now"), T.dvector("later"), T.dvector("two"), T.dvector("one"),
        T.dscalar("state"), T.lscalar("count"), T.dvector("weight"),
    ]  # fmt: skip
    a.outer_in_seqs, a.inner_in_seqs = [x, y], [row, item]
    a.mit_mot_in_slices, a.mit_mot_out_slices = [(0, 1)], [(0, 2)]
    a.outer_in_mit_mot, a.inner_in_mit_mot = [T.dmatrix("buffer")], [[now, later]]
    a.inner_out_mit_mot = [[later + row, now * 2]]
    a.mit_sot_in_slices, a.outer_in_mit_sot, a.inner_in_mit_sot = (
        [(-2, -1)],
        [T.dmatrix("begin")],
        [[two, one]],
    )
    a.inner_out_mit_sot = [two + one * weight]
    a.sit_sot_in_slices, a.outer_in_sit_sot, a.inner_in_sit_sot = [(-1,)], [T.dscalar("start")], [state]
    a.inner_out_sit_sot = [state * item]
    a.inner_out_nit_sot = [item + 1, row * weight]
    a.outer_in_shared, a.inner_in_shared, a.inner_out_shared = [T.lscalar("number")], [count], [count + 1]
    a.outer_in_non_seqs, a.inner_in_non_seqs = [w], [weight]
    node = a.make_node(name="all")
    assert len(inner) == len(node.op.inner_inputs)  # type: ignore[attr-defined]
    return node


@pytest.mark.seed("L003")
@pytest.mark.seed("L004")
def test_the_owner_is_an_op(seed_mode: str) -> None:
    x, h = T.dmatrix("x"), T.dvector("h")
    out, _ = scan(lambda row, s: s * 2 + row, x, h)
    node = out.owner
    op = node.op
    assert isinstance(op, Scan) and isinstance(op, eqsat.Op)
    assert node.inputs[1:] == [x, h]
    assert [v.type for v in op.inner_inputs] == [T.dvector, T.dvector] and len(op.inner_outputs) == 1
    assert op.fgraph.inputs == op.inner_inputs and op.fgraph.outputs == op.inner_outputs
    assert [str(n.op) for n in op.fgraph.toposort()] == [str(n.op) for n in toposort(op.inner_outputs)]
    again = op.make_node(*node.inputs)
    assert isinstance(again, Apply) and again.outputs[0].type == out.type
    storage: list[list[Any]] = [[None]]
    op.perform(node, [np.int64(4), X, H], storage)
    np.testing.assert_allclose(storage[0][0], eqsat.function([x, h], out, mode=seed_mode)(X, H))
    shapes = op.infer_shape(None, node, [(), (x.shape[0], x.shape[1]), (h.shape[0],)])
    got = eqsat.function([x, h], [T.stack([*shapes[0]]), out.shape], mode=seed_mode)(X, H)
    assert got[0].tolist() == got[1].tolist() == [4, 3]
    assert op.connection_pattern(node) == [[False], [True], [True]]
    given = T.ones_like(out)
    grads = op.L_op(node.inputs, node.outputs, [given])
    assert grads[0] is None
    got = eqsat.function([x, h], [*grads[1:], *T.grad(out.sum(), [x, h])], mode=seed_mode)(X, H)
    np.testing.assert_allclose(got[0], got[2])
    np.testing.assert_allclose(got[1], got[3])
    np.testing.assert_allclose(got[1], [2 + 4 + 8 + 16] * 3)
    (moved,) = op.R_op(node.inputs, [None, None, T.ones_like(h)])
    got = eqsat.function([x, h], moved, mode=seed_mode)(X, H)
    np.testing.assert_allclose(got, 2.0 ** np.arange(1, 5)[:, None] * np.ones(3))


@pytest.mark.seed("L007")
def test_the_lists_have_the_lengths_of_the_table(seed_mode: str) -> None:
    node = every_kind()
    op: Any = node.op
    assert op.info == ScanInfo(2, ((0, 1),), ((0, 2),), ((-2, -1),), ((-1,),), 2, 1, 1, False)
    assert len(node.inputs) == 1 + 2 + 1 + 1 + 1 + 1 + 1
    assert len(op.inner_inputs) == 2 + 2 + 2 + 1 + 1 + 1
    assert len(op.inner_outputs) == 2 + 1 + 1 + 2 + 1
    assert len(node.outputs) == 1 + 1 + 1 + 2 + 1
    given = {v: v for v in node.inputs[1:]}
    f = eqsat.function(list(given), node.outputs, mode=seed_mode)
    y, buffer = np.array([2.0, 3.0, 4.0]), np.arange(15.0).reshape(5, 3)
    got = f(X, y, buffer, X[:2], 1.5, 7, H)
    want = buffer.copy()
    states = [X[0], X[1]]
    for t in range(3):
        want[t], want[t + 2] = want[t + 1] + X[t], want[t] * 2
        states.append(states[-2] + states[-1] * H)
    loops = [want, states[2:], 1.5 * y.cumprod(), y + 1, X[:3] * H, 10]
    for value, loop in zip(got, loops, strict=True):
        np.testing.assert_allclose(value, loop)


@pytest.mark.seed("L035")
def test_scan_args_parse_and_rebuild() -> None:
    node = every_kind()
    op: Any = node.op
    args = ScanArgs.from_node(node)
    n, x, y, buffer, begin, start, number, w = node.inputs
    inner = op.inner_inputs
    assert (args.n_steps, args.outer_in_seqs, args.outer_in_mit_mot) == (n, [x, y], [buffer])
    assert (args.outer_in_mit_sot, args.outer_in_sit_sot, args.outer_in_shared) == (
        [begin],
        [start],
        [number],
    )
    assert (args.outer_in_non_seqs, args.outer_in_nit_sot) == ([w], [])
    assert (args.inner_in_seqs, args.inner_in_mit_mot, args.inner_in_mit_sot) == (
        inner[:2],
        [inner[2:4]],
        [inner[4:6]],
    )
    assert (args.inner_in_sit_sot, args.inner_in_shared, args.inner_in_non_seqs) == (
        [inner[6]],
        [inner[7]],
        [inner[8]],
    )
    outs = op.inner_outputs
    assert (args.inner_out_mit_mot, args.inner_out_mit_sot) == ([outs[:2]], [outs[2]])
    assert (args.inner_out_sit_sot, args.inner_out_nit_sot, args.inner_out_shared) == (
        [outs[3]],
        outs[4:6],
        [outs[6]],
    )
    ends = node.outputs
    assert (args.outer_out_mit_mot, args.outer_out_mit_sot, args.outer_out_sit_sot) == (
        [ends[0]],
        [ends[1]],
        [ends[2]],
    )
    assert (args.outer_out_nit_sot, args.outer_out_shared, args.cond) == (ends[3:5], [ends[5]], [])
    assert args.info == op.info and args.outer_inputs == node.inputs and args.outer_outputs == node.outputs
    assert args.inner_inputs == inner and args.inner_outputs == outs
    again = args.make_node(name="all")
    assert again.op == op and hash(again.op) == hash(op) and again.inputs == node.inputs
    assert [v.type for v in again.outputs] == [v.type for v in ends]
    args.inner_out_nit_sot[0] = args.inner_out_nit_sot[0] * 2
    assert args.make_node(name="all").op != op
    assert "outer_in_seqs=[x, y]" in repr(args)


@pytest.mark.seed("L036")
def test_accessors() -> None:
    node = every_kind()
    op: Any = node.op
    i, o, oi, oo = op.inner_inputs, op.inner_outputs, node.inputs, node.outputs
    table = {
        "inner_seqs": i[:2], "inner_mitmot": i[2:4], "inner_mitsot": i[4:6], "inner_sitsot": i[6:7],
        "inner_shared": i[7:8], "inner_non_seqs": i[8:],
        "inner_mitmot_grouped": [i[2:4]], "inner_mitsot_grouped": [i[4:6]],
        "inner_mitmot_outs": o[:2], "inner_mitmot_outs_grouped": [o[:2]], "inner_mitsot_outs": o[2:3],
        "inner_sitsot_outs": o[3:4], "inner_nitsot_outs": o[4:6], "inner_shared_outs": o[6:],
        "outer_seqs": oi[1:3], "outer_mitmot": oi[3:4], "outer_mitsot": oi[4:5], "outer_sitsot": oi[5:6],
        "outer_shared": oi[6:7], "outer_non_seqs": oi[7:], "outer_nitsot": [],
        "outer_mitmot_outs": oo[:1], "outer_mitsot_outs": oo[1:2], "outer_sitsot_outs": oo[2:3],
        "outer_nitsot_outs": oo[3:5], "outer_shared_outs": oo[5:],
    }  # fmt: skip
    for name, want in table.items():
        where = node.inputs if name.startswith("outer") and "outs" not in name else node.outputs
        listed = where if name.startswith("outer") else o if "outs" in name else i
        assert getattr(op, name)(node) == want == getattr(op, name)(listed), name
        if name.startswith("inner"):
            assert getattr(op, name)(op) == want
    assert op.mitmot_taps() == ((0, 1),) and op.mitmot_out_taps() == ((0, 2),)
    assert op.mitsot_taps() == ((-2, -1),) and op.sitsot_taps() == ((-1,),)
    assert (
        op.info.n_mit_mot == 1 and op.info.n_mit_mot_outs == 2 and op.info.n_mit_sot == op.info.n_sit_sot == 1
    )


MAPPINGS = {
    "outer_inp_from_outer_out": {0: 3, 1: 4, 2: 5, 3: -1, 4: -1, 5: 6},
    "inner_inp_from_outer_out": {0: [2, 3], 1: [4, 5], 2: [6], 3: [], 4: [], 5: [7]},
    "inner_out_from_outer_out": {0: [0, 1], 1: [2], 2: [3], 3: [4], 4: [5], 5: [6]},
    "inner_inp_from_outer_inp": {1: [0], 2: [1], 3: [2, 3], 4: [4, 5], 5: [6], 6: [7], 7: [8]},
    "inner_out_from_outer_inp": {1: [], 2: [], 3: [0, 1], 4: [2], 5: [3], 6: [6], 7: []},
    "outer_out_from_outer_inp": {1: -1, 2: -1, 3: 0, 4: 1, 5: 2, 6: 5, 7: -1},
    "outer_inp_from_inner_inp": {0: 1, 1: 2, 2: 3, 3: 3, 4: 4, 5: 4, 6: 5, 7: 6, 8: 7},
    "inner_out_from_inner_inp": {0: [], 1: [], 2: [0, 1], 3: [0, 1], 4: [2], 5: [2], 6: [3], 7: [6], 8: []},
    "outer_out_from_inner_inp": {0: -1, 1: -1, 2: 0, 3: 0, 4: 1, 5: 1, 6: 2, 7: 5, 8: -1},
    "outer_inp_from_inner_out": {0: 3, 1: 3, 2: 4, 3: 5, 4: -1, 5: -1, 6: 6},
    "inner_inp_from_inner_out": {0: [2, 3], 1: [2, 3], 2: [4, 5], 3: [6], 4: [], 5: [], 6: [7]},
    "outer_out_from_inner_out": {0: 0, 1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5},
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.seed(f"L{37 + k:03}")) for k, name in enumerate(MAPPINGS)]
)
def test_each_mapping(name: str) -> None:
    found = every_kind().op.get_oinp_iinp_iout_oout_mappings()
    assert found[name] == MAPPINGS[name]
    to, _, start = name.partition("_from_")
    back = found[f"{start}_from_{to}"]
    for k, target in found[name].items():
        assert isinstance(target, list if to.startswith("inner") else int)
        for j in target if isinstance(target, list) else [target] if target >= 0 else []:
            assert k in (back[j] if isinstance(back[j], list) else [back[j]])


@pytest.mark.seed("L049")
def test_there_are_twelve_mappings() -> None:
    op = every_kind().op
    found = op.get_oinp_iinp_iout_oout_mappings()
    assert set(found) == set(MAPPINGS) and len(found) == 12
    assert op.get_oinp_iinp_iout_oout_mappings_mappings() == found


@pytest.mark.seed("L050")
def test_connections_lead_gradients() -> None:
    x, y, h, g = T.dmatrix("x"), T.dvector("y"), T.dscalar("h"), T.dscalar("g")
    (a, b, c), _ = scan(lambda u, v, s, r: [s * v, r + s, u.sum()], [x, y], [h, g, None])
    node = a.owner
    pattern = node.op.connection_pattern(node)
    assert node.inputs[1:] == [x, y, h, g]
    assert pattern == [
        [False, False, False],
        [False, False, True],
        [True, True, False],
        [True, True, False],
        [False, True, False],
    ]
    for out, row in zip((a, b, c), zip(*pattern[1:], strict=True), strict=True):
        grads = T.grad(
            out.sum(), [x, y, h, g], disconnected_inputs="ignore", return_disconnected="Disconnected"
        )
        assert [not isinstance(v.type, eqsat.gradient.DisconnectedType) for v in grads] == list(row)
    with pytest.raises(eqsat.gradient.DisconnectedInputError):
        T.grad(a.sum(), x)


@pytest.mark.seed("L021")
def test_a_step_is_compiled_once(seed_mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, h = T.dmatrix("x"), T.dvector("h")
    out, _ = scan(lambda row, s: T.tanh(s + row), x, h)
    f = eqsat.function([x, h], out, mode=seed_mode)
    made = []
    original = eqsat.functions.function.function

    def counted(*args: Any, **keywords: Any) -> Any:
        made.append(args)
        return original(*args, **keywords)

    monkeypatch.setattr(eqsat.functions.function, "function", counted)
    for k in range(5):
        f(X + k, H)
        f(X[:2], H)
    in_c = f.c_source is not None and ("eq_loop" in f.c_source or "eq_series" in f.c_source)
    assert len(made) == (0 if in_c else 1)


def test_a_mode_of_its_own() -> None:
    x = T.dmatrix("x")
    out, _ = scan(lambda row: T.tanh(row), x, mode="reference", name="own")
    f = eqsat.function([x], out)
    np.testing.assert_allclose(f(X), np.tanh(X))
    assert out.owner.op.fn.mode.name == "reference" and str(out.owner.op) == "scan{own}"


def test_prints_pickles_and_compares() -> None:
    x, h = T.dmatrix("x"), T.dvector("h")
    out, _ = scan(lambda row, s: T.tanh(s + row), x, h, name="tanh")
    text = str(eqsat.dprint(out, file="str"))
    inner = text.partition("Inner graphs:")[2]
    assert "scan{tanh} [id A]" in text and "tanh" in inner and "x[t]" in inner and "h[t-1]" in inner
    (again,) = pickle.loads(pickle.dumps([out]))
    assert again.owner.op == out.owner.op
    _, x2, h2 = again.owner.inputs
    np.testing.assert_array_equal(again.eval({x2: X, h2: H}), out.eval({x: X, h: H}))
    twice = scan(lambda row, s: T.tanh(s + row), x, h, name="tanh")[0]
    assert twice.owner.op == out.owner.op
    both = eqsat.function([x, h], [out, twice])
    assert len([n for n in toposort(both.outputs_optimised) if isinstance(n.op, Scan)]) == 1


def test_names_of_the_package() -> None:
    from eqsat.scan import foldl, foldr, map, reduce

    assert callable(eqsat.scan) and eqsat.scan.scan is scan
    assert (eqsat.map, eqsat.reduce, eqsat.foldl, eqsat.foldr) == (map, reduce, foldl, foldr)
