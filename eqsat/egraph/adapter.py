"""The one door to egglog: rules are kept in a template, a session loads numbers into it and reads numbers back.

Nothing here knows what a tensor is. Schema and rules are egglog text; tables go in and come out as plain Python
numbers. egglog's compiled extension is loaded on first use and without its Python package, which takes twenty
times as long. Rust panics and egglog's errors arrive as ``EGraphFailure``; after one the e-graph is thrown away.
A child that was forked after egglog was loaded has not the threads that egglog waits for: its sessions run in a
process of their own (``remote``). That process loads this file and those that it imports.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar
from weakref import finalize, ref

from eqsat.egraph.extension import EGraphUnavailable as EGraphUnavailable
from eqsat.egraph.extension import bindings, is_lost
from eqsat.egraph.views import RULESET, is_view, with_views

Atom: TypeAlias = Any  # int, float, bool, str or None: the sort of the column says which
Result = TypeVar("Result")

_DEAD_CLASS = "Value(2147483647)"  # what egglog 13.2 leaves in a row that it should have dropped
_READERS = {
    "i64": "value_to_i64",
    "f64": "value_to_f64",
    "bool": "value_to_bool",
    "String": "value_to_string",
    "BigInt": "value_to_bigint",
}
_UNREADABLE = {"Rational", "BigRat", "PyObject"}
_SESSIONS, _SECONDS = 250, 20.0  # of running rules, after either of which an e-graph is built anew
_LEFT = 50_000  # rows of a session that may be left until the next begins


class EGraphFailure(Exception):
    """egglog refused a command or panicked; the e-graph that was in use is spoilt."""


# --- one e-graph ---------------------------------------------------------------------------------------------


class _Engine:
    """One egglog EGraph of one thread; it serves until its first failure."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.egglog = bindings()
        self.broken = self.used = False
        self.sessions, self.seconds = 0, 0.0
        self.span = self.egglog.RustSpan("", 0, 0)
        self.egraph = self.guard("an empty e-graph", self.egglog.EGraph)
        self.run(RULESET, self.egglog.AddRuleset(self.span, RULESET))
        _egraphs[id(self)] = self.egraph  # so that a fork, which ends the other threads, does not drop theirs
        finalize(self, _forget, id(self), os.getpid()).atexit = False
        self.lines: tuple[str, ...] = ()
        self.grow(lines)

    def guard(self, what: str, call: Callable[..., Result], *arguments: object) -> Result:
        """The call's result; what goes wrong inside egglog comes out as EGraphFailure."""
        bindings()
        if self.broken:
            raise EGraphFailure(f"{what}: the e-graph has failed before")
        try:
            return call(*arguments)
        except BaseException as error:  # a Rust panic is no Exception
            self.broken = True
            if type(error).__name__ in ("EggSmolError", "PanicException"):
                raise EGraphFailure(f"{what}: {error}") from error
            raise

    def run(self, what: str, command: object) -> list[Any]:
        outputs: list[Any] = self.guard(what, self.egraph.run_program, command)
        return outputs

    def add(self, lines: Sequence[str]) -> None:
        """Run egglog commands; egglog reads them from a file, since each that Python parses is translated to it and back."""
        if lines:
            what = lines[0] if len(lines) == 1 else f"one of {len(lines)} commands"
            with _file_of("\n".join(with_views(lines)).encode()) as path:
                self.run(what, self.egglog.Include(self.span, path))

    def grow(self, lines: Sequence[str]) -> None:
        """Run commands that stay when a session ends."""
        self.add(lines)
        self.lines += tuple(lines)

    def restore(self) -> None:
        """Take back what the last session did."""
        if self.used:
            self.run("pop", self.egglog.Pop(self.span, 1))
            self.used = False


_egraphs: dict[int, Any] = {}  # of all threads, by the number of the engine


def _forget(number: int, process: int) -> None:
    """Drop the e-graph of an engine that is gone, in the process that made it."""
    if process == os.getpid():
        del _egraphs[number]


