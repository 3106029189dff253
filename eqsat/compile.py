"""The pipeline from a graph to a callable: encode, saturate, extract, plan, generate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from eqsat.configuration import config
from eqsat.graph.core import Variable
from eqsat.graph.plan import Plan, plan_as_written
from eqsat.graph.walk import toposort
from eqsat.modes import Mode
from eqsat.notices import warn_once
from eqsat.report import Report

MOST_MATCHES = 20_000


def optimize(outputs: Any, rules: Any = None, model: Any = None, seconds: float | None = None) -> Report:
    """Saturate the equality rules on a graph and extract the cheapest form; see ``Report``.

    ``outputs`` is a variable or a list. ``rules`` is None for the default tiers, a RuleSet, or text such as
    ``"exact,rounds"`` or ``"-log-exp"``. ``model`` is a CostModel. ``seconds`` bounds saturation.

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.vectors("x", "y")
    >>> eqsat.optimize(x * y / y).optimized
    [x]
    """
    from eqsat.extract.cost import CostModel
    from eqsat.rules.rule import select_rules

    roots = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    chosen = select_rules(rules)
    limit = config.egraph_seconds if seconds is None else seconds
    try:
        return _saturated(roots, chosen, model or CostModel(), limit)
    except BaseException as error:
        if not _is_egraph_error(error):
            raise
        reason = str(error).splitlines()[0]
        warn_once("egraph", f"the graph is compiled as written, without rewriting: {reason}")
        return Report(roots, roots, 0.0, 0.0, fallback=reason)


def _is_egraph_error(error: BaseException) -> bool:
    from eqsat.egraph.adapter import EGraphFailure, EGraphUnavailable

    return isinstance(error, (EGraphFailure, EGraphUnavailable))


def _saturated(roots: list[Any], rules: Any, model: Any, seconds: float) -> Report:
    from eqsat.egraph.encode import encode
    from eqsat.egraph.saturate import saturate
    from eqsat.egraph.scheduler import Budget
    from eqsat.extract.algebra import extract

    start = time.perf_counter()
    encoded = encode(roots)
    coded = time.perf_counter()
    saturated = saturate(encoded, rules, Budget(config.egraph_nodes, MOST_MATCHES, seconds))
    read = time.perf_counter()
    extracted = extract(encoded, saturated, model, config.extract_seconds)
    stages = {"encode": coded - start, **saturated.seconds, "extract": time.perf_counter() - read}
    found = extracted.extraction
    written = found.cost if found.written_cost is None else found.written_cost
    unstable = int(written // model.unstable)
    budgets = _budgets(saturated.phases)
    if budgets:
        warn_once("budget", f"{budgets[0]}; the best graph found so far is used (config.egraph_seconds, egraph_nodes)")
    return Report(
        roots,
        extracted.outputs,
        written - unstable * model.unstable,
        found.cost,
        found.bound,
        saturated.matches(),
        saturated.phases,
        stages,
        budgets,
        extracted.e_nodes,
        extracted.classes,
        saturated.rules,
        found.method,
        unstable_before=unstable,
    )


def _budgets(phases: Sequence[Any]) -> list[str]:
    words = {"nodes": "rows", "seconds": "seconds", "iterations": "iterations"}
    return [
        f"phase {p.name} stopped at its limit of {words[p.stopped]} after {p.seconds:.2f} s and {p.rows} rows"
        for p in phases
        if p.stopped != "saturated"
    ]


def plan_graph(inputs: Sequence[Variable], outputs: Sequence[Variable], fused: bool, model: Any = None) -> Plan:
    """Steps that compute the outputs; fused kernels by the PLAN e-graph, or one step per op."""
    if fused:
        from eqsat.extract.cost import CostModel
        from eqsat.extract.plan import make_plan

        try:
            return make_plan(inputs, outputs, model or CostModel())
        except BaseException as error:
            if not _is_egraph_error(error):
                raise
            warn_once("plan", f"kernels are not fused: {str(error).splitlines()[0]}")
    return plan_as_written(inputs, outputs, toposort(outputs, stop=inputs))


@dataclass
class Executable:
    """What runs a function: ``call`` takes arrays and gives arrays or None where an array is not acceptable."""

    call: Any
    outputs: list[Any]
    report: Report | None
    source: str | None
    seconds: dict[str, float] = field(default_factory=dict)
    from_cache: bool = False


def build(inputs: Sequence[Variable], outputs: Sequence[Variable], mode: Mode, rules: Any, model: Any) -> Executable:
    """Rewrite, plan and compile a graph as a mode says."""
    from eqsat.interpret import Interpreter

    compiler = _compiler() if mode.compiled else None
    start = time.perf_counter()
    report = optimize(list(outputs), rules, model) if mode.rewrite else None
    best = report.optimized if report is not None else list(outputs)
    seconds = {"egraph": time.perf_counter() - start}
    if compiler is not None:
        made = _compiled(inputs, best, report, compiler, mode, model, seconds)
        if made is not None:
            return made
    return Executable(Interpreter(inputs, best), best, report, None, seconds)


def _compiler() -> str | None:
    from eqsat.cgen.build import find_compiler

    found = find_compiler()
    if found is None:
        warn_once("compiler", "no C compiler was found: functions run op by op in NumPy, which is slower")
    return found


def _compiled(
    inputs: Sequence[Variable],
    best: list[Any],
    report: Report | None,
    compiler: str,
    mode: Mode,
    model: Any,
    seconds: dict[str, float],
) -> Executable | None:
    from eqsat.cgen import compile_plan
    from eqsat.cgen.build import CompilerError

    start = time.perf_counter()
    plan = plan_graph(inputs, best, mode.rewrite, model)
    seconds["plan"] = time.perf_counter() - start
    directory = config.cache_dir if config.cache else None
    try:
        compiled = compile_plan(plan, directory=directory, compiler=compiler, openmp=config.openmp)
    except CompilerError as error:
        warn_once(f"compiler failed {error}", f"the C compiler failed, the function runs in NumPy: {error}")
        return None
    seconds.update(compiled.seconds)
    return Executable(compiled.call_raw, best, report, compiled.source, seconds, compiled.from_cache)
