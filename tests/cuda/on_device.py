"""A plugin of pytest: tests of the processor's functions run again with kernels on the emulated device.

``EQSAT_FLAGS`` names the target. A test that goes on to look at the text of C ends there: what it says is about the other target.
``EQSAT_HOST`` is a file to which the names of steps that run on the host are added.
``EQSAT_GPU`` puts the GPU of this machine in the place of the emulated device.
``EQSAT_TEXTS`` is a folder in which every device text is kept for ``test_corpus.py``, and ``EQSAT_BACKWARDS`` turns the order of threads.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

# names of tests about the program in C: its threads, and its memory
ABOUT_C = (
    "no_loop_runs",
    "bits_do_not_depend_on_threads",
    "threads_do_not_change_a_bit",
    "threads_are_started",
    "a_forked_child_starts_threads",
    "an_update_takes_the_memory",
    "who_holds_the_value",
    "a_call_that_fails_has_changed_nothing",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left = [item for item in items if any(name in item.name for name in ABOUT_C)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def pytest_configure(config: pytest.Config) -> None:
    import eqsat.cgen.cuda.device as device
    import eqsat.cgen.cuda.source as source
    from eqsat.cgen.texts import device_text
    from eqsat.functions.function import Function

    Function.c_source = property(lambda f: pytest.skip("looks at the text of C"))  # type: ignore[assignment, method-assign]
    if os.environ.get("EQSAT_HOST"):
        _list_host_steps(Path(os.environ["EQSAT_HOST"]))
    folder, backwards = os.environ.get("EQSAT_TEXTS"), bool(os.environ.get("EQSAT_BACKWARDS"))
    if folder:
        translate = source.translate

        def kept(*args: Any, **options: Any) -> Any:
            found = translate(*args, **options)
            text = device_text(found.source) or ""
            Path(folder, hashlib.sha256(text.encode()).hexdigest()[:24] + ".cu").write_text(text)
            return found

        source.translate = kept  # type: ignore[assignment]
    if os.environ.get("EQSAT_GPU"):
        device.EmulatedDevice = lambda tools: device.GpuDevice(tools, 0)  # type: ignore[assignment, misc]
    if backwards:
        opened = device.open_emulator
        device.open_emulator = lambda library: opened(library, backwards=True)  # type: ignore[assignment]


def _list_host_steps(path: Path) -> None:
    from eqsat.cgen.cuda.unit import DeviceUnit

    finish = DeviceUnit.finish

    def listed(unit: DeviceUnit, tables: Any) -> Any:
        with path.open("a") as file:
            file.writelines(f"{name}\n" for name in unit.on_host)
        return finish(unit, tables)

    DeviceUnit.finish = listed  # type: ignore[method-assign, assignment]
