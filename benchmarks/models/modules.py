"""Networks as torch's users write them, with random weights: residual, depthwise, and transformers for images and text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F


class Residual(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(after), nn.BatchNorm2d(after)])
        around = nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
        self.around = nn.Sequential(*around) if stride > 1 or before != after else nn.Identity()

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.norms[0](self.first(x)))
        return torch.relu(self.norms[1](self.second(y)) + self.around(x))


def resnet() -> nn.Module:
    """ResNet-18: He, Zhang, Ren & Sun 2016."""
    layers: list[nn.Module] = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    before = 64
    for after in (64, 128, 256, 512):
        layers += [Residual(before, after, 1 if after == 64 else 2), Residual(after, after, 1)]
        before = after
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


class Inverted(nn.Module):
    """A depthwise convolution between two of single pixels."""

    def __init__(self, before: int, after: int, stride: int, wider: int) -> None:
        super().__init__()
        inner = before * wider
        layers: list[nn.Module] = []
        if wider > 1:
            layers += [nn.Conv2d(before, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU6()]
        layers += [
            nn.Conv2d(inner, inner, 3, stride, 1, groups=inner, bias=False),
            nn.BatchNorm2d(inner),
            nn.ReLU6(),
        ]
        self.layers = nn.Sequential(*layers, nn.Conv2d(inner, after, 1, bias=False), nn.BatchNorm2d(after))
        self.around = stride == 1 and before == after

    def forward(self, x: Any) -> Any:
        return x + self.layers(x) if self.around else self.layers(x)


STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


def mobilenet() -> nn.Module:
    """MobileNetV2: Sandler, Howard, Zhu, Zhmoginov & Chen 2018."""
    layers: list[nn.Module] = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6()]
    before = 32
    for wider, after, count, stride in STAGES:
        for k in range(count):
            layers.append(Inverted(before, after, stride if k == 0 else 1, wider))
            before = after
    layers += [nn.Conv2d(320, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.ReLU6()]
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(1280, 1000)
    )


class Attention(nn.Module):
    """Attention of several heads, over what came before or over all."""

    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Any) -> Any:
        b, n, d = x.shape
        q, k, v = (z.view(b, n, self.heads, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(b, n, d))


class Layer(nn.Module):
    """A layer of a transformer; norms stand before its parts, or behind as in BERT."""

    def __init__(self, width: int, heads: int, causal: bool = False, behind: bool = False) -> None:
        super().__init__()
        self.behind = behind
        self.attention = Attention(width, heads, causal)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        approximate = "tanh" if causal else "none"  # as GPT-2 and BERT have it
        self.wide = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate), nn.Linear(4 * width, width)
        )

    def forward(self, x: Any) -> Any:
        if self.behind:
            x = self.norms[0](x + self.attention(x))
            return self.norms[1](x + self.wide(x))
        x = x + self.attention(self.norms[0](x))
        return x + self.wide(self.norms[1](x))


class Vision(nn.Module):
    """ViT-Ti/16: Dosovitskiy et al. 2021."""

    def __init__(self, width: int = 192, layers: int = 12, heads: int = 3) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.first = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.places = nn.Parameter(torch.randn(1, 197, width) * 0.02)
        self.layers = nn.Sequential(*(Layer(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.norm(self.layers(x))[:, 0])


class Text(nn.Module):
    """BERT's encoder, with the vector of its first word: Devlin, Chang, Lee & Toutanova 2019; GPT-2's decoder, causal."""

    def __init__(self, causal: bool, words: int = 8000, width: int = 256, layers: int = 12) -> None:
        super().__init__()
        self.causal = causal
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(512, width)
        self.kinds = nn.Embedding(2, width)
        self.layers = nn.Sequential(*(Layer(width, 4, causal, not causal) for _ in range(layers)))
        self.norm, self.pooled = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, words: Any) -> Any:
        x = self.words(words) + self.places(torch.arange(words.shape[1], device=words.device))
        if self.causal:
            return self.norm(self.layers(x)) @ self.words.weight.T
        return torch.tanh(self.pooled(self.layers(self.norm(x + self.kinds.weight[0]))[:, 0]))


def image() -> Any:
    """A batch of one picture."""
    return torch.randn(1, 3, 224, 224)


def sentence() -> Any:
    """A batch of one text."""
    return torch.randint(0, 8000, (1, 128))


MODELS: dict[str, tuple[Callable[[], nn.Module], Callable[[], Any]]] = {
    "resnet": (resnet, image),
    "mobilenet": (mobilenet, image),
    "vit": (Vision, image),
    "bert": (lambda: Text(causal=False), sentence),
    "gpt2": (lambda: Text(causal=True), sentence),
}


def drawn(name: str) -> tuple[nn.Module, Any]:
    """A network for inference and an input, the same in every process; running means and variances are not the first ones."""
    torch.manual_seed(0)
    make, given = MODELS[name]
    module = make()
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    return module.eval(), given()
