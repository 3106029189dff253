"""softmax and its kin: per row the maximum, then the sum of exponentials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter, loops

_SHORT = 64  # elements of a row below which many rows share one loop of exponentials


_ROOM = 1024  # elements of such rows at a time


def _by_rows(finish: str, keep: bool = False) -> Any:
    """C of softmax-like ops: per row the maximum, the sum of exponentials, then ``finish`` per element.

    ``finish`` names the element ``{v}`` and its share of the sum ``{part}``; with ``keep`` the exponentials are kept in
    the result until then.
    """

    def write(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
        (x,), axes = ins, op.params["axes"]
        rows = _Rows(x, out, axes, finish, keep)
        if axes == (len(x.n) - 1,) and rows.kept:
            length = rows.lengths[0]
            w.emit(f"if ({length} > 0 && {length} <= {_SHORT}) {{ {rows.many()} }} else {{ {rows.each()} }}")
        else:
            w.emit(rows.each())

    return write


class _Rows:
    """The loops over the rows of an operand: one row after the other, or many short ones together."""

    def __init__(self, x: COperand, out: COperand, axes: Sequence[int], finish: str, keep: bool) -> None:
        self.kept = [a for a in range(len(x.n)) if a not in axes]
        self.lengths = [x.n[a] for a in axes]
        self.around = [x.n[a] for a in self.kept]
        self.finish, self.keep, self.ctype = finish, keep, x.ctype
        self.f = "f" if x.dtype == "float32" else ""
        index = [f"r{axes.index(a)}" if a in axes else f"i{self.kept.index(a)}" for a in range(len(x.n))]
        self.v = x.at(index)
        self.target = out.at(index if finish else ["0" if a in axes else index[a] for a in range(len(x.n))])

    def inner(self, body: str, clause: str = "") -> str:
        """A loop over one row, in vectors; over no axes, a row is one element."""
        if not self.lengths:
            return f"{{ {body} }}"
        last = len(self.lengths) - 1
        head = f"\n#pragma omp simd {clause}\n"
        loop = f"{head}for (int64_t r{last} = 0; r{last} < {self.lengths[-1]}; r{last}++) {{ {body} }}"
        return loops(self.lengths[:-1], loop, index="r")

    def each(self) -> str:
        """One row after the other."""
        top = self.inner(f"top = {self.v} > top ? {self.v} : top;", "reduction(max:top)")
        store = f"{self.target} = e; " if self.keep else ""
        add = self.inner(
            f"{self.ctype} e = exp{self.f}({self.v} - top); {store}total += e;", "reduction(+:total)"
        )
        body = (
            f"{self.ctype} top = -INFINITY; {top} {_FINITE} double total = 0; {add} {self.last(self.target)}"
        )
        return loops(self.around, body)

    def many(self) -> str:
        """As many short rows as there is room for, with one loop over all their exponentials."""
        row, n, length = f"i{len(self.around) - 1}", self.around[-1], self.lengths[0]
        over = f"for (int64_t {row} = b; {row} < stop; {row}++, k += {length})"
        scan = f"for (int64_t r0 = 0; r0 < {length}; r0++)"
        body = (
            f"for (int64_t b = 0; b < {n}; b += {_ROOM} / {length}) {{ {self.ctype} e[{_ROOM}], tops[{_ROOM}]; "
            f"int64_t stop = b + {_ROOM} / {length} < {n} ? b + {_ROOM} / {length} : {n}, k = 0; "
            f"{over} {{ {self.ctype} top = -INFINITY; {scan} {{ {self.ctype} v = {self.v}; top = v > top ? v : top; }} "
            f"{_FINITE} tops[{row} - b] = top; {scan} e[k + r0] = {self.v} - top; }}\n#pragma omp simd\n"
            f"for (int64_t j = 0; j < k; j++) e[j] = exp{self.f}(e[j]); k = 0; "
            f"{over} {{ {self.ctype} top = tops[{row} - b]; (void)top; double total = 0; "
            f"{scan} total += e[k + r0]; {self.last('e[k + r0]', scan)} }} }}"
        )
        return loops(self.around[:-1], body)

    def last(self, e: str, scan: str = "") -> str:
        """The statements after a row has its sum; ``e`` is where the exponential of an element is."""
        if not self.finish:
            return f"{self.target} = ({self.ctype})(top + log(total));"
        logs = "double logs = log(total); " if "logs" in self.finish else ""
        if (
            self.f and "{part}" in self.finish
        ):  # in float64 the quotient and the product round to the same float32
            logs = "double scale = 1 / total; "
        part = f"{e} * scale" if self.f else f"{e} / total"
        body = f"{self.target} = {self.finish.format(v=self.v, part=part)};"
        return logs + self.inner(body)


_FINITE = "if (!(top > -INFINITY && top < INFINITY)) top = 0;"


softmax = _by_rows("{part}", keep=True)
log_softmax = _by_rows("({v} - top) - logs")
logsumexp = _by_rows("")
