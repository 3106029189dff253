"""Compilers, shared objects and calls of compiled functions."""
