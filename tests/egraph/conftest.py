"""A template that the tests of a file share."""

from __future__ import annotations

import pytest

from eqsat.egraph.adapter import Template
from tests.egraph.small_e_graph import RULES, SCHEMA


@pytest.fixture(scope="module")
def template() -> Template:
    return Template(SCHEMA, RULES)
