"""The pipeline from a graph to a callable: encode, saturate, extract, plan, generate."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from eqsat import store
from eqsat.collection import without_collection
from eqsat.configuration import config
from eqsat.constants import with_constants
from eqsat.errors import ArgumentError, CostError
from eqsat.graph.core import Variable
from eqsat.graph.plan import Call, Loop, Plan, late_rows, plan_as_written
from eqsat.graph.tensor_type import shorten
from eqsat.graph.walk import graph_inputs, toposort
from eqsat.modes import Mode
from eqsat.notices import warn_once
from eqsat.prepare import in_mode, prepare
from eqsat.profile import Row, plan_rows, timed
from eqsat.report import Report

MOST_MATCHES = 20_000


@without_collection
def optimize(
    outputs: Any,
    rules: Any = None,
    model: Any = None,
    seconds: float | None = None,
    without: Collection[str] = (),
    shape_hints: Any = None,
    variants: int | str | None = 1,
    extractor: str | None = None,
    check: Mapping[Variable, Any] | None = None,
) -> Report:
    """Saturate the equality rules on a graph and extract the cheapest form; see ``Report``.

    ``outputs`` is a variable or a list. ``rules`` is None for the default tiers, a RuleSet, or text such as
    ``"exact,rounds"`` or ``"-log-exp"``. ``model`` is a CostModel. ``seconds`` bounds saturation. ``without`` names
    rewrites of loops that are no rules (``eqsat.scan.opt``). ``shape_hints`` says which lengths to reckon with where
    they are not known: ``{x: (1000, None)}``, or the value of a whole number, by variable or name. ``variants`` is how
    many graphs may be kept for different lengths (``report.variants``), "auto" for a few where it pays. ``extractor``
    names another one than the usual (``eqsat.extract.extractors``), to compare them; its answer may cost more than the
    graph as written. ``check`` has values of all inputs: every form that the rules made equal is then computed with
    them and compared.

    Errors   ArgumentError for something that is no variable; CostError for hints that do not fit the graph,
             or what is no cost model; RuleError for a rule of the user that makes values of two types equal; DebugModeError where ``check`` finds forms
             that differ

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.vectors("x", "y")
    >>> eqsat.optimize(x * y / y).optimized
    [x]
    """
    from eqsat.extract.hints import checked_hints
    from eqsat.rules.rule import select_rules

    given = as_outputs("optimize", outputs)
    model = _model_of(model)
    roots = prepare(given)
    chosen = select_rules(rules)
    limit = config.egraph_seconds if seconds is None else seconds
    hints = checked_hints(shape_hints, given) if shape_hints else {}
    if check is not None:
        from eqsat.debug.classes import check_classes

        check_classes(roots, check, chosen, limit)
    try:
        return _saturated(roots, chosen, model, limit, without, hints, most_variants(variants), extractor)
    except BaseException as error:
        if not _is_egraph_error(error):
            raise
        reason = str(error).splitlines()[0]
        if "Illegal merge" in reason:
            from eqsat.debug.suspects import refuse_mixed_types

            refuse_mixed_types(roots, chosen, limit)
        warn_once("egraph", f"the graph is compiled as written, without rewriting: {reason}")
        return Report(roots, roots, 0.0, 0.0, fallback=reason)


def as_outputs(caller: str, outputs: Any) -> list[Variable]:
    """A list of the outputs, which are variables."""
    given = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    for output in given:
        if not isinstance(output, Variable):
            raise ArgumentError(
                f"{caller}: {shorten(output)} is not a variable", needs="a variable or a list of them"
            )
    return given


def _model_of(model: Any) -> Any:
    """The cost model, that of the configuration for None."""
    from eqsat.extract.cost import CostModel
    from eqsat.extract.stored import current_model

    if model is None:
        return current_model()
    if not isinstance(model, CostModel):
        raise CostError(
            f"model={shorten(model)} is no cost model", needs="a CostModel, such as eqsat.costs.flops()"
        )
    return model


def _is_egraph_error(error: BaseException) -> bool:
    from eqsat.egraph.adapter import EGraphFailure, EGraphUnavailable

    return isinstance(error, (EGraphFailure, EGraphUnavailable))


def _saturated(
    roots: list[Any],
    rules: Any,
    model: Any,
    seconds: float,
    without: Collection[str],
    hints: Mapping[Variable, Any],
    most: int | None,
    extractor: str | None,
) -> Report:
    from eqsat.egraph.encode import encode
    from eqsat.egraph.saturate import saturate
    from eqsat.egraph.scheduler import Budget
    from eqsat.extract.algebra import extract
    from eqsat.extract.chains import product_price
    from eqsat.extract.hints import hint_products, hinted
    from eqsat.extract.variants import MOST, find_variants, may_vary
    from eqsat.scan.closed import close_scans
    from eqsat.scan.opened import open_scans

    start = time.perf_counter()
    opened = open_scans(roots, without)
    encoded = encode(opened.outputs, opened.table, any(r.shares for r in rules))
    assumed = hinted(encoded, hints, model) if hints else None
    if assumed is not None and most == 1:
        hint_products(encoded, assumed)
    coded = time.perf_counter()
    budget = Budget(config.egraph_nodes, MOST_MATCHES, seconds)
    saturated = saturate(encoded, rules, budget, product_price(model), model.lengths((None,))[0])
    read = time.perf_counter()
    look = most != 1 and may_vary(encoded, saturated, most is not None)
    assumed = hinted(encoded, hints, model) if look and assumed is None else assumed
    extracted = extract(encoded, saturated, model, config.extract_seconds, assumed, extractor)
    best = extracted.outputs if not extracted.loops else close_scans(extracted.outputs, extracted.loops)
    stages = {"encode": coded - start, **saturated.seconds, "extract": time.perf_counter() - read}
    several: list[Any] = []
    if look:
        read = time.perf_counter()
        several = find_variants(encoded, saturated, model, config.extract_seconds, hints, most or MOST)
        stages["variants"] = time.perf_counter() - read
    found = extracted.extraction
    written = found.cost if found.written_cost is None else found.written_cost
    unstable = int(written // model.unstable)
    kept = found.cost // model.unstable * model.unstable  # the price of forms without another
    budgets = _budgets(saturated.phases)
    if saturated.left_out:
        budgets.append(f"{saturated.left_out} rules that pair terms are left out of so large a graph")
    if budgets:
        warn_once(
            "budget",
            f"{budgets[0]}; the best graph found so far is used (config.egraph_seconds, egraph_nodes)",
        )
    return Report(
        roots,
        best,
        written - unstable * model.unstable,
        found.cost - kept,
        max(0.0, found.bound - kept),
        saturated.matches(),
        saturated.phases,
        stages,
        budgets,
        extracted.e_nodes,
        extracted.classes,
        saturated.rules,
        found.method,
        unstable_before=unstable,
        model=model,
        settings={
            "rules": rules,
            "seconds": seconds,
            "without": without,
            "shape_hints": hints,
            "variants": most,
            "extractor": extractor,
        },
        variants=several,
    )


def most_variants(given: Any) -> int | None:
    """How many graphs may be kept; None for what pays.

    Errors   ArgumentError for something that is no number above 0 and not "auto"
    """
    given = config.variants if given is None else given
    if given == "auto":
        return None
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise ArgumentError(f"variants is {given!r}", needs='a whole number above 0, or "auto"')
    return given


def _budgets(phases: Sequence[Any]) -> list[str]:
    words = {"nodes": "rows", "seconds": "seconds", "iterations": "iterations"}
    return [
        f"phase {p.name} stopped at its limit of {words[p.stopped]} after {p.seconds:.2f} s and {p.rows} rows"
        for p in phases
        if p.stopped != "saturated"
    ]


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
            return with_loops(make_plan(inputs, outputs, _model_of(model)), fused, model, without)
        except BaseException as error:
            if not _is_egraph_error(error):
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
    for loop in plan.steps:
        if not isinstance(loop, Loop):
            continue
        loop.in_place = "in-place" not in without
        if "save-memory" not in without:
            loop.states = [replace(s, late=late_rows(plan, s.result)) for s in loop.states]
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
    mode: Mode,
    rules: Any,
    model: Any,
    profile: bool = False,
    updates: dict[int, int] | None = None,
    hints: Mapping[Variable, Any] | None = None,
    variants: int | str | None = None,
) -> Executable:
    """Rewrite, plan and compile a graph as a mode says, or load what an earlier process made of it.

    With ``profile`` the executable's ``profile`` gives the time of each step. ``updates`` names the outputs that
    replace the value of an input, which they may then overwrite. ``hints`` and ``variants`` are those of ``optimize``.
    """
    from eqsat.interpret import Interpreter

    start = time.perf_counter()
    outputs = prepare(outputs, mode)
    rules = mode.rules if rules is None else rules
    own = mode.runner(inputs, outputs, rules, model)
    if own is not None:
        return own  # type: ignore[no-any-return]
    compiler = _compiler() if mode.compiled else None
    costs, key = _model_of(model), None
    settings = {
        "rules": rules,
        "without": mode.without,
        "shape_hints": {v: h for v, h in (hints or {}).items() if v in graph_inputs(outputs)},
        "variants": 1 if profile else variants,
    }
    priced = costs.key()
    if compiler is not None and mode.rewrite and config.cache and not profile and priced is not None:
        choices = [
            _rules_key(rules),
            priced,
            compiler,
            str(mode.fuse),
            str(sorted(mode.without)),
            f"{config.default_length} {config.memory_bound}",
            str(sorted((updates or {}).items())),
            str(sorted((inputs.index(v), hint) for v, hint in (hints or {}).items())),
            str(config.variants if variants is None else variants),
        ]
        key = store.graph_key(inputs, outputs, choices)
        found = _stored(key, inputs, outputs, costs, compiler, settings)
        if found is not None:
            found.seconds = {
                "lookup": time.perf_counter() - start - sum(found.seconds.values()),
                **found.seconds,
            }
            return found
    if compiler is not None:
        _prepare(compiler, outputs)
    report = optimize(list(outputs), model=costs, **settings) if mode.rewrite else None
    best = with_constants(in_mode(report.optimized, mode)) if report is not None else list(outputs)
    seconds = {"e-graph": time.perf_counter() - start}
    made = None
    several = report.variants if report is not None else []
    if compiler is not None:
        kept = None if several else key
        made = _compiled(inputs, best, report, compiler, mode, costs, kept, profile, updates or {})
    if made is None:
        interpreter = Interpreter(inputs, best)
        made = Executable(interpreter, best, report)
        if profile:
            made.call, made.profile = timed(interpreter)
    made.seconds = {**seconds, **made.seconds}
    if several:
        _dispatched(made, inputs, several, compiler if made.source else None, mode, costs, updates or {})
    return made


def _dispatched(
    made: Executable,
    inputs: Sequence[Variable],
    several: Sequence[Any],
    compiler: str | None,
    mode: Mode,
    model: Any,
    updates: dict[int, int],
) -> None:
    """Let calls choose between several graphs, of which the first is made and the others are when they are needed."""
    from eqsat.interpret import Interpreter
    from eqsat.variants import Dispatch, Version

    first = made.call

    def maker(outputs: list[Any]) -> Callable[[], Any]:
        def make() -> Any:
            if compiler is None:
                return Interpreter(inputs, outputs)
            other = _compiled(inputs, outputs, made.report, compiler, mode, model, None, False, updates)
            return first if other is None else other.call

        return make

    versions = [Version(made.outputs, several[0].where, lambda: first)]
    for v in several[1:]:
        outputs = with_constants(in_mode(v.outputs, mode))
        versions.append(Version(outputs, v.where, maker(outputs)))
    made.versions = versions
    made.call = Dispatch(inputs, versions, model)


def _prepare(compiler: str, outputs: Sequence[Variable]) -> None:
    from eqsat.cgen import prepare

    prepare(compiler, config.cache_dir if config.cache else None, config.openmp, outputs)


def _rules_key(rules: Any) -> str:
    """What stands for the choice of rules in the key of a graph; text means rules that come with eqsat."""
    from eqsat.rules.rule import select_rules

    return str(rules) if rules is None or isinstance(rules, str) else select_rules(rules).key()


def _stored(
    key: str | None,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    model: Any,
    compiler: str,
    settings: Mapping[str, Any],
) -> Executable | None:
    """The function kept on disk for a graph, if there is one and it still compiles."""
    from eqsat.cgen import CompiledPlan, CompilerError

    found = store.load(key) if key is not None else None
    if found is None:
        return None
    try:
        compiled = CompiledPlan.from_source(*found, directory=config.cache_dir, compiler=compiler)
    except (CompilerError, OSError):
        return None
    made = Executable(compiled.call_raw, list(outputs), None, compiled.source)
    made.later = lambda: optimize(list(outputs), model=model, **settings)
    made.seconds, made.from_cache = compiled.seconds, compiled.from_cache
    return made


def _compiler() -> str | None:
    from eqsat.cgen.build import find_compiler

    found = find_compiler()
    if found is None:
        missing = f"config.cc, {config.cc!r}, is no program" if config.cc else "no C compiler was found"
        warn_once("compiler", f"{missing}: functions run op by op in NumPy, which is slower")
    return found


def _compiler_failed(compiler: str, error: Exception) -> None:
    output = getattr(error, "output", str(error))
    lines = (
        [line for line in output.splitlines() if "error" in line]
        or output.splitlines()
        or ["it said nothing"]
    )
    reason = lines[0].strip()[:300]
    warn_once(
        f"compiler failed {compiler} {reason}",
        f"the C compiler {compiler} failed ({reason}): the function runs op by op in NumPy, which is slower",
    )


def _compiled(
    inputs: Sequence[Variable],
    best: list[Any],
    report: Report | None,
    compiler: str,
    mode: Mode,
    model: Any,
    key: str | None,
    profile: bool,
    updates: dict[int, int],
) -> Executable | None:
    from eqsat.cgen import CompilerError, compile_plan

    start = time.perf_counter()
    plan = plan_graph(inputs, best, mode.rewrite and mode.fuse, model, mode.without)
    plan.updates = updates
    planned = time.perf_counter() - start
    directory = config.cache_dir if config.cache else None
    try:
        compiled = compile_plan(
            plan, directory=directory, compiler=compiler, openmp=config.openmp, profile=profile
        )
    except (CompilerError, OSError) as error:
        _compiler_failed(compiler, error)
        return None
    whole = report is not None and not report.budgets and not report.fallback and not compiled.meta.opaque
    if key is not None and whole:
        store.save(key, compiled.source, compiled.meta)
    made = Executable(compiled.call_raw, best, report, compiled.source)
    made.seconds, made.from_cache = {"plan": planned, **compiled.seconds}, compiled.from_cache
    if profile:
        made.profile = lambda: plan_rows(plan, compiled)
    return made
