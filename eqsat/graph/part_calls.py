"""The functions of index patterns that rules may call: parts of parts, of joins, of products, with the kinds of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from eqsat.graph.contraction_calls import CONTRACTION_CALLS
from eqsat.graph.part_functions import (
    axes_of_part,
    axes_of_product,
    axis_before_part,
    axis_beside_join,
    broadcast_lengths,
    columns_as_matrix,
    columns_of,
    columns_of_unit,
    empty,
    first_place,
    first_span,
    lengths_of_one,
    move_after_part,
    moved_lengths,
    narrowed,
    narrowed_span,
    other_places,
    part_at_index,
    part_before_move,
    part_before_reduction,
    part_beside,
    part_in_order,
    part_in_turn,
    part_lengths,
    part_ndim,
    part_of_index,
    part_of_part,
    rows_as_matrix,
    rows_of,
    rows_of_index,
    rows_of_unit,
    small,
    squeezed,
    turns_rows,
    unit_axes,
    whole,
    with_bound,
)
from eqsat.graph.part_joins import (
    apart,
    axis_of_end,
    axis_of_writes,
    back_part_of_first,
    back_part_of_second,
    bounded,
    but_last,
    end_dropped,
    join_lengths,
    joined_axis,
    last_of,
    meets,
    meets_at_bound,
    only_end,
    only_place,
    part_in_first,
    part_in_row,
    part_in_second,
    part_in_step,
    part_of_both,
    part_of_first,
    part_of_last,
    part_of_rows,
    part_of_second,
    part_of_writes,
    place_of_write,
    turned_after_move,
    value_of_write,
    what_is_picked,
    without_bound,
    without_start,
)
from eqsat.graph.running_calls import RUNNING_CALLS
from eqsat.graph.window_calls import WINDOW_CALLS

# -------------------------------------------------------------------------------------- what rules may call


class Call(NamedTuple):
    """A function of parameters that rules may use, with the kinds of its arguments and of its result.

    An integer may be the number that a tensor is known to be, which the rule writes as its ``value``.

    Kinds: part (a pattern; of a result it says how many "?" it must have), axes, lengths, integer, move (a dimshuffle
    pattern; as a result with the rank of its operand), object (of a result: any value that a parameter may have).
    """

    function: Callable[..., Any]
    arguments: tuple[str, ...]
    result: str
    unknowns: int = 0

    def __call__(self, *args: Any) -> Any:
        """The result; None where there is none of the wanted kind, or where the arguments do not fit each other."""
        try:
            found = self.function(*args)
        except (IndexError, ValueError):
            return None
        if found is not None and self.result == "part":
            count = sum(isinstance(v, str) for e in found for v in e[1:])
            return found if count == self.unknowns else None
        return found


ENDS = ("", "_at", "_at_two", "_at_three", "_at_four")


def _calls(functions: Mapping[Callable[..., Any], tuple[Any, ...]]) -> dict[str, Call]:
    made = {}
    for function, (arguments, result, *counts) in functions.items():
        for count in counts or (0, 1) if result == "part" else (0,):
            end = ENDS[count]
            made[function.__name__ + end] = Call(function, tuple(arguments.split()), result, count)
    return made


CALLS = _calls(
    {
        whole: ("part lengths", "integer"),
        apart: ("part part lengths", "integer"),
        squeezed: ("part lengths", "move"),
        part_ndim: ("part", "integer"),
        part_lengths: ("part lengths axes", "lengths"),
        small: ("part lengths", "integer"),
        axis_before_part: ("part integer", "integer"),
        axis_beside_join: ("integer integer", "integer"),
        lengths_of_one: ("integer", "lengths"),
        broadcast_lengths: ("lengths lengths", "lengths"),
        moved_lengths: ("move lengths", "lengths"),
        unit_axes: ("lengths", "axes"),
        empty: ("lengths", "integer"),
        part_of_part: ("part part lengths", "part"),
        with_bound: ("part integer integer lengths", "part", 0, 1, 2, 3),
        first_place: ("part", "part", 1),
        first_span: ("part", "part", 2),
        other_places: ("part", "part", 1, 2, 3),
        part_in_order: ("part part lengths", "part", 2, 3),
        part_in_turn: ("part part lengths", "part", 2),
        narrowed: ("part axes axes", "part"),
        narrowed_span: ("part axes axes", "part", 0, 2),
        part_before_reduction: ("part axes", "part", 0, 1, 2),
        part_beside: ("part axes", "part", 0, 1, 2),
        axes_of_part: ("part axes", "axes"),
        part_before_move: ("part move integer", "part", 0, 1, 2),
        move_after_part: ("part move integer", "move"),
        part_of_index: ("part axes", "part"),
        part_at_index: ("part axes", "part", 1, 2),
        rows_of_index: ("part axes", "part"),
        rows_of: ("part", "part", 0, 1, 2),
        columns_of: ("part", "part", 0, 1, 2),
        rows_of_unit: ("part", "part", 0, 1, 2),
        columns_of_unit: ("part", "part", 0, 1, 2),
        rows_as_matrix: ("part", "move"),
        columns_as_matrix: ("part", "move"),
        axes_of_product: ("part", "move"),
        part_in_first: ("part integer lengths lengths", "part"),
        part_in_second: ("part integer lengths lengths", "part"),
        part_of_first: ("part integer lengths lengths", "part"),
        part_of_second: ("part integer lengths lengths", "part"),
        back_part_of_first: ("part integer lengths lengths", "part"),
        back_part_of_second: ("part integer lengths lengths", "part"),
        joined_axis: ("part integer", "integer"),
        meets: ("integer lengths integer lengths", "integer"),
        **WINDOW_CALLS,
        **RUNNING_CALLS,
        **CONTRACTION_CALLS,
        join_lengths: ("integer lengths lengths", "lengths"),
        part_of_both: ("part part integer lengths", "part"),
        place_of_write: ("part part lengths", "part"),
        axis_of_writes: ("part part", "integer"),
        part_of_writes: ("part part integer lengths axes axes", "part"),
        value_of_write: ("part part lengths axes", "part"),
        end_dropped: ("part integer", "part"),
        axis_of_end: ("part", "integer"),
        only_end: ("part", "integer"),
        only_place: ("part", "integer"),
        bounded: ("part integer integer", "part", 1, 2),
        without_bound: ("part integer integer", "part", 0),
        without_start: ("part integer", "part", 1),
        meets_at_bound: ("part part integer", "integer"),
        part_of_rows: ("part", "part"),
        part_in_step: ("part", "part"),
        part_of_last: ("part", "part"),
        last_of: ("integer", "part"),
        part_in_row: ("part", "part"),
        what_is_picked: ("part", "object"),
        but_last: ("integer", "part"),
        turns_rows: ("part", "integer"),
        turned_after_move: ("part move", "part"),
    }
)
"""By name; ``<name>_at`` gives a pattern with one "?", as the operand that stands for it needs, ``_at_two`` one with two."""
