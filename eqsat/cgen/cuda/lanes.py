"""Loops of lanes: a thread takes a lane through all steps, with what it carries in registers."""

from __future__ import annotations

from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.nest_text import Parameters, block, expression
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.cuda.kernels import THREADS, Kernel, head, not_empty, words
from eqsat.cgen.ir.expressions import plain_text
from eqsat.cgen.ir.lanes import Carried, Lanes, LaneValue
from eqsat.cgen.ir.nest import Computed, Read

WARP, BLOCKS = 32, 128  # threads of a block at least, and blocks that few lanes are shared by


def lanes_kernel(x: Lanes) -> Kernel:
    """The kernel of a loop of lanes."""
    names = Parameters(x)
    steps, lanes = names.number(plain_text(x.steps)), names.number(x.lanes)
    at: list[list[str]] = [[], [], []]  # before the lanes, before the steps of one, at a step
    level: list[int] = []
    for number, value in enumerate(x.values):
        place, text = _value(x, names, value, level)
        level.append(place)
        at[place].append(f"const {CTYPE[value.dtype]} t{number} = {text};")
    carried = [f"{CTYPE[c.dtype]} s{k} = {names.names[c.first]}[g];" for k, c in enumerate(x.carried)]
    deep = [*at[2], *(f"{_element(x, names, operand)} = t{root};" for root, operand in x.stores)]
    deep += [f"s{k} = t{c.after};" for k, c in enumerate(x.carried)]
    last = [f"{names.names[operand]}[g] = s{k};" for k, operand in x.last]
    first, step = "(int64_t)blockIdx.x*blockDim.x + threadIdx.x", "(int64_t)gridDim.x*blockDim.x"
    text = block(at[0], 1) + f"  for (int64_t g = {first}; g < {lanes}; g += {step}) {{\n"
    text += block([*carried, *at[1], f"for (int64_t t = 0; t < {steps}; t++) {{"], 2)
    text += block(deep, 3) + block(["}", *last], 2) + "  }\n"
    threads = f"{WARP}*eq_power(({x.lanes} + {WARP * BLOCKS - 1}) / {WARP * BLOCKS}, {THREADS // WARP})"
    grid = (f"eq_grid({x.lanes}, {threads})", "1")
    return Kernel(head(x, names) + text + "}\n", words(names), grid, (threads, "1"), not_empty([x.lanes]))


def _value(x: Lanes, names: Parameters, value: LaneValue, level: list[int]) -> tuple[int, str]:
    """The loops around a value, and its text."""
    if isinstance(value, Carried):
        return 2, f"s{value.number}"
    if isinstance(value, Read):
        row = x.operands[value.operand]
        return 2 if row.step != "0" else 1 if row.lane == "1" else 0, _element(x, names, value.operand)
    if isinstance(value, Computed):
        return max((level[a] for a in value.args if a >= 0), default=0), expression(value)
    return 0, literal(value.value, value.dtype)


def _element(x: Lanes, names: Parameters, operand: int) -> str:
    row = x.operands[operand]
    terms = ["g"] * (row.lane == "1") + [f"t*{names.number(row.step)}"] * (row.step != "0")
    return f"{names.names[operand]}[{' + '.join(terms) or '0'}]"
