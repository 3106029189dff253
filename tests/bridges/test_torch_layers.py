"""Layers of torch, and lengths that it leaves open, through eqsat."""

from __future__ import annotations

import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")
bridge: Any = pytest.importorskip("eqsat.bridges.torch")
from tests.bridges.through_torch import close, compiled, gradients  # noqa: E402

nn, F = torch.nn, torch.nn.functional


@pytest.fixture(autouse=True)
def _fresh() -> None:
    """Draws from a known seed, and no graph that another test compiled."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


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
