"""Laws of whole tensors that discover finds: how many of those that come with eqsat, and of TASO's axioms, follow from what it finds.

    python benchmarks/discover_tensors.py [--only elements,products,sums,parts] [--seconds 1800] [--processes 2] [--folder FOLDER] [--missing] [--wrong]

Each grammar has some ops of matrices, and terms of up to three ops. A law fits where both sides can be made of these ops, of matrices of
floats, and of scalars where the grammar has them (of any tensors in that of elements), under no condition but on lengths; it follows where all such instances do. Axioms of TASO follow from the rules of all grammars together; they are Table 2 of Jia et al.
2019 as far as they are about these ops.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import eqsat
from discover import ROWS, wrong
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import FLOATS
from eqsat.research.derivation import Untried, instances
from eqsat.research.discovery import numbers_filled
from eqsat.research.equality import answer_of
from eqsat.research.question import Question
from eqsat.research.said import ABOUT_LENGTHS
from eqsat.research.terms import arities
from eqsat.rules.fact import FACTS
from eqsat.rules.pattern import Meta, Term, subterms
from eqsat.rules.rule import Rule, RuleSet, all_rules

FULL = ("slice", None, None, None)
MOVE = OPS["dimshuffle"].bind(pattern=(1, 0))
SUMS = [OPS["sum"].bind(axes=axes) for axes in ((0,), (1,))]
JOINS = [OPS["concatenate"].bind(axis=axis) for axis in (0, 1)]
LENGTHS = [OPS["length"].bind(axis=axis) for axis in (0, 1)]
PARTS = [
    OPS["subtensor"].bind(pattern=(bounds, FULL) if axis == 0 else (FULL, bounds))
    for axis in (0, 1)
    for bounds in (("slice", None, "?", None), ("slice", "?", None, None))
]
GRAMMARS: dict[str, tuple[list[Any], tuple[int, ...]]] = {
    "elements": (["add", "mul"], ()),
    "products": (["dot", MOVE, "add", "mul", *JOINS], (0, 2)),
    "sums": (["dot", MOVE, "add", "mul", *SUMS, *JOINS], (2,)),
    "parts": ([MOVE, "add", *JOINS, *LENGTHS, *PARTS], (2,)),
}
OPERATIONS, SIZE = 3, 7
AXIOMS = """
(ewadd ?x (ewadd ?y ?z))=>(ewadd (ewadd ?x ?y) ?z)
(ewadd ?x ?y)=>(ewadd ?y ?x)
(ewmul ?x (ewmul ?y ?z))=>(ewmul (ewmul ?x ?y) ?z)
(ewmul ?x ?y)=>(ewmul ?y ?x)
(ewmul (ewadd ?x ?y) ?z)=>(ewadd (ewmul ?x ?z) (ewmul ?y ?z))
(smul (smul ?x ?y) ?w)=>(smul ?x (smul ?y ?w))
(smul (ewadd ?x ?y) ?w)=>(ewadd (smul ?x ?w) (smul ?y ?w))
(smul (ewmul ?x ?y) ?w)=>(ewmul ?x (smul ?y ?w))
(smul (transpose ?x) ?w)=>(transpose (smul ?x ?w))
(smul (matmul 0 ?x ?y) ?w)=>(matmul 0 ?x (smul ?y ?w))
(smul (concat 0 2 ?x ?y) ?w)=>(concat 0 2 (smul ?x ?w) (smul ?y ?w))
(smul (concat 1 2 ?x ?y) ?w)=>(concat 1 2 (smul ?x ?w) (smul ?y ?w))
(ewadd (matmul 0 ?x ?y) (matmul 0 ?z ?w))=>(matmul 0 (concat 1 2 ?x ?z) (concat 0 2 ?y ?w))
(concat 0 2 (ewadd ?x ?y) (ewadd ?z ?w))=>(ewadd (concat 0 2 ?x ?z) (concat 0 2 ?y ?w))
(concat 1 2 (ewadd ?x ?y) (ewadd ?z ?w))=>(ewadd (concat 1 2 ?x ?z) (concat 1 2 ?y ?w))
(concat 0 2 (ewmul ?x ?y) (ewmul ?z ?w))=>(ewmul (concat 0 2 ?x ?z) (concat 0 2 ?y ?w))
(concat 1 2 (ewmul ?x ?y) (ewmul ?z ?w))=>(ewmul (concat 1 2 ?x ?z) (concat 1 2 ?y ?w))
(matmul 0 ?x (matmul 0 ?y ?z))=>(matmul 0 (matmul 0 ?x ?y) ?z)
(split_0 (split 0 (concat 0 2 ?x ?y)))=>?x
(split_0 (split 1 (concat 1 2 ?x ?y)))=>?x
(split_1 (split 0 (concat 0 2 ?x ?y)))=>?y
(split_1 (split 1 (concat 1 2 ?x ?y)))=>?y
(matmul 0 ?x (concat 1 2 ?y ?z))=>(concat 1 2 (matmul 0 ?x ?y) (matmul 0 ?x ?z))
(matmul 0 ?x (ewadd ?y ?z))=>(ewadd (matmul 0 ?x ?y) (matmul 0 ?x ?z))
(transpose (transpose ?x))=>?x
(transpose (matmul 0 ?x ?y))=>(matmul 0 (transpose ?y) (transpose ?x))
(transpose (concat 0 2 ?x ?y))=>(concat 1 2 (transpose ?x) (transpose ?y))
(concat 0 2 (concat 1 2 ?x ?y) (concat 1 2 ?z ?w))=>(concat 1 2 (concat 0 2 ?x ?z) (concat 0 2 ?y ?w))
(transpose (ewadd ?x ?y))=>(ewadd (transpose ?x) (transpose ?y))
(transpose (ewmul ?x ?y))=>(ewmul (transpose ?x) (transpose ?y))
"""


Instance = tuple[Any, Any]  # both sides as graphs, and what is known of their variables


def fitting(ops: list[Any], ranks: tuple[int, ...]) -> Iterator[tuple[Rule, list[Instance]]]:
    """The laws with instances over floats that are made of these ops alone, under conditions on lengths."""
    allowed = {str(op) for op in ops}
    names = {getattr(op, "name", op) for op in ops}
    for law in all_rules():
        terms = [[p for p in subterms(side) if isinstance(p, Term)] for side in (law.left, law.right)]
        heads = {OPS[p.op].form_of or p.op for some in terms for p in some}
        plain = not (law.others or law.multiset or law.functions)
        if not plain or not heads <= names or max(map(len, terms)) > OPERATIONS or not on_lengths(law):
            continue
        if found := [one for one in some_instances(law) if made_of(one[0], allowed, ranks)]:
            yield law, found


def on_lengths(law: Rule) -> bool:
    """True for a law under no condition but on lengths of axes and on parameters of ops."""
    facts = law.when.facts if law.when is not None else ()
    return not law.choices and all(
        name == "rank" or FACTS[name].operands in ABOUT_LENGTHS or not isinstance(given[0], Meta)
        for name, given in facts
    )


def some_instances(law: Rule) -> list[Instance]:
    """Sides of a law as graphs at points of several types."""
    try:
        return list(instances(law))
    except Untried:
        return []


def made_of(sides: Any, allowed: set[str], ranks: tuple[int, ...]) -> bool:
    """True for graphs of these ops over variables of floats with these numbers of axes."""
    stack, seen = [*sides], set[Any]()
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen.add(v)
        if v.owner is None:
            if (ranks and v.type.ndim not in ranks) or v.type.dtype not in FLOATS or hasattr(v, "data"):
                return False
        elif pads(v) or (
            {str(v.owner.op), v.owner.op.name} & allowed and len(v.owner.inputs) in arities(v.owner.op)
        ):
            stack += v.owner.inputs
        else:
            return False
    return True


def follows(sides: Any, given: Any, rules: RuleSet, seconds: float) -> bool:
    """True where rules show that both sides of an instance are equal."""
    question = Question.between(*sides, rules, ROWS, seconds, **given.settings)
    merged, same = question.answered(question.encoded())
    return answer_of(question, merged, same, 0.0).verdict == "equal"


def pads(v: Any) -> bool:
    """True for a scalar that is given the axes of a matrix."""
    return v.owner.op.name == "dimshuffle" and v.owner.op.params["pattern"] == ("x", "x")


def main() -> None:
    """Search in each grammar, ask of the laws, and of TASO's axioms in the end."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(GRAMMARS), help="grammars with commas between")
    parser.add_argument("--seconds", type=float, default=1800.0, help="of each grammar")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--folder")
    parser.add_argument("--each", type=float, default=10.0, help="seconds for each law")
    parser.add_argument("--missing", action="store_true", help="prints the laws that do not follow")
    parser.add_argument("--wrong", action="store_true", help="holds what is found against more points")
    asks = parser.parse_args()
    every: list[Rule] = []
    for name in asks.only.split(","):
        ops, ranks = GRAMMARS[name]
        found = eqsat.discover(
            ops, SIZE, from_=[], ranks=ranks, numbers=[], operations=OPERATIONS, seconds=asks.seconds,
            folder=asks.folder, processes=asks.processes,
        )  # fmt: skip
        print(f"{name}: {str(found).splitlines()[-1]}", "stopped" if found.stopped else "", flush=True)
        rules, laws = RuleSet([*found.rules, *numbers_filled().members]), list(fitting(ops, ranks))
        shown = {law.name: all(follows(*one, rules, asks.each) for one in some) for law, some in laws}
        print(f"{sum(shown.values())} of {len(shown)} laws that fit follow", flush=True)
        for law in (law for law, _ in laws if asks.missing and not shown[law.name]):
            print(f"  {law}")
        if asks.wrong:
            broken = wrong(found, 0)
            print(f"{len(broken)} wrong of {len(found.rules)}", *map(str, broken), sep="\n  ", flush=True)
        every += [replace(r, name=f"{name}-{r.name}") for r in found.rules]
    known = RuleSet([*every, *numbers_filled().members])
    taso = eqsat.import_rules(AXIOMS, verify=True, derivable=True, from_=known, size=ROWS, seconds=asks.each)
    print(taso)


if __name__ == "__main__":
    main()
