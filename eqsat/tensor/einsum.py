"""Sums of products in Einstein's notation, as numpy.einsum, lowered to products of matrices and plain sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from eqsat.base.configuration import config
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.dtypes import BOOL, promote
from eqsat.graph.ops.diagonal import diagonal_op
from eqsat.graph.ops.elemwise import and_, mul
from eqsat.graph.ops.linalg import batched_op, dot_op
from eqsat.graph.ops.reduce import any_op, sum_op
from eqsat.graph.ops.reshape import reshape
from eqsat.graph.ops.shape import dimshuffle
from eqsat.tensor.products import grouped, lengths_of

Label = str | int  # a letter, or a number for an axis behind an ellipsis


@dataclass
class Term:
    """A tensor with a label for each axis; no label stands twice."""

    tensor: Any
    labels: list[Label]


def einsum(subscripts: str, *operands: Any) -> Any:
    """Sum of products: ``"ij,jk->ik"`` is a matrix product, ``"ii"`` a trace, ``"...ij->...ji"`` a transpose.

    Axes with one letter are multiplied index by index; letters that the result does not have are summed. Without
    an arrow the result has the letters that stand once, in alphabetical order. Pairs are contracted in the
    order that costs least at each step.

    Shapes   einsum("bij,bjk->bik", f[b, i, j], f[b, j, k]) -> f[b, i, k]
    Errors   ArgumentError for subscripts that do not fit; ShapeError where known lengths differ

    >>> import eqsat.tensor as T
    >>> x, y = T.matrix("x"), T.matrix("y")
    >>> T.einsum("ij,jk->ik", x, y).eval({x: [[1.0, 2.0]], y: [[3.0], [4.0]]})
    array([[11.]])
    """
    tensors = [as_tensor(v) for v in operands]
    lists, result = _parsed(subscripts, tensors)
    dtype = promote(*(v.dtype for v in tensors))
    terms = [_without_repeats(cast_to(v, dtype), labels) for v, labels in zip(tensors, lists, strict=True)]
    lengths = _lengths(subscripts, terms)
    terms = [_squeezed(t, lengths) for t in terms]
    while len(terms) > 1:
        i, j = _cheapest(terms, result, lengths)
        rest = [t for k, t in enumerate(terms) if k not in (i, j)]
        kept = {*result, *(label for t in rest for label in t.labels)}
        terms = [*rest, _contract(_summed(terms[i], kept, terms[j]), _summed(terms[j], kept, terms[i]), kept)]
    return _arranged(_summed(terms[0], set(result)), result)


# ----------------------------------------------------------------------------------------------- reading the text


def _parsed(subscripts: Any, tensors: Sequence[Any]) -> tuple[list[list[Label]], list[Label]]:
    """Labels of each operand and of the result."""
    if not isinstance(subscripts, str):
        raise ArgumentError(
            f"einsum: the subscripts are text, not {subscripts!r}", hint="einsum('ij,jk->ik', x, y)"
        )
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(tensors):
        raise _mistake(subscripts, f"{len(parts)} terms for {len(tensors)} operands", tensors)
    behind = [
        v.ndim - len(p.replace("...", "")) if "..." in p else 0 for p, v in zip(parts, tensors, strict=True)
    ]
    lists = [_labels(subscripts, p, n, tensors) for p, n in zip(parts, behind, strict=True)]
    for part, labels, v in zip(parts, lists, tensors, strict=True):
        if len(labels) != v.ndim or len(part.replace("...", "")) > v.ndim:
            raise _mistake(subscripts, f"{part!r} for {v} with {v.ndim} dimensions", tensors)
    if arrow:
        result = _labels(subscripts, right, max(behind) if "..." in right else 0, tensors)
    else:
        flat = [label for labels in lists for label in labels]
        letters = sorted(x for x in set(flat) if isinstance(x, str) and flat.count(x) == 1)
        result = [*range(max(behind) - 1, -1, -1), *letters]
    known = {label for labels in lists for label in labels}
    if (
        len(set(result)) != len(result)
        or not known.issuperset(result)
        or (not set(range(max(behind))) <= set(result))
    ):
        raise _mistake(subscripts, f"the result {right!r} repeats, lacks or invents an axis", tensors)
    return lists, result


def _labels(subscripts: str, part: str, behind: int, tensors: Sequence[Any]) -> list[Label]:
    """Labels of one term; axes behind an ellipsis are numbered from the right."""
    head, dots, tail = part.partition("...")
    if not (head + tail).isalpha() and head + tail:
        raise _mistake(subscripts, f"{part!r} holds something that is not a letter", tensors)
    return [*head, *(range(behind - 1, -1, -1) if dots else ()), *tail]


def _mistake(subscripts: str, what: str, tensors: Sequence[Any]) -> ArgumentError:
    return ArgumentError(
        f"einsum: {subscripts!r}: {what}",
        operands=[(v.name or f"operand {k}", v) for k, v in enumerate(tensors)],
        needs="letters for all axes of each operand, as in 'ij,jk->ik' or '...ij->...ji'",
    )


# ------------------------------------------------------------------------------------------------ single tensors


def _without_repeats(x: Any, labels: Sequence[Label]) -> Term:
    """A term in which each label stands once: equal labels take the diagonal."""
    found = list(labels)
    while len(set(found)) < len(found):
        label = next(x for x in found if found.count(x) > 1)
        first = found.index(label)
        second = found.index(label, first + 1)
        m, n = x.type.shape[first], x.type.shape[second]
        if m is not None and n is not None and m != n:
            raise ShapeError(
                f"einsum: the axes {label!r} of {x} have the lengths {m} and {n}", operands=[(str(x), x)]
            )
        x = diagonal_op(x, pattern=(0, first, second))
        found = [a for k, a in enumerate(found) if k not in (first, second)] + [label]
    return Term(x, found)


def _lengths(subscripts: str, terms: Sequence[Term]) -> dict[Label, int | None]:
    """Length of each label: None where it is unknown, 1 only where it is 1 in every term."""
    found: dict[Label, int | None] = {}
    for term in terms:
        for label, n in zip(term.labels, term.tensor.type.shape, strict=True):
            old = found.get(label, 1)
            if old not in (1, None) and n not in (1, None) and old != n:
                raise ShapeError(
                    f"einsum: {subscripts!r}: the axes {label!r} have the lengths {old} and {n}",
                    operands=[(str(t.tensor), t.tensor) for t in terms],
                )
            found[label] = n if old == 1 or (old is None and n not in (1, None)) else old
    return found


def _squeezed(term: Term, lengths: dict[Label, int | None]) -> Term:
    """The term without axes of length 1 that broadcast against longer ones."""
    shape = term.tensor.type.shape
    kept = [k for k, label in enumerate(term.labels) if not (shape[k] == 1 and lengths[label] != 1)]
    return Term(dimshuffle(term.tensor, *kept), [term.labels[k] for k in kept])


def _summed(term: Term, kept: set[Label], other: Term | None = None) -> Term:
    """The term summed over the labels that nothing else has."""
    needed = kept | set(other.labels if other else ())
    axes = tuple(k for k, label in enumerate(term.labels) if label not in needed)
    if not axes:
        return term
    total = (any_op if term.tensor.dtype == BOOL else sum_op)(term.tensor, axes=axes)
    left = [k for k in range(total.ndim) if k not in axes]
    return Term(dimshuffle(total, *left), [term.labels[k] for k in left])


def _arranged(term: Term, result: Sequence[Label]) -> Any:
    return dimshuffle(term.tensor, *(term.labels.index(label) for label in result))


# --------------------------------------------------------------------------------------------------------- pairs


def _cheapest(
    terms: Sequence[Term], result: Sequence[Label], lengths: dict[Label, int | None]
) -> tuple[int, int]:
    """The pair of terms whose product takes the fewest multiplications; of equal ones the smaller result."""
    best: tuple[float, float, int, int] | None = None
    for i in range(len(terms)):
        for j in range(i + 1, len(terms)):
            rest = {*result, *(x for k, t in enumerate(terms) if k not in (i, j) for x in t.labels)}
            both = {*terms[i].labels, *terms[j].labels}
            key = (_count(both, lengths), _count(both & rest, lengths), i, j)
            best = key if best is None or key < best else best
    assert best is not None
    return best[2:]


def _count(labels: Iterable[Label], lengths: dict[Label, int | None]) -> float:
    total = 1.0
    for label in labels:
        n = lengths[label]
        total *= config.default_length if n is None else n
    return total


def _contract(a: Term, b: Term, kept: set[Label]) -> Term:
    """Product of two terms, summed over the labels that are in both and not kept."""
    both = [x for x in a.labels if x in b.labels]
    summed = [x for x in both if x not in kept]
    batch = [x for x in both if x in kept]
    left = [x for x in a.labels if x not in both]
    right = [x for x in b.labels if x not in both]
    if not summed or not (left or right or not batch):
        return _multiplied(a, b, [*batch, *left, *right, *summed], len(summed))
    x = grouped(a.tensor, *_places(a, batch, left, summed))
    y = grouped(b.tensor, *_places(b, batch, summed, right))
    product = batched_op(x, y) if batch else dot_op(x, y)
    return _regrouped(product, a, b, batch, left, right)


def _places(term: Term, *groups: Sequence[Label]) -> list[list[int]]:
    """Axes of groups of labels; a first group that is empty is left out."""
    places = [[term.labels.index(x) for x in group] for group in groups]
    return places if places[0] else places[1:]


def _regrouped(
    product: Any, a: Term, b: Term, batch: list[Label], left: list[Label], right: list[Label]
) -> Term:
    """The product with an axis for each label."""
    labels = [*batch, *left, *right]
    groups = [batch, left, right] if batch else [left, right]
    if all(len(group) <= 1 for group in groups):
        return Term(dimshuffle(product, *(k for k, group in enumerate(groups) if group)), labels)
    lengths = [
        *lengths_of(a.tensor, (a.labels.index(x) for x in (*batch, *left))),
        *lengths_of(b.tensor, (b.labels.index(x) for x in right)),
    ]
    return Term(reshape(product, lengths, ndim=len(lengths)), labels)


def _multiplied(a: Term, b: Term, order: list[Label], summed: int) -> Term:
    """Elementwise product with an axis for each label, and the sum over the last of them."""
    x, y = (
        dimshuffle(t.tensor, *(t.labels.index(k) if k in t.labels else "x" for k in order)) for t in (a, b)
    )
    product = and_(x, y) if x.dtype == BOOL else mul(x, y)
    return _summed(Term(product, order), set(order[: len(order) - summed]))
