"""Every source file keeps what the checks of its text ask; each file is parsed once for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests import test_c_text, test_docstrings, test_egglog_text, test_one_home, test_rooms
from tests.source import Source

ROOT = Path(__file__).resolve().parent.parent / "eqsat"
FILES = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.rglob("*.py"))}
CHECKS: dict[str, Callable[[Source], list[str]]] = {
    "imports point one way": test_rooms.violations,
    "no docstring is a question": test_docstrings.questions,
    "only the room of the e-graph writes egglog": test_egglog_text.egglog_outside,
    "no C outside cgen": test_c_text.c_outside,
    "nothing but declarations is keyed by the names of ops": test_one_home.keyed,
}


class Found:
    """What the checks find, the rooms that each room imports, and the names of the tables of ops, by file."""

    def __init__(self) -> None:
        self.wrong: dict[str, list[str]] = {check: [] for check in CHECKS}
        self.used: dict[str, set[str]] = {room: set() for room in test_rooms.ROOMS}
        self.tables: set[tuple[str, str]] = set()
        for relative, path in FILES.items():
            source = Source(path.read_text(encoding="utf-8"), relative)
            for check, look in CHECKS.items():
                self.wrong[check] += [f"{relative}:{what}" for what in look(source)]
            if room := test_rooms.room_of(relative):
                self.used[room] |= test_rooms.rooms_imported(source)
            if not relative.startswith(test_one_home.DECLARE):
                self.tables |= {(relative, given) for given, _, _ in test_one_home.literals(source)}


@cache
def found() -> Found:
    return Found()


@pytest.mark.parametrize("check", CHECKS)
def test_every_file_keeps(check: str) -> None:
    assert found().wrong[check] == []


def test_the_table_of_rooms_says_no_more_than_is_imported() -> None:
    for room in set(test_rooms.ROOMS) - set(test_rooms.ABOVE_THE_FACADE):
        assert test_rooms.ROOMS[room] <= found().used[room] | {"base"}, room


def test_every_table_of_ops_that_is_excused_is_there() -> None:
    assert set(test_one_home.TABLES) <= found().tables and len(test_one_home.TABLES) <= 10
