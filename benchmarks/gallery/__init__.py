"""Models of the kinds that PyMC's gallery shows: each a function that names its variables, over data that it draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm

MODELS: dict[str, Callable[[], Any]] = {}


def model(body: Callable[[np.random.Generator], None]) -> Callable[[np.random.Generator], None]:
    """Register a model; its body is run inside it, with a generator that is the same every time."""

    def build() -> Any:
        with pm.Model() as made:
            body(np.random.default_rng(1))
        return made

    MODELS[body.__name__] = build
    return body


from gallery import densities, loops, processes  # noqa: E402  the models themselves
