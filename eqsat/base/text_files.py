"""Texts that go to files: names of variables may hold what no encoding has."""

from __future__ import annotations

import os
from typing import Any


def encodable(text: str) -> str:
    """The text with halves of surrogate pairs, as names of files may hold, written as ``\\\\udc80``.

    >>> encodable("a\\udc80b")
    'a\\\\udc80b'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def write_text(text: str, target: Any) -> None:
    """Write a text to a path or a text file."""
    if isinstance(target, (str, os.PathLike)):
        with open(target, "w", encoding="utf-8") as file:
            file.write(encodable(text))
    else:
        target.write(encodable(text))
