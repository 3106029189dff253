"""The egglog schema of tensor programs, derived from the declarations of the ops that take part."""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import lru_cache
from math import isfinite

from eqsat.egraph import divisors, function_schema, narrow, packed, shared_products
from eqsat.egraph.chain_schema import PRODUCT, chain_rules, chain_schema
from eqsat.egraph.declared_facts import fact_rules, shared_facts
from eqsat.egraph.detours import alike_rules, detour_rules, self_rules, twin_rules
from eqsat.egraph.extent_schema import EXTENT_SCHEMA, extent_rules, known_lengths
from eqsat.egraph.known_numbers import filled_numbers, fold_rules
from eqsat.egraph.matrix_schema import LOAD, SCHEMA, matrix_rules
from eqsat.egraph.packed import KIND, NDIM, OF_FLOATS, PARTS, TESTS, UNDEFINED, joined, with_bit
from eqsat.egraph.part_schema import (
    NEVER,
    PART,
    has_windows,
    lengths_rules,
    part_rules,
    part_schema,
    type_rules,
    window_rules,
)
from eqsat.egraph.type_rules import always_shown, applied, type_rule
from eqsat.egraph.unstable_sums import unstable_fills, unstable_sums
from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.dtypes import CODE, FIRST_FLOAT_CODE
from eqsat.graph.loops import BINDERS, READERS
from eqsat.graph.ops.assume import assume_op
from eqsat.rules.rule import HIDDEN, all_rules
from eqsat.rules.standing import COMMUTE, REGROUP

NEW_SHAPES = {"length", "reshape"}
KEPT = 1 << 61  # in ``made``, beside the bits of ops: read as a whole
LARGEST = 1.7976931348623157e308
ZERO = 1 << 60  # in ``made``: every element is known to be 0

