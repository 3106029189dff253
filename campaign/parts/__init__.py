"""One file per part: ``UNIT``, what it counts, and ``trial(seed)``."""
