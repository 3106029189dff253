"""Graphs of torch through eqsat give what torch gives: ops, gradients, compiled modules, exported programs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
from eqsat.bridges.translate import Refused
from eqsat.errors import ArgumentError, EqsatWarning
from eqsat.graph.walk import toposort

torch = pytest.importorskip("torch")
bridge: Any = pytest.importorskip("eqsat.bridges.torch")
from tests.bridges.through_torch import REFERENCE, close, compiled, fresh, gradients  # noqa: E402, F401

nn, F = torch.nn, torch.nn.functional


M, V, W = torch.randn(4, 4), torch.randn(6), torch.randn(2, 5, 3)
D, C = torch.randn(6, dtype=torch.float64), torch.randn(6, dtype=torch.complex64)
I, J = torch.tensor([3, -1, 2, -7, 0]), torch.tensor([2, 2, -3, 3, 1], dtype=torch.int32)
P, B = torch.tensor([3, 1, 0, 2, 3]), torch.tensor([True, False, True, True, False])
U = torch.tensor([7, 200, 0, 1, 31], dtype=torch.uint8)

FUNCTIONS: dict[str, Callable[[], Any]] = {
    "elements": lambda: (torch.log1p(torch.exp(V)), torch.tanh(V) ** 3, torch.rsqrt(V**2), torch.erf(D)),
    "activations": lambda: [f(V) for f in (F.gelu, F.silu, F.elu, F.softplus, F.hardswish, F.mish, F.selu)],
    "dtypes that are promoted": lambda: (V + D[0], I + 1.5, I + J, U + I, B + U, V * True, D * I.sum(), I / J),
    "integers": lambda: (
        torch.div(I, J, rounding_mode="floor"),
        torch.div(I, J, rounding_mode="trunc"),
        I % J,
        torch.fmod(I, J),
        I & J,
        ~U,
        U << 1,
        torch.gcd(I, J),
        torch.lcm(I, J),
    ),
    "truth": lambda: (B + ~B, B & (I > J), B.sum(), B.any(), torch.logical_xor(I, B), (V > 0).all()),
    "conversions": lambda: (V.to(torch.int8), I.to(torch.bool), V.double(), B.float(), C.real, C.abs(), C.angle()),
    "choices": lambda: (
        torch.where(V > 0, V, 0),
        V.clamp(-1, 0.5),
        V.clamp(max=V.mean()),
        V.masked_fill(V < 0, 7.0),
    ),
    "not a number": lambda: (
        torch.sign(V / 0 * 0),
        torch.maximum(V, V * float("nan")),
        torch.nan_to_num(V / 0),
        (V * float("nan")).sum().isnan(),
    ),
    "views": lambda: (
        W.permute(2, 0, 1),
        W.reshape(5, -1),
        W[:, 1:4:2, None],
        W.transpose(0, 2).reshape(3, 10).t(),
        W.flatten(1).unsqueeze(0).expand(3, -1, -1),
        W.diagonal(0, 0, 1),
        W.unfold(1, 3, 2),
    ),
    "views by strides": lambda: (V.as_strided((2, 3), (1, 2)), W.transpose(0, 1).as_strided((4, 2), (7, 3), 1)),
    "parts that are joined": lambda: (
        torch.cat([V, I]),
        torch.stack([V, V], 1),
        W.split(2, 1),
        W.chunk(2, 1),
        W.unbind(1),
        V.repeat(2, 2),
        V.roll(2),
        V.flip(0),
    ),
    "padding": lambda: (
        F.pad(V, (1, 2), value=3.0),
        F.pad(V, (-1, 2)),
        F.pad(W, (1, 1), mode="reflect"),
        F.pad(W, (2, 1), mode="circular"),
    ),
    "new tensors": lambda: (
        torch.arange(2, 9, 3) + I[:3],
        torch.arange(0.5, 2, 0.5) * V[:3],
        torch.full_like(I, 4),
        torch.eye(4) @ M,
        torch.linspace(0, 1, 6) + V,
        M.tril(-1),
    ),
    "reductions": lambda: (
        W.sum(1),
        I.sum(),
        W.mean((0, 2), keepdim=True),
        W.amax((1, 2)),
        W.prod(2),
        W.var(1),
        W.std((0, 1), correction=0),
        W.norm(),
    ),
    "extremes with places": lambda: (W.max(1), W.min(2, keepdim=True), W.argmax(), W.median(1), W.argmin(0)),
    "running": lambda: (V.cumsum(0), I.cumprod(0), V.cummax(0), W.logcumsumexp(1)),
    "counts": lambda: (
        torch.histc(V, 5),
        torch.histc(V, 4, -1, 1),
        torch.histc(V * 0 + 3, 3),
        torch.histc(P.float(), 4, 0, 4),
    ),
    "sorting": lambda: (P.sort(stable=True), W.sort(1, descending=True), P.topk(3).values, W.kthvalue(2, 1)),
    "indices": lambda: (M[P], W[:, P], W[P % 2, :, P % 3], V.index_select(0, P), V.take(P)),
    "gather and scatter": lambda: (
        M.gather(1, P[:4, None]),
        M.scatter(0, P[None, :4], 5.0),
        V.scatter_add(0, P, V[:5]),
        V.scatter_reduce(0, P, V[:5], "amax", include_self=False),
        V.scatter_reduce(0, P, V[:5], "mean"),
        V.index_add(0, P, V[:5], alpha=2),
    ),
    "places that are written": lambda: (
        V.index_put((P,), V[:5], accumulate=True),
        M.select_scatter(V[:4], 0, 1),
        V.slice_scatter(V[:2], 0, 1, 5, 2),
        M.clone().fill_diagonal_(0),
    ),
    "embedding": lambda: (F.embedding(P, M), F.one_hot(P, 4)),
    "products": lambda: (
        M @ V[:4],
        torch.einsum("bij,kj->bik", W, W[0]),
        torch.addmm(M, M, M, beta=0.5, alpha=2),
        torch.bmm(W, W.mT),
        I @ I,
        torch.outer(V, V),
        torch.cdist(W, W),
    ),
    "softmax": lambda: (W.softmax(1), W.log_softmax(-1), W.logsumexp(2), F.normalize(W)),
    "attention": lambda: F.scaled_dot_product_attention(W, W, W, is_causal=True),
    "norms": lambda: (
        F.layer_norm(W, (3,), V[:3], V[3:]),
        F.group_norm(M[None], 2, V[:4], V[:4]),
        F.batch_norm(W, V[:5], V[:5] ** 2, V[1:], V[1:]),
        F.instance_norm(W),
        F.rms_norm(W, (3,)),
    ),
    "losses": lambda: (
        F.cross_entropy(M, P[:4], label_smoothing=0.1),
        F.nll_loss(M, P[:4], weight=V[:4].abs(), ignore_index=1),
        F.mse_loss(V, V * 2),
        F.binary_cross_entropy_with_logits(V, V.sigmoid()),
        F.huber_loss(V, -V),
        F.kl_div(M.log_softmax(1), M.softmax(1)),
    ),
    "pools": lambda: (
        F.max_pool2d(W, 2, 1, return_indices=True),
        F.max_pool2d(M[None], 3, 2, 1, ceil_mode=True),
        F.max_pool2d(M[None], 2, 1, dilation=2),
        F.avg_pool2d(M[None], 3, 2, 1, ceil_mode=True, count_include_pad=False),
        F.adaptive_avg_pool2d(W, (3, 2)),
    ),
    "sizes": lambda: (
        F.interpolate(M[None, None], scale_factor=1.5),
        F.interpolate(M[None, None], (6, 3), mode="bilinear", align_corners=True),
        F.interpolate(M[None, None], (6, 3), mode="bicubic"),
        F.pixel_shuffle(M.reshape(4, 2, 2), 2),
    ),
    "matrices": lambda: (
        torch.linalg.cholesky(M @ M.T + torch.eye(4)),
        torch.linalg.solve(M, M[:, :2]),
        torch.linalg.inv(M),
        torch.linalg.slogdet(M),
        torch.linalg.svdvals(M),
        torch.linalg.eigvalsh(M + M.T),
    ),
    "transforms": lambda: (
        torch.fft.fft(V, norm="ortho"), torch.fft.ifft(C), torch.fft.rfftn(W), torch.fft.irfft(C, n=9), torch.fft.irfft2(W + 1j, dim=(1, 0)),
        torch.fft.fft(D), torch.fft.hfft(C), torch.fft.rfftfreq(5, 0.1), torch.stft(V.repeat(4), 8, 3, window=torch.hann_window(8), return_complex=True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_torch(name: str) -> None:
    """Tensors of the module are inputs of the graph, so that nothing is known of them."""
    close(compiled(FUNCTIONS[name])(), FUNCTIONS[name]())


class Block(nn.Module):
    """A block of a transformer with causal attention."""

    def __init__(self, width: int = 8, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Any) -> Any:
        b, n, d = x.shape
        q, k, v = (z.view(b, n, self.heads, -1).transpose(1, 2) for z in self.qkv(self.first(x)).chunk(3, -1))
        mask = torch.ones(n, n, dtype=torch.bool).tril()
        weights = (q @ k.mT / (d // self.heads) ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(b, n, d))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Recurrent(nn.Module):
    """Steps of an LSTM cell."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)

    def forward(self, x: Any) -> Any:
        h = c = torch.zeros(x.shape[0], 4)
        for k in range(x.shape[1]):
            h, c = self.cell(x[:, k], (h, c))
        return h


