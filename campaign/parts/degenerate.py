"""Degenerate expressions (x - x, 0 * x, x / x, infinities, lengths of 1) beside plain outputs, which must stay as written.

Most run in mode ``numpy``, which takes the same e-graph as ``FAST_RUN`` without a compiler.
"""

from __future__ import annotations

import random

from campaign.arrays import random_input
from campaign.check import check
from campaign.compilers import quick
from campaign.digest import finding
from campaign.pool import Pool, Refused
from campaign.program import Program
from campaign.trial import Trial

UNIT = "functions"
COMPILED = 25  # one function of so many is compiled

NULLARY = ["0.0", "1.0", "-1.0", "2.0", "0.5", "np.inf", "-np.inf", "np.nan", "1e300", "-0.0", "1e-300"]
ZEROS = [
    "{a} - {a}", "{a} * 0.0", "0.0 * {a}", "{a} * {z}", "{z} * {z}", "T.zeros_like({a})", "-{z}", "{z} + {z}", "T.sqr({z})",
    "{a} - T.switch({c}, {a}, {a})", "{a} - ({a} + {z})", "{z} - {z}", "T.abs({z})", "({a} + 1.0) - {a} - 1.0", "T.sqrt({z})",
    "{a} - {a}.max({axis}, keepdims=True)", "{a}.var({axis}, keepdims=True)", "{a}.std({axis}, keepdims=True)", "{a} - {a}.mean({axis}, keepdims=True)",
    "T.log({o})", "T.floor({z})", "T.minimum({z}, T.abs({a}))", "T.fill({a}, 0.0)", "{z} * {k}", "T.sin({z})", "T.tanh({z})", "T.expm1({z})", "T.log1p({z})",
    "{a} * ({b} - {b})", "{a} // {b} - {a} // {b}", "T.clip({a}, 0.0, 0.0)", "{a} % 1.0", "T.sgn({z})", "{z} / {k}", "{z} / {b}", "T.dot({z}, T.ones_like({a}).T)",
]  # fmt: skip
ONES = [
    "{a} / {a}", "T.exp({z})", "{a} ** 0.0", "{a} ** {z}", "T.cos({z})", "1.0 ** {a}", "T.ones_like({a})", "{o} * {o}", "T.softmax({a}, {axis})",
    "{b} / {b}", "{o} + {z}", "{o} ** {k}", "T.sgn(T.exp({a}))", "{a} / ({a} + {z})", "1.0 / {o}", "T.cosh({z})", "T.eq({a}, {a}) * 1.0", "T.sqr(T.sgn({a}))",
    "(T.exp({a}) / T.exp({a}).sum({axis}, keepdims=True))", "{o} - {z}", "T.switch(T.eq({z}, 0), {o}, {a})", "{o} / {o}",
]  # fmt: skip
MIXED = [
    "({a} / {z}) * {z}", "{a} / {z}", "{a} * {z} / {z}", "{z} / {z}", "{a} / {z} / {z}", "({a} * {b}) / {b}", "({a} / {b}) * {b}", "{a} + {k}", "{a} * {k}", "{a} / {k}",
    "({a} + {k}) - {k}", "({a} - {k}) + {k}", "({a} * {k}) / {k}", "{k} / {a}", "{k} - {a}", "{z} / {a}", "{o} / {z}", "T.switch({c}, {a}, {b})", "T.switch(T.eq({z}, 0), {a}, {b} / {z} * {z})",
    "{a} + {z}", "{a} * {o}", "{a} ** {o}", "{a} / {o}", "{a} - {z}", "T.log(T.exp({a}))", "T.exp(T.log({a}))", "T.sqrt(T.sqr({a}))", "T.sqr(T.sqrt({a}))",
    "T.maximum({a}, {b})", "T.minimum({a}, {b})", "T.maximum({a}, -np.inf)", "T.minimum({a}, np.inf)", "T.reciprocal({z})", "T.log({z})", "{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} / {b}",
    "{a}.sum({axis}, keepdims=True)", "{a}.prod({axis}, keepdims=True)", "{a}.max({axis}, keepdims=True)", "{a}.min({axis}, keepdims=True)", "{a}.mean({axis}, keepdims=True)",
    "({a} - {a}.mean({axis}, keepdims=True)) / {a}.std({axis}, keepdims=True)", "({a} / {b}.std({axis}, keepdims=True)) * {b}.std({axis}, keepdims=True)", "T.log_softmax({a}, {axis})", "T.logsumexp({a}, {axis}, keepdims=True)",
    "T.cumsum({a}, {axis})", "{a}[::-1]", "{a}.T", "T.concatenate([{a}, {b}], {axis})", "{a}[:1]", "{a}[1:]", "{a}[0]", "T.abs({a})", "T.sgn({a})", "T.isnan({a})", "T.isinf({a})", "T.sum(({a} * {z}) / {k})",
    "({a} - {b}) + {b}", "({a} + {b}) - {b}", "T.dot({a}, {b}.T)", "T.dot({z}, {a}.T)", "{a} * {a} / {a}", "{a} ** 2.0 / {a}", "{a} * (1.0 / {a})", "T.mod({a}, {z})", "{a} // {z}", "{a} // {a}", "T.sigmoid({a} / {z})", "T.clip({a} / {z}, -1.0, 1.0)",
    "({a} * {z}) / {b}", "({a} / {z}) / ({b} / {z})", "({z} * {a}) / ({z} * {b})", "T.exp({a} / {z})", "T.log({a} / {a})", "({a} / {b}) * ({b} / {a})", "({a} / {b}) / ({a} / {b})", "{a} - {b} * ({a} / {b})", "T.xlogy({z}, {z})", "{z} ** {z}",
]  # fmt: skip
PLAIN = [
    "T.exp({v})", "T.log(1 + T.exp({v}))", "T.sum({v})", "{v} + 1.5", "T.tanh({v} * 0.7)", "T.sqrt(T.abs({v}) + 2.0)", "{v} * {w}", "{v} - {w}", "{v} / (2.0 + T.sqr({w}))", "T.sigmoid({v})", "T.sin({v}) * 2.0",
    "T.sum(T.exp({v} * 0.5))", "T.log(3.0 + {v} * {v})", "T.maximum({v}, {w}) * 1.25", "{v}.mean() * 3.0", "T.softplus({v})", "T.abs({v} - 0.25)", "2.5 - {v}", "T.exp(-T.sqr({v}))", "T.arange(5) * {v}.sum()", "{v}", "T.zeros_like({v}) + 0.75",
]  # fmt: skip
SHAPES: list[tuple[int, ...]] = [(), (3,), (1,), (1, 3), (3, 1), (1, 1), (2, 3), (0,)]


