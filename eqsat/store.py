"""Keeps the C text of functions on disk by the graph they were made of, so that a later process only loads."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from eqsat.configuration import config
from eqsat.graph.core import Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.scan.op import Scan

_HASH = 32  # bytes of SHA-256 before the content of a file


@lru_cache(maxsize=1)
def source_digest() -> str:
    """Hash of every file of the package: another version of eqsat never reads this one's results."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def graph_key(inputs: Sequence[Variable], outputs: Sequence[Variable], choices: Sequence[Any]) -> str | None:
    """Hash of a graph and of everything that decides how it is compiled; None where an op is the user's own.

    Names and lines of variables count too, since the errors of a function show them; a program that differs
    only in them still finds its C compiled.
    """
    found = _graph_facts(inputs, outputs)
    if found is None:
        return None
    facts = [
        *found,
        *choices,
        [getattr(config, name) for name in ("openmp", "egraph_nodes", "egraph_seconds", "default_length")],
        [source_digest(), np.__version__],
    ]
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _graph_facts(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> list[Any] | None:
    """What a graph is, as plain values, with the graphs of the steps of its loops; None for an op of the user's."""
    from eqsat.egraph.encode import encode

    encoded = encode(outputs)
    ops = {node.op: _op_facts(node.op) for node in encoded.nodes}
    if None in ops.values():
        return None
    place = {v: k for k, v in enumerate(encoded.leaves)}
    return [
        sorted(encoded.tables.items()),
        encoded.codes.values,
        [(ops[apply.op], index) for apply, index in encoded.opaque],
        [repr(v.type) for v in encoded.leaves],
        [(place.get(v, -1), repr(v.type)) for v in inputs],
        encoded.roots,
        [(v.name, v.made_at) for v in encoded.variables],
    ]


def _op_facts(op: Any) -> list[Any] | None:
    """What an op is, as plain values; None where it is not known to be the same in another process."""
    if _is_ours(op):
        return [op.name, repr(op.values)]
    if type(op) is not Scan or op.own_mode is not None:
        return None
    inside = _graph_facts(op.inner_inputs, op.inner_outputs)
    return inside and [op.name, repr(op.info), op.truncate_gradient, op.checkpoint, inside]


def _is_ours(op: Any) -> bool:
    """True for an op that comes with eqsat, whose declaration the digest of the sources covers."""
    return isinstance(op, DeclaredOp) and op.declaration.meaning.__module__.startswith("eqsat.")


def load(key: str) -> tuple[str, Any] | None:
    """C text and call description kept under a key; None where there is none or it is damaged."""
    path = _path(key)
    try:
        if path.stat().st_uid != _user():
            return None
        content = path.read_bytes()
        if hashlib.sha256(content[_HASH:]).digest() != content[:_HASH]:
            return None
        source, meta = pickle.loads(content[_HASH:])
    except Exception:  # whatever is wrong with a kept file, the function is made anew
        return None
    return source, meta


def save(key: str, source: str, meta: Any) -> None:
    """Keep a function; a folder that cannot be written to is no error, the next process compiles again."""
    path, content = _path(key), pickle.dumps((source, meta))
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)


def _path(key: str) -> Path:
    return Path(config.cache_dir) / f"{key}.graph"


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