class Twice(nn.Module):
    """A module of two operands, which are the same here."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: Any) -> Any:
        return self.module(x, x)


NETWORKS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "perceptron": (lambda: nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 3)), (4, 5)),
    "convolutions": (
        lambda: nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(3, 2, 1), nn.Conv2d(4, 4, 3, 2, groups=2),
            nn.ConvTranspose2d(4, 2, 3, 2, 1, output_padding=1), nn.AvgPool2d(2, ceil_mode=True), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(8, 3),
        ),
        (2, 2, 12, 10),
    ),
    "transformer": (Block, (2, 5, 8)),
    "recurrent": (Recurrent, (2, 3, 3)),
    "products of three": (lambda: Twice(nn.Bilinear(5, 5, 3)), (2, 4, 5)),
    "embedding of softmax": (lambda: nn.Sequential(nn.Conv1d(3, 4, 2, dilation=2), nn.Softmax(1), nn.GroupNorm(2, 4)), (2, 3, 7)),
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_networks_and_their_gradients(name: str, dynamic: bool) -> None:
    make, shape = NETWORKS[name]
    module, x = make(), torch.randn(shape)
    options = {**REFERENCE, "opaque": dynamic}  # pools need lengths that are known
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if dynamic else "error", EqsatWarning)
        fast = torch.compile(module, backend="eqsat", fullgraph=True, dynamic=dynamic, options=options)
        close(gradients(fast, x), gradients(module, x))
        with torch.no_grad():
            close(fast(x), module(x))


@pytest.mark.c
@pytest.mark.parametrize("heads", [4, 2])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_and_its_gradient(heads: int, masked: bool) -> None:
    """The gradient reads the logarithms of sums of the pass forward, which torch's decomposition does not give."""
    q, k, v = torch.randn(2, 4, 5, 6), torch.randn(2, heads, 7, 6), torch.randn(2, heads, 7, 6)
    mask = (torch.rand(5, 7) > 0.4) & (torch.arange(5) != 2)[:, None] if masked else None

    def gradient(attend: Any) -> list[Any]:
        given = [x.clone().requires_grad_() for x in (q, k, v)]
        made = attend(*given)
        (made**2).sum().backward()
        return [made, *(x.grad for x in given)]

    def attend(q: Any, k: Any, v: Any) -> Any:
        return F.scaled_dot_product_attention(q, k, v, mask, is_causal=not masked, enable_gqa=True)

    close(gradient(compiled(attend)), gradient(attend))


