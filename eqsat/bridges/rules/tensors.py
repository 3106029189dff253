"""Laws of whole tensors as TASO and Tensat write them: matmul, conv2d, concat, split and the like, of a known rank."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import reduce
from itertools import product
from operator import and_
from typing import Any, TypeAlias

from eqsat import tensor as T
from eqsat.base.brackets import Steps, evaluated
from eqsat.base.one_of_equals import Equals
from eqsat.base.values import dataclass
from eqsat.bridges.rules.files import Line
from eqsat.errors import ArgumentError, EqsatError, RuleError
from eqsat.rules.facts import alike, equal_lengths
from eqsat.rules.metavars import metavars
from eqsat.rules.public import rule
from eqsat.rules.rule import Rule
from eqsat.tensor.prefix_notation import function_of
from eqsat.tensor.signal.pool import pool_2d

NUMBERED = re.compile(r"\w+_\d+")
SAME, VALID = "0", "1"  # as TASO numbers ways to pad
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "0": lambda x: x,
    "1": T.sigmoid,
    "2": T.nnet.relu,
    "3": T.tanh,
}
OPEN = {  # values of a parameter that a law leaves open
    "axis": ("0", "1"),
    "activation": ("0", "2"),
    "padding": (SAME, VALID),
    "stride": ("1",),
    "kernel": ("3",),
}
WINDOW = ("kernel", "kernel", "stride", "stride", "padding")


Length: TypeAlias = "tuple[Any, int]"  # that of a metavariable along an axis
Lengths: TypeAlias = "frozenset[tuple[Length, Length]]"  # pairs of those that are equal


@dataclass(frozen=True)
class Value:
    """A tensor, and where it is cut by ``split`` along an axis: behind the first part of the last ``concat``.

    ``lengths`` says of an axis which variable has the same length along which axis, ``same`` and ``met`` which lengths are to be
    equal for the tensor to exist: TASO repeats nothing. Those in ``met`` are of joins and products, which repeat nothing here either.
    """

    tensor: Any
    cuts: dict[int, Any] = field(default_factory=dict)
    lengths: dict[int, Length] = field(default_factory=dict)
    same: Lengths = frozenset()
    met: Lengths = frozenset()


@dataclass(frozen=True)
class Form:
    """An op of TASO: the kinds of its parameters, which stand first, and its meaning."""

    parameters: tuple[str, ...]
    meaning: Callable[..., Value]


FORMS: dict[str, Form] = {}


def form(
    *names: str, parameters: Sequence[str] = ()
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register the meaning of an op under its names: it takes the words of its parameters, then values."""

    def register(meaning: Callable[..., Value]) -> Callable[..., Value]:
        FORMS.update(dict.fromkeys(names, Form(tuple(parameters), meaning)))
        return meaning

    return register


def of_elements(made: Any, a: Value, b: Value) -> Value:
    """A result of two tensors of one shape."""
    same = pairs(a, b, [(k, k) for k in a.lengths])
    return Value(
        made, {**b.cuts, **a.cuts}, {**b.lengths, **a.lengths}, a.same | b.same | same, a.met | b.met
    )


def pairs(a: Value, b: Value, axes: Sequence[tuple[int, int]]) -> Lengths:
    """The known lengths of two tensors along axes of them, which are to be equal."""
    known = [(a.lengths[k], b.lengths[n]) for k, n in axes if k in a.lengths and n in b.lengths]
    return frozenset((x, y) for x, y in known if x != y)


@form("ewadd")
def ewadd(a: Value, b: Value) -> Value:
    """The sum of two tensors of one shape."""
    return of_elements(a.tensor + b.tensor, a, b)


@form("ewmul")
def ewmul(a: Value, b: Value) -> Value:
    """The product of the elements of two tensors of one shape."""
    return of_elements(a.tensor * b.tensor, a, b)


@form("smul", "scalar_mul", "mul")
def smul(a: Value, b: Value) -> Value:
    """A tensor times a number."""
    return replace(a, tensor=a.tensor * b.tensor)


@form("relu")
def relu(a: Value) -> Value:
    """max(x, 0)."""
    return replace(a, tensor=T.nnet.relu(a.tensor))


@form("tanh")
def tanh(a: Value) -> Value:
    """The hyperbolic tangent."""
    return replace(a, tensor=T.tanh(a.tensor))