BASE = [
    "(sort T)",
    "(sort Ts)",
    "(ruleset load)",
    "(ruleset facts)",
    "(ruleset shrink)",
    "(ruleset stabilise)",
    "(ruleset divide)",
    "(ruleset shrink_last)",
    "(ruleset divide_last)",
    "(unstable-combined-ruleset settle_quick shrink stabilise)",
    "(unstable-combined-ruleset settle settle_quick shrink_last)",
    "(unstable-combined-ruleset reduce_quick shrink stabilise divide)",
    "(unstable-combined-ruleset reduce_last shrink_last divide_last)",
    "(unstable-combined-ruleset reduce reduce_quick reduce_last)",
    "(ruleset grow)",
    "(constructor Leaf (i64) T)",
    "(constructor Num (f64 i64 i64 i64) T)",  # value, 1 for -0.0, dtype, ndim: all lengths are 1
    "(constructor Arr (i64) T)",
    "(constructor Nil () Ts)",
    "(constructor Cons (T Ts) Ts)",
    "(constructor App (i64 Ts) T)",
    "(constructor node (i64) T)",  # the class of a variable, by its number
    "(constructor items (i64) Ts)",
    "(function dtype (T) i64 :no-merge)",
    "(function ndim (T) i64 :no-merge)",
    "(function mask (T) i64 :merge (| old new))",  # axes whose length is known to be 1
    "(function lo (T) f64 :merge (max old new))",
    "(function hi (T) f64 :merge (min old new))",
    "(function cval (T) f64 :merge old)",  # the number that fills the tensor
    "(function made (T) i64 :merge (| old new))",  # bits of the associative ops that a class is a result of, and KEPT
    "(function folded (T) f64 :merge old)",  # what float64 makes of known numbers ...
    "(function rounding (i64) f64 :merge old)",  # ... and what rounds it to a dtype
    "(sort Bag (MultiSet T))",
    "(relation nonzero (T))",
    "(relation finite (T))",
    "(function told (T) i64 :merge (| old new))",  # bits of what users declare, and know of a value
    "(relation unsigned (T))",  # no element is -0.0
    "(relation shown (T T T))",  # every element of a value is one of two others
    "(relation in_leaf (i64 i64))",
    "(relation in_num (i64 f64 i64 i64 i64))",
    "(relation in_arr (i64 i64))",
    "(relation in_nil (i64))",
    "(relation in_cons (i64 i64 i64))",
    "(relation in_app (i64 i64 i64))",
    "(relation in_type (i64 i64 i64 i64))",
    "(relation in_kept (i64))",  # what is read as a whole
    "(relation in_cval (i64 f64))",
    "(relation in_range (i64 f64 f64))",
    "(relation in_same (i64 i64))",
    "(relation highest (T))",  # infinite; NaN, which egglog orders above all numbers, is neither
    "(relation lowest (T))",
    # functions of dimshuffle patterns, filled in by Python for the patterns that occur
    "(relation pattern_ndim (i64 i64 i64))",  # pattern, ndim of the result, mask of its new axes
    "(relation pattern_axis (i64 i64 i64))",  # pattern, bit in the result, bit in the operand
    "(relation pattern_swaps (i64))",
    "(relation pattern_identity (i64 i64))",  # pattern, ndim
    "(function pattern_same (i64) i64 :merge (| old new))",  # axes of the result that are new or did not move
    "(relation call_compose (i64 i64 i64))",
    "(relation call_axes_before (i64 i64 i64))",
    "(relation call_axes_after (i64 i64 i64))",
    "(relation literal (i64 i64))",  # number of a value in the texts of rules, its code in this graph
    "(relation dtype_widens (i64 i64))",
    "(relation call_lead (i64 i64))",  # rank, pattern that makes a new first axis
    "(relation call_drop (i64 i64))",  # rank, pattern that drops an axis before so many
    "(relation call_lift (i64 i64))",  # pattern, the same beside a first axis that stays
    "(function dep (T) i64 :merge (& old new))",  # the loops on whose time a value depends, as bits
    "(function depend (Ts) i64 :merge (& old new))",
    "(relation in_step (i64 i64 i64))",
    "(function step_of (i64) T :merge old)",  # the new value of a state
    "(function carried (i64) i64 :merge old)",  # the loops on whose time the values of a state depend
    "(relation in_stops (i64 i64))",
    "(function stops (i64) i64 :merge old)",  # the loops on whose time it depends when a loop stops
    "(function uneven (T) i64 :merge (& old new))",  # the loops in which a value may have another shape in each step
    "(relation in_even (i64))",
    "(relation is_state (T))",
    "(relation replayed (T))",  # the old values of a state, at all steps
    *packed.SCHEMA,
    *narrow.SCHEMA,
    *SCHEMA,
    *EXTENT_SCHEMA,
    *divisors.SCHEMA,
    *function_schema.SCHEMA,
]


