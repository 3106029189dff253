"""Parts of tensors whose axes were moved, reduced or multiplied are computed from parts of the operands."""

from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.part_calls import ENDS
from eqsat.rules.pattern import anything, call, numbers, parameters, places, rank_of
from eqsat.rules.rule import rule
from eqsat.rules.schemes.operands import BOUNDS

a = anything("a")
x, y = numbers("x y")
i, j = places("i j")
p, s, m = parameters("p s m")


def rows(*index: object) -> object:
    """Rows of x as a matrix."""
    taken = part_op(x, *index, pattern=call("rows_of" + ENDS[len(index)], p))
    return dimshuffle_op(taken, pattern=call("rows_as_matrix", p))


def columns(*index: object) -> object:
    """Columns of y as a matrix."""
    taken = part_op(y, *index, pattern=call("columns_of" + ENDS[len(index)], p))
    return dimshuffle_op(taken, pattern=call("columns_as_matrix", p))


def product(left: object, right: object) -> object:
    """The product without the axes at which the part has an integer."""
    return dimshuffle_op(dot_op(left, right), pattern=call("axes_of_product", p))


RULES = [
    *(
        rule(
            f"part{at}-of-dimshuffle",
            part_op(dimshuffle_op(a, pattern=m), *index, pattern=p),
            dimshuffle_op(
                part_op(a, *index, pattern=call(f"part_before_move{end}", p, m, rank_of(a))),
                pattern=call("move_after_part", p, m, rank_of(a)),
            ),
            tier="exact",
            grows=True,
            tags=["filled"],  # else the models of fillings would be moved and cut without end
        )
        for at, end, index in BOUNDS
    ),
    *(
        rule(
            f"{name}-of-dot",
            part_op(dot_op(x, y), *of_rows, *of_columns, pattern=p),
            product(rows(*of_rows), columns(*of_columns)),
            tags=["push", "backward"],
        )
        for name, of_rows, of_columns in (
            ("part", (), ()),
            ("rows-at", (i,), ()),
            ("columns-at", (), (i,)),
            ("rows-between", (i, j), ()),
            ("columns-between", (), (i, j)),
            ("part-at-two", (i,), (j,)),
        )
    ),
]
