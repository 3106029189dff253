"""Flags, names, warnings, text and files: everything that a room may use and that knows nothing of graphs."""
