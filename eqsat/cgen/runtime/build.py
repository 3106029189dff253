"""C text to shared object: compiler, flags, and a cache on disk that many processes may use at once."""

from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import hashlib
import os
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from threading import Event, Thread

from eqsat.base.apart import apart
from eqsat.base.caller import carried
from eqsat.base.configuration import config
from eqsat.base.notices import warn_once
from eqsat.base.private_folder import FolderError, PrivateFolder, private_folder, words_of
from eqsat.base.values import dataclass
from eqsat.cgen.runtime.abi import HALF
from eqsat.cgen.runtime.compiler_process import NotStarted, at_work, run_compiler
from eqsat.cgen.runtime.linking import link_options
from eqsat.cgen.runtime.shared_object import SharedObject, damage

FORMAT = "eqsat object 3\n"
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
    "-fno-asynchronous-unwind-tables",
    "-fPIC",
    "-shared",
    "-pipe",
    "-w",
]
if platform.system() == "Linux":
    FLAGS += ["-nostartfiles"]
LEVEL = ["-O1", "-fexpensive-optimizations"]
"""The level of optimisation. The second flag is gcc's, which at ``-O1`` alone leaves the upper halves of wide registers dirty before it
calls other code: each function of libm that was compiled without wide registers then waits for them, some 50 ns a call."""
LARGE = 400  # C functions from which compiling fast matters more


_FULL = 1 << 20  # bytes free on a disk below which a compiler that fails is taken to have had no room
_NO_ROOM = ("No space left on device", "Disk quota exceeded", "Read-only file system")
_REFUSED = (
    "failed to map",
    "Operation not permitted",
    "Permission denied",
)  # where nothing may be loaded from
_TELLING = re.compile(r"error|undefined|No space|quota exceeded|cannot ", re.IGNORECASE)
_SUMMARY = re.compile(r"ld returned|linker command failed|^collect2: error|compilation terminated")
_ELSEWHERE = ("/dev/shm", "/var/tmp")  # for temporary folders, where the usual place cannot serve
_TEMPORARY = "eqsat-run-"
_DAY = 86400.0


class CompilerError(Exception):
    """A C text that has become no function: holds the command, and what the compiler, linker or loader said."""

    def __init__(self, command: list[str], output: str) -> None:
        self.command = command
        self.output = output
        self.lines = _telling(output)
        super().__init__(f"{' '.join(command)}\n" + "\n".join(self.lines))

    @property
    def reason(self) -> str:
        """The line that says most."""
        return next(iter(self.lines), "it said nothing")


def _telling(output: str) -> list[str]:
    """The lines that say what is wrong, before those that only say that something is."""
    lines = [line.strip()[:300] for line in output.splitlines() if line.strip()]
    found = [line for line in lines if _TELLING.search(line)] or lines
    return sorted(found, key=lambda line: bool(_SUMMARY.search(line)))[:8]


@dataclass(frozen=True)
class Built:
    """A shared object that is loaded, and how it came about."""

    object: SharedObject
    from_cache: bool
    seconds: float

    @property
    def path(self) -> str:
        """The path of the shared object."""
        return self.object.path


def find_compiler() -> str | None:
    """Path of the C compiler: ``config.cc``, else gcc, clang or cc on the PATH; None where there is none."""
    names = [config.cc] if config.cc else ["gcc", "clang", "cc"]
    return next((path for path in map(shutil.which, names) if path), None)


def build(
    source: str, compiler: str, options: list[str], directory: str | None, names: Sequence[str] = ()
) -> Built:
    """Shared object of a C text: from the cache where an intact one is there, else compiled.

    Where the cache cannot be used it lies in a temporary folder. ``names`` are those that it must have.

    Errors   CompilerError where the compiler fails, or there is no folder from which objects can be loaded
    """
    file, reason = _key(source, compiler, options) + ".so", "there is no folder for objects"
    command = [compiler, *FLAGS, *options]
    for place in _places(directory):
        try:
            with private_folder(place) as folder:
                return _built(folder, file, source, command, names)
        except (FolderError, OSError) as error:
            reason = f"{place} {words_of(error)}"
            if place == directory:
                say_unused(directory, error)
    raise CompilerError(command, reason)


