"""Graphs as tables: one row per node, equal things one code, and the same tables in every process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.egraph.calls import Answers
from eqsat.egraph.encode import encode, pattern_code
from eqsat.graph.axis_patterns import compose_patterns, operand_axes, result_axes
from eqsat.graph.core import Apply, Op
from eqsat.graph.dtypes import CODE
from eqsat.graph.parameters import Codes

F64 = CODE["float64"]


def rows(*outputs: Any) -> dict[str, list[tuple[Any, ...]]]:
    """The tables of a graph without that of dtypes, which is always the same."""
    tables = dict(encode(outputs).tables)
    tables.pop("dtype_widens")
    return tables


def test_a_graph_becomes_a_row_per_node() -> None:
    x, y = T.dvectors("x", "y")
    assert rows(T.exp(x) * y) == {
        "in_leaf": [(0, 0), (2, 1)],
        "in_type": [(0, F64, 1, 0), (1, F64, 1, 0), (2, F64, 1, 0), (3, F64, 1, 0)],
        "in_exp": [(1, 0)],
        "in_mul": [(3, 1, 2)],
    }


def test_shared_parts_and_repeated_outputs_have_one_row() -> None:
    x = T.dvector("x")
    y = T.exp(x)
    encoded = encode([y + y, y, y])
    assert len(encoded.tables["in_exp"]) == 1 and encoded.roots[1] == encoded.roots[2]
    assert encoded.nodes == [y.owner, encoded.nodes[1]]


@pytest.mark.parametrize(
    "value, row",
    [
        (2.0, (2.0, 0, F64, 0)),
        (-0.0, (-0.0, 1, F64, 0)),
        (float("inf"), (float("inf"), 0, F64, 0)),
        (np.float32(0.5), (0.5, 0, CODE["float32"], 0)),
        (np.array([[3]], "int8"), (3.0, 0, CODE["int8"], 2)),
        (np.bool_(True), (1.0, 0, CODE["bool"], 0)),
    ],
)
def test_constants_of_one_element_are_numbers(value: Any, row: tuple[Any, ...]) -> None:
    constant = T.constant(np.asarray(value, np.asarray(value).dtype))
    (found,) = rows(constant)["in_num"]
    assert found == (0, *row) and np.signbit(found[1]) == np.signbit(row[0])


def test_integers_that_no_float_holds_are_arrays() -> None:
    big = T.constant(np.array(2**63 - 1))
    assert "in_num" not in rows(big) and rows(big)["in_arr"] == [(0, 0)]


def test_arrays_with_equal_content_have_one_code() -> None:
    a, b, c = (T.constant(np.array(v)) for v in ([1.0, 2.0], [1.0, 2.0], [1.0, 3.0]))
    tables = rows(a + b + c)
    assert [code for _, code in tables["in_arr"]] == [0, 0, 1]
    assert tables["in_range"] == [(0, 1.0, 2.0), (1, 1.0, 2.0), (3, 1.0, 3.0)]


def test_facts_of_arrays() -> None:
    assert rows(T.constant(np.full(3, 4.0)))["in_cval"] == [(0, 4.0)]
    for data in ([], [np.nan, 1.0], [np.inf, 1.0]):
        assert not {"in_range", "in_cval"} & set(rows(T.constant(np.array(data))))
    assert "in_cval" not in rows(T.constant(np.array([-0.0, 0.0])))


def test_an_opaque_op_has_a_row_per_output_and_its_operands_in_a_list() -> None:
    class Both(Op):
        __props__ = ()

        def make_node(self, *inputs: Any) -> Apply:
            return Apply(self, inputs, [inputs[0].type(), inputs[0].type()])

    x, y = T.dvectors("x", "y")
    encoded = encode([*Both()(x, y), *Both()(y)])
    assert [tuple(row[1:]) for row in encoded.tables["in_app"]] == [(0, 2), (1, 2), (0, 1), (1, 1)]
    assert encoded.tables["in_cons"] == [(1, encoded.number[y], 0), (2, encoded.number[x], 1)], (
        "tails are shared"
    )
    assert [index for _, index in encoded.opaque] == [0, 1]


def test_a_pattern_stands_for_the_rank_of_its_operand() -> None:
    """() of a vector and () of a matrix must not be one parameter: a rule would join ranks 1 and 2."""
    m, v = T.tensor("float64", (1, 1), "m"), T.tensor("float64", (1,), "v")
    encoded = encode([m.dimshuffle() + v.dimshuffle()])
    codes = [row[2] for row in encoded.tables["in_dimshuffle"]]
    assert len(set(codes)) == 2
    assert [encoded.codes.values[c] for c in codes] == [(), ()]
    table = Codes()
    assert pattern_code(table, (0,), 1) != pattern_code(table, (0,), 2) != pattern_code(table, (0,), 1)
    assert pattern_code(table, (0,), 1) == pattern_code(table, (0,), 1)


def test_patterns_come_with_what_rules_ask_of_them() -> None:
    m = T.dmatrix("m")
    encoded = encode([m.T.dimshuffle(0, "x", 1).sum(axis=2)])
    tables, code = encoded.tables, lambda p, n: pattern_code(encoded.codes, p, n)
    swap, widen, both = code((1, 0), 2), code((0, "x", 1), 2), code((1, "x", 0), 2)
    assert (swap, widen, both) in tables["call_compose"]
    assert (swap,) in tables["pattern_swaps"] and (widen, 3, 0b010) in tables["pattern_ndim"]
    assert (code((0, 1), 2), 2) in tables["pattern_identity"]
    assert (widen, 0b100, 0b010) in tables["call_axes_before"]


@pytest.mark.parametrize("p", [(1, 0), (0, "x", 1), ("x", 0), (1, "x", 0)])
@pytest.mark.parametrize("q", [(1, 0), (0, "x", 1)])
def test_patterns_compose_as_numpy_does(p: tuple[Any, ...], q: tuple[Any, ...]) -> None:
    if len(p) != 2:
        q = tuple(range(len(p)))[::-1]
    first = np.arange(6.0).reshape(2, 3) if len([a for a in p if a != "x"]) == 2 else np.arange(3.0)

    def moved(array: Any, pattern: tuple[Any, ...]) -> Any:
        kept = array.transpose([a for a in pattern if a != "x"])
        return kept[tuple(None if a == "x" else slice(None) for a in pattern)]

    both = compose_patterns(p, q)
    np.testing.assert_array_equal(moved(moved(first, p), q), moved(first, both))


def test_axes_before_and_after_a_pattern() -> None:
    assert operand_axes((1, "x", 0), (0, 2)) == (0, 1) and operand_axes((1, "x", 0), (1,)) is None
    assert result_axes((1, "x", 0), (0,)) == (2,) and result_axes((1,), (0,)) is None


@pytest.mark.sweep
def test_a_deep_graph_is_encoded_without_recursion() -> None:
    y = x = T.dvector("x")
    for _ in range(20_000):
        y = T.sin(y)
    encoded = encode([y])
    assert len(encoded.tables["in_sin"]) == 20_000 and encoded.variables[0] is x


def test_parts_are_visible_with_a_constant_pattern_and_with_bounds_known_at_run_time() -> None:
    m, n = T.dmatrix("m"), T.lscalar("n")
    encoded = encode([m[1:], m[:n], m[n : n + 1], T.concatenate([m] * 2), T.concatenate([m] * 4)])
    assert encoded.ops >= {"subtensor_1", "subtensor_2", "subtensor_3", "concatenate_2", "concatenate_4"}
    assert "in_app" not in encoded.tables
    code = encoded.tables["in_subtensor_1"][0][2]
    assert encoded.codes.values[code] == (("slice", 1, None, None), ("slice", None, None, None))


def test_an_element_of_a_vector_of_scalars_is_the_scalar() -> None:
    m = T.dmatrix("m")
    encoded = encode([m.shape[0] * 2])
    assert (
        encoded.tables["in_mul"][0][1] == encoded.tables["in_length"][0][0]
        and "subtensor_1" not in encoded.ops
    )


def test_what_is_known_of_lengths_and_readers() -> None:
    x = T.TensorType("float64", (None, 3))("x")
    y = T.exp(x)
    encoded = encode([y[0], y[1], x])
    number = encoded.number
    assert [k for k, _ in encoded.tables["in_lengths"]] == [number[x], number[y], *encoded.roots[:2]]
    assert sorted(encoded.tables["in_readers"]) == sorted([(number[y], 2, 0), (number[x], 2, 0)])
    assert "in_lengths" not in encode([y]).tables


def test_a_second_egraph_of_the_same_tables_states_its_moves_again() -> None:
    encoded = encode([T.dmatrix("x").T + 1])
    given = []
    for _ in range(2):
        tables: dict[str, list[tuple[int, ...]]] = {}
        code = Answers(encoded).move(((0, 1, "x"), 2), tables)
        given.append({name: [row for row in rows if code in row] for name, rows in tables.items()})
    assert given[0] == given[1]
    assert (code, 3, 4) in given[1]["pattern_ndim"]