@pytest.mark.parametrize("form", ["rows", "columns", "batch"])
@pytest.mark.parametrize("name", ["det", "slogdet", "solve", "lu_solve"])
def test_factors_are_those_that_the_gradient_takes(name: str, form: str) -> None:
    """Of a matrix whose rows lie in memory one by one torch factors the transpose, and its gradients count on that."""
    a, b = torch.randn(4, 4, dtype=torch.float64), torch.randn(2, 4, 2, dtype=torch.float64)
    a = {"rows": a, "columns": a.T, "batch": torch.stack([a, a.T.exp()])}[form]
    b = b if form == "batch" else b[0]
    functions = {
        "det": torch.linalg.det,
        "slogdet": lambda a: torch.linalg.slogdet(a)[1],
        "solve": lambda a: torch.linalg.solve(a, b) ** 2,
        "lu_solve": lambda a: torch.linalg.lu_solve(
            *torch.linalg.lu_factor(a), b.mT, left=False, adjoint=True
        ),
    }
    options = {"opaque": name == "lu_solve"}

    def gradient(f: Any) -> Any:
        given = a.detach().clone(memory_format=torch.preserve_format).requires_grad_()
        f(given).sum().backward()
        return given.grad

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        close(gradient(compiled(functions[name], **options)), gradient(functions[name]))


