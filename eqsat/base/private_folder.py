"""Folders and files that nobody but the user can have written: whatever eqsat keeps on disk goes through here.

A path is followed from the root, folder by folder and link by link. Each must belong to the user, to root or to the owner
of the root folder, and nobody else may be able to change what is in it; so what was looked at is what is used afterwards.
The last folder must be the user's own. A folder in which others can write is left alone: it is not made private, since
what is in it by then may be theirs.

A file is opened without following links, and must be a plain file of the user's with one name, in which nobody else can
write. At its end stands a keyed hash of its name and content. The key lies in the folder, is readable by the user alone,
and is made when the folder is private: what somebody put there while it was not, even a file that the user owns, does
not have that hash.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import hmac
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager

SEAL = b"eqsat private file 1\n"  # after a keyed hash, at the end of a file
_KEY = "key"
_BYTES = 32  # of the key and of hashes
_LINKS = 40
_WAY_OUT = " (change that, or set another config.cache_dir)"
_OLD = 3600.0  # seconds after which what a process left unfinished is nobody's
_LEFT_BEHIND = re.compile(r"tmp-[0-9a-f]{16}")
_OPEN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


class FolderError(Exception):
    """A folder that is not used; the text goes on after its path."""


def words_of(error: Exception) -> str:
    """The fault of a folder in words, to be said after its path."""
    if isinstance(error, FolderError):
        return str(error)
    return f"cannot be written: {getattr(error, 'strerror', None) or error}"


class PrivateFolder:
    """A folder that is open and was looked at; made by ``private_folder``."""

    def __init__(self, path: str, handle: int) -> None:
        self.path, self._handle = path, handle

    def read(self, name: str) -> bytes | None:
        """Content of a file as ``write`` left it; None where there is none. One that was damaged or planted is removed."""
        try:
            sealed = self.read_plain(name)
        except (OSError, FolderError):
            sealed = b""
        if sealed is None:
            return None
        end = len(sealed) - len(SEAL) - _BYTES
        if end >= 0 and hmac.compare_digest(sealed[end:], self._seal(name, sealed[:end])):
            return sealed[:end]
        self.remove(name)
        return None

    def read_plain(self, name: str) -> bytes | None:
        """Content of a file that may have been written by hand; None where there is none.

        Errors   FolderError for a link, or a file that is not the user's alone; OSError for one that cannot be read
        """
        try:
            handle = os.open(name, _OPEN | os.O_NONBLOCK, dir_fd=self._handle)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise FolderError(f"holds a link {name}") from error
        try:
            if not is_own_file(os.path.join(self.path, name), os.fstat(handle)):
                raise FolderError(f"holds {name}, which is no plain file, or not of this user alone")
            with open(handle, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(handle)

    def write(self, name: str, content: bytes) -> None:
        """Write a file with its hash, in one piece or not at all.

        Errors   OSError where there is no room, or the folder cannot be written
        """
        self.write_plain(name, content + self._seal(name, content))

    def write_plain(self, name: str, content: bytes) -> None:
        """Write a file without a hash, in one piece or not at all."""
        temporary = f"tmp-{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN
        try:
            with open(os.open(temporary, flags, 0o600, dir_fd=self._handle), "wb") as file:
                file.write(content)
            os.replace(temporary, name, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except BaseException:
            self.remove(temporary)
            raise

    def remove(self, name: str) -> None:
        """Remove a file or a link, where that is possible."""
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self._handle)

    @contextmanager
    def workplace(self) -> Iterator[str]:
        """Path of a folder inside this one, which is removed with all that is in it."""
        name = f"tmp-{secrets.token_hex(8)}"
        os.mkdir(name, 0o700, dir_fd=self._handle)
        try:
            yield os.path.join(self.path, name)
        finally:
            self._remove_all(name)

    def _remove_all(self, name: str) -> None:
        for _ in range(3):  # a program that is just being ended may still add to it
            shutil.rmtree(os.path.join(self.path, name), ignore_errors=True)

    def _seal(self, name: str, content: bytes) -> bytes:
        """The bytes at the end of a file that vouch for it."""
        digest = hashlib.blake2b(name.encode() + b"\0", key=self._key(), digest_size=_BYTES)
        digest.update(content)
        return digest.digest() + SEAL

    def _key(self) -> bytes:
        """The key of the folder, made where there is none that only the user can know."""
        key = self._kept_key()
        if key is None:
            with self._alone():
                key = self._kept_key()
                if key is None:
                    self.write_plain(_KEY, secrets.token_bytes(_BYTES))
                    key = self._kept_key()
        if key is None:
            raise OSError(f"{os.path.join(self.path, _KEY)} cannot be read")
        return key

    def _kept_key(self) -> bytes | None:
        with contextlib.suppress(OSError, FolderError):
            status = os.stat(_KEY, dir_fd=self._handle, follow_symlinks=False)
            if status.st_mode & 0o077 == 0:
                key = self.read_plain(_KEY)
                return key if key is not None and len(key) == _BYTES else None
        return None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Other processes wait; where a file system has no locks, the key that is written last counts."""
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                fcntl.flock(self._handle, fcntl.LOCK_UN)

    def sweep(self) -> None:
        """Remove what processes that were ended left unfinished: old, of the user's, and named as only eqsat does."""
        for name in os.listdir(self._handle):
            if _LEFT_BEHIND.fullmatch(name):
                with contextlib.suppress(OSError):
                    status = os.stat(name, dir_fd=self._handle, follow_symlinks=False)
                    if status.st_uid != os.geteuid() or time.time() - status.st_mtime < _OLD:
                        continue
                    self._remove_all(name) if stat.S_ISDIR(status.st_mode) else self.remove(name)


