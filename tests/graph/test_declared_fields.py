"""The fields of a declaration say what they name, stand in docs/ops.md, and refuse what they do not take."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DeclarationError
from eqsat.graph import declare
from eqsat.graph.declaration_fields import ops_named
from eqsat.graph.declare import OF_DECORATORS, OPS, Declaration, elemwise, forget_op, structural
from eqsat.graph.or_nan import SUFFIX
from eqsat.verify import verify_op

FIELDS = Declaration.__dataclass_fields__
DOCS = Path(__file__, "../../../docs/ops.md").resolve()
NAMES_OPS = re.compile(r"(?:such an|the) op \w|ops that")


def comments() -> dict[str, str]:
    """The comments of declare.py on each field, behind it or on the line above it."""
    found: dict[str, str] = {}
    above = ""
    for line in Path(declare.__file__).read_text(encoding="utf-8").splitlines():
        field = re.match(r"    (\w+): [^#]*(?:# (.*))?", line)
        if field and field[1] in FIELDS:
            found.setdefault(field[1], field[2] or above)
        above = line.strip().removeprefix("# ") if line.startswith("    # ") else ""
    return found


def test_every_field_that_is_said_to_name_an_op_does() -> None:
    said = {name for name, comment in comments().items() if NAMES_OPS.match(comment)}
    named = {name for name, field in FIELDS.items() if "ops" in field.metadata}
    assert len(said) > 12 and said <= named


@pytest.mark.parametrize("name", sorted(OPS))
def test_names_of_other_ops_are_names_of_ops(name: str) -> None:
    assert {op for named in ops_named(OPS[name]).values() for op in named if OPS.find(op) is None} == set()


def test_every_field_stands_in_the_docs_and_every_row_is_a_field() -> None:
    text = DOCS.read_text(encoding="utf-8")
    table = text[text.index("| field | meaning") :].partition("\n\n")[0]
    rows = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table.splitlines()[2:]]
    told = [name for row in rows for name in row]
    assert len(told) == len(set(told)) and all(rows)
    assert {*told} == {*FIELDS} - {"name", *OF_DECORATORS}, "a field of Declaration has a row in docs/ops.md"


# -------------------------------------------------------------------------------------------- what is refused

ROOT: dict[str, Any] = {"c": "(1 / sqrt{f}({x}))", "signature": "f->f", "name": "ours"}
AT_ONCE: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "whole": ({"whole": "keept"}, "ours: whole is 'keept'", "kept"),
    "numbers": ({"numbers": "tam"}, "ours: numbers is 'tam'", "tame"),
    "power": ({"power": "2"}, "ours: power is '2'", None),
    "truth for a number": ({"power": True}, "ours: power is True", None),
    "cost": ({"cost": 3}, "ours: cost is 3", None),
    "truth": ({"commutative": 1}, "ours: commutative is 1", None),
    "function": ({"spelled": "log"}, "ours: spelled is 'log'", None),
    "items of a tuple": ({"facts": (1,)}, "ours: facts is (1,)", None),
    "builder": ({"builder": "x.y"}, "ours: builder is 'x.y'", None),
    "letter": ({"signature": "g->f"}, "ours: signature is 'g->f': 'g' cannot stand there", None),
    "letter of a result": ({"signature": "f->i"}, "ours: signature is 'f->i': 'i' cannot stand there", None),
    "no arrow": ({"signature": "f"}, "ours: signature is 'f': '' cannot stand there", None),
    "operands": ({"poles": ("y",)}, "ours: poles is ('y',), which names y", None),
    "inverse element": (
        {"inverse_element": "neg exact"},
        "ours: inverse_element is 'neg exact'",
        None,
    ),
}


def declared(**fields: Any) -> Any:
    if any(FIELDS[name].metadata.get("takes") == 2 for name in fields.keys() & FIELDS.keys()):
        pair: Any = lambda x, y: x / np.sqrt(y)
        return elemwise(**{**ROOT, "c": "({x} / sqrt{f}({y}))", "signature": "f,f->f", **fields})(pair)
    return elemwise(**{**ROOT, **fields})(lambda x: 1 / np.sqrt(x))


@pytest.mark.parametrize("case", AT_ONCE)
def test_what_a_field_does_not_take_is_refused_where_it_is_declared(case: str) -> None:
    fields, said, hint = AT_ONCE[case]
    with pytest.raises(DeclarationError) as caught:
        declared(**fields)
    assert caught.value.message == said and caught.value.needs and caught.value.hint == hint
    assert "ours" not in OPS


OPS_NAMED = [name for name, field in FIELDS.items() if field.metadata.get("ops", 0) is None]


@pytest.mark.parametrize(
    "name", [n for n in OPS_NAMED if n not in ("reduces", "accumulates", *OF_DECORATORS)]
)
def test_a_name_of_no_op_is_refused_at_the_first_use(name: str) -> None:
    op = declared(**{name: ("maximun",) if FIELDS[name].type == "tuple[str, ...]" else "maximun"})
    x = T.dvector("x")
    operands = [x] * len(op.declaration.tensors)
    try:
        for use in (lambda: eqsat.optimize(op(*operands)), lambda: verify_op(op)):
            with pytest.raises(DeclarationError) as caught:
                use()
            assert caught.value.message == f"ours: {name} names 'maximun', which is no op"
            assert "maximum" in str(caught.value.hint)
        assert eqsat.optimize(T.exp(x)).fallback is None, "other graphs are as before"
    finally:
        forget_op("ours")


def test_ops_may_name_each_other() -> None:
    first = elemwise(c="({x} * 2)", signature="f->f", name="ours", undoes="theirs")(lambda x: x * 2)
    second = elemwise(c="({x} / 2)", signature="f->f", name="theirs", undoes="ours")(lambda x: x / 2)
    x = T.dvector("x")
    try:
        assert eqsat.optimize(second(first(x))).optimized[0] is x
        assert "ours" not in OPS.waiting
    finally:
        forget_op("ours")
        forget_op("theirs")


def test_a_formula_over_the_reals_names_what_there_is() -> None:
    for real, said in (("1 / sqrtt(x)", "there is no sqrtt"), ("1 / (x", "which is no expression")):
        op = declared(real=real)
        try:
            with pytest.raises(DeclarationError, match=said):
                verify_op(op)
        finally:
            forget_op("ours")


def test_a_text_is_the_only_item_of_a_list() -> None:
    op = declared(facts="nonneg if nonneg x", poles="x")
    try:
        assert op.declaration.facts == ("nonneg if nonneg x",) and op.declaration.poles == ("x",)
    finally:
        forget_op("ours")


BLOCKS: dict[str, tuple[dict[str, Any], str]] = {
    "free": ({"free": "q"}, "ours: free is 'q', which names q"),
    "sums": ({"sums": "k q"}, "ours: sums is 'k q', which names q"),
    "linear": ({"linear": "x, z"}, "ours: linear is 'x, z', which names z"),
    "dtypes": ({"dtypes": "f,g->f"}, "ours: dtypes is 'f,g->f': 'g' cannot stand there"),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_names_of_lengths_and_operands_of_blocks(case: str) -> None:
    fields, said = BLOCKS[case]
    with pytest.raises(DeclarationError) as caught:
        structural("block", signature="(n,k),(k)->(n)", name="ours", **fields)(lambda x, w: x @ w)
    assert caught.value.message == said and "ours" not in OPS


def test_a_misspelt_keyword_is_told_with_the_one_that_was_meant() -> None:
    with pytest.raises(
        ArgumentError, match=r"^elemwise\(\) got an unexpected keyword argument 'monoton'"
    ) as caught:
        declared(monoton="increasing")
    assert caught.value.hint == "monotone"
    with pytest.raises(ArgumentError, match=r"^structural\(\) got") as caught:
        structural("block", signature="(n)->(n)", name="ours", dtype="f->f")(lambda x: x)
    assert "dtypes" in str(caught.value.hint)


def test_an_op_that_is_made_beside_another_names_it() -> None:
    assert all(d.raises == name.removesuffix(SUFFIX) for name, d in OPS.items() if d.raises)
