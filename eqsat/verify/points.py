"""Points at which a rule is tried: values, shapes, dtypes and parameters inside or outside its condition."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import prod
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.graph.declare import OPS, Cost
from eqsat.graph.dtypes import BOOL, FLOATS
from eqsat.rules.condition import EITHER
from eqsat.rules.facts import FACTS, lengths
from eqsat.rules.pattern import Meta, Number, Parameter, Term, Value, subterms
from eqsat.rules.rule import Rule
from eqsat.verify.draws import of_rule, one_of
from eqsat.verify.matrix_points import (
    about_matrices,
    draw_matrices,
    draw_new_shapes,
    matrix_shapes,
    takes_square,
)
from eqsat.verify.part_points import draw_parts, named_lengths
from eqsat.verify.sides import POINTS, Array, Floats, NoSuchCall, Point, Side, Undefined
from eqsat.verify.signature_points import apart_along_one, has_products, of_stacks, product_shapes
from eqsat.verify.window_points import draw_windows, has_windows

POOL = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -7.0, 1e-8, -1e-8, 1e-17, -1e-17, 40.0, -40.0]
ENDS = [800.0, -800.0, 720.0, -720.0, 1e5, 1e300, -1e300, 1e-300, -1e-300, 5e-324, 1.7e308, 1e155, 1e-155]
FAR = [5e3, -2e4]  # from ordinary numbers, and from the ends of the exponent
INFINITIES = [np.inf, -np.inf]
NOT_NUMBERS = [*INFINITIES, np.nan]
CONSTANTS = [2.0, 0.5, -1.0, 3.0, 4.0, 8.0, 0.1, -0.25, 1e-5, 1e20, 1.0, 0.0, 6.0, 1e35, 5.0]
SPREAD, NEAR_SPREAD = np.array([0.3, 3.0, 300.0]), np.array([0.3, 3.0, 30.0])
OUTSIDE = [2.5, 1e200, 1e-200, -3.0, 1e16, 0.3, 100.0, 1e-320]


@cache
def float_pool(dtype: str, backward: bool) -> Array:
    """Values worth trying: ordinary ones, infinities, and for rules that are not ``backward`` the ends of the exponent and NaN."""
    more = (
        FAR + INFINITIES if backward else ENDS + NOT_NUMBERS + [88.7, -88.7, 1e38, 1e-38, 1e-45, 16777217.0]
    )
    with np.errstate(all="ignore"):
        return np.array(POOL + more, dtype)


def draw_floats(rng: Any, dtype: str, shape: tuple[int, ...], backward: bool) -> Array:
    """Half from the pool, half random over some decades."""
    count = prod(shape)
    chosen = rng.choice(float_pool(dtype, backward), count)
    spread = rng.choice(NEAR_SPREAD if backward else SPREAD, count)
    with np.errstate(all="ignore"):
        fresh = (rng.normal(size=count) * spread).astype(dtype)
    return np.where(rng.random(count) < 0.5, chosen, fresh).astype(dtype).reshape(shape)


def draw(rng: Any, dtype: str, shape: tuple[int, ...], backward: bool) -> Array:
    """Values of any dtype."""
    if dtype in FLOATS:
        return draw_floats(rng, dtype, shape, backward)
    if dtype == BOOL:
        return rng.random(shape) < 0.5
    info = np.iinfo(dtype)
    wide = rng.integers(info.min, info.max, size=shape, endpoint=True, dtype=dtype)
    return np.where(rng.random(shape) < 0.6, rng.integers(0, 4, size=shape).astype(dtype), wide).astype(dtype)


def facts_of(rule: Rule) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """The facts of a rule's condition."""
    return rule.when.facts if rule.when is not None else ()


@of_rule
def uniform_metas(rule: Rule) -> set[str]:
    """Metavariables that must be a known number."""
    found = {args[0].name for name, args in facts_of(rule) if name in ("uniform", "single")}
    for _, args in facts_of(rule):
        found |= value_metas(args[0]) if isinstance(args[0], Value) else set()
    for p in subterms(rule.right):
        found |= value_metas(p) if isinstance(p, Value) else set()
    return found


def value_metas(v: Value) -> set[str]:
    """Metavariables in a Value."""
    return {a.name for a in v.args if isinstance(a, Meta)}.union(
        *(value_metas(a) for a in v.args if isinstance(a, Value))
    )


