"""Fuzzing campaigns: random programs with seeds, hours and a report; ``python -m campaign --help``.

Every file of ``parts/`` is a part. A part makes one trial from one seed; the driver runs trials in processes of
their own, counts them, and writes what failed, made small, as a few lines of Python.
"""
