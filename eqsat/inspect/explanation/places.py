"""Places at which two successive graphs differ: the values that are computed in another way, each with both expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Constant
from eqsat.graph.walk import clone_with, graph_inputs, toposort
from eqsat.inspect.explanation.search import Stage
from eqsat.inspect.explanation.skeleton import Key
from eqsat.printing.line import labelled

PART = 40  # of a sequence, of which an element is named
SHORT = 24  # text of an unchanged part up to which it is written out
WIDEST = 88
LETTERS = "pqruvwabcdefg"


@dataclass(frozen=True)
class Place:
    """One value and both ways to compute it; parts that did not change are inputs with letters, of which ``where`` says what they are."""

    before: Any
    after: Any
    where: tuple[tuple[str, str], ...]
    made_at: str | None
    labels: Mapping[Any, str]

    @property
    def texts(self) -> tuple[str, str]:
        """Both expressions."""
        return labelled(self.before, self.labels, WIDEST), labelled(self.after, self.labels, WIDEST)


def places(before: Stage, after: Stage) -> list[Place]:
    """The changed values, those nearest to the inputs first."""
    old, new = _by_class(after.classes, before), _by_class(_own_classes(after), after)
    names = state_names([before, after])
    found = []
    for cls in new:
        if cls in old and old[cls][-1][0] != new[cls][-1][0]:
            found.append(_place(old[cls][-1][1], new[cls][-1][1], _kept(old, new, cls), names))
    unlike = [p for p in found if p.texts[0] != p.texts[1]]
    return unlike or found[:1]


def _own_classes(stage: Stage) -> list[int | None]:
    from eqsat.inspect.explanation.skeleton import locate

    return locate(stage.skeleton, stage.posed.encoded, stage.posed.saturated)


def _by_class(classes: Sequence[int | None], stage: Stage) -> dict[int, list[tuple[Key, Any]]]:
    """For each class of the later e-graph what a stage computes of it, and the variable: several times where a rule made them equal."""
    found: dict[int, list[tuple[Key, Any]]] = {}
    for bone, cls in zip(stage.skeleton.bones, classes, strict=True):
        if cls is not None and bone.variable is not None:
            key = (*bone.key, *(classes[k] for k in bone.operands))
            found.setdefault(cls, []).append((key, bone.variable))
    return found


def _kept(
    old: Mapping[int, list[tuple[Key, Any]]], new: Mapping[int, list[tuple[Key, Any]]], changed: int
) -> list[tuple[Any, Any]]:
    """Pairs of variables for the values that both stages compute; of the changed one where it is computed alike."""
    pairs = []
    for cls, ways in new.items():
        key, variable = ways[-1]
        for other, known in old.get(cls, ())[::-1]:
            if (cls != changed or other == key) and known.type == variable.type:
                pairs.append((known, variable))
                break
    return pairs


def _place(before: Any, after: Any, kept: Sequence[tuple[Any, Any]], states: Mapping[int, str]) -> Place:
    """Both expressions with letters for the longer parts that did not change."""
    labels = loop_labels([before, after], states)
    taken = {*_leaves(before), *_leaves(after)}
    letters = [c for c in LETTERS if c not in taken]
    instead: dict[Any, Any] = {}
    parts: dict[str, Any] = {}
    for a, b in reversed(kept):
        if a.owner is None or a in labels or isinstance(b, Constant) or len(parts) == len(letters):
            continue
        long = len(labelled(a, labels, SHORT + 1)) > SHORT
        if long and (_reads(before, a, instead) or _reads(after, b, instead)):
            letter = letters[len(parts)]
            instead[a] = instead[b] = a.type.make_variable(letter)
            parts[letter] = a
    cut_before, cut_after = clone_with([before], instead)[0], clone_with([after], instead)[0]
    shown = _definitions({*_leaves(cut_before), *_leaves(cut_after)} & parts.keys(), parts, labels)
    return Place(cut_before, cut_after, shown, before.made_at, loop_labels([cut_before, cut_after], states))


def _definitions(
    used: set[str], parts: Mapping[str, Any], labels: Mapping[Any, str]
) -> tuple[tuple[str, str], ...]:
    """Definitions of the letters, in terms of each other where one is a part of another."""
    texts = {}
    for letter in sorted(used, key=list(parts).index):
        others = {parts[o]: o for o in used if o != letter}
        texts[letter] = labelled(parts[letter], {**labels, **others}, WIDEST)
    return tuple(texts.items())


def _leaves(variable: Any) -> Iterator[str]:
    return (v.name for v in graph_inputs([variable]) if v.name)


def _reads(variable: Any, part: Any, cut: Mapping[Any, Any]) -> bool:
    """True where an expression is made of a part, and not of one around it that has a letter."""
    stack, seen = [variable], set()
    while stack:
        v = stack.pop()
        if v is part:
            return v is not variable
        if v in seen or (v in cut and v is not variable) or v.owner is None:
            continue
        seen.add(v)
        stack.extend(v.owner.inputs)
    return False


def state_names(stages: Sequence[Stage]) -> dict[int, str]:
    """The user's names of the states of loops, by their keys."""
    found = (r for stage in stages for r in stage.extracted.loops.recurrences)
    return {r.key: r.name or r.label or "state" for r in found}


def loop_labels(variables: Sequence[Any], names: Mapping[int, str]) -> dict[Any, str]:
    """Labels for the values at step t of a loop, in the words of the user: x[t], h[t-1]."""
    labels: dict[Any, str] = {}
    for node in toposort(variables):
        name = getattr(node.op, "name", "")
        if name == "elem":
            labels[node.outputs[0]] = f"{labelled(node.inputs[0], labels, PART)}[t]"
        elif name == "state":
            key = node.op.params["key"]  # type: ignore[attr-defined]
            labels[node.outputs[0]] = f"{names.get(key, 'state')}[t-1]"
    return labels
