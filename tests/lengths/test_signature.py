"""Signatures: their notation, and what they say about operands of some lengths."""

from __future__ import annotations

from typing import Any

import pytest

from eqsat.errors import DeclarationError
from eqsat.lengths.bound import Bound, bind
from eqsat.lengths.expression import At, Known, Value, clip, greatest, least
from eqsat.lengths.signature import parse

N = None


def bound(text: str, *shapes: Any, names: str = "xyz", **parameters: Any) -> Bound:
    return bind(parse(text), names, shapes, tuple(parameters.items()))


@pytest.mark.parametrize(
    ("text", "shapes", "parameters", "results"),
    [
        ("(m,k),(k,n)->(m,n)", [(2, 3), (3, N)], {}, [(2, N)]),
        ("(b,m),(b,n)->(b,m)", [(N, 3), (7, 2)], {}, [(7, 3)]),
        ("(...,n,n)->(...,n)", [(4, 5, N, 3)], {}, [(4, 5, 3)]),
        ("(...,n),(...,n)->(...)", [(1, 5, 3), (4, 1, 3)], {}, [(4, 5)]),
        ("(...,n),(...,n)->(...)", [(1, 3), (1, 3)], {}, [(1,)]),
        ("(...,m,n)->(...,m,min(m,n)),(...,min(m,n))", [(2, 4, 3)], {}, [(2, 4, 3), (2, 3)]),
        ("(m),(n)->(m+n-1)", [(4,), (3,)], {}, [(6,)]),
        ("(m),(n)->(m+n-1)", [(4,), (N,)], {}, [(N,)]),
        ("(m,n)->(m*n,max(m,n),clip(m,0,2),m//2)", [(4, 5)], {}, [(20, 5, 2, 2)]),
        ("(n)->(n,?)", [(4,)], {}, [(4, N)]),
        ("(n)->(parts+1)", [(4,)], {"parts": 2}, [(3,)]),
        ("x->x", [(2, N, 1)], {}, [(2, N, 1)]),
        ("x,x->x", [(2, N), (N, 3)], {}, [(2, 3)]),
        ("x,_->x", [(2,), (7, 8, 9)], {}, [(2,)]),
        ("x->x[axes:=1]", [(2, 3, 4)], {"axes": (0, 2)}, [(1, 3, 1)]),
        ("x->x[axis:=?]", [(2, 3, 4)], {"axis": 1}, [(2, N, 4)]),
        ("(n,x...),(n)->(x...)", [(2, 3, 4), (2,)], {}, [(3, 4)]),
        ("(x...,n)->(n,x...)", [(2, 3, 4)], {}, [(4, 2, 3)]),
        ("x,()*->x", [(2, 3), (), ()], {}, [(2, 3)]),
        ("()->()", [()], {}, [()]),
        ("x->x?", [(2, 3)], {}, [(N, N)]),
        ("(b,c,x...),(f,d,y...)->(b,f,x?...)", [(2, 3, 4), (5, 3, 2)], {}, [(2, 5, N)]),
    ],
)
def test_lengths_of_results(text: str, shapes: Any, parameters: Any, results: Any) -> None:
    assert bound(text, *shapes, **parameters).shapes(shapes) == results


@pytest.mark.parametrize(
    ("text", "shapes", "place"),
    [
        ("(m,k),(k,n)->(m,n)", [(2, 3), (4, N)], ((1, 0), (0, 1), 4, 3)),
        ("(...,n,n)->(...)", [(2, 3)], ((0, 1), (0, 0), 3, 2)),
        ("x,x->x", [(2, 3), (2, 1)], ((1, 1), (0, 1), 1, 3)),
        ("(...,n),(...,n)->(...)", [(4, 2), (3, 2)], ((1, 0), (0, 0), 3, 4)),
        ("(n,n+1)->(n)", [(2, 4)], ((0, 1), None, 4, 3)),
        ("(parts)->(parts)", [(2,)], ((0, 0), None, 2, 3)),
        ("(3)->()", [(2,)], ((0, 0), None, 2, 3)),
    ],
)
def test_lengths_that_must_be_equal(text: str, shapes: Any, place: Any) -> None:
    parameters = {"parts": 3} if "parts" in text else {}
    conflict = bound(text, *shapes, **parameters).conflict(shapes)
    assert conflict is not None and conflict[1:] == place


def test_an_axis_broadcasts_only_where_its_length_is_one_by_type() -> None:
    found = bound("(...,n),(...,n)->(...)", (1, N), (N, N))
    assert found.results == ((At(((1, 0),)),),) and found.conflict([(4, 2), (3, 2)]) is None
    found = bound("(...,n),(...,n)->(...)", (N, N), (N, N))
    assert found.conflict([(1, 2), (3, 2)]) is not None


def test_the_value_of_an_operand_may_be_a_length() -> None:
    found = bound("(m,x...),()->(n,x...)", (N, 3), (), names=("x", "n"))
    assert found.results == ((Value(1), At(((0, 1),))),)
    assert found.shapes([(9, 3), ()], {1: 4}) == [(4, 3)] and found.shapes([(9, 3), ()]) == [(N, 3)]


def test_expressions_become_what_they_are_equal_to() -> None:
    n = At(((0, 0),))
    assert n + 0 == n and 1 * n == n and least(n, n) == n and greatest(2, 3) == Known(3)
    assert clip(n, 0, 4).text({0: "x"}) == "min(x.shape[0], 4)"
    assert ((2 * n - 1) // 3).text({0: "x"}) == "(x.shape[0] * 2 - 1) // 3"


@pytest.mark.parametrize(
    "text",
    [
        "(m,k),(k,n)->(m,n)",
        "(...,n,n)->(...)",
        "x->x[axes:=1]",
        "x,()*->x",
        "(n,x...)->x",
        "(b,x...)->(b,x?...)",
        "x->x?",
    ],
)
def test_a_signature_is_written_as_it_was_read(text: str) -> None:
    assert str(parse(text)) == text and parse(f" {text} ".replace("->", " -> ")) == parse(text)


@pytest.mark.parametrize(
    "text", ["", "(m,n)", "(m->(n)", "(m)->", "(m),,(n)->(m)", "()*,x->x", "(n,...)->(n)", "(...,x...)->()", "x->x*"]
)  # fmt: skip
def test_what_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        parse(text)


@pytest.mark.parametrize("text", ["(n)->(m)", "(n)->(n**2)", "(n)->(n+)", "(n)->(f(n))", "(n)->(1.5)"])
def test_what_is_no_length_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        bound(text, (3,))
