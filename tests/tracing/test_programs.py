"""The programs of benchmarks/jit_programs.py give under jit what they give plain; and what stands among them is said."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat

PATH = Path(__file__).resolve().parents[2] / "benchmarks" / "jit_programs.py"


def loaded() -> Any:
    spec = importlib.util.spec_from_file_location("jit_programs", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


PROGRAMS: Any = loaded()


def check(name: str, sizes: tuple[int, ...], **options: Any) -> None:
    program = PROGRAMS.PROGRAMS[name]
    made = eqsat.jit(program.function, **program.options, **options)
    for size in sizes:
        given = program.arguments(np.random.default_rng(size), size)
        found, plain = made(*PROGRAMS.copied(given)), program.function(*PROGRAMS.copied(given))
        assert PROGRAMS.largest_difference(found, plain) < 1e-9
    assert len(made.functions) == 1


@pytest.mark.parametrize("name", PROGRAMS.PROGRAMS)
def test_a_program_is_traced_as_it_stands(name: str) -> None:
    check(name, (2500, 3600), mode="reference")


@pytest.mark.c
@pytest.mark.sweep
@pytest.mark.parametrize("name", PROGRAMS.PROGRAMS)
def test_a_compiled_program_agrees(name: str) -> None:
    check(name, (2500, 3600, 10_000))


def test_there_are_forty() -> None:
    assert len(PROGRAMS.PROGRAMS) >= 40


def test_a_difference_is_seen() -> None:
    assert PROGRAMS.largest_difference((np.ones(2), [1.0]), (np.array([1, 3.0]), [1.0])) == pytest.approx(
        2 / 3
    )
    assert PROGRAMS.largest_difference(np.ones(2, int), np.ones(2)) == np.inf
