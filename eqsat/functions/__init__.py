"""Compiled functions: their arguments, the way from a graph to a callable, what they keep on disk."""