# a float64 product by this rounds a result to the digits of its dtype (Veltkamp's splitting)
ROUNDING = {"float32": 536870913.0, "float64": 0.0}
BASE_RULES = [
    "(rule ((in_extent k a n) (= x (node k))) ((set (extent x a) n)) :ruleset load)",
    "(rule ((in_leaf k i)) ((union (node k) (Leaf i))) :ruleset load)",
    "(rule ((in_num k v t d n)) ((union (node k) (Num v t d n))) :ruleset load)",
    "(rule ((in_arr k c)) ((union (node k) (Arr c))) :ruleset load)",
    "(rule ((in_nil k)) ((union (items k) (Nil))) :ruleset load)",
    "(rule ((in_cons k a r)) ((union (items k) (Cons (node a) (items r)))) :ruleset load)",
    "(rule ((in_app k c l)) ((union (node k) (App c (items l)))) :ruleset load)",
    "(rule ((in_type k d n m)) ((let x (node k)) (set (dtype x) d) (set (ndim x) n) (set (mask x) m) "
    "(set (made x) 0)) :ruleset load)",
    f"(rule ((in_kept k) (= x (node k))) ((set (made x) {KEPT})) :ruleset load)",
    "(rule ((in_cval k v) (= x (node k))) ((set (cval x) v)) :ruleset load)",
    "(rule ((in_range k l h) (= x (node k))) ((set (lo x) l) (set (hi x) h)) :ruleset load)",
    "(rule ((in_same a b) (= x (node a)) (= y (node b))) ((union x y)) :ruleset load)",
    "(rule ((= e (Num v t d n))) ((set (dtype e) d) (set (ndim e) n) (set (mask e) (- (<< 1 n) 1)) "
    "(set (made e) 0)) :ruleset facts)",
    # what is infinite or NaN is no number to reckon with: 1 + inf is inf, but inf - inf is not 0
    f"(rule ((= e (Num v t d n)) (<= {-LARGEST} v) (<= v {LARGEST})) ((set (cval e) v)) :ruleset facts)",
    f"(rule ((= e (Num v t d n)) (< {LARGEST} v) (= 0.0 (/ 1.0 v))) ((highest e)) :ruleset facts)",
    f"(rule ((= e (Num v t d n)) (< v {-LARGEST})) ((lowest e)) :ruleset facts)",
    f"(rule ((= 0.0 (cval e))) ((set (made e) {ZERO})) :ruleset facts)",
    "(rule ((= v (cval e)) (>= v -1e308) (<= v 1e308)) ((set (lo e) v) (set (hi e) v) (finite e)) :ruleset facts)",
    "(rule ((= l (lo e)) (> l 0.0)) ((nonzero e)) :ruleset facts)",
    "(rule ((= h (hi e)) (< h 0.0)) ((nonzero e)) :ruleset facts)",
    f"(rule ((= d (dtype e)) (< d {FIRST_FLOAT_CODE})) ((finite e) (unsigned e)) :ruleset facts)",
    f"(rule ((= v (cval e)) (!= v 0.0) {OF_FLOATS} {TESTS['single'].format('i')}) "
    f"((union e (Num v 0 {PARTS['dtype'].format('i')} {PARTS['ndim'].format('i')}))) :ruleset facts)",
    *packed.RULES,
    # only where the result is neither 0, whose sign is not known here, nor near the ends of the exponent
    "(rule ((= q (folded e)) (= d (dtype e)) (= r (rounding d)) (= s (* q r)) (= v (- s (- s q))) (= a (abs v)) "
    "(<= 1e-30 a) (<= a 1e30)) ((set (cval e) v)) :ruleset facts)",
    *(f"(set (rounding {CODE[name]}) {scale})" for name, scale in ROUNDING.items()),
    *shared_facts("(shown e x y)", "xy"),
    *LOAD,
]


LOOP_RULES = [  # only where there are loops
    narrow.RULE,
    "(rule ((in_step s k m) (= x (node k))) ((set (step_of s) x) (set (carried s) m)) :ruleset load)",
    "(rule ((in_stops l m)) ((set (stops l) m)) :ruleset load)",
    "(rule ((in_even k) (= x (node k))) ((set (uneven x) 0)) :ruleset load)",
    "(rule ((= e (Leaf i))) ((set (dep e) 0) (set (uneven e) 0)) :ruleset facts)",
    "(rule ((= e (Num v t d n))) ((set (dep e) 0) (set (uneven e) 0)) :ruleset facts)",
    "(rule ((= e (Arr c))) ((set (dep e) 0) (set (uneven e) 0)) :ruleset facts)",
    "(rule ((= n (ndim e)) (= (mask e) (- (<< 1 n) 1))) ((set (uneven e) 0)) :ruleset facts)",
    "(rule ((= e (Nil))) ((set (depend e) 0)) :ruleset facts)",
    "(rule ((= e (Cons x r)) (= a (dep x)) (= b (depend r))) ((set (depend e) (| a b))) :ruleset facts)",
    "(rule ((= e (App c r)) (= a (depend r))) ((set (dep e) a) (set (uneven e) a)) :ruleset facts)",
]


def dependence_rules(d: Declaration) -> list[str]:
    """On which loops a result of an op depends: those of the operands, with what a loop op adds or takes away."""
    finds = " ".join(f"(= d_{t} (dep t_{t}))" for t in d.tensors)
    mask = joined("|", [f"d_{t}" for t in d.tensors])
    if d.name in BINDERS:
        finds += " (= c (stops par_loop))"
        mask = f"(| c (- {mask} (& {mask} (<< 1 par_loop))))"
    elif d.name in READERS:
        mask = f"(| {mask} (<< 1 par_loop))"
    if d.name == "state":
        finds, mask = "(= m (carried par_key))", "m"
    term = applied(d)
    shapes, bits = shape_sources(d)
    return [
        f"(rule ((= e {term}) {finds}) ((set (dep e) {mask})) :ruleset facts)",
        f"(rule ((= e {term}) {shapes}) ((set (uneven e) {bits})) :ruleset facts)",
    ]


