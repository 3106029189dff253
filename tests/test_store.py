"""What is kept on disk: a second process compiles nothing, and nothing that was damaged is ever used."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import config, function, scan
from eqsat.cgen import Meta
from eqsat.cgen.ir.meta import ErrorText, Stage
from eqsat.cgen.runtime.build import find_compiler
from eqsat.cgen.runtime.record import NotExpressible, from_bytes, to_bytes
from eqsat.costs import CostModel
from eqsat.functions import store
from eqsat.graph.core import Apply, Op, one_line
from eqsat.graph.tensor_type import TensorType

ROOT = Path(__file__).resolve().parents[1]

PROGRAM = """
import json, warnings
warnings.simplefilter("error")
import numpy as np, eqsat, eqsat.tensor as T
x, w = T.dmatrix("x"), eqsat.shared(np.ones((3, 2)), "w")
cost = T.sum(T.tanh(T.dot(x, w))) + 1.0
f = eqsat.function([x], cost, updates=[(w, w - 0.1 * T.grad(cost, w))])
values = [float(f(np.eye(3))) for _ in range(3)]
print(json.dumps([f.executable.from_cache, sorted(f.seconds), values, f.report.nodes_after]))
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A compiler that can be taken away without any other change, and an empty cache."""
    compiler = tmp_path / "cc"
    compiler.write_text(
        f'#!/bin/sh\necho called >> {tmp_path}/calls\n[ -e {tmp_path}/hidden ] && exit 1\nexec {find_compiler()} "$@"\n'
    )
    compiler.chmod(0o700)
    return tmp_path


def started(place: Path) -> subprocess.Popen[str]:
    """The program in a process of its own."""
    flags = f"cache_dir={place / 'cache'},cc={place / 'cc'}"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EQSAT_FLAGS": flags}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def result(process: subprocess.Popen[str]) -> Any:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


def calls(place: Path) -> int:
    """How often the compiler was called."""
    return (place / "calls").read_text().count("called")


@pytest.mark.c
def test_a_second_process_compiles_nothing(place: Path) -> None:
    cached, stages, values, nodes = result(started(place))
    assert not cached and "e-graph" in stages and calls(place) == 3, (
        "the function, the launcher of all functions, and the products of matrices"
    )
    (place / "hidden").touch()
    again = result(started(place))
    assert again[0] and again[2:] == [values, nodes]
    assert "lookup" in again[1] and "e-graph" not in again[1] and "plan" not in again[1]
    assert calls(place) == 3


@pytest.mark.sweep
@pytest.mark.c
def test_many_processes_at_once(place: Path) -> None:
    found = [result(p) for p in [started(place) for _ in range(4)]]
    assert len({json.dumps(f[2]) for f in found}) == 1
    kept = sorted(p.suffix for p in (place / "cache").iterdir())
    assert kept == ["", ".graph", ".so", ".so", ".so"], (
        "nothing but the key beside them, and nothing half written"
    )


def make() -> Any:
    x = T.dvector("x")
    return function([x], T.exp(x) + 0.125)


def right(f: Any) -> bool:
    return bool(np.allclose(f([0.0, 1.0]), np.exp([0.0, 1.0]) + 0.125))


DAMAGE = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "text": lambda content: b"no pickle at all\n" * 10,
    "one-bit": lambda content: content[:-40] + bytes([content[-40] ^ 1]) + content[-39:],
    "another-pickle": lambda content: pickle.dumps(("int x;", None)),
}


@pytest.mark.c
@pytest.mark.parametrize("kind", sorted(DAMAGE))
def test_a_damaged_file_is_made_anew(kind: str, tmp_path: Path) -> None:
    with config.change_flags(cache_dir=str(tmp_path)):
        assert "e-graph" in make().seconds and "lookup" in make().seconds
        (file,) = tmp_path.glob("*.graph")
        content = file.read_bytes()
        file.write_bytes(DAMAGE[kind](content))
        f = make()
        assert "e-graph" in f.seconds and right(f)
        f = make()
        assert "lookup" in f.seconds and right(f), "it was mended"
        assert store.load(file.stem) is not None


@pytest.mark.c
def test_a_damaged_object_is_compiled_anew(tmp_path: Path) -> None:
    with config.change_flags(cache_dir=str(tmp_path)):
        make()
        for file in tmp_path.glob("*.so"):
            content = file.read_bytes()
            file.unlink()  # this process runs the old one, which must stay whole
            file.write_bytes(content[:100])
        f = make()
        assert right(f) and not f.executable.from_cache


@pytest.mark.c
def test_a_function_from_the_cache_still_explains_itself(tmp_path: Path) -> None:
    with config.change_flags(cache_dir=str(tmp_path)):
        first, second = make(), make()
    assert "lookup" in second.seconds
    assert second.report.rules == first.report.rules
    assert [str(v) for v in second.outputs_optimised] == [str(v) for v in first.outputs_optimised]
    assert second.c_source == first.c_source


@pytest.mark.c
def test_nothing_is_kept_where_the_cache_is_off(tmp_path: Path) -> None:
    with config.change_flags(cache_dir=str(tmp_path / "cache"), cache=False):
        assert right(make()) and "lookup" not in make().seconds
    assert not (tmp_path / "cache").exists()


def key(inputs: Any, outputs: Any, *choices: Any) -> str | None:
    return store.graph_key(inputs, outputs, choices)


@pytest.fixture
def one_place() -> Iterator[None]:
    """Variables of a test are all made at one line, which counts since errors show it."""
    with one_line("train.py:41"):
        yield


def test_the_key_depends_on_lines(one_place: None) -> None:
    x = T.dvector("x")
    here = key([x], [x + 1])
    assert here == key([x], [x + 1])
    with one_line("train.py:42"):
        assert key([x], [x + 1]) != here


def test_what_the_key_depends_on(one_place: None, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = (T.dvector(name) for name in "xy")
    base = key([x, y], [x + y * 2])
    assert base is not None and base == key([x, y], [x + y * 2])
    fixed = T.tensor("float64", (3,), "x")
    others = [
        key([y, x], [x + y * 2]),
        key([x, y], [x + y * 3]),
        key([x, y], [x + y * 2, x]),
        key([x, y], [x + y * -0.0]),
        key([x, y], [x + y * 0.0]),
        key([x, y], [x[1:] + y[1:] * 2]),
        key([x, y], [x[2:] + y[2:] * 2]),
        key([x, y], [x + y * np.array([2.0, 2.0])]),
        key([x, y], [x + y * np.array([2.0, 2.5])]),
        key([fixed, y], [fixed + y * 2]),
        key([x, y], [x + y * 2], "exact"),
    ]
    monkeypatch.setattr(store, "source_digest", lambda: "another version")
    others.append(key([x, y], [x + y * 2]))
    assert None not in others and len({base, *others}) == 1 + len(others)


def test_the_key_of_a_loop_depends_on_its_step(one_place: None) -> None:
    x, y = (T.dvector(name) for name in "xy")

    def loop(step: Any = lambda a, s: s * a, **more: Any) -> Any:
        return scan(step, x, T.constant(1.0), **more)[0]

    def nested(number: float) -> Any:
        return scan(lambda a: scan(lambda b: a * b + number, y)[0], x)[0]

    base = key([x], [loop()])
    assert base is not None and base == key([x], [loop()])
    assert key([x, y], [nested(1.0)]) == key([x, y], [nested(1.0)])
    others = [
        key([x], [loop(lambda a, s: s + a)]),
        key([x], [loop(lambda a, s: s * a * 2.0)]),
        key([x], [loop(go_backwards=True)]),
        key([x], [loop(truncate_gradient=2)]),
        key([x], [loop(n_steps=2)]),
        key([x, y], [nested(1.0)]),
        key([x, y], [nested(2.0)]),
    ]
    assert None not in others and len({base, *others}) == 1 + len(others)
    assert key([x], [loop(mode="numpy")]) is None


@pytest.mark.c
def test_a_loop_is_made_once(tmp_path: Path) -> None:
    with config.change_flags(cache_dir=str(tmp_path)), one_line("train.py:41"):
        made = []
        for _ in range(2):
            x = T.dmatrix("x")
            made.append(function([x], scan(lambda a, s: T.tanh(s + a), x, T.zeros(x.shape[1]))[0][-1]))
    rows = np.linspace(-1, 1, 12).reshape(4, 3)
    assert "e-graph" in made[0].seconds and "lookup" in made[1].seconds
    np.testing.assert_array_equal(made[0](rows), made[1](rows))
    assert "the loop" in str(made[1].report) or "scan" in str(made[1].report)


def test_a_graph_with_an_op_in_python_is_not_kept() -> None:
    class Twice(Op):
        def make_node(self, x: Any) -> Apply:
            return Apply(self, [x], [x.type()])

    x = T.dvector("x")
    assert key([x], [Twice()(x) + 1]) is None


def test_a_folder_that_cannot_be_used_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with config.change_flags(cache_dir=str(tmp_path / "file" / "cache")):
        assert "cannot be used: Not a directory" in str(store.save("k", "int x;", Meta()))
        assert store.load("k") is None
    with config.change_flags(cache_dir=str(tmp_path / "new" / "deep")):
        assert store.save("k", "int x;", Meta()) is None
        assert store.load("k") == ("int x;", Meta())
        assert (tmp_path / "new" / "deep").stat().st_mode & 0o077 == 0


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with config.change_flags(cache_dir=str(tmp_path)):
        assert "No space left on device" in str(store.save("k", "int x;", Meta()))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.c
def test_the_report_says_what_is_not_kept(tmp_path: Path, recwarn: Any) -> None:
    class Own(Op):
        __props__ = ()

        def make_node(self, x: Any) -> Apply:
            return Apply(self, [x], [x.type()])

        def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0] * 2

    class Dear(CostModel):
        def op_seconds(self, *arguments: Any) -> float:
            return 1.0

    x = T.dvector("x")
    deep = x
    for k in range(30):
        deep = T.log(T.exp(deep) * 2 + k)
    with config.change_flags(cache_dir=str(tmp_path)):
        assert make().report.not_kept is None and "takes as long" not in str(make().report)
        said = {
            "the op Own need not be the same": function([x], Own()(x)),
            "the cost model is of the user's own class": function([x], T.exp(x) + 1, model=Dear()),
        }
        with config.change_flags(egraph_seconds=1e-6):
            said["a limit of saturation was met"] = function([x], deep)
    for text, f in said.items():
        assert f"\n        the next process takes as long: {text}" in str(f.report)


def test_functions_are_data_and_come_back() -> None:
    arrays = [
        np.arange(6.0).reshape(2, 3).T,
        np.array(True),
        np.zeros((0, 3), "int8"),
        np.array([1 + 2j, np.nan]),
    ]
    meta = Meta(
        inputs=[TensorType("float32", shape=(None, 3)), None],
        outputs=["v1", "k0"],
        stages=[Stage("c", 0, ("i0",), ("v1",))],
        errors=[ErrorText("ShapeError", "a {0}", "b", None), ErrorText("MemoryError", "no\ud800")],
        operands={3: [("x", "f64[?]")]},
        constants=[*arrays, np.arange(3, dtype=">i4")],
        blas=[("gemm", "double")],
        segments=1,
        steps=4,
        openmp=True,
    )
    source, again = from_bytes(to_bytes("int \u00fc;", meta))
    assert source == "int \u00fc;"
    for a, b in zip(meta.constants, again.constants, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.shape == b.shape and b.dtype.isnative and a.dtype.name == b.dtype.name
    assert replace(meta, constants=[]) == replace(again, constants=[])
    whole = to_bytes("", meta)
    for damaged in (whole[:-1], whole + b"x", whole[8:], whole.replace(b"ShapeError", b"Path      ")):
        with pytest.raises((ValueError, KeyError, TypeError)):
            from_bytes(damaged)
    for constant in (np.array([None]), "text", np.array(["a"]), np.zeros(2, "M8[s]")):
        with pytest.raises(NotExpressible, match="a constant that is no array of numbers"):
            to_bytes("", Meta(constants=[constant]))
    with pytest.raises(NotExpressible, match="it runs ops in Python"):
        to_bytes("", Meta(opaque=1))
