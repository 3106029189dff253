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
from eqsat.graph.control.ifelse import LazyIfElse
from eqsat.graph.core import Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.numbering import Numbering
from eqsat.graph.walk import toposort
from eqsat.pipeline.settings import Settings, UntoldError
from eqsat.scan.op import Scan

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
    found = _graph_facts(inputs, outputs)
    if found is None:
        return None
    facts = [*found, *choices, source_digest(), np.__version__]
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _graph_facts(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> list[Any] | None:
    """A graph as plain values, with the graphs of the steps of its loops; None where it has an op of the user's."""
    place = {v: k for k, v in enumerate(inputs)}
    numbering = Numbering(place)
    numbers = numbering.all(outputs)
    told: dict[Any, Any] = {}
    keys = [_key_facts(key, told) for key in numbering.keys]
    if None in keys:
        return None
    return [
        keys,
        numbers,
        [(n, v.name, v.made_at, v.scope, repr(v.type)) for v, n in numbering.known.items()],
    ]


def _key_facts(key: Any, told: dict[Any, Any]) -> Any:
    """Plain values for one number of a numbering; ``told`` has those of ops."""
    kind, rest = key[0], key[1:]
    if kind == "constant":
        *facts, data = rest
        return [kind, repr(facts), hashlib.sha256(data).digest()]
    if kind in ("given", "variable", "object"):
        return list(key) if kind == "given" else None
    op, operands = kind
    if op not in told:
        told[op] = _op_facts(op)
    return told[op] and [told[op], operands, rest]


def unkept(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> str:
    """The reason why a graph has no key."""
    ops = (node.op for node in toposort(outputs, stop=inputs))
    found = next((op for op in ops if _op_facts(op) is None), None)
    return f"the op {found} need not be the same in another process"


def _op_facts(op: Any) -> list[Any] | None:
    """An op as plain values; None where it is not known to be the same in another process."""
    if _is_ours(op):
        return [op.name, repr(op.values)]
    if type(op) is LazyIfElse:
        sides = [_graph_facts(g.inputs, g.outputs) for g in op.graphs]
        return None if None in sides else [op.name, op.then_inputs, sides]
    if type(op) is not Scan or op.own_mode is not None:
        return None
    inside = _graph_facts(op.inner_inputs, op.inner_outputs)
    return inside and [op.name, repr(op.info), op.truncate_gradient, op.checkpoint, inside]


def _is_ours(op: Any) -> bool:
    """True for an op that comes with eqsat, whose declaration the digest of the sources covers."""
    return isinstance(op, DeclaredOp) and op.declaration.meaning.__module__.startswith("eqsat.")


def load(key: str) -> tuple[str, Meta] | None:
    """C text and call description kept under a key; None where there is none or it is damaged."""
    from eqsat.cgen.runtime.record import from_bytes

    name = f"{key}.graph"
    with contextlib.suppress(FolderError, OSError), private_folder(config.cache_dir, make=False) as folder:
        content = folder.read(name)
        if content is None:
            return None
        try:
            return from_bytes(content)
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
        ):  # written by something that is not this version
            folder.remove(name)
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
