"""The alias modules are installed for the tests of this folder and taken out again after each."""

import pytest

from eqsat.compat import pytensor as later
from eqsat.compat import theano as alias


@pytest.fixture(autouse=True)
def theano():
    """The module ``theano`` as older programs import it."""
    alias.install()
    import theano

    yield theano
    alias.uninstall()


@pytest.fixture(autouse=True)
def pytensor():
    """The module ``pytensor`` as programs import it."""
    later.install()
    import pytensor

    yield pytensor
    later.uninstall()
