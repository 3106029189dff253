"""Movements reach the operands of every elementwise op, those of users among them: in the e-graph, in loops, in C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.declare import OPS, Declaration, elemwise, forget_op
from eqsat.graph.tensor_type import TensorType
from eqsat.rules.schemes.elementwise import computes

LETTERS = {"f": "float64", "n": "float64", "t": "float64", "a": "float64", "i": "int64", "?": "bool"}
OWN = "three_of_a_user"
rng = np.random.default_rng(0)


@pytest.fixture(scope="module", autouse=True)
def own() -> Iterator[Declaration]:
    """An op of three operands that nobody has heard of."""
    build = elemwise(c="({x} * {y} + cos({z}))", signature="f,f,f->f", name=OWN)
    build(lambda x, y, z: x * y + np.cos(z))
    yield OPS[OWN]
    forget_op(OWN)


def declared() -> list[Declaration]:
    found = [OPS[name] for name in sorted(OPS) if computes(OPS[name])]
    assert OWN in [d.name for d in found] and len(found) > 60
    return found


def of(d: Declaration, operands: list[Any]) -> Any:
    """The op, with results in int64 where it has a dtype as parameter, which drawn bits fit."""
    return d.bind(**dict.fromkeys(d.parameters, "int64"))(*operands)


def inputs_of(letter: str, place: int, shape: tuple[int | None, ...]) -> Any:
    """An input for the operands of one dtype at a place; all ops share it."""
    return TensorType(LETTERS[letter], shape=shape)(f"{'abc'[place % 3]}_{letter.replace('?', 'b')}")


class Program:
    """Every op of inputs of some shapes: the first operand is a matrix, the second a row, the third a number."""

    def __init__(self, *shapes: tuple[int | None, ...]) -> None:
        self.shapes = shapes
        self.inputs: dict[tuple[str, int], Any] = {}

    def operands(self, d: Declaration) -> list[Any]:
        letters = d.signature.partition("->")[0].split(",")
        return [self.operand(LETTERS[letter], k) for k, letter in enumerate(letters)]

    def operand(self, dtype: str, place: int) -> Any:
        shape = self.shapes[min(place, len(self.shapes) - 1)]
        known = self.inputs.get((dtype, place))
        if known is None:
            known = self.inputs[dtype, place] = TensorType(dtype, shape=shape)(f"{dtype}_{place}")
        return known

    def values(self, lengths: int = 6) -> list[Any]:
        found = []
        for (dtype, _), v in self.inputs.items():
            drawn = rng.uniform(0.1, 0.9, [n or lengths for n in v.type.shape])
            found.append((drawn * 4).astype(dtype) if dtype != "float64" else drawn)
        return found


MATRICES = [(None, None), (1, None), (1, 1)]
SQUARE = [(6, 6), (1, 6), (1, 1)]
I, J = T.lscalar("i"), T.lscalar("j")
ROWS = T.lvector("rows")


def numbered(v: Any) -> bool:
    return all(n == 1 for n in v.type.shape)


def row_of(v: Any) -> bool:
    return v.type.shape[0] == 1


Move = Callable[[Any], Any]
MOVEMENTS: dict[str, tuple[list[Any], Move, Move]] = {
    # shapes of operands, the movement of a result, what becomes of each operand
    "part": (MATRICES, lambda r: r[2:4], lambda v: v if row_of(v) else v[2:4]),
    "column": (MATRICES, lambda r: r[:, 3], lambda v: v[:, 0] if numbered(v) else v[:, 3]),
    "element": (MATRICES, lambda r: r[1, 2], lambda v: v[0, 0] if numbered(v) else v[0, 2] if row_of(v) else v[1, 2]),
    "row at": (MATRICES, lambda r: r[I], lambda v: v[0] if row_of(v) else v[I]),
    "rows between": (MATRICES, lambda r: r[I : I + 2], lambda v: v if row_of(v) else v[I : I + 2]),
    "flipped": (MATRICES, lambda r: r[::-1][:2], lambda v: v if row_of(v) else v[::-1][:2]),
    "picked": (MATRICES, lambda r: r[[0, 2]], lambda v: v if row_of(v) else v[[0, 2]]),
    "diagonal": (SQUARE, T.diagonal, lambda v: v[0] if row_of(v) else T.diagonal(v)),
    "pairs": (SQUARE, lambda r: r[ROWS[:2], ROWS[2:4]], lambda v: v[0, :1] if numbered(v) else v[0, ROWS[2:4]] if row_of(v) else v[ROWS[:2], ROWS[2:4]]),
    "rolled": (SQUARE, lambda r: T.roll(r, 2, 0)[:2], lambda v: v if row_of(v) else v[-2:]),
}  # fmt: skip


def cost_of(outputs: list[Any]) -> float:
    """The cost of a graph as it is written."""
    return float(eqsat.optimize(outputs, rules=[]).cost_before)


@pytest.mark.parametrize("name", MOVEMENTS)
def test_a_movement_of_a_result_is_one_of_the_operands(name: str) -> None:
    shapes, movement, of_operand = MOVEMENTS[name]
    program = Program(*shapes)
    dearer = {}
    moved: list[Any] = []
    wanted: list[Any] = []
    for d in declared():
        operands = program.operands(d)
        moved.append(movement(of(d, operands)))
        wanted.append(of(d, [of_operand(v) for v in operands]))
        assert moved[-1].type.ndim == wanted[-1].type.ndim, d.name
    report = eqsat.optimize(moved)
    if report.cost_after > 1.001 * cost_of(wanted):
        for d, one, other in zip(declared(), moved, wanted, strict=True):
            if (cost := eqsat.optimize(one).cost_after) > 1.001 * (limit := cost_of([other])):
                dearer[d.name] = cost, limit
    assert not dearer
