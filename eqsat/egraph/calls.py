"""Answers the calls that rules want: functions of index patterns, computed in Python while the e-graph runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eqsat.egraph.adapter import Session
from eqsat.egraph.call_tables import NAMES, NUMBERS, SIZES, answers_table, wanted_table
from eqsat.egraph.compile_rule import number_of_literal
from eqsat.egraph.encode import Encoded, move_calls, move_rows, pattern_code, stated_moves
from eqsat.egraph.encode_parts import lengths_code
from eqsat.graph.dtypes import CODE
from eqsat.graph.parameters import AXES
from eqsat.graph.part_calls import CALLS
from eqsat.rules.pattern import Literal

MOST_MOVES = 100  # of axes that rules may make, beside those that occur


class Answers:
    """The answers given in one session."""

    def __init__(self, encoded: Encoded) -> None:
        self.encoded = encoded
        self.given: set[tuple[str, tuple[int, ...]]] = set()
        self.count = {wanted_table(size): 0 for size in SIZES}
        self.stated: set[Literal] = set()
        self.moves = stated_moves(encoded.codes, encoded.tables)

    def give(self, session: Session, sizes: Mapping[str, int]) -> bool:
        """Answer what is new, by the sizes of the tables; True where there was anything."""
        tables: dict[str, list[tuple[int, ...]]] = {}
        for table in self.count:
            if sizes.get(table, 0) > self.count[table]:
                self.count[table] = sizes[table]
                for number, *row in sorted(session.rows(table)):
                    self.answer(NAMES[number], tuple(row), tables)
        if tables:
            session.load(tables)
        return bool(tables)

    def literals(self, values: Iterable[Literal]) -> dict[str, list[tuple[int, ...]]]:
        """Rows that say which codes values of parameters have."""
        tables: dict[str, list[tuple[int, ...]]] = {}
        for number, v in sorted((number_of_literal(v), v) for v in set(values) - self.stated):
            self.stated.add(v)
            code = self.encode(v.kind, (v.value, v.ndim) if v.kind == "move" else v.value, tables)
            if code is not None:
                tables.setdefault("literal", []).append((number, code))
        return tables

    def answer(self, name: str, row: tuple[int, ...], tables: dict[str, list[tuple[int, ...]]]) -> None:
        """The row of one result, unless it is given or there is none."""
        if (name, row) in self.given:
            return
        self.given.add((name, row))
        call = CALLS[name]
        result = call(*(self.decoded(kind, code) for kind, code in zip(call.arguments, row, strict=True)))
        if result is not None:
            code = self.encode(call.result, result, tables)
            if code is not None:
                tables.setdefault(answers_table(len(row)), []).append((NUMBERS[name], *row, code))

    def decoded(self, kind: str, code: int) -> Any:
        """The value of an argument."""
        values: Any = self.encoded.codes.values
        if kind in ("part", "move", "object"):
            return values[code]
        if kind == "lengths":
            return (None,) * (-1 - code) if code < 0 else values[code]
        return AXES.decode(code, self.encoded.codes) if kind == "axes" else code

    def encode(self, kind: str, value: Any, tables: dict[str, list[tuple[int, ...]]]) -> int | None:
        """The code of a result; None for one move of axes too many."""
        codes = self.encoded.codes
        if kind in ("part", "object", "pattern"):
            return codes.number(value)
        if kind == "lengths":
            return lengths_code(codes, value)
        if kind == "move":
            return self.move(value, tables)
        if kind == "dtype":
            return CODE[value]
        return AXES.encode(value, codes) if kind == "axes" else int(value)

    def move(self, value: Any, tables: dict[str, list[tuple[int, ...]]]) -> int | None:
        """The code of a dimshuffle pattern; what rules ask of a new one comes with it."""
        codes, moves = self.encoded.codes, self.moves
        if value not in moves:
            if len(moves) >= MOST_MOVES:
                return None
            moves.append(value)
            rows = move_rows(codes, *value) + move_calls(codes, self.encoded.axes, [value], moves, moves)
            rows += move_calls(codes, set(), moves[:-1], [value], moves)
            for name, *cells in dict.fromkeys(rows):
                tables.setdefault(name, []).append(tuple(cells))
        return pattern_code(codes, *value)
