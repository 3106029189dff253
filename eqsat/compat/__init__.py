"""Older programs: modules under the names that they import."""
