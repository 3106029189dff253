"""C text to shared object: compiler, flags, and a cache on disk that many processes may use at once."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
import time
import warnings
from dataclasses import dataclass

from eqsat.configuration import config
from eqsat.errors import EqsatWarning

FORMAT = b"eqsat object 1\n"
FLAGS = [
    "-std=gnu11",
    "-march=native",
    "-mprefer-vector-width=512",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-semantic-interposition",
    "-fvisibility=hidden",
    "-fPIC",
    "-shared",
    "-w",
]
if platform.system() == "Linux":
    FLAGS.append("-Wl,--no-undefined")
LARGE = 400  # C functions from which compiling fast matters more


class CompilerError(Exception):
    """The C compiler refused a text; holds the command and the start of what the compiler said."""

    def __init__(self, command: list[str], output: str) -> None:
        self.command = command
        self.output = output
        lines = [
            line for line in output.splitlines() if "error" in line or "undefined" in line
        ] or output.splitlines()
        super().__init__(f"{' '.join(command)}\n" + "\n".join(line[:300] for line in lines[:8]))


@dataclass(frozen=True)
class Built:
    """A shared object on disk, and how it came about."""

    path: str
    from_cache: bool
    seconds: float


def find_compiler() -> str | None:
    """Path of the C compiler: ``config.cc``, else gcc, clang or cc on the PATH; None where there is none."""
    names = [config.cc] if config.cc else ["gcc", "clang", "cc"]
    return next((path for path in map(shutil.which, names) if path), None)


def build(source: str, compiler: str, options: list[str], directory: str | None) -> Built:
    """Shared object of a C text: from the cache where an intact one is there, else compiled."""
    name = _key(source, compiler, options) + ".so"
    place = None if directory is None else _own_directory(directory)
    if place is not None:
        path = os.path.join(place, name)
        if intact(path):
            return Built(path, True, 0.0)
    if place is None or not os.access(place, os.W_OK):
        if place is not None:
            _say_once(f"the cache directory {directory} cannot be written")
        place = private_directory()
        if intact(os.path.join(place, name)):
            return Built(os.path.join(place, name), True, 0.0)
    start = time.perf_counter()
    _compile(source, [compiler, *FLAGS, *options], os.path.join(place, name))
    return Built(os.path.join(place, name), False, time.perf_counter() - start)


def options_for(source: str, openmp: bool, optimise: bool) -> list[str]:
    """Flags that depend on the text."""
    small = optimise and source.count("\nstatic __attribute__((noinline))") < LARGE
    level = ["-O1", "-ftree-vectorize"] if small else ["-O1"]  # -O3 takes twice as long and runs no faster
    return [*level, "-fopenmp" if openmp and "omp parallel" in source else "-fopenmp-simd"]


def let_threads_sleep() -> None:
    """Before the first object with OpenMP is loaded: a thread that waits does not spin.

    One that spins takes its core from other threads, on a busy machine from the one that it waits for.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _compile(source: str, command: list[str], target: str) -> None:
    handle, temporary = tempfile.mkstemp(suffix=".tmp", dir=os.path.dirname(target))
    os.close(handle)
    try:
        command = [*command, "-x", "c", "-", "-o", temporary, "-lm"]
        environment = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(
            command, input=source.encode(), capture_output=True, env=environment, check=False
        )
        if done.returncode != 0:
            raise CompilerError(command, done.stderr.decode(errors="replace"))
        with open(temporary, "rb") as file:
            content = file.read()
        with open(temporary, "ab") as file:
            file.write(hashlib.sha256(content).digest() + FORMAT)
        os.replace(temporary, target)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def intact(path: str) -> bool:
    """True for a complete object: its hash stands at its end, since loading half a file can end the process."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return False
    if not content.endswith(FORMAT):
        return False
    end = len(content) - len(FORMAT)
    return hashlib.sha256(content[: end - 32]).digest() == content[end - 32 : end]


# --------------------------------------------------------------------------------------------------------- key


def _key(source: str, compiler: str, options: list[str]) -> str:
    parts = [FORMAT.decode(), compiler_identity(compiler), machine(), " ".join(FLAGS + options), source]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def compiler_identity(compiler: str) -> str:
    """Path, size and time of the compiler's file: they change when it is upgraded, and no process is started."""
    real = os.path.realpath(compiler)
    try:
        status = os.stat(real)
    except OSError:
        return real
    return f"{real} {status.st_size} {status.st_mtime_ns}"


@functools.lru_cache(maxsize=1)
def machine() -> str:
    """What -march=native depends on: the processor and the instructions that it has, and the C library."""
    wanted = ("model name", "flags", "Features", "cpu family", "model")
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            first = file.read().split("\n\n")[0]
    except OSError:
        first = platform.processor()
    lines = [line for line in first.splitlines() if line.partition(":")[0].strip() in wanted]
    return "\n".join([platform.machine(), " ".join(platform.libc_ver()), *(lines or [first])])


# --------------------------------------------------------------------------------------------------- directory


def _own_directory(directory: str) -> str | None:
    """The cache directory, made private to the user; None where it cannot be used."""
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        status = os.stat(directory)
        if hasattr(os, "getuid"):
            if status.st_uid != os.getuid():
                _say_once(f"the cache directory {directory} belongs to somebody else")
                return None
            if status.st_mode & 0o022:
                os.chmod(directory, 0o700)
    except OSError as error:
        _say_once(f"the cache directory {directory} cannot be used: {error.strerror}")
        return None
    return directory


_said: set[str] = set()
_private: list[tuple[int, str]] = []


def _say_once(text: str) -> None:
    if text not in _said:
        _said.add(text)
        warnings.warn(
            f"{text}; compiled functions are kept for this process only", EqsatWarning, stacklevel=2
        )


def private_directory() -> str:
    """A directory of this process, removed at its end."""
    for process, path in _private:
        if process == os.getpid() and os.path.isdir(path):
            return path
    path = tempfile.mkdtemp(prefix="eqsat-")
    _private.append((os.getpid(), path))
    return path


@atexit.register
def _clean() -> None:
    for process, path in _private:
        if process == os.getpid():
            shutil.rmtree(path, ignore_errors=True)
