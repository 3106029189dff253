"""From a graph to the cheapest one that the rules show to be equal: ``eqsat.optimize``."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eqsat.base.garbage_collection import without_collection
from eqsat.base.hooks import hook
from eqsat.base.notices import warn_once
from eqsat.graph.core import Variable
from eqsat.graph.fgraph import FunctionGraph
from eqsat.inspect.report import Report
from eqsat.pipeline.modes import MODES
from eqsat.pipeline.preparation import as_outputs, prepare
from eqsat.pipeline.settings import Settings

if TYPE_CHECKING:
    from eqsat.egraph.saturate import Saturated
    from eqsat.extract.algebra import Extracted
    from eqsat.pipeline.program import Program


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
    check: Mapping[Variable | str, Any] | None = None,
) -> Report:
    """Saturate the equality rules on a graph and extract the cheapest form; see ``Report``.

    ``outputs`` is a variable or a list. ``rules`` is None for the default tiers, a RuleSet, or text such as
    ``"exact,rounds"`` or ``"-log-exp"``. ``model`` is a CostModel. ``seconds`` bounds saturation. ``without`` names
    rewrites of loops that are no rules (``eqsat.scan.opt``). ``shape_hints`` says which lengths to reckon with where
    they are not known: ``{x: (1000, None)}``, or the value of a whole number, by variable or name. ``variants`` is how
    many graphs may be kept for different lengths (``report.variants``), "auto" for a few where it pays. ``extractor``
    names another one than the usual (``eqsat.extract.extractors``), to compare them; its answer may cost more than the
    graph as written. ``check`` has values of all inputs, by variable or name: every form that the rules made equal is then computed with
    them and compared.

    Errors   ArgumentError for something that is no variable, no extractor or no number of seconds; CostError for hints that do not fit the graph,
             or what is no cost model; RuleError for a rule of the user that makes values of two types equal;
             DebugModeError where ``check`` finds forms that differ

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.vectors("x", "y")
    >>> eqsat.optimize(x * y / y).optimized
    [x]
    """
    given = as_outputs("optimize", outputs)
    settings = Settings.of(
        MODES["FAST_RUN"],
        "default" if rules is None else rules,
        model,
        seconds,
        without,
        shape_hints,
        variants,
        extractor,
        False,
        given,
    )
    return rewritten(prepare(given), settings, check)


def rewritten(
    roots: list[Any], settings: Settings, check: Mapping[Variable | str, Any] | None = None
) -> Report:
    """The rewriting of prepared outputs under some settings; ``check`` is that of ``optimize``."""
    from eqsat.pipeline.program import Program

    program = Program(roots, settings)
    try:
        met = None if check is None else _checked(program, check)
        report = _saturated(replace(program, on_functions=False))
    except BaseException as error:
        if not is_egraph_error(error):
            raise
        reason = str(error).splitlines()[0]
        if "Illegal merge" in reason:
            hook("refuse_mixed_types")(program)
        warn_once("egraph", f"the graph is compiled as written, without rewriting: {reason}")
        return Report(roots, roots, fallback=reason)
    report.budgets += [] if met is None else [met]
    return report


def _checked(program: Program, values: Mapping[Variable | str, Any]) -> str | None:
    """Compare all forms of a program; which limit was met, in words."""
    met: str | None = hook("check_classes")(program, values)
    if met is not None:
        warn_once("check", f"check: {met}")
    return met


def is_egraph_error(error: BaseException) -> bool:
    from eqsat.egraph.adapter import EGraphFailure, EGraphUnavailable

    return isinstance(error, (EGraphFailure, EGraphUnavailable))


def _saturated(program: Program, before: Mapping[str, float] | None = None) -> Report:
    """What the program is rewritten to; the rest again with the rules that ask what values are made of, where one could match.

    An e-graph that has outgrown its limits with fewer rules is not tried with more.
    ``before`` has the seconds of the stages so far.
    """
    from eqsat.egraph.function_search import could_match
    from eqsat.extract.algebra import extract
    from eqsat.extract.variants import MOST, find_variants, may_vary
    from eqsat.scan.closed import close_scans

    s, start = program.settings, time.perf_counter()
    encoded = program.encoded()
    coded = time.perf_counter()
    saturated = program.saturated(encoded)
    read = time.perf_counter()
    look = s.variants != 1 and may_vary(encoded, saturated, s.variants is not None)
    assumed = program.assumed(encoded) if look or s.hints else None
    seconds = s.flag("extract_seconds")
    extracted = extract(encoded, saturated, s.model, seconds, assumed, s.extractor)
    stages = {"encode": coded - start, **saturated.seconds, "extract": time.perf_counter() - read}
    stages = {name: spent + (before or {}).get(name, 0.0) for name, spent in stages.items()}
    outgrown = any(p.stopped in ("nodes", "seconds") for p in saturated.phases)
    if not program.on_functions and not outgrown and could_match(s.rules, extracted.chosen, saturated):
        return _saturated(replace(program, on_functions=True), stages)
    best = extracted.outputs if not extracted.loops else close_scans(extracted.outputs, extracted.loops)
    several: list[Any] = []
    if look:
        read = time.perf_counter()
        several = find_variants(encoded, saturated, s.model, seconds, dict(s.hints), s.variants or MOST)
        stages["variants"] = time.perf_counter() - read
    return _report(program, saturated, extracted, best, stages, several)


def _report(
    program: Program,
    saturated: Saturated,
    extracted: Extracted,
    best: list[Any],
    stages: dict[str, float],
    several: list[Any],
) -> Report:
    """What is told of a rewriting; the price of unstable forms is told apart from the costs."""
    found, penalty = extracted.extraction, program.settings.model.unstable
    written = found.cost if found.written_cost is None else found.written_cost
    unstable, kept = int(written // penalty), int(found.cost // penalty)
    return Report(
        program.outputs,
        best,
        max(0.0, found.bound - kept * penalty),
        saturated.matches(),
        saturated.phases,
        stages,
        _budgets(saturated),
        extracted.e_nodes,
        extracted.classes,
        saturated.rules,
        found.method,
        unstable_before=unstable,
        unstable_after=kept,
        model=program.settings.model,
        settings=program.settings,
        variants=several,
        known=extracted.known,
        on_functions=program.on_functions,
    )


def _budgets(saturated: Saturated) -> list[str]:
    """The limits that were met, said once."""
    words = {"nodes": "rows", "seconds": "seconds", "iterations": "iterations"}
    met = [
        f"phase {p.name} stopped at its limit of {words[p.stopped]} after {p.seconds:.2f} s and {p.rows} rows"
        for p in saturated.phases
        if p.stopped != "saturated"
    ]
    if saturated.left_out:
        met.append(f"{saturated.left_out} rules that pair terms are left out of so large a graph")
    if saturated.retried:
        warn_once(f"contradiction {saturated.retried[-1]}", saturated.retried[-1])
    if met:
        warn_once(
            "budget", f"{met[0]}; the best graph found so far is used (config.egraph_seconds, egraph_nodes)"
        )
    return [*met, *saturated.retried]


def rewrite_graph(
    graph: Any, include: Sequence[str] = ("default",), exclude: Sequence[str] = (), clone: bool = False
) -> Any:
    """The cheapest graph that the rules find: of a variable, a list of variables, or a FunctionGraph in place.

    ``include`` and ``exclude`` name rules, tags or tiers, as ``eqsat.optimize(rules=...)`` does; names of passes of
    older programs are ignored. ``clone`` leaves a given FunctionGraph as it is.

    Errors   RuleError for a name that is none of these

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.rewrite_graph(T.log(T.exp(x)))
    x
    >>> str(eqsat.rewrite_graph(T.log(T.exp(x)), exclude=["log-exp"]).owner.op)
    'log'
    """
    from eqsat.pipeline.modes import OLD_PASSES

    words = [w for w in include if w not in OLD_PASSES] or ["default"]
    rules = ",".join([*words, *("-" + w for w in exclude if w not in OLD_PASSES)])
    if isinstance(graph, FunctionGraph):
        graph = graph.clone() if clone else graph
        for k, new in enumerate(optimize(graph.outputs, rules).optimized):
            graph.change_input("output", k, new, reason="rewrite_graph")
        return graph
    several = isinstance(graph, (list, tuple))
    made = optimize(list(graph) if several else [graph], rules).optimized
    return list(made) if several else made[0]
