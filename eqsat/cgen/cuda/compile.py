"""Device texts become programs of a GPU: by NVRTC where its library is found, else by nvcc. Neither needs a GPU."""

from __future__ import annotations

import functools
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from eqsat.base.forks import Lock
from eqsat.base.values import dataclass
from eqsat.cgen.runtime.build import private_places

OPTIONS = (
    "--fmad=false",  # products are rounded before they are added, as on the processor
    "--std=c++17",
    "--diag-suppress=177,550",  # a value that no statement of a kernel reads
)
FORMAT = "eqsat cubin 1\n"
_lock = Lock()
_PROTOTYPES = """
typedef struct _nvrtcProgram *nvrtcProgram;
int nvrtcVersion(int *, int *);
const char *nvrtcGetErrorString(int);
int nvrtcGetNumSupportedArchs(int *); int nvrtcGetSupportedArchs(int *);
int nvrtcCreateProgram(nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *);
int nvrtcCompileProgram(nvrtcProgram, int, const char *const *);
int nvrtcGetCUBINSize(nvrtcProgram, size_t *); int nvrtcGetCUBIN(nvrtcProgram, char *);
int nvrtcGetPTXSize(nvrtcProgram, size_t *); int nvrtcGetPTX(nvrtcProgram, char *);
int nvrtcGetProgramLogSize(nvrtcProgram, size_t *); int nvrtcGetProgramLog(nvrtcProgram, char *);
int nvrtcDestroyProgram(nvrtcProgram *);
"""


class DeviceCompilerError(Exception):
    """A device text that a compiler refuses: what it said."""

    def __init__(self, said: str) -> None:
        self.said = said
        errors = [line.strip() for line in said.splitlines() if "error" in line]
        self.reason = (errors or [said.strip() or "it said nothing"])[0]
        super().__init__(self.reason)


@dataclass(frozen=True)
class Compiler:
    """The compiler of device texts here: "nvrtc" or "nvcc", its path and its version."""

    kind: str
    path: str
    version: str


@dataclass(frozen=True)
class Compiled:
    """A program of a GPU, and what the compiler said: warnings, and registers of kernels where these were asked for."""

    content: bytes
    said: str


def find_compiler() -> Compiler | None:
    """NVRTC of a wheel, of CUDA_HOME or of the system, else nvcc; None where there is neither."""
    with _lock:  # of threads that come first one opens the library
        return _found()


@functools.lru_cache(maxsize=1)
def _found() -> Compiler | None:
    for path in _libraries():
        library = _opened(path)
        if library is not None:
            ffi = _ffi()
            numbers = ffi.new("int[2]")
            library.nvrtcVersion(numbers, numbers + 1)
            return Compiler("nvrtc", path, f"{numbers[0]}.{numbers[1]}")
    nvcc = shutil.which("nvcc")
    if nvcc is None and os.environ.get("CUDA_HOME"):
        nvcc = shutil.which("nvcc", path=os.path.join(os.environ["CUDA_HOME"], "bin"))
    return Compiler("nvcc", nvcc, _version_of(nvcc)) if nvcc else None


def _libraries() -> Iterator[str]:
    for place in sys.path:
        for pattern in ("nvidia/cu1*/lib/libnvrtc.so.*", "nvidia/cuda_nvrtc/lib/libnvrtc.so.*"):
            for path in sorted(glob.glob(os.path.join(place, pattern)), reverse=True):
                if "builtins" not in path and ".alt." not in path:
                    yield path
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    yield from sorted(glob.glob(os.path.join(home, "lib64", "libnvrtc.so.*")), reverse=True)
    yield from ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")


@functools.lru_cache(maxsize=1)
def _ffi() -> Any:
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(_PROTOTYPES)
    return ffi


@functools.lru_cache(maxsize=32)
def _opened(path: str) -> Any:
    try:
        return _ffi().dlopen(path)
    except (OSError, ImportError):
        return None


def _version_of(nvcc: str) -> str:
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout
    return said.strip().splitlines()[-1] if said.strip() else ""


def compiled(
    text: str, arch: str, directory: str | None = None, form: str = "cubin", options: tuple[str, ...] = ()
) -> Compiled:
    """A device text as a cubin, or as "ptx", for an architecture such as ``sm_90``: kept in a folder, else made.

    Errors   DeviceCompilerError where the text is refused, or there is no compiler
    """
    compiler = find_compiler()
    if compiler is None:
        raise DeviceCompilerError("neither NVRTC nor nvcc was found")
    parts = [FORMAT, compiler.kind, compiler.version, arch, form, *OPTIONS, *options, text]
    file = hashlib.sha256("\0".join(parts).encode()).hexdigest() + "." + form
    for folder in private_places(directory):
        kept = folder.read(file)
        if kept is not None:
            return Compiled(kept, "")
        make = _by_nvrtc if compiler.kind == "nvrtc" else _by_nvcc
        made = make(compiler, text, arch, form, (*OPTIONS, *options))
        if not options:
            folder.write(file, made.content)
        return made
    raise DeviceCompilerError("there is no folder for programs")


def _by_nvrtc(compiler: Compiler, text: str, arch: str, form: str, options: tuple[str, ...]) -> Compiled:
    ffi, library = _ffi(), _opened(compiler.path)
    program = ffi.new("nvrtcProgram *")
    library.nvrtcCreateProgram(program, text.encode(), b"eqsat.cu", 0, ffi.NULL, ffi.NULL)
    try:
        words = [ffi.new("char[]", word.encode()) for word in (f"-arch={arch}", *options)]
        failed = library.nvrtcCompileProgram(program[0], len(words), ffi.new("const char *[]", words))
        said = _text(ffi, library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program[0])
        if failed:
            raise DeviceCompilerError(said.decode(errors="replace").rstrip("\0"))
        get = (
            (library.nvrtcGetPTXSize, library.nvrtcGetPTX)
            if form == "ptx"
            else (library.nvrtcGetCUBINSize, library.nvrtcGetCUBIN)
        )
        return Compiled(_text(ffi, *get, program[0]), said.decode(errors="replace").rstrip("\0"))
    finally:
        library.nvrtcDestroyProgram(program)


def _text(ffi: Any, size: Any, get: Any, program: Any) -> bytes:
    count = ffi.new("size_t *")
    size(program, count)
    room = ffi.new("char[]", count[0])
    get(program, room)
    return bytes(ffi.buffer(room))


def _by_nvcc(compiler: Compiler, text: str, arch: str, form: str, options: tuple[str, ...]) -> Compiled:
    with tempfile.TemporaryDirectory(prefix="eqsat-cuda-") as folder:
        source, target = (os.path.join(folder, name) for name in ("eqsat.cu", "eqsat.out"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = [compiler.path, f"-{form}", f"-arch={arch}", *options, "-o", target, source]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DeviceCompilerError(done.stderr or done.stdout)
        with open(target, "rb") as made:
            return Compiled(made.read(), done.stderr)
