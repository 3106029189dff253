"""Runs parts by turns in processes of their own, for some hours or some seeds, and keeps a report up to date."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from campaign.report import Report
from campaign.trial import Finding, Trial
from eqsat.base.jobs import Jobs

SLICE = 300.0  # seconds of a turn
PATIENCE = 600.0  # seconds that one seed may take
CHUNK = 10  # seeds that a worker of an executor tries at a time
ROOT = Path(__file__).resolve().parent.parent


def part_names() -> list[str]:
    """The parts, by the files that are there."""
    return sorted(p.stem for p in (ROOT / "campaign" / "parts").glob("*.py") if p.stem != "__init__")


@dataclass
class Line:
    """The seeds of one part that one worker tries: every ``step``-th, from ``seed`` to below ``stop``."""

    part: str
    seed: int
    step: int
    stop: int | None
    worker: subprocess.Popen[str] | None = None
    said: queue.Queue[str | None] = field(default_factory=queue.Queue)

    @property
    def done(self) -> bool:
        return self.stop is not None and self.seed >= self.stop

    def start(self) -> None:
        command = [sys.executable, "-m", "campaign.worker", self.part, str(self.seed), str(self.step)]
        command.append("" if self.stop is None else str(self.stop))
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed with the worker
        self.worker = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=self.errors, text=True, start_new_session=True,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"},
        )  # fmt: skip
        self.said = queue.Queue()
        threading.Thread(target=read, args=(self.worker.stdout, self.said), daemon=True).start()

    def end(self) -> str:
        """Stop the worker with all that it started; what it wrote to its standard error."""
        if self.worker is None:
            return ""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.worker.pid, signal.SIGKILL)
        self.worker.wait()
        self.errors.seek(0)
        text = self.errors.read()[-3000:]
        self.errors.close()
        self.worker = None
        return text

    def run(self, until: float) -> Iterator[tuple[int, Trial]]:
        """Trials until a time, as they end; a worker that dies or hangs gives a failed one."""
        if self.worker is None:
            self.start()
        while time.monotonic() < until and not self.done:
            try:
                text = self.said.get(timeout=PATIENCE)
            except queue.Empty:
                yield self.lost(f"no answer in {PATIENCE:.0f} s")
                continue
            if text is None:
                code = self.worker.wait() if self.worker else 0
                if code:
                    yield self.lost(f"the process ended with {code}")
                else:
                    self.end()
                    if not self.done:
                        self.start()
                continue
            data = json.loads(text)
            if "begins" not in data:
                self.seed = data["seed"] + self.step
                yield data["seed"], Trial.of_data(data)

    def lost(self, why: str) -> tuple[int, Trial]:
        """The finding of a worker that is gone; the next one goes on with the next seed."""
        seed, errors = self.seed, self.end()
        self.seed += self.step
        if not self.done:
            self.start()
        key = f"process {why} " + next((ln for ln in errors.splitlines() if "File" in ln), "")
        python = f"from campaign.parts import {self.part}\n{self.part}.trial({seed})"
        return seed, Trial(1, 1, {"processes lost": 1}, [Finding(key, f"{why}: {errors[-1500:]}", python)])


def read(stream: Any, said: queue.Queue[str | None]) -> None:
    for text in stream:
        said.put(text)
    said.put(None)


def campaign(
    parts: list[str], seeds: tuple[int, int | None], seconds: float, jobs: int, report: Report
) -> None:
    """Run parts by turns until the time is up or every seed was tried."""
    end = time.monotonic() + seconds
    slice_ = min(SLICE, seconds / len(parts))
    first, stop = seeds
    threads = []
    for job in range(jobs):
        lines = [Line(part, first + job, jobs, stop) for part in parts]
        lines = lines[job % len(lines) :] + lines[: job % len(lines)]
        threads.append(threading.Thread(target=turns, args=(lines, end, slice_, report)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    report.write()


@dataclass(frozen=True)
class Chunk:
    """Some seeds of a part, which one worker tries one after the other."""

    part: str
    seeds: range

    def __str__(self) -> str:
        return f"{self.part} {self.seeds.start}:{self.seeds.stop}"


def tried(chunk: Chunk, end: float) -> dict[str, Any]:
    """The trials of a chunk with their seconds, in a process of their own beside the worker; those before a time of the clock."""
    line, found = Line(chunk.part, chunk.seeds.start, 1, chunk.seeds.stop), []
    begin = time.monotonic()
    try:
        for seed, trial in line.run(begin + end - time.time()):
            now = time.monotonic()
            found.append((seed, trial.as_data(), now - begin))
            begin = now
    finally:
        line.end()
    return {"whole": len(found) == len(chunk.seeds), "trials": found}


def by_workers(
    parts: list[str],
    seeds: tuple[int, int | None],
    seconds: float,
    report: Report,
    executor: Any,
    resume: str | None,
) -> None:
    """Try chunks of every part by turns, with the workers of an executor, until the time is up or every seed was tried."""
    end = time.time() + seconds
    jobs = Jobs(
        partial(tried, end=end),
        about={"campaign": CHUNK},
        row=lambda answer: answer if answer["whole"] else None,
    )
    for chunk, answer in jobs.run(chunks(parts, seeds, end), executor, resume):
        for seed, data, took in answer["trials"]:
            trial = Trial.of_data(data)
            findings = [replace(f, seed=seed, part=chunk.part) for f in trial.findings]
            report.add(chunk.part, replace(trial, findings=findings), took, seed)
    report.write()


def chunks(parts: list[str], seeds: tuple[int, int | None], end: float) -> Iterator[Chunk]:
    """The chunks of all parts, as they are asked for before the time is up."""
    first, stop = seeds
    for start in itertools.count(first, CHUNK):
        if stop is not None and start >= stop:
            return
        seeds_of = range(start, start + CHUNK if stop is None else min(stop, start + CHUNK))
        for part in parts:
            if time.time() >= end:
                return
            yield Chunk(part, seeds_of)


def turns(lines: list[Line], end: float, slice_: float, report: Report) -> None:
    """Give every line a slice of time after the other."""
    try:
        while time.monotonic() < end and not all(line.done for line in lines):
            for line in lines:
                begin = time.monotonic()
                for seed, trial in line.run(min(end, begin + slice_)):
                    now = time.monotonic()
                    found = [replace(f, seed=seed, part=line.part) for f in trial.findings]
                    report.add(line.part, replace(trial, findings=found), now - begin, seed)
                    begin = now
                if len(lines) > 1:
                    line.end()
    finally:
        for line in lines:
            line.end()
