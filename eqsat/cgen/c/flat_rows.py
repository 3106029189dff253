"""C text of a nest over short rows: many rows as one, so that vectors are full whatever the length of a row is.

What belongs to a row is computed once and then repeated for its elements; what belongs to a column is repeated for each row.
Folds add pairs of neighbours, then pairs of sums of two, of four: after that the sum of a row is that of few of these.
"""

from __future__ import annotations

from dataclasses import replace

from eqsat.cgen.c.nest_text import Body, Parameters, block
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.partial import flag, identity, of_block, plainly
from eqsat.cgen.c.plain_nests import HEAD
from eqsat.cgen.ir.nest import Nest, Operand, args_of, is_long
from eqsat.graph.dtypes import COMPLEX

MOST = 512  # elements of rows that run as one
SHORT = 64  # elements of a row from which it fills vectors by itself
STEP = 16  # elements that are repeated at once
REPEATED = 6  # values of a row that are repeated for its elements


def test_of(nest: Nest) -> str:
    """The test of lengths where a nest is to run over many rows at a time: "0" for never, "1" for always.

    That is where its functions take long: a row by itself has elements left that do not fill a vector.
    """
    if not (any(map(is_long, nest.values)) and _has_form(nest)):
        return "0"
    n = nest.lengths[1]
    if not n.isdigit():
        return f"{n} > 0 && {n} < {SHORT}" + f" && {n} % {STEP} != 0" * (not nest.folds)
    return "1" if 1 < int(n) < SHORT and (nest.folds or int(n) % STEP) else "0"


def _has_form(nest: Nest) -> bool:
    if len(nest.lengths) != 2 or nest.tested or nest.picks or nest.starts:
        return False
    if nest.folds and tuple(nest.reduced) != (False, True):
        return False
    if any(o.dtype in COMPLEX for o in nest.operands):
        return False
    kinds = [_kind(nest, o) for o in nest.operands]
    return "" not in kinds and "whole" in kinds and ("row" in kinds or "column" in kinds or bool(nest.folds))


def _kind(nest: Nest, operand: Operand) -> str:
    """The part of the space along which an operand changes; empty where its rows do not follow each other."""
    if not operand.strides:
        return "result"
    row, column = operand.strides
    if column == "0":
        return "row" if row != "0" else "one"
    if column != "1":
        return ""
    return "whole" if row == nest.lengths[1] else "column" if row == "0" and not operand.written else ""


class _Named(Parameters):
    """Parameters of which elements are found behind other names."""

    def __init__(self, names: Parameters, kinds: list[str]) -> None:
        self.numbers, self.pointers = names.numbers, names.pointers
        first = {"whole": "q", "column": "c"}
        self.names = [
            f"{first[k]}{i}" if k in first else n for i, (n, k) in enumerate(zip(names.names, kinds))
        ]


def flat(nest: Nest) -> tuple[str, Parameters]:
    """Text of the kernel function, which takes rows from low to high, and its parameters."""
    names = Parameters(nest)
    kinds = [_kind(nest, o) for o in nest.operands]
    n = names.number(nest.lengths[1])
    near = tuple(replace(o, strides=("0", "1")) if k == "whole" else o for o, k in zip(nest.operands, kinds))
    body = Body(replace(nest, operands=near), _Named(names, kinds), [1, 2], ["i", "j"], 1)
    repeated = _repeated(nest, body)
    text = block([*body.at[0], f"const int64_t many = {MOST} / {n};"], 1)
    for k, kind in enumerate(kinds):
        if kind == "column":
            text += block(_column(f"c{k}", CTYPE[nest.operands[k].dtype], names.names[k], n), 1)
    text += block(["for (int64_t row = low; row < high; row += many) {"], 1)
    text += block([f"const int64_t rows = eq_least(many, high - row), all = rows*{n};"], 2)
    for k, (operand, kind) in enumerate(zip(nest.operands, kinds, strict=True)):
        if kind == "whole":
            const = "" if operand.written else "const "
            text += block([f"{const}{CTYPE[operand.dtype]} *const q{k} = {names.names[k]} + row*{n};"], 2)
    text += block(_of_rows(nest, body, repeated, n), 2)
    text += block(_elements(nest, body, repeated), 2)
    for k in range(len(nest.folds)):
        text += block(_fold(nest, k, names.names[nest.folds[k].operand], n), 2)
    return HEAD + names.head(nest) + text + "  }\n}\n", names


def _repeated(nest: Nest, body: Body) -> list[int]:
    """Values that are known for each row and used for each of its elements."""
    used = {f.root for f in nest.folds} | {root for root, _ in nest.stores}
    for level, value in zip(body.level, nest.values, strict=True):
        if level == 2:
            used.update(a for a in args_of(value) if a >= 0)
    return [v for v in sorted(used) if body.level[v] == 1]


