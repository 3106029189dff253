"""What every test stands on: a cache of its own, warnings that may be said again, and the four modes."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest

_OWN: list[str] = []  # the cache folder, where this process made it


def _share_cache() -> None:
    """One cache folder for the session: set here and, by the environment, in every process that tests start."""
    flags = os.environ.get("EQSAT_FLAGS", "")
    if "eqsat-tests-" not in flags:
        _OWN.append(tempfile.mkdtemp(prefix="eqsat-tests-"))
        os.environ["EQSAT_FLAGS"] = ",".join(filter(None, [flags, f"cache_dir={_OWN[0]}"]))


_share_cache()

from eqsat import config  # noqa: E402  the flags are read on import
from eqsat.base.configuration import FLAGS  # noqa: E402
from eqsat.base.notices import forget_warnings  # noqa: E402
from eqsat.cgen.runtime.build import find_compiler  # noqa: E402
from eqsat.egraph import scheduler  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from seed_report import SeedReport  # noqa: E402

# budgets end by work that is counted, so that what is tested does not depend on the machine
scheduler.PATIENCE = 100


def pytest_addoption(parser: Any) -> None:
    """``--seed-report`` says which rows of the specification pass, ``--update-golden`` rewrites tests/cgen/golden."""
    parser.addoption(
        "--seed-report", action="store_true", help="count the rows of the specification that pass"
    )
    parser.addoption(
        "--update-golden", action="store_true", help="accept the C texts that differ from tests/cgen/golden"
    )


def pytest_configure(config: Any) -> None:
    """Without a compiler most functions would warn, each in its own test; test_fallbacks.py looks at that."""
    if config.getoption("--seed-report"):
        config.pluginmanager.register(SeedReport())
    if find_compiler() is None:
        config.addinivalue_line("filterwarnings", "ignore:no C compiler was found:eqsat.errors.EqsatWarning")


def pytest_collectstart() -> None:
    """Almost nothing that is made while tests are collected is garbage, and to look for it took a quarter of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What is there now stays for the session, so that no later search for garbage passes through it."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Remove the cache folder with the process that made it."""
    while _OWN:
        shutil.rmtree(_OWN.pop(), ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave to the sweeps what runs in FAST_RUN too (mode numpy takes the same e-graph), and the cases beyond a sample."""
    names = {item.nodeid for item in items}
    cases: dict[str, list[Any]] = {}
    for item in items:
        start, bracket, values = item.nodeid.partition("[")
        twin = start + bracket + values.replace("numpy", "FAST_RUN")
        if twin != item.nodeid and twin in names:
            item.add_marker(pytest.mark.sweep)
        elif (sampled := item.get_closest_marker("sampled")) is not None:
            cases.setdefault(start, []).append((sampled.args[0], item))
    for several in cases.values():
        count, total = several[0][0], len(several)
        kept = {k * total // count for k in range(count)}
        for k, (_, item) in enumerate(several):
            if k not in kept:
                item.add_marker(pytest.mark.sweep)


def pytest_runtest_setup(item: Any) -> None:
    """Tests of generated C are skipped where nothing can compile it."""
    if item.get_closest_marker("c") and find_compiler() is None:
        pytest.skip("no C compiler on the PATH (config.cc, gcc, clang, cc)")


@pytest.fixture(autouse=True)
def _fresh_notices() -> Iterator[None]:
    """Each test may hear every warning once, and leaves the flags as they were."""
    forget_warnings()
    before = {name: getattr(config, name) for name in FLAGS}
    yield
    for name, value in before.items():
        setattr(config, name, value)


@pytest.fixture(params=["reference", "numpy", "FAST_COMPILE", "FAST_RUN"])
def mode(request: Any) -> str:
    """Each of the four modes; without a C compiler the last two run in NumPy and must give the same."""
    return str(request.param)


@pytest.fixture(params=["reference", "numpy", "FAST_RUN"])
def seed_mode(request: Any) -> str:
    """The modes in which a row of the specification must hold: as written, rewritten without a compiler, default."""
    return str(request.param)


@pytest.fixture
def growth() -> Callable[..., float]:
    """Megabytes by which a call takes the memory of the process above what it holds before.

    What earlier tests freed is given back first: a stack that fits into it would not show.
    """
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("the peak of the memory cannot be set back here")

    def measured(f: Callable[..., Any], *arguments: Any) -> float:
        getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)(0)
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
        before = _megabytes("VmRSS")
        f(*arguments)
        return _megabytes("VmHWM") - before

    return measured


def _megabytes(name: str) -> float:
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(f"{name}:")) / 1024
