"""One graph under one choice of settings: a job that another process can do, and the row that comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any

from eqsat.base.hooks import hook
from eqsat.base.values import dataclass
from eqsat.errors import EqsatError, raised_text
from eqsat.graph.ops.elemwise import exp
from eqsat.graph.tensor_type import TensorType
from eqsat.inspect.report import Report

FIELDS = (
    *("graph", "settings", "written", "found", "bound", "unstable_written", "unstable_left"),
    *("ops_written", "ops", "e_nodes", "e_classes", "rules", "seconds", "budgets", "model", "error"),
)


@dataclass(frozen=True)
class Row:
    """The figures of one graph under one choice of settings; where it failed, ``error`` says why, and the figures are None.

    ``bound`` is the cost below which no graph in the e-graph is that has no more unstable forms than the one found.
    ``unstable_left`` counts the forms of the graph found that a rule knows to be unstable or that were seen to lose range. ``rules`` counts those that matched; ``budgets`` says in words which limits were met; ``costs`` has the three costs in words.
    ``pair`` is HTML of both graphs, where it was asked for.

    Units    ``written``, ``found`` and ``bound`` in seconds by the cost model, or in what it counts; ``seconds`` of the clock,
             without the compilation of rules
    """

    graph: str
    settings: str
    written: float | None = None
    found: float | None = None
    bound: float | None = None
    unstable_written: int | None = None
    unstable_left: int | None = None
    ops_written: int | None = None
    ops: int | None = None
    e_nodes: int | None = None
    e_classes: int | None = None
    rules: int | None = None
    seconds: float | None = None
    budgets: tuple[str, ...] = ()
    model: str = ""
    error: str = ""
    costs: tuple[str, ...] = ()
    pair: str = ""

    def as_row(self) -> dict[str, Any]:
        """Plain values, under ``FIELDS``."""
        return {name: getattr(self, name) for name in FIELDS} | {"budgets": "; ".join(self.budgets)}

    @property
    def name(self) -> str:
        """The graph and the settings, in words."""
        return f"{self.graph} under {self.settings}"


@dataclass(frozen=True)
class Cell:
    """A job: optimise a graph under some settings. It holds all that it needs, and can be sent to another process.

    >>> import eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> row = Cell("sum", [x + x], "exact", {"rules": "exact"})()
    >>> row.name, row.error, row.found <= row.written
    ('sum under exact', '', True)
    """

    graph: str
    outputs: list[Any]
    settings: str
    keywords: Mapping[str, Any]
    pair: bool = False

    def __call__(self) -> Row:
        """The row; that of an error where the graph cannot be optimised so."""
        try:
            warm()
            report = hook("optimize")(self.outputs, **self.keywords)
            return self.row(report)
        except Exception as error:  # the other cells go on
            said = str(error).partition("\n")[0] if isinstance(error, EqsatError) else raised_text(error)
            return Row(self.graph, self.settings, error=said or type(error).__name__)

    def row(self, report: Report) -> Row:
        """The figures of a report."""
        costs = report.cost_before, report.cost_after, report.bound
        fell = (f"compiled as written: {report.fallback}",) if report.fallback else ()
        return Row(
            self.graph,
            self.settings,
            *costs,
            report.unstable_before,
            len(report.unstable),
            report.nodes_before,
            report.nodes_after,
            report.e_nodes,
            report.e_classes,
            len(report.rules),
            sum(s for stage, s in report.seconds.items() if stage != "template"),
            (*report.budgets, *fell),
            str(report.compared.models["cost"]),
            "",
            tuple(report.compared.show_all(*costs)),
            pair_of(report) if self.pair else "",
        )


def computed(cell: Cell) -> Row:
    """The row of a cell: a function that pools of processes can be given."""
    return cell()


@cache
def warm() -> None:
    """Load in this process what the first graph loads, so that its seconds are those of the others."""
    hook("optimize")(exp(TensorType("float64", ())("x")))


def pair_of(report: Report) -> str:
    """Both graphs as a picture, and the comparison as text."""
    picture = f'<div class="picture">{report.draw()}</div>'
    return f"{picture}<pre>{escape(str(report.compared))}</pre><pre>{escape(str(report))}</pre>"
