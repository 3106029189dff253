"""map, reduce, foldl and foldr, as scans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def map(
    fn: Callable[..., Any],
    sequences: Any,
    non_sequences: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    mode: Any = None,
    name: str | None = None,
    return_list: bool = False,
) -> Any:
    """fn of each row of the sequences, stacked, and the updates.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.map(lambda a: a**2, x)[0].eval({x: [1.0, 2.0, 3.0]})
    array([1., 4., 9.])
    """
    from eqsat.scan.basic import scan

    options: Any = {
        "truncate_gradient": truncate_gradient,
        "mode": mode,
        "name": name,
        "return_list": return_list,
    }
    return scan(fn, sequences, None, non_sequences, go_backwards=go_backwards, **options)


def reduce(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    go_backwards: bool = False,
    mode: Any = None,
    name: str | None = None,
    return_list: bool = False,
) -> Any:
    """The last values of states to which fn brings in the rows of the sequences one by one, and the updates.

    ``fn(row, ..., value, ...)`` gives the next values. There must be at least one row.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.reduce(lambda a, s: s * 10 + a, x, T.constant(0.0))[0].eval({x: [1.0, 2.0, 3.0]})
    array(123.)
    """
    from eqsat.scan.basic import scan

    outputs, updates = scan(
        fn,
        sequences,
        outputs_info,
        non_sequences,
        go_backwards=go_backwards,
        mode=mode,
        name=name,
        return_list=True,
    )
    last = [v[-1] for v in outputs]
    return (last if return_list or len(last) != 1 else last[0]), updates


def foldl(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    mode: Any = None,
    name: str | None = None,
    return_list: bool = False,
) -> Any:
    """``reduce`` from the first row to the last.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.foldl(lambda a, s: s * 10 + a, x, T.constant(0.0))[0].eval({x: [1.0, 2.0]})
    array(12.)
    """
    return reduce(fn, sequences, outputs_info, non_sequences, False, mode, name, return_list)


def foldr(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    mode: Any = None,
    name: str | None = None,
    return_list: bool = False,
) -> Any:
    """``reduce`` from the last row to the first.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> eqsat.foldr(lambda a, s: s * 10 + a, x, T.constant(0.0))[0].eval({x: [1.0, 2.0]})
    array(21.)
    """
    return reduce(fn, sequences, outputs_info, non_sequences, True, mode, name, return_list)
