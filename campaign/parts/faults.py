"""Faults of compilers, disks and caches: a function gives what is right or an error of ours, and the process lives."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from campaign import plain
from campaign.children import in_child
from campaign.trial import Finding, Trial
from eqsat import config
from eqsat.cgen.runtime.build import find_compiler

UNIT = "faults"
SECONDS = 300.0  # after which a child counts as hanging
NOBODY = 65534  # another user
FAULTS: dict[str, Callable[[Path, random.Random], contextlib.AbstractContextManager[None]]] = {}


def fault(
    make: Callable[[Path, random.Random], Iterator[None]],
) -> Callable[[Path, random.Random], Iterator[None]]:
    """Add a fault: a context in which functions are made, with a folder of its own."""
    FAULTS[make.__name__] = contextlib.contextmanager(make)
    return make


class NotPossible(Exception):
    """The fault needs rights that this user does not have."""


def trial(seed: int) -> Trial:
    """One fault, and functions that are made under it."""
    rng, result = random.Random(seed), Trial(1)
    name = sorted(FAULTS)[seed % len(FAULTS)]
    folder = Path(tempfile.mkdtemp(prefix="campaign-"))
    try:
        with config.change_flags(cache_dir=str(folder / "cache")), FAULTS[name](folder, rng):
            end = in_child(lambda: made(seed), SECONDS)
            bad = end.bad or end.value
    except NotPossible:
        bad, result.tried = None, 0
        result.count("not possible here")
    except AssertionError as error:
        bad = str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if bad:
        result.failed = 1
        result.findings.append(Finding(f"{name} {bad[:60]}", f"{name}: {bad}", f"faults.trial({seed})"))
    return result


def made(seed: int) -> str | None:
    """Make and run two functions; what is wrong with the first that is."""
    for k in range(2):
        wrong = plain.outcome(plain.grow(2 * seed + k), "FAST_RUN" if k else "FAST_COMPILE")
        if wrong:
            return wrong
    return None


# ------------------------------------------------------------------------------------------------------- compilers


@contextlib.contextmanager
def compiler(folder: Path, text: str, mode: int = 0o700) -> Iterator[None]:
    """A compiler that is a script; ``$CC`` is the real one, and ``$OUT`` the file that it is asked for."""
    path = folder / "cc"
    find = 'OUT=; previous=; for a in "$@"; do [ "$previous" = -o ] && OUT=$a; previous=$a; done'
    path.write_text(f"#!/bin/sh\nCC={find_compiler()}\n{find}\n{text}\n", encoding="ascii")
    path.chmod(mode)
    with config.change_flags(cc=str(path)):
        yield


@fault
def compiler_fails(folder: Path, rng: random.Random) -> Iterator[None]:
    """It ends with an error, now and then."""
    code, after = rng.choice([1, 2, 127, 255]), rng.choice([0, 1, 2])
    with compiler(
        folder,
        f'n=$(cat {folder}/n 2>/dev/null || echo 0); echo $((n+1)) > {folder}/n; [ $n -ge {after} ] && exit {code}; exec $CC "$@"',
    ):
        yield


@fault
def compiler_is_killed(folder: Path, rng: random.Random) -> Iterator[None]:
    with compiler(folder, f"cat > /dev/null; kill -{rng.choice([9, 11, 15, 6])} $$"):
        yield


@fault
def compiler_writes_nothing(folder: Path, rng: random.Random) -> Iterator[None]:
    with compiler(
        folder, rng.choice(["cat > /dev/null; exit 0", "exit 0", "cat > /dev/null; rm -f $OUT; exit 0"])
    ):
        yield


@fault
def compiler_writes_part(folder: Path, rng: random.Random) -> Iterator[None]:
    """Its object is cut off, and it says that all is well."""
    size = rng.choice([0, 1, 64, 500, 4096, 9000, 12000])
    with compiler(folder, f'$CC "$@" || exit 1; truncate -s {size} $OUT'):
        yield


@fault
def compiler_writes_a_text(folder: Path, rng: random.Random) -> Iterator[None]:
    with compiler(folder, "cat > $OUT; exit 0"):
        yield


@fault
def compiler_writes_a_program(folder: Path, rng: random.Random) -> Iterator[None]:
    """An object of the right kind without the functions that are asked for."""
    with compiler(
        folder, 'cat > /dev/null; echo "int other(void) { return 1; }" | $CC -shared -fPIC -x c - -o $OUT'
    ):
        yield


@fault
def compiler_says_much(folder: Path, rng: random.Random) -> Iterator[None]:
    """It writes megabytes of text that is not UTF-8, and fails or not."""
    last = rng.choice(["exit 1", 'exec $CC "$@"'])
    with compiler(folder, f"head -c 3000000 /dev/urandom >&2; head -c 3000000 /dev/zero; {last}"):
        yield


@fault
def compiler_does_not_read(folder: Path, rng: random.Random) -> Iterator[None]:
    with compiler(folder, "exec 0<&-; exit 1"):
        yield


@fault
def compiler_cannot_be_run(folder: Path, rng: random.Random) -> Iterator[None]:
    with compiler(folder, "exit 0", mode=rng.choice([0o600, 0o000])):
        if rng.random() < 0.5:
            (folder / "cc").write_bytes(b"\x7fELF no program")
            (folder / "cc").chmod(0o700)
        yield


@fault
def compiler_is_no_file(folder: Path, rng: random.Random) -> Iterator[None]:
    (folder / "there").mkdir()
    with config.change_flags(cc=str(folder / rng.choice(["there", "nowhere", "cc\nwith a line"]))):
        yield


@fault
def compiler_leaves_when_it_is_there(folder: Path, rng: random.Random) -> Iterator[None]:
    """It removes itself after the first call."""
    with compiler(folder, 'rm -f "$0"; exec $CC "$@"'):
        yield


@fault
def compiler_hangs(folder: Path, rng: random.Random) -> Iterator[None]:
    """It never ends: alone, deaf to signals, with a child of its own, or after it has written its object."""
    way = rng.choice(
        [
            "sleep 1000",
            "trap '' TERM INT; sleep 1000; sleep 1000",
            "sleep 1000 & sleep 1000",
            '$CC "$@"; sleep 1000',
            "cat > /dev/null; while :; do :; done",
        ]
    )
    with compiler(folder, way), config.change_flags(compile_seconds=1.0):
        yield


@fault
def compiler_is_slow(folder: Path, rng: random.Random) -> Iterator[None]:
    with compiler(folder, 'sleep 2; exec $CC "$@"'):
        yield


# ----------------------------------------------------------------------------------------------- disks and folders


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """A file system in memory with options, for those who may mount one."""
    place = folder / "mounted"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True, check=False
    )
    if done.returncode:
        raise NotPossible("cannot mount")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


@fault
def disk_is_full(folder: Path, rng: random.Random) -> Iterator[None]:
    size = rng.choice(["4k", "16k", "40k", "100k"])
    with mounted(folder, f"size={size},mode=700") as place, config.change_flags(cache_dir=str(place)):
        yield


@fault
def disk_runs_no_code(folder: Path, rng: random.Random) -> Iterator[None]:
    with mounted(folder, "noexec,mode=700") as place, config.change_flags(cache_dir=str(place / "cache")):
        yield


@fault
def disk_cannot_be_written(folder: Path, rng: random.Random) -> Iterator[None]:
    with mounted(folder, "ro,mode=700") as place, config.change_flags(cache_dir=str(place)):
        yield


@fault
def disk_has_no_more_files(folder: Path, rng: random.Random) -> Iterator[None]:
    with (
        mounted(folder, f"nr_inodes={rng.choice([2, 3, 5])},mode=700") as place,
        config.change_flags(cache_dir=str(place)),
    ):
        yield


@fault
def cache_is_a_file(folder: Path, rng: random.Random) -> Iterator[None]:
    (folder / "file").write_text("x", encoding="ascii")
    with config.change_flags(cache_dir=str(folder / rng.choice(["file", "file/below"]))):
        yield


@fault
def cache_has_a_strange_name(folder: Path, rng: random.Random) -> Iterator[None]:
    name = rng.choice(["with space", 'quote"', "new\nline", "ä€", "-o", "$(id)", "a" * 300, "%s%n"])
    with config.change_flags(cache_dir=str(folder / name)):
        yield


@fault
def cache_is_open_to_others(folder: Path, rng: random.Random) -> Iterator[None]:
    (folder / "open").mkdir()
    (folder / "open").chmod(0o777)
    with config.change_flags(cache_dir=str(folder / "open")):
        yield


@fault
def cache_belongs_to_another(folder: Path, rng: random.Random) -> Iterator[None]:
    """The folder, or one above it, is another user's; or a link that another user has made."""
    if os.geteuid():
        raise NotPossible("only root gives folders away")
    place = folder / "theirs"
    (place / "cache").mkdir(parents=True)
    way = rng.choice(["all", "above", "link"])
    for path in [place] if way == "above" else [place, place / "cache"]:
        os.chown(path, NOBODY, NOBODY)
    if way == "link":
        (folder / "link").symlink_to(place / "cache")
        os.lchown(folder / "link", NOBODY, NOBODY)
    with config.change_flags(cache_dir=str(folder / "link" if way == "link" else place / "cache")):
        yield


