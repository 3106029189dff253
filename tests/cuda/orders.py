"""Functions on the emulated device with the threads of a block in both orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eqsat.base.configuration import config
from eqsat.cgen import Tools, find_compiler
from eqsat.cgen.cuda.device import open_device


@contextmanager
def backwards() -> Iterator[None]:
    """Threads and blocks run from the last to the first."""
    compiler = find_compiler()
    assert compiler is not None
    with config.change_flags(cuda_device="emulated"):
        library = open_device(Tools(compiler, config.cache_dir, False)).library
    library.eq_emulate(1, 1)
    try:
        yield
    finally:
        library.eq_emulate(0, 1)


def in_both_orders(f: Any, values: Sequence[Any]) -> list[Any]:
    """Results of a function with several outputs, whose bits do not depend on the order of threads."""
    found = f(*values)
    with backwards():
        turned = f(*values)
    for k, (one, other) in enumerate(zip(found, turned, strict=True)):
        assert one.tobytes() == other.tobytes(), (
            f"output {k} depends on the order of threads:\n{one}\n{other}"
        )
    return list(found)
