"""Layers of torch, and lengths that it leaves open, through eqsat."""

from __future__ import annotations

import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")
bridge: Any = pytest.importorskip("eqsat.bridges.torch")
from tests.bridges.through_torch import close, compiled, fresh, gradients  # noqa: E402, F401

nn, F = torch.nn, torch.nn.functional


def test_a_batch_that_is_left_open_asks_for_nothing_of_torch() -> None:
    """Pools and resizing need the lengths of the axes along which they go, of which the batch is none."""
    module = nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.MaxPool2d(3, 2, 1), nn.Upsample(scale_factor=2), nn.PixelShuffle(2), nn.AvgPool2d(3, 2, 1),
        nn.Upsample((9, 8), mode="bilinear"), nn.MaxPool2d(2, 2), nn.PixelUnshuffle(2), nn.AdaptiveAvgPool2d((2, 1)),
    )  # fmt: skip
    fast = compiled(module)
    for batch in (2, 3, 4):
        x = torch.randn(batch, 2, 12, 10)
        close(gradients(fast, x), gradients(module, x))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 2  # the second one leaves it open


def test_whole_numbers_by_a_step_that_is_a_float() -> None:
    def places(x: Any) -> Any:
        return x * torch.arange(x.shape[0], -x.shape[0], -2.0, dtype=torch.int64)

    fast = compiled(places, dynamic=True)
    for n in (4, 7):
        close(fast(torch.ones(n)), places(torch.ones(n)))


@pytest.mark.parametrize("masks", ["", "places", "keys", "places keys"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_a_layer_of_an_encoder_where_nothing_is_learnt(norm_first: bool, masks: str) -> None:
    """One op of torch, which is no op through torch here."""
    layer = nn.TransformerEncoderLayer(
        6, 2, 5, batch_first=True, norm_first=norm_first, activation="gelu" if norm_first else "relu"
    ).eval()
    given = {
        "src_mask": torch.ones(5, 5, dtype=torch.bool).triu(1) if "places" in masks else None,
        "src_key_padding_mask": torch.arange(5) >= torch.tensor([[5], [3]]) if "keys" in masks else None,
    }
    x = torch.randn(2, 5, 6)
    with torch.no_grad():
        close(compiled(layer)(x, **given), layer(x, **given))
        if not masks:
            close(bridge.from_torch(torch.export.export(layer, (x,)), opaque=False)(x), layer(x))


def test_numbers_that_are_reckoned_from_open_lengths() -> None:
    def reckoned(x: Any) -> Any:
        n, m = x.shape
        whole = math.floor(n / 3) + math.ceil(m * 0.4) + math.trunc(n / 2) + abs(n - 100)
        bits = (n << 1) + (n >> 1) + (n ^ m)
        return x.sum() * (math.sqrt(n) + math.cos(m)) + whole, x.sum() + torch.sym_sum([n, m, bits])

    fast = compiled(reckoned, dynamic=True)
    for n in (5, 7):
        close(fast(torch.ones(n, n + 2)), reckoned(torch.ones(n, n + 2)))


def test_windows_along_an_axis_that_is_left_open() -> None:
    fast = compiled(lambda x: x.unfold(1, 3, 2))
    for n in (8, 11):
        x = torch.randn(2, n, 3)
        torch._dynamo.mark_dynamic(x, 1)
        close(fast(x), x.unfold(1, 3, 2))


RESIZED: dict[str, Any] = {
    "smooth and shorter": lambda x: F.interpolate(x, (4, 3), mode="bilinear", antialias=True),
    "smooth and longer": lambda x: F.interpolate(x, (11, 4), mode="bicubic", antialias=True),
    "smooth by corners": lambda x: F.interpolate(
        x, (3, 12), mode="bicubic", antialias=True, align_corners=True
    ),
    "smooth by a scale": lambda x: F.interpolate(x, scale_factor=0.6, mode="bilinear", antialias=True),
    "largest of parts": lambda x: F.adaptive_max_pool2d(x, (4, 3)),
    "largest of parts of rows": lambda x: F.adaptive_max_pool1d(x[0], 4),
    "largest of parts and places": lambda x: F.adaptive_max_pool3d(x, (2, 3, 9), return_indices=True)[0],
}


class Function(nn.Module):
    """A module that calls a function."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(x)


@pytest.mark.parametrize("name", RESIZED)
def test_resizing_and_its_gradient(name: str) -> None:
    resize, x = RESIZED[name], torch.randn(2, 3, 9, 7)
    module = Function(resize)
    close(compiled(module)(x), module(x))
    close(gradients(compiled(module), x), gradients(module, x))


def test_places_of_the_largest_of_parts() -> None:
    """The first of equal elements, as torch has it."""
    x = torch.tensor([[[1.0, 5, 5, 2, 5], [5, 1, 1, 7, 7]]])
    largest = lambda x: F.adaptive_max_pool2d(x, (1, 3), return_indices=True)
    close(compiled(largest)(x), largest(x))


@pytest.mark.parametrize("axis", [0, 2])
def test_a_weight_of_a_norm_and_its_gradient(axis: int) -> None:
    module = torch.nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 3, 2), dim=axis)
    x = torch.randn(2, 4, 5)
    close(gradients(compiled(module), x), gradients(module, x))


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_distances_and_their_gradient(p: float) -> None:
    """A distance of 0 has the gradient 0."""
    module, x = Function(lambda x: torch.cdist(x, x.detach().flip(0), p)), torch.randn(2, 5, 3)
    x[1, 2] = x[0, 3]
    close(gradients(compiled(module), x), gradients(module, x))


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("beyond", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_places_of_a_grid_and_their_gradients(mode: str, beyond: str, corners: bool) -> None:
    """The gradient in the images counts the grid as given, also where it is made of the images."""

    def sample(x: Any) -> Any:
        flat = F.grid_sample(x[:, :3], x[:, 3:5].movedim(1, -1), mode, beyond, corners)
        deep = F.grid_sample(x[:, None], x[:, None, :3].movedim(2, -1), mode, beyond, corners)
        return flat.sum(1) + deep.sum((1, 2))

    module, x = Function(sample), torch.randn(2, 5, 4, 3)
    close(gradients(compiled(module), x), gradients(module, x))
    module = Function(lambda x: F.grid_sample(x, x.detach()[:, :2].movedim(1, -1), mode, beyond, corners))
    close(gradients(compiled(module), x), gradients(module, x))
