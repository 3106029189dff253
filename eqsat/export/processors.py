"""Names of processors, as a compiler has them: one that it lacks and that is close to others is misspelt."""

from __future__ import annotations

import functools
import re
import tempfile
from threading import Event

from eqsat.base.names import close_names, meant
from eqsat.cgen.runtime.build import find_compiler
from eqsat.cgen.runtime.compiler_process import NotStarted, run_compiler
from eqsat.errors import ArgumentError

_PLAIN = re.compile(r"[A-Za-z0-9][\w.+-]*")
_LISTED = re.compile(r": ((?:[\w.+-]+,? ){4,}[\w.+-]+)")  # how gcc and clang name those that they know
_SECONDS = 10.0


def check_processor(target: str) -> None:
    """Refuse a misspelt name; one that is far from all that the compiler here knows is for another kind of processor.

    Errors   ArgumentError with the names that are close
    """
    if not _PLAIN.fullmatch(target):
        raise ArgumentError(
            f"export: target={target!r} is no name of a processor", needs="what gcc's -march takes, or None"
        )
    known = () if target == "native" else others_than(target, find_compiler())
    if close_names(target, known):
        raise ArgumentError(
            f"export: there is no processor {target!r}",
            needs='what gcc\'s -march takes, "native", or None for any',
            hint=meant(target, known, "target={!r}"),
        )


@functools.cache
def others_than(target: str, compiler: str | None) -> tuple[str, ...]:
    """The names that a compiler knows, where it does not know this one; none where nothing can be learned."""
    if compiler is None:
        return ()
    command = [compiler, f"-march={target}", "-E", "-x", "c", "-"]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = run_compiler(command, "", folder, _SECONDS, Event())
        except NotStarted:
            return ()
    listed = _LISTED.search(done.said) if done.status else None
    return tuple(re.split(r",? ", listed[1])) if listed else ()