def steer(rule: Rule, values: dict[str, Array], rng: Any) -> None:
    """Move drawn values into the condition of a rule."""
    with np.errstate(all="ignore"):
        several = rule.choices if len(rule.choices) > 1 else []  # the draws of other rules stay as they are
        for fact, args in several[int(rng.integers(0, len(several)))].facts if several else facts_of(rule):
            if not isinstance(args[0], Meta) or args[0].name not in values:
                continue
            v = values[args[0].name]
            if v.dtype.kind != "f":
                continue
            if (into := FACTS[fact].into) is not None:
                given = [values[a.name] if isinstance(a, Meta) else v.dtype.type(a) for a in args[1:]]
                moved = into(v, *given)
                for meta, new in zip(args, moved if isinstance(moved, tuple) else (moved,), strict=False):
                    old = values[meta.name]
                    values[meta.name] = new.astype(old.dtype) if old.dtype.kind == "f" else old


def answered(rule: Rule, point: Point) -> bool:
    """True where the functions of parameters on the right have a result; elsewhere the rule does not match."""
    side = Side(point)
    for p in subterms(rule.right):
        for value in p.params if isinstance(p, Term) else ():
            try:
                side.parameter(value)
            except (NoSuchCall, IndexError):  # the left side does not fit the parameters either
                return False
    return True


def holds(rule: Rule, point: Point) -> bool:
    """True for a point inside the condition of a rule."""
    return all(holds_at(fact, args, point) for fact, args in facts_of(rule))


def holds_at(fact: str, args: tuple[Any, ...], point: Point) -> bool:
    """True for a point at which a fact is true of its operands."""
    if fact == EITHER:
        return any(all(holds_at(name, of, point) for name, of in one.facts) for one in args)
    try:
        operands = [_operand(a, point) for a in args]
    except Undefined:
        if fact != "computed":
            raise
        operands = [None]
    return bool(FACTS[fact].holds(*operands))


def _operand(arg: Any, point: Point) -> Any:
    if isinstance(arg, Meta):
        return point.values[arg.name]
    if isinstance(arg, Term):
        return np.asarray(Floats(point).run(arg))
    return Side(point).value(arg) if isinstance(arg, Value) else Side(point).parameter(arg)


def parameter_kinds(rule: Rule) -> dict[str, str]:
    """Kind of each parameter metavariable of the left side."""
    found: dict[str, str] = {}
    for p in (q for left, _ in rule.pairs for q in subterms(left)):
        if isinstance(p, Term):
            for value, kind in zip(p.params, OPS[p.op].parameters.values(), strict=True):
                if isinstance(value, Parameter):
                    found[value.name] = kind.name
    return found


PATTERNS: list[tuple[Any, ...]] = [
    (1, 0),
    (0, 1),
    ("x", 0),
    (0, "x"),
    (0,),
    (1,),
    ("x", 1, 0),
    (2, 0, 1),
    (1, "x"),
    (),
]
PICKS = [(0,), (0, -1), (-1, 0), (0, -1, -1), (-1, 0, -1)]
DTYPES = ["float64", "float32", "int32", "int8", "bool"]


@of_rule
def is_elementwise(rule: Rule) -> bool:
    """True for a rule in which every op works element by element."""
    return all(
        OPS[p.op].kind == "elemwise"
        for side in (rule.left, rule.right)
        for p in subterms(side)
        if isinstance(p, Term)
    )


def _rank_by_signature(op: str) -> int | None:
    """The most axes of an operand of an op whose signature fixes all numbers of axes; 2 for those of matrices."""
    shapes = OPS[op].shapes
    if takes_square(op) or (OPS[op].of_matrices and not OPS[op].form_of):
        return 2
    fixed = [] if shapes is None or any(axes.rest for axes in shapes.operands) else shapes.operands
    return max((len(axes.before) for axes in fixed), default=0) or None


@of_rule
def rank_of(rule: Rule) -> int | None:
    """The rank that the condition of a rule, or its ops, ask of the metavariables; None where any will do."""
    asked = [args[1] for fact, args in facts_of(rule) if fact == "rank"]
    ops = [p.op for side in (rule.left, rule.right) for p in subterms(side) if isinstance(p, Term)]
    return next(iter([*asked, *filter(None, map(_rank_by_signature, ops))]), None)


@of_rule
def ranks_of(rule: Rule) -> dict[str, int]:
    """The rank that the condition asks of each metavariable."""
    return {args[0].name: args[1] for fact, args in facts_of(rule) if fact == "rank"}


