"""The random ops on Python numbers, one element at a time, written from their definitions."""

from __future__ import annotations

import math

MASK = (1 << 32) - 1


def block(index: int, draw: int, key: int) -> int:
    """The 128 bits of Philox 4x32-10, first word lowest."""
    words = [index & MASK, index >> 32 & MASK, draw & MASK, draw >> 32 & MASK]
    first, second = key & MASK, key >> 32 & MASK
    for _ in range(10):
        p, q = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
        words = [q >> 32 ^ words[1] ^ first, q & MASK, p >> 32 ^ words[3] ^ second, p & MASK]
        first, second = first + 0x9E3779B9 & MASK, second + 0xBB67AE85 & MASK
    return sum(word << 32 * k for k, word in enumerate(words))


def bits(index: int, draw: int, key: int) -> int:
    """The lower 64 bits."""
    return block(index, draw, key) & (1 << 64) - 1


def unit(index: int, draw: int, key: int) -> float:
    """A number in [0, 1) of the lower 64 bits."""
    return (bits(index, draw, key) >> 11) / 2**53


def unit_second(index: int, draw: int, key: int) -> float:
    """A number in [0, 1) of the upper 64 bits."""
    return (block(index, draw, key) >> 75) / 2**53


def scaled(bits: int, n: int) -> int:
    """The upper half of a product of 64-bit integers; both are taken modulo 2**64."""
    product = (bits % 2**64) * (n % 2**64) >> 64
    return product - 2**64 if product >= 2**63 else product


def binomial(u: float, n: float, p: float) -> int:
    """Chop a uniform number down by the chances of the mode, the next below, the next above, and so on."""
    n = math.floor(n)
    if n <= 0 or p <= 0:
        return 0
    if p >= 1:
        return int(n)
    mode = math.floor((n + 1) * p)
    order = [mode]
    for k in range(1, int(n) + 2):
        order += [mode - k, mode + k]
    for m in order:
        if 0 <= m <= n:
            u -= (
                math.exp(math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1))
                * p**m
                * (1 - p) ** (n - m)
            )
            if u < 0:
                return m
    return mode