@fault
def files_belong_to_another(folder: Path, rng: random.Random) -> Iterator[None]:
    """Every file of a cache is given to another user, who changes it."""
    if os.geteuid():
        raise NotPossible("only root gives files away")

    def change(data: bytes) -> bytes:
        return data[: len(data) // 2] + rng.randbytes(len(data) - len(data) // 2)

    with filled(folder, rng, change, owner=NOBODY):
        yield


@fault
def cache_goes_away(folder: Path, rng: random.Random) -> Iterator[None]:
    """The compiler removes the folder before it writes."""
    with compiler(folder, f'rm -rf {folder}/cache; exec $CC "$@"'):
        yield


@fault
def temporary_folder_is_none(folder: Path, rng: random.Random) -> Iterator[None]:
    """There is no folder for temporary files, or it is no folder."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder / "nowhere")
    try:
        with config.change_flags(cache=rng.random() < 0.5):
            yield
    finally:
        tempfile.tempdir = before


# --------------------------------------------------------------------------------------- files that lie in the cache


@contextlib.contextmanager
def filled(
    folder: Path, rng: random.Random, change: Callable[[bytes], bytes], owner: int = -1
) -> Iterator[None]:
    """A cache in which files that another process has left are changed."""
    seed = rng.randrange(10**6)
    in_child(lambda: made(seed), SECONDS)
    for path in [p for p in (folder / "cache").rglob("*") if p.is_file()]:
        if rng.random() < 0.7:
            path.write_bytes(change(path.read_bytes()))
            os.chown(path, owner, owner)
    again = in_child(lambda: made(seed), SECONDS)
    bad = again.bad or again.value
    if bad:
        raise AssertionError(f"with changed files: {bad}")
    yield


@fault
def files_are_cut(folder: Path, rng: random.Random) -> Iterator[None]:
    with filled(folder, rng, lambda data: data[: rng.randrange(len(data) + 1)]):
        yield


@fault
def files_are_empty(folder: Path, rng: random.Random) -> Iterator[None]:
    with filled(folder, rng, lambda data: b""):
        yield


@fault
def files_have_other_bytes(folder: Path, rng: random.Random) -> Iterator[None]:
    def change(data: bytes) -> bytes:
        array = np.frombuffer(data, np.uint8).copy()
        for _ in range(rng.choice([1, 10, 1000])):
            if array.size:
                array[rng.randrange(array.size)] ^= 1 << rng.randrange(8)
        return array.tobytes()

    with filled(folder, rng, change):
        yield


@fault
def files_have_more_bytes(folder: Path, rng: random.Random) -> Iterator[None]:
    with filled(folder, rng, lambda data: data + rng.randbytes(rng.choice([1, 100]))):
        yield


@fault
def files_are_folders(folder: Path, rng: random.Random) -> Iterator[None]:
    seed = rng.randrange(10**6)
    in_child(lambda: made(seed), SECONDS)
    for path in [p for p in (folder / "cache").rglob("*") if p.is_file()]:
        os.unlink(path)
        path.mkdir()
    again = in_child(lambda: made(seed), SECONDS)
    if again.bad or again.value:
        raise AssertionError(f"with folders for files: {again.bad or again.value}")
    yield
