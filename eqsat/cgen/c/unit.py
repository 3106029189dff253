"""One translation unit in the making: its functions, each text once, its constants and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from eqsat.cgen.c import prelude
from eqsat.cgen.c.block_text import block_call
from eqsat.cgen.c.halves import in_halves
from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.nest_call import emit_lanes, emit_nest
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.own_text import builder_of, lengths_of, room_of
from eqsat.cgen.c.pieces import COLD, LONG, RARE, pieces
from eqsat.cgen.c.rows_text import rows_call
from eqsat.cgen.c.shared_functions import with_shared
from eqsat.cgen.c.statements import lines_of, printed
from eqsat.cgen.c.steps_text import pass_of, steps_call
from eqsat.cgen.c.user_code import emit_user
from eqsat.cgen.ir.arrays import Storage
from eqsat.cgen.ir.lanes import Lanes
from eqsat.cgen.ir.nest import Nest
from eqsat.cgen.ir.statements import RowBlocks, RunBlock, Statement, Steps
from eqsat.cgen.lower.printer import Printer
from eqsat.cgen.lower.segment import PART, Segment
from eqsat.cgen.runtime import abi, convolutions
from eqsat.graph.core import Apply, Constant, Variable


class Unit(Printer):
    """Collects the text of functions and the tables beside it."""

    goes_on = True
    halves = True  # of a long text are compiled at once
    visible = 8  # constants of up to this many elements stand in the text
    rows_text = prelude.ROWS
    on_device = False  # what is computed may lie on a device

    def __init__(self, openmp: bool, profile: bool = False) -> None:
        super().__init__(openmp, profile)
        self.functions: dict[str, str] = {}
        self.tables: list[str] = []
        self._constants: dict[Variable, str] = {}
        self._visible: dict[str, str] = {}
        self.clocks = 0

    def nest(self, w: Segment, nest: Nest) -> None:
        emit_nest(w, nest)

    def lanes(self, w: Segment, lanes: Lanes) -> None:
        emit_lanes(w, lanes)

    def block(self, w: Segment, run: RunBlock) -> tuple[Statement, str, list[Storage]]:
        return block_call(w, "b" if run.block.answers < 0 else "d", run)

    def steps(self, body: Any, steps: Steps) -> Statement:
        return steps_call(body, steps)

    def rows(self, body: Any, blocks: RowBlocks) -> Statement:
        return rows_call(body, blocks)

    def close(self, w: Segment, statements: Sequence[Statement]) -> list[Any]:
        """Close the present C function: compilers are slow on long ones."""
        lines = lines_of(statements)
        if w.depth:
            parts = pieces(lines, partial(pass_of, self))
            return [f"if ({pass_of(self, part)}(c)) return 1;" for part in parts]
        return [self._part(part) for part in pieces(lines, self._part)]

    def twice(self, statements: Sequence[Statement]) -> list[str]:
        """Lines that run statements twice: only their checks at first, which end the call before anything is written."""
        again = printed(statements)
        lines = ["c->dry = 1;", *again, "c->dry = 0;", *again]
        return lines if len(lines) > PART else [" ".join(lines)]

    def _part(self, lines: Sequence[str]) -> str:
        """Name of the C function of some statements."""
        text = "".join(f"  {line}\n" for line in lines)
        head = f"static {RARE if len(text) > LONG else COLD} int64_t @NAME(eq_call *c) {{\n"
        locals_ = "  int64_t *const N = c->N; char **const P = c->P; const char *const *const K = c->K;\n"
        return self.function("part", f"{head}{locals_}{text}  return 0;\n}}\n")

    def user(self, w: Segment, apply: Apply) -> None:
        emit_user(w, apply)

    def state(self) -> Any:
        return len(self.functions), self.clocks

    def back_to(self, state: Any) -> None:
        count, self.clocks = state
        for text in list(self.functions)[count:]:
            del self.functions[text]

    def builder_of(self, declaration: Any) -> Any:
        return builder_of(declaration)

    def lengths_of(self, declaration: Any) -> Any:
        return lengths_of(declaration)

    def room_of(self, declaration: Any) -> Any:
        return room_of(declaration)

    def function(self, kind: str, text: str) -> str:
        """Name of a function with this text (``@NAME`` where its name stands); equal texts share one."""
        name = self.functions.get(text)
        if name is None:
            name = self.functions[text] = f"eq_{kind}{len(self.functions)}"
        return name

    def constant(self, variable: Constant) -> str:
        """C text of the pointer to a constant's elements."""
        found = self._constants.get(variable)
        if found is None:
            found = self._constants[variable] = self._new_constant(variable)
        return found

    def table(self, numbers: Sequence[int]) -> str:
        """C text of a constant array of numbers."""
        return self._shown(f"static const int64_t @NAME[] = {{{', '.join(map(str, numbers))}}};\n")

    def _new_constant(self, variable: Any) -> str:
        data = np.ascontiguousarray(variable.data).reshape(variable.data.shape)
        if data.size <= self.visible:
            return self._visible_constant(data, variable.type.dtype)
        self.meta.constants.append(np.asarray(data.view(np.uint8) != 0) if data.dtype == bool else data)
        return f"(void *)K[{len(self.meta.constants) - 1}]"

    def _visible_constant(self, data: np.ndarray, dtype: str) -> str:
        values = ", ".join(literal(v, dtype) for v in data.ravel()) or "0"
        name = self._shown(f"static const {CTYPE[dtype]} @NAME[] = {{{values}}};\n")
        return f"(void *){name}"

    def _shown(self, text: str) -> str:
        """Name of a table with this text."""
        name = self._visible.get(text)
        if name is None:
            name = self._visible[text] = f"eq_c{len(self._visible)}"
            self.tables.append(text.replace("@NAME", name))
        return name

    def tick(self) -> str:
        """A statement that adds the time since the last one to a new place."""
        self.clocks += 1
        return f"eq_tick({self.clocks});"

    def run_text(self, number: int, calls: str) -> str:
        """The function that runs a segment, of which ``calls`` run the parts."""
        return f"static int64_t eq_run_{number}(eq_call *c) {{\n{calls}  return 0;\n}}\n"

    def finish(self, tables: Sequence[str]) -> tuple[str, str]:
        """The C text that comes first and that of the functions and tables of this unit; those of segments come last."""
        self.meta.errors = list(self._errors)
        self.meta.steps = self.clocks
        functions = with_shared(self.functions)
        body = "".join(functions)
        own = prelude.helpers(body)
        self.meta.blas = prelude.blas_names(own + body)
        spread = abi.SPREAD if self.meta.openmp else abi.SERIAL
        first = "".join(
            [
                abi.TYPES,
                abi.CALL,
                abi.SUPPORT,
                spread if "eq_spread" in own + body else "",
                self.rows_text if "eq_blocks(" in body else "",
                prelude.FILL if "eq_fill" in body else "",
                prelude.FIRST if "eq_first(" in body else "",
                prelude.APART if "eq_apart" in body else "",
                prelude.ADDED if "eq_added" in body else "",
                prelude.PROFILE.replace("STEPS", str(self.clocks + 1)) if self.profile else "",
                convolutions.PLAN if "eq_conv_" in own + body else "",
                prelude.prototypes(own + body, prelude.vector_functions()),
                prelude.blas(self.meta.blas),
                own,
            ]
        )
        split = self.halves and not self.profile
        whole = in_halves(functions, tables) if split else "".join([body, *tables])
        return first, "".join([*self.tables, whole])
