"""Jobs by executors: none lost, none twice, errors that name the job, files of finished rows, preparation of workers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from eqsat.base import jobs
from eqsat.base.finished_rows import FinishedRows
from eqsat.base.jobs import Jobs, loaded
from eqsat.errors import ArgumentError, ShapeError, WorkerError
from eqsat.verify.sources import load_module

OWN = """
import os, pathlib, uuid
pathlib.Path(__file__).with_name(f"loaded-{os.getpid()}-{uuid.uuid4()}").touch()
def work(job):
    number, folder = job
    flag = pathlib.Path(folder, "killed")
    if number == 3 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), 9)
    pathlib.Path(folder, f"done-{number}-{os.getpid()}").touch()
    return number * number
"""


class Unreliable(Executor):
    """Runs calls at once; those that ``lose`` picks by their number are lost."""

    def __init__(self, lose: Callable[[int], bool]) -> None:
        self.lose, self.calls, self.running = lose, 0, 0

    def submit(self, fn: Any, /, *arguments: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls += 1
        if self.lose(self.calls):
            future.set_exception(BrokenExecutor("gone"))
        else:
            future.set_result(fn(*arguments))
        return future


def square(number: int) -> int:
    if number == 13:
        raise ShapeError("thirteen", needs="another number")
    return number * number


def forget(number: int) -> int:
    jobs._works.clear()
    return number


@pytest.mark.parametrize("lose", [lambda k: False, lambda k: k % 4 == 1, lambda k: k <= 3, lambda k: k == 10])
def test_a_job_that_was_lost_is_sent_again(lose: Callable[[int], bool]) -> None:
    found = list(Jobs(square).run(range(10), Unreliable(lose)))
    assert sorted(found) == [(k, k * k) for k in range(10)]


def test_the_error_names_the_job_that_ends_its_workers() -> None:
    class Poisoned(Unreliable):
        def submit(self, fn: Any, /, *arguments: Any, **keywords: Any) -> Future[Any]:
            self.lose = lambda _: jobs.pickle.loads(arguments[2]) == 7
            return super().submit(fn, *arguments)

    found = []
    with pytest.raises(WorkerError, match=r"number 7: its worker was lost 3 times, .*BrokenExecutor: gone"):
        for job, _ in Jobs(square, name=lambda k: f"number {k}").run(range(10), Poisoned(lambda _: False)):
            found.append(job)
    assert found == [k for k in range(10) if k != 7]


def test_work_is_sent_again_to_a_worker_that_does_not_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "SMALL", 0)
    calls = Unreliable(lambda k: False)
    assert [answer for _, answer in Jobs(square).run(range(5), calls)] == [0, 1, 4, 9, 16]
    assert calls.calls < 10
    calls = Unreliable(lambda k: False)
    assert sorted(answer for _, answer in Jobs(forget).run(range(5), calls)) == [0, 1, 2, 3, 4]


def test_an_error_of_the_work_is_raised_with_the_job_and_the_place() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ShapeError, match="thirteen") as raised:
        list(Jobs(square, name=lambda k: f"number {k}").run([1, 13], pool))
    notes = "\n".join(raised.value.__notes__)
    assert "The job is number 13." in notes and "in square" in notes
    assert raised.value.needs == "another number"


def test_work_that_cannot_be_sent_is_refused() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ArgumentError, match="the work cannot be sent"):
        list(Jobs(lambda k: k).run([1], pool))
    with ThreadPoolExecutor(1) as pool, pytest.raises(ArgumentError, match="cannot be sent to workers"):
        list(Jobs(square).run([threading.Lock()], pool))


@pytest.mark.parametrize(
    "name", ["processes:0", "processes:99999999999", "processes:two", "dask", "dask:", "ray:x", ""]
)
def test_a_text_that_names_no_executor_is_refused(name: str) -> None:
    with pytest.raises(ArgumentError, match="processes:N, dask:ADDRESS"):
        list(Jobs(square).run([1], name))


def test_what_is_no_executor_is_refused() -> None:
    with pytest.raises(ArgumentError, match="executor=3 is no executor"):
        list(Jobs(square).run([1], 3))


def pool() -> ProcessPoolExecutor:
    """A user's own, which is broken when a worker is killed."""
    return ProcessPoolExecutor(2, get_context("spawn"))


