"""Every op of eqsat: a file here is found because it is here; each op is one decorated function."""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
