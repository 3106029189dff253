"""The way from a graph to a callable: Task -> Report -> Plan -> compiled plan -> Executable; or straight from the disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eqsat.base.configuration import config
from eqsat.base.garbage_collection import without_collection
from eqsat.base.laps import Laps
from eqsat.base.notices import warn_once
from eqsat.base.progress import shows_progress
from eqsat.base.values import dataclass
from eqsat.functions import store
from eqsat.functions.constants import with_constants
from eqsat.functions.executable import Executable, Shipped
from eqsat.functions.planned import show_steps
from eqsat.functions.planning import plan_graph
from eqsat.functions.profile import plan_rows, timed
from eqsat.graph.core import Variable
from eqsat.graph.interpreter import Interpreter
from eqsat.graph.plan import Plan
from eqsat.inspect.report import Report
from eqsat.optimise import rewritten
from eqsat.pipeline.preparation import prepare, told
from eqsat.pipeline.settings import Settings

if TYPE_CHECKING:
    from eqsat.cgen import CompiledPlan, Target, Tools
    from eqsat.cgen.ir.meta import Meta


@dataclass(frozen=True)
class Task:
    """A prepared graph that is to be compiled under some settings.

    ``updates`` names the outputs that replace the value of an input, which they may then overwrite.
    """

    inputs: Sequence[Variable]
    outputs: list[Any]
    settings: Settings
    updates: Mapping[int, int]
    target: Target
    tools: Tools | None  # what builds the function; None where nothing does, or the mode has nothing built

    @classmethod
    def of(
        cls,
        inputs: Sequence[Variable],
        outputs: list[Any],
        settings: Settings,
        updates: Mapping[int, int],
    ) -> Task:
        """The task for a prepared graph, on this machine."""
        from eqsat.cgen import find_target

        target, tools = find_target(settings.target), None
        if settings.mode.compiled:
            tools = target.tools(config.cache_dir if config.cache else None, settings.flag("openmp"))
        if tools is not None:
            threads, routines = settings.flag("threads"), settings.flag("blas_threads")
            tools = replace(tools, threads=threads, blas_threads=routines)
            target.prepare(tools, ())  # the compiler runs beside all that comes before the C text
        return cls(inputs, outputs, settings, updates, target, tools)

    @property
    def kept(self) -> bool:
        """True for a function that may be kept on disk."""
        return self.lasting and self.tools is not None and self.tools.directory is not None

    @property
    def lasting(self) -> bool:
        """True for a function whose text another process may use."""
        return self.settings.mode.rewrite and not self.settings.profile and self.tools is not None

    @cached_property
    def key(self) -> str | None:
        """The hash by which other processes know the function; None where an op or a setting is of the user's own making."""
        if not self.lasting or self.tools is None:
            return None
        return store.function_key(self.inputs, self.outputs, self.settings, self.updates, self.tools.compiler)

    def stored(self, shipped: Shipped | None) -> tuple[str, Meta] | None:
        """The text and the description of the function, as they came with it or as they are on disk."""
        if shipped is not None and self.lasting and shipped[0] == self.key:
            found = store.read(shipped[1])
            if found is not None:
                return found
        return store.load(self.key) if self.kept and self.key is not None else None

    def plan(self, outputs: list[Any]) -> Plan:
        """The steps that compute a rewritten graph."""
        s = self.settings
        fused = s.mode.rewrite and s.mode.fuse
        made = plan_graph(self.inputs, outputs, fused, s.model, s.without, rounds=s.rounds)
        return replace(made, updates=dict(self.updates), stays=s.stays)


@shows_progress("function")
@without_collection
def build(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    settings: Settings,
    updates: Mapping[int, int] | None = None,
    shipped: Shipped | None = None,
) -> Executable:
    """Rewrite, plan and compile a graph under some settings, or load what another process made of it.

    ``updates`` names the outputs that replace the value of an input, which they may then overwrite. ``shipped`` came with a pickle.
    """
    laps = Laps()
    outputs = prepare(outputs, settings)
    own: Executable | None = settings.mode.runner(inputs, outputs, settings)
    if own is not None:
        return own
    task = Task.of(inputs, outputs, settings, updates or {})
    found = from_stored(task, shipped)
    if found is not None:
        laps.lap("lookup")
        rest = laps.seconds["lookup"] - sum(found.seconds.values())
        return replace(found, seconds={"lookup": rest, **found.seconds})
    if task.tools is not None:
        task.target.prepare(task.tools, task.outputs)
    report = rewritten(task.outputs, settings) if settings.mode.rewrite else None
    best = task.outputs if report is None else with_constants(told(report.optimized, settings))
    laps.lap("e-graph")
    made = compiled(task, best, report) or interpreted(task, best, report)
    made = replace(made, seconds={**laps.seconds, **made.seconds})
    return choosing(task, made, report.variants) if report is not None and report.variants else made


