"""Facts of matrices: symbols of their lengths, triangles, symmetry, definiteness.

Lengths are symbols that Python gives to the tensors of a graph (matrix_lengths.py): a known length stands for itself,
others are negative. They are there only where a graph has ops of linear algebra, so elsewhere these rules find nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from eqsat.egraph.packed import TESTS
from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.dtypes import FIRST_FLOAT_CODE
from eqsat.graph.moves import MOVES
from eqsat.graph.parameters import DIAGONAL, Codes

FACTS = ("lower", "upper", "symmetric", "posdef", "semidefinite", "positive_diagonal", "identity", "distinct")

SCHEMA = [
    "(function rows (T) i64 :merge (max old new))",
    "(function columns (T) i64 :merge (max old new))",
    "(relation in_rows (i64 i64))",
    "(relation in_columns (i64 i64))",
    "(relation in_identity (i64))",
    "(function shape (T) i64 :merge (max old new))",  # code of the lengths, where all are known
    "(relation in_shape (i64 i64))",
    "(relation named_move (i64 i64))",  # number of a move in graph/moves.py, its pattern
    *(f"(relation {fact} (T))" for fact in FACTS),
]

LOAD = [
    "(rule ((in_rows k n) (= x (node k))) ((set (rows x) n)) :ruleset load)",
    "(rule ((in_columns k n) (= x (node k))) ((set (columns x) n)) :ruleset load)",
    "(rule ((in_shape k c) (= x (node k))) ((set (shape x) c)) :ruleset load)",
    "(rule ((in_identity k) (= x (node k))) ((identity x) (lower x) (upper x)) :ruleset load)",
    "(rule ((posdef x)) ((symmetric x) (semidefinite x) (positive_diagonal x)) :ruleset facts)",
    # not posdef: of a square plus a unit matrix, rounding may leave no Cholesky factor
    "(rule ((identity x)) ((symmetric x) (semidefinite x) (positive_diagonal x) (lower x) (upper x)) :ruleset facts)",
]


def _fact(effect: str, *finds: str) -> str:
    return f"(rule ({' '.join(finds)}) ({effect}) :ruleset facts)"


def _same_lengths(term: str) -> list[str]:
    return [
        _fact(f"(set ({table} e) n)", f"(= e {term})", f"(= n ({table} x))") for table in ("rows", "columns")
    ]


def _kept(term: str, *facts: str) -> list[str]:
    return [_fact(f"({f} e)", f"(= e {term})", f"({f} x)") for f in facts]


def number_of_move(name: str) -> int:
    """The number of a named move."""
    return list(MOVES).index(name)


def move(name: str, pattern: str) -> str:
    """Text that finds the pattern of a named move."""
    return f"(named_move {number_of_move(name)} {pattern})"


DOT = "(= e (o_dot x y))"
SWAP = "(= e (o_dimshuffle x p)) (pattern_swaps p)"
FLIPPED = "(= y (o_dimshuffle x p)) (pattern_swaps p)"
UNIT = "(identity e) (lower e) (upper e)"
MAIN = DIAGONAL.encode((0, 0, 1), Codes())
GRID = f"{move('column', 'p')} {move('row', 'q')}"  # row numbers by p, column numbers by q

RULES = [
    _fact("(set (rows e) n)", DOT, "(= n (rows x))"),
    _fact("(set (columns e) n)", DOT, "(= n (columns y))"),
    _fact("(lower e)", DOT, "(lower x)", "(lower y)"),
    _fact("(upper e)", DOT, "(upper x)", "(upper y)"),
    _fact("(symmetric e) (semidefinite e)", DOT, FLIPPED),
    _fact("(posdef e)", DOT, FLIPPED, "(lower x)", "(positive_diagonal x)"),
    _fact("(set (rows e) n)", SWAP, "(= n (columns x))"),
    _fact("(set (columns e) n)", SWAP, "(= n (rows x))"),
    _fact("(upper e)", SWAP, "(lower x)"),
    _fact("(lower e)", SWAP, "(upper x)"),
    *(_fact(f"({f} e)", SWAP, f"({f} x)") for f in ("symmetric", "posdef", "positive_diagonal", "identity")),
    *_same_lengths("(o_inv x)"),
    *_kept("(o_inv x)", "lower", "upper", "symmetric", "posdef"),
    *_same_lengths("(o_cholesky x)"),
    _fact("(lower e) (positive_diagonal e)", "(= e (o_cholesky x)) (= 2 (ndim e))"),
    *_same_lengths("(o_set_diagonal x y p a)"),
    _fact(
        "(lower e) (upper e) (symmetric e)",
        f"(= e (o_set_diagonal x y {MAIN} a))",
        "(= 0.0 (cval x)) (= 2 (ndim e))",
    ),
    _fact("(union e x)", "(= e (o_reshape x s n)) (= c (shape e)) (= c (shape x))"),
    _fact("(distinct e)", "(= e (o_arange s n d))", f"(= t (dtype e)) (< t {FIRST_FLOAT_CODE})"),
    _fact(UNIT, "(= e (o_eq (o_dimshuffle a p) (o_dimshuffle a q)))", "(distinct a)", GRID),
    _fact(UNIT, "(= e (o_cast x d))", "(identity x)"),
    _fact("(lower e) (upper e)", "(= e (o_switch x y z)) (= 0.0 (cval z)) (identity x)"),
    _fact(
        "(symmetric e) (semidefinite e)",
        "(= e (o_switch x y z)) (= 0.0 (cval z)) (identity x)",
        f"(= l (lo y)) (<= 0.0 l) (= i (info y)) {TESTS['single'].format('i')}",
    ),
    *(
        _fact(
            f"({side} e)",
            f"(= e (o_switch (o_ge {order}) x z)) (= 0.0 (cval z)) {GRID}",
            "(= a (o_dimshuffle (o_arange s n d) p)) (= b (o_dimshuffle (o_arange s m d) q))",
        )
        for side, order in (("lower", "a b"), ("upper", "b a"))
    ),
]


def of_twin(d: Any) -> list[str]:
    """The rules on an op that raises errors, of the op that gives NaN in their place."""
    of = f"(o_{d.raises} "
    return [text.replace(of, f"(o_{d.name} ") for text in RULES if of in text]


def elementwise(d: Declaration) -> list[str]:
    """The rules on what is known of a result of matrices of one shape, or of a matrix and a single number."""
    if d.kind != "elemwise" or not 0 < len(d.tensors) <= 2 or d.name == "fill":
        return []
    term = f"(= e ({' '.join(['o_' + d.name, *d.tensors, *('p_' + p for p in d.parameters)])}))"
    alike = [f"(= m (mask {t}))" for t in d.tensors]

    def kept(fact: str) -> str:
        return _fact(f"({fact} e)", term, *(f"({fact} {t})" for t in d.tensors), *alike)

    lines = [kept("symmetric")]
    lines += [kept(f) for f in ("lower", "upper") if sorted(d.linear.split()) == sorted(d.tensors)]
    lines += [kept(f) for f in ("semidefinite", "positive_diagonal") if d.real == "x + y"]
    for x, y in zip(d.tensors, d.tensors[::-1]) if len(d.tensors) == 2 else ():
        single = f"(= i (info {y})) {TESTS['single'].format('i')}"
        lines.append(_fact("(symmetric e)", term, f"(symmetric {x})", single))
        if d.real == "x + y":
            lines.append(_fact("(posdef e)", term, f"(posdef {x})", f"(semidefinite {y})", *alike))
        if d.real == "x * y":
            from_0 = f"(= l (lo {y})) (<= 0.0 l)"
            lines.append(_fact("(semidefinite e)", term, f"(semidefinite {x})", single, from_0))
            above = f"(= l (lo {y})) (< 0.0 l)"
            lines += [
                _fact(f"({f} e)", term, f"({f} {x})", single, above) for f in ("posdef", "positive_diagonal")
            ]
    return lines


def matrix_rules(fresh: Iterable[str], known: Iterable[str]) -> list[str]:
    """The rules that some ops make possible beside those that are known."""
    new, all_of = set(fresh), {*fresh, *known}
    every = [
        *RULES,
        *dict.fromkeys(
            text for d in map(OPS.find, all_of) if d is not None and d.raises for text in of_twin(d)
        ),
    ]
    needs = [(set(re.findall(r"\(o_(\w+)", text)), text) for text in every]
    return [
        *(text for ops, text in needs if ops & new and ops <= all_of),
        *(line for name in sorted(new) for line in elementwise(OPS[name])),
    ]
