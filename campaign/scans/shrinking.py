"""Smaller programs with the same failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from campaign.scans.arrays import Arrays, Wrong
from campaign.scans.programs import Input, Kind, Let, Loop, Program


def shrink(p: Program, fails: Callable[[Program], bool], seconds: float = 60.0) -> Program:
    """The last of a chain of ever smaller programs that all fail."""
    end = time.monotonic() + seconds
    smaller = True
    while smaller and time.monotonic() < end:
        smaller = False
        for other in candidates(p):
            if time.monotonic() > end:
                break
            if has_meaning(other) and fails(other):
                p, smaller = other, True
                break
    return p


def has_meaning(p: Program) -> bool:
    """True where the loops over arrays run."""
    try:
        Arrays(p).run(p.values())
    except (Wrong, KeyError, ValueError, IndexError, TypeError):
        return False
    return True


def candidates(p: Program) -> Iterator[Program]:
    """Programs that are a little smaller, those with less in them first."""
    for k in range(len(p.outputs)):
        if len(p.outputs) > 1:
            yield pruned(replace(p, outputs=p.outputs[:k] + p.outputs[k + 1 :]))
    seen = Arrays(p)
    known = seen.everything(p.values())
    for body, made in edits(p.body, known):
        sizes = {**p.sizes, **{d: int(d[4:]) for i in made for d in i.kind.dims if d.startswith("size")}}
        yield pruned(replace(p, body=body, inputs=(*p.inputs, *made), sizes=sizes))
    for d, size in p.sizes.items():
        if size and size > 1 and any(d in i.kind.dims for i in p.inputs):
            yield replace(p, sizes={**p.sizes, d: size - 1})
    for k, i in enumerate(p.inputs):
        if i.number:
            yield replace(p, inputs=(*p.inputs[:k], replace(i, number=i.number - 1), *p.inputs[k + 1 :]))
        elif i.known:
            yield replace(p, inputs=(*p.inputs[:k], replace(i, known=False), *p.inputs[k + 1 :]))


def edits(body: Sequence[Any], known: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], list[Input]]]:
    """The body with one statement less or a simpler one, and the inputs that stand for what was computed."""
    for k, s in reversed(list(enumerate(body))):
        before, after = tuple(body[:k]), tuple(body[k + 1 :])
        names = [s.name] if isinstance(s, Let) else [r.name for r in s.results]
        if all(v in known for v in names):
            yield before + after, [_as_input(v, known[v]) for v in names]
        if isinstance(s, Let):
            same = [a for a in s.args if a in known and s.name in known and _alike(known[a], known[s.name])]
            yield from (((*before, Let(s.name, "copy", (a,)), *after), []) for a in same if s.op != "copy")
        else:
            for loop, made in simpler(s, known):
                yield (*before, loop, *after), made


def simpler(s: Loop, known: dict[str, Any]) -> Iterator[tuple[Loop, list[Input]]]:
    """The loop with less in it."""
    for key, plain in (
        ("backwards", False),
        ("updates", ()),
        ("until", None),
        ("truncate", -1),
        ("given", ()),
    ):
        if getattr(s, key) != plain and key != "given":
            change: Any = {key: plain}
            yield replace(s, **change), []
    for k in range(len(s.given)):
        yield replace(s, given=s.given[:k] + s.given[k + 1 :]), []
    for k in range(len(s.sequences)):
        fewer = s.sequences[:k] + s.sequences[k + 1 :]
        n = (
            s.n_steps
            if fewer or s.n_steps is not None
            else len(known.get(s.results[0].name, []))
            if s.results
            else 1
        )
        yield replace(s, sequences=fewer, n_steps=n), []
        for j in range(len(s.sequences[k].taps) - 1):
            x = s.sequences[k]
            x = replace(x, taps=x.taps[:j] + x.taps[j + 1 :], rows=x.rows[:j] + x.rows[j + 1 :])
            yield replace(s, sequences=(*s.sequences[:k], x, *s.sequences[k + 1 :])), []
    for k, r in enumerate(s.results):
        rest = s.results[:k] + s.results[k + 1 :]
        if rest or s.updates:
            yield replace(s, results=rest), []
            if r.name in known:
                yield replace(s, results=rest), [_as_input(r.name, known[r.name])]
        if r.taps:
            yield (
                replace(
                    s,
                    results=(*s.results[:k], replace(r, initial="", taps=(), reads=()), *s.results[k + 1 :]),
                ),
                [],
            )
        for j in range(len(r.taps) - 1):
            less = replace(r, taps=r.taps[:j] + r.taps[j + 1 :], reads=r.reads[:j] + r.reads[j + 1 :])
            if min(less.taps) == min(r.taps):
                yield replace(s, results=(*s.results[:k], less, *s.results[k + 1 :])), []
    if isinstance(s.n_steps, int) and s.n_steps > 0:
        yield replace(s, n_steps=s.n_steps - 1), []
    if isinstance(s.n_steps, str) and s.n_steps in known:
        yield replace(s, n_steps=int(known[s.n_steps])), []
    for body, made in edits(s.body, known):
        yield replace(s, body=body), made


def _alike(a: Any, b: Any) -> bool:
    return bool(a.dtype == b.dtype and a.shape == b.shape)


def _as_input(name: str, value: Any) -> Input:
    """An input of the type of a value, with lengths named after their size."""
    value = np.asarray(value)
    dims = tuple("1" if n == 1 else f"size{n}" for n in value.shape)
    return Input(name, Kind(value.dtype.name, dims))


def pruned(p: Program) -> Program:
    """The program without what no output and no update needs."""
    needed = set(p.outputs)
    body = _needed(p.body, needed)
    return replace(
        p,
        body=body,
        inputs=tuple(i for i in p.inputs if i.name in needed),
        shared=tuple(i for i in p.shared if i.name in needed),
    )


def _needed(body: Sequence[Any], needed: set[str]) -> tuple[Any, ...]:
    """The statements that are needed, last first; what they read is added to ``needed``."""
    kept: list[Any] = []
    for s in reversed(body):
        if isinstance(s, Let):
            if s.name in needed:
                needed.update(s.args)
                kept.append(s)
            continue
        results = tuple(r for r in s.results if r.name in needed or set(r.reads) & _read(s))
        if not results and not _updates(s):
            continue
        needed.update(r.value for r in results)
        needed.update(v for pair in s.updates for v in pair)
        needed.update([s.until] if s.until else [])
        inner = _needed(s.body, needed)
        needed.update(x.source for x in s.sequences)
        needed.update(r.initial for r in results if r.taps)
        needed.update(outer for outer, _ in s.given)
        needed.update([s.n_steps] if isinstance(s.n_steps, str) else [])
        kept.append(replace(s, results=results, body=inner))
    return tuple(reversed(kept))


def _updates(s: Loop) -> bool:
    return bool(s.updates) or any(isinstance(v, Loop) and _updates(v) for v in s.body)


def _read(s: Loop) -> set[str]:
    """All names that the body of a loop reads."""
    found = {r.value for r in s.results} | {v for _, v in s.updates} | {str(s.until)}
    for v in s.body:
        if isinstance(v, Let):
            found.update(v.args)
        else:
            found |= _read(v) | {x.source for x in v.sequences} | {r.initial for r in v.results}
            found |= {outer for outer, _ in v.given} | {str(v.n_steps)}
    return found
