"""Rules on parts of tensors: what they make of programs, and that they never change a value."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.debug.class_values import class_values, disagreement
from eqsat.egraph.encode import encode
from eqsat.egraph.saturate import saturate
from eqsat.egraph.scheduler import Budget
from eqsat.graph.tensor_type import TensorType
from eqsat.rules.rule import default_rules
from tests.rules.helpers import assert_best, assert_stays, optimise
from tests.rules.index_programs import Program

A, B, C, X = (T.matrix(n, dtype="float64") for n in "ABCX")
u, v, w = (T.vector(n, dtype="float64") for n in "uvw")
g = T.scalar("g", dtype="float64")
i, n = T.lscalar("i"), T.lscalar("n")
five = TensorType("float64", (5,))("five")
written = T.set_subtensor(T.zeros((5,))[-1], g)


def put_into_zeros(*cuts: tuple[Any, Any]) -> Any:
    """Zeros like the columns of X into which values are written, in the order given."""
    made = T.zeros_like(X)
    for columns, value in cuts:
        made = T.inc_subtensor(made[:, columns], value)
    return made


halves = slice(None, 2), slice(2, None)
thirds = slice(None, 2), slice(2, 5), slice(5, None)

BEST: dict[str, tuple[Any, Any]] = {
    "whole": (v[:][0:][::1], v),
    "rev-rev": (X[::-1][::-1], X),
    "slice-slice": (v[1:][2:][:-1], v[3:-1]),
    "a row of some rows": (X[1:][:, 2:][2], X[3][2:]),
    "a known length": (five[1:][-1], five[4]),
    "to the end": (v[1 : v.shape[0]], v[1:]),
    "transpose": (X.T[2], X[:, 2]),
    "new axis": (v[None, :][0], v),
    "transposes joined": (T.concatenate([A.T, B.T, C.T], axis=1).T, T.concatenate([A, B, C])),
    "rows joined as columns": (T.stack([u, v])[:, None].dimshuffle(0, 2, 1)[:, :, 0], T.stack([u, v])),
    "elem-slice": (T.exp(X + v)[0], T.exp(X[0] + v)),
    "elem-slice at": (T.exp(X + v)[i], T.exp(X[i] + v)),
    "elem-slice column at": (T.exp(X + v)[:, i], T.exp(X[:, i] + v[i])),
    "flipped there and back": ((T.exp(v[::-1]) * w[::-1])[::-1], T.exp(v) * w),
    "dot-row": (T.dot(A, B)[3], T.dot(A[3], B)),
    "dot-row at": (T.dot(A, B)[i], T.dot(A[i], B)),
    "dot-column": (T.dot(A, B)[:, 3], T.dot(A, B[:, 3])),
    "dot-chain-row": (T.dot(T.dot(A, B), C)[3], T.dot(T.dot(A[3], B), C)),
    "softmax-row": (T.softmax(X, axis=1)[2], T.softmax(X[2], axis=0)),
    "rowsum-index": (X.sum(axis=1)[2], X[2].sum()),
    "largest of some": (X.max(axis=0)[1:3], X[:, 1:3].max(axis=0)),
    "joins of joins": (T.concatenate([u, T.concatenate([v, w])]), T.concatenate([u, v, w])),
    "slice-concat": (T.concatenate([v[:3], v[3:]]), v),
    "stack-index": (T.stack([u, v, w])[1], v),
    "join cut at the end": (T.concatenate([v, T.shape_padleft(g)])[:-1], v),
    "join read backwards": (T.concatenate([five, w])[4::-1], five[::-1]),
    "set-get": (T.set_subtensor(v[1:3], u)[1:3], u),
    "set-get at": (T.set_subtensor(X[i], v)[i], v),
    "set-get of a number": (T.set_subtensor(v[0], g)[0], g),
    "inc-get": (T.inc_subtensor(v[0], g)[0], v[0] + g),
    "beside the last": (T.set_subtensor(v[-1], g)[:-1], v[:-1]),
    "beside the first": (T.inc_subtensor(v[0], g)[1:], v[1:]),
    "length of a part": (X[::-1, 1:].T.shape[1] + T.exp(X)[1:].shape[1], X.shape[0] + X.shape[1]),
    "length of a write": (T.set_subtensor(T.exp(v)[0], 2.0).shape[0], v.shape[0]),
    "length beside a join": (T.concatenate([T.exp(A), B]).shape[1], A.shape[1]),
    "all written": (T.set_subtensor(X[:], v), T.fill(X, v)),
    "written and flipped": (written[::-1][0], g),
    "added to zeros": (five + T.inc_subtensor(T.zeros((5,))[1:3], 2.0), T.inc_subtensor(five[1:3], 2.0)),
    "scan-grad-last": (five + T.concatenate([written[::-1], T.zeros((1,))])[1:6], five),
    "scan-grad-last, first step": (T.concatenate([written[::-1], T.zeros((1,))])[0], g),
}


@pytest.mark.parametrize("name", BEST)
def test_best(name: str) -> None:
    assert_best(*BEST[name])


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_zeros_of_which_all_parts_are_written_are_joined_values(order: Any) -> None:
    """As gradients of gates have them, whatever the number of columns."""
    cuts = [(k, f(A[:, k])) for k, f in zip(thirds, (T.exp, T.sin, T.tanh), strict=True)]
    found = optimise([put_into_zeros(*(cuts[k] for k in order))])
    assert set(found.ops()) == {"concatenate", "exp", "sin", "tanh", "subtensor"}
    pieces = [*found.outputs]
    while any(y.owner.op.name == "concatenate" for y in pieces):
        pieces = [v for y in pieces for v in (y.owner.inputs if y.owner.op.name == "concatenate" else [y])]
    assert [y.owner.op.name for y in pieces] == ["exp", "sin", "tanh"]


def test_what_is_used_whole_is_computed_once() -> None:
    found = optimise([T.exp(X), T.exp(X)[1:3]])
    assert found.ops() == {"exp": 1, "subtensor": 1}


STAYS = {
    "one element too many": v[1:][-2:],
    "the other end": T.set_subtensor(v[-1], g)[1:],
    "a join of unknown lengths": T.concatenate([v, w])[1:],
    "softmax along the part": T.softmax(X, axis=1)[:, 1:],
    "a column between two that are written": put_into_zeros((slice(None, 2), A), (slice(3, None), B)),
    "columns written twice": put_into_zeros((slice(None, 3), A), (slice(2, None), B)),
    "a value for all columns of a part": put_into_zeros((halves[0], g), (halves[1], B)),
    "bounds known at run time": T.set_subtensor(v[i], g)[n],
    "not all of it": v[:3] + v[1:4],
}


@pytest.mark.parametrize("name", STAYS)
def test_stays_where_it_is_not_known(name: str) -> None:
    assert_stays(STAYS[name])


def test_facts_of_elements_hold_for_parts_joins_and_writes() -> None:
    outputs = [
        abs(T.exp(v)[1:]),
        abs(T.concatenate([T.exp(v), T.sqr(w)])),
        abs(T.set_subtensor(T.exp(v)[0], 2.0)),
    ]
    for written, found in zip(outputs, optimise(outputs).outputs, strict=True):
        assert written.owner.op.name == "abs" and found.owner.op.name != "abs"


@pytest.mark.parametrize("seed", range(60))
def test_classes_agree(seed: int) -> None:
    program = Program(seed)
    output = program.grow(4 + seed % 8)
    encoded = encode([output])
    saturated = saturate(encoded, default_rules(), Budget(3000, 5000, 5.0))
    known = dict(program.given) | dict(program.items)
    wrong = disagreement(class_values(encoded, saturated, known), 1e-6)
    assert wrong is None, wrong


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1000, 1160, 8))
def test_programs_agree_with_the_reference(first: int) -> None:
    for seed in range(first, first + 8):
        program = Program(seed)
        program.grow(6 + seed % 9)
        outputs = [x for x, _ in program.items[-3:]]
        found = eqsat.function(
            list(program.given), outputs, mode="numpy" if seed % 8 else None, on_unused_input="ignore"
        )
        for value, (_, wanted) in zip(found(*program.given.values()), program.items[-3:], strict=True):
            np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-12)
