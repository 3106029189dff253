"""The flags of eqsat: one declaration each, read from code, the environment and a context manager."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eqsat.base.hooks import hook, is_hook
from eqsat.base.values import dataclass
from eqsat.errors import ConfigError


@dataclass(frozen=True)
class Flag:
    """One setting: its default, the values it takes and what it means.

    ``choices`` may be a function that gives the values, or None as long as the room that knows them is not loaded.
    Functions made under different values of a flag are kept apart on disk, unless ``shared`` says why they are the same.
    """

    name: str
    default: Any
    parse: Callable[[str], Any]
    choices: tuple[Any, ...] | Callable[[], tuple[Any, ...] | None] | None
    doc: str
    shared: str = ""

    def checked(self, value: Any) -> Any:
        """Value after conversion from text; raises ConfigError where the flag does not take it."""
        try:
            value = self.parse(value) if isinstance(value, str) else self.parse(str(value))
        except (TypeError, ValueError):
            raise self.refused(value) from None
        known = self.known()
        if known is not None and value not in known:
            raise self.refused(value)
        return value

    def known(self) -> tuple[Any, ...] | None:
        """The values that the flag takes, where these are few and the room that knows them is loaded."""
        return self.choices() if callable(self.choices) else self.choices

    def refused(self, value: Any) -> ConfigError:
        """The error for a value that the flag does not take, with the values that it takes where these are few."""
        text = f"config.{self.name} does not take {value!r}"
        known = self.known()
        if known is None:
            return ConfigError(text, needs=self.doc, flag=self.name, value=value)
        return ConfigError(text, among=(value, known), flag=self.name, value=value)


def _boolean(text: str) -> bool:
    known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    return known[text.lower()] if text.lower() in known else _refuse(text)


def _refuse(text: str) -> bool:
    raise ValueError(text)


def _positive(text: str) -> float:
    value = float(text)
    return value if value > 0 else float(_refuse(text))


def _folder(text: str) -> str:
    """Path of a folder, the same wherever the program goes later."""
    return os.path.abspath(os.path.expanduser(text)) if text and "\0" not in text else str(_refuse(text))


def _bytes(text: str) -> int | None:
    if text.lower() in ("none", ""):
        return None
    value = float(text)
    return int(value) if value >= 0 else int(_refuse(text))


def _count_or_auto(text: str) -> int | str:
    if text == "auto":
        return text
    value = int(text)
    return value if value > 0 else int(_refuse(text))


def _arch(text: str) -> str:
    return text if re.fullmatch(r"sm_\d{2,3}[af]?", text) else str(_refuse(text))


def _device(text: str) -> int | str:
    if text in ("auto", "emulated"):
        return text
    value = int(text)
    return value if value >= 0 else int(_refuse(text))


def _modes() -> tuple[str, ...] | None:
    return tuple(hook("known_modes")()) if is_hook("known_modes") else None


def _targets() -> tuple[str, ...] | None:
    return tuple(hook("known_targets")()) if is_hook("known_targets") else None


def _usual_cache() -> str:
    """The folder of this user's caches."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    place = os.path.join(named if os.path.isabs(named) else os.path.expanduser("~/.cache"), "eqsat")
    if os.path.isabs(place):
        return place
    import tempfile  # for a user without a home

    return os.path.join(tempfile.gettempdir(), f"eqsat-{os.geteuid()}")


