"""compare: two graphs, or one expression under two settings, node by node under one cost model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, overload

from eqsat.base.hooks import hook
from eqsat.base.names import Suggesting
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Variable
from eqsat.graph.tensor_type import shorten
from eqsat.inspect.comparison.align import Alignment, Graph, Line, align, graph_of, inputs_only_in
from eqsat.inspect.comparison.comparison_table import ComparisonTable, products, table_of
from eqsat.inspect.comparison.comparison_text import comparison_text
from eqsat.inspect.comparison.node_costs import assumed_lengths, reckoned
from eqsat.inspect.report import Report
from eqsat.pipeline.preparation import named_outputs
from eqsat.printing import outputs_of

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Side:
    """One of the two graphs: what it is called, its outputs, the model that chose it, and its report if it has one."""

    name: str
    outputs: list[Any]
    model: Any = None
    report: Report | None = None
    known: Any = None  # lengths that a rewriting knows of the variables

    def reckoned(self, model: Any, hints: Mapping[Any, Any]) -> Any:
        """The lengths with which a model reckons."""
        return reckoned(self.outputs, model, hints, self.known)


@dataclass(eq=False, repr=False)
class Comparison(Suggesting):
    """Two graphs aligned; ``eqsat.compare`` makes it, ``print`` shows it.

    ``a`` and ``b`` are the two sides, with ``name``, ``outputs`` and, where there is one, ``report``. ``models`` maps a
    name to each cost model. ``seconds`` is a pair of costs under the first model; ``only_a`` and ``only_b`` are
    lines of what only one graph holds, ``shared`` of the parts of both that the rest is made of. A line has ``name``, ``text``,
    ``type``, ``seconds`` (one for each model) and ``made_at``. Costs come from the types of the variables, op by op;
    ``lengths`` says in words what is assumed where types leave lengths open. Of compiled functions their steps are shown too. Where a report had hints of lengths, they count for both sides.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> found = eqsat.compare(T.log(1 + T.exp(x)), T.softplus(x), names=("naive", "stable"))
    >>> [line.text for line in found.only_b], len(found.only_a)
    (['softplus(x)'], 3)
    """

    a: Side
    b: Side
    models: dict[str, Any]

    @cached_property
    def graphs(self) -> tuple[Graph, Graph]:
        """Both graphs with the cost of each op."""
        models = list(self.models.values())
        a, b = (
            graph_of(s.outputs, models, [s.reckoned(m, self.hints) for m in models]) for s in (self.a, self.b)
        )
        return a, b

    @property
    def hints(self) -> Mapping[Any, Any]:
        """The hints of lengths with which costs are reckoned: those of the first side that has some."""
        settings = [s.report.settings for s in (self.a, self.b) if s.report is not None]
        return next((dict(s.hints) for s in settings if s is not None and s.hints), {})

    @cached_property
    def alignment(self) -> Alignment:
        """The parts that both graphs hold, and the lines of the ops that only one has."""
        return align(*self.graphs)

    @property
    def shared(self) -> list[Line]:
        """The parts that both graphs hold."""
        return self.alignment.shared

    @property
    def only_a(self) -> list[Line]:
        """The ops that only the first graph holds, views apart."""
        return self.alignment.only[0]

    @property
    def only_b(self) -> list[Line]:
        """The ops that only the second graph holds, views apart."""
        return self.alignment.only[1]

    @property
    def seconds(self) -> tuple[float, float]:
        """The cost of each graph under the first model."""
        return self.graphs[0].total[0], self.graphs[1].total[0]

    @property
    def same(self) -> bool:
        """True where neither graph holds an op that the other does not, and the outputs are the same."""
        first, second = self.graphs
        mine, theirs = self.alignment, [[g.numbers[v.owner or v] for v in g.outputs] for g in (first, second)]
        return not any(mine.only) and theirs[0] == theirs[1]

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of ops of each graph, those in the steps of loops included."""
        return len(self.graphs[0].priced), len(self.graphs[1].priced)

    @property
    def inputs_only(self) -> tuple[list[str], list[str]]:
        """Names of inputs that only one graph reads, with their type where the other has that name in another type."""
        first, second = self.graphs
        return inputs_only_in(first, second), inputs_only_in(second, first)

    @cached_property
    def lengths(self) -> str:
        """The lengths that the costs assume because types leave them open, in words; empty where there are none."""
        model, outputs = next(iter(self.models.values())), [*self.a.outputs, *self.b.outputs]
        return assumed_lengths(outputs, model, reckoned(outputs, model, self.hints, None))

    def show(self, cost: float) -> str:
        """A cost in words, in the unit of the first model."""
        return self.show_all(cost)[0]

    def show_all(self, *costs: float) -> list[str]:
        """Costs in words, in one unit of the first model."""
        return next(iter(self.models.values())).show_all(*costs)  # type: ignore[no-any-return]

    @property
    def captions(self) -> list[str]:
        """The number of ops and the cost of each graph, in words."""
        return [f"{n:,} ops, {s}" for n, s in zip(self.sizes, self.show_all(*self.seconds), strict=True)]

    def draw(self, file: Any = None) -> str:
        """SVG of the two graphs side by side, what both hold muted; written to ``file`` where one is given."""
        from eqsat.inspect.drawing import draw_pair

        return draw_pair(self.a.outputs, self.b.outputs, file, (self.a.name, self.b.name), self.captions)

    def html(self, title: str = "") -> str:
        """A page that needs no network: both graphs, which can be moved and folded, and the cost of each op."""
        from eqsat.inspect.comparison.comparison_page import comparison_page
        from eqsat.inspect.steps_section import steps_section

        reports = [(side.report, side.name) for side in (self.a, self.b)]
        more = [steps_section(r, name) for r, name in reports if r is not None and r.steps]
        return comparison_page(self, more, title=title)

    def save_html(self, path: Any, title: str = "") -> None:
        """Write the page of :meth:`html` to a path or a text file."""
        from eqsat.base.text_files import write_text

        write_text(self.html(title), path)

    def _repr_svg_(self) -> str:
        return self.draw()

    def _repr_html_(self) -> str:
        from eqsat.inspect.page.tables import in_notebook

        return in_notebook(self.html())

    def __str__(self) -> str:
        return comparison_text(self)

    def __repr__(self) -> str:
        a, b = self.captions
        return f"<Comparison: {self.a.name} ({a}) and {self.b.name} ({b})>"


