"""C text of lanes: blocks of them run through all steps, with what they carry in arrays of the function."""

from __future__ import annotations

from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.nest_text import Parameters, block, expression
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.plain_nests import HEAD
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.expressions import plain_text
from eqsat.cgen.ir.lanes import Carried, Lanes, LaneValue
from eqsat.cgen.ir.nest import Computed, Read

NEAR, FAR = 512, 4096  # lanes of a block; rows of each step are read in long pieces
ROOM = 131072  # bytes of what a block carries
EACH = "for (int64_t j = 0; j < w; j++)"


def _kept(x: Lanes, number: int) -> int:
    """The operand in whose rows a carried value is written anyway; -1 where it has an array."""
    after = x.carried[number].after
    return next((operand for root, operand in x.stores if root == after), -1)


def _block(x: Lanes) -> int:
    """Lanes of a block."""
    bytes_each = sum(SIZE[c.dtype] for k, c in enumerate(x.carried) if _kept(x, k) < 0)
    size = FAR if any(r.lane == "1" and r.step != "0" for r in x.operands) else NEAR
    while size > NEAR // 8 and size * bytes_each > ROOM:
        size //= 2
    return size


def lanes_text(x: Lanes) -> tuple[str, Parameters]:
    """Text of the function of some lanes, and its parameters."""
    names = Parameters(x)
    text = _Text(x, names)
    steps, size = names.number(plain_text(x.steps)), _block(x)
    lines = [
        *text.at[0],
        f"for (int64_t g = low; g < high; g += {size}) {{",
        f"  const int64_t w = eq_least(high - g, {size});",
        *(f"  {CTYPE[x.carried[k].dtype]} s{k}[{size}];" for k in text.arrays),
        *(f"  {EACH} s{k}[j] = {names.names[x.carried[k].first]}[g + j];" for k in text.arrays),
        f"  for (int64_t t = 0; t < {steps}; t++) {{",
        *(f"    {line}" for line in text.at[1]),
        "#pragma omp simd",
        f"    {EACH} {{",
        *(f"      {line}" for line in text.at[2]),
        "    }",
        "  }",
        *(f"  {EACH} {names.names[operand]}[g + j] = s{k}[j];" for k, operand in x.last),
        "}",
    ]
    return f"{HEAD}{names.head(x)}{block(lines, 1)}}}\n".replace("  #pragma", "#pragma"), names


class _Text:
    """Statements before all lanes, at each step, and at each lane."""

    def __init__(self, x: Lanes, names: Parameters) -> None:
        self.x, self.names = x, names
        self.at: list[list[str]] = [[], [], []]
        self.level: list[int] = []
        last = [k for k, _ in x.last]
        self.arrays = [k for k in range(len(x.carried)) if k in last or _kept(x, k) < 0]
        for k, row in enumerate(x.operands):
            if row.lane == "1" and row.step != "0":
                const = "" if row.written else "const "
                self.at[1].append(f"{const}{CTYPE[row.dtype]} *const q{k} = {self._start(k)} + g;")
        for k, c in enumerate(x.carried):
            if k not in self.arrays:
                out, first = _kept(x, k), f"{names.names[c.first]} + g"
                before = f"q{out} - {names.number(x.operands[out].step)}"
                self.at[1].append(f"const {CTYPE[c.dtype]} *const s{k} = t ? {before} : {first};")
        for number, value in enumerate(x.values):
            level, text = self._place(value)
            self.level.append(level)
            self.at[level].append(f"const {CTYPE[value.dtype]} t{number} = {text};")
        self.at[2] += [f"{self._element(operand)} = t{root};" for root, operand in x.stores]
        self.at[2] += [f"s{k}[j] = t{x.carried[k].after};" for k in self.arrays]

    def _place(self, value: LaneValue) -> tuple[int, str]:
        """The number of loops that have to be open for a value, and its text."""
        if isinstance(value, Carried):
            return 2, f"s{value.number}[j]"
        if isinstance(value, Read):
            row = self.x.operands[value.operand]
            return 2 if row.lane == "1" else 1 if row.step != "0" else 0, self._element(value.operand)
        if isinstance(value, Computed):
            return max((self.level[a] for a in value.args if a >= 0), default=0), expression(value)
        return 0, literal(value.value, value.dtype)

    def _start(self, operand: int) -> str:
        step = self.names.number(self.x.operands[operand].step)
        return f"{self.names.names[operand]} + t*{step}"

    def _element(self, operand: int) -> str:
        row = self.x.operands[operand]
        if row.lane == "0":
            return f"*({self._start(operand)})" if row.step != "0" else f"{self.names.names[operand]}[0]"
        return f"q{operand}[j]" if row.step != "0" else f"{self.names.names[operand]}[g + j]"
