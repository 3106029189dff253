"""The pipeline from a graph to a callable: encode, saturate, extract, plan, generate."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eqsat.base.configuration import config
from eqsat.base.notices import warn_once
from eqsat.functions import store
from eqsat.functions.constants import with_constants
from eqsat.functions.profile import Row, plan_rows, timed
from eqsat.graph.core import Variable
from eqsat.graph.plan import Call, Loop, Plan, late_rows, plan_as_written
from eqsat.graph.walk import toposort
from eqsat.inspect.report import Report
from eqsat.optimise import is_egraph_error, rewritten
from eqsat.pipeline.preparation import prepare, told
from eqsat.pipeline.settings import Settings, model_of

if TYPE_CHECKING:
    from eqsat.cgen import CompilerError, Target, Tools


def plan_graph(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    fused: bool,
    model: Any = None,
    without: Collection[str] = (),
) -> Plan:
    """Steps that compute the outputs; fused kernels by the PLAN e-graph, or one step per op.

    ``without`` names what is not done to loops: see ``eqsat.scan.opt``.
    """
    if fused:
        from eqsat.extract.plan import make_plan

        try:
            return with_loops(make_plan(inputs, outputs, model_of(model)), fused, model, without)
        except BaseException as error:
            if not is_egraph_error(error):
                raise
            warn_once("plan", f"kernels are not fused: {str(error).splitlines()[0]}")
    return with_loops(plan_as_written(inputs, outputs, toposort(outputs, stop=inputs)), fused, model, without)


def with_loops(plan: Plan, fused: bool, model: Any = None, without: Collection[str] = ()) -> Plan:
    """The plan with a loop, with its own plan, for each op that repeats a graph."""
    made: dict[Any, Plan] = {}
    for k, step in enumerate(plan.steps):
        op: Any = step.apply.op if isinstance(step, Call) else None
        if isinstance(step, Call) and hasattr(op, "loop") and op.own_mode is None:
            inner = made.get(op.graph)
            if inner is None:
                outputs = prepare(op.graph.outputs, op.step_mode)
                inner = made[op.graph] = plan_graph(op.graph.inputs, outputs, fused, model, without)
            plan.steps[k] = op.loop(step.apply, inner)
    loops = [step for step in plan.steps if isinstance(step, Loop)]
    late = late_rows(plan, {s.result for loop in loops for s in loop.states})
    for loop in loops:
        loop.in_place = "in-place" not in without
        if "save-memory" not in without:
            loop.states = [replace(s, late=late.get(s.result)) for s in loop.states]
    return plan


class Executable:
    """What runs a function: ``call`` takes arrays and gives arrays, or None where an array is not acceptable.

    A function that was found on disk has not been rewritten in this process; ``report`` and ``outputs`` are
    then made when they are first asked for.
    """

    def __init__(
        self, call: Any, outputs: list[Any], report: Report | None = None, source: str | None = None
    ) -> None:
        self.call = call
        self.source = source
        self.seconds: dict[str, float] = {}
        self.from_cache = False
        self.later: Callable[[], Report] | None = None
        self.profile: Callable[[], list[Row]] | None = None
        self.versions: list[Any] = []
        self.not_kept: str | None = None
        self._outputs, self._report = outputs, report

    @property
    def report(self) -> Report | None:
        """What the optimiser did; None in modes that do not rewrite."""
        if self.later is not None:
            self._report, self.later = self.later(), None
            self._outputs = with_constants(self._report.optimized)
        return self._report

    @property
    def outputs(self) -> list[Any]:
        """The graph that runs."""
        _ = self.report  # which makes the graph where it has been found on disk
        return self._outputs


def build(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    settings: Settings,
    updates: dict[int, int] | None = None,
) -> Executable:
    """Rewrite, plan and compile a graph under some settings, or load what an earlier process made of it.

    ``updates`` names the outputs that replace the value of an input, which they may then overwrite.
    """
    from eqsat.cgen.target import find_target
    from eqsat.graph.interpreter import Interpreter

    start = time.perf_counter()
    mode, key = settings.mode, None
    outputs = prepare(outputs, settings)
    own = mode.runner(inputs, outputs, settings)
    if own is not None:
        return own  # type: ignore[no-any-return]
    target = find_target(settings.target)
    folder = config.cache_dir if config.cache else None
    tools = target.tools(folder, settings.flag("openmp")) if mode.compiled else None
    if tools is not None and mode.rewrite and config.cache and not settings.profile:
        key = store.function_key(inputs, outputs, settings, updates or {}, tools.compiler)
        found = _stored(key, outputs, tools, settings)
        if found is not None:
            found.seconds = {
                "lookup": time.perf_counter() - start - sum(found.seconds.values()),
                **found.seconds,
            }
            return found
    if tools is not None:
        target.prepare(tools, outputs)
    report = rewritten(list(outputs), settings) if mode.rewrite else None
    best = with_constants(told(report.optimized, settings)) if report is not None else list(outputs)
    seconds = {"e-graph": time.perf_counter() - start}
    made = None
    several = report.variants if report is not None else []
    if tools is not None:
        kept = None if several else key
        made = _compiled(inputs, best, report, tools, settings, kept, updates or {})
    if made is None:
        interpreter = Interpreter(inputs, best)
        made = Executable(interpreter, best, report)
        if settings.profile:
            made.call, made.profile = timed(interpreter)
    made.seconds = {**seconds, **made.seconds}
    if report is not None and made.source is not None and config.cache and not settings.profile:
        report.not_kept = made.not_kept
        if several:
            report.not_kept = "calls choose between several graphs"
        elif key is None:
            own = "the cost model is of the user's own class"
            report.not_kept = own if settings.model.key() is None else store.unkept(inputs, outputs)
    if several:
        _dispatched(made, inputs, several, tools if made.source else None, settings, updates or {})
    return made


def _dispatched(
    made: Executable,
    inputs: Sequence[Variable],
    several: Sequence[Any],
    tools: Tools | None,
    settings: Settings,
    updates: dict[int, int],
) -> None:
    """Let calls choose between several graphs, of which the first is made and the others are when they are needed."""
    from eqsat.functions.variants import Dispatch, Version
    from eqsat.graph.interpreter import Interpreter

    first = made.call

    def maker(outputs: list[Any]) -> Callable[[], Any]:
        def make() -> Any:
            if tools is None:
                return Interpreter(inputs, outputs)
            other = _compiled(inputs, outputs, made.report, tools, settings, None, updates)
            return first if other is None else other.call

        return make

    versions = [Version(made.outputs, several[0].where, lambda: first)]
    for v in several[1:]:
        outputs = with_constants(told(v.outputs, settings))
        versions.append(Version(outputs, v.where, maker(outputs)))
    made.versions = versions
    made.call = Dispatch(inputs, versions, settings.model)


def _stored(
    key: str | None, outputs: Sequence[Variable], tools: Tools, settings: Settings
) -> Executable | None:
    """The function kept on disk for a graph, if there is one and it still compiles."""
    from eqsat.cgen import CompilerError, find_target

    found = store.load(key) if key is not None else None
    if found is None:
        return None
    try:
        compiled = find_target(settings.target).load(*found, (), tools)
    except CompilerError:
        return None
    made = Executable(compiled.call_raw, list(outputs), None, compiled.source)
    made.later = lambda: rewritten(list(outputs), settings)
    made.seconds, made.from_cache = compiled.seconds, compiled.from_cache
    return made


def _compiler_failed(target: Target, compiler: str, error: CompilerError) -> None:
    failed = f"the {target.program} {compiler} failed ({error.reason})"
    warn_once(failed, f"{failed}: the function runs op by op in NumPy, which is slower")


def _cut_short(report: Report) -> str | None:
    """Why another process may find a better graph; None where it would find this one."""
    if report.fallback:
        return "the graph is compiled as written"
    return "a limit of saturation was met" if report.budgets else None


def _compiled(
    inputs: Sequence[Variable],
    best: list[Any],
    report: Report | None,
    tools: Tools,
    settings: Settings,
    key: str | None,
    updates: dict[int, int],
) -> Executable | None:
    from eqsat.cgen import CompilerError, compile_plan, find_target

    start, mode = time.perf_counter(), settings.mode
    plan = plan_graph(inputs, best, mode.rewrite and mode.fuse, settings.model, settings.without)
    plan.updates = updates
    planned = time.perf_counter() - start
    try:
        compiled = compile_plan(plan, tools, settings.profile, settings.target)
    except CompilerError as error:
        _compiler_failed(find_target(settings.target), tools.compiler, error)
        return None
    made = Executable(compiled.call_raw, best, report, compiled.source)
    if key is not None and report is not None:
        made.not_kept = _cut_short(report) or store.save(key, compiled.source, compiled.meta)
    made.seconds, made.from_cache = {"plan": planned, **compiled.seconds}, compiled.from_cache
    if settings.profile:
        made.profile = lambda: plan_rows(plan, compiled)
    return made