def _built(folder: PrivateFolder, file: str, source: str, command: list[str], names: Sequence[str]) -> Built:
    """The object of a folder, compiled where it has none that can be loaded."""
    _check_executable(folder)
    path = os.path.join(folder.path, file)
    if folder.read(file) is not None:
        with contextlib.suppress(OSError):
            return Built(SharedObject(path, names), True, 0.0)
        folder.remove(file)
    start = time.perf_counter()
    apart(lambda given_up: _make(folder, file, source, command, given_up))
    try:
        return Built(SharedObject(path, names), False, time.perf_counter() - start)
    except OSError as error:
        folder.remove(file)
        if any(words in str(error) for words in _REFUSED):
            raise
        raise CompilerError(command, f"the object cannot be loaded: {error}") from error


def _check_executable(folder: PrivateFolder) -> None:
    """Nothing is loaded from a file system that is mounted with noexec."""
    if os.statvfs(folder.path).f_flag & getattr(os, "ST_NOEXEC", 0):
        raise FolderError("is on a disk from which nothing may be executed (noexec)")


def say_unused(directory: str, error: Exception) -> None:
    """Say once that the cache is not used, and why."""
    text = f"the cache directory {directory} {words_of(error)}"
    warn_once(text, f"{text}; compiled functions are kept for this process only")


def options_for(source: str, openmp: bool) -> list[str]:
    """Flags that depend on the text; C of the user's own ops may have loops of OpenMP."""
    small = source.count("\nstatic __attribute__((noinline))") < LARGE
    level = [*LEVEL, "-ftree-vectorize"] if small else LEVEL  # -O3 takes twice as long and runs no faster
    return [*level, "-fopenmp" if openmp and "omp parallel" in source else "-fopenmp-simd"]


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def has_free_core() -> bool:
    """True where a second process would run beside this one; two that share a core take longer than one."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return cores() > max(1.0, busy)


def let_threads_sleep() -> None:
    """Before the first object with OpenMP is loaded: a thread that waits does not spin.

    One that spins takes its core from other threads, on a busy machine from the one that it waits for.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


_with_threads: dict[str, SharedObject] = {}


def keep_threads(shared: SharedObject, compiler: str, options: Sequence[str]) -> None:
    """Keep the first object with OpenMP of a compiler loaded: with it stays the library in which the threads wait."""
    if "-fopenmp" in options:
        _with_threads.setdefault(compiler, shared)


def _make(folder: PrivateFolder, file: str, source: str, command: list[str], given_up: Event) -> None:
    with at_work():
        folder.write(file, _compile(folder, source, command, given_up))


def _compile(folder: PrivateFolder, source: str, command: list[str], given_up: Event) -> bytes:
    """The object that a compiler makes of a text.

    Errors   CompilerError where it refuses the text or makes no whole object; OSError where there is no room
    """
    with folder.workplace() as work:
        target = os.path.join(work, "object.so")
        if f"#if {HALF} != 2" in source and has_free_core():
            command = _compile_halves(work, source, command, target, given_up)
        else:
            command = [*command, "-x", "c", "-", *link_options(source, command[0]), "-o", target]
            _run(command, source, work, given_up)
        try:
            with open(target, "rb") as file:
                content = file.read()
        except FileNotFoundError:
            raise CompilerError(command, "the compiler made no object") from None
    if found := damage(content):
        raise CompilerError(command, f"the compiler made an object that cannot be used: {found}")
    return content


def _compile_halves(work: str, source: str, command: list[str], target: str, given_up: Event) -> list[str]:
    """Compile both halves of a text at once; the command that has linked them."""
    objects, errors = [os.path.join(work, half, "half.o") for half in "12"], []

    def compile_half(half: int) -> None:
        to = objects[half - 1]
        try:
            os.mkdir(os.path.dirname(to))
            own = [*command, "-c", f"-D{HALF}={half}", "-x", "c", "-", "-o", to]
            _run(own, source, os.path.dirname(to), given_up)
        except BaseException as error:
            errors.append(error)

    other = Thread(target=carried(compile_half), args=(1,), daemon=True)
    try:
        other.start()
    except RuntimeError:  # there may be no more threads
        compile_half(1)
        compile_half(2)
    else:
        compile_half(2)
        other.join()
    if errors:
        raise errors[0]
    command = [*command, *objects, *link_options(source, command[0]), "-o", target]
    _run(command, "", work, given_up)
    return command


