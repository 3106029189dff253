"""From a graph to the cheapest one that the rules show to be equal: ``eqsat.optimize``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from eqsat.base.garbage_collection import without_collection
from eqsat.base.hooks import hook
from eqsat.base.laps import Laps
from eqsat.base.notices import warn_once
from eqsat.base.progress import Progress
from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable
from eqsat.inspect.report import Report
from eqsat.inspect.rewriting_report import report_of
from eqsat.pipeline.modes import MODES
from eqsat.pipeline.preparation import as_outputs, prepare
from eqsat.pipeline.settings import Settings

OBJECTIVES = {"cost": "default", "accuracy": "default,forms,distribute,distribute-sub"}
"""What is least in the chosen graph, and the rules for it where none are named."""


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
    target: str | None = None,
    objective: str = "cost",
    ranges: Mapping[Variable | str, Any] | None = None,
) -> Report:
    """Saturate the equality rules on a graph and extract the cheapest form; see ``Report``.

    ``outputs`` is a variable or a list. ``rules`` is None for the default tiers, a RuleSet, or text such as
    ``"exact,rounds"`` or ``"-log-exp"``. ``model`` is a CostModel. ``seconds`` bounds saturation. ``without`` names
    rewrites of loops that are no rules (``eqsat.scan.opt``). ``shape_hints`` says which lengths to reckon with where
    they are not known: ``{x: (1000, None)}``, or the value of a whole number, by variable or name. ``variants`` is how
    many graphs may be kept for different lengths (``report.variants``), "auto" for a few where it pays. ``extractor``
    names another one than the usual (``eqsat.extract.extractors``), to compare them; its answer may cost more than the
    graph as written. ``check`` has values of all inputs, by variable or name: every form that the rules made equal is then computed with
    them and compared. ``target`` names what the graph is for, whose constants the cost model takes: "c" or "cuda".
    ``objective`` is "cost", or "accuracy": then the graph of one output is chosen that loses the fewest bits against real
    arithmetic at points in the ``ranges`` of the inputs (those of ``eqsat.accuracy``), among forms of which many do not pay everywhere,
    and different ones for ranges of an input where that saves a bit; ``report.front`` has the graphs between it and the cheapest.

    Errors   ArgumentError for something that is no variable, no extractor or no number of seconds; CostError for hints that do not fit the graph,
             or what is no cost model; RuleError for a rule of the user that makes values of two types equal;
             DebugModeError where ``check`` finds forms that differ

    >>> import eqsat, eqsat.tensor as T
    >>> x, y = T.vectors("x", "y")
    >>> eqsat.optimize(x * y / y).optimized
    [x]
    """
    given = as_outputs("optimize", outputs)
    if objective not in OBJECTIVES:
        raise ArgumentError(f"optimize: objective={objective!r}", among=(objective, OBJECTIVES))
    settings = Settings.of(
        MODES["FAST_RUN"],
        OBJECTIVES[objective] if rules is None else rules,
        model,
        seconds,
        without,
        shape_hints,
        variants,
        extractor,
        False,
        given,
        target,
    )
    with Progress("optimize"):
        if objective == "accuracy":
            return hook("accurate")(prepare(given), settings, objective, ranges)  # type: ignore[no-any-return]
        return rewritten(prepare(given), settings, check)


@without_collection
def rewritten(
    roots: list[Any], settings: Settings, check: Mapping[Variable | str, Any] | None = None
) -> Report:
    """The rewriting of prepared outputs under some settings; ``check`` is that of ``optimize``."""
    from eqsat.pipeline.program import Program

    program, laps = Program(roots, settings), Laps()
    try:
        encoded = program.encoded()
        laps.lap("encode")
        met = None if check is None else hook("check_classes")(program, check, encoded)
        found = program.in_turn(encoded)
        report = report_of(found, laps.seconds)
    except BaseException as error:
        if not is_egraph_error(error):
            raise
        reason = str(error).splitlines()[0]
        if "Illegal merge" in reason:
            hook("refuse_mixed_types")(program)
        warn_once("egraph", f"the graph is compiled as written, without rewriting: {reason}")
        return Report(roots, roots, fallback=reason)
    if met is not None:
        warn_once("check", f"check: {met}")
        report.budgets.append(met)
    return report


def is_egraph_error(error: BaseException) -> bool:
    from eqsat.egraph.adapter import EGraphFailure, EGraphUnavailable

    return isinstance(error, (EGraphFailure, EGraphUnavailable))