@pytest.mark.parametrize("start", [lambda: "processes:2", pytest.param(pool, marks=pytest.mark.sweep)])
def test_a_worker_that_is_killed_loses_nothing(start: Callable[[], Any], tmp_path: Path) -> None:
    path = tmp_path / "own_jobs.py"
    path.write_text(OWN)
    work = load_module(str(path)).work
    given = [(k, str(tmp_path)) for k in range(8)]
    rows = tmp_path / "rows.jsonl"
    asked = Jobs(work, key=lambda job: str(job[0]), prepare=loaded(load_module, [str(path)]))
    found = [(job[0], answer) for job, answer in asked.run(given, start(), rows)]
    assert (tmp_path / "killed").exists()
    loads = [p.name.split("-")[1] for p in tmp_path.glob("loaded-*")]
    assert len(loads) == len(set(loads)) in (3, 4, 5)  # once in each worker and here
    assert sorted(found) == [(k, k * k) for k in range(8)]
    keys = [json.loads(line)["key"] for line in rows.read_text().splitlines()[1:]]
    assert sorted(keys) == [str(k) for k in range(8)]
    again = asked.run(given, None, rows)  # nothing is done: the work would make more files
    before = len(list(tmp_path.iterdir()))
    assert sorted((job[0], answer) for job, answer in again) == sorted(found)
    assert len(list(tmp_path.iterdir())) == before


def test_finished_rows_are_not_done_again(tmp_path: Path) -> None:
    done: list[int] = []

    def work(number: int) -> int:
        done.append(number)
        return number * number

    path = tmp_path / "rows"
    asked = Jobs(work, about={"power": 2})
    assert len(list(asked.run([1, 2], None, path))) == 2
    assert list(asked.run([3, 2, 1, 4], None, path)) == [(3, 9), (2, 4), (1, 1), (4, 16)]
    assert done == [1, 2, 3, 4]
    list(asked.run([1, 2, 3, 4], None, path))
    assert done == [1, 2, 3, 4]


def test_a_row_that_is_cut_short_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    list(Jobs(square).run(range(3), None, path))
    content = path.read_bytes()
    path.write_bytes(content[:-5])
    assert list(Jobs(square).run(range(3), None, path)) == [(0, 0), (1, 1), (2, 4)]
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"about": {"power": 3}}\n', "power is 3 there and 2 here"),
        ('{"about": {}}\n', "power is None there and 2 here"),
        ("name,value\n", "line 1 is b'name,value'"),
        ("a text", "line 1 is b'a text'"),
        ('{"about": {}}\n{"key": "a', "power is None there"),
        ('{"about": {"power": 2}}\n{"key": "a"}\n', "line 2 is"),
        ('{"about": {"power": 2}}\n{"row": 2}\n', "line 2 is"),
        ('{"about": {"power": 2}}\n3\n', "line 2 is b'3'"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "rows"
    path.write_text(content)
    with pytest.raises(ArgumentError) as raised, FinishedRows(path, {"power": 2}):
        pass
    assert said in str(raised.value) and path.read_text() == content


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    with (
        FinishedRows(tmp_path / "rows", {}),
        pytest.raises(ArgumentError, match="is written by another run"),
        FinishedRows(tmp_path / "rows", {}),
    ):
        pass


def test_a_folder_is_no_file_of_rows(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="cannot be written"), FinishedRows(tmp_path, {}):
        pass


def test_jobs_are_asked_for_as_there_is_room() -> None:
    asked: list[int] = []

    def many() -> Any:
        k = 0
        while True:
            asked.append(k)
            yield k
            k += 1

    with ThreadPoolExecutor(2) as pool:
        run = Jobs(square).run(many(), pool, most=2)
        assert len({next(run)[0] for _ in range(5)}) == 5
        run.close()
    assert len(asked) <= 8
