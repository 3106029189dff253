"""Groups of a page: by scope, line and what repeats; no line leads out of one and back; each op stands in one of them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.core import one_line
from eqsat.graph.walk import toposort
from eqsat.inspect.comparison.comparison_page import graph_page
from eqsat.inspect.loop_facts import op_count
from eqsat.inspect.page.groups import MOST, Group, grouped
from eqsat.inspect.page.repeats import find_repeats
from eqsat.inspect.page.shape_arithmetic import shape_arithmetic

x = T.dvector("x")


def data_of(text: str) -> list[Any]:
    found = re.search(r'id="graphs">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return list(json.loads(found[1]))


def levels(level: Any) -> Iterator[Any]:
    """A level of the data of a graph and all inside."""
    stack = [level]
    while stack:
        now = stack.pop()
        yield now
        stack += [item["f"] for item in now["items"] if "f" in item]


def titles(group: Group) -> list[str]:
    return [m.title if isinstance(m, Group) else str(m.op) for m in group.members]


def grouping(*outputs: Any) -> Group:
    return grouped(toposort(outputs), {}, shape_arithmetic(outputs))


def layers(names: list[str]) -> Any:
    v = x
    for name in names:
        with eqsat.name_scope(name):
            with eqsat.name_scope("attention"):
                v = T.exp(T.sin(v))
            v = T.cos(v)
    return v


def test_scopes_are_groups_within_groups() -> None:
    whole = grouping(layers(["block0", "block1"]))
    assert titles(whole) == ["block0", "block1"]
    first: Any = whole.members[0]
    assert titles(first) == ["attention", "cos"] and first.why == "scope"


def test_gradients_are_a_second_group_of_their_scope() -> None:
    cost = T.sum(layers(["a", "b"]))
    whole = grouping(cost, T.grad(cost, x))
    assert [t for t in titles(whole) if t in "ab"] == ["a", "b", "b", "a"]


@pytest.mark.parametrize("names", [[f"block{k}" for k in range(40)], [f"{k}" for k in range(30)]])
def test_many_equal_scopes_are_one_group(names: list[str]) -> None:
    (only,) = (m for m in grouping(T.sqr(layers(names))).members if isinstance(m, Group))
    assert only.why == "repeat" and only.title == f"block × {len(names)}"


def test_lines_are_groups_where_there_are_no_scopes() -> None:
    v = x
    for line in ("a.py:1", "b.py:2", "a.py:3"):
        with one_line(line):
            for k in range(30):
                v = (T.sin, T.exp, T.cos, T.tanh, T.sqr)[k * k % 5](v)
    assert titles(grouping(v)) == ["a.py:1", "b.py:2", "a.py:3"]


def test_what_repeats_is_a_group_with_odd_ops_around() -> None:
    with one_line("a.py:1"):
        v = T.sqr(T.erf(x))
        for _ in range(12):
            v = T.tanh(T.dot(T.exp(v), T.outer(v, v)) + T.cos(v))
        v = T.log1p(v)
    repeat = next(m for m in grouping(v).members if isinstance(m, Group))
    assert repeat.why == "repeat" and repeat.title == "block × 12"
    sizes = {len(list(m.ops())) for m in repeat.members if isinstance(m, Group)}
    assert len(repeat.members) == 12 and len(sizes) == 1


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ("", []),
        ("abcd", []),
        ("ab" * 2, []),
        ("ab" * 3, [(0, 2, 3)]),
        ("xaby" + "abcabcabc" + "zzzzzz", [(4, 3, 3), (13, 1, 6)]),
        ("aaaaaaaa", [(0, 1, 8)]),
    ],
)
def test_repeats(labels: str, found: list[tuple[int, int, int]]) -> None:
    assert [(r.start, r.period, r.times) for r in find_repeats(labels)] == found


def test_a_repeat_is_what_it_says() -> None:
    dice = random.Random(3)
    for _ in range(300):
        labels = "".join(dice.choice("abc") for _ in range(dice.randrange(40)))
        end = 0
        for r in find_repeats(labels):
            assert (
                r.start >= end and labels[r.start : r.end] == labels[r.start : r.start + r.period] * r.times
            )
            end = r.end


def random_graph(seed: int, size: int) -> list[Any]:
    """Ops over a few inputs, in scopes and on lines at random, with reshapes and lengths among them."""
    dice = random.Random(seed)
    values: list[Any] = [x, T.dvector("y"), T.constant(np.ones(3))]
    scopes, lines = ["a", "b", "a/c", "b/c/d", "e"], ["p.py:1", "p.py:2", "q.py:1"]
    for _ in range(size):
        with eqsat.name_scope(dice.choice(scopes)), one_line(dice.choice(lines)):
            v, w = dice.choice(values[-12:]), dice.choice(values)
            made = (T.exp(v), v + w, v * w, T.reshape(v, (v.shape[0], 1)).flatten(), T.sin(v).sum() + w)
            values.append(made[dice.randrange(len(made))])
    return [T.sum(values[-1]), T.sum(values[-2] * values[-3])]


@pytest.mark.parametrize(("seed", "size"), [(0, 20), (1, 90), (2, 200), (3, 200)])
def test_each_op_stands_in_one_group_and_lines_lead_downwards(seed: int, size: int) -> None:
    outputs = random_graph(seed, size)
    nodes = toposort(outputs)
    whole = grouping(*outputs)
    place = {n: k for k, n in enumerate(whole.ops())}
    assert place.keys() == set(nodes) and len(list(whole.ops())) == len(nodes)
    assert all(place[v.owner] < place[n] for n in nodes for v in n.inputs if v.owner is not None)
    (data,) = data_of(graph_page(outputs, "random"))
    for level in levels(data):
        for arranged in (level, level.get("all", level)):
            assert all(source < target for source, _, target, *_ in arranged["edges"])
            placed = [k for row in arranged["rows"] for k in row if k < len(level["items"])]
            seen = [
                k for k, item in enumerate(level["items"]) if not item.get("hide") or arranged is not level
            ]
            assert sorted(placed) == seen
            assert all({s, t} <= set(seen) for s, _, t, *_ in arranged["edges"])
        for item in level["items"]:
            if item["k"] == "group":
                inner = item["f"]["items"]
                assert all(inner[k]["k"] == "port" for k in item["f"]["ins"] + item["f"]["outs"])
                into = [e for e in level.get("all", level)["edges"] if level["items"][e[2]] is item]
                assert len(into) == len(item["f"]["ins"])


@pytest.mark.parametrize(("seed", "size"), [(1, 90), (2, 200)])
def test_levels_are_small_and_counts_add_up(seed: int, size: int) -> None:
    outputs = random_graph(seed, size)
    (data,) = data_of(graph_page(outputs, "random"))

    def count(level: Any) -> int:
        return sum(item.get("count", int(item["k"] in ("op", "view"))) for item in level["items"])

    assert count(data) == op_count(toposort(outputs))
    for level in levels(data):
        members = [i for i in level["items"] if i["k"] in ("op", "view", "group") and not i.get("hide")]
        assert len(members) <= MOST + 2
        for item in level["items"]:
            if "count" in item:
                assert count(item["f"]) == item["count"] and item["d"].startswith(f"{item['count']:,} op")


def test_a_long_chain_has_small_levels() -> None:
    v = x
    for _ in range(5000):
        v = T.tanh(v)
    whole = grouping(v)
    open_, deepest = [(whole, 0)], 0
    while open_:
        group, depth = open_.pop()
        deepest = max(deepest, depth)
        assert len(group.members) <= MOST
        open_ += [(m, depth + 1) for m in group.members if isinstance(m, Group)]
    assert deepest < 8


# ------------------------------------------------------------------------------------------ shape arithmetic


def test_lengths_that_become_values_are_shown() -> None:
    def names(*outputs: Any) -> set[str]:
        return {node.op.name for node in shape_arithmetic(outputs).lengths}  # type: ignore[attr-defined]

    n = x.shape[0]
    shaped = T.reshape(x, (n * 2, -1)).exp()
    assert names(shaped) >= {"make_vector", "length", "mul"}
    assert names(T.sum(x) / n) == set()
    both = names(shaped, T.sum(x) / n)
    assert "make_vector" in both and "length" not in both


def test_an_index_that_is_computed_is_shown() -> None:
    i = T.argmax(x)
    assert not shape_arithmetic([T.exp(x[i])]).lengths


@pytest.mark.parametrize(
    ("view", "hides"),
    [
        (lambda m: m.dimshuffle(0, "x", 1), True),
        (lambda m: m.dimshuffle(1, 0), False),
        (lambda m: m.reshape((2, 8)), True),
        (lambda m: T.specify_shape(m, (4, None)), True),
        (lambda m: m[1:], False),
    ],
)
def test_views_that_keep_the_order_of_elements_are_hidden(view: Any, hides: bool) -> None:
    m = T.dmatrix("m")
    made = T.exp(view(T.sin(m)))
    assert bool(shape_arithmetic([made]).views) == hides
    value = np.arange(16.0).reshape(4, 4)
    shown = view(m).eval({m: value})
    assert np.array_equal(shown.ravel(), value.ravel()) == hides
    assert not shape_arithmetic([view(m)]).views  # an output is shown


# ------------------------------------------------------------------------------------------ one number for one thing


def pages() -> dict[str, Any]:
    scan: Any = eqsat.scan
    w = T.dmatrix("w")
    states = scan(lambda row, s: T.tanh(T.dot(row, w) + s), sequences=T.dmatrix("m"), outputs_info=x)[0]
    nested = scan(lambda r: T.sum(scan(T.exp, sequences=r)[0]), sequences=T.dmatrix("n"))[0]
    return {
        "loop": T.sum(states**2),
        "nested loops": T.sum(nested),
        "branch": eqsat.ifelse(T.sum(x) > 0, T.exp(x), T.sin(x)).sum(),
    }


@pytest.mark.parametrize("name", ["loop", "nested loops", "branch"])
def test_counts_are_the_same_everywhere(name: str) -> None:
    report = eqsat.optimize(pages()[name])
    text = report.html()
    sizes = report.nodes_before, report.nodes_after
    assert sizes == tuple(op_count(toposort(g)) for g in (report.original, report.optimized))
    assert f"{sizes[0]} ops as written, {sizes[1]} optimised" in text
    why = report.explain(1.0).html()
    for page in (text, why):
        captions = re.findall(r"<figcaption>.*?<span>([\d,]+) ops", page)
        assert captions == [f"{n:,}" for n in sizes]
    for side, outputs in zip(data_of(text), (report.original, report.optimized), strict=True):
        loops = [
            i
            for level in levels(side)
            for i in level["items"]
            if i["k"] == "op" and "f" in i and i["d"].endswith("inside")
        ]
        assert len(loops) == sum(
            "f" in i for level in levels(side) for i in level["items"] if i["k"] != "group"
        )
        outer = [i for i in side["items"] if "f" in i]
        if name != "branch" and len(outer) == 1:
            inside = int(outer[0]["d"].split()[0])
            rest = sum(i["k"] in ("op", "view") for i in side["items"])
            assert inside + rest == op_count(toposort(outputs))
