"""Movements reach the operands of every elementwise op, those of users among them: in the e-graph, in loops, in C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import verify
from eqsat.errors import RuleError
from eqsat.graph.declare import OPS, Declaration, elemwise, forget_op
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort
from eqsat.rules.rule import all_rules, default_rules, rule, select_rules
from eqsat.rules.schemes.elementwise import applied, computes, is_elementwise, operands_of
from eqsat.rules.schemes.scheme import scheme

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
    "column between": (MATRICES, lambda r: r[I : I + 2, I], lambda v: v[:, 0] if numbered(v) else v[:, I] if row_of(v) else v[I : I + 2, I]),
    "any diagonal": (MATRICES, T.diagonal, lambda v: v[0] if row_of(v) else T.diagonal(v)),
    "diagonal": (SQUARE, T.diagonal, lambda v: v[0] if row_of(v) else T.diagonal(v)),
    "pairs": (SQUARE, lambda r: r[ROWS[:2], ROWS[2:4]], lambda v: v[0, :1] if numbered(v) else v[0, ROWS[2:4]] if row_of(v) else v[ROWS[:2], ROWS[2:4]]),
    "rolled": (SQUARE, lambda r: T.roll(r, 2, 0)[:2], lambda v: v if row_of(v) else v[-2:]),
}  # fmt: skip


def cost_of(outputs: list[Any]) -> float:
    """The cost of a graph as it is written."""
    return float(eqsat.optimize(outputs, rules=[]).cost_before)


@pytest.mark.parametrize("name", MOVEMENTS)
@pytest.mark.sampled(4)
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


# ----------------------------------------------------------------------------------- moves of axes, joins, fillings


def same_cost(
    moved: Callable[[Declaration, list[Any]], Any], wanted: Callable[[Declaration, list[Any]], Any]
) -> None:
    """What is moved costs as much as what is wanted, for every op of square matrices."""
    program = Program((6, 6))
    given = [(d, program.operands(d)) for d in declared()]
    report = eqsat.optimize([moved(d, operands) for d, operands in given])
    assert report.cost_after <= 1.001 * cost_of([wanted(d, operands) for d, operands in given])


def test_axes_that_are_moved_there_and_back_stay() -> None:
    same_cost(lambda d, operands: of(d, [v.T for v in operands]).T, of)


def test_pieces_that_are_joined_are_the_whole() -> None:
    def in_pieces(d: Declaration, operands: list[Any]) -> Any:
        return T.concatenate([of(d, [v[:2] for v in operands]), of(d, [v[2:] for v in operands])])

    same_cost(in_pieces, of)


@pytest.mark.sweep
def test_a_part_of_one_piece_needs_no_other() -> None:
    same_cost(
        lambda d, operands: of(d, [T.concatenate([v, v * v if v.dtype != "bool" else v]) for v in operands])[
            :2
        ],
        lambda d, operands: of(d, [v[:2] for v in operands]),
    )


def test_what_is_repeated_is_computed_once() -> None:
    model = T.dmatrix("model")
    program = Program((1, 1))
    given = [(d, program.operands(d)) for d in declared()]
    report = eqsat.optimize([of(d, [fill(model, v) for v in operands]) for d, operands in given])
    assert report.cost_after <= 1.001 * cost_of([fill(model, of(d, operands)) for d, operands in given])


def test_a_tensor_of_one_number_is_seen_as_a_filling() -> None:
    several = [d for d in declared() if len(d.tensors) > 1]
    program = Program((None, 6))

    def beside(d: Declaration, shape: tuple[int, int]) -> Any:
        first, *rest = program.operands(d)
        return of(d, [first, *(np.full(shape, 3, v.dtype) for v in rest)])

    report = eqsat.optimize([beside(d, (1, 6)) for d in several])
    assert report.cost_after <= 1.001 * cost_of([beside(d, (1, 1)) for d in several])


def test_what_branches_share_is_done_once() -> None:
    several = [d for d in declared() if "?" not in d.signature and d.name != "cast"]
    program, p = Program((6, 6)), T.bmatrix("p") > 0

    def other(v: Any) -> Any:
        return v.T

    given = [(d, program.operands(d)) for d in several]
    branches = [T.switch(p, of(d, v), of(d, [other(v[0]), *v[1:]])) for d, v in given]
    wanted = [of(d, [T.switch(p, v[0], other(v[0])), *v[1:]]) for d, v in given]
    assert eqsat.optimize(branches).cost_after <= 1.001 * cost_of(wanted)


# ----------------------------------------------------------------------------------------------------- loops


def looped(program: Program) -> list[Any]:
    """Every op of rows of a sequence, and of what does not change."""
    given = [(d, program.operands(d)) for d in declared()]
    sequences = list(dict.fromkeys(operands[0] for _, operands in given))
    still = list(dict.fromkeys(v[0] for _, operands in given for v in operands[1:]))

    def step(*values: Any) -> list[Any]:
        at = dict(zip([*sequences, *still], values, strict=True))
        return [
            of(d, [at[operands[0]], *(at[v[0]] if v[0] in at else v[0] for v in operands[1:])])
            for d, operands in given
        ]

    results, _ = eqsat.scan(step, sequences=sequences, non_sequences=still)
    return list(results)


def test_work_on_rows_leaves_the_loop() -> None:
    report = eqsat.optimize(looped(Program((None, 4), (4, 4), (4, 4))))
    assert not [n for n in toposort(report.optimized) if type(n.op).__name__ == "Scan"]


def test_a_row_of_what_a_loop_stacks_is_computed_alone() -> None:
    program = Program((None, 4), (4, 4), (4, 4))
    report = eqsat.optimize([v[2] for v in looped(program)])
    given = [(d, program.operands(d)) for d in declared()]
    assert report.cost_after <= 1.001 * cost_of([of(d, [v[0][2], *(w[0] for w in v[1:])]) for d, v in given])


# ----------------------------------------------------------------------------------------------------- values


@pytest.mark.sweep
def test_c_computes_what_numpy_means() -> None:
    program = Program(*SQUARE)
    names = ("row at", "diagonal", "pairs", "flipped")
    given = [(d, program.operands(d)) for d in declared()]
    outputs = [MOVEMENTS[name][1](of(d, operands)) for d, operands in given for name in names]
    outputs += [v[-1] for v in looped(program)]
    inputs = [*program.inputs.values(), I, ROWS]
    values = [*program.values(), np.int64(2), np.array([5, 0, 3, 1])]
    got = eqsat.function(inputs, outputs, mode="FAST_RUN")(*values)
    expected = eqsat.function(inputs, outputs, mode="reference")(*values)
    for v, one, other in zip(outputs, got, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, err_msg=str(v))


# ---------------------------------------------------------------------------------- what one can do with schemes


def test_a_scheme_and_its_rules_are_switched_off_by_name() -> None:
    v = T.dvector("v")
    moved = OPS[OWN].bind()(v, v, v)[0]
    name, law = f"part-of-{OWN}", "part-of-elementwise"
    assert eqsat.optimize(moved).rules[name] == 1
    for off in (f"-{name}", f"-{law}", default_rules() - name, default_rules() - law):
        assert name not in eqsat.optimize(moved, rules=off).rules
    assert "part-of-exp" not in eqsat.optimize(T.exp(v)[0], rules=f"-{law}").rules
    assert eqsat.optimize(T.exp(v)[0], rules=f"-{name}").rules["part-of-exp"]
    assert {r.name for r in select_rules(law)} >= {name, "part-of-sin"}
    report = eqsat.optimize(moved)
    assert name in str(report.explain()) and name in report.why_not(name)


def test_rules_are_made_for_the_ops_of_a_graph_alone() -> None:
    made: list[str] = []

    @scheme("planted-law", "f(f(x)) = f(x)", holds=is_elementwise, needs=lambda op: [(op, op)])
    def twice(d: Declaration) -> Iterator[Any]:
        made.append(d.name)
        operands = operands_of(d)
        yield rule(
            f"planted-{d.name}",
            applied(d, [applied(d, operands), *operands[1:]]),
            applied(d, operands),
            cite="definition",
        )

    v = T.dvector("v")
    eqsat.optimize(T.tan(T.tan(T.sinh(v))), rules=[twice])
    assert made == ["tan"]
    (wrong,) = [r for r in twice.every() if r.name == "planted-tan"]
    assert verify.find_failures(wrong, guarded=True)
    assert not verify.find_failures(next(r for r in twice.every() if r.name == "planted-abs"), guarded=True)


def test_a_rule_of_another_name_is_not_hidden_by_a_scheme() -> None:
    x = operands_of(OPS["exp"])
    mine = rule("part-of-exp", applied(OPS["exp"], x), applied(OPS["sin"], x), cite="definition")
    with pytest.raises(RuleError, match="two rules are named 'part-of-exp'"):
        list(default_rules() + mine)


SAMPLE = [
    r
    for c in all_rules().schemes
    for d in c.scheme.ops()[:: max(1, len(c.scheme.ops()) // 3)]
    for r in c.rules(d)
]


@pytest.mark.parametrize("one", [r for r in SAMPLE if "schemes" in r.made_at], ids=lambda r: r.name)
@pytest.mark.sampled(250)
def test_rules_of_schemes_keep_their_promises(one: Any) -> None:
    found = verify.find_failures(one, guarded=True, count=4)
    if any(f.untried for f in found):  # few points fit its condition
        found = verify.find_failures(one, guarded=True, count=40)
    assert not found
