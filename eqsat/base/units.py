"""Quantities in words: all that reports, pages and tables say of seconds and bytes."""

from __future__ import annotations

UNITS = (("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))
LEAST, MOST = 0.1, 1e5  # of a unit: where a smaller one is taken, and where it is not


def times(*seconds: float) -> list[str]:
    """Times in one unit, so that they can be compared at a glance: that of the longest, or a smaller one for short ones.

    >>> times(2.75e-3, 7.4e-4, 0.0), times(2.75e-3, 7.4e-6)
    (['2.75 ms', '0.74 ms', '0.00 ms'], ['2,750.00 µs', '7.40 µs'])
    >>> times(75.0, 3e-7)
    ['75,000.00 ms', '0.0003 ms']
    """
    sizes = [size for _, size in UNITS]
    shortest = min((abs(s) for s in seconds if s), default=0.0)
    longest = max(map(abs, seconds), default=0.0)
    k = max((k for k, size in enumerate(sizes) if size <= longest), default=0)
    while k and shortest < LEAST * sizes[k] and longest < MOST * sizes[k - 1]:
        k -= 1
    name, size = UNITS[k]
    return [f"{_decimal(s / size)} {name}" for s in seconds]


def _decimal(value: float) -> str:
    """Two decimals, or one digit of what would be 0 with them."""
    return f"{value:,.2f}" if value == 0 or abs(value) >= 0.005 else f"{value:.1g}"


def time_text(seconds: float) -> str:
    """A time in the unit that suits it.

    >>> time_text(9.1e-5), time_text(0.0032), time_text(1.5)
    ('91.00 µs', '3.20 ms', '1.50 s')
    """
    return times(seconds)[0]


def bytes_text(count: float) -> str:
    """A number of bytes."""
    return f"{count:,.0f} byte{'' if round(count) == 1 else 's'}"
