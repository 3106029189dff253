"""The work of a search: tasks that an executor does, and answers that a journal on disk keeps, so that a search goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from eqsat.errors import ArgumentError

Found = TypeVar("Found")
Key = Sequence[str]


class Journal:
    """Answers by keys in a file of one search, a line of JSON for each; what was cut off at the end is not read."""

    def __init__(self, folder: Any, search: Key) -> None:
        self.path = None if folder is None else Path(folder) / f"discover-{digest(search)[:16]}.jsonl"
        self.known: dict[str, Any] = {}
        if self.path is not None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.known = dict(read(self.path))
                self.path.touch()
            except OSError as error:
                raise ArgumentError(f"discover: {folder} cannot be written: {error.strerror}") from error

    def put(self, key: str, answer: Any) -> None:
        """Keep an answer."""
        self.known[key] = answer
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, answer]) + "\n")


def read(path: Path) -> Iterator[tuple[str, Any]]:
    """The answers of a file, if it is there."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            key, answer = json.loads(line)
        except ValueError:  # a search was ended while it wrote
            continue
        yield key, answer


class Work:
    """Tasks done one after the other, or by an executor; the answers come in the order of the tasks, whoever does them."""

    def __init__(self, journal: Journal, executor: Executor | None = None) -> None:
        self.journal, self.executor = journal, executor

    def each(
        self, kind: Callable[..., Found], function: Callable[[Any], Any], tasks: Iterable[tuple[Key, Any]]
    ) -> list[Found]:
        """The answers of a function of tasks, each of which has a key; an answer is a flat value of a class ``kind``."""
        keyed = [(digest((function.__name__, *key)), task) for key, task in tasks]
        new = {key: task for key, task in keyed if key not in self.journal.known}
        mapped = map if self.executor is None else self.executor.map
        for key, answer in zip(new, mapped(function, new.values()), strict=True):
            self.journal.put(key, asdict(answer))
        return [kind(**self.journal.known[key]) for key, _ in keyed]


def digest(words: Key) -> str:
    """A short text that tells lists of texts apart."""
    return sha256("\0".join(words).encode()).hexdigest()
