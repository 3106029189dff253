"""The files of a Python package around a C library: a module that cffi makes, a front of NumPy, and what builds a wheel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from pprint import pformat

from eqsat.cgen.library.interface import Interface, table_of
from eqsat.cgen.library.text import LEVELS, MARCH, declarations, facts_of, kernels, letters, level_files
from eqsat.export.project import flags_of, own_flags

_PYPROJECT = """\
[build-system]
requires = ["setuptools>=61", "wheel", "cffi>=1.16"]
build-backend = "setuptools.build_meta"

[project]
name = "{name}"
version = "0.1"
description = "made by eqsat"
requires-python = ">=3.10"
dependencies = {needs}

[project.optional-dependencies]
cffi = ["cffi>=1.16"]  # whose _cffi_backend an import of {name}._native takes, which has the functions of the header

[tool.setuptools]
packages = ["{name}"]
"""

_SETUP = '''\
"""Builds the extension of {name}, each file with flags of its own; nothing depends on the machine that builds."""

import os
import platform

from setuptools import setup
from setuptools.command.build_ext import build_ext

IS_X86 = platform.machine() in ("x86_64", "AMD64")
OWN = {own}


def usable(flags):
    """The flags that compilers for this kind of processor know."""
    return [flag for flag in flags if IS_X86 or not flag.startswith("-m")]


class Build(build_ext):
    """Compiles a file with its own flags after those of all."""

    def build_extension(self, ext):
        compile_one = self.compiler._compile

        def compile_own(obj, src, ext, cc_args, extra, pp_opts):
            stem = os.path.splitext(os.path.basename(src))[0]
            return compile_one(obj, src, ext, cc_args, usable([*extra, *OWN.get(stem, [])]), pp_opts)

        self.compiler._compile = compile_own
        super().build_extension(ext)


setup(cffi_modules=["{name}_build.py:ffi"], cmdclass={{"build_ext": Build}})
'''

_BUILD = '''\
"""The extension of {name} as cffi makes it."""

from cffi import FFI

ffi = FFI()
ffi.cdef("""{declared}""")
ffi.set_source(
    "{name}._native",
    '#include "{name}.h"',
    sources={sources},
    include_dirs=["."],
    define_macros={macros},
    extra_compile_args={flags},
    libraries=["m"],
)
'''

_MODULE = '''\
"""{name}: made by eqsat. It takes arrays of NumPy; with cffi, ``from {name}._native import ffi, lib`` has what the header has."""

from importlib.util import find_spec

from .front import {offered}

TABLE = {table}

_library = Library(TABLE, by_ctypes(find_spec(f"{{__name__}}._native").origin), __name__)
{public}
'''
_CALL = "{name} = _library.call\n\n__all__ = [{name!r}]"
_STATE = 'init, step = _library.init, _library.call\n\n__all__ = ["State", "init", "step"]'


def package(f: Interface, target: str | None) -> dict[str, str]:
    """The files of a project that builds a wheel, beside those of the library."""
    levels = list(LEVELS) if target == "native" else []
    more = level_files(f, levels)
    sources = [f"{f.name}.c", *kernels(f), *more]
    routines = [letters(*r) for r in f.foreign]
    offered = "Library, State, by_ctypes" if f.fields else "Library, by_ctypes"
    public = (_STATE if f.fields else _CALL).format(name=f.name)
    return {
        **more,
        "pyproject.toml": _PYPROJECT.format(name=f.name, needs=_needs(f)),
        "MANIFEST.in": f"include *.h *.c {f.name}_build.py\n",
        "setup.py": _SETUP.format(name=f.name, own=pformat(_own(f, levels, target), width=100)),
        f"{f.name}_build.py": _BUILD.format(
            name=f.name,
            declared=declarations(f)
            .replace(f"{facts_of(f)['API']} ", "")
            .replace("\\", "\\\\")
            .replace('"', '\\"'),
            sources=sources,
            macros=_macros(f, levels),
            flags=[*flags_of(f), *_march(target)],
        ),
        f"{f.name}/__init__.py": _MODULE.format(
            name=f.name, table=pformat(table_of(f, routines), width=100), public=public, offered=offered
        ),
        f"{f.name}/front.py": Path(__file__).with_name("front.py").read_text(encoding="utf-8"),
    }


def _needs(f: Interface) -> str:
    """The packages that calls need: the matrix routines are those of SciPy."""
    return '["numpy>=1.23", "scipy>=1.9"]' if f.foreign else '["numpy>=1.23"]'


def _macros(f: Interface, levels: Sequence[str]) -> list[tuple[str, str]]:
    upper = f.name.upper()
    return [(f"{upper}_OWN_ROUTINES", "1")] * bool(f.foreign) + [(f"{upper}_LEVELS", "1")] * bool(levels)


def _march(target: str | None) -> list[str]:
    """The processor that was asked for; that of the machine is none that a wheel can count on."""
    return [f"-march={target}"] if target not in (None, "native") else []


def _own(f: Interface, levels: Sequence[str], target: str | None) -> dict[str, list[str]]:
    """Flags of single files: those of libraries, and the processors of levels."""
    found = {stem: list(flags) for stem, flags in own_flags(f).items()}
    for level in levels:
        for file in kernels(f):
            stem = file.removesuffix(".c")
            found[f"{stem}_{level}"] = [*found.get(stem, []), f"-march={MARCH[level]}"]
    return found