def _in_a_forked_child() -> None:
    """Keep the e-graphs of the parent for ever: one that is dropped waits for threads that the child does not have."""
    for egraph in _egraphs.values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(egraph))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_forked_child)


_this_thread = threading.local()  # an EGraph may be used, and dropped, only by the thread that made it


class _Lineage:
    """Shared by a template and all that extend it."""


_Shelves: TypeAlias = "dict[ref[_Lineage], list[_Engine]]"


def _idle_engines(lineage: _Lineage) -> list[_Engine]:
    """This thread's idle e-graphs of a template and of those that extend it; others whose templates are gone are dropped."""
    shelves: _Shelves = _this_thread.__dict__.setdefault("shelves", {})
    for gone in [key for key in shelves if key() is None]:
        del shelves[gone]
    return shelves.setdefault(ref(lineage), [])


class Template:
    """A schema and rules, built once per thread; each session works on a copy that is dropped afterwards.

    Every line of ``schema`` and ``rules`` is one egglog command. The first session of a thread builds the e-graph,
    later ones push and pop it, a small one when the next begins; one that ends in any error leaves it to be built anew, and
    so do many, since egglog keeps a report on every iteration through pop: a megabyte a second, which is copied at every push.
    """

    def __init__(self, schema: Sequence[str], rules: Sequence[str]) -> None:
        self.lines = (*schema, *rules)
        self._lineage = _Lineage()

    def extended(self, lines: Sequence[str]) -> Template:
        """A template with more lines; an e-graph of this one that is idle becomes one of the new one."""
        longer = Template(self.lines, lines)
        longer._lineage = self._lineage
        return longer

    def _engine(self) -> _Engine:
        """An e-graph that holds the template: of those that are idle the one that lacks least of it, or a new one."""
        idle = _idle_engines(self._lineage)
        fit = [engine for engine in idle if engine.lines == self.lines[: len(engine.lines)]]
        if not fit:
            return _Engine(self.lines)
        engine = max(fit, key=lambda one: len(one.lines))
        idle.remove(engine)
        engine.restore()
        engine.grow(self.lines[len(engine.lines) :])
        return engine

    @contextmanager
    def session(self) -> Iterator[Session]:
        """An e-graph that holds the template and nothing else. Sessions may nest; each sees only its own rows."""
        if is_lost():
            from eqsat.egraph.remote import remote_session

            with remote_session(self, self.lines) as far:
                yield far
            return
        engine = self._engine()
        engine.run("push", engine.egglog.Push(1))
        engine.used = True
        session = Session(engine)
        try:
            yield session
        finally:
            session.end()
        if not engine.broken:
            engine.sessions += 1
            if engine.sessions < _SESSIONS and engine.seconds < _SECONDS:
                if session.rows_seen > _LEFT:
                    engine.restore()
                _idle_engines(self._lineage).append(engine)


class RunStep(NamedTuple):
    """The outcome of one run of a ruleset: whether any row changed, matches by rule, and the number of iterations."""

    updated: bool
    matches: dict[str, int]
    iterations: int


