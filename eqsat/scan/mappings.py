"""Accessors of a scan's lists by kind, and the mappings between the positions in its four lists."""

from __future__ import annotations

from typing import Any

from eqsat.graph.core import Apply
from eqsat.scan.utils import ScanInfo, first_offset, grouped

Unit = tuple[
    int, list[int], list[int], int
]  # outer input, inner inputs, inner outputs, outer output of one variable


class ScanPropertiesMixin:
    """Parts of the lists of a scan; each accessor takes a list, an application or an op."""

    info: ScanInfo

    def _part(self, which: str, kind: str, items: Any) -> list[Any]:
        if isinstance(items, Apply):
            names = {"outer_in": "inputs", "outer_out": "outputs"}
            items = getattr(items, names[which]) if which in names else items.op
        if not isinstance(items, (list, tuple)):
            items = items.inner_inputs if which == "inner_in" else items.inner_outputs
        return self.info.split(which, items)[kind]

    def inner_seqs(self, items: Any) -> list[Any]:
        return self._part("inner_in", "seqs", items)

    def outer_seqs(self, items: Any) -> list[Any]:
        return self._part("outer_in", "seqs", items)

    def inner_mitmot(self, items: Any) -> list[Any]:
        return self._part("inner_in", "mit_mot", items)

    def inner_mitmot_grouped(self, items: Any) -> list[list[Any]]:
        return grouped(self.inner_mitmot(items), self.info.mit_mot_in_slices)

    def mitmot_taps(self) -> Any:
        return self.info.mit_mot_in_slices

    def outer_mitmot(self, items: Any) -> list[Any]:
        return self._part("outer_in", "mit_mot", items)

    def inner_mitmot_outs(self, items: Any) -> list[Any]:
        return self._part("inner_out", "mit_mot", items)

    def inner_mitmot_outs_grouped(self, items: Any) -> list[list[Any]]:
        return grouped(self.inner_mitmot_outs(items), self.info.mit_mot_out_slices)

    def mitmot_out_taps(self) -> Any:
        return self.info.mit_mot_out_slices

    def outer_mitmot_outs(self, items: Any) -> list[Any]:
        return self._part("outer_out", "mit_mot", items)

    def inner_mitsot(self, items: Any) -> list[Any]:
        return self._part("inner_in", "mit_sot", items)

    def inner_mitsot_grouped(self, items: Any) -> list[list[Any]]:
        return grouped(self.inner_mitsot(items), self.info.mit_sot_in_slices)

    def mitsot_taps(self) -> Any:
        return self.info.mit_sot_in_slices

    def outer_mitsot(self, items: Any) -> list[Any]:
        return self._part("outer_in", "mit_sot", items)

    def inner_mitsot_outs(self, items: Any) -> list[Any]:
        return self._part("inner_out", "mit_sot", items)

    def outer_mitsot_outs(self, items: Any) -> list[Any]:
        return self._part("outer_out", "mit_sot", items)

    def inner_sitsot(self, items: Any) -> list[Any]:
        return self._part("inner_in", "sit_sot", items)

    def sitsot_taps(self) -> Any:
        return self.info.sit_sot_in_slices

    def outer_sitsot(self, items: Any) -> list[Any]:
        return self._part("outer_in", "sit_sot", items)

    def inner_sitsot_outs(self, items: Any) -> list[Any]:
        return self._part("inner_out", "sit_sot", items)

    def outer_sitsot_outs(self, items: Any) -> list[Any]:
        return self._part("outer_out", "sit_sot", items)

    def inner_nitsot_outs(self, items: Any) -> list[Any]:
        return self._part("inner_out", "nit_sot", items)

    def outer_nitsot(self, items: Any) -> list[Any]:
        return []

    def outer_nitsot_outs(self, items: Any) -> list[Any]:
        return self._part("outer_out", "nit_sot", items)

    def inner_shared(self, items: Any) -> list[Any]:
        return self._part("inner_in", "shared", items)

    def outer_shared(self, items: Any) -> list[Any]:
        return self._part("outer_in", "shared", items)

    def inner_shared_outs(self, items: Any) -> list[Any]:
        return self._part("inner_out", "shared", items)

    def outer_shared_outs(self, items: Any) -> list[Any]:
        return self._part("outer_out", "shared", items)

    def inner_non_seqs(self, items: Any) -> list[Any]:
        return self._part("inner_in", "non_seqs", items)

    def outer_non_seqs(self, items: Any) -> list[Any]:
        return self._part("outer_in", "non_seqs", items)

    def get_oinp_iinp_iout_oout_mappings(self) -> dict[str, dict[int, Any]]:
        """Twelve mappings, such as ``"outer_inp_from_outer_out"``, between positions in the four lists.

        A position in an outer list maps to one in the other outer list, -1 where there is none, and to lists of
        positions in the inner lists; a position in an inner list likewise. The number of steps and the condition
        of ``until`` belong to no variable and are in none of them.
        """
        names = ("outer_inp", "inner_inp", "inner_out", "outer_out")
        found: dict[str, dict[int, Any]] = {
            f"{to}_from_{start}": {} for start in names for to in names if to != start
        }
        for unit in units(self.info):
            for k, start in enumerate(names):
                given = unit[k]
                places = given if isinstance(given, list) else [given] if given >= 0 else []
                for j, to in enumerate(names):
                    if j != k:
                        found[f"{to}_from_{start}"].update(dict.fromkeys(places, unit[j]))
        return found

    get_oinp_iinp_iout_oout_mappings_mappings = get_oinp_iinp_iout_oout_mappings


