"""Steps of random programs by the form of kernel that they lead to; names in braces are filled in by ``parts/kernels.py``.

``{a}``, ``{b}`` are values of one shape, ``{k}`` broadcasts with them, ``{u}`` is any value; ``{few}`` are at most 40 rows of a
value, ``{start}`` a row to begin a loop with, ``{v9}`` indices of rows, ``{w}`` a matrix that the last axis meets, ``{bias}`` a
vector that follows it, ``{filters}`` filters for an image, ``{square}`` a matrix.
"""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, ...]] = {
    "elementwise": (
        "T.exp({a})", "T.tanh({a})", "T.sqr({a})", "T.log1p(T.abs({a}))", "T.erf({a})", "T.sin({a}) * 2", "{a} * {b}", "{a} - {b}", "{a} + {k}", "{a} * {k}", "{a} / (1 + T.sqr({b}))",
        "T.maximum({a}, {b})", "T.switch(T.gt({a}, {b}), {a}, {k})", "T.sigmoid({a} - {k})", "T.softplus({a})", "{a} // ({b} + 7)", "{a} % 5", "{a} > {k}", "T.cast({a} * 3, 'int32')", "T.clip({a}, -1, 1)", "abs({a}) ** 1.5",
        "T.isnan({a}) | T.isinf({b})", "{a}.real + {b}.imag", "T.cast({a}, 'float32') + {k}", "T.arctan2({a}, {b})", "~({a} > 0)", "T.minimum({a}, {k}) + T.maximum({k}, {b})", "T.expm1({a}) - T.log(T.abs({b}) + 2)",
    ),
    "rows": (
        "T.softmax({a}, -1)", "T.log_softmax({a}, {axis})", "{a} - {a}.mean(-1, keepdims=True)", "T.exp({a} - {a}.max(-1, keepdims=True))", "T.softmax({a} * {b}, -1).sum(0)", "T.logsumexp({a}, -1) * 2", "T.softmax({a}, -1).max(0) + {a}.sum(0)",
        "({a} - {a}.mean(-1, keepdims=True)) / T.sqrt({a}.var(-1, keepdims=True) + 1e-3)", "{a} / T.sqrt(T.sqr({a}).mean(-1, keepdims=True) + 1)", "T.cumsum(T.softmax({a}, -1), -1)", "(T.softmax({a}, -1) * T.log_softmax({b}, -1)).sum()",
        "{a} * T.softmax({b}, -1) + {a}.min(-1, keepdims=True)", "T.nnet.layer_normalization({a})", "T.softmax({a}, {axis}) - {b}", "{a} - T.logsumexp({a} + {b}, -1, keepdims=True)",
    ),
    "folds": (
        "{a}.sum({over}, keepdims=True)", "{a}.mean({over}, keepdims=True)", "{a}.var({over}, keepdims=True)", "{a}.max({over}, keepdims=True)", "{a}.min({over}, keepdims=True)", "T.logsumexp({a}, {over}, keepdims=True)",
        "T.sum({a} * {b}, {over}, keepdims=True)", "({a} > {k}).sum({over}, keepdims=True)", "T.any({a} > {b}, {over}, keepdims=True)", "T.all(T.isnan({a}), {over}, keepdims=True)", "T.prod(T.cos({a}), {over}, keepdims=True)",
        "T.argmax({a}, {axis}, keepdims=True)", "T.sum({a})", "T.argmin({a} * {b}, {axis})",
    ),
    "columns": (
        "{a}.sum(0)", "{a}.max(0, keepdims=True)", "T.sum({a} * {b}, 0, keepdims=True)", "{a} - {a}.mean(0, keepdims=True)", "{a} / (1 + T.sqr({a}).sum(0, keepdims=True))", "T.softmax({a}, 0)", "{a}.sum(0, keepdims=True) + {a}.min(0, keepdims=True)",
        "({a} - {a}.mean(0, keepdims=True)) / T.sqrt({a}.var(0, keepdims=True) + 1)", "T.softmax({a}, {mid}) * {b}", "T.softmax({a}, 0).sum(-1)", "T.log_softmax({a} * 2, 0) + {b}", "T.logsumexp({a}, 0) - {b}.max(0)", "T.softmax({a}.T, -1).T + {b}",
        "T.sum(T.exp({a}), 0) * {a}.max(0)", "{a}.any(0, keepdims=True)", "T.argmax({a}, 0)", "{a}.T.sum(-1).T", "{a}.mean({mid}, keepdims=True)", "{a} - {a}.max({mid}, keepdims=True)",
    ),
    "pieces": (
        "{a}[::-1]", "{a}[..., ::-1]", "T.roll({a}, 2, {axis})", "T.concatenate([{a}[1:], {b}[:1]])", "T.concatenate([{a}[::2], {b}[1::2]])", "T.concatenate([{a}[..., 1:], {b}[..., :1]], -1)", "T.set_subtensor({a}[1:], {b}[1:] * 2)",
        "T.inc_subtensor({a}[..., ::2], 0.5)", "T.set_subtensor({a}[0], {b}[-1])", "T.pad({a}, 1)[(slice(1, -1),) * {a}.ndim]", "T.set_subtensor(T.zeros_like({a})[1:-1], {a}[2:] - {a}[:-2])", "T.inc_subtensor({a}[1:-1], {b}[2:])",
        "T.concatenate([{a}, {b}, {a}])", "T.concatenate([T.exp({a}), {b} * 2], -1).sum(-1)", "T.stack([{a}, {b}], {axis}).max({axis})", "{a}[1:] - {a}[:-1]", "T.inc_subtensor(T.set_subtensor({a}[..., 0], 1)[..., -1], {b}[..., 0])",
        "T.stack([{a}, {b} * 2])", "T.tile({a}, 2)", "T.set_subtensor({a}[-2:], {b}[:2])", "T.diff({a}, axis={axis})", "T.set_subtensor({a}[::-1], {b})", "{a}.T * {b}.T", "{a}.flatten()[1:]", "{a}[..., :1] + {b}", "{a}.reshape((-1, 1)) * 2", "T.repeat({a}, 2, {axis})",
    ),
    "picks": (
        "{a}[{v9}]", "T.exp({a}[{v9}]) + {b}", "({a}[{v9}] * {b}).sum(-1)", "{a}[{v9}, ..., 0] * 2", "T.take({a}, {v9}, 0)[::-1]", "{a}[{v9}[::-1]] - {b}[{v9}]", "({a}[{v9}] - {a}).sum(0)", "{a}[{v9}[0]]", "T.softmax({a}[{v9}], -1)",
        "{a}[T.argmax({a}, 0)]", "{a}[{a} > 0] * 2", "{a}[{v9} % 2]", "T.set_subtensor({a}[{v9}], 0.5)", "T.sort({a}, {axis})", "{a}[T.argsort({a}.flatten()[:{a}.shape[0]])]", "T.take_along_axis({a}, T.argsort({a}, 0), 0)",
    ),
    "scatters": (
        "T.inc_subtensor({a}[{v9}], {b})", "T.inc_subtensor(T.zeros_like({a})[{v9}], {b}[{v9}])", "T.inc_subtensor(T.zeros_like({a})[{v9}], T.exp({a}) * {k})", "T.inc_subtensor({a}[{v9}], 1)", "T.inc_subtensor(T.zeros_like({a})[{v9}, ..., 0], {b}[..., 0])",
        "T.grad(T.sum(T.sqr({a}[{v9}])), {a})", "T.set_subtensor({a}[{v9}], {b}) + {b}", "T.inc_subtensor({a}[{v9}], {b}).sum(0)", "T.bincount(T.abs({v9}))", "T.inc_subtensor(T.set_subtensor({a}[{v9}], 0)[{v9}], {b})",
    ),
    "nests": (
        "(({a}[:, None] - {b}[None]) * {b}[None]).sum(1)", "T.exp(-T.sqr({a}[:, None] - {b}[None]).sum(-1)).sum(1)", "T.abs({a}[:, None] - {b}[None]).sum(-1).min(0)", "T.max({a}[:, None] * {b}[None], 1)", "T.tanh({a}[:, None] + {b}[None]).mean(0)",
        "({a}[:, None] - {b}[None]).max(1) + ({a}[:, None] - {b}[None]).sum(1)", "T.sum({a}[:, None] > {b}[None], 1)", "T.argmin(T.sqr({a}[:, None] - {b}[None]).sum(-1), 1)", "(1 / (1 + T.sqr({a}[..., :, None] - {b}[..., None, :]))).sum(-1)",
        "(({a}[:, None] - {b}[None]) / (0.1 + T.sqr({a}[:, None] - {b}[None]).sum(-1, keepdims=True))).sum(1)", "({a}[:, None] * {b}[None]).sum((0, -1))", "T.sum({a}[:, None] * {b}[None] + {k}, 0)", "T.logsumexp({a}[:, None] - {b}[None], 1)",
        "T.outer({a}.sum(-1), {b}.flatten()[:9])", "T.prod(1 + 0.01 * ({a}[:, None] - {b}[None]), 1)",
    ),
    "products": (
        "T.dot(T.dot({a}, {b}.T), {a}) / {size}", "T.dot(T.softmax(T.dot({a}, {b}.T), 1), {b})", "T.dot({a}, {b}[0])", "T.dot({a}.T, {b})", "T.batched_dot({a}, {b})", "T.einsum('i...,i...->...', {a}, {b})", "T.tensordot({a}, {b}, [[0], [0]])",
        "T.matmul({a}, T.swapaxes({b}, -1, -2))", "T.einsum('...i,...i->...', {a}, {b})", "T.outer({a}.sum(-1), {b}.sum(-1))", "T.dot({a}, {w})", "T.dot({square}, {a})", "T.matmul({square}, {a}) - {b}", "T.dot({a}[::-1], {w}) * 2", "T.einsum('ij,kj->ik', {a}, {b})[::-1]",
    ),
    "epilogues": (
        "T.nnet.relu(T.dot({a}, {w}) + {bias})", "T.dot({square}, {a}) * 0.5 + {a}", "T.softmax(T.dot({a}, {w}) + {bias}, -1)", "T.tanh(T.dot({a}, {w})).sum(0)", "T.maximum(T.dot({a}.T, {b}), 0)", "T.sigmoid(T.dot({a}, {b}.T)) - 1", "T.dot(T.nnet.relu(T.dot({a}, {w})), {w}.T) + {a}",
        "T.grad(T.sum(T.nnet.relu(T.dot({a}, {w}) + {bias})), {w})", "T.dot(T.exp({a}), {w}) + T.dot({b}, {w})", "T.sqr(T.dot({a}, {w}) - {bias}).mean(-1)", "T.dot(T.softmax({a}, -1).T, {b})", "T.dot(T.softmax({a}, -1), {w})", "T.dot({a} - {a}.mean(-1, keepdims=True), {w}).sum(0)", "T.nnet.relu(T.dot({a}, {w}) + {bias} + T.dot({b}, {w}))", "T.dot(T.tanh(T.dot({a}, {w}) + {bias}).T, {a})",
    ),
    "convolutions": (
        "T.nnet.conv2d({a4}, {filters}, border_mode='half')", "T.nnet.relu(T.nnet.conv2d({a4}, {filters}, border_mode=1) + 0.5)", "T.nnet.conv2d({a4}, {filters}, subsample=(2, 1))", "T.signal.pool.pool_2d(T.nnet.relu(T.nnet.conv2d({a4}, {filters}, border_mode='full')), (2, 2), ignore_border=True)",
        "T.grad(T.sum(T.tanh(T.nnet.conv2d({a4}, {filters}, border_mode='half'))), {filters})", "T.grad(T.sum(T.nnet.conv2d({a4}, {filters}) * 2), {a4})", "T.nnet.conv2d({a4}, {filters}, border_mode='half', filter_flip=False) + {a4}.sum(1, keepdims=True)", "T.nnet.conv2d({a4}, {filters}, border_mode='half').mean((2, 3))", "T.nnet.relu(T.nnet.conv2d({a4}, {deep}, border_mode='half', num_groups={groups}) + {a4})", "T.signal.pool.pool_2d(T.nnet.relu(T.nnet.conv2d({a4}, {deep}, border_mode='half', num_groups={groups}) * 0.5 + 1), (2, 2), stride=(1, 1), ignore_border=True)", "T.nnet.sigmoid(T.nnet.conv2d({a4}, {filters}, subsample=(2, 2), border_mode=1)).sum((0, 2, 3))",
        "T.nnet.conv2d({a4}, {deep}, border_mode='half', num_groups={groups})", "T.nnet.conv2d({a4}, {filters}, filter_dilation=(1, 2), border_mode='half')", "T.nnet.conv2d({a4}, {deep}, border_mode='half', num_groups={groups}) * {a4} + 1",
    ),
    "pooling": (
        "T.signal.pool.pool_2d({a}, (2, 2), ignore_border=True)", "T.signal.pool.pool_2d({a}, (2, 3), ignore_border=False)", "T.signal.pool.pool_2d({a}, (3, 2), stride=(1, 1), ignore_border=True, mode='sum')", "T.signal.pool.pool_2d(T.exp({a}), (2, 2), ignore_border=True, mode='average_inc_pad') * 2",
        "T.signal.pool.pool_2d({a}, (3, 3), stride=(1, 2), pad=(1, 1), ignore_border=True, mode='average_exc_pad')", "T.grad(T.sum(T.sqr(T.signal.pool.pool_2d({a}, (2, 2), ignore_border=True))), {a})", "T.grad(T.sum(T.sqr(T.signal.pool.pool_2d({a}, (2, 2), stride=(1, 1), ignore_border=True, mode='sum'))), {a})",
    ),
    "running": (
        "T.cumsum({a}, {axis})", "T.cumprod(T.cos({a}), {axis})", "T.cumsum({a} * {b}, 0)[::-1]", "T.cumsum({a}[::-1], 0)[::-1] - {b}", "T.cumsum(T.exp(-T.sqr({a})), -1) / 3", "T.cumsum({a}.T, -1)", "T.cumsum({a}, {axis}) * T.cumsum({b}, {axis})",
    ),
    "loops": (
        "eqsat.scan(lambda r, h: 0.5 * h + r, {few}, {start})[0]", "eqsat.scan(lambda r, h: T.tanh(h) + r * {k0}, {few}, {start})[0]", "eqsat.scan(lambda r, h: T.maximum(h, r) - 0.1, {few}, {start})[0][-1]", "eqsat.scan(lambda r, h: T.switch(r > h, r, h * 0.5), {few}, {start}, go_backwards=True)[0]",
        "eqsat.scan(lambda r, h, g: (h * 0.5 + r, T.sin(g) - h), {few}, [{start}, {start}])[0]", "eqsat.scan(lambda r, h, g: (h * g + r, g * 0.5), {few}, [{start}, {start} * 2])[0][1][-1]", "eqsat.scan(lambda r, h, g: r + 0.6 * g - 0.3 * h, {few}, [dict(initial={a}[:2], taps=[-2, -1])])[0]",
        "eqsat.scan(lambda r, q, h: h * 0.3 + r * q, [{few}, {few}[::-1]], {start})[0]", "eqsat.scan(lambda r: T.exp(r) / (1 + T.exp(r).sum()), {few})[0]", "eqsat.scan(lambda r, h: h * 0.9 + T.softmax(r, -1), {few}, {start})[0]", "eqsat.scan(lambda h: h * 0.5 + {k0}, outputs_info={start}, n_steps=7)[0]",
        "eqsat.scan(lambda r, h: (h * 0.5 + r, eqsat.until(h.sum() > 3)), {few}, {start})[0]", "eqsat.scan(lambda i, h: h * 0.5 + {a}[i], {v9}[:9], {start})[0]",
        "T.grad(T.sum(T.sqr(eqsat.scan(lambda r, h: T.tanh(h) + r, {few}, {start})[0])), {a})", "T.grad(T.sum(eqsat.scan(lambda r, h: h * 0.5 + T.sin(r) * h, {few}, {start})[0][-1]), {a})", "eqsat.scan(lambda r, h: T.dot(h, {square_last}) * 0.1 + r, {few}, {start})[0]",
        "eqsat.scan(lambda r, h: T.concatenate([h[1:], h[:1]]) + r, {few}, {start})[0]", "T.grad(T.sum(eqsat.scan(lambda r, h: T.inc_subtensor(h[0], r[-1]) * 0.5, {few}, {start})[0]), {a})", "eqsat.scan(lambda h: h * 1.5, outputs_info={a}, n_steps=3)[0].sum(0)",
    ),
    "loops in loops": (
        "eqsat.scan(lambda r, h: h + eqsat.scan(lambda q, g: g * 0.5 + q, r, T.zeros_like(r[0]))[0][-1], {few}, {start})[0]", "eqsat.scan(lambda r: eqsat.scan(lambda q, g: T.tanh(g) + q, {few}, r * 0)[0][-1] + r, {few}[:5])[0]",
        "eqsat.scan(lambda h: eqsat.scan(lambda q, g: g * 0.5 + q, {few}[:4], h)[0][-1], outputs_info={start}, n_steps=3)[0]", "T.grad(T.sum(eqsat.scan(lambda r: eqsat.scan(lambda q, g: g * 0.5 + q, {few}[:3], r)[0][-1] * r, {few}[:5])[0]), {a})",
    ),
    "registers": (
        "eqsat.scan(lambda r, h: T.stack([h[1] * 0.5 + r.sum(), -h[0], h[2] * 0.9]), {few}, T.ones(3))[0]", "eqsat.scan(lambda h: h + 0.1 * T.stack([h[1], -h[0]]), outputs_info=T.stack([{a}.sum() * 0.01, 1.0]), n_steps=12)[0]",
        "eqsat.scan(lambda r, h: T.dot(np.array([[0.5, 0.2], [-0.2, 0.5]]), h) + r.mean(), {few}, T.zeros(2))[0][-1]", "eqsat.scan(lambda r, s, i: (s - 0.1 * s * i + r.mean(), i + 0.1 * s * i - 0.2 * i), {few}, [T.constant(1.0), T.constant(0.1)])[0]",
        "T.grad(T.sum(T.sqr(eqsat.scan(lambda r, h: T.stack([h[1] * 0.5 + T.sin(r).sum(), -h[0]]), {few}, T.ones(2))[0])), {a})", "eqsat.scan(lambda r, p, q: 0.5 * q - 0.3 * p + r.sum(), {few}, [dict(initial=T.zeros(2), taps=[-2, -1])])[0]",
    ),
    "gradients": (
        'T.grad(T.sum(T.tanh({u})), v0, disconnected_inputs="ignore")', 'T.grad(T.sum(T.sqr({u} - 0.5)), v0, disconnected_inputs="ignore")', 'T.grad(T.sum(T.sin({u})), v1, disconnected_inputs="ignore")', 'T.grad(T.sum(T.softplus({u})) * T.mean({u}), v0, disconnected_inputs="ignore")',
    ),
}  # fmt: skip
