"""The side of a target while a plan becomes statements: errors and operands it keeps, nests, blocks and loops it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.builders import beside, builder
from eqsat.cgen.builders.signature import lengths_by_signature
from eqsat.cgen.ir.arrays import Storage
from eqsat.cgen.ir.lanes import Lanes
from eqsat.cgen.ir.meta import ErrorText, Meta
from eqsat.cgen.ir.nest import Nest
from eqsat.cgen.ir.statements import RowBlocks, RunBlock, Statement, Steps
from eqsat.errors import describe
from eqsat.graph.core import Apply, Constant


class Printer:
    """Says what becomes of nests, blocks and loops, each at the place at which it stands; without a target, a statement."""

    by_places = False  # threads each take a place of a space: builders write plain loops
    goes_on = False  # a fold may be combined with what an earlier nest has written

    def __init__(self, openmp: bool = False, profile: bool = False) -> None:
        self.meta = Meta(openmp=openmp)
        self.profile = profile
        self._errors: dict[ErrorText, int] = {}
        self._noted: Apply | None = None  # whose operands were noted last
        self._described: dict[Apply | None, list[tuple[str, str]]] = {}
        self.step = 0

    # ------------------------------------------------------------------------------------------------- statements

    def constant(self, variable: Constant) -> str:
        """Name of the pointer to a constant's elements."""
        raise NotImplementedError

    def nest(self, w: Any, nest: Nest) -> None:
        """Append a nest to a segment."""
        w.emit(nest)

    def lanes(self, w: Any, lanes: Lanes) -> None:
        """Append a loop of lanes to a segment."""
        w.emit(lanes)

    def loop_forms(self, loop: Any) -> tuple[str, ...]:
        """The forms that a loop may have, of which the first one that it can have is taken, where the plan tells none."""
        return ("lanes",)

    def keeps_near(self, loop: Any) -> bool:
        """True for a loop whose small values may be local variables of the function that runs it."""
        return True

    def block(self, w: Any, run: RunBlock) -> tuple[Statement, str, list[Storage]]:
        """The statement that runs a block, what it depends on besides, and buffers that are free after it."""
        return run, "", []

    def steps(self, body: Any, steps: Steps) -> Statement:
        """The statement that runs a loop whose passes a segment has written."""
        return steps

    def rows(self, body: Any, blocks: RowBlocks) -> Statement:
        """The statement that runs blocks of rows."""
        return blocks

    def close(self, w: Any, statements: Sequence[Statement]) -> list[Any]:
        """Statements of a segment that are complete, perhaps as parts."""
        return list(statements)

    def tick(self) -> Statement:
        """A statement that adds the time since the last one to a new place."""
        raise NotImplementedError

    def user(self, w: Any, apply: Apply) -> None:
        """Append an op of the user that no declaration describes."""
        raise NotImplementedError

    def state(self) -> Any:
        """A mark to which ``back_to`` returns when a loop is written again."""
        return None

    def back_to(self, state: Any) -> None:
        """Forget what was written since."""

    # --------------------------------------------------------------------------------------------------- builders

    def builder_of(self, declaration: Any) -> Any:
        """The builder of a view or block."""
        return builder(declaration.builder)

    def lengths_of(self, declaration: Any) -> Any:
        """The function that gives the lengths of the results of a block: its own, else what follows from its signature."""
        return beside(declaration.builder, "_lengths") or lengths_by_signature

    def pieces_of(self, declaration: Any) -> Any:
        """The function that says where the operands of a block stand in its result."""
        return beside(declaration.builder, "_pieces")

    def room_of(self, declaration: Any) -> Any:
        """The function that gives the size of the working memory of a block, if it has one."""
        return beside(declaration.builder, "_room")

    # ----------------------------------------------------------------------------------------------------- errors

    def error(self, error: str, message: str, needs: str | None = None, hint: str | None = None) -> int:
        """Number under which statements report an error."""
        return self._errors.setdefault(ErrorText(error, message, needs, hint), len(self._errors))

    def new_step(self) -> None:
        """A new place at which errors may arise: what is noted next belongs to it."""
        self.step += 1

    def own_step(self, node: Apply) -> None:
        """The present place for an application, or a new one where operands of something else were noted of it."""
        if self.step in self.meta.operands and self._noted is not node:
            self.new_step()

    def note_operands(
        self,
        operands: Callable[[], Sequence[tuple[str, Any]]],
        node: Apply | None = None,
        of: Apply | None = None,
    ) -> None:
        """Remember what an error of the present place says about its operands, which are asked for once a place.

        Operands ``of`` an application are described once, however many places it has.
        """
        if self.step not in self.meta.operands:
            self._noted = node
            found = self._described.get(of)
            if found is None:
                found = [(name, describe(v)) for name, v in operands()]
                if of is not None:
                    self._described[of] = found
            self.meta.operands[self.step] = found
