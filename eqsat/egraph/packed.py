"""One table for the facts that nearly every rule asks for: dtype, rank, axes of length 1, and whether a class varies.

egglog tries a rule anew for each table that it reads, whatever has changed, so a rule is the faster the fewer tables it reads;
and it takes the longer to add one, the more it computes. The bits of a class only ever come to be set: where two classes
merge, those of both are.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.graph.dtypes import CODE, FIRST_FLOAT_CODE

MOST_AXES = 49  # of a class that rules may ask about; their bits come first
SINGLE, VARIES, NDIM, DTYPE = 49, 50, 52, 58  # the lowest bits of what follows

MASK = (1 << MOST_AXES) - 1
LONE = 1 << SINGLE  # set where every axis is known to have length 1
VARIED = 1 << VARIES  # set for a class that is computed from numbers alone
UNDEFINED = 2 << VARIES  # set for what is divided by zero at some depth
VALUED = VARIED | UNDEFINED
RANK, KIND = 63 << NDIM, 31 << DTYPE  # the number of axes, the dtype
MIXED = -1 << 63  # set where two classes of different dtypes or ranks came to be one
NUMBERS, FLOATS = CODE["bool"] + 1 << DTYPE, FIRST_FLOAT_CODE << DTYPE

PARTS = {  # egglog text of each value from the bits
    "bits": "{0}",
    "mask": f"(& {{0}} {MASK})",
    "dtype": f"(>> {{0}} {DTYPE})",
    "ndim": f"(& (>> {{0}} {NDIM}) 63)",
}
TESTS = {  # egglog text of each condition on the bits
    "varies": f"(= 0 (& {VARIED} {{0}}))",
    "single": f"(= {LONE} (& {LONE} {{0}}))",
    "several": f"(= 0 (& {LONE} {{0}}))",
    "float": f"(<= {FLOATS} {{0}})",
    "int": f"(< {{0}} {FLOATS}) (<= {NUMBERS} {{0}})",
    "number": f"(<= {NUMBERS} {{0}})",
    "bool": f"(< {{0}} {NUMBERS})",
}
OF_FLOATS = f"(= i (info e)) {TESTS['float'].format('i')}"

SCHEMA = [f"(function info (T) i64 :merge (| (| old new) (* {MIXED} (min 1 (& {RANK | KIND} (^ old new))))))"]


def with_bit(info: str, bit: int | str) -> str:
    """Egglog text that sets a bit of a class whose bits are known; the type stays in, for it has to be that of the class."""
    return f"(set (info e) (| {info} {bit}))"


RULES = [
    f"(rule ((= d (dtype e)) (= n (ndim e)) (<= n {MOST_AXES}) (= m (mask e))) "
    f"((set (info e) (| m (| (<< n {NDIM}) (<< d {DTYPE}))))) :ruleset facts)",
    f"(rule ((= i (info e))) ((set (dtype e) {PARTS['dtype'].format('i')}) (set (ndim e) {PARTS['ndim'].format('i')}) "
    f"(set (mask e) {PARTS['mask'].format('i')})) :ruleset facts)",
    f"(rule ((= i (info e)) (= (& i {MASK}) (- (<< 1 {PARTS['ndim'].format('i')}) 1))) ({with_bit('i', LONE)}) :ruleset facts)",
    f"(rule ((= v (cval e)) (= i (info e))) ({with_bit('i', VARIED)}) :ruleset facts)",
    "(rule ((= i (info e)) (< i 0)) ((set (dtype e) -1) (set (dtype e) -2)) :ruleset facts)",  # no merge: it fails
]


def joined(symbol: str, texts: Sequence[str]) -> str:
    """Egglog text of some operands of an associative function; 0 of none."""
    text = texts[0] if texts else "0"
    for other in texts[1:]:
        text = f"({symbol} {text} {other})"
    return text
