"""Models of PyMC for nutpie: the log density, its gradient and the values of the trace are C functions of eqsat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from nutpie import compile_pymc as parts
from pymc.initial_point import make_initial_point_fn
from pymc.model.transform.optimization import freeze_dims_and_data

from eqsat.bridges.pytensor.linker import eqsat_mode

DENSITY = "int64(uint64, double*, double*, double*, void*)"  # dimensions, point, gradient, value
VALUES = "int64(uint64, uint64, double*, double*, void*)"  # dimensions, number of values, point, values


def nutpie_model(
    model: Any,
    *,
    var_names: Iterable[str] | None = None,
    initial_points: dict[Any, Any] | None = None,
    jitter_rvs: Iterable[Any] | None = None,
    default_initialization_strategy: str = "support_point",
    include: Sequence[str] = ("fast_run",),
    **options: Any,
) -> Any:
    """A model of PyMC as ``nutpie.sample`` takes it, of which eqsat computes the density, its gradient and the values of the trace.

    The chains of nutpie are threads; the functions are C that they call without Python. Data of the model are constants, as with
    nutpie's ``freeze_model``. The first keywords are those of ``nutpie.compile_pymc_model``; ``include`` and ``options`` are those of
    ``eqsat_mode``. A density or a gradient that is not finite, and a factorisation that fails, reject the point.

    Errors   ArgumentError names the ops that only Python runs

    A program: ``trace = nutpie.sample(nutpie_model(model))``.
    """
    frozen = freeze_dims_and_data(model) if model.data_vars or model.dim_lengths else model
    named = {getattr(v, "name", v): value for v, value in (initial_points or {}).items()}
    dims, count, density, values, start, shapes = parts._make_functions(
        frozen,
        mode=eqsat_mode(include, **options),
        compute_grad=True,
        join_expanded=True,
        pymc_initial_point_fn=parts._wrap_with_lock(
            make_initial_point_fn(
                model=frozen,
                overrides={frozen[name]: value for name, value in named.items()},
                default_strategy=default_initialization_strategy,
                jitter_rvs=_jittered(frozen, jitter_rvs, default_initialization_strategy),
                return_transformed=True,
            )
        ),
        var_names=var_names,
    )
    of_axes, coords = parts._prepare_dims_and_coords(frozen, shapes)
    return parts.CompiledPyMCModel(
        _n_dim=dims,
        dims=of_axes,
        _coords=coords,
        _shapes={name: tuple(shape) for name, _, shape in zip(*shapes, strict=True)},
        compiled_logp_func=_function(density).c_function(DENSITY, finite=True, results=[1, 0]),
        compiled_expand_func=_function(values).c_function(VALUES),
        initial_point_func=start,
        shared_data={},
        user_data=np.zeros(1),
        n_expanded=count,
        shape_info=shapes,
        logp_func=density,
        expand_func=values,
    )


def _function(compiled: Any) -> Any:
    """The function of eqsat in a compiled function of PyTensor."""
    return compiled.maker.linker.function


def _jittered(model: Any, wanted: Iterable[Any] | None, strategy: str) -> set[Any]:
    """The variables whose first values are moved by chance: all, where these are those of the support and nobody says otherwise."""
    if wanted is None:
        return set(model.free_RVs) if strategy == "support_point" else set()
    return {model[getattr(v, "name", v)] for v in wanted}