def draw_shapes(rule: Rule, rng: Any) -> dict[str, tuple[int, ...]]:
    """Random shapes: ranks 0 to 3, lengths 0 to 3 and those that the rule names, a third of them broadcasting."""
    known, ranks = rank_of(rule), ranks_of(rule)
    if about_matrices(rule) and not of_stacks(rule) and rng.random() < 0.8:
        drawn = matrix_shapes(rule, rng)
        return with_rows(rule, fitted(rule, drawn, rng), rng)
    ndim = 2 if rng.random() < 0.4 else int(rng.integers(0 if is_elementwise(rule) else 1, 4))
    ndim = ndim if known is None else known
    free = rng.random() < 0.9
    named = named_lengths(rule)  # the draws of rules that name none stay as they are
    usual = named if named and rng.random() < 0.5 else (2, 3, 1) if free else (0, 1, 2)
    common = [one_of(rng, usual) for _ in range(max([ndim, *ranks.values()]))]
    names = sorted(m.name for m in rule.metas)
    shapes = {n: tuple(1 if rng.random() < 0.3 else k for k in common) for n in names}
    shapes = {n: s[: ranks.get(n, ndim)] for n, s in shapes.items()}
    if has_products(rule):
        shapes |= product_shapes(rule, rng)
    elif len(names) > 1 and not is_elementwise(rule) and rng.random() < 0.3:
        shapes = apart_along_one(shapes, rng)
    return with_rows(rule, fitted(rule, shapes, rng), rng)


def fitted(rule: Rule, shapes: dict[str, tuple[int, ...]], rng: Any) -> dict[str, tuple[int, ...]]:
    """Shapes of which those axes are longer than 1, or not, that the condition asks to be so, at most points of a scheme."""
    asked = facts_of(rule) if rule.scheme and rng.random() < 0.7 else ()
    square = any(fact == "closes" for fact, _ in asked)
    for fact, args in asked:
        axes = args[1] if len(args) > 1 and isinstance(args[1], tuple) else ()
        old = shapes.get(getattr(args[0], "name", ""), ())
        wanted = {"covers": 2, "invariant": 1}.get(fact)
        if fact == "one_element":
            axes, wanted = tuple(range(len(old))), 1
        if old and wanted is not None:
            longer = max((n for s in shapes.values() for n in s), default=2) if square else 0
            many = [
                max(2, max((s[a] for s in shapes.values() if a < len(s)), default=2), longer)
                for a in range(len(old))
            ]
            new = (((many[a] if wanted > 1 else 1) if a in axes else n) for a, n in enumerate(old))
            shapes[args[0].name] = tuple(new)
    return shapes


def with_rows(rule: Rule, shapes: dict[str, tuple[int, ...]], rng: Any) -> dict[str, tuple[int, ...]]:
    """Shapes that fit where rows are picked by a vector of indices: as many rows of the value as there are indices."""
    terms = [p for p in subterms(rule.left) if isinstance(p, Term) and p.op == "add_rows"]
    for _, factor, value, index in (p.args for p in terms):
        count = int(rng.integers(0, 5))
        shapes[factor.name] = (1,) * len(shapes[factor.name])
        shapes[value.name] = (count, *shapes[value.name][1:])
        shapes[index.name] = (count,)
    return shapes


def keep_inside(rule: Rule, values: dict[str, Array], rng: Any) -> None:
    """Draw indices of rows among the rows that there are."""
    for p in subterms(rule.left):
        if isinstance(p, Term) and p.op == "add_rows":
            base = p.args[0].args[0] if isinstance(p.args[0], Term) else p.args[0]
            rows, name = values[base.name].shape[0], p.args[3].name
            count = values[name].shape if rows else (0,)
            values[name] = rng.integers(-rows, max(rows, 1), count)


OF_LETTERS = {"f": "float", "n": "number", "i": "whole", "?": "bool"}


def takes_steps(rule: Rule) -> bool:
    """True for a law of all ops about one that computes element by element: some take as many steps as a number is large."""
    costs = [OPS[p.op].cost for p in subterms(rule.left) if isinstance(p, Term)]
    return bool(rule.scheme) and any(isinstance(c, Cost) and not c.vector for c in costs)


def asked_domains(rule: Rule) -> dict[str, str]:
    """The domains of metavariables for any tensor by the elementwise ops that they are operands of, perhaps moved."""
    found: dict[str, str] = {}
    for left, _ in rule.pairs:
        stack: list[tuple[Any, str]] = [(left, "")]
        while stack:
            item, asked = stack.pop()
            if isinstance(item, Meta) and asked:
                found[item.name] = asked
            elif isinstance(item, Term):
                stack += zip(item.args, asked_operands(item, asked))
    return found