def _column(to: str, ctype: str, source: str, n: str) -> list[str]:
    """Statements that repeat an operand of columns for as many rows as run as one."""
    size = f"sizeof({ctype})"
    return [
        f"{ctype} {to}[{MOST}];",
        f"memcpy({to}, {source}, {n}*{size});",
        f"for (int64_t k = {n}, end = eq_least(many, high - low)*{n}; k < end; k *= 2) "
        f"memcpy({to} + k, {to}, eq_least(k, end - k)*{size});",
    ]


def _of_rows(nest: Nest, body: Body, repeated: list[int], n: str) -> list[str]:
    """Statements that compute the values of rows, and repeat those that elements need: a little too often, which the next row covers."""
    if not body.at[1]:
        return []
    types = {v: CTYPE[nest.values[v].dtype] for v in repeated}
    lines = [f"{ctype} e{v}[{MOST + STEP}];" for v, ctype in types.items()]
    lines += ["for (int64_t i = row; i < row + rows; i++) {", *(f"  {line}" for line in body.at[1])]
    if repeated:
        lines.append(f"  for (int64_t c = (i - row)*{n}; c < (i - row + 1)*{n}; c += {STEP}) {{")
        lines += [f"    for (int64_t u = 0; u < {STEP}; u++) e{v}[c + u] = t{v};" for v in repeated]
        lines.append("  }")
    return [*lines, "}"]


def _elements(nest: Nest, body: Body, repeated: list[int]) -> list[str]:
    """The loop over the elements of all rows."""
    folds = list(enumerate(nest.folds))
    flags = [k for k, f in folds if f.spreads_nan]
    lines = [f"{of_block(f)} b{k}[{MOST}];" for k, f in folds]
    lines += [f"{flag(nest.folds[k])} x{k} = 0;" for k in flags]
    clauses = "".join(f" reduction(|:x{k})" for k in flags)
    lines += [f"#pragma omp simd{clauses}", "for (int64_t j = 0; j < all; j++) {"]
    lines += [f"  const {CTYPE[nest.values[v].dtype]} t{v} = e{v}[j];" for v in repeated]
    lines += [f"  {line}" for line in body.at[2]]
    lines += [f"  b{k}[j] = ({of_block(f)})t{f.root};" for k, f in folds]
    lines += [f"  x{k} |= (t{f.root} != t{f.root});" for k, f in folds if f.spreads_nan]
    return [*lines, "}"]


def _fold(nest: Nest, k: int, result: str, n: str) -> list[str]:
    """Statements that combine fours of neighbours, and pick of each row those that have as many elements as it has.

    Where NaN is among the elements, which is rare, rows that have one are found first.
    """
    fold = nest.folds[k]
    ctype, target, b = of_block(fold), CTYPE[fold.dtype], f"b{k}"
    pick = plainly(fold, f"s{k}[r]", f"{b}[r*{n} + from]")
    halves = plainly(fold, f"{b}[j]", f"{b}[j + w]"), plainly(fold, f"{b}[j + 2*w]", f"{b}[j + 3*w]")
    lines = [
        f"{ctype} s{k}[{MOST}];",
        f"for (int64_t r = 0; r < rows; r++) s{k}[r] = {identity(fold)};",
    ]
    if fold.spreads_nan:
        lines += [
            f"int8_t h{k}[{MOST}];",
            f"if (x{k}) for (int64_t r = 0; r < rows; r++) {{",
            f"  h{k}[r] = 0;",
            f"  for (int64_t c = 0; c < {n}; c++) h{k}[r] |= {b}[r*{n} + c] != {b}[r*{n} + c];",
            "}",
        ]
    lines += [
        "for (int64_t w = 1, from = 0;; w *= 4) {",
        f"  for (int64_t stop = from + ({n} & 3*w); from < stop; from += w)",
        f"    for (int64_t r = 0; r < rows; r++) s{k}[r] = {pick};",
        f"  if (4*w > {n}) break;",
        "#pragma omp simd",
        f"  for (int64_t j = 0; j < all - 3*w; j++) {{ const {ctype} y = {halves[0]}, z = {halves[1]}; {b}[j] = {plainly(fold, 'y', 'z')}; }}",
        "}",
    ]
    if fold.spreads_nan:
        lines.append(f"if (x{k}) for (int64_t r = 0; r < rows; r++) if (h{k}[r]) s{k}[r] = NAN;")
    return [*lines, f"for (int64_t r = 0; r < rows; r++) {result}[row + r] = ({target})s{k}[r];"]