def replay_rules(d: Declaration) -> list[str]:
    """Parts of what is computed from the old values of a state are not pushed into it.

    They would be computed from parts of what the state was before, step by step from the end to the first.
    """
    if d.name == "state":
        return [f"(rule ((= e {applied(d)})) ((is_state e)) :ruleset facts)"]
    if d.name == "collect":
        return ["(rule ((= e (o_collect s n l o)) (is_state s)) ((replayed e)) :ruleset facts)"]
    if d.name == "dimshuffle":
        return ["(rule ((= e (o_dimshuffle x p)) (replayed x)) ((replayed e)) :ruleset facts)"]
    if d.name in (*BINDERS, *READERS) or d.form_of:
        return []
    term = applied(d)
    stop = f"((set (parts_read e) {NEVER}) (set (read_once e) {NEVER}))"
    return [f"(rule ((= e {term}) (replayed t_{t})) {stop} :ruleset facts)" for t in d.tensors]


def shape_sources(d: Declaration) -> tuple[str, str]:
    """The operands that the lengths of a result follow from: all but numbers that are lengths themselves."""
    numbers = [t for t in d.tensors if t.rstrip("0123456789") in d.sized_by]
    shaped = [t for t in d.tensors if t not in numbers]
    if d.name == "final":  # the initial value where the loop makes no step
        shaped = ["initial", "e"]
    elif d.shapes is not None and not d.sized_by:
        shaped, numbers = d.shapes.sources(d.tensors)
    finds = [f"(= u_{t} (uneven t_{t}))" for t in shaped] + [f"(= d_{t} (dep t_{t}))" for t in numbers]
    bits = [f"u_{t}" for t in shaped] + [f"d_{t}" for t in numbers]
    if d.name == "collect":
        finds.append("(= c (stops par_loop))")
        bits.append("c")
    return " ".join(finds), joined("|", bits)


DIMSHUFFLE_RULES = [
    f"(rule ((= e (o_dimshuffle x p)) (= i (info x)) (pattern_ndim p n m)) ((set (info e) (| (& i {KIND | UNDEFINED}) "
    f"(| (<< n {NDIM}) m))) (set (made e) 0) (shown e x x)) :ruleset facts)",
    "(rule ((= e (o_dimshuffle x p)) (pattern_axis p a b) (= i (info x)) (!= 0 (& i b)) (= j (info e))) "
    f"({with_bit('j', 'a')}) :ruleset facts)",
    "(rule ((= e (o_dimshuffle (Num v t d n) p)) (pattern_ndim p k m)) ((union e (Num v t d k))) :ruleset facts)",
    "(rule ((= e (o_dimshuffle x p)) (= n (ndim x)) (pattern_identity p n)) ((union e x)) :ruleset facts)",
    "(rule ((pattern_ndim p n m)) ((set (pattern_same p) m)) :ruleset facts)",
    "(rule ((pattern_axis p a a)) ((set (pattern_same p) a)) :ruleset facts)",
    # a dropped axis and the new one in its place both have length 1
    "(rule ((= e (o_dimshuffle x p)) (= n (ndim x)) (pattern_ndim p n m) (= s (pattern_same p)) "
    "(= s (- (<< 1 n) 1))) ((union e x)) :ruleset facts)",
]


def constructor(name: str) -> str:
    """The egglog constructor of an op."""
    return f"o_{name}"


