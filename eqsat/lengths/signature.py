"""The notation of signatures: that of NumPy's generalised ufuncs, with names for whole shapes and for parameters.

======================================  ==========================================================================
``(m,k),(k,n)->(m,n)``                  a name is one length wherever it stands
``(...,n,n)->(...,n,n)``                ``...``: axes that broadcast against those of the other operands
``x->x``                                a name outside of parentheses is a whole shape, of any number of axes
``(n,x...),(n)->(x...)``                the same between other axes
``x->x[axes:=1]``                       a length along the axes that a parameter of the op names
``x->x?``                               as many axes, of lengths that only ``shape`` or ``infer`` of the op tell
``x,_->x``                              ``_``: an operand of any shape
``x,()*->x``                            ``*``: the last operand may come any number of times
``(m),(n)->(m+n-1)``                    ``+ - * // min max clip`` of lengths, of parameters, and of operands that are
                                        integers; ``?`` for what only the values tell
======================================  ==========================================================================
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TypeVar

from eqsat.base.values import dataclass
from eqsat.errors import DeclarationError

T = TypeVar("T")

WORD = re.compile(r"[A-Za-z_]\w*|\?")
BROADCAST = "..."
ANY = "_"
NEEDS = "such as (m,k),(k,n)->(m,n), (...,n,n)->(...,n), x->x or x->x[axes:=1]"


@dataclass(frozen=True)
class Axes:
    """The axes of one operand or result: texts of lengths, among them at most one rest of any number of axes."""

    before: tuple[str, ...] = ()
    rest: str | None = None
    after: tuple[str, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()  # a parameter that names axes, and the length along them
    free: bool = False  # the rest has other lengths, and as many axes

    def fits(self, ndim: int) -> bool:
        """True for a number of axes that an operand may have."""
        fixed = len(self.before) + len(self.after)
        return ndim >= fixed if self.rest else ndim == fixed

    @cached_property
    def names(self) -> set[str]:
        """The names in it, of lengths and of a rest."""
        words = {word for text in (*self.before, *self.after) for word in WORD.findall(text)}
        return words if self.rest is None else {*words, self.rest}

    def __str__(self) -> str:
        name = f"{self.rest}?" if self.free else str(self.rest)
        rest = () if self.rest is None else (self.rest if self.rest == BROADCAST else f"{name}...",)
        if self.rest not in (None, BROADCAST) and not self.before and not self.after:
            said = name
        else:
            said = f"({','.join((*self.before, *rest, *self.after))})"
        return said + "".join(f"[{name}:={n}]" for name, n in self.changed)


@dataclass(frozen=True)
class Signature:
    """The axes of the operands and of the results of an op; the last operand may stand for any number of them."""

    operands: tuple[Axes, ...]
    results: tuple[Axes, ...]
    repeated: bool = False

    @cached_property
    def takes_any(self) -> bool:
        """True where every operand may have any number of axes, and none gets new ones."""
        return all(
            axes == Axes(rest=axes.rest) and axes.rest not in (None, BROADCAST) for axes in self.operands
        )

    @cached_property
    def stacks(self) -> bool:
        """True where every operand may have any number of axes in front, which broadcast."""
        return bool(self.operands) and all(axes.rest == BROADCAST for axes in self.operands)

    @cached_property
    def computes(self) -> bool:
        """True where a length of a result is none of an operand: a sum of some, a parameter, or unknown."""
        known = {text for axes in self.operands for text in (*axes.before, *axes.after)}
        named = (text for axes in self.results for text in (*axes.before, *axes.after))
        return any(text not in known and text != "?" and not text.isdigit() for text in named)

    @cached_property
    def rescales(self) -> bool:
        """True where a result has as many axes as the first operand, of lengths that ``infer`` alone tells."""
        return any(axes.free and len(axes.before) == len(self.operands[0].before) for axes in self.results)

    @cached_property
    def keeps(self) -> int | None:
        """The first operand of which the result has the shape, whatever it is; None where there is none."""
        (result, *more) = self.results
        same = [
            k for k, axes in enumerate(self.operands) if axes == result and result == Axes(rest=axes.rest)
        ]
        return same[0] if same and not more and result.rest != BROADCAST else None

    def sources(self, names: Sequence[str]) -> tuple[list[str], list[str]]:
        """The operands from whose lengths those of results follow, and those from whose values they do."""
        operands, used = dict(zip(names, self.of(len(names)), strict=True)), self._used()
        if "?" in used:
            return list(names), list(names)
        if any(axes.free for axes in self.results):
            return list(names), []
        lengths = [name for name, axes in operands.items() if used & axes.names - {ANY}]
        return lengths, [name for name, axes in operands.items() if axes == Axes() and name in used]

    def _used(self) -> set[str]:
        """The names from which lengths of results are computed."""
        changed = (n for axes in self.results for _, n in axes.changed)
        return {word for text in changed for word in WORD.findall(text)}.union(
            *(axes.names for axes in self.results)
        )

    def like(self, operands: Sequence[T]) -> Sequence[T]:
        """The operands that may have the shape of the result: of an elementwise op those along which no axis broadcasts."""
        if all(axes == Axes(rest=BROADCAST) for axes in (*self.operands, *self.results)):
            return operands
        return () if self.keeps is None else operands[self.keeps : self.keeps + 1]

    def of(self, count: int) -> tuple[Axes, ...]:
        """The axes of so many operands."""
        if not self.repeated:
            return self.operands
        *first, last = self.operands
        return (*first, *[last] * (count - len(first)))

    def __str__(self) -> str:
        sides = (",".join(map(str, axes)) for axes in (self.operands, self.results))
        return ("*->" if self.repeated else "->").join(sides)


ITEM = re.compile(r"\s*(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\)|(\w+\??))((?:\[\w+:=[^\]]+\])*)(\*?)\s*(?:,|$)")


@lru_cache(maxsize=100)
def broadcast(count: int) -> Signature:
    """The signature of an elementwise op of so many operands."""
    axes = Axes(rest=BROADCAST)
    return Signature((axes,) * count, (axes,))


@lru_cache(maxsize=1000)
def parse(text: str) -> Signature:
    """A signature from its text.

    Errors   DeclarationError for text that is no signature

    >>> parse("(m,k),(k,n)->(m,n)").operands[1].before
    ('k', 'n')
    >>> str(parse("x, ()* -> x[axes:=1]"))
    'x,()*->x[axes:=1]'
    """
    left, arrow, right = text.partition("->")
    if not arrow:
        raise DeclarationError(f"{text!r} is no signature of shapes", needs=NEEDS)
    operands, starred = _side(left, text)
    results, wrong = _side(right, text)
    if wrong or not results or True in starred[:-1]:
        raise DeclarationError(f"{text!r} is no signature of shapes", needs=NEEDS)
    return Signature(operands, results, bool(starred) and starred[-1])


def _side(text: str, whole: str) -> tuple[tuple[Axes, ...], list[bool]]:
    axes, starred, at = [], [], 0
    while at < len(text.rstrip()):
        item = ITEM.match(text, at)
        if item is None:
            raise DeclarationError(f"{whole!r} is no signature of shapes", needs=NEEDS)
        inside, name, changes, star = item.groups()
        changed = tuple((a, n.strip()) for a, n in re.findall(r"\[(\w+):=([^\]]+)\]", changes))
        free = bool(name) and name.endswith("?")
        whole_shape = Axes(rest=name and name.rstrip("?"), changed=changed, free=free)
        axes.append(whole_shape if name else _axes(inside, changed, whole))
        starred.append(bool(star))
        at = item.end()
    return tuple(axes), starred if any(starred) else []


def _axes(inside: str, changed: tuple[tuple[str, str], ...], whole: str) -> Axes:
    """The axes in parentheses, whose texts may hold parentheses with commas themselves."""
    parts = [part.strip() for part in re.split(r",(?![^()]*\))", inside)]
    if parts == [""]:
        return Axes(changed=changed)
    rests = [k for k, part in enumerate(parts) if part.endswith(BROADCAST)]
    if len(rests) > 1 or "" in parts:
        raise DeclarationError(f"{whole!r} is no signature of shapes", needs=NEEDS)
    if not rests:
        return Axes(before=tuple(parts), changed=changed)
    (k,) = rests
    name = parts[k].removesuffix(BROADCAST) or BROADCAST
    if k and name == BROADCAST:
        raise DeclarationError(
            f"{whole!r}: axes that broadcast come first", needs="such as (...,n) or (n,x...)"
        )
    return Axes(tuple(parts[:k]), name.rstrip("?"), tuple(parts[k + 1 :]), changed, name.endswith("?"))
