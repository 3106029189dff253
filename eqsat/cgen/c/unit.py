"""One translation unit in the making: its functions, each text once, its constants and its errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.cgen.c import prelude
from eqsat.cgen.c.literals import literal
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.shared_functions import with_shared
from eqsat.cgen.ir.meta import ErrorText, Meta
from eqsat.cgen.runtime import abi
from eqsat.errors import describe
from eqsat.graph.core import Apply, Constant, Variable

VISIBLE = 8  # constants of up to this many elements stand in the text


class Unit:
    """Collects the text of functions and the tables beside it."""

    def __init__(self, openmp: bool, profile: bool = False) -> None:
        self.meta = Meta(openmp=openmp)
        self.profile = profile
        self.functions: dict[str, str] = {}
        self.tables: list[str] = []
        self._errors: dict[ErrorText, int] = {}
        self._noted: Apply | None = None  # whose operands were noted last
        self._constants: dict[Variable, str] = {}
        self._visible: dict[str, str] = {}
        self.step = self.clocks = 0

    def function(self, kind: str, text: str) -> str:
        """Name of a function with this text (``@NAME`` where its name stands); equal texts share one."""
        name = self.functions.get(text)
        if name is None:
            name = self.functions[text] = f"eq_{kind}{len(self.functions)}"
        return name

    def error(self, error: str, message: str, needs: str | None = None, hint: str | None = None) -> int:
        """Number under which C reports an error."""
        return self._errors.setdefault(ErrorText(error, message, needs, hint), len(self._errors))

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
        if data.size <= VISIBLE:
            return self._visible_constant(data, variable.type.dtype)
        self.meta.constants.append(data.view(np.uint8) != 0 if data.dtype == bool else data)
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

    def new_step(self) -> None:
        """A new place at which errors may arise: what is noted next belongs to it."""
        self.step += 1

    def own_step(self, node: Apply) -> None:
        """The present place for an application, or a new one where operands of something else were noted of it."""
        if self.step in self.meta.operands and self._noted is not node:
            self.new_step()

    def tick(self) -> str:
        """A statement that adds the time since the last one to a new place."""
        self.clocks += 1
        return f"eq_tick({self.clocks});"

    def note_operands(
        self, operands: Callable[[], Sequence[tuple[str, Variable]]], node: Apply | None = None
    ) -> None:
        """Remember what an error of the present place says about its operands, which are asked for once a place."""
        if self.step not in self.meta.operands:
            self._noted = node
            self.meta.operands[self.step] = [(name, describe(v)) for name, v in operands()]

    def finish(self) -> tuple[str, str]:
        """The C text that comes first and that of the functions and tables of this unit."""
        self.meta.errors = list(self._errors)
        self.meta.steps = self.clocks
        body = "".join(with_shared(self.functions))
        own = prelude.helpers(body)
        self.meta.blas = prelude.blas_names(own + body)
        spread = abi.SPREAD if self.meta.openmp else abi.SERIAL
        first = "".join(
            [
                abi.TYPES,
                abi.CALL,
                abi.SUPPORT,
                spread if "eq_spread" in own + body else "",
                (prelude.LANES if self.meta.openmp else prelude.ONE_LANE) if "eq_lane" in own + body else "",
                prelude.CHUNKS if "eq_span" in body else "",
                prelude.FILL if "eq_fill" in body else "",
                prelude.PROFILE.replace("STEPS", str(self.clocks + 1)) if self.profile else "",
                prelude.prototypes(own + body, prelude.vector_functions()),
                prelude.blas(self.meta.blas),
                own,
            ]
        )
        return first, "".join([*self.tables, body])
