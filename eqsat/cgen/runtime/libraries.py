"""Libraries of our own C: shared objects that are compiled once on a machine, one for each element type."""

from __future__ import annotations

from collections.abc import Callable

from eqsat.base.forks import Lock
from eqsat.cgen.runtime.build import LEVEL, build
from eqsat.cgen.runtime.shared_object import SharedObject

OPTIONS = [*LEVEL, "-ffp-contract=fast"]  # of the compiler
HARD = '__attribute__((noinline, optimize("O3")))'  # loops of these functions are unrolled


class Library:
    """The function ``NAME_TYPE`` of a C text that depends on the type and on whether there are threads."""

    def __init__(self, name: str, text: Callable[[str, bool], str]) -> None:
        self.name, self.text = name, text
        self._objects: dict[tuple[str, bool], SharedObject] = {}
        self._lock = Lock()

    def is_loaded(self, ctype: str, openmp: bool) -> bool:
        """True where the process has the library of a type."""
        return (ctype, openmp) in self._objects

    def library(self, ctype: str, compiler: str, directory: str | None, openmp: bool) -> SharedObject:
        """The library of a type in this process, compiled where the cache does not have it."""
        with self._lock:
            if (ctype, openmp) not in self._objects:
                text = self.text(ctype, openmp)
                built = build(text, compiler, OPTIONS, directory, [f"{self.name}_{ctype}"])
                self._objects[ctype, openmp] = built.object
            return self._objects[ctype, openmp]

    def address(self, ctype: str, compiler: str, directory: str | None, openmp: bool) -> int:
        """The address of the function for a C type."""
        return self.library(ctype, compiler, directory, openmp).address(f"{self.name}_{ctype}")
