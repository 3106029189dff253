"""The compiler and the cache: hits, damage, many processes, directories that cannot be used, errors."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import config
from eqsat.base.private_folder import private_folder
from eqsat.cgen import CompiledPlan, CompilerError, Tools, compile_plan, find_compiler, translate
from eqsat.cgen.runtime import build
from eqsat.cgen.runtime.linking import USUAL, link_options
from eqsat.cgen.runtime.record import from_bytes, to_bytes
from eqsat.errors import EqsatWarning
from eqsat.graph.plan import Plan, plan_as_written
from eqsat.graph.walk import toposort


def written(inputs: Sequence[Any], outputs: Sequence[Any]) -> Plan:
    return plan_as_written(inputs, outputs, toposort(outputs))


@pytest.mark.c
@pytest.mark.skipif(shutil.which("objdump") is None, reason="no disassembler")
def test_wide_registers_are_clean_where_other_code_is_called(folder: str) -> None:
    """Functions that know nothing of wide registers wait for dirty ones, libm's scalar ones in the middle of a kernel."""
    x = T.dvector("x")
    plan = written([x], [T.gammaln(x * 2 + 1).sum() + T.exp(x).sum()])
    compiled = compile_plan(plan, Tools(find_compiler(), folder, True))
    assert isinstance(compiled, CompiledPlan)
    objects = [*Path(folder).rglob("*.so")]
    text = "".join(subprocess.check_output(["objdump", "-d", str(o)], text=True) for o in objects)
    assert objects and ("vzeroupper" in text or not re.search(r"%[yz]mm\d", text))


PROGRAM = """
import sys, hashlib
sys.path[:0] = {path!r}
import numpy as np
from eqsat.graph.plan import plan_as_written
from eqsat.graph.walk import toposort
import eqsat.tensor as T
from eqsat.cgen import Tools, compile_plan, find_compiler, translate
from eqsat.cgen.runtime import build
from eqsat.graph.core import Op, Apply
x, y = T.matrix("x"), T.vector("y")
outs = [T.softmax(T.dot(x, x.T) + y.sum()), T.exp(x) * y, x[::2].sum(axis=0), T.set_subtensor(x[0], y)]
plan = plan_as_written([x, y], outs, toposort(outs))
if {folder!r}:
    f = compile_plan(plan, Tools(find_compiler(), {folder!r}, True))
    print(f.from_cache, float(f(np.ones((3, 4)), np.ones(4))[1].sum()))
print(hashlib.sha256(translate(plan, True).source.encode()).hexdigest())
"""