@form("sigmoid")
def sigmoid(a: Value) -> Value:
    """1 / (1 + exp(-x))."""
    return replace(a, tensor=T.sigmoid(a.tensor))


@form("transpose")
def transpose(a: Value) -> Value:
    """A matrix with its axes changed."""
    if a.tensor.type.ndim != 2:
        raise ArgumentError("transpose is of matrices")
    cuts, lengths = ({1 - axis: found for axis, found in known.items()} for known in (a.cuts, a.lengths))
    return replace(a, tensor=a.tensor.T, cuts=cuts, lengths=lengths)


def product_of(made: Any, *sources: tuple[Value, int], met: Lengths = frozenset()) -> Value:
    """A result whose first axes are axes of its operands; ``met`` are the lengths of the axes that it sums over."""
    cuts = {k: v.cuts[axis] for k, (v, axis) in enumerate(sources) if axis in v.cuts}
    lengths = {k: v.lengths[axis] for k, (v, axis) in enumerate(sources) if axis in v.lengths}
    return Value(made, cuts, lengths, *asked([v for v, _ in sources], met))


def asked(operands: Sequence[Value], met: Lengths = frozenset()) -> tuple[Lengths, Lengths]:
    """The lengths that operands ask to be equal, with those that meet in an op of them."""
    return frozenset().union(*(v.same for v in operands)), met.union(*(v.met for v in operands))


@form("matmul", parameters=["activation"])
def matmul(activation: str, a: Value, b: Value) -> Value:
    """The product of two matrices, and a function of its elements."""
    return product_of(
        ACTIVATIONS[activation](T.dot(a.tensor, b.tensor)), (a, 0), (b, 1), met=pairs(a, b, [(1, 0)])
    )


@form("conv2d", parameters=["stride", "stride", "padding", "activation"])
def conv2d(down: str, right: str, padding: str, activation: str, x: Value, w: Value) -> Value:
    """The correlation of images with kernels, and a function of its elements."""
    steps = int(down), int(right)
    if padding == SAME and steps != (1, 1):
        raise ArgumentError("conv2d that keeps the size of images has no form here for steps above 1")
    border = "half" if padding == SAME else "valid"
    made = T.nnet.conv2d(x.tensor, w.tensor, border_mode=border, subsample=steps, filter_flip=False)
    return product_of(ACTIVATIONS[activation](made), (x, 0), (w, 0), met=pairs(x, w, [(1, 1)]))


