"""A compiled function as a C library of its own, which needs neither Python nor eqsat: its interface and its text."""
