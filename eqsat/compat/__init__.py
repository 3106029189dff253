"""The public names of eqsat.frontends: ``eqsat.compat.theano`` and ``eqsat.compat.pytensor``."""

from typing import TYPE_CHECKING

from eqsat.base.names import late_names

if TYPE_CHECKING:
    from eqsat.compat import theano

__all__ = ["pytensor", "theano"]

late_names(__name__, {name: f"{__name__}.{name}" for name in __all__})
