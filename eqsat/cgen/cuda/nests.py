"""Nests without folds: a thread for each element, or for as many neighbours as 16 bytes hold where memory is contiguous."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from eqsat.cgen.c.nest_text import Parameters, block
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.cuda.kernels import FIRST, STEP, THREADS, Body, Kernel, apart, head, not_empty, product, words
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.nest import Nest

WIDE = 16  # bytes of an access


def elementwise(nest: Nest) -> Kernel:
    """The kernel of a nest without folds."""
    if len(nest.lengths) == 1 and _is_contiguous(nest):
        return _contiguous(nest)
    if len(nest.lengths) > 1 and _has_contiguous_rows(nest):
        return _rows(nest)
    names = Parameters(nest)
    return _kernel(nest, names, block(places(nest, names, FIRST, STEP), 1), product(nest.lengths))


def places(nest: Nest, names: Parameters, first: str, step: str) -> list[str]:
    """Statements with which a thread takes every ``step``-th place of a nest without folds, from the ``first`` on."""
    counters = [f"i{a}" for a in range(len(nest.lengths))]
    starts = nest.starts or ("0",) * len(counters)
    flat = [f"{c}f" if s != "0" else c for c, s in zip(counters, starts, strict=True)]
    body = Body(nest, names, [1] * len(counters), counters, -1)
    lengths = [names.number(n) for n in nest.lengths]
    moved = [
        f"const int64_t {c} = {f} + {names.number(s)};"
        for c, f, s in zip(counters, flat, starts, strict=True)
        if s != "0"
    ]
    inside = [*apart("at", flat, lengths), *moved, *(body.at[1] if counters else body.at[0])]
    loop = f"for (int64_t at = {first}; at < {product(lengths)}; at += {step}) {{"
    return [*(body.at[0] if counters else []), loop, *(f"  {line}" for line in inside), "}"]


def _kernel(nest: Nest, names: Parameters, text: str, work: str) -> Kernel:
    grid = (f"eq_grid({work}, {THREADS})", "1")
    return Kernel(head(nest, names) + text + "}\n", words(names), grid, test=not_empty(nest.lengths))


def _is_contiguous(nest: Nest) -> bool:
    plain = not (nest.tested or nest.picks or any(s != "0" for s in nest.starts))
    return plain and all(o.strides in (("0",), ("1",)) for o in nest.operands)


def _contiguous(nest: Nest) -> Kernel:
    """One contiguous axis: wide accesses, then the elements that are left; one by one where memory begins elsewhere.

    Rows of a larger array may begin anywhere, so addresses are tested.
    """
    names = Parameters(nest)
    n = names.number(nest.lengths[0])
    body = Body(nest, names, [1], ["j"], -1)
    rows = {k: names.names[k] for k, o in enumerate(nest.operands) if o.strides == ("1",)}
    widest = max(SIZE[nest.operands[k].dtype] for k in rows)
    many = max(1, WIDE // widest)
    text = block(body.at[0], 1)
    if many == 1:
        text += f"  for (int64_t j = {FIRST}; j < {n}; j += {STEP}) {{\n{block(body.at[1], 2)}  }}\n"
        return _kernel(nest, names, text, nest.lengths[0])
    bits = " | ".join(
        f"((uint64_t){name} & {many * SIZE[nest.operands[k].dtype] - 1})" for k, name in rows.items()
    )
    text += f"  int64_t done = 0;\n  if (({bits}) == 0) {{\n    done = {n} / {many};\n"
    text += f"    for (int64_t v = {FIRST}; v < done; v += {STEP}) {{\n"
    text += block(_loads(nest, rows, body.at[1], many), 3)
    text += block(["#pragma unroll", f"for (int e = 0; e < {many}; e++) {{"], 3)
    text += block([in_vector(line, rows) for line in body.at[1]], 4) + block(["}"], 3)
    stores = [
        f"(({_vector(nest, k, many)} *){name})[v] = v{k};"
        for k, name in rows.items()
        if _written(body.at[1], name)
    ]
    text += block(stores, 3) + f"    }}\n    done *= {many};\n  }}\n"
    text += f"  for (int64_t j = done + {FIRST}; j < {n}; j += {STEP}) {{\n{block(body.at[1], 2)}  }}\n"
    return _kernel(nest, names, text, f"({nest.lengths[0]} + {many - 1}) / {many}")


def _has_contiguous_rows(nest: Nest) -> bool:
    """True where the last axis of each operand that has it lies in one piece, and its length may be a multiple of a vector's."""
    plain = not (nest.tested or nest.picks or any(s != "0" for s in nest.starts))
    rows = plain and all(o.strides and o.strides[-1] in ("0", "1") for o in nest.operands)
    if not rows or any(o.written and o.strides[-1] != "1" for o in nest.operands):
        return False
    n, many = nest.lengths[-1], _many(nest)
    return many > 1 and not (n.isdigit() and int(n) % many)


