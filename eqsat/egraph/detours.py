"""Detours: sums of two multiples of one number that are a smaller multiple than one of them, as ``x = 2 * x - x``.

Where values are linear combinations of each other, as ``softplus(x) = softplus(-x) + x``, laws on multiples that stand beside
other terms find ``x = 2 * x - x``, then ``x = 3 * x - 2 * x``, and so on without end. Such an e-node is a way to compute its
class, but rules match it no further. For each group of which it is declared what repeats its operation, ``times_<op>(e, x, n)``
says that e is x n times; of products, these are powers.

Twins are of the same kind: ``x * c`` and ``x * d`` in one class, where c and d differ by what numbers were rounded. Laws that
divide by one and multiply by the other would find a third number, and so on; rules match one of them only.

Two more of the kind: a class that is an operand of itself, and classes that are one since an op that undoes itself makes one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eqsat.egraph.packed import VARIED
from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.rule import HIDDEN
from eqsat.rules.schemes.groups import groups, inverse_of, symbol


def detour_rules(ops: Iterable[str], known: Iterable[str]) -> list[str]:
    """The analysis for some ops beside known ones; none for a group without an op that repeats elements."""
    new, old, lines = set(ops), set(known), []
    for d in groups():
        if d.repeats not in OPS or not symbol(d) or not symbol(OPS[d.inverse]):
            continue
        told, z = list(stated(d)), OPS[d.inverse]
        several = {op for op, n, _ in told if n not in (1, -1)}
        if several.isdisjoint(new | old):
            continue
        first = several.isdisjoint(old)
        fresh = new | old if first else new
        lines += [f"(relation times_{d.name} (T T f64))"] if first else []
        lines += [_fact(body, f"(times_{d.name} e x {n})") for op, n, body in told if op in fresh]
        lines += [line for o, sign in ((d, "+"), (z, "-")) if o.name in fresh for line in detours(d, o, sign)]
    return lines


def stated(d: Declaration) -> Iterator[tuple[str, str | float, str]]:
    """The ops by which it is seen what repeats an element, each with how many times and the body of a rule."""
    r, (i, _) = OPS[d.repeats], inverse_of(d)
    for operands in ("x k", "k x") if r.commutative else ("x k",):
        yield r.name, "n", f"(= e (o_{r.name} {operands})) (= n (cval k))"
    if i is not None:  # of what has other multiples: graphs without such do without the rest
        yield i.name, -1.0, f"(= e (o_{i.name} x)) (times_{d.name} y x m)"
    for f in OPS.values() if r.name == "pow" else ():
        if f.power is not None and f.power != -1:
            yield f.name, float(f.power), f"(= e (o_{f.name} x))"


def detours(d: Declaration, o: Declaration, sign: str) -> list[str]:
    """The rules that let nothing match detours by one of the operations of a group any more."""
    term, times = f"(o_{o.name} u v)", f"times_{d.name}"
    ways = [
        (f"({times} u e a) ({times} v e b)", "a", "b", "1.0"),
        (f"({times} v u b) ({times} e u n)", "1.0", "b", "n"),
        (f"({times} u v a) ({times} e v n)", "a", "1.0", "n"),
        (f"({times} u x a) ({times} v x b) ({times} e x n)", "a", "b", "n"),
    ]
    return [
        _fact(
            f"(= e {term}) {found} (= {n} ({sign} {a} {b})) (< (abs {n}) (max (abs {a}) (abs {b})))",
            f"(subsume {term})",
        )
        for found, a, b, n in ways
    ]


def twin_rules(ops: Iterable[str]) -> list[str]:
    """Rules for some ops that of an operand with different numbers, which give one result, let one be matched."""
    neutral = {name: d.neutral for d in groups() for name in (d.name, d.inverse)}
    lines = []
    for name in sorted(neutral.keys() & set(ops)):
        alone = neutral[name]
        if alone is None or not symbol(OPS[name]):
            continue
        for operands in ("{} {}", "{1} {0}") if OPS[name].commutative else ("{} {}",):
            itself, one, other = (f"(o_{name} {operands.format(*xs)})" for xs in ("ek", "xk", "xj"))
            kept = f"(= e {itself}) (= a (cval k)) (!= a {float(alone)}) (= 0 (& {VARIED} (info e)))"
            both = f"(= e {one}) (= e {other}) (= a (cval k)) (= b (cval j)) (!= a b)"
            lines += [
                _fact(kept, f"(subsume {itself})"),
                _fact(f"{both} (> {_odd('a')} {_odd('b')})", f"(subsume {one})"),
                _fact(f"{both} (= {_odd('a')} {_odd('b')}) (> a b)", f"(subsume {one})"),
            ]
    return lines


def alike_rules(d: Declaration) -> list[str]:
    """The rule that operands of an op that undoes itself are one where its results are: ``-x = -y`` gives ``x = y``.

    The rule that it undoes itself finds that out only where the op is applied twice. Until then, what moves the op out of
    operands would move it out of each of them.
    """
    if d.undoes != d.name or d.poles:
        return []
    found = f"(= e (o_{d.name} x)) (= e (o_{d.name} y)) (!= x y)"
    return [f'(rule ({found}) ((union x y)) :ruleset shrink :name "{HIDDEN}{d.name}-{d.name}/alike")']


def self_rules(d: Declaration) -> list[str]:
    """Rules that exclude a class that contains itself (e = op(e, ...)) from matching; otherwise it yields ever larger equal terms.

    Such an e-node is no way to compute its class, and what rules move out of operands they would move out of it without end.
    A filling may have itself as the model: only its shape is asked for.
    """
    if d.kind != "elemwise" or len(d.tensors) < 2 or d.name == "fill":
        return []
    names = [f"x{i}" for i in range(len(d.tensors))]
    parameters = [f"p{i}" for i in range(len(d.parameters))]
    terms = [[*names[:i], "e", *names[i + 1 :], *parameters] for i in range(len(names))]
    texts = [f"(o_{d.name} {' '.join(operands)})" for operands in terms]
    return [f"(rule ((= e {text})) ((subsume {text})) :ruleset facts)" for text in texts]


def _odd(v: str) -> str:
    """The distance of a number from one with five bits less; it is 0 for most numbers that users write."""
    return f"(abs (- {v} (- (* 33.0 {v}) (- (* 33.0 {v}) {v}))))"


def _fact(body: str, head: str) -> str:
    """A rule of the analysis."""
    return f"(rule ({body}) ({head}) :ruleset facts)"
