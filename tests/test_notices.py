"""Warnings: once per process and cause, and at the line of the user's code."""

from __future__ import annotations

import warnings

import pytest

from eqsat.base.notices import forget_warnings, warn_once
from eqsat.errors import EqsatWarning


def test_a_warning_is_said_once_and_points_at_its_cause() -> None:
    with pytest.warns(EqsatWarning) as told:
        warn_once("cause", "this is slower")
        warn_once("cause", "this is slower")
        warn_once("another", "that is slower")
    assert [str(w.message) for w in told] == ["this is slower", "that is slower"]
    assert {w.filename for w in told} == {__file__}


def test_forgotten_warnings_are_said_again() -> None:
    for _ in range(2):
        with pytest.warns(EqsatWarning, match="again"):
            warn_once("cause", "again")
        forget_warnings()


def test_each_test_starts_without_said_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(EqsatWarning):
            warn_once("cause", "said by the tests above too")
