"""Random numbers as pure functions of a key and a counter, the same on every machine: Philox 4x32, 10 rounds.

Source: Salmon, Moraes, Dror & Shaw 2011, Parallel random numbers: as easy as 1, 2, 3. The four words of the counter
are the element's index and the number of the draw, two words each; the key is that of the stream.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, elemwise
from eqsat.graph.dtypes import BOOL
from eqsat.graph.parameters import DTYPE

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_WORD = np.uint64(32)


def philox(index: Any, draw: Any, key: Any) -> tuple[Any, Any, Any, Any]:
    """The four 32-bit words of a block, each in an array of uint64.

    >>> [hex(int(word)) for word in philox(0, 0, 0)]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    index, draw, key = (np.asarray(v).astype(np.uint64) for v in (index, draw, key))
    a, b = index & _LOW, index >> _WORD
    d, e = draw & _LOW, draw >> _WORD
    k, m = key & _LOW, key >> _WORD
    for _ in range(ROUNDS):
        p, q = np.uint64(MULTIPLIERS[0]) * a, np.uint64(MULTIPLIERS[1]) * d
        a, b, d, e = (q >> _WORD) ^ b ^ k, q & _LOW, (p >> _WORD) ^ e ^ m, p & _LOW
        k, m = (k + np.uint64(WEYL[0])) & _LOW, (m + np.uint64(WEYL[1])) & _LOW
    return a, b, d, e


def _bits(index: Any, draw: Any, key: Any, half: int) -> Any:
    words = philox(index, draw, key)
    return (words[2 * half + 1] << _WORD) | words[2 * half]


def _unit(bits: Any, dtype: str) -> Any:
    """Numbers in [0, 1) of the leading bits, as many as the dtype holds exactly."""
    if dtype == "float32":
        return (bits >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)
    return ((bits >> np.uint64(11)).astype(np.float64) * 2.0**-53).astype(dtype)


def _converted(value: str) -> Any:
    """C text of a number in the dtype of the result; for bool, whether it differs from 0."""
    return lambda operand, result: f"({value} != 0)" if result == BOOL else f"({{T}})({value})"


def _unit_c(half: int) -> Any:
    bits = f"eq_bits__{{T}}({{index}}, {{draw}}, {{key}}, {half})"
    double = _converted(f"((double)({bits} >> 11) * 0x1p-53)")
    single = f"((float)({bits} >> 40) * 0x1p-24f)"
    return lambda operand, result: single if result == "float32" else double(operand, result)


@elemwise(
    c=_converted("eq_bits__{T}({index}, {draw}, {key}, 0)"),
    signature="i,i,i->d",
    parameters={"dtype": DTYPE},
    cost=Cost(flops=60),
)
def random_bits(index: Any, draw: Any, key: Any, *, dtype: str) -> Any:
    """64 random bits for each index of a draw of a stream, converted to a dtype (as they are for uint64)."""
    return _bits(index, draw, key, 0).astype(dtype)


@elemwise(
    c=_unit_c(0),
    signature="i,i,i->d",
    parameters={"dtype": DTYPE},
    cost=Cost(flops=62),
    image=(0.0, 1.0),
)
def random_unit(index: Any, draw: Any, key: Any, *, dtype: str) -> Any:
    """Uniform numbers in [0, 1): the first 64 bits of each block."""
    return _unit(_bits(index, draw, key, 0), dtype)


@elemwise(
    c=_unit_c(1),
    signature="i,i,i->d",
    parameters={"dtype": DTYPE},
    cost=Cost(flops=62),
    image=(0.0, 1.0),
)
def random_unit_second(index: Any, draw: Any, key: Any, *, dtype: str) -> Any:
    """Uniform numbers in [0, 1) that are independent of ``random_unit``: the last 64 bits of each block."""
    return _unit(_bits(index, draw, key, 1), dtype)


@elemwise(
    c="(({T})eq_scaled__{T}({bits}, {n}))",
    signature="i,i->i",
    cost=Cost(flops=12),
)
def scaled_bits(bits: Any, n: Any) -> Any:
    """Random bits as an integer below n: the upper half of the 128-bit product. Source: Lemire 2019."""
    kind = bits.dtype
    bits, n = bits.astype(np.uint64), n.astype(np.uint64)
    high, low = bits >> _WORD, bits & _LOW
    above, below = n >> _WORD, n & _LOW
    middle = high * below + (low * below >> _WORD)
    other = low * above + (middle & _LOW)
    return (high * above + (middle >> _WORD) + (other >> _WORD)).astype(kind)


@elemwise(
    c=_converted("eq_binomial__{T}({u}, {n}, {p})"),
    signature="f,f,f->d",
    parameters={"dtype": DTYPE},
    cost=Cost(flops=300, vector=False),
)
def binomial_draw(u: Any, n: Any, p: Any, *, dtype: str) -> Any:
    """Successes in n trials of chance p for a uniform number u, by chopping u down outwards from the mode.

    No trials, a chance below 0 or NaN gives 0, a chance above 1 gives n. Source: Kemp 1986, A modal method for
    generating binomial variables.
    """
    from scipy.special import gammaln

    u, n, p = np.broadcast_arrays(*(np.asarray(v, float) for v in (u, n, p)))
    n = np.floor(n)
    known = (n > 0) & (n < 9e15) & (p > 0) & ~np.isnan(u)
    result = np.where(known & (p >= 1), n, 0.0)
    active = known & (p < 1)
    where = np.flatnonzero(active)
    left, n, p = (v.reshape(-1)[where] for v in (u, n, p))
    up = np.floor((n + 1) * p)
    above = np.exp(
        gammaln(n + 1) - gammaln(up + 1) - gammaln(n - up + 1) + up * np.log(p) + (n - up) * np.log1p(-p)
    )
    state = {
        "left": left - above,
        "n": n,
        "odds": p / (1 - p),
        "up": up,
        "down": up,
        "above": above,
        "below": above,
    }
    state["mode"], state["where"] = up, where
    flat = result.reshape(-1)
    while state["where"].size:
        _chop(state, flat)
    return flat.reshape(result.shape).astype(np.int64).astype(dtype)


def _chop(s: dict[str, Any], result: Any) -> None:
    """One step down and one step up from the mode; elements that are decided leave the state."""

    def settle(done: Any, value: Any) -> None:
        result[s["where"][done]] = value[done]
        for name in s:
            s[name] = s[name][~done]

    settle((s["left"] < 0) | ((s["below"] <= 0) & (s["above"] <= 0)), s["mode"])
    can = s["down"] > 0
    s["below"] = np.where(can, s["below"] * (s["down"] / ((s["n"] - s["down"] + 1) * s["odds"])), 0)
    s["down"] = s["down"] - can
    s["left"] = s["left"] - s["below"]
    settle(s["left"] < 0, s["down"])
    can = s["up"] < s["n"]
    s["above"] = np.where(can, s["above"] * ((s["n"] - s["up"]) / (s["up"] + 1) * s["odds"]), 0)
    s["up"] = s["up"] + can
    s["left"] = s["left"] - s["above"]
    settle(s["left"] < 0, s["up"])
