"""The files that build a library: a Makefile, with the flags that give the results of functions in Python."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.cgen.library.interface import Interface
from eqsat.cgen.runtime.build import FLAGS, LEVEL, options_for
from eqsat.cgen.runtime.libraries import OPTIONS

_OF_THE_PROCESS = {"-march=native", "-shared", "-w", "-pipe", "-nostartfiles"}  # of objects that Python loads

_MAKEFILE = """\
# {name}: make builds lib{name}.so and lib{name}.a. CFLAGS and LDLIBS are yours; FLAGS decide about results.
TARGET ?= {target}
FLAGS = {flags} $(TARGET)
CFLAGS ?= -Wall
LDLIBS ?= {libraries}
OBJECTS = {objects}

all: lib{name}.so lib{name}.a

lib{name}.so: $(OBJECTS)
\t$(CC) -shared -o $@ $(OBJECTS) $(LDFLAGS) $(LDLIBS)

lib{name}.a: $(OBJECTS)
\t$(AR) rcs $@ $(OBJECTS)

%.o: %.c {name}.h
\t$(CC) $(FLAGS) $(OWN) $(CFLAGS) -c -o $@ $<

{own}clean:
\trm -f lib{name}.so lib{name}.a $(OBJECTS)

.PHONY: all clean
"""


def flags_of(f: Interface) -> list[str]:
    """The compiler's flags for all files but those of ``own_flags``."""
    plain = [flag for flag in FLAGS if flag not in _OF_THE_PROCESS]
    return [*plain, *_of_any_compiler(options_for(f.source, f.meta.openmp))]


def own_flags(f: Interface) -> dict[str, list[str]]:
    """More flags for the files of the libraries that kernels call."""
    return {f"{f.name}_{name}_{ctype}": _of_any_compiler(OPTIONS) for name, ctype in f.own}


def _of_any_compiler(flags: Sequence[str]) -> list[str]:
    """The flags with a level that compilers other than gcc know, and that does no less."""
    return ["-O2", *(flag for flag in flags if flag not in LEVEL)]


def makefile(f: Interface, files: Sequence[str], target: str | None) -> str:
    """The Makefile of a library."""
    objects = [file[:-2] + ".o" for file in files if file.endswith(".c")]
    lines = (f"{file}.o: OWN = {' '.join(flags)}\n" for file, flags in own_flags(f).items())
    return _MAKEFILE.format(
        name=f.name,
        target=f"-march={target}" if target else "",
        flags=" ".join(flags_of(f)),
        libraries=" ".join(["-llapack", "-lblas"] * bool(f.foreign) + ["-lm", "-lpthread"]),
        objects=" ".join(objects),
        own="".join([*lines, "\n"]) if f.own else "",
    )
