"""Images, filters and parameters for the points at which rules on convolution and pooling are tried."""

from __future__ import annotations

from typing import Any

from eqsat.errors import EqsatError
from eqsat.graph.ops.conv import output_lengths
from eqsat.rules.pattern import Meta, Term
from eqsat.rules.rule import Rule

Shapes = dict[str, tuple[int, ...]]


def has_windows(kinds: dict[str, str]) -> bool:
    """True for a rule with parameters of convolution or pooling."""
    return bool({"border", "window"} & set(kinds.values()))


def draw_windows(rule: Rule, rng: Any, kinds: dict[str, str]) -> tuple[Shapes, dict[str, Any]]:
    """Shapes of the metavariables and values of the parameters."""
    ranks = [args[1] for fact, args in (rule.when.facts if rule.when is not None else ()) if fact == "rank"]
    spatial = (ranks[0] if ranks else int(rng.integers(3, 5))) - 2
    params = {name: draw(kind, spatial, rng) for name, kind in kinds.items()}
    if "border" in kinds.values():
        return conv_shapes(rule, spatial, {kinds[n]: v for n, v in params.items()}, rng), params
    image = tuple(int(n) for n in (*rng.integers(1, 3, 2), *rng.integers(1, 9, spatial)))
    single = rng.random() < 0.5
    names = sorted(m.name for m in rule.metas)
    return {n: image if n == "x" or not single else (1,) * len(image) for n in names}, params


def draw(kind: str, spatial: int, rng: Any) -> Any:
    """A value of a parameter."""

    def some(low: int, high: int, usual: int, share: float) -> tuple[int, ...]:
        return tuple(usual if rng.random() < share else int(rng.integers(low, high)) for _ in range(spatial))

    if kind == "border":
        pairs = tuple((p, p if rng.random() < 0.6 else 1) for p in some(0, 3, 0, 0.3))
        return (["valid", "half", "full"] * 2 + [pairs])[int(rng.integers(0, 7))]
    if kind == "groups":
        return int(rng.choice([1, 1, 1, 1, 2, 0]))
    if kind in ("flip", "partial"):
        return bool(rng.random() < 0.5)
    return {
        "strides": lambda: some(1, 3, 1, 0.7),
        "dilation": lambda: some(1, 3, 1, 0.8),
        "window": lambda: some(1, 6, 4, 0.5),
        "pads": lambda: some(0, 2, 0, 0.7),
    }[kind]()


def conv_shapes(rule: Rule, spatial: int, params: dict[str, Any], rng: Any) -> Shapes:
    """Shapes by what each metavariable stands for: images, filters, or what is combined with results."""
    groups = params["groups"] or 2
    per, filters = (int(rng.choice([1, 1, 2])) for _ in range(2))
    if params["groups"] == 0:
        per = 1
    image = (int(rng.integers(1, 3)), per * groups, *(int(n) for n in rng.integers(1, 6, spatial)))
    kernel = (filters * groups, per, *(int(n) for n in rng.choice([1, 1, 2, 3], spatial)))
    try:
        result = output_lengths(params, image, kernel)
    except EqsatError:
        result = (image[0], kernel[0], *image[2:])
    shapes: Shapes = {}
    stack = [(left, "result") for left, _ in rule.pairs]
    while stack:
        pattern, role = stack.pop()
        if isinstance(pattern, Meta):
            whole: Any = {"result": result, "image": image, "kernel": kernel}[role]
            shapes[pattern.name] = varied(whole, pattern.name, rng)
        elif isinstance(pattern, Term):
            roles = ("image", "kernel") if pattern.op == "conv" else (role,) * len(pattern.args)
            stack.extend(zip(pattern.args, roles, strict=True))
    return shapes


def varied(shape: tuple[int, ...], name: str, rng: Any) -> tuple[int, ...]:
    """A shape, seldom with another length; factors and shifts mostly have one element a channel or image."""
    if name in ("s", "b") and rng.random() < 0.8:
        kept = int(rng.integers(0, 2))
        return tuple(n if a == kept else 1 for a, n in enumerate(shape))
    return tuple(int(rng.integers(1, 4)) if rng.random() < 0.08 else int(n) for n in shape)
