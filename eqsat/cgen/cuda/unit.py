"""A plan for a device: kernels as one device text, and the host program, C that launches them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.configuration import config
from eqsat.cgen.c.prelude import ROWS
from eqsat.cgen.c.statements import lines_of
from eqsat.cgen.c.unit import Unit
from eqsat.cgen.c_files import sections
from eqsat.cgen.cuda.blocks import launching, touches_memory, writes_known
from eqsat.cgen.cuda.convolutions import convolution_kernel
from eqsat.cgen.cuda.convolutions import host_function as convolution_function
from eqsat.cgen.cuda.copies import by_kernels, only_moves
from eqsat.cgen.cuda.few_integers import are_few, of_host
from eqsat.cgen.cuda.folds import emit_folds
from eqsat.cgen.cuda.held_rows import held_rows
from eqsat.cgen.cuda.kernels import Kernel
from eqsat.cgen.cuda.lanes import lanes_kernel
from eqsat.cgen.cuda.loops import is_alone, is_few, is_whole, whole_loop
from eqsat.cgen.cuda.nests import elementwise
from eqsat.cgen.cuda.places import Touches, entries, named, read_by, read_in
from eqsat.cgen.cuda.products import host_function, product_kernel
from eqsat.cgen.cuda.rows import BLOCKS, rows_kernel
from eqsat.cgen.ir.arrays import Storage
from eqsat.cgen.ir.expressions import Expression, Int
from eqsat.cgen.ir.lanes import Lanes
from eqsat.cgen.ir.nest import Nest
from eqsat.cgen.ir.statements import (
    Call,
    Clear,
    Copy,
    Give,
    If,
    Point,
    RowBlocks,
    RunBlock,
    Statement,
    Steps,
    Store,
    Write,
)
from eqsat.cgen.lower.loop_body import BLOCK, NotWhole
from eqsat.cgen.lower.rows import RowBody, Unsplit
from eqsat.cgen.lower.segment import Segment
from eqsat.graph.core import Apply
from eqsat.graph.plan import Loop, reads

HOST, NEAR_ROWS = sections(__file__, "host.c").values()
WAIT = "eq_wait();"
_PLACED = re.compile(r"P\[(\d+)\]")
CHUNKS = 2048  # of rows that are cut
PARTS = ("before", "head", "body", "tail", "after")  # of a loop
FEW = 256  # elements of a step of a loop that the host runs: a launch takes longer


class DeviceUnit(Unit):
    """Collects the kernels of a text beside its C."""

    by_places, goes_on = True, False
    halves = False  # the host's text is short
    on_device = True
    visible = -1  # kernels do not see constants of the host's text
    rows_text = ROWS.replace("eq_rows_near", "eq_rows_of_caches") + NEAR_ROWS

    def __init__(self, openmp: bool, profile: bool = False, stays: Sequence[int] = ()) -> None:
        super().__init__(openmp, profile)
        self.stays = stays  # outputs that stay on the device
        self.kernels: dict[str, int] = {}
        self.products: dict[int, str] = {}  # the host's functions by the numbers of kernels
        self.large = False  # True with products that are known to be large
        self.on_host: dict[str, None] = {}  # ops without kernels
        self.touches = Touches()
        self.segment: Any = None  # the one whose statements are made
        # a segment, and its steps that give a few integers to the host
        self._few: tuple[Any, set[int]] = (None, set())
        self._quiet: set[str] = set()  # texts that hand pointers on, and leave the memory behind them alone

    def launch(self, w: Segment, kernel: Kernel) -> None:
        """Append the statement that launches a kernel."""
        w.emit(self.launched(kernel))

    def launched(self, kernel: Kernel) -> str:
        """The statement that launches a kernel."""
        number = self.kernels.setdefault(kernel.text, len(self.kernels))
        geometry = ", ".join([*kernel.grid, *kernel.block])
        words = ", ".join(f"(uint64_t)({text})" for text in kernel.words)
        call = f"eq_launch({number}, {len(kernel.words)}, {geometry}, {words or '0'});"
        self.touches.by_kernel(entries(words))
        return self._quietly(f"{{ if ({kernel.test}) {{ {call} }} }}" if kernel.test else f"{{ {call} }}")

    def _quietly(self, text: Any) -> str:
        """A text whose pointers are only handed on."""
        self._quiet.add(text)
        return str(text)

    # ------------------------------------------------------------------------------------------------- statements

    def loop_forms(self, loop: Any) -> tuple[str, ...]:
        few = all(is_few(s, FEW) for s in loop.plan.steps)
        return ("lanes", "host") if few else ("lanes", BLOCK, "launches")

    def keeps_near(self, loop: Any) -> bool:
        """True for a loop that the host runs, as its steps are so small that a launch takes longer; or one thread."""
        return isinstance(loop, Loop) and (
            loop.forms == ("host",) or (loop.forms == (BLOCK,) and is_alone(loop))
        )

    def nest(self, w: Segment, nest: Nest) -> None:
        if isinstance(w, RowBody) or is_whole(w):
            lines: list[Any] = w.lines
            lines.append(nest)  # of a kernel that is printed as a whole
        elif _of_host(w):
            super().nest(w, nest)
        elif self._gives_few(w):
            used = entries(" ".join(o.pointer for o in nest.operands))
            self.touches.by_host(used)
            w.emit(waits(used))
            super().nest(w, nest)
        elif nest.folds:
            emit_folds(w, nest)
        else:
            self.launch(w, elementwise(nest))

    def lanes(self, w: Segment, lanes: Lanes) -> None:
        if isinstance(w, RowBody):
            raise Unsplit
        self.launch(w, lanes_kernel(lanes))

    def block(self, w: Segment, run: RunBlock) -> tuple[Statement, str, list[Storage]]:
        if isinstance(w, RowBody):
            raise Unsplit
        if is_whole(w) and run.block.answers < 0:
            return run, "", []
        if _of_host(w):
            self.touches.by_host(entries(" ".join(run.pointers)))
            call, depends, rooms = super().block(w, run)
            return call if rooms else self._quietly(call), depends, rooms
        known = writes_known(run.block.body)
        few = self._gives_few(w) and (known or are_few(reads(w.steps[w.now])))
        found = None if few or (known and not self.kernels) else launching(run, self)
        if found is not None:
            return self._with_rooms(w, *found)
        call, depends, rooms = super().block(w, run)
        if not touches_memory(run.block.body):
            return call if rooms else self._quietly(call), depends, rooms
        if run.block.answers < 0 and not (known or few):
            self._note(w)
        used = _used(run)
        self.touches.by_host(used)
        call = f"{{ {waits(used)} {call} }}"
        return call if rooms else self._quietly(call), depends, rooms

    def _with_rooms(
        self, w: Segment, run: RunBlock, dtypes: Sequence[str]
    ) -> tuple[Statement, str, list[Storage]]:
        """A block that is given memory for the chunks of rows."""
        rooms = [w.slots.take(str(CHUNKS)) for _ in dtypes]
        pointers = [w.buffer(room, Int(CHUNKS), dtype) for room, dtype in zip(rooms, dtypes, strict=True)]
        run = replace(run, pointers=(*run.pointers, *pointers))
        call, depends, more = super().block(w, run)
        self.touches.by_kernel(entries(" ".join(run.pointers)))
        return call if more else self._quietly(call), depends, [*rooms, *more]

    def convolution(self, what: int, dtype: str) -> int:
        """The number of the kernel of a convolution or an adjoint of a dtype."""
        number = self.kernels.setdefault(convolution_kernel(what, dtype), len(self.kernels))
        self.products[number] = convolution_function(what, number)
        return number

    def product(self, dtype: str, vector: bool = False) -> int:
        """The number of the kernel of products of a dtype, perhaps with a ``vector``, which the host calls by a function."""
        text = product_kernel(dtype, vector)
        number = self.kernels.setdefault(text, len(self.kernels))
        self.products[number] = host_function(dtype, number, vector)
        return number

    def rows(self, body: Any, blocks: RowBlocks) -> Statement:
        if is_whole(body.around):
            raise Unsplit
        held = held_rows(blocks, body.lengths.product)
        if held is None and blocks.across:
            raise Unsplit  # columns have kernels that share them among all threads
        if held is None:
            return self.launched(rows_kernel(blocks))
        one = self.launched(held.kernel)
        if not held.test:
            return one
        return self._quietly(f"if ({held.test}) {one} else {self.launched(rows_kernel(blocks))}")

    def steps(self, body: Any, steps: Steps) -> Statement:
        if body.whole:
            return steps if is_whole(body.around) else self._whole(body, steps)
        if _of_host(body):
            for name in PARTS:
                self.touches.by_host(entries(" ".join(lines_of(getattr(steps, name)))))
            self._note_moves(steps)
            return self._quietly(f"{{ {WAIT} {super().steps(body, steps)} }}")
        return self._by_launches(body, steps)

    def _by_launches(self, body: Any, steps: Steps) -> Statement:
        self._note_moves(steps)
        parts: dict[str, Any] = {name: self._waited(getattr(steps, name)) for name in PARTS}
        if steps.stop:
            parts["tail"] = [*parts["tail"], WAIT]
        return super().steps(body, replace(steps, **parts))

    def _whole(self, body: Any, steps: Steps) -> str:
        """The statements that run a loop by one kernel."""
        found = whole_loop(body, steps)
        self._note_pointers(steps)
        self.touches.by_host(read_in(found.after))
        for run in found.checks:
            check, _, rooms = super().block(body.around, run)
            self.touches.by_host(_used(run))
            check = check if rooms else self._quietly(check)
            body.around.lines.append(If(steps.count > 0, [check]))
            for storage in rooms:
                body.around.slots.give(storage)
        one = f"{self.launched(found.kernel)} {found.after}"
        other = (
            f"if ({found.test}) {{ {one} }} else {{ {self._launches(body, steps)} }}" if found.test else one
        )
        return self._quietly(other)

    def _note_pointers(self, steps: Steps) -> None:
        """Note where the pointers lead that the statements of a loop set."""
        waiting: list[Any] = [steps]
        while waiting:
            s = waiting.pop()
            if isinstance(s, Steps):
                self._note_moves(s)
                waiting += [inner for name in PARTS for inner in getattr(s, name)]
            elif isinstance(s, Point):
                self.touches.same(s.name, named(s.address))
            waiting += (
                [] if isinstance(s, (str, Steps)) else [*getattr(s, "body", ()), *getattr(s, "otherwise", ())]
            )

    def _launches(self, body: Any, steps: Steps) -> Statement:
        """The same loop by launches, with memory of its own for what kernels need besides."""
        body.whole, body.lines, body.parts, free = False, [], [], body.slots.state()
        body.slots.forget()
        for s in steps.body:
            self._launched_step(body, s)
        written, body.whole = body.statements(), True
        body.slots.back_to(free)
        return self._by_launches(body, replace(steps, body=written))

    def _launched_step(self, body: Any, s: Any) -> None:
        if isinstance(s, Nest):
            self.nest(body, s)
        elif isinstance(s, RunBlock):
            call, _, _ = self.block(body, s)
            body.emit(call)
        elif isinstance(s, (If, Steps)):
            raise NotWhole  # a loop inside, which is one kernel by itself
        else:
            body.lines.append(s)

    def _note_moves(self, steps: Steps) -> None:
        for move in steps.moves:
            self.touches.same(move.to, entries(move.source))

    def close(self, w: Segment, statements: Sequence[Statement]) -> list[Any]:
        if is_whole(w):
            return list(statements)
        if not w.depth:
            self.segment = w
            w.heavy = True  # a call waits for others, which need the lock of Python
        return super().close(w, self._waited(statements))

    def twice(self, statements: Sequence[Statement]) -> list[str]:
        return [self._quietly(line) for line in super().twice(self._waited(statements))]

    def _waited(self, statements: Sequence[Statement]) -> list[Statement]:
        """Statements with waits before those of the host that touch memory, which is noted of all."""
        found: list[Statement] = []
        for s in statements:
            if only_moves(s):
                s = by_kernels(s, self)
            if isinstance(s, If):
                found.append(replace(s, body=self._waited(s.body), otherwise=self._waited(s.otherwise)))
                self.touches.by_host(read_by(s.test))
                if read_by(s.test):
                    found.insert(-1, waits(read_by(s.test)))
            else:
                if touched := self._note_touches(s):
                    found.append(waits(touched))
                found.append(s)
        return found

    def _note_touches(self, s: Any) -> list[str]:
        """Note who touches the memory behind the pointers of a statement; gives those that the host touches, for which it may have to wait."""
        if isinstance(s, str):
            self.touches.by_host([] if s in self._quiet else entries(s))
            return []  # who wrote it knew
        touched = _touched(s)
        self.touches.by_host(touched)
        if isinstance(s, Point):
            self.touches.same(s.name, named(s.address))
        elif isinstance(s, Give):
            self.touches.same(s.pointer, [f"output[{s.output}]"])
        return touched

    def _gives_few(self, w: Any) -> bool:
        """True where the present step of the plan gives a few integers to the host program."""
        if w.depth or w.now >= len(w.steps):
            return False
        if self._few[0] is not w:
            self._few = w, of_host(w.steps)
        return id(w.steps[w.now]) in self._few[1]

    def _note(self, w: Any) -> None:
        """Remember the present step as one that the host runs."""
        step = w.steps[min(w.now, len(w.steps) - 1)]
        self.on_host[step.apply.op.name if hasattr(step, "apply") else "a kernel"] = None

    def user(self, w: Segment, apply: Apply) -> None:
        if is_whole(w):
            raise NotWhole
        self._note(w)
        w.emit(WAIT)
        super().user(w, apply)

    def state(self) -> Any:
        return super().state(), len(self.kernels), self.touches.state(), dict(self.on_host)

    def back_to(self, state: Any) -> None:
        of_host, count, touches, self.on_host = state
        super().back_to(of_host)
        self.touches.back_to(touches)
        for text in list(self.kernels)[count:]:
            self.products.pop(self.kernels.pop(text), None)

    def run_text(self, number: int, calls: str) -> str:
        plan, w = f"eq_segment_{number}", self.segment
        placed = self.touches.close(w.table.pointers, len(w.outputs))
        stays = "".join("01"[k in self.stays] for k in range(len(w.outputs)))
        self.meta.given = placed.pointers[: len(w.inputs)]
        texts = f'"{placed.pointers}", "{placed.outputs}", "{stays}"'
        return (
            f"extern const eq_plan {plan};\nstatic int64_t eq_parts_{number}(eq_call *c) {{\n{calls}  return 0;\n}}\n"
            f"static const eq_placing eq_placing_{number} = {{{texts}, EQ_REPORTS, EQ_GRAPHS}};\n"
            f"static int64_t eq_run_{number}(eq_call *c) {{\n"
            f"  if (eq_gpu->enter(c, &{plan}, &eq_placing_{number})) return eq_stopped(c);\n  eq_at = eq_placing_{number}.at;\n"
            f"  return eq_gpu->leave(c, &{plan}, eq_parts_{number}(c)) && eq_stopped(c);\n}}\n"
        )

    def finish(self, tables: Sequence[str]) -> tuple[str, str]:
        first, own = super().finish(tables)
        self.meta.places = self.touches.constants(len(self.meta.constants))
        reports = int(any("eq_report(" in text for text in self.kernels))
        graphs = int(config.cuda_graphs == "auto")
        host = HOST.replace("@REPORTS", str(reports)).replace("@GRAPHS", str(graphs))
        return "".join([first, host, *self.products.values()]), own.replace("c->threads", str(BLOCKS))


def waits(names: Sequence[str]) -> str:
    """The host's text that waits for kernels, where one of them touches what lies behind some pointers or constants."""
    numbers = [_PLACED.fullmatch(name) for name in dict.fromkeys(names)]
    if not names or None in numbers:
        return WAIT
    tests = " || ".join(f"eq_at[{m.group(1)}] == 'b'" for m in numbers if m)
    return f"if ({tests}) {{ {WAIT} }}"


def _of_host(w: Any) -> bool:
    """True inside a loop that the host runs."""
    return bool(w.depth) and bool(getattr(w, "flat", False))


def _used(run: RunBlock) -> list[str]:
    """The pointers that the body of a block names."""
    text = " ".join(lines_of(run.block.body))
    found = (p for p in run.block.parameters if p.dtype and re.search(rf"\b{p.name}\b", text))
    return entries(" ".join(run.pointers[p.place] for p in found))


def _touched(s: Any) -> list[str]:
    """The pointers whose memory a statement reads or writes."""
    inner = [*getattr(s, "body", ()), *getattr(s, "otherwise", ())]
    if isinstance(s, (Store, Write, Copy, Clear, Call)) or any(map(_touched, inner)):
        return entries(" ".join(lines_of([s])))
    values = [getattr(s, name, None) for name in ("value", "test", "address", "elements")]
    values += getattr(getattr(s, "stop", None), "values", ())
    return read_by(*(v for v in values if isinstance(v, Expression)))
