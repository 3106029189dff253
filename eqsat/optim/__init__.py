"""Training: optimisers that give updates, gradient clipping, schedules of rates, and initial values."""

from __future__ import annotations

from eqsat.base.names import late_names
from eqsat.optim.clipping import clip_by_global_norm, clip_by_norm, clip_by_value
from eqsat.optim.initialisers import (
    glorot_normal,
    glorot_uniform,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
    orthogonal,
)
from eqsat.optim.optimisers import adadelta, adagrad, adam, adamw, momentum, rmsprop, sgd
from eqsat.optim.schedules import constant, cosine, exponential, piecewise, warmup

__all__ = [
    "adadelta",
    "adagrad",
    "adam",
    "adamw",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "constant",
    "cosine",
    "exponential",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "lecun_normal",
    "lecun_uniform",
    "momentum",
    "orthogonal",
    "piecewise",
    "rmsprop",
    "sgd",
    "warmup",
]

late_names(__name__)
