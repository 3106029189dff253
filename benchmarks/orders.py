"""Does the extracted cost depend on an order? Rules, outputs, and operands of commutative ops of graphs are shuffled.

Rules run in the order of their names: shuffled ones get new names. A row per graph: the cost as written, as extracted,
the least and the largest over the shuffles, and the budgets that were met on the way.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NAMED: dict[str, Callable[[], list[Any]]] = {}
RANDOM = 8  # graphs of several outputs, as the tests draw them


def named(make: Callable[[], list[Any]]) -> Callable[[], list[Any]]:
    """A graph of the table."""
    NAMED[make.__name__.replace("_", " ")] = make
    return make


@named
def softmax_regression() -> list[Any]:
    """Loss and gradient of a linear classifier."""
    import eqsat.tensor as T

    x, w, b, y = T.dmatrix("x"), T.dmatrix("w"), T.dvector("b"), T.lvector("y")
    p = T.softmax(T.dot(x, w) + b)
    loss = -T.mean(T.log(p)[T.arange(y.shape[0]), y]) + 0.01 * T.sum(w * w)
    return [loss, *T.grad(loss, [w, b])]


@named
def logistic_regression() -> list[Any]:
    """Loss and gradient, written as in a tutorial."""
    import eqsat.tensor as T

    x, w, b, y = T.dmatrix("x"), T.dvector("w"), T.dscalar("b"), T.dvector("y")
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    loss = T.mean(-y * T.log(p) - (1 - y) * T.log(1 - p)) + 0.01 * T.sum(w**2)
    return [loss, *T.grad(loss, [w, b])]


@named
def two_layers() -> list[Any]:
    """A network of two layers and its gradient."""
    import eqsat.tensor as T

    x, y = T.dmatrix("x"), T.dmatrix("y")
    weights = [T.dmatrix("w1"), T.dvector("b1"), T.dmatrix("w2"), T.dvector("b2")]
    hidden = T.tanh(T.dot(x, weights[0]) + weights[1])
    loss = T.mean(T.sqr(T.dot(hidden, weights[2]) + weights[3] - y))
    return [loss, *T.grad(loss, weights)]


@named
def layer_norm() -> list[Any]:
    """Normalised rows, and the gradient of a sum of squares of them."""
    import eqsat.tensor as T

    x, g, b = T.dmatrix("x"), T.dvector("g"), T.dvector("b")
    centred = x - T.mean(x, axis=1, keepdims=True)
    y = centred / T.sqrt(T.mean(T.sqr(centred), axis=1, keepdims=True) + 1e-5) * g + b
    return [y, *T.grad(T.sum(T.sqr(y)), [x, g, b])]


@named
def log_of_a_sum() -> list[Any]:
    """A mixture of normal densities and its gradient."""
    import eqsat.tensor as T

    x, m, s = T.dvector("x"), T.dvector("m"), T.dvector("s")
    z = -0.5 * T.sqr((x[:, None] - m) / s) - T.log(s)
    total = T.sum(T.log(T.sum(T.exp(z), axis=1)))
    return [total, *T.grad(total, [m, s])]


@named
def chain_of_twelve() -> list[Any]:
    """A chain of matrices of known lengths."""
    import eqsat.tensor as T

    lengths = [30, 5, 200, 7, 60, 2, 90, 12, 44, 8, 150, 3, 70]
    factors = [T.tensor("float64", (m, n), f"m{k}") for k, (m, n) in enumerate(pairwise(lengths))]
    made = factors[0]
    for factor in factors[1:]:
        made = T.dot(made, factor)
    return [made]


@named
def short_chain_with_scalars() -> list[Any]:
    """Scalars and transposes within a chain of products."""
    import eqsat.tensor as T

    a, b, c, v, s = T.dmatrix("a"), T.dmatrix("b"), T.dmatrix("c"), T.dvector("v"), T.dscalar("s")
    return [T.dot(T.dot(s * a, b.T).T, T.dot(c, v) / s) + T.dot(a, T.dot(b, v))]


@named
def distances() -> list[Any]:
    """Squared distances of all pairs, the kernel of them, and its sum."""
    import eqsat.tensor as T

    x, y = T.dmatrix("x"), T.dmatrix("y")
    d = T.sum(T.sqr(x[:, None, :] - y[None, :, :]), axis=2)
    return [T.exp(-d / 2), T.sum(d, axis=1)]


@named
def numbers_and_powers() -> list[Any]:
    """What collects constants, powers and signs."""
    import eqsat.tensor as T

    x, y = T.dvector("x"), T.dvector("y")
    return [
        2 * x * 3 / y * x**2 - x * 3 * 0.5,
        T.exp(x) * T.exp(y) / T.exp(x + 1),
        -(-x - y) + (x - y) * -1.0,
    ]


@named
def stable_forms() -> list[Any]:
    """What has a form that keeps its range."""
    import eqsat.tensor as T

    x, y = T.dvector("x"), T.dvector("y")
    return [
        T.log(1 + T.exp(x)),
        T.log(T.exp(x) + T.exp(y)),
        T.exp(x) - 1,
        T.sqrt(x * x + y * y),
        1 - T.tanh(x) ** 2,
    ]


@named
def parts_and_joins() -> list[Any]:
    """Parts of what is joined and computed."""
    import eqsat.tensor as T

    x, y = T.dmatrix("x"), T.dmatrix("y")
    both = T.concatenate([T.exp(x), y * 2], axis=0)
    return [both[: x.shape[0]][0], T.sum(both, axis=0), (x + y.sum())[::-1][::-1][1:][:3]]


@named
def loop_of_sums() -> list[Any]:
    """A loop with work that does not belong in it."""
    import eqsat
    import eqsat.tensor as T

    x, w, h = T.dmatrix("x"), T.dmatrix("w"), T.dvector("h")
    values, _ = eqsat.scan(lambda r, h, w: T.tanh(T.dot(r, T.exp(w)) + h), x, h, w)
    return [values[-1], T.grad(T.sum(values[-1]), w)]


def random_graph(seed: int) -> list[Any]:
    """Outputs of a graph that the tests draw."""
    sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]
    from campaign.matrices import grow

    return list(grow(seed)[2])


def graphs() -> dict[str, Callable[[], list[Any]]]:
    """All graphs by name."""
    drawn = {f"random {k}": lambda k=k: random_graph(k) for k in range(RANDOM)}
    return {**NAMED, **drawn}


def commuted(outputs: Sequence[Any], rng: random.Random) -> list[Any]:
    """The same graph with operands of commutative ops swapped by chance, and its outputs in another order."""
    from eqsat.graph.declare import DeclaredOp
    from eqsat.graph.walk import toposort

    made: dict[Any, Any] = {}
    for node in toposort(list(outputs)):
        operands = [made.get(v, v) for v in node.inputs]
        op: Any = node.op
        if isinstance(op, DeclaredOp) and op.declaration.commutative and rng.random() < 0.5:
            operands.reverse()
        made.update(zip(node.outputs, op.make_node(*operands).outputs, strict=True))
    found = [made.get(v, v) for v in outputs]
    rng.shuffle(found)
    return found


def reordered(rules: Any, rng: random.Random) -> Any:
    """The same rules under names that put them in another order."""
    from eqsat.rules.rule import RuleSet

    order = list(rules)
    rng.shuffle(order)
    return RuleSet(replace(r, name=f"{k:04} {r.name}") for k, r in enumerate(order))


class Spread(NamedTuple):
    """Costs of one graph, in seconds, over all shuffles."""

    written: float
    first: float
    least: float
    most: float
    budgets: int

    def steady(self) -> bool:
        """True where no shuffle changes the cost, rounding of sums aside."""
        return self.most - self.least <= 1e-9 * self.most


def spread(make: Callable[[], list[Any]], shuffles: int, seed: int = 0) -> Spread:
    """Optimise a graph as it is, and shuffled."""
    import eqsat
    from eqsat.rules.rule import default_rules

    rng = random.Random(seed)
    outputs = make()
    reports = [eqsat.optimize(outputs)]
    for _ in range(shuffles):
        reports.append(eqsat.optimize(commuted(outputs, rng), rules=reordered(default_rules(), rng)))
    costs = [r.cost_after for r in reports]
    return Spread(
        reports[0].cost_before, costs[0], min(costs), max(costs), sum(bool(r.budgets) for r in reports)
    )


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shuffles", type=int, default=50)
    parser.add_argument("--graphs", default="", help="names with commas between; all by default")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    every = graphs()
    steady = 0
    names = asked.graphs.split(",") if asked.graphs else list(every)
    for name in names:
        found = spread(every[name], asked.shuffles)
        steady += found.steady()
        costs = " ".join(f"{seconds * 1e6:12.4f}" for seconds in found[:4])
        print(
            f"{name:<26} {costs} µs  {found.budgets:3} over budget  {'' if found.steady() else 'CHANGES'}",
            flush=True,
        )
    print(f"{steady} of {len(names)} graphs have one cost in {asked.shuffles} shuffles")


if __name__ == "__main__":
    main()
