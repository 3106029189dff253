"""The graph inside a scan as printing and drawing show it: rows x[t], states h[t-1], what goes back into the next step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from eqsat.graph.core import Apply, Constant
from eqsat.graph.inner_graphs import FIXED, Inside, Port
from eqsat.scan.mappings import Unit, units

KINDS = ("seqs", "mit_mot", "mit_sot", "sit_sot", "nit_sot", "shared", "non_seqs")
WORDS = {
    "seqs": "sequence",
    "mit_mot": "buffer, at first",
    "mit_sot": "state, at first",
    "sit_sot": "state, at first",
    "nit_sot": "output",
    "shared": "carried, at first",
    "non_seqs": FIXED,
}
UNNAMED = {
    "seqs": "row",
    "mit_mot": "buffer",
    "mit_sot": "state",
    "sit_sot": "state",
    "nit_sot": "out",
    "shared": "carried",
    "non_seqs": "fixed",
}


def describe(node: Apply) -> Inside:
    """The meaning of the inputs and outputs of one step."""
    return _Description(node).inside()


class _Description:
    def __init__(self, node: Apply) -> None:
        self.node, self.op = node, node.op
        self.reads: dict[int, Port] = {}
        self.writes: dict[int, Port] = {}
        self.back: list[tuple[int, int]] = []
        self.used: set[str] = set()

    def inside(self) -> Inside:
        info = self.op.info  # type: ignore[attr-defined]
        sizes = {kind: max(info.sizes(w).get(kind, 0) for w in ("outer_in", "outer_out")) for kind in KINDS}
        kinds = [kind for kind in KINDS for _ in range(sizes[kind])]
        places: dict[str, int] = {}
        for kind, unit in zip(kinds, units(info), strict=True):
            self._unit(kind, places.setdefault(kind, 0), unit)
            places[kind] += 1
        outs = self.op.inner_outputs  # type: ignore[attr-defined]
        if info.as_while:
            self.writes[len(outs) - 1] = Port(outs[-1], "until", None, "condition")
        steps = Port(None, "steps", 0, "number of steps")
        return Inside(
            title=f"loop {self.op}",
            inputs=(steps, *(self.reads[k] for k in sorted(self.reads))),
            outputs=tuple(self.writes[k] for k in sorted(self.writes)),
            back=tuple((j, k + 1) for j, k in self.back),
            steps=self.node.inputs[0],
            until=info.as_while,
        )

    def _unit(self, kind: str, k: int, unit: Unit) -> None:
        start, reads, writes, end = unit
        before, after = self._times(kind, k)
        inner: Any = self.op.inner_inputs  # type: ignore[attr-defined]
        outs: Any = self.op.inner_outputs  # type: ignore[attr-defined]
        given = self.node.inputs[start] if start >= 0 else None
        given = None if isinstance(given, Constant) and kind != "non_seqs" else given
        found = [*(inner[i] for i in reads), given]
        found += [*(outs[i] for i in writes), self.node.outputs[end] if end >= 0 else None]
        stem, own = _stem(found)
        if kind == "seqs" and own:
            before = [own]  # a tap of a sequence, which is a sequence of its own
        stem = self._unused(stem or UNNAMED[kind], [*before, *after])
        for i, when in zip(reads, before, strict=True):
            self.reads[i] = Port(inner[i], f"{stem}{when}", start, WORDS[kind])
        for i, when in zip(writes, after, strict=True):
            label = f"next {stem}" if kind == "shared" else f"{stem}{when}"
            self.writes[i] = Port(outs[i], label, end, WORDS[kind])
        self.back += [(j, i) for j in writes for i in reads]

    def _times(self, kind: str, k: int) -> tuple[list[str], list[str]]:
        """The indices of time behind the names of variables that enter and that leave a step."""
        info = self.op.info  # type: ignore[attr-defined]
        if kind == "mit_mot":
            return _taps(info.mit_mot_in_slices[k]), _taps(info.mit_mot_out_slices[k])
        if kind == "mit_sot":
            return _taps(info.mit_sot_in_slices[k]), _taps([0])
        now = _taps([0])
        return {
            "seqs": (now, []),
            "sit_sot": (_taps([-1]), now),
            "nit_sot": ([], now),
            "shared": ([""], [""]),
            "non_seqs": ([""], []),
        }[kind]

    def _unused(self, stem: str, times: list[str]) -> str:
        number, name = 1, stem
        while any(name + when in self.used for when in times):
            number += 1
            name = f"{stem}_{number}"
        self.used.update(name + when for when in times)
        return name


def _taps(taps: Sequence[int]) -> list[str]:
    return [f"[t{tap:+}]" if tap else "[t]" for tap in taps]


def _stem(variables: list[Any]) -> tuple[str, str]:
    """The first name among variables, without the time at its end, and that time."""
    name = next((v.name for v in variables if v is not None and v.name), "")
    found = re.fullmatch(r"(.+)(\[t(?:[+-]\d+)?\])", name)
    return (found[1], found[2]) if found else (name, "")