def units(info: ScanInfo) -> list[Unit]:
    """For each variable of a scan its positions in the four lists; -1 or an empty list where it has none."""
    numbers = {
        which: info.split(which, range(sum(info.sizes(which).values())))
        for which in ("outer_in", "inner_in", "inner_out", "outer_out")
    }
    kinds = ("seqs", "mit_mot", "mit_sot", "sit_sot", "nit_sot", "shared", "non_seqs")
    return [unit for kind in kinds for unit in _units_of(info, kind, numbers)]


def _units_of(info: ScanInfo, kind: str, numbers: dict[str, dict[str, list[int]]]) -> list[Unit]:
    size = max(len(numbers[which].get(kind, [])) for which in ("outer_in", "outer_out"))
    reads: Any = numbers["inner_in"].get(kind)
    writes: Any = numbers["inner_out"].get(kind)
    one: list[list[int]] = [[] for _ in range(size)]
    reads = one if reads is None else [[k] for k in reads]
    writes = one if writes is None else [[k] for k in writes]
    if kind in ("mit_mot", "mit_sot"):
        taps = info.mit_mot_in_slices if kind == "mit_mot" else info.mit_sot_in_slices
        reads = grouped(numbers["inner_in"][kind], taps)
    if kind == "mit_mot":
        writes = grouped(numbers["inner_out"][kind], info.mit_mot_out_slices)
    starts = numbers["outer_in"].get(kind, [-1] * size)
    ends = numbers["outer_out"].get(kind, [-1] * size)
    return list(zip(starts, reads, writes, ends, strict=True))


def reached(info: ScanInfo, inside: list[list[bool]], start: set[int]) -> set[int]:
    """Outer outputs that depend on some outer inputs; ``inside[i][j]``: inner output j depends on inner input i."""
    moved: set[int] = set()
    parts = units(info)
    kept = info.split("outer_in", range(sum(info.sizes("outer_in").values())))
    alone = {*kept["mit_mot"], *kept["shared"]}  # the result is the initial value where no step changes it
    moved |= {end for begin, _, _, end in parts if begin in start and begin in alone}
    while True:
        live = [i for b, reads, _, end in parts if b in start or (end in moved and end >= 0) for i in reads]
        more = {e for _, _, outs, e in parts if any(inside[i][j] for i in live for j in outs)}
        if more <= moved:
            return moved
        moved |= more


def buffer_rows(info: ScanInfo, k: int) -> tuple[int, int]:
    """Of mit-mot state k: the row of tap 0 at step 0, and how many rows there are more than steps."""
    reads, writes = info.mit_mot_in_slices[k], info.mit_mot_out_slices[k]
    first = first_offset(reads, writes)
    return first, first + max([0, *reads, *writes])
