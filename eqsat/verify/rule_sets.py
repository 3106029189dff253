"""Do rules keep their promises together? Random graphs of their left sides over zeros and divisions by zero, beside plain outputs.

Each rule may keep its promise alone and still contradict another where its left side has no value: ``x / y * y = x`` and
``0 * x = 0`` do so where y is zero. Then plain outputs of the same graph change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.base.progress import Progress
from eqsat.base.values import dataclass
from eqsat.debug.class_values import class_values, disagreement
from eqsat.debug.suspects import suspects
from eqsat.egraph.reading import Saturated
from eqsat.graph.core import Variable
from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.interpreter import Interpreter
from eqsat.graph.walk import toposort
from eqsat.pipeline.program import Program, Settings
from eqsat.rules.pattern import Term, metas_of, subterms
from eqsat.rules.rule import Rule, RuleSet, all_rules, select_rules
from eqsat.verify.sides import Graph, Point, Undefined

PRECISION = 1e-6  # of the largest element, by which values of one class may differ
SIDES = 3  # left sides in a graph
BLAMED = 3  # graphs for which the rules to blame are looked for, which takes the longest


@dataclass(frozen=True)
class Broken:
    """A graph in which rules contradict each other: its outputs, values of its inputs, what is wrong, the rules to blame."""

    outputs: list[Any]
    values: dict[Any, Any]
    why: str
    rules: list[Rule] = field(default_factory=list)

    def __str__(self) -> str:
        from eqsat.printing import pp

        names = " and ".join(r.name for r in self.rules) or "not looked for"
        values = ", ".join(f"{v} = {value.tolist()}" for v, value in self.values.items())
        written = "; ".join(pp(v) for v in self.outputs)
        return f"{self.why}\n  graph   {written}\n  values  {values}\n  rules   {names}"


@dataclass
class SetVerification:
    """The result of ``verify_set``; true where every output kept its values.

    ``wrong`` are graphs in which a value changed, ``refused`` those whose e-graph contradicted itself, which was noticed:
    the graph was rewritten with fewer rules.

    >>> from eqsat.rules import all_rules
    >>> from eqsat.verify import verify_set
    >>> found = verify_set([all_rules()["log-exp"]], graphs=1)
    >>> bool(found), str(found)
    (True, '1 graphs, 0 with a wrong value, 0 refused')
    """

    graphs: int = 0
    wrong: list[Broken] = field(default_factory=list)
    refused: list[Broken] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.wrong

    def __str__(self) -> str:
        lines = [f"{self.graphs} graphs, {len(self.wrong)} with a wrong value, {len(self.refused)} refused"]
        return "\n".join(
            lines
            + [
                f"{kind}: {b}"
                for kind, found in (("wrong", self.wrong), ("refused", self.refused))
                for b in found
            ]
        )


def verify_set(
    rules: Any = None, graphs: int = 40, seed: int = 0, seconds: float = 1.0, compiled: bool = False
) -> SetVerification:
    """Rewrite random degenerate graphs with rules and compare every value in the e-graph, and the outputs, with the graph as written.

    ``rules`` is what ``optimize`` takes. Rules that do not come with eqsat are drawn as often as all others together.
    ``seconds`` bounds the saturation of a graph; with ``compiled`` the outputs are computed in C too.

    >>> from eqsat.graph.ops.elemwise import erf
    >>> from eqsat.rules.pattern import reals
    >>> from eqsat.rules.rule import rule
    >>> from eqsat.verify import verify_set
    >>> x, y = reals("x y")
    >>> bad = [rule("one", erf(x * y), x, cite="definition"), rule("other", erf(x * y), y, cite="definition")]
    >>> found = verify_set(bad, graphs=3)
    >>> len(found.wrong), sorted({r.name for b in found.wrong for r in b.rules})
    (3, ['one', 'other'])
    """
    chosen = select_rules(rules)
    result = SetVerification()
    with Progress("verify", graphs) as progress:
        for graph in islice(drawn(chosen, seed), graphs):
            _judge(Trial(graph, chosen, seconds), chosen, compiled, result)
            progress.step()
    return result


def _judge(trial: Trial, chosen: RuleSet, compiled: bool, result: SetVerification) -> None:
    """Try one graph, and note what is wrong with it."""
    graph = trial.graph
    result.graphs += 1
    why, saturated = trial.found(chosen)
    refused = saturated.retried[0] if saturated.retried else ""
    wrong = why or trial.changed(compiled)
    if wrong or refused:
        kind = result.wrong if wrong else result.refused
        blamed = trial.blamed(saturated, wrong) if len(kind) < BLAMED else []
        kind.append(Broken(graph.outputs, graph.values, wrong or refused, blamed))


# ---------------------------------------------------------------------------------------------------- graphs


@dataclass(frozen=True)
class Degenerate:
    """Outputs, of which the last ``plain`` are not degenerate, and values of the inputs."""

    outputs: list[Any]
    plain: int
    values: dict[Any, Any]


def drawn(rules: RuleSet, seed: int) -> Iterator[Degenerate]:
    """Graphs without end: left sides of some rules over inputs, zeros, ones and each other."""
    import eqsat.tensor as T

    known = {r.name: r for r in all_rules()}
    usable = [r for r in rules if is_usable(r)]
    own = [r for r in usable if known.get(r.name) != r]
    rng = np.random.default_rng(seed)
    while True:
        v, w = T.dvector("v"), T.dvector("w")
        pool = operands(v, w)
        made: list[Any] = []
        for _ in range(SIDES * 4):
            group = own if own and rng.random() < 0.5 else usable
            side = instance(group[rng.integers(len(group))], [*pool, *made], rng) if group else None
            if side is not None:
                made.append(side)
            if len(made) == SIDES:
                break
        plain = [T.exp(v), T.log(1 + T.exp(w)), abs(v - w), v * w, T.sum(v), T.maximum(v, 0.5)]
        values = {x: rng.choice([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], 3) for x in (v, w)}
        yield Degenerate([*made, *plain], len(plain), values)


def operands(v: Any, w: Any) -> list[Any]:
    """Inputs, zeros that are written in several ways, and what is divided by them."""
    zeros = [v - v, w * 0.0, (v + w) - v - w, v * (w - w), abs(v) * 0.0]
    return [v, w, v, w, v + w, *zeros, v / v, v / (w - w), (v - v) / (w * 0.0)]


def is_usable(rule: Rule) -> bool:
    """True for a rule on elementwise ops of floats without parameters."""
    terms = [p for p in subterms(rule.left) if isinstance(p, Term)]
    floats = all(m.domain in ("float", "number", "any") for m in metas_of(rule.left))
    plain = all(OPS[t.op].kind == "elemwise" and not OPS[t.op].parameters for t in terms)
    return (
        floats
        and plain
        and not rule.multiset
        and "scan" not in rule.tags
        and not any(tells_zeros_apart(OPS[t.op]) for t in terms)
    )


def tells_zeros_apart(d: Declaration) -> bool:
    """True for an op with two finite values for the two signs of a zero, as arctan2; rules do not promise that sign.

    >>> tells_zeros_apart(OPS["arctan2"]), tells_zeros_apart(OPS["sqrt"])
    (True, False)
    """
    return _tells_zeros_apart(d.meaning, len(d.tensors))


@cache
def _tells_zeros_apart(meaning: Callable[..., Any], count: int) -> bool:
    others = [np.array([-2.0, -1.0, -0.0, 0.0, 1.0, 2.0])] * (count - 1)
    for k in range(count):
        zeros = [np.meshgrid(*others[:k], zero, *others[k:]) for zero in (0.0, -0.0)]
        try:
            with np.errstate(all="ignore"):
                above, below = (np.asarray(meaning(*operands), float) for operands in zeros)
        except TypeError:  # an op on integers alone
            return False
        if np.any((above != below) & np.isfinite(above) & np.isfinite(below)):
            return True
    return False


def instance(rule: Rule, pool: Sequence[Any], rng: Any) -> Any:
    """The left side of a rule over some operands; None where it cannot be built."""
    graph = Graph(Point({}), "float64", 1)
    names = sorted(m.name for m in metas_of(rule.left))
    graph.variables = {name: pool[rng.integers(len(pool))] for name in names}
    try:
        made = graph.run(rule.left)
    except (Undefined, AssertionError, KeyError):
        return None
    return made if getattr(made.type, "dtype", "") == "float64" and made.type.ndim == 1 else None


# ---------------------------------------------------------------------------------------------------- values


class Trial:
    """One graph under some rules."""

    def __init__(self, graph: Degenerate, rules: RuleSet, seconds: float) -> None:
        self.graph, self.rules = graph, rules
        self.settings = Settings.of("numpy", rules, seconds=seconds, variants=1, profile=False)
        self.encoded = Program(graph.outputs, self.settings).encoded()
        nodes = toposort(graph.outputs)
        inner: list[Variable] = [v for node in nodes for v in node.outputs]
        computed = Interpreter(list(graph.values), inner)(*graph.values.values())
        self.data = {**graph.values, **dict(zip(inner, computed, strict=True))}

    def found(self, rules: RuleSet) -> tuple[str, Saturated]:
        """Two values of a class that differ, in words, in the e-graph that is used; empty where all agree."""
        program = Program(self.graph.outputs, replace(self.settings, selection=rules))
        saturated = program.saturated(self.encoded)
        return disagreement(class_values(self.encoded, saturated, self.data), PRECISION) or "", saturated

    def changed(self, compiled: bool) -> str:
        """A plain output whose value is another in the rewritten graph, in words."""
        from eqsat.functions.function import function

        inputs, outputs = list(self.graph.values), self.graph.outputs
        modes = ["numpy", "FAST_RUN"] if compiled else ["numpy"]
        with config.change_flags(egraph_seconds=self.settings.seconds):
            for mode in modes:
                f = function(inputs, outputs, rules=self.rules, mode=mode, on_unused_input="ignore")
                results = f(*self.graph.values.values())
                for v, result in list(zip(outputs, results, strict=True))[-self.graph.plain :]:
                    if not np.allclose(result, self.data[v], rtol=1e-9, atol=0):
                        return f"in mode {mode} {v} is {result.tolist()}, as written {self.data[v].tolist()}"
        return ""

    def blamed(self, saturated: Saturated, wrong: str) -> list[Rule]:
        """Few rules that are enough for the same."""

        def fails(some: RuleSet) -> bool:
            why, again = self.found(some)
            return bool(why) if wrong else bool(again.retried)

        names = saturated.matches() if wrong else saturated.suspected
        candidates = [r for r in self.rules if r.name in names]
        return suspects(fails, candidates, seconds=20.0) if fails(RuleSet(candidates)) else []
