"""A plugin of pytest: tests of the processor's functions run again with kernels on the emulated device.

``EQSAT_FLAGS`` names the target. A test that goes on to look at the text of C ends there: what it says is about the other target.
``EQSAT_TEXTS`` is a folder in which every device text is kept for ``test_corpus.py``, and ``EQSAT_BACKWARDS`` turns the order of threads.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest


def pytest_configure(config: pytest.Config) -> None:
    import eqsat.cgen.cuda.device as device
    import eqsat.cgen.cuda.source as source
    from eqsat.cgen.texts import device_text
    from eqsat.functions.function import Function

    Function.c_source = property(lambda f: pytest.skip("looks at the text of C"))  # type: ignore[assignment, method-assign]
    folder, backwards = os.environ.get("EQSAT_TEXTS"), bool(os.environ.get("EQSAT_BACKWARDS"))
    if folder:
        translate = source.translate

        def kept(*args: Any, **options: Any) -> Any:
            found = translate(*args, **options)
            text = device_text(found.source) or ""
            Path(folder, hashlib.sha256(text.encode()).hexdigest()[:24] + ".cu").write_text(text)
            return found

        source.translate = kept  # type: ignore[assignment]
    if backwards:
        opened = device.open_emulator
        device.open_emulator = lambda library: opened(library, backwards=True)  # type: ignore[assignment]
