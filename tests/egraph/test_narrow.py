"""What is known of a result in a loop, that an axis has length 1, is told to the operands that it follows from."""

from __future__ import annotations

import pytest

import eqsat.tensor as T  # noqa: F401  (declares the ops)
from eqsat.egraph.adapter import Session, Template
from eqsat.egraph.chain_schema import with_flips
from eqsat.egraph.narrow import told
from eqsat.egraph.part_schema import PART, with_parts
from eqsat.egraph.schema import base_rules, rules_of, schema_of
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import CODE
from eqsat.scan import scan  # noqa: F401

OPS_AT_HAND = sorted(with_flips(with_parts({PART, "add", "dimshuffle", "elem", "exp", "fill"})))
SWAPPED = ["(pattern_ndim 7 2 0)", "(pattern_axis 7 1 2)", "(pattern_axis 7 2 1)"]


def masks(term: str, mask: int, leaves: dict[int, tuple[int, int]]) -> list[int]:
    """Axes of length 1 of the leaves, as bits, once a term of some (rank, bits) is known to have others."""
    rules = [*base_rules(loops=True), *rules_of(OPS_AT_HAND, loops=True)]
    with Template(schema_of(OPS_AT_HAND), rules).session() as session:
        code, found = CODE["float64"], max(leaves)
        for k, (ndim, bits) in {**leaves, found + 1: (2, mask)}.items():
            typed(session, f"(Leaf {k})", code, ndim, bits)
        session.add([*SWAPPED, f"(union {term} (Leaf {found + 1}))"])
        session.saturate("facts")
        rows = session.freeze(["Leaf", "mask"])
        known = {row.inputs[0]: row.output for row in rows.rows("mask")}
        return [known[row.output] for row in sorted(rows.rows("Leaf"), key=lambda row: row.inputs[0])][
            : found + 1
        ]


def typed(session: Session, term: str, dtype: int, ndim: int, mask: int) -> None:
    session.add(
        [f"(set (dtype {term}) {dtype})", f"(set (ndim {term}) {ndim})", f"(set (mask {term}) {mask})"]
    )


@pytest.mark.parametrize(
    ("term", "leaves", "wanted"),
    [
        ("(o_exp (Leaf 0))", {0: (2, 0)}, [2]),
        ("(o_add (Leaf 0) (o_exp (Leaf 1)))", {0: (2, 1), 1: (2, 0)}, [3, 2]),
        ("(o_fill (Leaf 0) (Leaf 1))", {0: (2, 0), 1: (2, 3)}, [2, 3]),
        ("(o_elem (Leaf 0) 0)", {0: (3, 0)}, [4]),
        ("(o_elem (o_exp (Leaf 0)) 0)", {0: (3, 1)}, [5]),
        ("(o_dimshuffle (Leaf 0) 7)", {0: (2, 0)}, [1]),
    ],
)
def test_operands_are_told(term: str, leaves: dict[int, tuple[int, int]], wanted: list[int]) -> None:
    assert masks(term, 2, leaves) == wanted


def test_what_a_result_does_not_tell_stays_unknown() -> None:
    assert masks("(o_add (Leaf 0) (Leaf 1))", 0, {0: (2, 2), 1: (2, 0)}) == [2, 0]


def test_every_elementwise_op_tells() -> None:
    names = [
        name for name in sorted(OPS) if OPS[name].kind == "elemwise" and not OPS[name].signature.endswith("c")
    ]
    assert len(names) > 100
    assert [name for name in names if set(told(OPS[name])) != set(OPS[name].tensors)] == []
