"""C of our own, kept in .c files: named sections, each after a line ``//! NAME``; lines that begin with ``//`` are remarks."""

from __future__ import annotations

from pathlib import Path


def sections(place: str, name: str) -> dict[str, str]:
    """The sections of a file beside the module at ``place``, in their order."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    text = (Path(place).parent / name).read_text(encoding="utf-8")
    for line in text.splitlines(keepends=True):
        if line.startswith("//! "):
            lines = found[line[4:].strip()] = []
        elif not line.startswith("//"):
            lines.append(line)
    return {key: "".join(lines).rstrip("\n") + "\n" for key, lines in found.items()}