_hanging: set[str] = set()  # compilers that did not even answer to a text of one line
_too_long: dict[int, float] = {}  # a command with its text -> the limit that was not enough


def _run(command: list[str], source: str, work: str, given_up: Event) -> None:
    seconds, text = config.compile_seconds, hash((*command[:-2], source))  # without the name of the object
    if command[0] in _hanging or _too_long.get(text, 0.0) >= seconds:
        raise _stopped_error(command)
    try:
        status, said, hangs = run_compiler(command, source, work, seconds, given_up)
    except NotStarted as error:
        raise CompilerError(command, str(error)) from error
    if status is None:
        if not given_up.is_set():
            _too_long[text] = seconds
        if hangs:
            _hanging.add(command[0])
        raise _stopped_error(command)
    if status != 0:
        free = os.statvfs(work)
        if free.f_bavail * free.f_frsize < _FULL or any(words in said for words in _NO_ROOM):
            raise OSError(errno.ENOSPC, next((w for w in _NO_ROOM if w in said), _NO_ROOM[0]))
        raise CompilerError(command, said if said.strip() else _ended(status))


def _ended(status: int) -> str:
    """The end of a compiler that said nothing, in words."""
    return f"it was ended by signal {-status}" if status < 0 else f"it said nothing and ended with {status}"


def _stopped_error(command: list[str]) -> CompilerError:
    limit = f"config.compile_seconds = {config.compile_seconds:g}"
    return CompilerError(command, f"it had not ended after {limit} and was stopped")


# --------------------------------------------------------------------------------------------------------- key


def _key(source: str, compiler: str, options: list[str]) -> str:
    parts = [FORMAT, compiler_identity(compiler), machine(), " ".join(FLAGS + options), source]
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
    """The facts on which -march=native depends: the processor, its instructions, and the C library."""
    wanted = ("model name", "flags", "Features", "cpu family", "model")
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            first = file.read().split("\n\n")[0]
    except OSError:
        first = platform.processor()
    lines = [line for line in first.splitlines() if line.partition(":")[0].strip() in wanted]
    return "\n".join([platform.machine(), " ".join(platform.libc_ver()), *(lines or [first])])


# ---------------------------------------------------------------------------------------------------- folders

_private: dict[tuple[int, str], str] = {}


def _places(directory: str | None) -> Iterator[str]:
    """The cache, and temporary folders for the case that it cannot be used."""
    if directory is not None:
        yield directory
    for base in _bases():
        with contextlib.suppress(OSError):
            yield private_directory(base)


def private_places(directory: str | None) -> Iterator[PrivateFolder]:
    """The folders in which compiled things may be kept, the best one first."""
    for place in _places(directory):
        with contextlib.suppress(FolderError, OSError), private_folder(place) as folder:
            yield folder


def _bases() -> list[str]:
    """Folders in which temporary folders may be made."""
    try:
        usual = [tempfile.gettempdir()]
    except OSError:
        usual = []
    return list(dict.fromkeys([*usual, *filter(os.path.isdir, _ELSEWHERE)]))


def private_directory(base: str | None = None) -> str:
    """A temporary folder of this process, removed at its end."""
    base = base or tempfile.gettempdir()
    path = _private.get((os.getpid(), base))
    if path is None or not os.path.isdir(path):
        _sweep(base)
        path = _private[os.getpid(), base] = tempfile.mkdtemp(prefix=_TEMPORARY, dir=base)
    return path


def _sweep(base: str) -> None:
    """Remove folders of processes of this user that were ended more than a day ago."""
    with contextlib.suppress(OSError), os.scandir(base) as found:
        for entry in found:
            if entry.name.startswith(_TEMPORARY) and entry.is_dir(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                if status.st_uid == os.getuid() and time.time() - status.st_mtime > _DAY:
                    shutil.rmtree(entry.path, ignore_errors=True)


@atexit.register
def _clean() -> None:
    for (process, _), path in _private.items():
        if process == os.getpid():
            shutil.rmtree(path, ignore_errors=True)