def test_a_training_step_in_c() -> None:
    module, x = Block(), torch.randn(2, 5, 8)
    close(gradients(torch.compile(module, backend="eqsat", fullgraph=True), x), gradients(module, x))


def test_buffers_that_change_and_tensors_that_are_written_to() -> None:
    modules = [nn.BatchNorm1d(3) for _ in range(2)]
    x = torch.randn(5, 3)
    close(compiled(modules[0])(x), modules[1](x))
    close(modules[0].state_dict(), modules[1].state_dict())

    def grown(x: Any) -> Any:
        x.add_(1)
        x[0].mul_(2)
        return x.view(-1)[1:]

    a, b = x.clone(), x.clone()
    close(compiled(grown)(a), grown(b))
    close(a, b)


def test_one_graph_for_many_lengths() -> None:
    f = torch.compile(
        lambda x: (x[1:] * x.shape[0]).softmax(0).reshape(-1),
        backend="eqsat",
        dynamic=True,
        options=REFERENCE,
    )
    for n in (3, 6, 9):
        x = torch.randn(n, 2)
        close(f(x), (x[1:] * n).softmax(0).reshape(-1))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


def test_ops_without_an_entry_run_through_torch_and_are_named_once() -> None:
    twice = lambda x: torch.linalg.matrix_exp(torch.linalg.matrix_exp(x))
    f = torch.compile(twice, backend="eqsat", options={"mode": "reference"})
    with pytest.warns(EqsatWarning, match=r"torch: aten.linalg_matrix_exp.default \(it has no entry\)"):
        found = f(M / 9)
    close(found, twice(M / 9))
    with pytest.raises(Exception, match=r"linalg_matrix_exp.default: it has no entry"):
        compiled(lambda x: torch.linalg.matrix_exp(x).abs())(M)


def test_dropout_draws_through_torch() -> None:
    layer = nn.Dropout(0.5)
    with pytest.warns(EqsatWarning, match=r"aten\.\w+\.\w+ \(it draws from torch's generator\)"):
        found = torch.compile(layer, backend="eqsat", options={"mode": "reference"})(torch.ones(1000))
    assert set(found.tolist()) == {0.0, 2.0} and 400 < (found > 0).sum() < 600
    with pytest.raises(Exception, match=r"it draws from torch's generator"):
        compiled(layer)(V)
    assert torch.equal(compiled(layer.eval())(V), V)


