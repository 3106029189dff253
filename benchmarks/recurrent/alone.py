"""``alone.py ROW LIBRARY [small]``: seconds of the import and of the first call, and the memory of one library."""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main() -> None:
    """Print what is found as JSON. The first call is everything from the model's text to its values."""
    from common.memory import peak
    from recurrent.rows import ROWS, small

    row = small(ROWS[sys.argv[1]]) if "small" in sys.argv else ROWS[sys.argv[1]]
    begin = time.perf_counter()
    library = importlib.import_module(f"recurrent.in_{sys.argv[2]}")
    imported, before = time.perf_counter(), peak()
    given = library.given(row.data())
    ready = time.perf_counter()
    compiled = library.build(row)
    compiled(*given)
    end = time.perf_counter()
    compiled(*given)
    print(json.dumps({"import": imported - begin, "first": end - ready, "memory": peak() - before}))


if __name__ == "__main__":
    main()
