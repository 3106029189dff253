"""What the optimiser did: both graphs, what each costs, the rules that matched, seconds and budgets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import ref

from eqsat.graph.walk import toposort
from eqsat.names import Suggesting
from eqsat.units import micro

if TYPE_CHECKING:
    from eqsat.explanation import Explanation
    from eqsat.explanation.egraph import EGraphView
    from eqsat.loop_report import LoopChange
    from eqsat.program import Settings

__all__ = ["Report"]


@dataclass(repr=False)
class Report(Suggesting):
    """The result of ``eqsat.optimize``.

    ``original`` and ``optimized`` are lists of outputs; costs are seconds by the cost model;
    ``rules`` maps names to the number of matches; ``phases`` are those of saturation; ``seconds`` maps
    stages to time; ``budgets`` says in words which limits were hit; ``bound`` is below every possible cost;
    ``loops`` says for each loop what became of it; ``variants`` are the graphs kept for different
    lengths, each with where it is best; ``settings`` are the rules, the seconds and what else was asked for;
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
    cost_before: float
    cost_after: float
    bound: float = 0.0
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
    model: Any = None
    settings: Settings | None = None
    variants: list[Any] = field(default_factory=list)
    not_kept: str | None = None
    _egraph: ref[EGraphView] | None = field(default=None, init=False)

    @cached_property
    def loops(self) -> list[LoopChange]:
        """What became of each loop of the graph as written: what left it, what is gone, seconds of all its steps."""
        from eqsat.extract.cost import CostModel
        from eqsat.loop_report import loop_changes

        return loop_changes(self.original, self.optimized, self.model or CostModel())

    @property
    def nodes_before(self) -> int:
        """Number of applications in the graph as written."""
        return len(toposort(self.original))

    @property
    def nodes_after(self) -> int:
        """Number of applications in the chosen graph."""
        return len(toposort(self.optimized))

    def show(self, cost: float) -> str:
        """A cost in words, in the unit of the model."""
        return micro(cost) if self.model is None else str(self.model.show(cost))

    def draw(self, file: Any = None) -> str:
        """SVG of the two graphs side by side; written to ``file`` where one is given."""
        from eqsat.drawing import draw_pair

        captions = (
            f"{self.nodes_before} nodes, {self.show(self.cost_before)}",
            f"{self.nodes_after} nodes, {self.show(self.cost_after)}",
        )
        return draw_pair(self.original, self.optimized, file, ("as written", "optimised"), captions)

    def explain(self, seconds: float = 20.0) -> Explanation:
        """The steps from the graph as written to the optimised one, by the fewest rules that lead there.

        Rules are left out as long as the others still show that the two graphs are equal; each step is one rule, with
        its place, the cost after it, and the difference of values at random inputs. ``seconds`` bounds the search.

        >>> import eqsat, eqsat.tensor as T
        >>> x, y = T.dvectors("x", "y")
        >>> why = eqsat.optimize(T.log(1 + T.exp(x * y / y))).explain()
        >>> [step.name for step in why.steps]
        ['log-one-plus', 'log1p-exp', 'mul-div-cancel']
        """
        from eqsat.explanation import explain

        return explain(self, seconds)

    def why_not(self, rule: Any) -> str:
        """Why a rule, given by its name, did not match: what of its left side or its condition is missing.

        Errors   ArgumentError for a graph that was compiled as written; RuleError for a name that no rule has

        >>> import eqsat, eqsat.tensor as T
        >>> x = T.dvector("x")
        >>> print(eqsat.optimize(T.exp(T.log(x))).why_not("log-exp"))
        log-exp did not match: its left side does not occur: there is no exp under log
        """
        from eqsat.explanation.why_not import why_not

        return why_not(self, rule)

    @property
    def egraph(self) -> EGraphView:
        """The e-graph: ``draw()`` for small ones, ``plot()`` of how it grew for all.

        It is not kept by the report, but saturated again when it is drawn.
        """
        from eqsat.explanation.egraph import EGraphView

        view = self._egraph() if self._egraph is not None else None
        if view is None:
            view = EGraphView(self)
            self._egraph = ref(view)
        return view

    def html(self, explain: bool = False, title: str = "") -> str:
        """A page that needs no network: both graphs, costs by node, rules, phases, the growth of the e-graph.

        With ``explain`` the steps of ``explain()`` are on it too.
        """
        from eqsat.report_page import report_page

        return report_page(self, self.explain() if explain else None, title)

    def save_html(self, path: Any, explain: bool = False, title: str = "") -> None:
        """Write the page of :meth:`html` to a path or a text file."""
        from eqsat.page.tables import write_page

        write_page(self.html(explain, title), path)

    def _repr_svg_(self) -> str:
        return self.draw()

    def _repr_html_(self) -> str:
        from eqsat.page.tables import in_notebook

        return in_notebook(self.html())

    def __repr__(self) -> str:
        return f"<Report: {self.nodes_before} -> {self.nodes_after} nodes, {self.show(self.cost_before)} -> {self.show(self.cost_after)}>"

    def __str__(self) -> str:
        if self.fallback:
            return f"nodes   {self.nodes_before}\nthe graph is compiled as written: {self.fallback}"
        lines = [
            f"nodes   {self.nodes_before} -> {self.nodes_after}",
            f"cost    {self.show(self.cost_before)} -> {self.show(self.cost_after)}"
            f"   (no graph in the e-graph is below {self.show(self.bound)})",
        ]
        if self.unstable_before:
            forms = "form as written was" if self.unstable_before == 1 else "forms as written were"
            lines.append(f"        {self.unstable_before} unstable {forms} replaced")
        lines.append(
            f"e-graph {self.e_nodes} e-nodes in {self.e_classes} classes, {self.rules_tried} rules tried"
        )
        lines += [f"budget  {text}" for text in self.budgets]
        for phase in self.phases:
            lines.append(
                f"phase   {phase.name:<8} {phase.seconds:.3f} s, {phase.iterations} iterations, {phase.stopped}"
            )
        lines += map(str, self.loops)
        lines += [f"graph {k} {v}" for k, v in enumerate(self.variants)]
        lines.append("seconds " + ", ".join(f"{name} {value:.3f}" for name, value in self.seconds.items()))
        if self.not_kept is not None:
            lines.append(f"        the next process takes as long: {self.not_kept}")
        fired = sorted(self.rules.items(), key=lambda item: (-item[1], item[0]))
        lines.append(f"rules   {len(fired)} matched" + ("" if fired else "; nothing to rewrite"))
        lines += [f"  {count:>6}  {name}" for name, count in fired]
        return "\n".join(lines)
