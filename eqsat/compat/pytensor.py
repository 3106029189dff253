"""``install()`` lets programs import pytensor and find eqsat; ``uninstall()`` ends it. The tables are in ``eqsat/frontends/pytensor/``."""

from eqsat.frontends.pytensor import install, uninstall

__all__ = ["install", "uninstall"]