_swept: set[str] = set()


@contextmanager
def private_folder(path: str, make: bool = True) -> Iterator[PrivateFolder]:
    """A folder of the user's, made where it is missing; what was left unfinished in it long ago is removed.

    Errors   FolderError for one that others own or could change, or that cannot be made or opened
    """
    if not hasattr(os, "geteuid"):
        raise FolderError("cannot be checked on this system")
    try:
        real = _followed(path, make)
        handle = os.open(real, _OPEN | os.O_DIRECTORY)
    except OSError as error:
        raise FolderError(f"cannot be used: {error.strerror or error}") from error
    try:
        _check_last(real, os.fstat(handle))
        folder = PrivateFolder(real, handle)
        if real not in _swept:
            _swept.add(real)
            folder.sweep()
        yield folder
    finally:
        os.close(handle)


def _followed(path: str, make: bool) -> str:
    """The path without links, after a look at everything on the way."""
    at, links = "/", 0
    _check_on_the_way(at, os.stat(at))
    left = os.path.abspath(path).split("/")[::-1]
    while left:
        name = left.pop()
        if name in ("", "."):
            continue
        if name == "..":  # of a link; what is here has no links any more
            at = os.path.dirname(at)
            continue
        here = os.path.join(at, name)
        status = _status(here, make)
        if stat.S_ISLNK(status.st_mode):
            links += 1
            _check_link(here, status, links)
            target = os.readlink(here)
            at = "/" if target.startswith("/") else at
            left += target.split("/")[::-1]
        else:
            _check_on_the_way(here, os.stat(os.path.join(here, ".")))  # with a dot, what is mounted there
            at = here
    return at


def _status(path: str, make: bool) -> os.stat_result:
    """The status of a path, without following a link; that of a folder where there was nothing."""
    try:
        return os.lstat(path)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    return os.lstat(path)


def _check_link(path: str, status: os.stat_result, links: int) -> None:
    if status.st_uid not in _trusted():
        raise FolderError(f"is left alone: the link {path} belongs to {_name(status.st_uid)}{_WAY_OUT}")
    if links > _LINKS:
        raise FolderError("cannot be used: too many links")


def _check_on_the_way(path: str, status: os.stat_result) -> None:
    if status.st_uid not in _trusted():
        raise FolderError(f"is left alone: {path} belongs to {_name(status.st_uid)}{_WAY_OUT}")
    if (
        not status.st_mode & stat.S_ISVTX
    ):  # in a sticky folder, nobody else can replace what the user or root owns
        _check_writers(path, status)


def _check_last(path: str, status: os.stat_result) -> None:
    if status.st_uid != os.geteuid():
        raise FolderError(f"is left alone: it belongs to {_name(status.st_uid)}{_WAY_OUT}")
    _check_writers(path, status)


def _check_writers(path: str, status: os.stat_result) -> None:
    if others_can_write(path, status):
        raise FolderError(
            f"is left alone: others can write to {path} (change that, or set another config.cache_dir)"
        )


def _trusted() -> set[int]:
    """Users who could replace anything here: oneself, root, and who owns the root folder, as in some containers."""
    return {os.geteuid(), 0, os.stat("/").st_uid}


def others_can_write(path: str, status: os.stat_result) -> bool:
    """True where somebody else may write; a group of which the user is the only member is nobody else."""
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and (not _is_own_group(status.st_gid) or _has_list(path))


def is_own_file(path: str, status: os.stat_result) -> bool:
    """True for a plain file of the user's, with one name, in which nobody else can write."""
    plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
    return plain and status.st_uid == os.geteuid() and not others_can_write(path, status)


@functools.lru_cache(maxsize=64)
def _is_own_group(number: int) -> bool:
    """True for a group that systems make for one user: of the user's number and name, without other members."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(number)
    except KeyError:
        return False
    own = number == user.pw_gid == user.pw_uid and group.gr_name == user.pw_name
    return own and set(group.gr_mem) <= {user.pw_name}


def _has_list(path: str) -> bool:
    """True where a list says who may write, which the mode shows as the group."""
    try:
        return "system.posix_acl_access" in os.listxattr(path)
    except AttributeError:
        return True
    except OSError:
        return False


def _name(user: int) -> str:
    """A user in words."""
    import pwd

    try:
        return f"user {pwd.getpwuid(user).pw_name}"
    except KeyError:
        return f"user {user}"