def asked_operands(term: Term, asked: str) -> list[str]:
    """The domain of each operand of a term, by the op, or by what is asked of the result where that has the dtype of the operand."""
    letters, _, out = OPS[term.op].signature.partition("->")
    names = letters.split(",") if letters else [""] * len(term.args)
    return [OF_LETTERS.get(name, asked if name == out else "") for name in names]


def domains(rule: Rule) -> list[dict[str, str]]:
    """Dtypes for the metavariables: floats, and integers where the rule speaks of them."""
    metas = sorted(rule.metas, key=lambda m: m.name)
    asked = asked_domains(rule)
    kinds = {m.name: asked.get(m.name, m.domain) if m.domain == "any" else m.domain for m in metas}
    fixed = {"bool": BOOL, "index": "int64", "place": "int64", "shape": "int64"}
    groups = [
        {n: fixed.get(k, main) for n, k in kinds.items()}
        for main in ("float64", "float32", "int8", "int64", "uint8", BOOL)
        if all(_is_of(main, k) for k in kinds.values())
    ]
    return groups or [  # floats beside integers
        {n: fixed.get(k, main if _is_of(main, k) else whole) for n, k in kinds.items()}
        for main, whole in (("float64", "int64"), ("float32", "int8"), ("float64", "uint8"))
    ]


def _is_of(dtype: str, domain: str) -> bool:
    """True for a dtype of a domain; those that have one dtype of their own stand beside any."""
    allowed = {
        "float": dtype in FLOATS,
        "int": dtype not in FLOATS and dtype != BOOL,
        "number": dtype != BOOL,
        "whole": dtype not in FLOATS,
    }
    return allowed.get(domain, True)


# --------------------------------------------------------------------------------------------------- sweep


@dataclass
class Failure:
    """A point at which a rule does not do what it promises."""

    rule: Rule
    point: Point
    why: str
    untried: bool = False  # no point was found, which says nothing of the rule

    def __str__(self) -> str:
        return f"{self.rule}\n  at    {self.point}\n  {self.why}"


OTHER = {"float64": "float32", "float32": "float64"}


@cache
def models_of(rule: Rule) -> frozenset[str]:
    """The metavariables of which a filling takes nothing but the shape, so that their dtype may be another."""
    fills = [p for left, _ in rule.pairs for p in subterms(left) if isinstance(p, Term) and p.op == "fill"]
    return frozenset(p.args[0].name for p in fills if isinstance(p.args[0], Meta))


def points(rule: Rule, count: int, seed: int = 0, inside: bool | None = True) -> Iterator[Point]:
    """Points of a rule: inside its condition, outside (``inside=False``), or wherever they fall (None)."""
    rng = np.random.default_rng([seed, *rule.name.encode()])
    groups, kinds, fixed = domains(rule), parameter_kinds(rule), uniform_metas(rule)
    backward = "backward" in rule.tags or takes_steps(rule)
    if not rule.metas and not kinds:  # of numbers alone, which are the same at every point
        yield from (Point({}, dtype=dtype) for dtype in FLOATS if inside is not False)
        return
    made = tries = 0
    while made < count and tries < 60 * count:
        tries += 1
        dtypes = groups[
            min(int(rng.integers(0, len(groups) + 2)), len(groups) - 1)
            if len(groups) < 3
            else tries % len(groups)
        ]
        if tries % 4 == 0:
            dtypes = {**dtypes, **{n: OTHER[dtypes[n]] for n in models_of(rule) if dtypes[n] in OTHER}}
        shapes = draw_shapes(rule, rng)
        params: dict[str, Any] = {}
        if has_windows(kinds):
            shapes, params = draw_windows(rule, rng, kinds)
        if "part" in kinds.values():
            params = draw_parts(rule, rng, shapes, kinds, draw_parameter)
        if is_elementwise(rule) and tries % 3:
            shapes = dict.fromkeys(shapes, (POINTS,))
        values = {n: draw(rng, dtypes[n], shapes[n], backward) for n in shapes}
        keep_inside(rule, values, rng)
        for meta in sorted(rule.metas, key=lambda m: m.name):  # sets have another order in each process
            if meta.domain == "place":
                drawn = rng.integers(-2, 3)
                values[meta.name] = np.asarray(known_places(rule).get(meta.name, drawn) if inside else drawn)
        for name in sorted(fixed & set(values)):
            pool = CONSTANTS + (OUTSIDE if inside is not True else [])
            whole = values[name].dtype.kind != "f"
            shape = (1,) * len(shapes[name]) if tries % 2 else shapes[name]
            if rule.scheme or not whole:
                number = rng.integers(0, 4) if whole else rng.choice(pool)
                with np.errstate(all="ignore"):
                    values[name] = np.full(shape, number, values[name].dtype)
        if any(values[n].size == 0 for n in fixed & set(values)):
            continue
        echo(values, fixed, rng)
        if tries % 3 == 0:
            put_numbers(rule, values, fixed, rng)
        draw_matrices(rule, values, rng)
        if inside:
            steer(rule, values, rng)
        elif tries % 4 == 0:
            huge(values, rng)
        params = params or {n: draw_parameter(rule, rng, k, shapes) for n, k in kinds.items()}
        draw_new_shapes(rule, values, params, rng)
        if inside:
            average(rule, values, params)
        point = Point(values, params)
        try:
            fits = answered(rule, point) and (inside is None or holds(rule, point) == inside)
        except (Undefined, OverflowError):
            fits = False
        if fits:
            made += 1
            yield point


