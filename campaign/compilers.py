"""C compilers for a campaign: scripts that call the usual one with more flags."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import eqsat
from eqsat.cgen.c import prelude
from eqsat.cgen.runtime import abi
from eqsat.cgen.runtime.build import find_compiler


@cache
def _folder() -> str:
    made = tempfile.mkdtemp(prefix="campaign-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@cache
def script(*flags: str) -> str:
    """The path of a compiler that adds flags to those it is given."""
    path = os.path.join(_folder(), "cc-" + "".join(c for c in "".join(flags) if c.isalnum()))
    with open(path, "w", encoding="ascii") as file:
        file.write(
            f'#!/bin/sh\nunset LD_PRELOAD\nexec {shlex.quote(find_compiler() or "cc")} "$@" {shlex.join(flags)}\n'
        )
    os.chmod(path, 0o700)
    return path


@contextmanager
def quick() -> Iterator[None]:
    """Compile without optimisation, into a cache that nobody reads."""
    with eqsat.config.change_flags(cc=script("-O0"), cache=False):
        yield


@contextmanager
def shared_out() -> Iterator[None]:
    """Give every kernel to several threads, however little it has to do."""
    usual = abi.SPREAD
    abi.SPREAD = usual.replace(str(abi.WORK), "4")
    try:
        yield
    finally:
        abi.SPREAD = usual


@contextmanager
def small_blocks() -> Iterator[None]:
    """Cut rows into blocks of 300 bytes and columns into blocks of three, so that small arrays have several, too."""
    usual = prelude.ROWS
    few = usual.replace("near / row", "300 / row").replace(
        "return many < least", "least = many = 3; return many < least"
    )
    prelude.ROWS = few
    try:
        yield
    finally:
        prelude.ROWS = usual


@contextmanager
def usual() -> Iterator[None]:
    """Compile as users do."""
    with eqsat.config.change_flags(cache=False):
        yield


SANITIZERS = (
    "-O1",
    "-g1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
)


@contextmanager
def sanitized() -> Iterator[None]:
    """Compile with the sanitizers of addresses and of undefined behaviour; see ``sanitizer_environment``."""
    with eqsat.config.change_flags(cc=script(*SANITIZERS), cache=False):
        yield


def sanitizer_environment() -> dict[str, str]:
    """Variables with which a process must be started before it can load what is sanitized."""
    names = [find("libasan.so"), find("libubsan.so")]
    return {
        "LD_PRELOAD": " ".join(names),
        "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0:abort_on_error=0:detect_odr_violation=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONMALLOC": "malloc",
    }


def find(library: str) -> str:
    """The path of a library of the compiler's own."""
    command = [find_compiler() or "cc", f"-print-file-name={library}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
