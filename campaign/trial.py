"""What a trial of a part gives: how much was tried, and what failed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """A failure, made small: what goes wrong in one line, Python that shows it, and the rules that are suspected.

    ``key`` is equal for findings that are taken to be one.
    """

    key: str
    what: str
    python: str
    rules: tuple[str, ...] = ()
    seed: int = 0
    part: str = ""


@dataclass
class Trial:
    """Counts of one seed: ``tried`` in the unit of the part, ``failed`` of them, by whatever name else it counts."""

    tried: int = 0
    failed: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def count(self, name: str, number: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + number

    def as_data(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def of_data(data: dict[str, Any]) -> Trial:
        findings = [Finding(**{**f, "rules": tuple(f["rules"])}) for f in data["findings"]]
        return Trial(data["tried"], data["failed"], data["counts"], findings)
