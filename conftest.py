"""The examples of docs/reference run in the reference mode: hundreds of small functions need no C compiler."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

collect_ignore_glob = [  # what is about libraries that are not installed
    files
    for library, files in (
        ("pytensor", "eqsat/bridges/pytensor/*"),
        ("nutpie", "eqsat/bridges/pytensor/nutpie.py"),
        ("jax", "eqsat/bridges/jax/*"),
        ("onnx", "eqsat/bridges/onnx/*"),
        ("torch", "eqsat/bridges/torch/*"),
        ("distributed", "docs/scale.md"),
    )
    if find_spec(library) is None
]
REFERENCE = Path(__file__).resolve().parent / "docs" / "reference"


@pytest.fixture(autouse=True)
def _mode_of_examples(request: Any) -> Iterator[None]:
    """The mode of examples in generated pages; other tests keep the default."""
    if Path(request.node.path).parent != REFERENCE:
        yield
        return
    from eqsat import config  # not before tests/conftest.py has set the flags, which are read on import

    with config.change_flags(mode="reference"):
        yield
