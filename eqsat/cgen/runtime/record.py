"""C text and call description of a function as bytes that can only be data, and back.

First the length of a JSON document, then the document, then the elements of the constants one after the other. Reading it
makes numbers, text, arrays of numbers and the types named in it; nothing in it can run.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from eqsat import errors
from eqsat.cgen.ir.meta import ErrorText, Meta, Stage
from eqsat.graph.dtypes import ALL
from eqsat.graph.tensor_type import TensorType

_LENGTH = 8  # bytes of the length of the document
_COUNTS = ("segments", "opaque", "steps")


class NotExpressible(Exception):
    """A function that has something which is no data."""


def to_bytes(source: str, meta: Meta) -> bytes:
    """A function as bytes.

    Errors   NotExpressible for one that runs Python, or has a constant that is no array of numbers
    """
    if meta.opaque:
        raise NotExpressible("it runs ops in Python")
    arrays = [_checked(constant) for constant in meta.constants]
    document = {
        "source": source,
        "inputs": [[v.dtype, list(v.shape)] if v is not None else None for v in meta.inputs],
        "outputs": meta.outputs,
        "stages": [asdict(stage) for stage in meta.stages],
        "errors": [asdict(error) for error in meta.errors],
        "operands": list(meta.operands.items()),
        "constants": [[a.dtype.name, list(a.shape)] for a in arrays],
        "blas": meta.blas,
        "openmp": meta.openmp,
        "places": meta.places,
        "given": meta.given,
        "stays": meta.stays,
        **{name: getattr(meta, name) for name in _COUNTS},
    }
    text = json.dumps(document).encode()
    return b"".join([len(text).to_bytes(_LENGTH, "little"), text, *(a.tobytes() for a in arrays)])


def _checked(constant: Any) -> np.ndarray:
    if not isinstance(constant, np.ndarray) or constant.dtype.name not in ALL:
        raise NotExpressible("it has a constant that is no array of numbers")
    return constant.astype(constant.dtype.name, copy=False)  # in this machine's byte order


def from_bytes(content: bytes) -> tuple[str, Meta]:
    """C text and call description of a function.

    Errors   ValueError, KeyError or TypeError for bytes that are no function
    """
    start = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
    held = json.loads(content[_LENGTH:start])
    meta = Meta(
        inputs=[TensorType(v[0], shape=v[1]) if v is not None else None for v in held["inputs"]],
        outputs=[_text(name) for name in held["outputs"]],
        stages=[_stage(stage) for stage in held["stages"]],
        errors=[_error(error) for error in held["errors"]],
        operands={
            int(step): [(_text(a), _text(b)) for a, b in operands] for step, operands in held["operands"]
        },
        constants=_arrays(held["constants"], content[start:]),
        blas=[(_text(name), _text(ctype)) for name, ctype in held["blas"]],
        openmp=bool(held["openmp"]),
        places=_text(held["places"]),
        given=_text(held["given"]),
        stays=[int(k) for k in held["stays"]],
        **{name: int(held[name]) for name in _COUNTS},
    )
    return _text(held["source"]), meta


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value


def _stage(held: Any) -> Stage:
    reads, writes = (tuple(map(_text, held[name])) for name in ("reads", "writes"))
    return Stage(_text(held["kind"]), int(held["number"]), reads, writes)


def _error(held: Any) -> ErrorText:
    kind = getattr(errors, held["error"], MemoryError if held["error"] == "MemoryError" else None)
    if not isinstance(kind, type) or not issubclass(kind, (errors.EqsatError, MemoryError)):
        raise ValueError(f"{held['error']!r} is no error")
    return ErrorText(**held)


def _arrays(described: Any, content: bytes) -> list[Any]:
    """The constants, of which the elements follow one another."""
    found, at = [], 0
    for name, shape in described:
        if name not in ALL or any(n < 0 for n in shape):
            raise ValueError(f"{name!r} of {shape!r} is no array")
        count = int(np.prod(shape, dtype=object))
        found.append(np.frombuffer(content, name, count, at).reshape(shape).copy())
        at += found[-1].nbytes
    if at != len(content):
        raise ValueError(f"{len(content)} bytes instead of {at}")
    return found
