"""The alias module is installed for the tests of this folder and taken out again after each."""

import pytest

from eqsat.compat import theano as alias


@pytest.fixture(autouse=True)
def theano():
    """The module ``theano`` as older programs import it."""
    alias.install()
    import theano

    yield theano
    alias.uninstall()