FLAGS = {
    flag.name: flag
    for flag in (
        Flag("floatX", "float64", str, ("float32", "float64"), "default floating dtype of constructors"),
        Flag(
            "autocast_float",
            "smallest",
            str,
            ("smallest", "float32", "float64"),
            "dtype of Python floats in expressions: the smallest that is exact, or always one",
        ),
        Flag(
            "weak_scalars",
            False,
            _boolean,
            (True, False),
            "Python numbers, and lengths, take the dtype of the tensors beside them, as in NumPy 2",
        ),
        Flag(
            "mode",
            "FAST_RUN",
            str,
            _modes,
            "mode of function() where none is given",
            shared="a mode enters with what it does",
        ),
        Flag(
            "variables_are_true",
            False,
            _boolean,
            (True, False),
            "let `if x:` pass for a variable, as Theano and PyTensor do, instead of an error",
            shared="it is about how a graph is written, and the graph enters",
        ),
        Flag("compare_dtype", "bool", str, ("bool", "int8"), "dtype of comparisons"),
        Flag(
            "egraph_seconds",
            2.0,
            _positive,
            None,
            "seconds of work that saturation may take per function: matches and iterations, counted",
        ),
        Flag(
            "egraph_nodes",
            50_000,
            int,
            None,
            "rows that the e-graph of a large graph may hold before growth stops; a small one may hold less",
        ),
        Flag(
            "extract_seconds",
            0.15,
            _positive,
            None,
            "seconds of the processor that extraction may take per function",
        ),
        Flag(
            "cache",
            True,
            _boolean,
            (True, False),
            "keep compiled functions on disk",
            shared="without a cache there is no key",
        ),
        Flag(
            "cache_dir",
            _usual_cache(),
            _folder,
            None,
            "folder of compiled functions, which must not be empty; config.cache = False keeps none",
            shared="a folder has keys of its own",
        ),
        Flag(
            "compile_seconds",
            120.0,
            _positive,
            None,
            "seconds after which a C compiler is stopped; the function then runs in NumPy",
            shared="a compiler that is stopped leaves nothing to keep",
        ),
        Flag(
            "cc",
            "",
            str,
            None,
            "C compiler; empty looks for gcc, clang, cc on the PATH",
            shared="the compiler that is found enters",
        ),
        Flag(
            "profile",
            False,
            _boolean,
            (True, False),
            "time every kernel of functions and print it at exit",
            shared="functions with clocks in them are not kept",
        ),
        Flag(
            "openmp",
            True,
            _boolean,
            (True, False),
            "let kernels run on several threads; False prints C for one",
        ),
        Flag(
            "threads",
            "auto",
            _count_or_auto,
            None,
            "threads that kernels and products of a function may use: a number, or auto for as many as there are cores",
        ),
        Flag(
            "blas_threads",
            "auto",
            _count_or_auto,
            None,
            "threads that routines of BLAS and LAPACK in a function may use, on which the last bits of their results depend: a number, or auto for as many as that library is told",
        ),
        Flag(
            "memory_bound",
            None,
            _bytes,
            None,
            "bytes that one value may take which rewriting makes, or which is kept for a gradient; None for any",
        ),
        Flag(
            "variants",
            1,
            _count_or_auto,
            None,
            "graphs that function() may keep for different lengths: a number, or auto for a few where it pays",
            shared="the number that a function is made with enters with its settings",
        ),
        Flag(
            "cost_model",
            "default",
            str,
            None,
            "cost model where none is given: default, calibrated (what eqsat calibrate measured here), or a file of one",
            shared="the constants of the model enter",
        ),
        Flag(
            "target",
            "c",
            str,
            _targets,
            "what functions are compiled for where neither the call nor its mode says so: c, cuda",
            shared="the name of the target enters with the settings",
        ),
        Flag(
            "cuda_device",
            "auto",
            _device,
            None,
            "GPU of functions for cuda: its number, auto for the first one, or emulated for the processor, which is very slow",
            shared="the texts are the same",
        ),
        Flag(
            "cuda_arch",
            "sm_90",
            _arch,
            None,
            "architecture for which device texts are compiled where there is no GPU: sm_80, sm_89, sm_90, sm_100 ...",
            shared="the texts are the same",
        ),
        Flag(
            "cuda_graphs",
            "auto",
            str,
            ("auto", "off"),
            "auto: launches that come again with the same addresses and lengths are replayed as one graph; off: each is launched",
        ),
        Flag(
            "cuda_atomics",
            "never",
            str,
            ("never", "allowed"),
            "never: what is added to one element of an array is added in order, with the same bits in every run; allowed: in any order, which is faster",
        ),
        Flag(
            "cuda_blas",
            "auto",
            str,
            ("auto", "off"),
            "auto: large products of matrices run in cuBLAS where it is found; off: all in kernels of our own",
        ),
        Flag("default_length", 256, int, None, "length assumed by the cost model where it is unknown"),
    )
}


class Config:
    """Holds the current value of every flag.

    >>> from eqsat import config
    >>> with config.change_flags(floatX="float32"):
    ...     print(config.floatX)
    float32
    """

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        vars(self).update({name: flag.default for name, flag in FLAGS.items()})
        text = (os.environ if environment is None else environment).get("EQSAT_FLAGS", "")
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, equals, value = (word.strip() for word in part.partition("="))
            try:
                if not equals:
                    raise (
                        ConfigError(f"{name} has no value", hint=f"{name}=value")
                        if name in FLAGS
                        else unknown_flag(name)
                    )
                setattr(self, name, value)
            except ConfigError as error:
                message = f"the variable EQSAT_FLAGS: {error.message}"
                raise type(error)(message, needs=error.needs, hint=error.hint, **error.facts) from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise unknown_flag(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in FLAGS:
            raise unknown_flag(name)
        vars(self)[name] = FLAGS[name].checked(value)

    @contextmanager
    def change_flags(self, **flags: Any) -> Iterator[None]:
        """Set flags for the length of a ``with`` block; the old values come back whatever happens."""
        old = {name: getattr(self, name) for name in flags}
        try:
            for name, value in flags.items():
                setattr(self, name, value)
            yield
        finally:
            vars(self).update(old)

    def values(self) -> tuple[Any, ...]:
        """The values of all flags, in the order of their declarations."""
        return tuple(vars(self).values())

    def __repr__(self) -> str:
        return "\n".join(f"{name} = {value!r}   # {FLAGS[name].doc}" for name, value in vars(self).items())

    def _repr_html_(self) -> str:
        from eqsat.base.notebook_tables import notebook_table

        rows = [
            (
                name,
                repr(value),
                "" if value == FLAGS[name].default else repr(FLAGS[name].default),
                FLAGS[name].doc,
            )
            for name, value in vars(self).items()
        ]
        return notebook_table("Configuration", ("flag", "value", "default, if another", "meaning"), rows)


class UnknownFlagError(ConfigError, AttributeError):
    """A flag that eqsat does not have."""


def unknown_flag(name: str) -> UnknownFlagError:
    """The error for a flag that does not exist, with the list of those that do."""
    return UnknownFlagError(f"config has no flag {name!r}", among=(name, sorted(FLAGS)), flag=name)


def configuration() -> Config:
    """The flags as the environment sets them; the command ``eqsat`` ends with the error where it does not, without a traceback.

    Errors   ConfigError for a flag that there is not, or a value that it does not take
    """
    try:
        return Config()
    except ConfigError as error:
        if not _is_command():
            raise
        print(f"eqsat: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def _is_command() -> bool:
    """True in a process that is the command ``eqsat``, or ``python -m eqsat``, whose own code waits for this import."""
    place = next((k for k, word in enumerate(sys.orig_argv) if word == "-m"), None)
    module = sys.orig_argv[place + 1 : place + 2] if place is not None and sys.argv[:1] == ["-m"] else []
    return module == ["eqsat"] or os.path.basename(sys.argv[0] if sys.argv else "") == "eqsat"


config = configuration()