def start(folder: str, **environment: str) -> subprocess.Popen[str]:
    program = PROGRAM.format(path=sys.path, folder=folder)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def finish(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out.split()


def test_the_text_does_not_depend_on_hashes() -> None:
    texts = {finish(p)[-1] for p in [start("", PYTHONHASHSEED=seed) for seed in ("0", "1", "777")]}
    assert len(texts) == 1


@pytest.mark.sweep
def test_processes_share_the_cache(tmp_path: Path, compiled: Any) -> None:
    folder = str(tmp_path / "cache")
    together = [finish(p) for p in [start(folder) for _ in range(4)]]
    assert len({tuple(words[1:]) for words in together}) == 1
    assert finish(start(folder))[0] == "True"
    assert {os.path.splitext(name)[1] for name in os.listdir(folder)} == {".so", ""}, "objects and the key"
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


def simple(folder: str | None, number: float = 1.0) -> CompiledPlan:
    x = T.vector("x")
    compiler = find_compiler()
    assert compiler is not None
    return compile_plan(written([x], [x + number]), Tools(compiler, folder, True))


def test_damaged_objects_are_built_again(tmp_path: Path, compiled: Any) -> None:
    path = simple(str(tmp_path), 0.125).path
    good = Path(path).read_bytes()
    for damage in (b"", good[:100], good[:-1], good[:2000] + b"x" + good[2001:], b"nonsense"):
        os.unlink(path)
        Path(path).write_bytes(damage)
        f = simple(str(tmp_path), 0.125)
        assert not f.from_cache and f(np.zeros(2))[0].tolist() == [0.125] * 2
        with private_folder(str(tmp_path)) as folder:
            assert folder.read(os.path.basename(path)) == good[:-53]
    assert simple(str(tmp_path), 0.125).from_cache


def test_equal_text_with_other_constants(tmp_path: Path, compiled: Any) -> None:
    x = T.vector("x")
    compiler = find_compiler()
    assert compiler is not None
    made = [
        compile_plan(
            written([x], [x + T.constant(np.arange(20.0) * k)]), Tools(compiler, str(tmp_path), False)
        )
        for k in (1, 2, 3)
    ]
    assert [f.from_cache for f in made] == [False, True, True]
    for k, f in enumerate(made, 1):
        assert np.array_equal(f(np.zeros(20))[0], np.arange(20.0) * k)


def test_a_plan_from_its_text(tmp_path: Path, compiled: Any) -> None:
    x = T.vector("x")
    compiler = find_compiler()
    assert compiler is not None
    made = translate(written([x], [x[1:] * T.constant(np.arange(10.0))]), True)
    source, meta = from_bytes(to_bytes(made.source, made.meta))
    f = CompiledPlan.from_source(source, meta, directory=str(tmp_path), compiler=compiler)
    assert np.array_equal(f(np.ones(11))[0], np.arange(10.0)) and f.source == made.source
    assert set(f.seconds) == {"emit", "cc", "load"}


def test_without_a_directory_nothing_stays(compiled: Any) -> None:
    f = simple(None, 0.25)
    assert f(np.zeros(1))[0].tolist() == [0.25] and os.path.dirname(f.path) == build.private_directory()


def test_directories_that_cannot_be_used(tmp_path: Path, compiled: Any) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.warns(EqsatWarning, match="cannot be used"):
        assert simple(str(file), 0.5)(np.zeros(1))[0].tolist() == [0.5]


def test_the_compiler_says_what_is_wrong(tmp_path: Path, compiled: Any) -> None:
    compiler = find_compiler()
    assert compiler is not None
    with pytest.raises(CompilerError) as error:
        build.build("int f(void) { return nothing; }", compiler, ["-O1"], str(tmp_path))
    assert (
        error.value.command[0] == compiler
        and "nothing" in error.value.output
        and "nothing" in str(error.value)
    )
    assert os.listdir(tmp_path) == []
    with pytest.raises(CompilerError, match="missing_function"):
        build.build(
            "int missing_function(void); int f(void) { return missing_function(); }",
            compiler,
            ["-O1"],
            str(tmp_path),
        )


def test_finding_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_compiler() is None
    own = tmp_path / "mine"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    with config.change_flags(cc="mine"):
        assert find_compiler() == str(own)
    with config.change_flags(cc=str(own)):
        assert find_compiler() == str(own)
    with config.change_flags(cc="other"):
        assert find_compiler() is None


def test_without_openmp(tmp_path: Path, compiled: Any) -> None:
    x = T.matrix("x")
    compiler = find_compiler()
    assert compiler is not None
    plan = written([x], [T.exp(x).sum(axis=0), x * 2])
    f = compile_plan(plan, Tools(compiler, str(tmp_path), False))
    assert "omp parallel" not in f.source
    a = np.random.default_rng(0).normal(size=(300, 400))
    assert np.allclose(f(a)[0], np.exp(a).sum(axis=0))


def many_sums() -> Plan:
    """Kernels enough for two processes of the compiler."""
    x = T.matrix("x")
    outputs = [f(x * k).sum(axis=axis) for k, f in enumerate([T.exp, T.tanh, T.sin], 1) for axis in (0, 1)]
    return written([x], outputs)


@pytest.mark.parametrize("cores, busy, calls", [(1, 0.0, 1), (2, 1.2, 3), (2, 2.5, 1)])
def test_the_halves_of_a_long_text_are_compiled_at_once_where_a_core_is_free(
    cores: int, busy: float, calls: int, tmp_path: Path, compiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    run = build._run

    def noted(command: list[str], source: str, *rest: Any) -> None:
        texts.append(source)
        run(command, source, *rest)

    monkeypatch.setattr(build, "_run", noted)
    monkeypatch.setattr(build, "cores", lambda: cores)
    monkeypatch.setattr(os, "getloadavg", lambda: (busy, 0.0, 0.0), raising=False)
    compiler = find_compiler()
    assert compiler is not None
    made = compile_plan(many_sums(), Tools(compiler, str(tmp_path / "new"), True))
    assert made.source.count("#if EQ_HALF") == 2
    assert len([t for t in texts if t in ("", made.source)]) == calls
    x = np.arange(12.0).reshape(3, 4) / 10
    want = [f(x * k).sum(axis=axis) for k, f in enumerate([np.exp, np.tanh, np.sin], 1) for axis in (0, 1)]
    for found, right in zip(made(x), want, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-14)


def test_errors_of_a_half_are_told(compiled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "has_free_core", lambda: True)
    compiler = find_compiler()
    assert compiler is not None
    source = (
        "#if EQ_HALF != 2\nint eq_a(void) { return 1; }\n#else\nint eq_b(void) { return nothing; }\n#endif\n"
    )
    with pytest.raises(CompilerError, match="nothing"):
        build.build(source, compiler, [], None)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a text is linked as C usually is")
def test_a_text_is_linked_with_what_it_calls() -> None:
    x, z = T.dvector("x"), T.zvector("z")
    graphs = [(x, abs(x) * 2), (x, T.tanh(x)), (z, z / z)]
    texts = [translate(written([v], [out]), True).source for v, out in graphs]
    assert ["-lm" in link_options(text, "gcc") for text in texts] == [False, True, False]
    assert all("-nodefaultlibs" in link_options(text, "gcc") for text in texts)
    for own in ("routine(1);", "extern int n;", "#include <math.h>\n", "fabs(routine (2))"):
        assert link_options(texts[0] + own, "gcc") == USUAL
    assert link_options(texts[0], "clang") == USUAL