class Grower(Pool):
    """Grows degenerate values of one shape, and plain ones."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.shape = rng.choice(SHAPES)
        dtype = rng.choice(["float64", "float64", "float64", "float32"])
        for name in ("v0", "v1"):
            self.add_input(random_input(rng, name, dtype, self.shape, known=0.3, special=0.15))
        self.roles: dict[str, list[str]] = {"a": ["v0", "v1"], "z": [], "o": []}
        for role, texts in (("z", ZEROS), ("o", ONES)):
            while not self.roles[role]:
                self.step(rng.choice([t for t in texts if "{z}" not in t and "{o}" not in t]), role)

    def operand(self, role: str) -> str:
        """A name, an index or a number for a place in a text."""
        rng = self.rng
        if role == "k":
            return rng.choice(NULLARY)
        if role == "axis":
            return str(rng.randrange(len(self.shape)) if self.shape and rng.random() < 0.8 else None)
        if role == "c":
            return (
                f"T.{rng.choice(['gt', 'eq', 'le'])}({self.operand('a')}, {self.operand(rng.choice('az'))})"
            )
        names = self.roles["a" if role in "ab" else role]
        return rng.choice(names if names else ["v0"])

    def step(self, text: str, role: str) -> str | None:
        """Add a step and remember what it is; None where it is refused."""
        try:
            filled = text.format(**{r: self.operand(r) for r in ("a", "b", "c", "k", "z", "o", "axis")})
            name = self.add(filled)
        except Refused:
            return None
        if self.value(name).shape == self.shape or role != "a":
            self.roles[role].append(name)
            if role != "a":
                self.roles["a"].append(name)
        return name

    def degenerate(self) -> str | None:
        role, texts = self.rng.choice([("z", ZEROS), ("o", ONES), ("a", MIXED), ("a", MIXED), ("a", MIXED)])
        return self.step(self.rng.choice(texts), role)

    def plain(self) -> str | None:
        text = self.rng.choice(PLAIN)
        try:
            return self.add(text.format(v="v0", w="v1")) if text != "{v}" else None
        except Refused:
            return None


def grow(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    grower = Grower(rng)
    made = [grower.degenerate() for _ in range(rng.randint(2, 9))]
    odd = [m for m in dict.fromkeys(made) if m]
    plain = [m for m in (grower.plain() for _ in range(rng.randint(1, 3))) if m]
    kept = rng.sample(odd, min(len(odd), rng.randint(1, 4)))
    outputs = [*kept, *plain] or ["v0"]
    rng.shuffle(outputs)
    return grower.program(outputs)


def mode_of(seed: int) -> str:
    return "FAST_RUN" if seed % COMPILED == COMPILED - 1 else "numpy"


def trial(seed: int) -> Trial:
    """One function."""
    program = grow(seed)
    result = Trial(1)
    result.count("outputs", len(program.outputs))
    result.count(mode_of(seed))
    with quick():
        failure = check(program, [mode_of(seed)], seed)
        if failure is not None:
            result.failed = 1
            found = finding(program, failure)
            result.findings += [found] if found else []
    return result