def from_stored(task: Task, shipped: Shipped | None) -> Executable | None:
    """The function that came with a pickle or is on disk, if there is one and it compiles."""
    found = task.stored(shipped)
    if found is None or task.tools is None:
        return None
    from eqsat.cgen import CompilerError

    try:
        made = task.target.load(*found, (), task.tools)
    except CompilerError:
        return None
    return Executable(
        made.call_raw,
        task.outputs,
        source=made.source,
        seconds=made.seconds,
        from_cache=made.from_cache,
        later=lambda: planned_again(task),
        device=made.device,
        compiled=made,
        shipping=lambda: shipment(task, made),
    )


def shipment(task: Task, made: CompiledPlan) -> Shipped | None:
    """The key of a function with its text and description as bytes; None for one of which another process makes its own."""
    from eqsat.cgen.runtime.record import NotExpressible, to_bytes

    if task.key is None:
        return None
    try:
        return task.key, to_bytes(made.source, made.meta)
    except NotExpressible:
        return None


def planned_again(task: Task) -> Report:
    """The report of a function that was found on disk: what was done to its graph, and its steps."""
    report = rewritten(task.outputs, task.settings)
    plan = task.plan(with_constants(told(report.optimized, task.settings)))
    return show_steps(report, plan, task.settings)


def compiled(task: Task, outputs: list[Any], report: Report | None) -> Executable | None:
    """A rewritten graph compiled, and kept on disk; None, with a warning, where the compiler fails."""
    if task.tools is None:
        return None
    from eqsat.cgen import CompilerError, compile_plan

    laps, settings = Laps(), task.settings
    plan = task.plan(outputs)
    laps.lap("plan")
    try:
        made = compile_plan(plan, task.tools, settings.profile, settings.target)
    except CompilerError as error:
        failed = f"the {task.target.program} {task.tools.compiler} failed ({error.reason})"
        warn_once(failed, f"{failed}: the function runs op by op in NumPy, which is slower")
        return None
    if report is not None:
        show_steps(report, plan, settings)
    if report is not None and task.kept:
        report.not_kept = keep(task, report, made)
    return Executable(
        made.call_raw,
        outputs,
        report,
        made.source,
        {**laps.seconds, **made.seconds},
        made.from_cache,
        profile=(lambda: plan_rows(plan, made)) if settings.profile else None,
        device=made.device,
        compiled=made,
        shipping=lambda: shipment(task, made),
    )


def interpreted(task: Task, outputs: list[Any], report: Report | None) -> Executable:
    """A rewritten graph that runs op by op in NumPy."""
    interpreter = Interpreter(task.inputs, outputs)
    if not task.settings.profile:
        return Executable(interpreter, outputs, report)
    call, rows = timed(interpreter)
    return Executable(call, outputs, report, profile=rows)


def keep(task: Task, report: Report, made: CompiledPlan) -> str | None:
    """Keep a function on disk; why not, where that is so: the next process compiles it again."""
    if report.variants:
        return "calls choose between several graphs"
    if task.key is None and task.settings.model.key() is None:
        return "the cost model is of the user's own class"
    if task.key is None:
        return store.unkept(task.inputs, task.outputs)
    if report.fallback:
        return "the graph is compiled as written"
    if report.budgets:
        return "a limit of saturation was met"
    return store.save(task.key, made.source, made.meta)


def choosing(task: Task, made: Executable, several: Sequence[Any]) -> Executable:
    """A function whose calls choose between several graphs, of which the first is made and the others are when they are needed."""
    from eqsat.functions.variants import Dispatch, Version

    def maker(outputs: list[Any]) -> Callable[[], Any]:
        def make() -> Any:
            if made.source is None:
                return Interpreter(task.inputs, outputs)
            return (compiled(task, outputs, None) or made).call

        return make

    versions = [Version(made.outputs, several[0].where, lambda: made.call)]
    for v in several[1:]:
        outputs = with_constants(told(v.outputs, task.settings))
        versions.append(Version(outputs, v.where, maker(outputs)))
    call = Dispatch(task.inputs, versions, task.settings.model)
    return replace(made, call=call, versions=versions, shipping=None)
