"""The egglog side of indexing: types of parts and joins, lengths of axes, and the calls that Python answers.

A rule that needs a function of patterns states that it wants it; Python adds the result (see call_tables.py and calls.py).
So only the patterns that can come to exist are ever computed.
"""

from __future__ import annotations

from collections.abc import Iterable

from eqsat.egraph.call_tables import answered, call_schema, wanted
from eqsat.egraph.packed import PARTS, TESTS, VARIED, with_bit
from eqsat.egraph.type_rules import always_shown, applied
from eqsat.graph.declare import OPS, Declaration

MOST_PARTS = 16  # of one tensor that are computed each on its own
NEVER = 10**9  # stands in the counts of readers of what is never to be taken apart
PART = "subtensor_1"  # stands for indexing as a whole: where any form of its ops exists, so does this one


def with_parts(ops: Iterable[str]) -> set[str]:
    """Some ops, with the one that brings what the forms of others, and windows, need."""
    found = set(ops)
    return found | {PART} if any(OPS[name].indexing or has_windows(OPS[name]) for name in found) else found


def hides_ones(name: str) -> bool:
    """True for an op of whose result not all axes of length 1 follow from those of its operands."""
    shapes = OPS[name].shapes
    return shapes is not None and (shapes.computes or shapes.rescales)


def has_windows(d: Declaration) -> bool:
    """True for an op whose result has the axes of an operand, of lengths that follow from those of all."""
    shapes = d.shapes
    return not d.variadic and not d.form_of and shapes is not None and shapes.rescales


def part_schema() -> list[str]:
    """The tables of indexing, declared once."""
    return [
        # lengths of the axes: -1 - ndim where none is known, else the code of a tuple
        "(function lengths (T) i64 :merge (max old new))",
        "(relation in_lengths (i64 i64))",
        # parts that are read of a tensor and of what is computed from it; 1 where a tensor has one reader
        "(function parts_read (T) i64 :merge (max old new))",
        "(function read_once (T) i64 :merge (max old new))",
        "(relation in_readers (i64 i64 i64))",
        "(relation part (T T i64))",  # e is the part of x by a pattern
        "(relation push (T i64))",  # a part of a tensor that is to be computed from parts of what the tensor is made of
        *call_schema(),
    ]


def part_rules() -> list[str]:
    """Rules on lengths that hold for every op."""
    return [
        "(rule ((in_lengths k s) (= x (node k))) ((set (lengths x) s)) :ruleset load)",
        "(rule ((in_readers k c s) (= x (node k))) ((set (parts_read x) c) (set (read_once x) s)) :ruleset load)",
        f"(rule ((= s (lengths e)) (>= s 0)) ({wanted('unit_axes', 's')} {wanted('empty', 's')}) :ruleset facts)",
        # without elements it is equal to too much: x[:0] = x[:0] + 1
        f"(rule ((= s (lengths e)) {answered('empty', 's', 'one')} (= i (info e))) ({with_bit('i', VARIED)}) :ruleset facts)",
        f"(rule ((= s (lengths e)) {answered('unit_axes', 's', 'm')} (= n (ndim e))) ((set (mask e) m)) :ruleset facts)",
        *_of_any_part(),
    ]


def lengths_rules(ops: set[str], known: set[str]) -> list[str]:
    """Rules on the lengths of what is computed element by element and of moved axes, as far as these ops bring them.

    They are asked for: where those of a result are wanted, those of the operands are.
    """
    if PART not in ops | known:
        return []
    return (_lengths_of_one() if PART in ops else []) + [
        line
        for name in sorted(ops if PART in known else ops | known)
        if OPS[name].kind == "elemwise" or name == "dimshuffle"
        for line in (_lengths_of_moved() if name == "dimshuffle" else _lengths_of_elements(OPS[name]))
    ]


def _lengths_of_one() -> list[str]:
    """Lengths of what has one element by its type, where they are wanted."""
    return [
        f"(rule ((= s (lengths e)) (< s 0) (= i (info e)) {TESTS['single'].format('i')}) ({wanted('lengths_of_one', '(- -1 s)')}) :ruleset facts)",
        f"(rule ((= s (lengths e)) (< s 0) (= i (info e)) {TESTS['single'].format('i')} (= n (- -1 s)) "
        f"{answered('lengths_of_one', 'n', 'r')}) ((set (lengths e) r)) :ruleset facts)",
    ]


def _lengths_of_moved() -> list[str]:
    """Lengths of moved axes, of a tensor of which they are wanted."""
    head = "(= e (o_dimshuffle x p)) (= s (lengths e)) (< s 0)"
    found = f"{head} (= r (lengths x)) (>= r 0)"
    return [
        f"(rule ({head} (= n (ndim x))) ((set (lengths x) (- -1 n))) :ruleset facts)",
        f"(rule ({found}) ({wanted('moved_lengths', 'p r')}) :ruleset facts)",
        f"(rule ({found} {answered('moved_lengths', 'p r', 'c')}) ((set (lengths e) c)) :ruleset facts)",
    ]


