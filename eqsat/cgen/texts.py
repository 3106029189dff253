"""The texts of a function as one: the host's C, and after it, where no C compiler looks, that of a device."""

from __future__ import annotations

BEGIN, END = "\n#if 0 /* device text */\n", "\n#endif /* device text */\n"


def joined(host: str, device: str) -> str:
    """Both texts as one."""
    return f"{host}{BEGIN}{device}{END}"


def host_text(source: str) -> str:
    """The C of a function.

    >>> host_text(joined("int f;", "float g;")), device_text(joined("int f;", "float g;")), device_text("int f;")
    ('int f;', 'float g;', None)
    """
    return source.partition(BEGIN)[0]


def device_text(source: str) -> str | None:
    """The text for a device; None for a function that has none."""
    _, begin, rest = source.partition(BEGIN)
    return rest.partition(END)[0] if begin else None
