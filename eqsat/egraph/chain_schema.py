"""The egglog side of chains of matrix products: a chain is the list of its factors, whatever the brackets.

Each product knows its factors and their lengths. For a long chain Python answers how to put the brackets (chains.py);
``Span`` stands for the product of some neighbours in the chain, and what it is equal to follows from the answer. So a
chain of n factors gets about 2n more e-nodes, where all brackets would be n³. Transposes of products are chains too.
"""

from __future__ import annotations

from collections.abc import Iterable

from eqsat.graph.dtypes import FIRST_FLOAT_CODE
from eqsat.rules.rule import HIDDEN, Rule

PRODUCT = "dot"
CHAIN = "dot-chain"  # the rule by which all brackets are equal
SHORT = 6  # factors up to which rules try every bracket (dot-left, dot-right), which finds what chains share
FLIP = "(o_dimshuffle x p)"


def with_flips(ops: Iterable[str]) -> set[str]:
    """Some ops, with the one that transposes where there are products."""
    found = set(ops)
    return found | {"dimshuffle"} if PRODUCT in found else found


def chain_schema() -> list[str]:
    """The tables of chains, declared once."""
    return [
        "(sort Factors (Vec T))",
        "(sort Sides (Vec i64))",
        "(function factor (T) i64 :merge (min old new))",  # 0 for a product or its transpose, 1 for another operand
        "(function rows_of (T) i64 :merge (max old new))",  # lengths of matrices that are multiplied; -1 if unknown
        "(function columns_of (T) i64 :merge (max old new))",
        "(relation in_sides (i64 i64 i64))",
        "(function chain (T) Factors :merge old)",
        "(function sides (T) Sides :merge old)",  # rows and columns of each factor
        "(relation flipped (T))",  # its transpose is wanted as a chain
        "(function flipped_chain (T) Factors :merge old)",
        "(function flipped_sides (T) Sides :merge old)",
        "(function links (T) i64 :merge (min old new))",
        "(relation joins_chain (i64))",
        "(constructor AllFactors (Factors) T :unextractable)",
        "(constructor Span (Factors i64 i64 i64) T :unextractable)",  # factors, answer, first, behind the last
        "(relation want_chain (Sides i64))",
        "(relation call_chain (Sides i64 i64))",
        "(relation in_split (i64 i64 i64 i64))",  # answer, first, behind the last, where to split
    ]


def chain_rules() -> list[str]:
    """Rules on chains of products."""
    product, flip = "(= e (o_dot x y))", f"(= e {FLIP}) (pattern_swaps p)"
    long = f"(= c (chain e)) (= n (vec-length c)) (> n {SHORT})"
    facts = [
        (product, "(set (factor e) 0) (set (factor x) 1) (set (factor y) 1)"),
        (product, " ".join(f"(set ({side} {v}) -1)" for v in "xy" for side in ("rows_of", "columns_of"))),
        (f"{product} (= m (rows_of x)) (= n (columns_of y))", "(set (rows_of e) m) (set (columns_of e) n)"),
        (f"{flip} (= m (rows_of x)) (= n (columns_of x))", "(set (rows_of e) n) (set (columns_of e) m)"),
        (f"{flip} (= 0 (factor x))", "(set (factor e) 0) (flipped x)"),
        (f"(flipped e) {product}", "(flipped x) (flipped y)"),
        *joined("chain", "a b"),
        *joined("sides", "a b"),
        *joined("flipped_chain", "b a"),
        *joined("flipped_sides", "b a"),
        (f"{flip} (= 0 (factor x)) (= a (flipped_chain x))", "(set (chain e) a)"),
        (f"{flip} (= 0 (factor x)) (= a (flipped_sides x))", "(set (sides e) a)"),
        (f"{flip} (flipped e) (= a (chain x))", "(set (flipped_chain e) a)"),
        (f"{flip} (flipped e) (= a (sides x))", "(set (flipped_sides e) a)"),
        ("(= c (chain e)) (= n (vec-length c))", "(set (links e) n)"),
        (f"{long} (= s (sides e)) (= d (dtype e)) (joins_chain d)", "(want_chain s d)"),
        ("(= e (Span c k i j)) (in_split k i j h)", "(union e (o_dot (Span c k i h) (Span c k h j)))"),
        ("(= e (Span c k i j)) (= j (+ i 1))", "(union e (vec-get c i))"),
    ]
    once = "(= 1 (factor x)) (= m (rows_of x)) (= n (columns_of x))"
    return [
        "(rule ((in_sides k m n) (= x (node k))) ((set (rows_of x) m) (set (columns_of x) n)) :ruleset load)",
        *(f"(rule ({body}) ({head}) :ruleset facts)" for body, head in facts),
        # not before it is known what is a product
        f"(rule ({once}) ((set (chain x) (vec-of x)) (set (sides x) (vec-of m n))) "
        f':ruleset shrink :name "{HIDDEN}/chain-factor")',
        f"(rule ({once} (flipped x) (pattern_swaps p)) ((set (flipped_chain x) (vec-of {FLIP})) "
        f'(set (flipped_sides x) (vec-of n m))) :ruleset shrink :name "{HIDDEN}/chain-flipped-factor")',
        f"(rule ({long} (= d (dtype e)) (joins_chain d)) ((union e (AllFactors c))) "
        f':ruleset shrink :name "{HIDDEN}{CHAIN}/equal")',
        f"(rule ({long} (= s (sides e)) (= d (dtype e)) (joins_chain d) (call_chain s d k)) ((union e (Span c k 0 n))) "
        f':ruleset shrink :name "{HIDDEN}{CHAIN}/best")',
    ]


def joined(table: str, order: str) -> list[tuple[str, str]]:
    """The rule that makes a list of a product from those of its operands, ``a`` and ``b``."""
    return [
        (f"(= e (o_dot x y)) (= a ({table} x)) (= b ({table} y))", f"(set ({table} e) (vec-append {order}))")
    ]


def multiset_text(rule: Rule) -> str:
    """The text of a rule that makes an op associative for floats: its operands may be compared as multisets.

    Those of products of matrices, which have an order, are compared as chains.
    """
    op = rule.left.op
    if op == PRODUCT:
        return f'(rule ((in_type ?k ?d ?n ?m)) ((joins_chain ?d)) :ruleset load :name "{rule.name}")'
    return (
        f"(rule ((in_type ?k ?d ?n ?m) (>= ?d {FIRST_FLOAT_CODE})) ((joins_{op} ?d)) "
        f':ruleset load :name "{rule.name}")'
    )
