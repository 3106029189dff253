"""C text of plans."""