def _many(nest: Nest) -> int:
    """The elements of a vector: as many as 16 bytes hold of the widest operand."""
    return max(1, WIDE // max(SIZE[o.dtype] for o in nest.operands if o.strides[-1] == "1"))


def _rows(nest: Nest) -> Kernel:
    """Rows that each lie in one piece: wide accesses where all begin at such addresses, as lengths and distances say; else elements."""
    names, many, inner = Parameters(nest), _many(nest), len(nest.lengths) - 1
    counters = [*(f"i{a}" for a in range(inner)), "j"]
    body = Body(nest, names, [*[1] * inner, 2], counters, inner)
    rows = {k: base for k in range(len(nest.operands)) if (base := body.row(k))}
    lengths = [names.number(n) for n in nest.lengths]
    addresses = [(names.names[k], many * SIZE[nest.operands[k].dtype]) for k in rows]
    steps = [nest.lengths[-1], *(s for k in rows for s in nest.operands[k].strides[:-1])]
    deep = body.at[2]
    lines = [
        f"if ({begins_wide(addresses, steps, many, names.number)}) {{",
        *(f"  {line}" for line in body.at[0]),
        f"  const int64_t wide = {lengths[-1]} / {many};",
        f"  for (int64_t at = {FIRST}; at < {product(lengths[:-1])}*wide; at += {STEP}) {{",
        "    const int64_t v = at % wide, row = at / wide;",
        *(f"    {line}" for line in (*apart("row", counters[:-1], lengths[:-1]), *body.at[1])),
        *(f"    {line}" for line in _loads(nest, rows, deep, many)),
        "    #pragma unroll",
        f"    for (int e = 0; e < {many}; e++) {{",
        *(f"      {in_vector(line, rows)}" for line in deep),
        "    }",
        *(
            f"    (({_vector(nest, k, many)} *){name})[v] = v{k};"
            for k, name in rows.items()
            if _written(deep, name)
        ),
        "  }",
        "} else {",
        *(f"  {line}" for line in places(nest, names, FIRST, STEP)),
        "}",
    ]
    total = product(nest.lengths)
    return _kernel(nest, names, block(lines, 1), f"({total} + {many - 1}) / {many}")


def begins_wide(
    addresses: Iterable[tuple[str, int]], steps: Iterable[str], many: int, number: Callable[[str], str]
) -> str:
    """The test that rows begin where wide accesses may: addresses with the bytes of an access, and the elements between rows.

    ``number`` is the name of a length or distance in the kernel.
    """
    bits = [f"((uint64_t){address} & {size - 1})" for address, size in addresses]
    bits += [
        f"(uint64_t)({number(n)} & {many - 1})"
        for n in dict.fromkeys(steps)
        if n != "0" and not _is_multiple(n, many)
    ]
    return f"({' | '.join(dict.fromkeys(bits)) or '0'}) == 0"


def _is_multiple(text: str, many: int) -> bool:
    """True for a product of which one factor is known to be a multiple of a number."""
    return any(part.isdigit() and int(part) % many == 0 for part in text.split("*"))


def _vector(nest: Nest, k: int, many: int) -> str:
    return f"eq_vector{many}_{CTYPE[nest.operands[k].dtype]}"


def _loads(nest: Nest, rows: dict[int, str], lines: Sequence[str], many: int) -> list[str]:
    found = []
    for k, name in rows.items():
        kind = _vector(nest, k, many)
        read = any(f"{name}[j]" in line and not line.startswith(f"{name}[j] =") for line in lines)
        found.append(f"{kind} v{k}{f' = ((const {kind} *){name})[v]' if read else ''};")
    return found


def _written(lines: Sequence[str], name: str) -> bool:
    return any(line.startswith(f"{name}[j] =") for line in lines)


def in_vector(line: str, rows: dict[int, str]) -> str:
    """A statement of an element as one of an element of vectors."""
    for k, name in rows.items():
        line = re.sub(rf"\b{name}\[j\]", f"v{k}.at[e]", line)
    return line
