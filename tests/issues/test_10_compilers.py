"""Compilers that hang, fail, cut their objects or have no room: the function runs, the reason is said, nothing stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config
from eqsat.base import private_folder as private
from eqsat.cgen import CompilerError, find_compiler
from eqsat.cgen.runtime import build, compiler_process
from eqsat.cgen.runtime.shared_object import damage

pytestmark = pytest.mark.c
ROOT = Path(__file__).resolve().parents[2]
REAL = find_compiler() or "cc"
SHIFTS = iter(range(1, 1000))
NUMPY = "the function runs op by op in NumPy, which is slower"
TARGET = 'for a; do [ "$last" = -o ] && out="$a"; last="$a"; done\n'


@pytest.fixture
def told() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, and a process that knows nothing bad of any compiler; the launcher is there already."""
    make()
    monkeypatch.setattr(build, "_hanging", set())
    monkeypatch.setattr(build, "_too_long", {})
    with config.change_flags(cache_dir=str(tmp_path / "cache")):
        yield tmp_path / "cache"


def make() -> Any:
    """A function of which no other test has the C text, after a call."""
    x, shift = T.dvector("x"), next(SHIFTS) + 0.25
    f = eqsat.function([x], T.exp(x) + shift)
    np.testing.assert_allclose(f([0.0, 1.0]), np.exp([0.0, 1.0]) + shift)
    return f


def compiler(tmp_path: Path, text: str) -> str:
    """A compiler of these lines of shell."""
    path = tmp_path / f"cc{len(list(tmp_path.iterdir()))}"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o700)
    return str(path)


def texts(told: list[warnings.WarningMessage]) -> list[str]:
    assert all(w.filename == __file__ for w in told), [str(w) for w in told]
    return [str(w.message) for w in told]


def alive(mark: str) -> list[int]:
    """Processes with a mark in their command."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark in path.read_text(errors="replace"):
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def run_program(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", text, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def left(cache: Path) -> list[str]:
    """What is in the cache that is neither an object nor a graph nor the key."""
    names = [p.name for p in cache.iterdir()] if cache.exists() else []
    return [name for name in names if not name.endswith((".so", ".graph")) and name != "key"]


# ---------------------------------------------------------------------------------------------------------------- limits

HANGS = {
    "sleeps": "exec sleep 1234567\n",
    "its child sleeps": "sleep 1234567 &\nsleep 1234567\n",
    "runs": "while :; do :; done # 1234567\n",
    "says much": "while :; do echo 1234567 errors >&2; done\n",
    "hears no signal": "trap '' INT TERM HUP\nsleep 1234567\nsleep 1234567\n",
    "its output is closed": "exec 2>&-\nexec sleep 1234567\n",
}


@pytest.mark.parametrize("kind", HANGS)
@pytest.mark.sampled(2)
def test_a_compiler_that_hangs(kind: str, tmp_path: Path, cache: Path, told: Any) -> None:
    path = compiler(tmp_path, HANGS[kind])
    start = time.monotonic()
    with config.change_flags(cc=path, compile_seconds=0.5):
        f = make()
        again = make()
        make()
    assert time.monotonic() - start < 10, "one that hangs is not waited for again and again"
    assert f.c_source is None and again.c_source is None
    reason = "it had not ended after config.compile_seconds = 0.5 and was stopped"
    assert texts(told) == [f"the C compiler {path} failed ({reason}): {NUMPY}"]
    assert left(cache) == [] and alive("sleep 1234567") == [] and alive(path) == []
    assert make().c_source is not None


@pytest.mark.sweep
def test_a_compiler_that_was_too_slow_for_one_text_serves_others(
    tmp_path: Path, told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow"
    path = compiler(
        tmp_path, f'[ -e {slow} ] && case "$*" in *march*) sleep 1234567;; esac\nexec {REAL} "$@"\n'
    )
    slow.touch()
    with config.change_flags(cc=path, compile_seconds=3.0):
        assert make().c_source is None
    slow.unlink()
    with config.change_flags(cc=path):
        assert make().c_source is not None
    assert len(told) == 1


ONE_LIMIT = """
import sys, time, eqsat, eqsat.tensor as T
eqsat.config.cc, eqsat.config.cache_dir, eqsat.config.compile_seconds = sys.argv[1], sys.argv[2], 4
A, x = T.dmatrix("A"), T.dvector("x")
eqsat.function([A, x], T.dot(A, x) + 0.5)
start = time.monotonic()
for k in range(2):
    eqsat.function([A, x], T.tanh(T.dot(A, x)) + k, mode="FAST_COMPILE")([[1.0]], [1.0])
    eqsat.function([x], T.exp(x) + k, mode="FAST_COMPILE")([1.0])
