"""``install()`` lets programs import theano and find eqsat; ``uninstall()`` ends it. The tables are in ``eqsat/frontends/theano/``."""

from eqsat.frontends.theano import install, uninstall

__all__ = ["install", "uninstall"]
