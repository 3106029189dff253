"""Options of debugprint, graphs inside ops, and the texts of the objects that users meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Op
from eqsat.pipeline.modes import get_mode
from eqsat.printing import debugprint
from eqsat.tensor.random import RandomStream, RandomStreams


class InPlace(Op):
    """Overwrites its operand, of which it shows a part."""

    destroy_map = {0: [0]}
    view_map = {0: [0]}
    name = "in_place"

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [x.type()])


def text(obj: Any, **options: Any) -> str:
    found = debugprint(obj, file="str", **options)
    assert found is not None
    return found


def test_ids_as_letters_numbers_or_not_at_all() -> None:
    x = T.dvector("x")
    y = T.exp(x) + x
    assert text(y) == text(y, ids="CHAR") == "add [id A]\n ├─ exp [id B]\n │  └─ x [id C]\n └─ x [id C]"
    assert text(y, ids="int") == "add [id 0]\n ├─ exp [id 1]\n │  └─ x [id 2]\n └─ x [id 2]"
    assert text(y, ids="") == text(y, ids=False) == "add\n ├─ exp\n │  └─ x\n └─ x"
    with pytest.raises(ArgumentError, match="ids does not take 'letters'"):
        debugprint(y, ids="letters")


def test_shapes_and_maps() -> None:
    x = T.tensor("float64", (3, None), "x")
    assert text(T.exp(x[0]), ids="", print_shape=True).splitlines()[0] == "exp shape=(?,)"
    assert "x shape=(3, ?)" in text(x, print_shape=True, ids="")
    shown = text(InPlace()(x), ids="", print_destroy_map=True, print_view_map=True)
    assert shown.splitlines()[0] == "in_place destroy_map={0: [0]} view_map={0: [0]}"


def test_names_may_end_the_tree() -> None:
    x = T.dvector("x")
    inner = T.exp(x)
    inner.name = "inner"
    assert "x" not in text(inner * 2, ids="", stop_on_name=True).replace("exp", "").replace("{(x)}", "")
    assert "└─ x" in text(inner, ids="", stop_on_name=True)


def test_graphs_inside_ops_follow() -> None:
    x = T.dvector("x")
    op = eqsat.OpFromGraph([x], [T.exp(x) * 2])
    shown = text(op(x))
    assert shown.startswith(
        "OpFromGraph [id A]\n └─ x [id B]\n\nInner graphs:\n\n"
        "OpFromGraph [id A]\n → x [id C] = x [id B]\n ← mul [id D]\n    ├─ exp [id E]\n"
    )
    f = eqsat.function([x], eqsat.ifelse(x.sum() > 0, T.tanh(x), x), mode="numpy")
    assert "Inner graphs:" in text(f) and " ← tanh" in text(f)


def test_texts_of_objects() -> None:
    x, w = T.dvector("x"), eqsat.shared(np.ones(3), "w")
    f = eqsat.function([x], x * w, name="f", mode="numpy", profile=True)
    wanted = {
        "x": x,
        "<TensorType(float64, (?,))>": x.type,
        "w": w,
        "add(x, w)": (x + w).owner,
        "<eqsat.Function f(x) numpy>": f,
        "Maker(<eqsat.Function f(x) numpy>)": f.maker,
        "In(x)": eqsat.In(x),
        "Out(x)": eqsat.Out(x),
        "Mode FAST_RUN": get_mode("FAST_RUN"),
        "Mode DebugMode": get_mode("DebugMode"),
        "Mode NanGuardMode": get_mode("NanGuardMode"),
        "RandomStream(seed=3, draws=0)": RandomStream(3),
        "RandomStreams(seed=3, draws=0)": RandomStreams(3),
        "<Profile of f: 0 calls, 0.000000 s>": f.profile,
        "DisconnectedType": eqsat.gradient.DisconnectedType(),
        "NullType('why')": eqsat.gradient.NullType("why"),
    }
    assert {repr(thing): None for thing in wanted.values()} == dict.fromkeys(wanted)
    assert repr(eqsat.optimize(T.log(T.exp(x)))).startswith("<Report: 2 -> 0 ops, ")
