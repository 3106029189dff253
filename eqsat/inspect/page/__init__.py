"""One HTML page that needs no network: graphs that can be moved, folded and looked into, and tables beside them."""

from eqsat.inspect.page.page import Panel, Section, page

__all__ = ["Panel", "Section", "page"]
