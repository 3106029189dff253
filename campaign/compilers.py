"""C compilers for a campaign: scripts that call the usual one with more flags."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import eqsat
from eqsat.cgen.build import find_compiler


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
        file.write(f'#!/bin/sh\nexec {shlex.quote(find_compiler() or "cc")} "$@" {shlex.join(flags)}\n')
    os.chmod(path, 0o700)
    return path


@contextmanager
def quick() -> Iterator[None]:
    """Compile without optimisation, into a cache that nobody reads."""
    with eqsat.config.change_flags(cc=script("-O0"), cache=False):
        yield


@contextmanager
def usual() -> Iterator[None]:
    """Compile as users do."""
    with eqsat.config.change_flags(cache=False):
        yield
