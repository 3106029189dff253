"""C and C++ programs that hold two libraries: threads, states, memory given back, names that are not seen."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

PROGRAM = Path(__file__).with_name("program.c")
X = np.array([0.5, -1.0, 2.0])

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs cc and make")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: Any) -> tuple[Path, list[float]]:
    """The folder of two libraries, and the numbers that the program prints."""
    folder = tmp_path_factory.mktemp("program")
    x, y = eqsat.TensorType("float64", shape=(3,))("x"), T.dvector("y")
    plain = eqsat.function([x, y], [T.exp(x).sum(), T.sort(y)])
    w = eqsat.shared(np.ones(3), "w")
    fit = eqsat.function([x], T.sum(w), updates=[(w, w * x)])
    plain.export(folder / "plain", "plain", target=None)
    fit.export(folder / "fit", "fit", target=None)
    values = [float(fit(X)) for _ in range(3)]
    return folder, [400 * float(plain(X, X)[0]), *values, float(w.get_value()[2])]


def printed(folder: Path, *flags: str, wrapper: tuple[str, ...] = ()) -> list[float]:
    """The numbers that the program prints, built with some flags."""
    for name in ("plain", "fit"):
        own = f"CFLAGS=-Wall -Werror -g {' '.join(flags)}"
        subprocess.run(["make", "-s", "-B", own, f"lib{name}.a"], cwd=folder / name, check=True)
    libraries = [f"{folder}/{name}/lib{name}.a" for name in ("plain", "fit")]
    build = ["cc", "-g", *flags, f"-I{folder}/plain", f"-I{folder}/fit", str(PROGRAM), *libraries]
    subprocess.run([*build, "-lm", "-lpthread", "-o", str(folder / "program")], check=True)
    made = subprocess.run([*wrapper, str(folder / "program")], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return [float(word) for word in made.stdout.split()]


def test_two_libraries_in_one_program(exported: Any) -> None:
    folder, wanted = exported
    np.testing.assert_allclose(printed(folder), wanted, rtol=1e-13)


@pytest.mark.sweep
@pytest.mark.parametrize("flag", ["thread", "address,undefined"])
def test_sanitizers_find_nothing(flag: str, exported: Any) -> None:
    folder, wanted = exported
    found = printed(folder, f"-fsanitize={flag}", "-fno-sanitize-recover=all")
    np.testing.assert_allclose(found, wanted, rtol=1e-13)


@pytest.mark.sweep
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_valgrind_finds_nothing(exported: Any) -> None:
    folder, wanted = exported
    watch = ("valgrind", "-q", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=7")
    np.testing.assert_allclose(printed(folder, wrapper=watch), wanted, rtol=1e-13)


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs c++")
def test_headers_are_cpp_too(exported: Any) -> None:
    folder, _ = exported
    for name in ("plain", "fit"):
        header = str(folder / name / f"{name}.h")
        subprocess.run(
            ["c++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "-x", "c++", header], check=True
        )


def test_only_names_of_the_header_are_seen(exported: Any) -> None:
    folder, _ = exported
    subprocess.run(["make", "-s", "libfit.so"], cwd=folder / "fit", check=True)
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", "libfit.so"],
        cwd=folder / "fit",
        capture_output=True,
        text=True,
        check=True,
    )
    names = {line.split()[-1] for line in listed.stdout.splitlines()}
    assert names == {"fit_drop", "fit_free", "fit_init", "fit_message", "fit_reserve", "fit_step"}
