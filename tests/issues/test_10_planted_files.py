"""Nothing is read, loaded or written where somebody else can have written: planted files, links and folders."""

from __future__ import annotations

import ctypes
import os
import pickle
import shutil
import stat
import subprocess
import tempfile
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
from eqsat.base.private_folder import FolderError, private_folder
from eqsat.cgen import Meta, find_compiler
from eqsat.cgen.runtime.build import build
from eqsat.errors import ConfigError, CostError
from eqsat.extract.stored import current_model
from eqsat.functions import store

OTHER, THIRD = 12345, 12346  # users without a name
root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to other users"
)
PROBE = '__attribute__((visibility("default"))) int eq_probe(void) {{ return {}; }}\n'
NAMES = ["eq_probe"]
WAY_OUT = "set another config.cache_dir"


def give(path: Path, user: int = OTHER) -> None:
    """Make a file, link or folder another user's."""
    os.chown(path, user, user, follow_symlinks=False)


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An object that leaves a mark when it is loaded."""
    place = tmp_path_factory.mktemp("evil")
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler on the PATH")
    text = (
        "#include <stdio.h>\n__attribute__((constructor)) static void run(void) "
        f'{{ FILE *f = fopen("{place}/ran", "w"); if (f) fclose(f); }}\nint eq_probe(void) {{ return 13; }}\n'
    )
    command = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(place / "evil.so")]
    subprocess.run(command, input=text.encode(), check=True)
    return place


def run(folder: Path) -> int:
    """What an object that is built with a cache gives: 7 where it is ours."""
    compiler = find_compiler()
    assert compiler is not None
    made = build(PROBE.format(7), compiler, ["-O0"], str(folder), NAMES)
    return int(ctypes.CFUNCTYPE(ctypes.c_int)(made.object.address("eq_probe"))())


def file_of(folder: Path) -> Path:
    """The object in a cache."""
    (file,) = folder.glob("*.so")
    return file


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache that holds the object."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    assert run(folder) == 7
    return folder


# --------------------------------------------------------------------------------------- files in a folder of the user's


def theirs(file: Path, content: bytes, evil: Path) -> None:
    file.write_bytes(content)
    give(file)


def link(file: Path, content: bytes, evil: Path) -> None:
    """A link to what the user has downloaded."""
    (evil / "downloaded").write_bytes(content)
    file.symlink_to(evil / "downloaded")


def hard_link(file: Path, content: bytes, evil: Path) -> None:
    (evil / "downloaded").write_bytes(content)
    os.link(evil / "downloaded", file)


def open_to_others(file: Path, content: bytes, evil: Path) -> None:
    file.write_bytes(content)
    file.chmod(0o666)


def moved(file: Path, content: bytes, evil: Path) -> None:
    """A file that the user owns, moved here while the folder was open to others."""
    file.write_bytes(content)
    file.chmod(0o600)


def pipe(file: Path, content: bytes, evil: Path) -> None:
    os.mkfifo(file, 0o600)


PLANTED = [pytest.param(theirs, marks=root), link, hard_link, open_to_others, moved, pipe]


def contents(evil: Path) -> list[bytes]:
    """The object bare, as earlier versions sealed it, and with a seal of a key that is not this folder's."""
    import hashlib

    bare = (evil / "evil.so").read_bytes()
    return [
        bare,
        bare + hashlib.sha256(bare).digest() + b"eqsat object 1\n",
        bare + os.urandom(32) + private.SEAL,
    ]


@pytest.mark.c
@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_object_is_not_loaded(plant: Callable[..., None], cache: Path, evil: Path) -> None:
    file = file_of(cache)
    for content in contents(evil):
        file.unlink()
        plant(file, content, evil)
        assert run(cache) == 7 and not (evil / "ran").exists()
        status = file.lstat()
        assert stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid(), "what was planted is gone"
        (evil / "downloaded").unlink(missing_ok=True)


@pytest.mark.c
def test_an_object_under_the_name_of_another_is_not_loaded(cache: Path, tmp_path: Path) -> None:
    compiler = find_compiler()
    assert compiler is not None
    other = build(PROBE.format(13), compiler, ["-O0"], str(cache), NAMES).path
    file = next(f for f in cache.glob("*.so") if str(f) != other)
    content = Path(other).read_bytes()
    file.unlink()
    file.write_bytes(content)
    file.chmod(0o600)
    assert run(cache) == 7


@pytest.mark.c
@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_key_is_not_believed(plant: Callable[..., None], cache: Path, evil: Path) -> None:
    key = os.urandom(32)
    (cache / "key").unlink()
    plant(cache / "key", key, evil)
    with private_folder(str(cache)) as folder:
        found = folder._key()
        assert folder.read(file_of(cache).name) is None
    assert (found != key) is (plant is not moved), (
        "a file that only the user can read is the user's own doing"
    )
    assert run(cache) == 7 and (cache / "key").stat().st_mode & 0o777 == 0o600


