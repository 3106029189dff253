"""Expressions with a known cheapest form: what extraction must reach, and what it must not lose."""
