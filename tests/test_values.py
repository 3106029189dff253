"""Classes of values behave as those that the standard library makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.base.values as values


def classes(dataclass: Callable[..., Any]) -> list[Any]:
    """Classes of each kind, made by a decorator."""

    @dataclass(frozen=True)
    class Frozen:
        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list, compare=False)
        d: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    @dataclass
    class Open:
        a: int = 1
        b: tuple[int, ...] = ()

    @dataclass(frozen=True, eq=False)
    class Single:
        a: Any

    @dataclass(frozen=True, repr=False)
    class Told:
        a: int

        def __repr__(self) -> str:
            return f"told {self.a}"

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError(self.a)

    @dataclass(frozen=True)
    class Own:
        a: float

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __hash__(self) -> int:
            return 7

    @dataclass(frozen=True)
    class Below(Frozen):
        e: int = 5

    @dataclass
    class Empty:
        pass

    @dataclass(frozen=True, slots=True)
    class Slotted:
        a: Any
        b: str = "b"

    return [Frozen, Open, Single, Told, Own, Below, Empty, Slotted]


CALLS: list[Callable[[Any], Any]] = [
    lambda kind: str(inspect.signature(kind)),
    lambda kind: [(f.name, f.init, f.compare) for f in dataclasses.fields(kind)],
    lambda kind: kind.__match_args__,
    lambda kind: repr(kind(1)),
    lambda kind: repr(kind()),
    lambda kind: kind(1) == kind(1),
    lambda kind: kind(1) == kind(2),
    lambda kind: kind(1) == 1,
    lambda kind: kind(1) in {kind(1)},
    lambda kind: repr(dataclasses.replace(kind(1), a=3)),
    lambda kind: dataclasses.asdict(kind(1)),
    lambda kind: repr(copy.deepcopy(kind(1))),
    lambda kind: setattr(kind(1), "a", 2),
    lambda kind: setattr(
        kind(1), "b" if hasattr(kind, "__slots__") else "other", 2
    ),  # else theirs names super
    lambda kind: hasattr(kind(1), "__dict__"),
    lambda kind: delattr(kind(1), "a"),
    lambda kind: hasattr(kind(-1), "a"),
    lambda kind: repr(kind(1, "q")),
    lambda kind: repr(kind(a=1, b="q")),
    lambda kind: kind(1).c is kind(1).c,
    lambda kind: kind(1).d,
    lambda kind: repr(recursive(kind)),
    lambda kind: type("Sub", (kind,), {})(1) == kind(1),
    lambda kind: repr(type("Sub", (kind,), {})(1)),
    lambda kind: kind(float("nan")) == kind(float("nan")),
]


def recursive(kind: Any) -> Any:
    """An object that holds itself."""
    thing = kind([])
    thing.a.append(thing)
    return thing


def outcome(call: Callable[[Any], Any], kind: Any) -> Any:
    try:
        return call(kind)
    except (TypeError, ValueError, AttributeError, dataclasses.FrozenInstanceError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("place", range(8))
def test_classes_are_those_of_the_standard_library(place: int) -> None:
    ours, theirs = classes(values.dataclass)[place], classes(dataclasses.dataclass)[place]
    assert [outcome(call, ours) for call in CALLS] == [outcome(call, theirs) for call in CALLS]


def test_the_classes_of_eqsat_are_made_so() -> None:
    room = Path(eqsat.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in room.rglob("*.py")}
    slow = [
        str(path)
        for path, text in texts.items()
        if re.search(r"^from dataclasses import .*\bdataclass\b", text, re.M)
    ]
    assert slow == []


def test_a_class_of_the_standard_library_inherits() -> None:
    @dataclasses.dataclass(frozen=True)
    class Wider(Kept):
        more: int = 2

    assert repr(Wider(1)).endswith("Wider(a=1, more=2)") and Wider(1) == Wider(1, 2)


@values.dataclass(frozen=True)
class Kept:
    a: int


@values.dataclass(frozen=True, slots=True)
class Slotted:
    a: int


def test_objects_can_be_pickled() -> None:
    for thing in (Kept(3), Slotted(3)):
        assert pickle.loads(pickle.dumps(thing)) == thing == copy.copy(thing)
