"""A graph as e-nodes, found again in other e-graphs of the same program: by ops, parameters and operands."""

from __future__ import annotations

from collections import Counter
from typing import Any

from eqsat.base.values import dataclass
from eqsat.egraph.encode import Encoded
from eqsat.egraph.reading import APP, ARR, LEAF, NUM, ENode, Saturated
from eqsat.extract.algebra import Extracted, Posed
from eqsat.extract.loops import RUN
from eqsat.graph.declare import coded_op
from eqsat.inspect.explanation.left_sides import leading, matched
from eqsat.rules.rule import Rule

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Bone:
    """One e-node: what it does, the places of its operands in the skeleton, and the variable made of it."""

    key: Key
    operands: tuple[int, ...]
    variable: Any = None


@dataclass(frozen=True)
class Skeleton:
    """Bones, operands first, and which of them are equal to which loaded variables: outputs and new values of states."""

    bones: tuple[Bone, ...]
    anchors: tuple[tuple[int, int], ...]


class Decoder:
    """Turns e-nodes into terms that do not depend on one run."""

    def __init__(self, encoded: Encoded) -> None:
        self.encoded = encoded
        self.known: dict[tuple[str, tuple[Any, ...]], Key] = {}

    def key(self, e: ENode) -> Key:
        """Op and parameters; of a leaf its number. NaN, which differs from itself, is a word."""
        if e.op in (LEAF, NUM, ARR, APP, RUN):
            return (e.op, *(p if p == p else "nan" for p in e.params))
        found = self.known.get((e.op, e.params))
        if found is None:
            op = coded_op(e.op, e.params, self.encoded.codes)
            found = self.known[e.op, e.params] = (e.op, *op.values)
        return found


def skeleton_of(posed: Posed, extracted: Extracted) -> Skeleton:
    """The chosen graph as a skeleton."""
    decoder = Decoder(posed.encoded)
    choice = extracted.extraction.choice
    place: dict[int, int] = {}
    bones: list[Bone] = []
    stack = list(choice)[::-1]
    while stack:
        c = stack[-1]
        e = posed.enodes[choice[c]]
        operands = [posed.dense[d] for d in e.children]
        missing = [d for d in operands if d not in place]
        if c in place or not missing:
            stack.pop()
            if c not in place:
                place[c] = len(bones)
                bones.append(Bone(decoder.key(e), tuple(place[d] for d in operands), extracted.made.get(c)))
        else:
            stack.extend(missing)
    return Skeleton(tuple(bones), tuple(_anchors(posed, place)))


def _anchors(posed: Posed, place: dict[int, int]) -> list[tuple[int, int]]:
    encoded, class_of = posed.encoded, posed.saturated.class_of
    ends = [*encoded.roots, *(encoded.number[r.step] for r in encoded.loops.recurrences)]
    ends += [encoded.number[k.condition] for k in encoded.loops.loops if k.condition is not None]
    found = [(posed.dense.get(class_of[k], -1), k) for k in ends]
    return [(place[c], k) for c, k in found if c in place]


def locate(skeleton: Skeleton, encoded: Encoded, saturated: Saturated) -> list[int | None]:
    """The class of each bone in an e-graph, None for those that it does not hold."""
    decoder = Decoder(encoded)
    index: dict[tuple[Key, tuple[int, ...]], int] = {}
    for e in saturated.enodes:
        index.setdefault((decoder.key(e), e.children), e.cls)
    found: list[int | None] = []
    for bone in skeleton.bones:
        operands = tuple(found[k] for k in bone.operands)
        known = None not in operands
        found.append(index.get((bone.key, operands)) if known else None)  # type: ignore[arg-type]
    return found


def holds(skeleton: Skeleton, encoded: Encoded, saturated: Saturated) -> bool:
    """True where an e-graph shows that the skeleton is equal to the program."""
    classes = locate(skeleton, encoded, saturated)
    return all(classes[k] == saturated.class_of[variable] for k, variable in skeleton.anchors)


def onward(encoded: Encoded, earlier: Saturated, later: Saturated) -> dict[int, int]:
    """The class of an e-graph that each class of the same e-graph before has become."""
    decoder = Decoder(encoded)
    index = {(decoder.key(e), e.children): e.cls for e in later.enodes}
    became: dict[int, int] = {}
    waiting = earlier.enodes
    while waiting:
        rest = []
        for e in waiting:
            if e.cls in became:
                continue
            if all(c in became for c in e.children):
                found = index.get((decoder.key(e), tuple(became[c] for c in e.children)))
                if found is not None:
                    became[e.cls] = found
            else:
                rest.append(e)
        if len(rest) == len(waiting):
            break
        waiting = rest
    return became


FAR = 10.0  # a distance above that of a few e-nodes that are not wanted


def prices(
    posed: Posed, wanted: Skeleton, written: Skeleton, later: Saturated | None, rule: Rule | None = None
) -> list[float]:
    """The distance of each e-node from a wanted graph of a later e-graph: 0, 1, or 2 where its class could be as wanted.

    E-nodes of the graph as written are a little nearer than others, so that nothing is changed without need. Where a
    ``rule`` led to the later e-graph, what it gave a class that is wanted otherwise can be computed only as it matched.
    """
    decoder, known, needed = Decoder(posed.encoded), posed.costs(), dict[int, set[ENode]]()
    keys = [(decoder.key(e), e.children) for e in posed.enodes]
    near = _enodes_of(wanted, posed.encoded, posed.saturated)
    hits = [key in near for key in keys]
    if later is not None:
        became = onward(posed.encoded, posed.saturated, later)
        goal = _enodes_of(wanted, posed.encoded, later)
        hits = [
            hit or (key, tuple(became.get(c, -1) for c in children)) in goal
            for hit, (key, children) in zip(hits, keys, strict=True)
        ]
        if rule is not None:
            settled = {e.cls for e, hit in zip(posed.enodes, hits, strict=True) if hit}
            aims = {c for c in locate(wanted, posed.encoded, later) if c is not None}
            open_ = [c for c, to in became.items() if to in aims and c not in settled]
            needed = matched(rule, posed.enodes, open_)
            if not needed:  # two values became one that are made of what the rule made one
                joined = Counter(became.values())
                needed = matched(rule, posed.enodes, [c for c, to in became.items() if joined[to] > 1])
                needed |= leading(posed.enodes, open_, needed)
    settled = {e.cls for e, hit in zip(posed.enodes, hits, strict=True) if hit}
    first = _enodes_of(written, posed.encoded, posed.saturated)
    found = []
    for e, key, hit, cost in zip(posed.enodes, keys, hits, known, strict=True):
        distance = 0.0 if hit else (0.99 if key in first else 1.0) + (e.cls in settled)
        distance += FAR * (e not in needed.get(e.cls, (e,)))
        leaf = e.op in (LEAF, NUM, ARR, RUN)
        found.append(cost if cost == float("inf") else distance * (0.1 if leaf else 1.0))
    return found


def _enodes_of(
    skeleton: Skeleton, encoded: Encoded, saturated: Saturated
) -> set[tuple[Key, tuple[int, ...]]]:
    """The e-nodes of a skeleton that an e-graph holds."""
    classes = locate(skeleton, encoded, saturated)
    found = set()
    for bone, cls in zip(skeleton.bones, classes, strict=True):
        if cls is not None:
            found.add((bone.key, tuple(classes[k] or 0 for k in bone.operands)))
    return found
