"""A plan as two texts: the device's, and the host's, C that launches what stands in the other one."""

from __future__ import annotations

import re
from dataclasses import replace

from eqsat.base.notices import warn_once
from eqsat.cgen.c import prelude as of_c
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.source import Translation, runs_in_one
from eqsat.cgen.c.source import translate as translate_c
from eqsat.cgen.c_files import sections
from eqsat.cgen.cuda.complex_numbers import functions, spelled, structure
from eqsat.cgen.cuda.products import of_a_block, warn_without_library
from eqsat.cgen.cuda.unit import DeviceUnit
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.texts import joined
from eqsat.graph.plan import Plan

KERNEL = re.compile(
    r'extern "C" __global__ void __launch_bounds__\(\d+\) (\w+)\(([^)]*)\) \{'
)  # name, parameters
TYPES, LEAST, INSIDE, REPORT, VECTOR = sections(__file__, "prelude.cu").values()
_TOGETHER = re.compile(r"\beq_together__(\w+)")
_VECTOR = re.compile(r"\beq_vector(\d+)_(\w+)")
_SIZES = {CTYPE[dtype]: size for dtype, size in SIZE.items()}
_DECLARATION = re.compile(r"^(?:long )?double [^;{]*\);\n", re.MULTILINE)  # of functions of C's library
_LONG_FUNCTION = re.compile(r"\b(tan|log|sin|cos|exp|pow|sqrt|fabs|floor)l\(")
_LONG_LITERAL = re.compile(r"\b((?:\d+\.\d*|\d*\.\d+|\d+)(?:e[+-]?\d+)?)L\b")
_STATIC = re.compile(r"^(static |inline |__attribute__\(\(always_inline\)\) )+", re.MULTILINE)


def translate(plan: Plan, openmp: bool, profile: bool = False) -> Translation:
    """Both texts of a plan; that of the device stands behind the host's, where no C compiler looks."""
    whole = runs_in_one(plan)
    unit = DeviceUnit(openmp, profile, plan.stays if whole else ())
    found = translate_c(plan, openmp, profile, unit)
    unit.meta.stays = list(plan.stays)
    unit.meta.given = unit.meta.given if whole else ""
    text = device_text(unit)
    if unit.large:
        warn_without_library()
    for name in unit.on_host:
        warn_once(f"host {name}", f'target="cuda": the processor runs {name}, and waits for the GPU first')
    return replace(found, source=joined(found.source, text), own=joined(found.own, text))


def device_text(unit: DeviceUnit) -> str:
    """The text of the kernels of a unit, with all that they use."""
    kernels = "".join(text.replace("@NAME", f"eq_k{k}") for text, k in unit.kernels.items())
    products = "".join(map(of_a_block, sorted(set(_TOGETHER.findall(kernels)))))
    helpers = spelled(on_device(of_c.helpers(kernels + products)))
    kernels, products = spelled(kernels), spelled(products)
    vectors = "".join(
        VECTOR.replace("BYTES", str(int(many) * _SIZES[kind])).replace("MANY", many).replace("TYPE", kind)
        for many, kind in sorted(set(_VECTOR.findall(kernels + products)))
    )
    least = LEAST if "eq_least(" in helpers + kernels else ""
    least += INSIDE if "eq_inside(" in kernels else ""
    report = "".join([REPORT] * ("eq_report(" in kernels))
    own = least + report + vectors + functions(helpers + kernels) + helpers + products + kernels
    return f"{TYPES}{structure(own)}{own}"


def on_device(helpers: str) -> str:
    """Functions that ops share, for the device: they begin at the first column, and compute in doubles what C does in longer numbers."""
    text = _LONG_LITERAL.sub(r"\1", _LONG_FUNCTION.sub(r"\1(", _DECLARATION.sub("", helpers)))
    return _STATIC.sub("static __device__ ", text.replace("long double", "double"))


def kernels_of(text: str) -> list[str]:
    """The names of the kernels of a device text, in the order of their numbers."""
    return [name for name, _ in KERNEL.findall(text)]