print(time.monotonic() - start < 3.9)
"""


@pytest.mark.sweep
def test_one_limit_is_waited_for_and_no_more(tmp_path: Path, cache: Path) -> None:
    """Also where the launcher, or products, hang beside the function: nobody asks again what was found to hang."""
    path = compiler(tmp_path, "exec sleep 1234572\n")
    done = run_program(ONE_LIMIT, path, str(cache))
    assert (done.stdout, done.returncode) == ("True\n", 0), done
    assert done.stderr.count("EqsatWarning") == 1 and alive("sleep\x001234572") == []


@pytest.mark.sweep
def test_a_text_that_was_too_long_for_a_compiler_is_not_tried_again_in_less_time(
    tmp_path: Path, told: Any
) -> None:
    path = compiler(tmp_path, f'case "$*" in *march*) sleep 1234573;; esac\nexec {REAL} "$@"\n')
    shift, x = next(SHIFTS) + 0.5, T.dvector("x")
    seconds = []
    for limit in (3.0, 3.0, 2.5):
        with config.change_flags(cc=path, compile_seconds=limit):
            start = time.monotonic()
            assert eqsat.function([x], T.exp(x) + shift, mode="FAST_COMPILE").c_source is None
            seconds.append(time.monotonic() - start)
    assert seconds[0] > 3.0 and max(seconds[1:]) < 2.5
    assert len(told) <= 2, "one text for each limit"


def test_a_child_that_goes_on_is_not_waited_for(tmp_path: Path, told: Any) -> None:
    """As the servers that some compilers start, which keep the output open."""
    path = compiler(tmp_path, f'sleep 1234568 &\n{REAL} "$@"\n')
    start = time.monotonic()
    with config.change_flags(cc=path):
        assert make().c_source is not None
    assert time.monotonic() - start < 20 and not told
    for process in alive("sleep\x001234568"):
        os.kill(process, signal.SIGKILL)


# what starts in the background of a shell ignores interrupts, and so would these programs
HEEDING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
INTERRUPTED = f"""{HEEDING}
import sys, eqsat, eqsat.tensor as T
eqsat.config.cache_dir, cc, where = sys.argv[1:4]
x = T.dvector("x")
if where == "alone":
    eqsat.function([x], T.exp(x) + 1)
