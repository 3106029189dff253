"""Loops as random programs, run in several ways."""