class Session:
    """An e-graph between push and pop; made by ``Template.session``."""

    def __init__(self, engine: _Engine | None) -> None:
        self._engine = engine
        self._sizes: dict[str, int] | None = None  # until a row may have changed
        self._tables: dict[str, Any] | None = None  # the same
        self.changes = 0  # times that a row may have changed
        self.rows_seen = 0  # when the tables were last counted

    def end(self) -> None:
        self._engine = self._tables = None

    def _changed(self) -> None:
        self._sizes = self._tables = None
        self.changes += 1

    def _live(self) -> _Engine:
        if self._engine is None:
            raise EGraphFailure("the session has ended")
        return self._engine

    def load(self, tables: Mapping[str, Sequence[tuple[float, ...]]]) -> None:
        """Add rows of numbers to tables; 0.0 and -0.0 are one value to egglog, and all NaNs are one."""
        self.load_lines({name: table_lines(rows) for name, rows in tables.items() if rows})

    def load_lines(self, tables: Mapping[str, bytes]) -> None:
        """Add rows to tables as ``table_lines`` gives them."""
        engine = self._live()
        self._changed()
        for name, lines in tables.items():
            with _file_of(lines) as path:
                engine.run(f"load {name}", engine.egglog.Input(engine.span, name, path))

    def add(self, lines: Sequence[str]) -> None:
        """Run egglog commands, one per line; they are forgotten with the session."""
        self._changed()
        self._live().add(lines)

    def run(self, ruleset: str, times: int = 1) -> RunStep:
        """Up to ``times`` iterations of one ruleset; fewer if one changes nothing."""
        return self._schedule(ruleset, lambda egglog, span, once: egglog.Repeat(span, times, once))

    def saturate(self, ruleset: str) -> RunStep:
        """Iterate one ruleset until nothing changes; nothing can stop it earlier."""
        return self._schedule(ruleset, lambda egglog, span, once: egglog.Saturate(span, once))

    def _schedule(self, ruleset: str, often: Callable[[Any, Any, object], object]) -> RunStep:
        """Run a ruleset some times, the views of e-nodes before each time."""
        engine, start = self._live(), time.perf_counter()
        egglog, span = engine.egglog, engine.span
        steps = [egglog.Run(span, egglog.RunConfig(name, None)) for name in (RULESET, ruleset)]
        schedule = egglog.RunSchedule(often(egglog, span, egglog.Sequence(span, steps)))
        report = engine.run(f"run {ruleset}", schedule)[0].report
        engine.seconds += time.perf_counter() - start
        changed = [step.rule_set_report.changed for step in report.iterations[1::2]]
        if any(changed):
            self._changed()
        matches = {name: n for name, n in report.num_matches_per_rule.items() if not is_view(name)}
        return RunStep(any(changed), matches, min(sum(changed) + 1, len(changed)))

    def clock(self) -> float:
        """Seconds of the processor that this thread has taken so far, with what it had done elsewhere."""
        return time.thread_time()

    def sizes(self) -> dict[str, int]:
        """Rows of every table."""
        engine = self._live()
        if self._sizes is None:
            sizes = engine.run("sizes", engine.egglog.PrintSize(engine.span, None))[0].sizes
            self._sizes = {name: rows for name, rows in sizes if not is_view(name)}
            self.rows_seen = sum(self._sizes.values())
        return dict(self._sizes)

    def size(self) -> int:
        """Rows of all tables together."""
        return sum((self._sizes or self.sizes()).values())

    def rows(self, name: str) -> list[tuple[int, ...]]:
        """The rows of a relation of integers, without a look at anything else."""
        get, rows = self._terms(name)
        return [tuple(get(cell).value.value for cell in row) for row in rows]

    def lists(self, name: str) -> list[tuple[tuple[int, ...], int]]:
        """The rows of a relation of a Vec of integers and an integer."""
        get, rows = self._terms(name)
        return [
            (tuple(get(cell).value.value for cell in get(items).args), get(last).value.value)
            for items, last in rows
        ]

    def _terms(self, name: str) -> tuple[Callable[[int], Any], list[Any]]:
        """The columns of a relation as terms, and what looks one up."""
        engine = self._live()
        mode = engine.egglog.DefaultPrintFunctionMode()
        command = engine.egglog.PrintFunction(engine.span, name, None, None, mode)
        shown = engine.run(f"rows {name}", command)[0]
        get = shown.termdag.get
        return get, [get(row).args for row, _ in shown.terms]

    def freeze(self, tables: Iterable[str] | None = None) -> Frozen:
        """Tables as they are now, all or some; the copy outlives the session and may be read by any thread."""
        engine = self._live()
        if self._tables is None:
            self._tables = engine.guard("freeze", engine.egraph.freeze).functions
        functions = self._tables
        reader = _Reader(engine)
        every = (name for name, one in functions.items() if not one.is_let_binding and not is_view(name))
        names = sorted(every if tables is None else set(tables) & functions.keys())
        return Frozen({name: reader.table(functions[name]) for name in names}, len(reader.classes))