def schema_of(ops: Iterable[str]) -> list[str]:
    """Sorts, constructors and input relations for some ops."""
    lines = list(BASE)
    for name in sorted(ops):
        d = OPS[name]
        lines += part_schema() if name == PART else []
        lines += shared_products.SCHEMA if name == "dot" else []
        lines += chain_schema() if name == PRODUCT else []
        tensors, params = " ".join("T" for _ in d.tensors), " ".join("i64" for _ in d.parameters)
        lines.append(f"(constructor {constructor(name)} ({tensors} {params}) T)")
        columns = " ".join("i64" for _ in range(1 + len(d.tensors) + len(d.parameters)))
        lines.append(f"(relation in_{name} ({columns}))")
        lines.append(f"(relation unstable_{name} ({tensors} {params}))")
        if joining_bit(d):
            lines += [f"(relation joins_{name} (i64))", f"(function bag_{name} (T) Bag :merge old)"]
            lines.append(f"(constructor All_{name} (Bag) T :unextractable)")
    return lines


def base_rules(loops: bool = False) -> list[str]:
    """Load rules and analyses whatever the ops."""
    return [*BASE_RULES, *(LOOP_RULES if loops else [])]


def rules_of(
    ops: Iterable[str], loops: bool = False, known: Iterable[str] = (), off: Set[str] = frozenset()
) -> list[str]:
    """Load rules and analyses for some ops beside known ones; with ``loops`` it is known on which of them a value depends.

    ``off`` names rules of rules/standing.py that are left out.
    """
    lines: list[str] = []
    ops = set(ops)
    for name in sorted(ops):
        d = OPS[name]
        if loops:
            lines += dependence_rules(d)
            lines += replay_rules(d)
            lines += narrow.narrow_rule(d)
        lines.append(load_rule(d))
        lines += part_rules() if name == PART else []
        if name == assume_op.name:  # what is assumed of it has been told
            lines.append("(rule ((= e (o_assume x f))) ((union e x)) :ruleset facts)")
        lines += shared_products.RULES if name == "dot" else []
        lines += window_rules(d) if has_windows(d) else []
        lines += chain_rules() if name == PRODUCT else []
        if name == "dimshuffle":
            lines += DIMSHUFFLE_RULES
        else:
            least = loops and bool(narrow.told(d))
            lines += type_rules(d) if d.indexing else [type_rule(d, joining_bit(d), always(d), least)]
            lines += fact_rules(d)
        if d.commutative and COMMUTE + name not in off:
            term = constructor(name)
            lines.append(
                f'(rule ((= e ({term} x y))) ((union e ({term} y x))) :ruleset shrink :name "{COMMUTE}{name}")'
            )
        lines += self_rules(d)
        lines += alike_rules(d) if f"{name}-{name}" not in off else []
        lines += bag_rules(d) if REGROUP + name not in off else []
        lines += fold_rules(d)
        lines += extent_rules(name)
    if not loops:  # a stack of a loop is computed from rows of itself: of known length it would be taken apart row by row
        lines += lengths_rules(ops, set(known))
    lines += moves_of(ops, set(known)) + shifts_of(ops, set(known)) + unstable_sums(ops, set(known))
    lines += unstable_fills(ops, set(known), is_priced_out)
    if NEW_SHAPES <= ops | set(known) and not NEW_SHAPES <= set(known):
        lines += known_lengths()
    lines += detour_rules(ops, known) + twin_rules(ops) + filled_numbers(ops, set(known))
    return lines + divisors.divisor_rules(ops, known) + matrix_rules(ops, known)


def moves_of(ops: set[str], known: set[str]) -> list[str]:
    """The rules that carry the mark of an unstable e-node over dimshuffles, as far as these ops bring them."""
    if "dimshuffle" not in ops | known:
        return []
    among = [OPS[name] for name in sorted(ops if "dimshuffle" in known else ops | known)]
    return [line for d in among if not d.parameters and is_priced_out(d) for line in unstable_moves(d)]


def shifts_of(ops: set[str], known: set[str]) -> list[str]:
    """The rules that carry the mark over from x - 1 to x + -1, and back; none where one of the ops is not there."""
    if not ({"add", "sub"} <= ops | known and {"add", "sub"} & ops):
        return []
    return [
        f"(rule ((unstable_{a} x n) (= v (cval n)) (= w (neg v)) (= e (o_{b} x m)) (= w (cval m))) "
        f"((unstable_{b} x m)) :ruleset facts)"
        for a, b in (("add", "sub"), ("sub", "add"))
    ]


