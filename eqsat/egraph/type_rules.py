"""Rules that give the type of every e-node of an op, as the bits of ``info`` (packed.py)."""

from __future__ import annotations

import re
from collections import Counter

from eqsat.egraph.packed import DTYPE, KIND, MASK, NDIM, PARTS, RANK, UNDEFINED, VALUED, joined
from eqsat.egraph.shape_facts import type_texts
from eqsat.graph.declare import Declaration

SOURCE = re.compile(r"(dtype|ndim|mask)_(\w+)")
COMPUTED = re.compile(r"<<|>>|\(\s*-|ndim_")  # in the text of a mask: its bits move


def applied(d: Declaration) -> str:
    """The op over the variables t_<tensor> and par_<parameter>."""
    operands = [*("t_" + t for t in d.tensors), *("par_" + p for p in d.parameters)]
    return f"(o_{d.name} {' '.join(operands)})"


def is_told(d: Declaration) -> bool:
    """True for an op of which ``shown`` says of what elements its results are."""
    return 1 <= len(d.shows()) <= 2


def shown(d: Declaration) -> str:
    """The row of ``shown`` for an e-node."""
    first, *_ = sources = d.shows()
    return f"(shown e t_{first} t_{sources[-1]})"


def always_shown(d: Declaration) -> str:
    """The action that states this row of every e-node of an op."""
    return f" {shown(d)}" if is_told(d) and not d.elements_if else ""


def type_rule(d: Declaration, made: int, facts: str = "", least: bool = False) -> str:
    """The rule that sets the type of an e-node, the bit ``made`` of its op, and what is true of every result.

    With ``least`` it keeps which axes have length 1 by the operands alone (narrow.py).
    """
    dtype, ndim, mask = (_with_parameters(d, text) for text in type_texts(d))
    alike = _elementwise(d, dtype, mask)
    bits = alike if alike is not None else _bits(d, dtype, ndim, mask)
    asked = dict.fromkeys(SOURCE.findall(bits))
    infos = [t for t in d.tensors if re.search(rf"\w+_{t}\b", bits)]
    finds = [f"(= info_{t} (info t_{t}))" for t in infos]
    finds += [f"(= {part}_{t} {PARTS[part].format(f'info_{t}')})" for part, t in asked]
    info = (
        f"(let b {bits}) (set (info e) b) (set (least e) (& b {MASK}))" if least else f"(set (info e) {bits})"
    )
    sets = f"{info} (set (made e) {made}){facts}"
    return f"(rule ((= e {applied(d)}) {' '.join(finds)}) ({sets}) :ruleset facts)"


def _elementwise(d: Declaration, dtype: str, mask: str) -> str | None:
    """The bits of an elementwise op that broadcasts: axes of length 1, and what does not vary, are those of all operands."""
    masks = joined("&", [f"mask_{t}" for t in d.tensors])
    if (
        d.kind != "elemwise"
        or not d.tensors
        or d.name == "fill"
        or "".join(mask.split()) != "".join(masks.split())
    ):
        return None
    source = SOURCE.fullmatch(dtype)
    first = source[2] if source else d.tensors[0]
    others = [t for t in d.tensors if t != first]
    bits = joined("&", [f"info_{first}", *(f"(| info_{t} {KIND | RANK})" for t in others)])
    if others:
        bits = f"(| {bits} (& {UNDEFINED} {joined('|', [f'info_{t}' for t in d.tensors])}))"
    if source:
        return bits
    bits = f"(& {bits} {~KIND & ((1 << DTYPE) - 1)})"
    return bits if dtype == "0" else f"(| {bits} {_moved(dtype, DTYPE)})"


def _bits(d: Declaration, dtype: str, ndim: str, mask: str) -> str:
    """The bits of any other op, those of one operand taken at once."""
    taken: Counter[str] = Counter()
    texts: list[str] = []
    for text, place, bits in ((dtype, DTYPE, KIND), (ndim, NDIM, RANK)):
        if source := SOURCE.fullmatch(text):
            taken[source[2]] |= bits
        else:
            texts.append(_moved(text, place))
    kept = re.fullmatch(r"\(\s*\|\s*mask_(\w+)\s+(par_\w+)\s*\)", mask)
    if source := SOURCE.fullmatch(mask):
        taken[source[2]] |= MASK
    elif kept:
        taken[kept[1]] |= MASK
        texts.append(kept[2])
    elif COMPUTED.search(mask):
        texts.append(mask)
    elif mask != "0":
        texts.append(f"(& {MASK} {mask.replace('mask_', 'info_')})")
    if d.name == "fill":
        taken["y"] |= VALUED
    elif d.kind == "reduce":
        taken[d.tensors[0]] |= UNDEFINED
    numbers = sum(int(t) for t in texts if t.isdigit())
    parts = [f"(& info_{t} {bits})" for t, bits in taken.items()]
    parts += [t for t in texts if not t.isdigit()]
    return joined("|", [*parts, *([str(numbers)] if numbers or not parts else [])])


def _moved(text: str, place: int) -> str:
    return str(int(text) << place) if text.isdigit() else f"(<< {text} {place})"


def _with_parameters(d: Declaration, text: str) -> str:
    words = text.replace("(", " ( ").replace(")", " ) ").split()
    return " ".join("par_" + w if w in d.parameters else w for w in words)