def table_lines(rows: Sequence[tuple[float, ...]]) -> bytes:
    """Rows as egglog reads them from a file: columns are parted by tabs."""
    line = "\t".join(["%s"] * len(rows[0])) + "\n"  # str gives floats that read back to the same bits
    return "".join([line % row for row in rows]).encode()


@contextmanager
def _file_of(content: bytes) -> Iterator[str]:
    """Path of a file that holds some bytes: one in memory without a name, so that nothing stays whatever happens."""
    if not hasattr(os, "memfd_create") or not os.path.isdir("/proc/self/fd"):
        with tempfile.TemporaryDirectory(prefix="eqsat-") as folder:
            file = Path(folder, "table")
            file.write_bytes(content)
            yield str(file)
        return
    handle = os.memfd_create("eqsat")
    with open(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        yield f"/proc/self/fd/{handle}"


# --- reading -------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """One row: e-classes are ints from 0, the output of a relation is None."""

    inputs: tuple[Atom, ...]
    output: Atom
    subsumed: bool


class Table(NamedTuple):
    """One table by columns, the fastest way to read it."""

    input_sorts: tuple[str, ...]
    output_sort: str
    inputs: tuple[list[Atom], ...]
    output: list[Atom]
    subsumed: list[bool]


class Frozen:
    """The tables of an e-graph at one moment. ``classes`` e-classes (and containers) are numbered from 0.

    The same commands give the same numbers in every process.
    """

    def __init__(self, tables: Mapping[str, Table], classes: int) -> None:
        self._tables = tables
        self.classes = classes

    def names(self) -> Sequence[str]:
        return list(self._tables)

    def sorts(self, name: str) -> tuple[tuple[str, ...], str]:
        """Sorts of the inputs and of the output ("Unit" for a relation)."""
        return self._tables[name][:2]

    def columns(self, name: str) -> Table:
        return self._tables[name]

    def rows(self, name: str) -> Sequence[Row]:
        table = self._tables[name]
        inputs = zip(*table.inputs, strict=True) if table.inputs else [()] * len(table.output)
        return list(map(Row._make, zip(inputs, table.output, table.subsumed, strict=True)))


class _Classes(dict[Any, int]):
    """Dense numbers of egglog's class values, in the order of their first use."""

    def __missing__(self, value: object) -> int:
        if str(value) == _DEAD_CLASS:
            raise EGraphFailure("freeze: a row refers to a dead e-class")
        number = self[value] = len(self)
        return number


class _Reader:
    """Turns egglog's values into Python's."""

    def __init__(self, engine: _Engine) -> None:
        self.engine = engine
        self.classes = _Classes()

    def table(self, function: Any) -> Table:
        rows = function.rows
        sorts = tuple(function.input_sorts)
        inputs = zip(*[row.inputs for row in rows], strict=True) if rows else ((),) * len(sorts)
        output_sort = "Unit" if function.output_sort.startswith("@") else function.output_sort
        columns = tuple(self.column(sort, values) for sort, values in zip(sorts, inputs, strict=True))
        output = self.column(output_sort, [row.output for row in rows])
        return Table(sorts, output_sort, columns, output, [row.subsumed for row in rows])

    def column(self, sort: str, values: Sequence[object]) -> list[Atom]:
        if sort == "Unit":
            return [None] * len(values)
        if sort in _UNREADABLE:
            raise EGraphFailure(f"freeze: cannot read values of sort {sort}")
        if sort not in _READERS:
            return list(map(self.classes.__getitem__, values))
        read = getattr(self.engine.egraph, _READERS[sort])
        if sort == "f64":  # which zero stands for both depends on earlier sessions, so take the positive one
            return [read(value) + 0.0 for value in values]
        return list(map(read, values))