eqsat.config.cc = cc
try:
    eqsat.function([x], T.exp(x) + 2)
    print("made", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    if where == "alone":
        eqsat.config.cc = ""
        print(eqsat.function([x], T.exp(x) + 3)([0.0]).tolist(), flush=True)
"""


@pytest.mark.parametrize("where", ["alone", "in the background"])
@pytest.mark.parametrize("whom", ["the process", "the group"])
@pytest.mark.sampled(2)
def test_an_interrupt_stops_the_compiler_at_once(where: str, whom: str, tmp_path: Path, cache: Path) -> None:
    """In the background: the launcher and what else a first function needs are compiled beside it."""
    started = tmp_path / "started"
    path = compiler(tmp_path, f"trap '' INT\ntouch {started}\nsleep 1234569\nsleep 1234569\n")
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(cache), path, where],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 120
    while not started.exists() and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.3)
    start = time.monotonic()
    (os.killpg if whom == "the group" else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert time.monotonic() - start < 30
    words = ["interrupted", "[4.0]"] if where == "alone" else ["interrupted"]
    assert (out.split(), process.returncode) == (words, 0), (out, err)
    assert left(cache) == [] and alive("sleep\x001234569") == [] and alive(path) == []


MANY_INTERRUPTS = (
    HEEDING
    + """
import os, signal, sys, threading, time
from eqsat.cgen.runtime import build
cc, folder = sys.argv[1:3]
for k in range(25):
    timer = threading.Timer(0.002 * k, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        build.build(f"int x{k};", cc, [], folder)
    except KeyboardInterrupt:
        pass
    else:
        print("made")
    timer.join()
    left = [name for name in os.listdir(folder) if name.startswith("tmp")] if os.path.exists(folder) else []
    if left:
        print("left", k, left)
"""
)


@pytest.mark.sweep
def test_interrupts_at_any_moment_leave_nothing(tmp_path: Path, cache: Path) -> None:
    """Also between the start of the compiler and the line that notes its process."""
    seconds = str(10**7 + os.getpid())
    path = compiler(tmp_path, f"sleep {seconds}\nsleep {seconds}\n")
    done = run_program(MANY_INTERRUPTS, path, str(cache))
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert alive(f"sleep\x00{seconds}") == [] and alive(path) == []


def test_the_end_of_a_program_stops_what_is_compiled_in_the_background(tmp_path: Path, cache: Path) -> None:
    started = tmp_path / "started"
    path = compiler(tmp_path, f"touch {started}\nsleep 1234570\nsleep 1234570\n")
    program = f"""
import threading, time, os, eqsat
from eqsat.cgen.runtime import build
def work():
    build.build("int x;", {path!r}, [], {str(cache)!r})
threading.Thread(target=work, daemon=True).start()
while not os.path.exists({str(started)!r}):
    time.sleep(0.01)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, timeout=60, check=False)
    assert done.returncode == 0
    assert left(cache) == [] and alive("sleep\x001234570") == [] and alive(path) == []


# --------------------------------------------------------------------------------------------------------------- objects

CUTS = {
    "cut": "head -c 5000 $out > $out.2; mv $out.2 $out\n",
    "cut by a byte": "head -c -1 $out > $out.2; mv $out.2 $out\n",
    "empty": ": > $out\n",
    "missing": "rm $out\n",
    "zeros": "size=$(wc -c < $out); head -c $size /dev/zero > $out\n",
    "text": "echo object > $out\n",
    "a program": f"echo 'int main(void) {{ return 0; }}' | {REAL} -x c - -no-pie -o $out\n",
    "another object": f"echo 'int other;' | {REAL} -x c - -shared -fPIC -o $out\n",
    "needs what is not there": f"echo 'int f(void); int g(void) {{ return f(); }}' | {REAL} -x c - -shared -fPIC -o $out\n",
}


@pytest.mark.parametrize("kind", CUTS)
@pytest.mark.sampled(3)
def test_an_object_that_is_none(kind: str, tmp_path: Path, cache: Path, told: Any) -> None:
    path = compiler(tmp_path, f'{TARGET}{REAL} "$@" || exit 1\n{CUTS[kind]}exit 0\n')
    with config.change_flags(cc=path):
        assert make().c_source is None
    (said,) = texts(told)
    reasons = ("made no object", "cannot be used: it was cut", "cannot be used: it is no shared object")
    assert any(text in said for text in (*reasons, "cannot be loaded: ")), said
    assert "undefined symbol: " in said or kind not in ("another object", "needs what is not there")
    assert not list(cache.glob("*.so")), "it is not kept"
    assert make().c_source is not None


def test_every_cut_is_seen(cache: Path) -> None:
    make()
    (file,) = cache.glob("*.so")
    content = file.read_bytes()
    content = content[: len(content) - 32 - len(private.SEAL)]
    assert damage(content) is None
    assert None not in {damage(content[:n]) for n in range(0, len(content), 41)}
    assert None not in {damage(content[:n]) for n in range(len(content) - 70, len(content))}


@pytest.mark.sweep
def test_an_object_that_went_bad_is_compiled_again(cache: Path, tmp_path: Path) -> None:
    """Also where its seal is right: what cannot be loaded is removed."""
    make_once = (
        "from eqsat import *; import eqsat.tensor as T; x = T.dvector('x'); f = function([x], x + 1.5)"
    )
    program = f"{make_once}; print(f([1.0]).tolist(), f.executable.from_cache, f.c_source is not None)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "EQSAT_FLAGS": f"cache_dir={cache}"}
    said = []
    for damaged in (False, True, False):
        if damaged:
            with private.private_folder(str(cache)) as folder:
                for file in cache.glob("*.so"):
                    folder.write(file.name, b"\x7fELF nothing")
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        said.append(done.stdout.strip())
    assert said == [f"[2.5] {kept} True" for kept in (False, False, True)]


class Calls(eqsat.Op):
    """An op whose C text calls a routine that nobody has."""

    __props__ = ()
    c_elementwise = True

    def make_node(self, x: Any) -> eqsat.Apply:
        return eqsat.Apply(self, [x], [x.type()])

    def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * 2

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        call = f"{outputs[0]}[i] = own_routine({inputs[0]}[i]);"
        return f"double own_routine(double); for (int64_t i = 0; i < {sub['n']}; i++) {call}"


def test_the_words_of_the_linker_are_shown(told: Any) -> None:
    x = T.dvector("x")
    for _ in range(2):
        assert eqsat.function([x], Calls()(x) + 1)([2.0]).tolist() == [5]
    (said,) = texts(told)
    assert "undefined reference to `own_routine'" in said and "ld returned" not in said


@pytest.mark.parametrize(
    "text, said", [("kill -9 $$", "it was ended by signal 9"), ("exit 3", "it said nothing and ended with 3")]
)
def test_a_compiler_that_says_nothing(text: str, said: str, tmp_path: Path, told: Any) -> None:
    path = compiler(tmp_path, text + "\n")
    with config.change_flags(cc=path):
        assert make().c_source is None
    assert texts(told) == [f"the C compiler {path} failed ({said}): {NUMPY}"]


def test_what_says_most_comes_first() -> None:
    output = "In file\ncollect2: error: ld returned 1 exit status\na.c:3: undefined reference to `f'\n"
    assert CompilerError(["cc"], output).reason == "a.c:3: undefined reference to `f'"
    assert CompilerError(["cc"], "some words\nmore\n").reason == "some words"
    assert CompilerError(["cc"], "").reason == "it said nothing"


# ----------------------------------------------------------------------------------------------------------------- disks


def mounted(place: Path, options: str) -> Callable[[], None]:
    """A disk of its own at a folder; what takes it away."""
    place.mkdir(mode=0o700)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"mode=0700,{options}", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("no disk can be mounted here")
    return lambda: subprocess.run(["umount", "-l", str(place)], check=True) and None


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount disks")
@pytest.mark.parametrize(
    "options, filled, reason",
    [
        ("size=64k", True, "cannot be written: No space left on device"),
        ("size=12k", False, "cannot be written: No space left on device"),
        ("size=8m,nr_inodes=2", False, "cannot be written: No space left on device"),
        ("size=8m,noexec", False, "is on a disk from which nothing may be executed (noexec)"),
        ("size=8m,ro", False, "cannot be written: Read-only file system"),
    ],
)
def test_disks(options: str, filled: bool, reason: str, tmp_path: Path, told: Any, request: Any) -> None:
    place = tmp_path / "disk"
    request.addfinalizer(mounted(place, options))
    if filled:
        (place / "big").write_bytes(bytes(1 << 16))
    with config.change_flags(cache_dir=str(place)):
        f = make()
        again = make()
    assert f.c_source is not None and again.c_source is not None
    text = f"the cache directory {place} {reason}; compiled functions are kept for this process only"
    assert texts(told) == [text]
    assert left(place) in ([], ["big"])


def test_a_disk_that_fills_while_it_is_written(
    cache: Path, told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Any, name: str, content: bytes) -> None:
        if self.path == str(cache):
            raise OSError(28, "No space left on device")
        write(self, name, content)

    write = private.PrivateFolder.write
    monkeypatch.setattr(private.PrivateFolder, "write", full)
    f = make()
    assert f.c_source is not None and "No space left on device" in f.report.not_kept
    assert [text.partition(";")[0] for text in texts(told)] == [
        f"the cache directory {cache} cannot be written: No space left on device"
    ]


def test_no_folder_serves(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the loader says is shown."""
    monkeypatch.setattr(build.os, "statvfs", lambda _: type("Disk", (), {"f_flag": os.ST_NOEXEC}))
    assert make().c_source is None
    first, second = texts(told)
    assert "noexec" in first and "noexec" in second and second.endswith(NUMPY)


# ------------------------------------------------------------------------------------------------------ what was left over


def test_what_a_killed_process_left_is_removed(tmp_path: Path, cache: Path) -> None:
    started = tmp_path / "started"
    path = compiler(tmp_path, f"touch {started}\nsleep 1234571\n")
    program = f"import eqsat; from eqsat.cgen.runtime import build; build.build('int x;', {path!r}, [], {str(cache)!r})"
    process = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)})
    end = time.monotonic() + 60
    while not started.exists() and time.monotonic() < end:
        time.sleep(0.02)
    process.kill()
    process.wait()
    for other in [*alive("sleep\x001234571"), *alive(path)]:
        os.kill(other, signal.SIGKILL)
    (work,) = left(cache)
    (cache / "tmp-notes").mkdir()
    (cache / "tmp-0123456789abcdef").write_text("half written")
    (cache / "tmpabcdefgh").write_text("of another program")
    keep = ["tmp-notes", "tmpabcdefgh"]
    private._swept.clear()
    make()
    assert sorted(left(cache)) == sorted([work, "tmp-0123456789abcdef", *keep]), "they are not old yet"
    old = time.time() - 7200
    for name in left(cache):
        os.utime(cache / name, (old, old))
    make()
    assert sorted(left(cache)) == sorted([work, "tmp-0123456789abcdef", *keep]), "a process looks once"
    private._swept.clear()
    make()
    assert sorted(left(cache)) == sorted(keep)


def test_temporary_folders_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(build, "_private", {})
    (tmp_path / "eqsat-run-old").mkdir()
    (tmp_path / "eqsat-run-new").mkdir()
    os.utime(tmp_path / "eqsat-run-old", (1, 1))
    with config.change_flags(cache=False):
        f = make()
    assert f.executable is not None and compiler_process._running == set()
    names = sorted(p.name for p in tmp_path.glob("eqsat-run-*"))
    assert len(names) == 2 and "eqsat-run-new" in names and "eqsat-run-old" not in names