def _lengths_of_elements(d: Declaration) -> list[str]:
    """Lengths of a result that is computed element by element, where they are wanted: those of the operands together."""
    head = f"(= e {applied(d)}) (= s (lengths e)) (< s 0)"
    lines = [f"(rule ({head}) ({' '.join(f'(set (lengths t_{t}) s)' for t in d.tensors)}) :ruleset facts)"]
    first, *rest = d.tensors
    found, all_of = f"{head} (= c (lengths t_{first})) (>= c 0)", "c"
    for k, t in enumerate(rest):
        found += f" (= r{k} (lengths t_{t})) (>= r{k} 0)"
        asked, all_of = f"{all_of} r{k}", f"c{k}"
        lines.append(f"(rule ({found}) ({wanted('broadcast_lengths', asked)}) :ruleset facts)")
        found += f" {answered('broadcast_lengths', asked, all_of)}"
    return [*lines, f"(rule ({found}) ((set (lengths e) {all_of})) :ruleset facts)"]


def type_rules(d: Declaration) -> list[str]:
    """Types and lengths of a form of an indexing op."""
    term = (
        f"(o_{d.name} {' '.join('t_' + t for t in d.tensors)} {' '.join('par_' + p for p in d.parameters)})"
    )
    return {"part": _of_part, "join": _of_join, "write": _of_write}[d.indexing](d, term)


def window_rules(d: Declaration) -> list[str]:
    """Operands of which no length is known are said to be so."""
    pars = " ".join("par_" + p for p in d.parameters)
    return _unknown(f"(o_{d.name} {' '.join('t_' + t for t in d.tensors)} {pars})", d.tensors)


def _unknown(term: str, tensors: Iterable[str]) -> list[str]:
    """Operands about whose lengths nothing is known are said to be so."""
    return [
        f"(rule ((= e {term}) (= n (ndim t_{t}))) ((set (lengths t_{t}) (- -1 n))) :ruleset facts)"
        for t in tensors
    ]


def _of_part(d: Declaration, term: str) -> list[str]:
    return [f"(rule ((= e {term})) ((part e t_x par_pattern){always_shown(d)}) :ruleset facts)"]


def _of_any_part() -> list[str]:
    """Rules on all parts e of x by patterns p."""
    head = "(part e x p)"
    return [
        f"(rule ({head} (= n (ndim x))) ((set (lengths x) (- -1 n))) :ruleset facts)",
        f"(rule ((part e (Num v t d n) p) (= i (info e)) {TESTS['single'].format('i')}) "
        f"((union e (Num v t d {PARTS['ndim'].format('i')}))) :ruleset facts)",
        f"(rule ({head}) ({wanted('part_ndim', 'p')} (set (parts_read x) 0)) :ruleset facts)",
        f"(rule ({head} (= s (lengths x))) ({wanted('small', 'p s')}) :ruleset facts)",
        f"(rule ({head} (= s (lengths x)) {answered('small', 'p s', 'one')} (= c (parts_read x)) "
        f"(<= c {MOST_PARTS})) ((push x p)) :ruleset facts)",
        f"(rule ({head} (= 1 (read_once x))) ((push x p)) :ruleset facts)",
        f"(rule ({head} (= d (dtype x)) {answered('part_ndim', 'p', 'n')}) ((set (dtype e) d) (set (ndim e) n) "
        "(set (mask e) 0) (set (lengths e) (- -1 n)) (set (made e) 0)) :ruleset facts)",
        f"(rule ({head} (= s (lengths x)) (= m (mask x))) ({wanted('part_lengths', 'p s m')}) :ruleset facts)",
        f"(rule ({head} (= s (lengths x)) (= m (mask x)) {answered('part_lengths', 'p s m', 'r')}) "
        "((set (lengths e) r)) :ruleset facts)",
    ]


def _of_join(d: Declaration, term: str) -> list[str]:
    first, *rest = d.tensors
    finds = " ".join(f"(= m_{t} (mask t_{t}))" for t in d.tensors)
    masks = f"m_{first}"
    for t in rest:
        masks = f"(| {masks} m_{t})"
    lines = _unknown(term, d.tensors)
    lines.append(
        f"(rule ((= e {term}) (= d (dtype t_{first})) (= n (ndim t_{first})) {finds} (= m {masks})) "
        "((set (dtype e) d) (set (ndim e) n) (set (mask e) (- m (& m (<< 1 par_axis)))) "
        f"(set (lengths e) (- -1 n)) (set (made e) 0){always_shown(d)}) :ruleset facts)"
    )
    return lines + (_joined_lengths(d, term) if len(rest) <= 2 else [])  # others are made of these


def _joined_lengths(d: Declaration, term: str) -> list[str]:
    """The lengths of two or three tensors joined, one after the other."""
    lines, found = [], f"(= e {term}) (= s0 (lengths t_{d.tensors[0]}))"
    for k, t in enumerate(d.tensors[1:]):
        found += f" (= r{k} (lengths t_{t}))"
        asked = f"par_axis s{k} r{k}"
        lines.append(f"(rule ({found}) ({wanted('join_lengths', asked)}) :ruleset facts)")
        found += f" {answered('join_lengths', asked, f's{k + 1}')}"
    return [*lines, f"(rule ({found}) ((set (lengths e) s{len(d.tensors) - 1})) :ruleset facts)"]


def _of_write(d: Declaration, term: str) -> list[str]:
    return [
        *_unknown(term, ["x"]),
        f"(rule ((= e {term}) (= d (dtype t_x)) (= n (ndim t_x)) (= m (mask t_x)) (= s (lengths t_x))) "
        "((set (dtype e) d) (set (ndim e) n) (set (mask e) m) (set (lengths e) s) "
        f"(set (made e) 0){always_shown(d)}) :ruleset facts)",
    ]