@overload
def compare(
    a: Mapping[str, Any],
    b: Any = None,
    other: Mapping[str, Any] | None = None,
    *,
    names: Sequence[str] | None = None,
    pairs: bool = False,
    **keywords: Any,
) -> ComparisonTable: ...


@overload
def compare(
    a: Any,
    b: Any = None,
    other: Mapping[str, Any] | None = None,
    *,
    names: Sequence[str] | None = None,
    pairs: bool = False,
    **keywords: Any,
) -> Comparison: ...


def compare(
    a: Any,
    b: Any = None,
    other: Mapping[str, Any] | None = None,
    *,
    names: Sequence[str] | None = None,
    pairs: bool = False,
    **keywords: Any,
) -> Any:
    """Compare two graphs, one graph under two settings of ``eqsat.optimize``, or many graphs under many settings.

    ``compare(a, b)`` takes two variables, lists of variables, reports or compiled functions; of a report the
    optimised graph counts, and ``model=`` is the cost model. ``compare(report)`` compares a report's graph as written with the
    optimised one; ``model=`` says by which cost model, if not by that of the report. ``compare(outputs, {"rules": "exact"}, {"rules": "default"})`` optimises one graph twice, with the
    keywords of ``eqsat.optimize``; ``compare(outputs, rules=("exact", "default"))`` says the same. With ``target=("c", "cuda")`` the
    steps are shown that functions for either would have; a dict, such as ``shape_hints=``, is for both sides. ``names`` are
    those of the two sides.

    Graphs by name, ``compare({"a": y, "b": z}, {"exact": {"rules": "exact"}, "default": {}})``, give a table with a row for each graph
    under each settings, see ``ComparisonTable``; ``compare(graphs, rules=("exact", "default"), extractor=("greedy", "best"))`` takes every
    choice of one value for each keyword. ``pairs=True`` puts the two graphs of each row on its page.

    Errors   ArgumentError where there is nothing to compare with, or a keyword is none of ``optimize``

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> print(eqsat.compare(T.exp(x) * T.exp(x), rules=("default", "exact")))  # doctest: +ELLIPSIS
    a  rules='default'  ...
    """
    if isinstance(a, Mapping):
        return table_of(named_outputs("compare", a), _columns(b, other, keywords, names), pairs)
    if pairs:
        raise ArgumentError("compare: pairs= is for tables", needs='graphs by name: compare({"a": y}, ...)')
    _check_names(names)
    if isinstance(b, Mapping):
        sides = _under(a, b, other or {}, names)
    elif b is not None:
        model = keywords.pop("model", None)
        _refuse(
            {**keywords, **({} if other is None else {"other": other})},
            "two graphs take only names= and model=",
        )
        sides = _side(a, names, 0), _side(b, names, 1)
        sides = (replace(sides[0], model=model), replace(sides[1], model=model)) if model else sides
    elif isinstance(_report(a), Report) and (not keywords or _is_model(_only_model(keywords))):
        report: Any = _report(a)
        model = keywords.get("model", report.model)
        called = names or ("as written", "optimised")
        sides = (
            Side(called[0], report.original, model, None, report.known),
            Side(called[1], report.optimized, model, report, report.known),
        )
    elif keywords:
        sides = _under(a, *_pairs(keywords), names)
    else:
        raise ArgumentError(
            f"compare: {shorten(a)} is compared with nothing",
            needs="two graphs, one graph and two settings, or a report",
            hint="eqsat.compare(y, rules=('default', 'exact'))",
        )
    _same_outputs(*sides)
    return Comparison(*sides, _models(*sides))


