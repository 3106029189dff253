"""Prints a digest of the C text of some programs, as compiled in this process; nothing is compiled."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import eqsat
import eqsat.cgen.runtime.call as module
from eqsat.cgen import CompilerError

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "examples"), str(ROOT)]
TEXTS: list[str] = []


def record(source: str, *rest: Any) -> Any:
    """In place of the C compiler: keep the text and refuse it."""
    TEXTS.append(source)
    raise CompilerError([], "only the text is wanted")


def digits() -> None:
    """The training step of the digits, and the classifier."""
    from digits import build

    build((np.zeros((40, 64), "float32"), np.zeros(40, "int32")))


def gru() -> None:
    """The gradient of a loop."""
    from recurrent.in_eqsat import build
    from recurrent.rows import ROWS, small

    build(small(ROWS["gru-grad"]))


def transformer() -> None:
    """Forward and gradient of one block."""
    from transformer import Size, build

    size = Size(layers=1)
    build(size, size.parameters())


def random() -> None:
    """Ten graphs of several outputs."""
    from campaign.matrices import grow

    for seed in range(10):
        inputs, _, outputs = grow(seed)
        eqsat.function(inputs, outputs, on_unused_input="ignore")


def main(names: list[str]) -> None:
    """Write the digests of the programs that are asked for."""
    module.build = record  # type: ignore[attr-defined]
    eqsat.config.cache = False
    for name in names:
        globals()[name]()
    print(json.dumps([hashlib.sha256(text.encode()).hexdigest() for text in TEXTS]))


if __name__ == "__main__":
    main(sys.argv[1:])
