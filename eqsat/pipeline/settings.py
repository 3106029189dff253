"""Settings: all that decides what is made of a graph, in one value, whose fields are the key of what has been made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from eqsat.base.configuration import FLAGS, config
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, CostError
from eqsat.graph.core import Variable
from eqsat.graph.tensor_type import shorten
from eqsat.pipeline.modes import Mode, get_mode

if TYPE_CHECKING:
    from eqsat.cgen.target import Target
    from eqsat.extract.cost import CostModel
    from eqsat.rules.rule import RuleSet


@dataclass(frozen=True)
class Settings:
    """The choices under which a graph is rewritten and compiled, checked: see ``function`` and ``optimize``.

    Every field enters the key of a function. ``selection`` holds rules, or names rules that come with eqsat; ``hints``
    are pairs; ``stays`` are the numbers of outputs that stay on the device of the target; ``variants`` is None where as many graphs are kept as pay; ``target`` is the name of one; ``flags`` has the values of all flags of the
    configuration that shape what is made.
    """

    mode: Mode
    selection: str | RuleSet
    model: CostModel
    seconds: float
    without: frozenset[str]
    hints: tuple[tuple[Variable, Any], ...]
    variants: int | None
    extractor: str | None
    profile: bool
    target: str
    stays: tuple[int, ...]
    flags: tuple[tuple[str, Any], ...]

    @classmethod
    def of(
        cls,
        mode: Any = None,
        rules: Any = None,
        model: Any = None,
        seconds: float | None = None,
        without: Collection[str] = (),
        shape_hints: Any = None,
        variants: int | str | None = None,
        extractor: str | None = None,
        profile: bool | None = None,
        outputs: Sequence[Variable] = (),
        target: str | None = None,
        stays: Sequence[int] = (),
    ) -> Settings:
        """The choices of a call; where it makes none, those of the configuration. ``outputs`` are what hints are about.

        Settings in place of a mode are all the choices.

        Errors   those of ``optimize`` for what does not exist or does not fit the outputs
        """
        from eqsat.cgen.target import find_target

        if isinstance(mode, Settings):
            return mode
        chosen = get_mode(mode)
        wanted = find_target(target or chosen.target or config.target)
        profiled = bool(config.profile if profile is None else profile)
        return cls(
            mode=chosen,
            selection=_selection(chosen.rules if rules is None else rules),
            model=model_of(model, wanted).settled(),
            seconds=config.egraph_seconds if seconds is None else checked_limit(seconds),
            without=checked_without(without) | chosen.without,
            hints=_hints(shape_hints, outputs),
            variants=1 if profiled else most_variants(variants),
            extractor=checked_extractor(extractor),
            profile=profiled,
            target=wanted.name,
            stays=tuple(stays) if wanted.keeps else (),
            flags=tuple((f.name, getattr(config, f.name)) for f in FLAGS.values() if not f.shared),
        )

    @cached_property
    def rules(self) -> RuleSet:
        """The rules that are selected."""
        from eqsat.rules.rule import select_rules

        return select_rules(self.selection)

    @property
    def rounds(self) -> bool:
        """True where sums may be rounded in another order than they are written, as rules of that tier do it."""
        return self.mode.rewrite and any(r.tier == "rounds" for r in self.rules.rules)

    @cached_property
    def inside(self) -> Settings:
        """The settings for graphs that ops of the graph hold: hints, variants and clocks are for the graph around."""
        made = replace(self, hints=(), variants=1, profile=False, stays=())
        return self if made == self else made

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, f.name) for f in fields(self)))

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # without what follows from them

    def flag(self, name: str) -> Any:
        """The value that a flag had when the choices were made."""
        return dict(self.flags)[name]

    def rewrites_as(self, mode: Any) -> bool:
        """True for a mode of C in which the same rules and rewrites of loops are used."""
        from eqsat.rules.rule import select_rules

        found = get_mode(mode)
        plain = type(found) is Mode and found.rewrite and found.compiled and found.fuse
        return plain and found.without == self.without and select_rules(found.rules) == self.rules

    def told(self, place: Mapping[Variable, int]) -> Any:
        """All fields in numbers and text, the same in every process; a variable is its place among the inputs.

        Errors   UntoldError for a value that no text tells from all others, such as a cost model of the user's own class
        """
        return _told(self, place)


class UntoldError(Exception):
    """A value that no text tells from all others."""


def _told(value: Any, place: Mapping[Variable, int]) -> Any:
    """A value of a field in numbers and text."""
    if isinstance(value, Variable):
        return place[value]
    if hasattr(value, "key"):
        return _known(value, value.key())
    if is_dataclass(value):
        told = [(f.name, _told(getattr(value, f.name), place)) for f in fields(value) if f.compare]
        return [type(value).__module__, type(value).__qualname__, told]
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, (list, tuple)):
        return [_told(v, place) for v in value]
    value = value.item() if isinstance(value, np.generic) else value
    plain = value is None or isinstance(value, (bool, int, float, str))
    return _known(value, (value,) if plain else None)


def _known(value: Any, told: Any) -> Any:
    if told is None:
        raise UntoldError(value)
    return told


def _selection(rules: Any) -> str | RuleSet:
    """Rules as a user chooses them: text stays text, since the rules that it names need not be made to tell it."""
    if rules is None or isinstance(rules, str):
        return rules or "default"
    from eqsat.rules.rule import select_rules

    return select_rules(rules)


def _hints(given: Any, outputs: Sequence[Variable]) -> tuple[tuple[Variable, Any], ...]:
    from eqsat.extract.hints import checked_hints

    return tuple(checked_hints(given, outputs).items()) if given else ()


def most_variants(given: Any) -> int | None:
    """The number of graphs that may be kept; None for as many as pay.

    Errors   ArgumentError for something that is no number above 0 and not "auto"
    """
    given = config.variants if given is None else given
    if given == "auto":
        return None
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise ArgumentError(f"variants is {given!r}", needs='a whole number above 0, or "auto"')
    return given


def checked_without(words: Collection[str]) -> frozenset[str]:
    """The rewrites of loops that are left out, by their words; ArgumentError for a word of none."""
    if not words:
        return frozenset()
    from eqsat.scan.opt import WORDS

    given = [words] if isinstance(words, str) else words
    if unknown := [w for w in given if w not in WORDS]:
        raise ArgumentError(
            f"without: there is no rewrite {unknown[0]!r} of loops", among=(unknown[0], WORDS)
        )
    return frozenset(given)


def checked_limit(seconds: Any) -> float:
    """A number of seconds that is not below 0; ArgumentError for anything else."""
    if isinstance(seconds, bool) or not isinstance(seconds, Real) or not float(seconds) >= 0:
        raise ArgumentError(f"seconds is {shorten(seconds)}", needs="a number that is not negative")
    return float(seconds)


def checked_extractor(extractor: Any) -> str | None:
    """The name of an extractor; ArgumentError for what names none."""
    if extractor is None:
        return None
    from eqsat.extract.extractors import EXTRACTORS, find_extractor

    if not isinstance(extractor, str):
        raise ArgumentError(
            f"extractor={shorten(extractor)} is not a name",
            needs=f"{', '.join(EXTRACTORS)}, or module:function",
            hint='eqsat.extract.extractors.EXTRACTORS["mine"] = f, extractor="mine" for a function',
        )
    find_extractor(extractor)
    return extractor


def model_of(model: Any, target: Target | None = None) -> Any:
    """The cost model; for None that of the configuration, with the constants of a target."""
    from eqsat.extract.cost import CostModel
    from eqsat.extract.stored import current_model

    if model is None:
        return current_model() if target is None else current_model(target.name, target.costs)
    if not isinstance(model, CostModel):
        raise CostError(
            f"model={shorten(model)} is no cost model", needs="a CostModel, such as eqsat.costs.flops()"
        )
    return model