def _refuse(keywords: Mapping[str, Any], why: str) -> None:
    if keywords:
        name = next(iter(keywords))
        raise ArgumentError(
            f"compare: {name}= has no meaning here", needs=why, among=(name, ["names", "model", "rules"])
        )


def _only_model(keywords: Mapping[str, Any]) -> Any:
    """The cost model where nothing else is said."""
    return keywords.get("model") if len(keywords) == 1 else None


def _is_model(given: Any) -> bool:
    from eqsat.extract.cost import CostModel

    return isinstance(given, CostModel)


def _check_names(names: Any) -> None:
    """Errors   ArgumentError for anything but two texts."""
    fits = names is None or isinstance(names, (tuple, list)) and len(names) == 2
    if not fits or not all(isinstance(name, str) for name in names or ()):
        raise ArgumentError(
            f"compare: names={shorten(names)}", needs="two names, one for each side", hint='names=("a", "b")'
        )


def _report(given: Any) -> Any:
    return given if isinstance(given, Report) else getattr(given, "report", None)


def _side(given: Any, names: Sequence[str] | None, place: int) -> Side:
    """The graph that was given, and what it is called."""
    report = _report(given)
    outputs = given.optimized if isinstance(given, Report) else outputs_of(given)
    name = names[place] if names else _name(given) or ("first", "second")[place]
    return Side(name, list(outputs), getattr(report, "model", None), report, getattr(report, "known", None))


def _name(given: Any) -> str | None:
    name = getattr(given, "name", None)
    return name if isinstance(name, str) and not isinstance(given, Apply) else None


