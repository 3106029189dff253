"""The report of the optimiser: both graphs, the cost of each, the rules that matched, seconds and budgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import ref

from eqsat.base.names import Suggesting
from eqsat.base.units import times
from eqsat.base.values import dataclass
from eqsat.inspect.planned_step import PlannedStep, step_lines
from eqsat.inspect.unstable_form import Form

if TYPE_CHECKING:
    from eqsat.inspect.comparison import Comparison
    from eqsat.inspect.explanation import Explanation
    from eqsat.inspect.explanation.egraph_view import EGraphView
    from eqsat.inspect.loop_report import LoopChange
    from eqsat.pipeline.program import Settings

__all__ = ["Report"]

DEARER = "; the cost rises, since fewer unstable forms come before fewer seconds"


@dataclass(repr=False)
class Report(Suggesting):
    """The result of ``eqsat.optimize``.

    ``original`` and ``optimized`` are lists of outputs. ``cost_before`` and ``cost_after`` are seconds by the cost model,
    the sums of what ``compare(report)`` says of each op, and ``nodes_before`` and ``nodes_after`` the numbers of these ops.
    ``unstable_before`` and ``unstable_after`` count forms that may overflow or cancel and that a rule knows to replace; they count
    before seconds, so that the cost may rise where some go. No graph in the e-graph that has no more of them
    than the optimised one costs less than ``bound``. ``unstable`` are the forms that are left, those that no rule knows among them. ``lengths`` says in words which lengths the costs assume.
    ``rules`` maps names to the number of matches; ``phases`` are those of saturation; ``seconds`` maps
    stages to time; ``budgets`` says in words which limits were hit;
    ``loops`` says for each loop what became of it; ``variants`` are the graphs kept for different
    lengths, each with where it is best; ``settings`` are the rules, the seconds and what else was asked for;
    ``on_functions`` is true where rules that ask what values are made of were among them;
    ``steps`` are those of the compiled function: what each reads and writes, and its seconds by the cost model;
    ``front`` has the graphs of which none is both as accurate and as cheap as another one, where the objective was accuracy;
    ``not_kept`` says why a compiled function is not kept on disk, where that is so.

    Units    seconds, by the cost model or by the clock

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> report = eqsat.optimize(T.log(T.exp(x)))
    >>> report.optimized, report.nodes_before, report.nodes_after
    ([x], 2, 0)
    """

    original: list[Any]
    optimized: list[Any]
    lower: float = 0.0  # bound of the extraction
    rules: dict[str, int] = field(default_factory=dict)
    phases: list[Any] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    budgets: list[str] = field(default_factory=list)
    e_nodes: int = 0
    e_classes: int = 0
    rules_tried: int = 0
    method: str = "as written"
    fallback: str | None = None
    unstable_before: int = 0
    unstable_after: int = 0
    kept: list[Form] = field(default_factory=list)  # those of ``unstable_after``
    model: Any = None
    settings: Settings | None = None
    on_functions: bool = True
    variants: list[Any] = field(default_factory=list)
    not_kept: str | None = None
    known: Any = None  # lengths that are known or assumed of variables, as a Spread
    front: list[Any] = field(
        default_factory=list
    )  # graphs by error and cost, where the objective was the accuracy
    planned: Callable[[], list[PlannedStep]] | None = None  # the steps of the compiled function
    step_graph: Callable[[], list[Any]] | None = None  # the steps of the compiled function as a graph to draw
    _egraph: ref[EGraphView] | None = field(default=None, init=False)

    @cached_property
    def loops(self) -> list[LoopChange]:
        """The change of each loop of the graph as written: work that left it or is gone, seconds of all its steps."""
        from eqsat.inspect.loop_report import loop_changes

        found = self.compared
        model = next(iter(found.models.values()))
        known = [side.reckoned(model, found.hints) for side in (found.a, found.b)]
        return loop_changes(self.original, self.optimized, model, known)

    @cached_property
    def compared(self) -> Comparison:
        """The graph as written beside the optimised one, from which all numbers of a report are taken."""
        from eqsat.inspect.comparison import compare

        return compare(self)

    @property
    def steps(self) -> list[PlannedStep]:
        """The kernels, calls and loops of the compiled function with what they read and write and their seconds by the cost
        model; empty where no function was compiled."""
        return [] if self.planned is None else self.planned()

    @property
    def nodes_before(self) -> int:
        """Number of ops in the graph as written, those in the steps of loops included."""
        return self.compared.sizes[0]

    @property
    def nodes_after(self) -> int:
        """Number of ops in the optimised graph, those in the steps of loops included."""
        return self.compared.sizes[1]

    @property
    def cost_before(self) -> float:
        """Seconds of the graph as written, op by op."""
        return self.compared.seconds[0]

    @property
    def cost_after(self) -> float:
        """Seconds of the optimised graph, op by op."""
        return self.compared.seconds[1]

    @property
    def bound(self) -> float:
        """Seconds below which no graph in the e-graph is that has no more unstable forms than the optimised one."""
        return min(self.lower, self.cost_after)

    @cached_property
    def lost(self) -> list[Form]:
        """The forms of the optimised graph that lose range, for which no rule that was asked for has a stable one."""
        from eqsat.inspect.lost_range import lost_range

        return lost_range(self.optimized)

    @property
    def unstable(self) -> list[Form]:
        """The unstable forms of the optimised graph: those that rules know, and those that were seen to lose range.

        >>> import eqsat, eqsat.tensor as T
        >>> x = T.dscalar("x")
        >>> [form.why for form in eqsat.optimize(T.log(1 + T.exp(x)), rules="exact").unstable]
        ['inf where the value is 1000, as (1.0 + exp(x)) overflows']
        >>> eqsat.optimize(T.log(1 + T.exp(x))).unstable
        []
        """
        seen = {form.text for form in self.lost}
        return [*(form for form in self.kept if form.text not in seen), *self.lost]

    @property
    def lengths(self) -> str:
        """The lengths that the costs assume because types leave them open, in words; empty where there are none."""
        hint = "" if self.settings is None or self.settings.hints else " (shape_hints= says others)"
        return self.compared.lengths and self.compared.lengths + hint

    def show(self, cost: float) -> str:
        """A cost in words, in the unit of the model."""
        return self.compared.show(cost)

    def draw(self, file: Any = None) -> str:
        """SVG of the two graphs side by side; written to ``file`` where one is given."""
        from eqsat.inspect.drawing import draw_pair

        return draw_pair(
            self.original, self.optimized, file, ("as written", "optimised"), self.compared.captions
        )

    def explain(self, seconds: float = 20.0) -> Explanation:
        """The steps from the graph as written to the optimised one, by the fewest rules that lead there.

        Rules are left out as long as the others still show that the two graphs are equal; each step is one rule, with
        its place, the cost after it, and the difference of values at random inputs. It is done within some ``seconds``; the
        ``limits`` of the explanation say what there was no time for, and that nothing was begun where the rewriting itself,
        which is done once more, took longer than half of them.

        >>> import eqsat, eqsat.tensor as T
        >>> x, y = T.dvectors("x", "y")
        >>> why = eqsat.optimize(T.log(1 + T.exp(x * y / y))).explain()
        >>> [step.name for step in why.steps]
        ['log-one-plus', 'log1p-exp', 'mul-div-cancel']
        """
        from eqsat.inspect.explanation import explain

        return explain(self, seconds)

    def why_not(self, rule: Any) -> str:
        """The reason why a rule, given by its name, did not match: the missing part of its left side or of its condition.

        Errors   ArgumentError for a graph that was compiled as written; RuleError for a name that no rule has

        >>> import eqsat, eqsat.tensor as T
        >>> x = T.dvector("x")
        >>> print(eqsat.optimize(T.exp(T.log(x))).why_not("log-exp"))
        log-exp did not match: its left side does not occur: there is no exp under log
        """
        from eqsat.inspect.explanation.why_not import why_not

        return why_not(self, rule)

    @property
    def egraph(self) -> EGraphView:
        """The e-graph: ``draw()`` for small ones, ``plot()`` of how it grew for all.

        It is not kept by the report, but saturated again when it is drawn.
        """
        from eqsat.inspect.explanation.egraph_view import EGraphView

        view = self._egraph() if self._egraph is not None else None
        if view is None:
            view = EGraphView(self)
            self._egraph = ref(view)
        return view

    def html(self, explain: bool = False, title: str = "") -> str:
        """A page that needs no network: both graphs, costs by node, rules, phases, the growth of the e-graph.

        With ``explain`` the steps of ``explain()`` are on it too.
        """
        from eqsat.inspect.report_page import report_page

        return report_page(self, self.explain() if explain else None, title)

    def save_html(self, path: Any, explain: bool = False, title: str = "") -> None:
        """Write the page of :meth:`html` to a path or a text file."""
        from eqsat.base.text_files import write_text

        write_text(self.html(explain, title), path)

    def _repr_svg_(self) -> str:
        return self.draw()

    def _repr_html_(self) -> str:
        from eqsat.inspect.page.tables import in_notebook

        return in_notebook(self.html())

    def __repr__(self) -> str:
        before, after = self.compared.show_all(self.cost_before, self.cost_after)
        return f"<Report: {self.nodes_before} -> {self.nodes_after} ops, {before} -> {after}>"

    def stability(self) -> str:
        """The numbers of unstable forms before and after, in words, and whether the cost rises for it; empty where there were none."""
        before, after = self.unstable_before, self.unstable_after
        if not before and not after:
            return ""
        said = f"{_forms(before)} as written, all replaced"
        if after:
            said = (
                f"{_forms(before)} as written, {after} left: the e-graph holds nothing stable that is equal"
            )
        dearer = self.cost_after > self.cost_before and after < before
        return said + (DEARER if dearer else "")

    def range_lines(self) -> list[str]:
        """The forms that are left and may lose range, each with its line and the reason; or why the graph was not looked at."""
        from eqsat.inspect.lost_range import why_not_run

        if why := why_not_run(self.optimized):
            return [f"whether forms lose range is not known: {why}"]
        if not self.unstable:
            return []
        known = "" if self.stabilises else ", and no rule that knows stable forms was asked for"
        return [f"{_forms(len(self.unstable))} can lose range or digits{known}:", *map(str, self.unstable)]

    @property
    def stabilises(self) -> bool:
        """True where rules that replace unstable forms were among those asked for."""
        return self.settings is None or any(r.tier == "stabilises" for r in self.settings.rules.rules)

    def claim(self) -> str:
        """Below which cost no graph is, and of which graphs that is said; in words."""
        some = "stable graph" if not self.unstable else "graph without known unstable forms"
        if self.unstable_after:
            some = f"graph with {_forms(self.unstable_after)} or fewer"
        return f"no {some} in the e-graph is below"

    def __str__(self) -> str:
        if self.fallback:
            return f"ops     {self.nodes_before}\nthe graph is compiled as written: {self.fallback}"
        before, after, bound = self.compared.show_all(self.cost_before, self.cost_after, self.bound)
        lines = [
            f"ops     {self.nodes_before} -> {self.nodes_after}",
            f"cost    {before} -> {after}   ({self.claim()} {bound})",
        ]
        lines += [f"        {text}" for text in (self.stability(), self.lengths) if text]
        first, *rest = self.range_lines() or [""]
        lines += [f"range   {first}", *(f"          {text}" for text in rest)] if first else []
        lines += [f"error   {m}" for m in self.front]
        lines.append(
            f"e-graph {self.e_nodes} e-nodes in {self.e_classes} classes, {self.rules_tried} rules tried"
        )
        lines += [f"budget  {text}" for text in self.budgets]
        for phase, took in zip(self.phases, times(*(p.seconds for p in self.phases)), strict=True):
            lines.append(f"phase   {phase.name:<8} {took}, {phase.iterations} iterations, {phase.stopped}")
        lines += map(str, self.loops)
        lines += [f"graph {k} {v}" for k, v in enumerate(self.variants)]
        if steps := self.steps:
            target = (
                "" if self.settings is None or self.settings.target == "c" else f" for {self.settings.target}"
            )
            lines += [
                f"steps   {len(steps)}{target}, with what the cost model expects of them",
                *step_lines(steps),
            ]
        stages = zip(self.seconds, times(*self.seconds.values()), strict=True)
        lines.append("time    " + ", ".join(f"{name} {value}" for name, value in stages))
        if self.not_kept is not None:
            lines.append(f"        the next process takes as long: {self.not_kept}")
        fired = sorted(self.rules.items(), key=lambda item: (-item[1], item[0]))
        lines.append(f"rules   {len(fired)} matched" + ("" if fired else "; nothing to rewrite"))
        lines += [f"  {count:>6}  {name}" for name, count in fired]
        return "\n".join(lines)


def _forms(count: int) -> str:
    return f"{count} unstable form{'s' * (count != 1)}"
