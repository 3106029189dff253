"""Environments of processes that begin with empty caches, and with few threads."""

from __future__ import annotations

import os

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def use_threads(count: int) -> None:
    """Let this process and its children use so many CPUs; before NumPy is imported, which starts its threads then."""
    os.environ.update(dict.fromkeys(THREADS, str(count)))
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def empty_caches(folder: str) -> dict[str, str]:
    """The environment with every cache of compiled code in a folder."""
    environment = dict(os.environ)
    for name, flag in (
        ("EQSAT_FLAGS", f"cache_dir={folder}"),
        ("PYTENSOR_FLAGS", f"base_compiledir={folder}"),
    ):
        environment[name] = ",".join(filter(None, [environment.get(name), flag]))
    environment["NUMBA_CACHE_DIR"] = folder
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    return environment