def _pairs(keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of both sides from keywords with a value for each; one dict, such as hints of lengths, is for both."""
    both = {k: v for k, v in keywords.items() if isinstance(v, Mapping)}
    keywords = {k: v for k, v in keywords.items() if k not in both} or keywords
    for word, value in keywords.items():
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise ArgumentError(
                f"compare: {word}= takes two values, one for each side, not {shorten(value)}",
                hint=f"{word}=(first, second)",
            )
    return {k: v[0] for k, v in keywords.items()} | both, {k: v[1] for k, v in keywords.items()} | both


def _columns(
    b: Any, other: Any, keywords: Mapping[str, Any], names: Sequence[str] | None
) -> list[tuple[str, Mapping[str, Any]]]:
    """The settings of a table by their names: given by name, one after the other, or as keywords with several values."""
    given: Any = [settings for settings in (b, other) if settings is not None]
    if isinstance(b, (list, tuple)):
        given = list(b)
    elif isinstance(b, Mapping) and other is None and _is_named(b):
        given, names = list(b.values()), list(b)
    if given and keywords:
        raise ArgumentError("compare: settings are given twice", needs="dictionaries or keywords, not both")
    found = given or products(keywords)
    for settings in found:
        checked_settings(settings)
    if names is not None and len(names) != len(found):
        raise ArgumentError(f"compare: names={shorten(names)}", needs=f"{len(found)} names")
    return list(zip(map(str, names) if names else map(settings_text, found), found, strict=True))


def _is_named(given: Mapping[str, Any]) -> bool:
    """True for settings by name, and not for one choice of settings, some of which are dictionaries too."""
    known = optimize_keywords()
    return all(isinstance(v, Mapping) and name not in known for name, v in given.items())


def _under(
    given: Any, first: Mapping[str, Any], second: Mapping[str, Any], names: Sequence[str] | None
) -> tuple[Side, Side]:
    """One graph, optimised under two settings."""
    outputs = given.original if isinstance(given, Report) else outputs_of(given)
    sides = []
    for place, settings in enumerate((first, second)):
        report = optimized(outputs, settings)
        name = names[place] if names else settings_text(settings)
        sides.append(Side(name, report.optimized, report.model, report, report.known))
    return sides[0], sides[1]


def optimized(outputs: Any, settings: Mapping[str, Any]) -> Report:
    """The report of a graph under some settings.

    Errors   ArgumentError for a word that is no keyword of ``eqsat.optimize``
    """
    report: Report = hook("optimize")(outputs, **checked_settings(settings))
    return hook("with_steps")(report) if "target" in settings else report  # type: ignore[no-any-return]


def optimize_keywords() -> list[str]:
    """The names of what ``eqsat.optimize`` can be told."""
    import inspect

    return [p for p in inspect.signature(hook("optimize")).parameters if p != "outputs"]


def checked_settings(settings: Any) -> Mapping[str, Any]:
    """Settings of which each is one of ``eqsat.optimize``."""
    if not isinstance(settings, Mapping):
        raise ArgumentError(
            f"compare: {shorten(settings)} are no settings", needs="a dictionary of keywords of optimize"
        )
    known = optimize_keywords()
    for word in settings:
        if word not in known:
            raise ArgumentError(f"compare: there is no setting {word!r}", among=(word, known))
    return settings


def settings_text(settings: Mapping[str, Any]) -> str:
    """Settings as a name for a side."""
    words = [f"{k}={v if _is_model(v) else shorten(v)}" for k, v in settings.items()]
    return ", ".join(words) or "default"


def _same_outputs(a: Side, b: Side) -> None:
    if len(a.outputs) != len(b.outputs):
        raise ArgumentError(
            f"compare: {a.name} has {len(a.outputs)} outputs and {b.name} has {len(b.outputs)}",
            needs="the same number of outputs",
        )
    for side in (a, b):
        assert all(isinstance(v, Variable) for v in side.outputs)


def _models(a: Side, b: Side) -> dict[str, Any]:
    """The cost models of both sides, one where they are equal."""
    from eqsat.extract.stored import current_model

    first, second = a.model or current_model(), b.model or current_model()
    if a.model is None or b.model is None or first == second:
        return {"cost": a.model or second}
    return {f"model of {'ab'[k]}": m for k, m in enumerate((first, second))}