def is_priced_out(d: Declaration) -> bool:
    """True for an elementwise op some e-nodes of which a rule marks as unstable."""
    if d.kind != "elemwise":
        return False
    joined = (r for s in all_rules().schemes if s.scheme.joins for r in s.rules(d))
    return d.name in written_roots() or any(r.tier == "stabilises" and r.left.op == d.name for r in joined)


@lru_cache(maxsize=1)
def written_roots() -> frozenset[str]:
    """The ops at the top of what rules that are written one by one mark as unstable."""
    return frozenset(r.left.op for r in all_rules().rules if r.tier == "stabilises")


def unstable_moves(d: Declaration) -> list[str]:
    """An unstable e-node stays unstable when its operands are all moved by one dimshuffle."""
    op = constructor(d.name)
    old, new = (" ".join(f"{letter}{i}" for i in range(len(d.tensors))) for letter in "xy")
    moves = " ".join(f"(= y{i} (o_dimshuffle x{i} p))" for i in range(len(d.tensors)))
    head = f"(unstable_{d.name} {new})"
    lines = [f"(rule ((unstable_{d.name} {old}) {moves} (= e ({op} {new}))) ({head}) :ruleset facts)"]
    if len(d.tensors) == 2:  # beside a number, which has no axes to move
        for i, j in ((0, 1), (1, 0)):
            number = f"(= v (cval x{j})) (= v (cval y{j}))"
            lines.append(
                f"(rule ((unstable_{d.name} {old}) (= y{i} (o_dimshuffle x{i} p)) (= e ({op} {new})) {number}) "
                f"({head}) :ruleset facts)"
            )
    return lines


def joining_bit(d: Declaration) -> int:
    """The bit that stands for a commutative and associative op in ``made``; 0 for any other op."""
    names = sorted(name for name, other in OPS.items() if other.commutative and other.associative)
    return 1 << names.index(d.name) if d.name in names[:60] else 0


def bag_rules(d: Declaration) -> list[str]:
    """Sums of many terms are equal where their multisets are: linear rows instead of every order and bracket.

    It holds for integers and bool; a rule marked ``multiset`` lets an op do so for floats too.
    """
    bit, op, bag = joining_bit(d), constructor(d.name), f"bag_{d.name}"
    if not bit:
        return []
    return [
        f"(rule ((in_type k d n m) (< d {FIRST_FLOAT_CODE})) ((joins_{d.name} d)) :ruleset load)",
        f"(rule ((= e ({op} x y)) (= d (dtype x)) (joins_{d.name} d) (= b (made x)) (= 0 (& b {bit}))) "
        f'((set ({bag} x) (multiset-of x))) :ruleset shrink :name "{HIDDEN}/term-{d.name}")',
        f"(rule ((= e ({op} x y)) (= a ({bag} x)) (= b ({bag} y))) "
        f'((set ({bag} e) (multiset-sum a b))) :ruleset shrink :name "{HIDDEN}/terms-{d.name}")',
        f"(rule ((= e ({op} x y)) (= a ({bag} e))) ((union e (All_{d.name} a))) "
        f':ruleset shrink :name "{REGROUP}{d.name}")',
    ]


def load_rule(d: Declaration) -> str:
    """The rule that turns rows of an input relation into e-nodes."""
    params = " ".join(f"p{i}" for i in range(len(d.parameters)))
    inputs = " ".join(f"k{t}" for t in d.tensors)
    args = " ".join(f"(node k{t})" for t in d.tensors)
    term = f"({constructor(d.name)} {args} {params})"
    return f"(rule ((in_{d.name} k {inputs} {params})) ((union (node k) {term})) :ruleset load)"


def always(d: Declaration) -> str:
    """Actions that state what is true of every result: its bounds, and of what elements it is."""
    bounds = zip(("lo", "hi"), d.image or ())
    facts = [f" (set ({k} e) {v!r})" for k, v in bounds if isfinite(v)]
    return "".join([*facts, always_shown(d)])
