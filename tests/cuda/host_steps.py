"""A command that prints which steps still run on the host with ``target="cuda"``, for all declared ops that work on arrays.

``python tests/cuda/host_steps.py`` compiles each with its gradient; ``python tests/cuda/host_steps.py FILE ...`` counts the
functions with such steps in files of tests, which it runs on the emulated device.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def cases() -> Iterator[tuple[str, list[Any], list[Any], list[Any]]]:
    """Names, inputs, results with their gradients, and values, for every declared op that works on arrays."""
    from eqsat.graph.tensor_type import TensorType
    from eqsat.verify.op_promises import drawn_operands
    from tests.graph import test_every_op as declared

    rng = np.random.default_rng(3)
    for name, built in declared.CASES.items():
        for number, (build, shapes) in enumerate(built):
            inputs = declared._inputs(*shapes)
            values = [rng.normal(size=s) for s in shapes]
            yield f"{name}-{number}", inputs, _with_gradient(inputs, declared._listed(build(*inputs))), values
    for d in declared.STRUCTURAL:
        for number, op in enumerate([] if d.name in declared.CASES else declared.with_parameters(d)):
            values = drawn_operands(op, rng)
            inputs = [TensorType(v.dtype.name, shape=(None,) * v.ndim)() for v in values]
            yield f"{d.name}-{number}", inputs, declared._listed(op(*inputs)), values


def _with_gradient(inputs: list[Any], results: list[Any]) -> list[Any]:
    import eqsat.tensor as T

    cost = sum((r * np.cos(k + 1)).sum() for k, r in enumerate(results) if r.dtype != "bool")
    return [*results, *T.grad(cost * cost, inputs, disconnected_inputs="ignore")]


def steps_of(inputs: list[Any], outputs: list[Any]) -> tuple[Any, list[str]]:
    """A function for the emulated device, and the names of its steps that the host runs."""
    import eqsat
    from eqsat.cgen.cuda.unit import DeviceUnit

    found: list[str] = []
    finish = DeviceUnit.finish

    def listed(unit: DeviceUnit, tables: Any) -> Any:
        found.extend(unit.on_host)
        return finish(unit, tables)

    DeviceUnit.finish = listed  # type: ignore[method-assign, assignment]
    try:
        with eqsat.config.change_flags(cuda_device="emulated", cache=False):
            return eqsat.function(inputs, outputs, target="cuda", on_unused_input="ignore"), found
    finally:
        DeviceUnit.finish = finish  # type: ignore[method-assign, assignment]


def of_tests(files: list[str], folder: Path) -> Counter[str]:
    """The names of steps that the host runs, with the number of functions in some tests that have them."""
    path = folder / "host"
    path.touch()
    flags = f"cache_dir={folder / 'cache'},target=cuda,cuda_device=emulated"
    environment = {**os.environ, "EQSAT_FLAGS": flags, "EQSAT_HOST": str(path)}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "tests/cuda")])
    words = ["-q", "-p", "on_device", "-p", "no:cacheprovider", "-m", "not sweep", *files]
    subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, env=environment, check=False)
    return Counter(path.read_text().split("\n")[:-1])


def main() -> None:
    """Print the list."""
    if sys.argv[1:]:
        with tempfile.TemporaryDirectory() as made:
            for name, count in sorted(of_tests(sys.argv[1:], Path(made)).items()):
                print(f"{count:5} {name}")
        return
    for name, inputs, outputs, _ in cases():
        if found := steps_of(inputs, outputs)[1]:
            print(f"{name:24} {', '.join(dict.fromkeys(found))}", flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
