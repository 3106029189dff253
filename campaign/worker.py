"""Runs the trials of one part, seed after seed, and prints each as a line of JSON; started by the driver."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import itertools
import json
import os
import resource
import sys
import time
import traceback
from typing import Any, TextIO

from campaign import check
from campaign.children import end_with_parent
from campaign.trial import Finding, Trial

MOST_BYTES = 4 * 2**30  # of addresses; a trial that asks for more gets a MemoryError, or ends
MEGABYTES = 3000  # of memory; a worker that holds more ends, and another one goes on


def main(part: str, start: int, step: int, stop: int | None) -> None:
    """Try the seeds start, start + step, ... below stop."""
    end_with_parent()
    module = importlib.import_module(f"campaign.parts.{part}")
    start_again(getattr(module, "environment", dict)())
    faulthandler.enable()
    if not hasattr(module, "environment"):  # what is sanitized reserves more than there is
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what eqsat or a test prints is no line of the protocol
    seeds = itertools.count(start, step) if stop is None else range(start, stop, step)
    for seed in seeds:
        say(channel, {"seed": seed, "begins": True})
        begin = time.perf_counter()
        result = one(module, part, seed)
        say(channel, {"seed": seed, "seconds": time.perf_counter() - begin, **result.as_data()})
        if memory() > MEGABYTES:
            break
    channel.close()


def start_again(wanted: dict[str, str]) -> None:
    """Start this process again where its part asks for variables of the environment that it lacks."""
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        command = [sys.executable, "-m", "campaign.worker", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **wanted})


def one(module: Any, part: str, seed: int) -> Trial:
    """A trial; an error of the campaign's own is a finding too."""
    check.REFUSED.clear()
    try:
        result: Trial = module.trial(seed)
        if check.REFUSED:
            result.count("e-graphs refused", len(check.REFUSED))
        return result
    except Exception as error:
        text = "".join(traceback.format_exception(error)[-8:])
        place = traceback.extract_tb(error.__traceback__)[-1]
        key = f"trial {type(error).__name__} {os.path.basename(place.filename)}:{place.lineno}"
        return Trial(1, 1, {"broken trials": 1}, [Finding(key, f"the trial ends in {error!r}"[:400], text)])


def say(channel: TextIO, data: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        channel.write(json.dumps(data) + "\n")
        channel.flush()


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    name, first, step, last = sys.argv[1:]
    main(name, int(first), int(step), int(last) if last else None)
