"""Extractors side by side: cost over the best of them, bound and seconds, on files or on made-up e-graphs.

    python benchmarks/extraction.py [FOLDER...] [--extractors greedy,dag-greedy,search,best] [--seconds 10] [--nodes 3000,20000]

Without a folder e-graphs of each kind in eqsat/extract/generate.py are made. Stages of the default extractor that do
not depend on the seconds, greedy answers, closure and reduction, are timed for each.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from eqsat.base.text_tables import table
from eqsat.errors import EGraphFileError
from eqsat.extract.closure import closure
from eqsat.extract.extractors import EXTRACTORS, extract_with
from eqsat.extract.generate import KINDS
from eqsat.extract.greedy import dag_greedy, tree_greedy
from eqsat.extract.problem import Problem, dag_cost
from eqsat.extract.reduce import reduce
from eqsat.extract.serialize import read


def problems(folders: list[str], nodes: list[int]) -> Iterator[tuple[str, Problem]]:
    """The e-graphs of folders, without those that are refused; made-up ones where there is no folder."""
    if not folders:
        for kind, make in KINDS.items():
            for count in nodes:
                yield f"{kind} {count}", make(count, 1)
    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*.json")) if folder.is_dir() else [folder]:
            try:
                yield str(path.relative_to(folder)) if folder.is_dir() else path.name, read(path).problem
            except EGraphFileError as error:
                print(f"refused {error}")


def timed(work: Callable[[], object]) -> str:
    """Seconds that it takes, once."""
    start = time.perf_counter()
    work()
    return f"{time.perf_counter() - start:.3f}"


def stages(problem: Problem) -> tuple[str, ...]:
    """Seconds of the stages, and the e-nodes that a reduction with the greedy cost as limit leaves."""
    tree, by_sets = tree_greedy(problem), dag_greedy(problem)
    limit = min(dag_cost(problem, choice) for choice in (tree, by_sets or tree))
    left = reduce(problem, limit)
    return (
        timed(lambda: tree_greedy(problem)),
        timed(lambda: dag_greedy(problem)),
        timed(lambda: closure(problem, math.inf)),
        timed(lambda: reduce(problem, limit)),
        str(len(left.node)),
    )


def rows(name: str, problem: Problem, extractors: list[str], seconds: float) -> Iterator[tuple[str, ...]]:
    """One row for each extractor."""
    found = {extractor: extract_with(extractor, problem, seconds) for extractor in extractors}
    least = min(answer.cost for answer in found.values())
    bound = max(answer.bound for answer in found.values())
    for extractor, answer in found.items():
        over = answer.cost / least if least > 0 else 1.0 + (answer.cost != least)
        yield (name, extractor, f"{answer.cost:.8g}", f"{over:.4f}", f"{bound:.8g}", f"{answer.seconds:.2f}")


def main() -> None:
    """Two tables: stages, and extractors."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--extractors", default=",".join(EXTRACTORS))
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--nodes", default="3000,20000")
    asked = parser.parse_args()
    sizes, costs = [], []
    for name, problem in problems(asked.folders, [int(n) for n in asked.nodes.split(",")]):
        sizes.append((name, str(len(problem.cost)), str(problem.n_classes), *stages(problem)))
        costs += rows(name, problem, asked.extractors.split(","), asked.seconds)
    head = ("e-graph", "e-nodes", "classes", "greedy s", "dag-greedy s", "closure s", "reduction s", "left")
    print(table(head, sizes, right=range(1, 8)))
    print()
    print(table(("e-graph", "extractor", "cost", "over best", "bound", "seconds"), costs, right=range(2, 6)))


if __name__ == "__main__":
    main()
