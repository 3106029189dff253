"""explain keeps the seconds that it was given: it begins no rewriting that would take longer, and says so."""

from __future__ import annotations

import time

import eqsat
import eqsat.tensor as T

x, y = T.dvectors("x", "y")


def test_what_took_longer_than_the_seconds_is_not_done_again() -> None:
    report = eqsat.optimize(T.log(1 + T.exp(x * y / y)))
    report.seconds["saturate"] = 30.0
    start = time.perf_counter()
    why = report.explain(20.0)
    assert time.perf_counter() - start < 10.0
    assert why.steps == [] and not why.smallest and not why.checked
    (limit,) = why.limits
    assert limit.startswith("20 s are not enough: the graph is rewritten once more first, which took 3")
    assert why.optimized == report.optimized and "softplus" in why.html()


def test_with_more_seconds_it_is_done() -> None:
    report = eqsat.optimize(T.log(1 + T.exp(x * y / y)))
    assert [s.name for s in report.explain(60.0).steps] == ["log-one-plus", "log1p-exp", "mul-div-cancel"]
