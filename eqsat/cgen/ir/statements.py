"""Statements of the loop program, as data: those around nests and blocks, and those inside a block.

Names of numbers and pointers are those of the segment's tables, or local to a block. A target prints them.
"""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.base.values import dataclass
from eqsat.cgen.ir.expressions import ONE, ZERO, Expression, Int
from eqsat.cgen.ir.operand import Element, Memory


@dataclass(frozen=True)
class Define:
    """A number takes the value of an expression."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Point:
    """A pointer takes an address."""

    name: str
    address: Expression


@dataclass(frozen=True)
class Take:
    """A pointer takes a buffer of the workspace, made large enough for some elements; without memory the call ends.

    Those that are ``freed`` hold nothing any more: their memory may become that of others.
    """

    pointer: str
    slot: Expression
    dtype: str
    elements: Expression
    step: int
    freed: tuple[int, ...] = ()


@dataclass(frozen=True)
class Give:
    """A pointer takes the memory of an output, whose lengths are known now."""

    pointer: str
    output: int
    lengths: tuple[str, ...]
    step: int


@dataclass(frozen=True)
class Stop:
    """The call ends with an error; its message has room for the values. The step is that of the caller where it is -1."""

    code: int
    values: tuple[Expression, ...] = ()
    step: int = -1


@dataclass(frozen=True)
class Check:
    """The call ends where a test holds."""

    test: Expression
    stop: Stop


# --------------------------------------------------------------------------------------------------- inside a block


@dataclass(frozen=True)
class Let:
    """A name for a value; one that is ``variable`` may be assigned later."""

    name: str
    dtype: str
    value: Expression
    variable: bool = False


@dataclass(frozen=True)
class Assign:
    """A variable takes another value."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Store:
    """An element of memory takes a value."""

    element: Element
    value: Expression


@dataclass(frozen=True)
class Joining:
    """A variable is joined with the value that is ``given`` at a place: ``both`` says how, of a and b; it may be done in any groups."""

    variable: str
    given: Expression
    both: Expression


@dataclass(frozen=True)
class For:
    """A body for each value of a counter from ``start`` to before ``stop``, in steps, in order.

    With ``vector`` the order does not matter, save that of variables that are combined by ``max`` or ``+``.
    In a ``running`` loop a variable is joined with one value at each place, and nothing else goes from one place to the next.
    """

    counter: str
    stop: Expression
    body: Sequence[Statement]
    start: Expression = ZERO
    step: Expression = ONE
    vector: bool = False
    combined: tuple[tuple[str, str], ...] = ()
    running: Joining | None = None


@dataclass(frozen=True)
class Parallel:
    """A body for each place of a space, at the counters i0, i1 ...; no place needs what another one does."""

    lengths: tuple[Expression, ...]
    body: Sequence[Statement]


@dataclass(frozen=True)
class If:
    """A body where a test holds, another one where it does not."""

    test: Expression
    body: Sequence[Statement]
    otherwise: Sequence[Statement] = ()


@dataclass(frozen=True)
class Copy:
    """So many elements in one piece are copied."""

    to: Element
    source: Element
    count: Expression


@dataclass(frozen=True)
class Clear:
    """So many elements from an address on become zero."""

    memory: Memory
    count: Expression


@dataclass(frozen=True)
class Rooms:
    """Memory for so many elements each, which lasts until the end of the body; the call ends where there is none."""

    rooms: tuple[tuple[str, str, Expression], ...]  # name, dtype, elements
    missing: Stop
    body: Sequence[Statement]


@dataclass(frozen=True)
class Row:
    """A few elements of a dtype that live as long as the body they stand in."""

    name: str
    dtype: str
    count: int


@dataclass(frozen=True)
class Call:
    """A library function that each target knows by name, for a dtype, over numbers and addresses of memory.

    It ends the call where it does not give 0: with the first of ``stops`` for 1, else with the last; a ``result`` takes what it gives.
    """

    function: str
    dtype: str
    args: tuple[Expression, ...]
    stops: tuple[Stop, ...] = ()
    result: str = ""  # a variable


@dataclass(frozen=True)
class Rehearse:
    """A call that only checks ends here."""


@dataclass(frozen=True)
class Answer:
    """A block gives a number to the segment."""

    place: int
    value: Expression


# ------------------------------------------------------------------------------------------------ loops over steps


@dataclass(frozen=True)
class Local:
    """A few numbers of a dtype that live in the function of a loop, whose compiler can keep them in registers."""

    name: str
    dtype: str
    value: Expression | None = None
    count: int = 1


@dataclass(frozen=True)
class Write:
    """The number of a dtype at an address takes a value."""

    address: Expression
    dtype: str
    value: Expression


@dataclass(frozen=True)
class Move:
    """A number of a dtype, or an address where there is none, takes the value of another one between two steps."""

    to: str
    source: str
    dtype: str = ""


@dataclass(frozen=True)
class Steps:
    """A loop over ``count`` steps, whose number is ``now``; a ``trial`` makes one step where there are none.

    A step runs ``head``, ``body`` and ``tail``, and ends with the ``moves``, all at once; the loop ends early where ``stop``
    is not 0. ``before`` and ``after`` stand around all steps. Of what the loop sets, ``leaving`` is read after it.
    """

    count: Expression
    now: str
    trial: bool
    before: Sequence[Statement]
    head: Sequence[Statement]
    body: Sequence[Statement]
    tail: Sequence[Statement]
    moves: Sequence[Move]
    stop: str
    after: Sequence[Statement]
    leaving: Sequence[str]

    @property
    def at_least_one(self) -> bool:
        """True where it is known that there is a step."""
        return isinstance(self.count, Int) and self.count.value > 0


@dataclass(frozen=True)
class RowBlocks:
    """A body for each of ``count`` blocks of rows, whose number is ``now``; none of them needs what another one does.

    What ``head`` and ``body`` set belongs to the thread that runs them. ``work`` is the number of bytes that they go through.
    A block has at most ``many`` of all ``rows``, and ``some`` names their number; to ``scratch`` lead the pointers whose memory
    nobody reads after the block. Rows ``across`` lie apart in memory.
    """

    count: Expression
    now: str
    head: Sequence[Statement]
    body: Sequence[Statement]
    work: Expression
    rows: Expression
    many: Expression
    some: str
    scratch: frozenset[str]
    across: bool


# ---------------------------------------------------------------------------------------------------------- blocks


@dataclass(frozen=True)
class Parameter:
    """A pointer to elements of a dtype, or a number where there is none, that a block is given at a place."""

    name: str
    place: int
    dtype: str = ""
    written: bool = False


@dataclass(frozen=True)
class Block:
    """A body over parameters of its own, so that equal ones are one; with ``answers`` it gives so many numbers."""

    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    answers: int = -1


@dataclass(frozen=True)
class RunBlock:
    """A block runs over pointers and numbers of the segment, and may end the call; ``names`` take its answers."""

    block: Block
    pointers: tuple[str, ...]
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    step: int


# A statement may be in the target's own text, as an op of the user gives it.
Statement = (
    Define | Point | Take | Give | Check | Let | Assign | Store | For | Parallel | If | Copy | Clear
    | Rooms | Row | Call | Rehearse | Answer | Stop | RunBlock
    | Local | Write | Steps | RowBlocks | str
)  # fmt: skip