def test_a_dtype_that_is_not_here_runs_through_torch() -> None:
    f = lambda x: (x.bfloat16().sin() * 2).float()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EqsatWarning)
        assert torch.equal(torch.compile(f, backend="eqsat", options={"mode": "reference"})(V), f(V))


def test_an_exported_program_is_variables_and_a_function() -> None:
    module, x = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh()), torch.randn(5, 3)
    length = torch.export.Dim("n", min=2)
    graph = bridge.from_torch(torch.export.export(module, (x,), dynamic_shapes=({0: length},)), opaque=False)
    (given,), (made,) = graph
    assert given.type.shape == (None, 3) and made.type.shape == (None, 4)
    assert set(graph.shared) == {*module.state_dict()} and len(graph.updates) == 3
    np.testing.assert_array_equal(graph.shared["0.weight"].get_value(), module[0].weight.detach())
    f, y = graph.function(mode="reference"), torch.randn(7, 3)
    close(f(y), module(y))
    close(torch.from_numpy(graph.shared["1.running_mean"].get_value()), module[1].running_mean)
    slope = eqsat.grad(made.sum(), graph.shared["0.bias"]).eval({given: y.numpy()})
    module(y).sum().backward()
    np.testing.assert_allclose(slope, module[0].bias.grad, atol=1e-4)


class Tree(nn.Module):
    """Results in a tree, and an argument that is a number."""

    def forward(self, x: Any, pair: dict[str, Any], power: int = 2) -> Any:
        return {"y": x**power + pair["a"], "many": [x, pair["b"].sum(), 3]}


def test_trees_of_arguments_and_results() -> None:
    pair = {"a": torch.ones(6), "b": I}
    graph = bridge.from_torch(torch.export.export(Tree(), (V, pair), {"power": 3}))
    found = graph(V, pair, power=3)
    close(found["y"], V**3 + 1)
    assert found["many"][2] == 3 and found["many"][1] == I.sum()
    with pytest.raises(ArgumentError, match="the arguments have the structure"):
        graph(V)
    program = torch.export.export(Tree(), (V, pair))
    assert len(eqsat.bridges.from_torch(program).inputs) == 3


def test_what_is_refused_has_a_name() -> None:
    class Unique(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.ops.aten._unique2(x)[0]

    with pytest.raises(
        Refused, match=r"_unique2\.default: the number of elements is known at run time alone"
    ):
        bridge.from_torch(torch.export.export(Unique(), (I,)), opaque=False)
    with pytest.raises(ArgumentError, match="a tensor of the graph is on meta"):
        bridge.from_torch(torch.export.export(nn.Tanh(), (torch.empty(3, device="meta"),)))


def test_coverage_is_read_from_the_table() -> None:
    rows = dict(line.split(maxsplit=1) for line in bridge.coverage().splitlines()[2:])
    assert rows["aten.convolution_backward.default"] == "entry"
    assert rows["aten._pdist_forward.default"] == "through torch"


def test_modules_are_scopes() -> None:
    """Each module that is called is a scope within that of its caller; the root has none."""

    class Block(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

        def forward(self, v: Any) -> Any:
            return torch.sin(self.attention(v))

    class Net(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([Block(), Block()])

        def forward(self, v: Any) -> Any:
            for layer in self.layers:
                v = layer(v)
            return torch.exp(v)

    graph = bridge.from_torch(torch.export.export(Net(), (torch.randn(2, 4),)))
    by_op = {(str(n.op), v.scope) for n in toposort(graph.outputs) for v in n.outputs}
    for k in (0, 1):
        assert {("tanh", f"layers.{k}/attention/1"), ("sin", f"layers.{k}")} <= by_op
    assert ("exp", "") in by_op