@cache
def known_places(rule: Rule) -> dict[str, int]:
    """The places that a condition wants to be 0 or 1."""
    numbers = {"zero": 0, "filled_with_one": 1}
    return {args[0].name: numbers[fact] for fact, args in facts_of(rule) if fact in numbers}


def average(rule: Rule, values: dict[str, Array], params: dict[str, Any]) -> None:
    """Let a number be one over the count of what it is to average."""
    for fact, args in facts_of(rule):
        if fact == "averages":
            c, x, axes = values[args[0].name], values[args[1].name], params[args[2].name]
            count = float(prod(lengths(x, axes)))
            values[args[0].name] = np.full((1,) * c.ndim, 1 / count if count else 1.0, c.dtype)


def echo(values: dict[str, Array], fixed: set[str], rng: Any) -> None:
    """Let some elements repeat those of another metavariable, with either sign, so that differences cancel."""
    names = sorted(n for n in values if n not in fixed and values[n].dtype.kind == "f")
    for one, other in zip(names[1:], names):
        if values[one].shape == values[other].shape:
            sign = rng.choice([1.0, -1.0], values[one].shape).astype(values[one].dtype)
            values[one] = np.where(rng.random(values[one].shape) < 0.25, values[other] * sign, values[one])


@cache
def numbers_of(rule: Rule) -> tuple[float, ...]:
    """The numbers that stand in a rule."""
    sides = [q for pair in rule.pairs for side in pair for q in subterms(side)]
    return tuple(sorted({float(q.value) for q in sides if isinstance(q, Number)}))


def put_numbers(rule: Rule, values: dict[str, Array], fixed: set[str], rng: Any) -> None:
    """Let some elements be the numbers that stand in the rule: what it says of one of them is tried at it."""
    numbers = [v for v in numbers_of(rule) if np.isfinite(v)]
    for name, v in values.items():
        if numbers and name not in fixed and v.dtype.kind == "f":
            with np.errstate(over="ignore"):  # of a number that is infinite in this dtype
                number = v.dtype.type(rng.choice(numbers))
            values[name] = np.where(rng.random(v.shape) < 0.25, number, v)


def huge(values: dict[str, Array], rng: Any) -> None:
    """Replace floats by ones near the end of the exponent, and by small factors."""
    for name, v in values.items():
        if v.dtype.kind == "f":
            top = np.finfo(v.dtype).max
            values[name] = np.array(rng.choice([0.9, -0.9, 0.6, -0.7, 0.0], v.shape) * top, v.dtype)
            if rng.random() < 0.4:
                values[name] = np.array(rng.choice([0.25, 0.5, -0.125], v.shape[:0] + (1,) * v.ndim), v.dtype)


def draw_parameter(rule: Rule, rng: Any, kind: str, shapes: dict[str, tuple[int, ...]]) -> Any:
    """A value for a parameter metavariable."""
    if kind == "axes":
        ndim = max((len(s) for s in shapes.values()), default=0)
        chosen = [a for a in range(ndim) if rng.random() < 0.6]
        return tuple(chosen or ([int(rng.integers(0, ndim))] if ndim else []))
    if kind == "pattern":
        return PATTERNS[int(rng.integers(0, len(PATTERNS)))]
    if kind == "diagonal":
        return (one_of(rng, (0, 0, 0, 1, -1)), 0, 1)
    if kind == "pick":
        two = any(isinstance(p, Term) and p.op == "gather_3" for p in subterms(rule.left))
        if two:
            return (0, 1) if rng.random() < 0.7 else (-1, 0, 1)
        return PICKS[int(rng.integers(0, len(PICKS)))]
    if kind in ("object", "text"):
        return "drawn"
    if kind == "dtype":
        return DTYPES[int(rng.integers(0, len(DTYPES)))]
    return int(rng.integers(0, 3))