def pooled(mode: str) -> Callable[..., Value]:
    """The meaning of a pooling."""

    def pool(high: str, wide: str, down: str, right: str, padding: str, x: Value) -> Value:
        sizes, steps = (int(high), int(wide)), (int(down), int(right))
        pad = tuple(size // 2 for size in sizes) if padding == SAME else (0, 0)
        if padding == SAME and steps != (1, 1):
            raise ArgumentError("pooling that keeps the size of images has no form here for steps above 1")
        made = pool_2d(x.tensor, sizes, ignore_border=True, stride=steps, pad=pad, mode=mode)
        return product_of(made, (x, 0), (x, 1))

    return pool


form("poolmax", "pool2d_max", parameters=WINDOW)(pooled("max"))
form("poolavg", "pool2d_avg", parameters=WINDOW)(pooled("average_inc_pad"))


@form("concat", parameters=["axis"])
def concat(axis: str, *parts: Value) -> Value:
    """Tensors joined along an axis."""
    made = T.concatenate([p.tensor for p in parts], axis=int(axis))
    others = {a: cut for p in reversed(parts) for a, cut in p.cuts.items() if a != int(axis)}
    lengths = {a: length for p in parts for a, length in p.lengths.items() if a != int(axis)}
    cuts = {**others, int(axis): parts[0].tensor.shape[int(axis)]}
    met = frozenset().union(
        *(pairs(parts[0], p, [(a, a) for a in p.lengths if a != int(axis)]) for p in parts)
    )
    return Value(made, cuts, lengths, *asked(parts, met))


def half(first: bool) -> Callable[..., Value]:
    """The meaning of one part of a split."""

    def part(axis: str, x: Value) -> Value:
        if int(axis) not in x.cuts:
            raise ArgumentError("split of what was not joined has no lengths")
        cut = x.cuts[int(axis)]
        taken = slice(None, cut) if first else slice(cut, None)
        cuts, lengths = ({a: v for a, v in known.items() if a != int(axis)} for known in (x.cuts, x.lengths))
        return replace(x, tensor=x.tensor[(*(slice(None),) * int(axis), taken)], cuts=cuts, lengths=lengths)

    return part


form("split_0", parameters=["axis"])(half(True))
form("split_1", parameters=["axis"])(half(False))


@form("const_one", "Iewmul")
def ones() -> Value:
    """A tensor of ones, of whatever shape."""
    return Value(T.constant(1.0))


UNSAID = {
    "enlarge": "pads a kernel to a size that is not written",
    "merge": "joins the groups of a convolution, which has no form here",
    **dict.fromkeys(("const_imm", "Imatmul"), "is a unit matrix of unknown size"),
    **dict.fromkeys(("const_iconv", "Iconv"), "is a kernel of an unknown number of channels"),
    **dict.fromkeys(("const_pool", "Cpool"), "is a kernel of an unknown number of channels"),
}


def name_of(head: Any) -> str:
    """The name of an op without the number of its result, which matters to a split alone."""
    name = str(head)
    return name if name in FORMS or not NUMBERED.fullmatch(name) else name.rpartition("_")[0]


def says_tensors(lines: Sequence[Line]) -> bool:
    """True for a file of laws of whole tensors."""
    heads = {name_of(f[0]) for line in lines for side in (line.left, line.right) for f in brackets(side)}
    return any(head in FORMS and function_of(head) is None for head in heads)


def brackets(side: Any) -> Iterator[list[Any]]:
    """All brackets of a side."""
    stack = [side]
    while stack:
        part = stack.pop()
        if isinstance(part, list) and part:
            yield part
            stack.extend(part[1:])


def parts_of(f: list[Any]) -> tuple[list[str], list[Any]]:
    """The words of the parameters of a bracket, and its operands; what some files leave out or say twice is made alike."""
    name, rest = name_of(f[0]), list(f[1:])
    if (
        name.startswith("split_")
        and len(rest) == 1
        and isinstance(rest[0], list)
        and rest[0][:1] == ["split"]
    ):
        rest = rest[0][1:]
    if name == "matmul" and len(rest) == 2:
        rest = ["0", *rest]
    if name == "concat" and len(rest) > 3 and str(rest[1]).isdigit():
        del rest[1]  # the rank
    if name == "transpose":
        del rest[1:]  # the order of axes, which is that of matrices
    count = len(FORMS[name].parameters)
    if not all(isinstance(w, str) for w in rest[:count]):
        raise ArgumentError(f"{name} of {len(f) - 1} operands has no form here")
    return rest[:count], rest[count:]


def condition(lefts: Sequence[Value], rights: Sequence[Value]) -> Any:
    """The condition on lengths under which both sides exist, and nothing is repeated.

    No length that has to be equal to another one is 1 where the other is not. Those that the right sides alone need to be equal are.
    """
    same, met = asked(lefts)
    known = Equals()
    for x, y in (*same, *met):
        known.join(x, y)
    wanted = []
    for x, y in sorted(
        frozenset().union(*asked(rights)), key=lambda pair: [(v.name, axis) for v, axis in pair]
    ):
        if known.root(x) != known.root(y):
            known.join(x, y)
            wanted.append((x, y))
    found = [alike(x.meta, y.meta, axes) for x, y, axes in along_axes(same)]
    found += [equal_lengths(x.meta, y.meta, axis) for x, y, axes in along_axes(wanted) for axis in axes]
    return reduce(and_, found) if found else None


def along_axes(lengths: Iterable[tuple[Length, Length]]) -> list[tuple[Any, Any, tuple[int, ...]]]:
    """Pairs of variables, and the axes along which lengths of both are paired."""
    axes: dict[tuple[Any, Any], set[int]] = {}
    for (x, along), (y, other) in lengths:
        if along == other and x is not y:
            first, second = sorted((x, y), key=lambda v: str(v.name))
            axes.setdefault((first, second), set()).add(along)
    found = sorted(axes.items(), key=lambda item: [v.name for v in item[0]])
    return [(x, y, tuple(sorted(along))) for (x, y), along in found]


class Tensors:
    """Reads the sides of a line, or of several lines whose left sides are matched together."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.pairs = [(line.left, line.right) for line in lines]
        self.fixed: dict[str, str] = {}  # the values of parameters that are left open
        self.variables: dict[str, Any] = {}

    def rules(self, name: str, tier: str) -> list[Rule]:
        """A rule for each choice of values for the parameters that are left open.

        Errors   ArgumentError or RuleError with the reason why there is none
        """
        left_open = self.left_open()
        made, why = [], None
        for k, values in enumerate(product(*(OPEN[kind] for kind in left_open.values()))):
            self.fixed = dict(zip(left_open, values, strict=True))
            try:
                made.append(self.rule(name if not left_open else f"{name}-{k + 1}", tier))
            except EqsatError as error:
                why = why or error
        if not made and why is not None:
            raise why
        return made

    def rule(self, name: str, tier: str) -> Rule:
        """The rule at the rank that the ops ask for, or the first at which it can be read."""
        why: EqsatError | None = None
        for ndim in self.ranks():
            self.variables = self.declared(ndim)
            try:
                sides = [[evaluated(self.steps, side) for side in pair] for pair in self.pairs]
                lefts, rights = (tuple(v.tensor for v in side) for side in zip(*sides, strict=True))
                when = condition(*zip(*sides, strict=True))
                if len(lefts) > 1:
                    return rule(name, lefts, rights, when=when, tier=tier)
                return rule(name, lefts[0], rights[0], when=when, tier=tier)
            except EqsatError as error:
                why = error
        raise why or RuleError("no rank is known")

    def ranks(self) -> Sequence[int | None]:
        """The ranks to be tried: of images, that which joins state, or any and then that of matrices."""
        forms = [f for pair in self.pairs for side in pair for f in brackets(side)]
        if any(name_of(f[0]).startswith(("conv", "pool")) for f in forms):
            return (4,)
        stated = [
            int(f[2]) for f in forms if name_of(f[0]) == "concat" and len(f) > 4 and str(f[2]).isdigit()
        ]
        return stated[:1] or (None, 2)

    def declared(self, ndim: int | None) -> dict[str, Any]:
        """A metavariable for each word that is no number and no parameter; a factor of ``smul`` has rank 0."""
        made: dict[str, Any] = {}
        scalars = {
            word
            for pair in self.pairs
            for side in pair
            for f in brackets(side)
            if FORMS.get(name_of(f[0])) is FORMS["smul"]
            for word in words_of(f[-1])
        }
        for word in (w for pair in self.pairs for side in pair for w in words_of(side)):
            name = word.lstrip("?")
            taken = word in made or word in self.fixed or word in FORMS or word in UNSAID
            if not taken and name.isidentifier():
                made[word] = metavars(name, ndim=0 if word in scalars else ndim)
        return made

    def left_open(self) -> dict[str, str]:
        """The words that stand for parameters, with their kinds."""
        found: dict[str, str] = {}
        for f in (f for pair in self.pairs for side in pair for f in brackets(side)):
            if (name := name_of(f[0])) in FORMS:
                kinds = FORMS[name].parameters
                found |= {w: kind for w, kind in zip(parts_of(f)[0], kinds, strict=False) if not w.isdigit()}
        return found

    def steps(self, f: Any) -> Steps:
        """The value of a form; it asks for those of its parts."""
        if isinstance(f, str):
            return self.leaf(f)
        name = name_of(f[0])
        if name not in FORMS:
            raise ArgumentError(f"{name} {UNSAID.get(name, 'has no form here')}")
        words, rest = parts_of(f)
        words = [self.fixed.get(w, w) for w in words]
        operands = []
        for part in rest:
            operands.append((yield (part,)))
        try:
            return FORMS[name].meaning(*words, *operands)
        except (TypeError, KeyError, ValueError) as error:
            if isinstance(error, EqsatError):
                raise
            raise ArgumentError(f"{name} of {len(f) - 1} operands has no form here") from None

    def leaf(self, word: str) -> Value:
        """A variable, or a tensor that a word names."""
        if word in self.variables:
            v = self.variables[word]
            return Value(v, lengths={axis: (v, axis) for axis in range(v.rank or 0)})
        if word not in FORMS:
            raise ArgumentError(f"{word} {UNSAID.get(word, 'is no tensor')}")
        return FORMS[word].meaning()


def words_of(side: Any) -> list[str]:
    """The words of a side that are no heads and no numbers."""
    found = [side] if isinstance(side, str) else []
    found += [w for f in brackets(side) for w in f[1:] if isinstance(w, str)]
    return [w for w in dict.fromkeys(found) if not w.isdigit()]
