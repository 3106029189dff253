"""Targets: the one that there is, others that are registered, and names that nobody has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.cgen.target as targets
import eqsat.tensor as T
from eqsat.cgen.c.target import C
from eqsat.cgen.target import _known
from eqsat.errors import ArgumentError
from eqsat.pipeline.modes import get_mode
from eqsat.pipeline.settings import Settings

x = T.dvector("x")


class Marked(C):
    """C whose text begins with a remark, on a machine whose calls are dear."""

    name = "marked"
    costs = {"call": 1e-3}

    def print(self, plan: Any, tools: Any, profile: bool = False) -> Any:
        text = super().print(plan, tools, profile)
        return replace(text, source=f"/* {self.name} */\n{text.source}")


@pytest.fixture
def marked() -> Iterator[str]:
    targets.register(Marked())
    yield "marked"
    del targets._known["marked"]


@pytest.mark.parametrize("name", ["metal", 7])
def test_an_unknown_target_says_which_there_are(name: Any) -> None:
    with pytest.raises(ArgumentError) as found:
        eqsat.function([x], x + 1, target=name)
    assert str(found.value) == (
        f"there is no target {name!r}\n  needs  one of {', '.join(_known)}\n  try    target='c'"
    )


@pytest.mark.c
def test_a_target_of_the_users_prints_and_builds(marked: str) -> None:
    f = eqsat.function([x], T.exp(x) + 1, target=marked)
    np.testing.assert_allclose(f([0.0, 1.0]), [2.0, np.e + 1])
    assert f.c_source is not None and f.c_source.startswith("/* marked */")
    assert not (eqsat.function([x], T.exp(x) + 1).c_source or "").startswith("/* marked */")


@pytest.mark.c
def test_a_mode_names_a_target_and_the_function_wins(marked: str) -> None:
    mode = replace(get_mode("FAST_RUN"), target=marked)
    assert Settings.of(mode).target == marked
    assert Settings.of(mode, target="c").target == "c"
    assert (eqsat.function([x], x * 3, mode=mode).c_source or "").startswith("/* marked */")


def test_the_cost_model_has_the_constants_of_the_target(marked: str) -> None:
    assert Settings.of(target=marked).model.call == 1e-3
    assert (
        Settings.of(target=marked, model=eqsat.costs.flops()).model
        == Settings.of(model=eqsat.costs.flops()).model
    )
    assert Settings.of().model.call != 1e-3
