"""A session as a program in egglog's own language: schema, rules, facts and schedule, in the order in which they were given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isinf, isnan
from typing import Any, cast

from eqsat.egraph.adapter import RunStep, Session

DECLARED = re.compile(r"\((relation|function|constructor) (\S+) \(([^)]*)\)\s*(\w*)")


class Transcript:
    """The commands of a session; those of the last one where it was begun anew.

    >>> told = Transcript()
    >>> told.begin(["(relation in_num (i64 f64))", "(ruleset load)"])
    >>> told.load({"in_num": [(0, 2)]})
    >>> told.lines[-1]
    '(in_num 0 2.0)'
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.sorts: dict[
            str, tuple[str, list[str]]
        ] = {}  # of each table: its kind, and the sorts of its columns

    def recorded(self, session: Session, lines: Sequence[str]) -> Session:
        """A session that begins with schema and rules, and tells its commands."""
        self.begin(lines)
        return cast("Session", Recorded(session, self))

    def begin(self, lines: Sequence[str]) -> None:
        """Forget what was told, and begin with schema and rules."""
        self.lines.clear()
        self.sorts.clear()
        self.add(lines)

    def add(self, lines: Sequence[str]) -> None:
        """Commands as they are."""
        self.lines += lines
        for line in lines:
            found = DECLARED.match(line)
            if found is not None:
                kind, name, inputs, output = found.groups()
                columns = [*inputs.split(), *([output] if kind == "function" else [])]
                self.sorts[name] = kind, columns

    def load(self, tables: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
        """Rows as facts."""
        for name, rows in tables.items():
            kind, sorts = self.sorts[name]
            for row in rows:
                cells = [atom(value, sort) for value, sort in zip(row, sorts, strict=True)]
                if kind == "function":
                    self.lines.append(f"(set ({' '.join([name, *cells[:-1]])}) {cells[-1]})")
                else:
                    self.lines.append(f"({' '.join([name, *cells])})")

    def schedule(self, ruleset: str, times: int | None) -> None:
        """Some iterations of a ruleset, or as many as change something."""
        run = f"(run {ruleset})" if ruleset else "(run)"
        how = "saturate" if times is None else f"repeat {times}"
        self.lines.append(f"(run-schedule ({how} {run}))")

    def text(self, remarks: Sequence[str] = ()) -> str:
        """The program, remarks before it, sizes of all tables at its end."""
        said = [f"; {line}" for remark in remarks for line in remark.splitlines()]
        return "\n".join([*said, *self.lines, "(print-size)", ""])


def atom(value: Any, sort: str) -> str:
    """A number as egglog reads it in a column of some sort."""
    if sort != "f64":
        return str(int(value))
    number = float(value) + 0.0
    if isnan(number) or isinf(number):
        return "NaN" if isnan(number) else "inf" if number > 0 else "-inf"
    return repr(number)


class Recorded:
    """A session whose commands are told to a transcript; all else is asked of the session itself."""

    def __init__(self, session: Session, told: Transcript) -> None:
        self._session, self._told = session, told

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def load(self, tables: Mapping[str, Sequence[tuple[float, ...]]]) -> None:
        """Add rows of numbers to tables."""
        self._told.load({name: rows for name, rows in tables.items() if rows})
        self._session.load(tables)

    def add(self, lines: Sequence[str]) -> None:
        """Run egglog commands."""
        self._told.add(lines)
        self._session.add(lines)

    def run(self, ruleset: str, times: int = 1) -> RunStep:
        """Up to ``times`` iterations of one ruleset."""
        self._told.schedule(ruleset, times)
        return self._session.run(ruleset, times)

    def saturate(self, ruleset: str) -> RunStep:
        """Iterate one ruleset until nothing changes."""
        self._told.schedule(ruleset, None)
        return self._session.saturate(ruleset)