class Runs:
    """A pickle that does something."""

    def __reduce__(self) -> Any:
        return (os.system, ("touch ran",))


@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_graph_is_not_read(
    plant: Callable[..., None], tmp_path: Path, evil: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cache = tmp_path / "cache"
    with config.change_flags(cache_dir=str(cache)):
        assert store.save("k", "int x;", Meta()) is None and store.load("k") == ("int x;", Meta())
        kept = (cache / "k.graph").read_bytes()
        for content in (pickle.dumps(Runs()), pickle.dumps(("int y;", None)), kept):
            (cache / "k.graph").unlink(missing_ok=True)
            plant(cache / "k.graph", content, evil)
            expected = ("int x;", Meta()) if content == kept and plant is moved else None
            assert store.load("k") == expected
            (evil / "downloaded").unlink(missing_ok=True)
    assert not (tmp_path / "ran").exists()


def test_what_is_sealed_can_only_be_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even one who had the key could make nothing run by reading."""
    monkeypatch.chdir(tmp_path)
    with config.change_flags(cache_dir=str(tmp_path / "cache")), private_folder(config.cache_dir) as folder:
        for content in (
            pickle.dumps(Runs()),
            b"",
            b"\xff" * 40,
            b"\2" + bytes(7) + b"[]",
            b"\2" + bytes(7) + b"{}",
        ):
            folder.write("k.graph", content)
            assert store.load("k") is None and folder.read("k.graph") is None, "it is removed"
    assert not (tmp_path / "ran").exists()


# --------------------------------------------------------------------------------------------------------------- folders


def owned(place: Path) -> Path:
    folder = place / "cache"
    folder.mkdir(mode=0o700)
    give(folder)
    return folder


def writable(place: Path) -> Path:
    folder = place / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


def by_a_group(place: Path) -> Path:
    folder = place / "cache"
    folder.mkdir()
    if os.geteuid() == 0:
        os.chown(folder, 0, OTHER)
    folder.chmod(0o770)
    return folder


def sticky(place: Path) -> Path:
    folder = place / "cache"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def below_writable(place: Path) -> Path:
    (place / "above").mkdir()
    (place / "above").chmod(0o777)
    folder = place / "above" / "cache"
    folder.mkdir(mode=0o700)
    return folder


def below_theirs(place: Path) -> Path:
    (place / "above").mkdir(mode=0o755)
    folder = place / "above" / "cache"
    folder.mkdir(mode=0o700)
    give(place / "above")
    return folder


def missing_below_theirs(place: Path) -> Path:
    folder = below_theirs(place)
    folder.rmdir()
    return folder


def through_their_link(place: Path) -> Path:
    """A link in a folder of all, to a folder of the user's."""
    (place / "own").mkdir(mode=0o700)
    (place / "all").mkdir()
    (place / "all").chmod(0o1777)
    (place / "all" / "cache").symlink_to(place / "own")
    give(place / "all" / "cache")
    return place / "all" / "cache"


def through_their_link_on_the_way(place: Path) -> Path:
    return through_their_link(place) / "deeper"


def through_a_link_to_theirs(place: Path) -> Path:
    (place / "theirs").mkdir(mode=0o700)
    give(place / "theirs")
    (place / "cache").symlink_to("theirs")
    return place / "cache"


def in_a_circle(place: Path) -> Path:
    (place / "cache").symlink_to("cache")
    return place / "cache"


def a_file(place: Path) -> Path:
    (place / "cache").write_text("")
    return place / "cache"


DISTRUSTED = [
    *(pytest.param(f, marks=root) for f in (owned, below_theirs, missing_below_theirs, through_their_link)),
    *(pytest.param(f, marks=root) for f in (through_their_link_on_the_way, through_a_link_to_theirs)),
    *(writable, pytest.param(by_a_group, marks=root), sticky, below_writable, in_a_circle, a_file),
]


def everything(place: Path) -> dict[str, tuple[int, int, int]]:
    """All that lies below a folder, with modes and owners."""
    found = [place, *place.rglob("*")]
    return {str(p): (p.lstat().st_mode, p.lstat().st_uid, p.lstat().st_mtime_ns) for p in found}


@pytest.fixture
def told() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


@pytest.mark.c
@pytest.mark.parametrize("make", DISTRUSTED)
def test_a_folder_of_others_is_left_alone(
    make: Callable[[Path], Path], tmp_path: Path, evil: Path, told: Any
) -> None:
    cache = make(tmp_path)
    planted = cache.is_dir() and not cache.is_symlink()
    if planted:
        (cache / "k.graph").write_bytes(pickle.dumps(("int y;", None)))
    before = everything(tmp_path)
    with config.change_flags(cache_dir=str(cache)):
        assert run(cache) == 7 and run(cache) == 7
        assert store.load("k") is None
        assert str(cache) in str(store.save("k", "int x;", Meta()))
        with config.change_flags(cost_model="calibrated"), pytest.raises(CostError, match="cannot be read"):
            current_model()
    assert everything(tmp_path) == before, "nothing was written, removed or made private"
    (said,) = {str(w.message) for w in told}
    assert said.startswith(f"the cache directory {cache} ") and said.endswith("kept for this process only")
    assert "is left alone: " in said or "cannot be used: " in said


@root
@pytest.mark.c
def test_a_whole_function_beside_planted_files(tmp_path: Path, evil: Path, told: Any) -> None:
    def make() -> Any:
        x = T.dvector("x")
        return eqsat.function([x], T.exp(x) + 0.375)

    with eqsat.graph.core.one_line("train.py:1"), config.change_flags(cache_dir=str(tmp_path / "good")):
        make()
        for folder, mode, user in (("open", 0o777, 0), ("theirs", 0o755, OTHER), ("once", 0o700, 0)):
            cache = tmp_path / folder
            cache.mkdir()
            for file in (tmp_path / "good").iterdir():
                content = pickle.dumps(Runs()) if file.suffix == ".graph" else (evil / "evil.so").read_bytes()
                (cache / file.name).write_bytes(content)
                give(cache / file.name)
            cache.chmod(mode)
            os.chown(cache, user, user)
            config.cache_dir = str(cache)
            f = make()
            np.testing.assert_allclose(f([0.0, 1.0]), np.exp([0.0, 1.0]) + 0.375)
            assert f.c_source is not None
    assert not (evil / "ran").exists() and not Path("ran").exists()
    said = [str(w.message) for w in told]
    assert len(said) == 2 and WAY_OUT in said[0] and f"belongs to user {OTHER}" in said[1], (
        "the third is private"
    )


# --------------------------------------------------------------------------------------------------------------- allowed


@pytest.mark.c
def test_own_links_and_folders_of_all_are_used(tmp_path: Path, told: Any) -> None:
    (tmp_path / "all").mkdir()
    (tmp_path / "all").chmod(0o1777)
    (tmp_path / "disk").mkdir(mode=0o700)
    (tmp_path / "home").mkdir(mode=0o755)
    (tmp_path / "home" / "link").symlink_to("../disk/.")
    for cache in (tmp_path / "all" / "mine", tmp_path / "home" / "link" / "deep" / "er"):
        assert run(cache) == 7
        assert cache.stat().st_mode & 0o777 == 0o700 and len(list(cache.glob("*.so"))) == 1
    assert (tmp_path / "disk" / "deep" / "er").is_dir() and not told


@root
def test_another_user_uses_a_cache_of_theirs(request: pytest.FixtureRequest) -> None:
    """As a user who is not root: what root owns on the way is trusted, what a third user owns is not."""
    place = Path(tempfile.mkdtemp(prefix="eqsat-test-"))
    request.addfinalizer(lambda: shutil.rmtree(place))
    place.chmod(0o755)
    for name, user in (("mine", OTHER), ("third", THIRD)):
        (place / name).mkdir(mode=0o755)
        give(place / name, user)

    def work() -> None:
        with private_folder(str(place / "mine" / "cache")) as folder:
            folder.write("a", b"content")
            assert folder.read("a") == b"content"
        for path in (place / "third", place / "third" / "cache", place):
            try:
                with private_folder(str(path)):
                    os._exit(3)
            except FolderError as error:
                assert "belongs to user" in str(error)

    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(OTHER)
            os.setuid(OTHER)
            work()
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_group_of_one_is_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "group").mkdir()
    (tmp_path / "group").chmod(0o770)
    path, status = str(tmp_path / "group"), (tmp_path / "group").stat()
    for own, listed in ((True, False), (True, True), (False, False)):
        monkeypatch.setattr(private, "_is_own_group", lambda number, own=own: own)
        monkeypatch.setattr(private, "_has_list", lambda path, listed=listed: listed)
        assert private.others_can_write(path, status) is not (own and not listed)
    (tmp_path / "group").chmod(0o772)
    assert private.others_can_write(path, (tmp_path / "group").stat())


@pytest.mark.parametrize("value", ["", "a\0b"])
def test_an_empty_folder_name_is_refused_with_a_way_out(value: str) -> None:
    with pytest.raises(ConfigError, match=r"config\.cache = False keeps none"):
        config.cache_dir = value
    with pytest.raises(ConfigError, match="cache_dir does not take ''"):
        eqsat.base.configuration.Config({"EQSAT_FLAGS": "cache_dir="})


def test_a_folder_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with config.change_flags(cache_dir="here"):
        assert config.cache_dir == str(tmp_path / "here")
        config.cache_dir = "~/there"
        assert config.cache_dir == str(tmp_path / "home" / "there")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert eqsat.base.configuration._usual_cache() == str(tmp_path / "home" / ".cache" / "eqsat")
