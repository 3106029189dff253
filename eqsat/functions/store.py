"""Keeps the C text of functions on disk by the graph they were made of, so that a later process only loads."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from eqsat.base.configuration import config
from eqsat.base.private_folder import FolderError, private_folder, words_of
from eqsat.functions.graph_facts import GraphFacts
from eqsat.graph.core import Variable
from eqsat.graph.walk import toposort
from eqsat.pipeline.settings import Settings, UntoldError

if TYPE_CHECKING:
    from eqsat.cgen.ir.meta import Meta


@lru_cache(maxsize=1)
def source_digest() -> str:
    """Hash of every file of the package: another version of eqsat never reads this one's results."""
    digest = hashlib.sha256()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for path in sorted(_files(root)):
        digest.update(path[len(root) :].encode() + b"\0")
        with open(path, "rb", buffering=0) as file:
            digest.update(file.read())
    return digest.hexdigest()


def _files(root: str) -> Iterator[str]:
    """Paths of all files below a folder, but for what Python keeps there."""
    folders = [root]
    for folder in folders:  # grows while it is walked through
        with os.scandir(folder) as found:
            for entry in found:
                if not entry.is_dir():
                    yield entry.path
                elif entry.name != "__pycache__":
                    folders.append(entry.path)


def function_key(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    settings: Settings,
    updates: Mapping[int, int],
    compiler: str,
) -> str | None:
    """The key of a function: that of its graph under its settings. None where an op or a setting is of the user's own making."""
    try:
        chosen = settings.told({v: k for k, v in enumerate(inputs)})
    except UntoldError:
        return None
    return graph_key(inputs, outputs, [chosen, sorted(updates.items()), compiler])


def graph_key(inputs: Sequence[Variable], outputs: Sequence[Variable], choices: Sequence[Any]) -> str | None:
    """Hash of a graph and of everything that decides how it is compiled; None where an op is the user's own.

    Names and lines of variables count too, since the errors of a function show them; a program that differs
    only in them still finds its C compiled.
    """
    found = GraphFacts().of(inputs, outputs)
    if found is None:
        return None
    facts = [*found, *choices, source_digest(), np.__version__]
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def unkept(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> str:
    """The reason why a graph has no key."""
    facts = GraphFacts()
    ops = (node.op for node in toposort(outputs, stop=inputs))
    found = next((op for op in ops if facts.of_op(op) is None), None)
    return f"the op {found} need not be the same in another process"


def load(key: str) -> tuple[str, Meta] | None:
    """C text and call description kept under a key; None where there is none or it is damaged."""
    name = f"{key}.graph"
    with contextlib.suppress(FolderError, OSError), private_folder(config.cache_dir, make=False) as folder:
        content = folder.read(name)
        if content is None:
            return None
        found = read(content)
        if found is None:  # written by something that is not this version
            folder.remove(name)
        return found
    return None


def read(content: bytes) -> tuple[str, Meta] | None:
    """C text and call description of bytes; None for bytes that are no function."""
    from eqsat.cgen.runtime.record import from_bytes

    try:
        return from_bytes(content)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def save(key: str, source: str, meta: Meta) -> str | None:
    """Keep a function; why not, where that is so: the next process compiles it again."""
    from eqsat.cgen.runtime.record import NotExpressible, to_bytes

    try:
        content = to_bytes(source, meta)
        with private_folder(config.cache_dir) as folder:
            folder.write(f"{key}.graph", content)
    except NotExpressible as error:
        return str(error)
    except (FolderError, OSError) as error:
        return f"the cache directory {config.cache_dir} {words_of(error)}"
    return None
