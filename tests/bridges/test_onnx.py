"""Models of ONNX on eqsat: ops against ONNX's reference implementation, shapes at run time, branches, loops, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, parser  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

import eqsat  # noqa: E402
import eqsat.tensor as T  # noqa: E402
from eqsat.bridges.onnx import EqsatBackend, coverage, from_onnx  # noqa: E402
from eqsat.bridges.translate import Refused  # noqa: E402
from eqsat.errors import ArgumentError, EqsatWarning  # noqa: E402
from eqsat.graph.walk import toposort  # noqa: E402

DICE = np.random.default_rng(0)


def model(text: str, opset: int = 21) -> Any:
    """A model in ONNX's own text syntax."""
    return parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]> agraph {text}')


def check(text: str, *arrays: Any, opset: int = 21, mode: str = "reference", rtol: float = 1e-5) -> list[Any]:
    """Compile a model, and compare its results with those of ONNX."""
    proto = model(text, opset)
    translated = from_onnx(proto, opaque=False)
    found = translated.function(mode=mode)(*arrays)
    given = dict(zip(translated.names, arrays, strict=True))
    for ours, theirs in zip(found, ReferenceEvaluator(proto).run(None, given), strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == np.shape(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=1e-6)
    return found


def normal(*shape: int, dtype: str = "float32") -> Any:
    return DICE.normal(size=shape).astype(dtype)


CASES: dict[str, tuple[str, tuple[Any, ...]]] = {
    "elementwise": (
        "(float[3,4] x, float[4] y) => (float[3,4] z) { a = Exp(x) b = Add(a, y) c = Tanh(b) z = Selu(c) }",
        (normal(3, 4), normal(4)),
    ),
    "integers are divided towards zero": (
        "(int64[4] x, int64[4] y) => (int64[4] q, int64[4] r) { q = Div(x, y) r = Mod(x, y) }",
        (np.array([7, -7, 7, -7]), np.array([2, 2, -2, -2])),
    ),
    "clip": (
        "(float[5] x, float l, float h) => (float[5] z) { z = Clip(x, l, h) }",
        (normal(5), np.float32(0.5), np.float32(-0.5)),
    ),
    "tiles, some axes of which stay": (
        "(float[2,3,1] x) => (a, b, c) { r = Constant<value_ints=[1, 1, 4]>() s = Constant<value_ints=[3, 1, 2]>()"
        " t = Constant<value_ints=[1, 0, 2]>() a = Tile(x, r) b = Tile(x, s) c = Tile(x, t) }",
        (normal(2, 3, 1),),
    ),
    "tiles of a number that comes": (
        "(float[2,N,1] x, int64[3] r) => (z) { z = Tile(x, r) }",
        (normal(2, 3, 1), np.array([2, 1, 3])),
    ),
    "places of a grid": (
        "(float[2,3,4,5] x, float[2,2,3,2] g) => (a, b, c) { a = GridSample(x, g)"
        ' b = GridSample<mode="nearest", padding_mode="border">(x, g)'
        ' c = GridSample<padding_mode="reflection", align_corners=1>(x, g) }',
        (normal(2, 3, 4, 5), normal(2, 2, 3, 2)),
    ),
    "gemm": (
        "(float[3,2] x, float[3,4] y, float[4] b) => (float[2,4] z) { z = Gemm<transA=1, alpha=0.5>(x, y, b) }",
        (normal(3, 2), normal(3, 4), normal(4)),
    ),
    "transforms": (
        "(float[1,8,1] x) => (float[1,8,2] y, float[1,a,2] h, float[1,8,2] b) { k = Constant<value_int=6>() y = DFT(x) h = DFT<onesided=1>(x, k) b = DFT<inverse=1>(y) }",
        (normal(1, 8, 1),),
    ),
    "softmax": ("(float[2,3,4] x) => (float[2,3,4] z) { z = Softmax<axis=1>(x) }", (normal(2, 3, 4),)),
    "a length that the model does not know": (
        "(float[n,3] x) => (float[m] z) { s = Shape<start=0, end=1>(x) o = Constant<value_ints=[3]>() t = Mul(s, o) z = Reshape(x, t) }",
        (normal(5, 3),),
    ),
    "reshape by an operand": (
        "(float[2,3,4] x, int64[3] s) => (float[a,b,c] z) { z = Reshape(x, s) }",
        (normal(2, 3, 4), np.array([0, -1, 2])),
    ),
    "sum over an operand": (
        "(float[2,3,4] x, int64[1] a) => (float[i,j,k] z) { z = ReduceSum(x, a) }",
        (normal(2, 3, 4), np.array([-2])),
    ),
    "least of none": (
        "(float[0,3] x, int64[1] a) => (float[1,3] z) { z = ReduceMin(x, a) }",
        (normal(0, 3), np.array([0])),
    ),
    "slice by operands": (
        "(float[6,5] x, int64[2] s, int64[2] e, int64[2] a, int64[2] k) => (float[i,j] z) { z = Slice(x, s, e, a, k) }",
        (normal(6, 5), np.array([-1, 1]), np.array([0, 99]), np.array([1, 0]), np.array([-2, 2])),
    ),
    "gather and scatter": (
        "(float[4,3] x, int64[2,3] i, float[2,3] y) => (float[2,3] a, float[4,3] b)"
        " { a = GatherElements<axis=0>(x, i) b = ScatterElements<axis=0>(x, i, y) }",
        (normal(4, 3), np.array([[0, -1, 2], [3, 1, 0]]), normal(2, 3)),
    ),
    "joined where an index occurs again": (
        "(float[4] x, int64[3,1] i, float[3] y) => (float[4] a, float[4] b)"
        ' { a = ScatterND<reduction="mul">(x, i, y) j = Constant<value_ints=[2,2,0]>() b = ScatterElements<reduction="max">(x, j, y) }',
        (normal(4), np.array([[1], [3], [1]]), normal(3)),
    ),
    "top k": (
        "(float[3,6] x, int64[1] k) => (float[3,n] v, int64[3,n] i) { v, i = TopK<axis=1>(x, k) }",
        (np.round(normal(3, 6)), np.array([4])),
    ),
    "convolution": (
        "(float[1,4,9] x, float[6,2,3] w, float[6] b) => (float[1,6,m] z)"
        " { z = Conv<group=2, strides=[2], pads=[2,1], dilations=[2]>(x, w, b) }",
        (normal(1, 4, 9), normal(6, 2, 3), normal(6)),
    ),
    "transposed convolution": (
        "(float[1,2,4,5] x, float[2,3,3,2] w) => (float[1,3,h,v] z)"
        " { z = ConvTranspose<strides=[2,3], pads=[1,0,0,1], output_padding=[1,2]>(x, w) }",
        (normal(1, 2, 4, 5), normal(2, 3, 3, 2)),
    ),
    "largest of windows": (
        "(float[1,2,8] x) => (float[1,2,m] z, int64[1,2,m] i)"
        " { z, i = MaxPool<kernel_shape=[3], strides=[2], pads=[1,0], ceil_mode=1, dilations=[1]>(x) }",
        (normal(1, 2, 8),),
    ),
    "mean of windows": (
        "(float[1,2,7,8] x) => (float[1,2,h,w] z)"
        " { z = AveragePool<kernel_shape=[3,2], strides=[2,3], pads=[0,1,2,0], ceil_mode=1>(x) }",
        (normal(1, 2, 7, 8),),
    ),
    "layer normalisation": (
        "(float[2,3,4] x, float[4] s, float[4] b) => (float[2,3,4] z) { z = LayerNormalization(x, s, b) }",
        (normal(2, 3, 4), normal(4), normal(4)),
    ),
    "resize": (
        "(float[1,1,4,5] x, float[4] s) => (float[1,1,h,w] z)"
        ' { z = Resize<mode="cubic", coordinate_transformation_mode="align_corners">(x, , s) }',
        (normal(1, 1, 4, 5), np.array([1, 1, 1.7, 0.8], "float32")),
    ),
    "recurrent": (
        "(float[4,2,3] x, float[2,20,3] w, float[2,20,5] r) => (float[4,2,2,5] y, float[2,2,5] h)"
        ' { y, h = LSTM<hidden_size=5, direction="bidirectional">(x, w, r) }',
        (normal(4, 2, 3), normal(2, 20, 3), normal(2, 20, 5)),
    ),
    "one branch": (
        "(float[3] x, bool c) => (float[3] z)"
        " { z = If(c) <then_branch = a () => (float[3] p) { p = Exp(x) }, else_branch = b () => (float[3] q) { q = Neg(x) }> }",
        (normal(3), np.array(False)),
    ),
    "loop": (
        "(float[2] x, int64 n) => (float[2] y, float[k,2] ys) { t = Constant<value_int=1>() c = Cast<to=9>(t)"
        " y, ys = Loop(n, c, x) <body = step (int64 i, bool go, float[2] s) => (bool on, float[2] u, float[2] v)"
        " { f = Cast<to=1>(i) u = Add(s, f) v = Mul(u, x) h = Constant<value_float=5.0>() m = ReduceMax<keepdims=0>(u) on = Less(m, h) }> }",
        (np.array([0.0, 1.0], "float32"), np.array(9)),
    ),
    "scan": (
        "(float[3] s, float[2,3] x) => (float[3] y, float[2,3] z) { y, z = Scan<num_scan_inputs=1,"
        " body = step (float[3] a, float[3] b) => (float[3] u, float[3] v) { u = Add(a, b) v = Identity(u) }>(s, x) }",
        (normal(3), normal(2, 3)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("text, arrays", CASES.values(), ids=CASES)
def test_values_are_those_of_onnx(text: str, arrays: tuple[Any, ...]) -> None:
    check(text, *arrays)


def test_padding_below_zero_cuts() -> None:
    proto = model("(float[4,5] x, int64[4] p) => (float[i,j] z) { z = Pad(x, p) }")
    x = normal(4, 5)
    (found,) = from_onnx(proto, opaque=False).function(mode="reference")(x, np.array([1, -2, 0, 3]))
    assert found.tolist() == np.pad(x[:, 2:], [(1, 0), (0, 3)]).tolist()


@pytest.mark.c
def recurrent(op: str, gates: int, counts: Any, **attributes: Any) -> tuple[Any, dict[str, Any]]:
    """A model of a layer in two directions, and its operands."""
    shapes = {"x": (4, 2, 3), "w": (2, 5 * gates, 3), "r": (2, 5 * gates, 5), "b": (2, 10 * gates)}
    given = {name: normal(*shape) for name, shape in shapes.items()} | {"n": counts}
    given["h"] = normal(2, 2, 5)
    if op == "LSTM":
        given |= {"c": normal(2, 2, 5), "p": normal(2, 15)}
    infos = [
        helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
        for k, v in given.items()
    ]
    names = ["y", "last", "cell"][: 3 if op == "LSTM" else 2]
    node = helper.make_node(op, list(given), names, hidden_size=5, direction="bidirectional", **attributes)
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names]
    graph = helper.make_graph([node], "layer", infos, results)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), given


LAYERS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "peepholes": ("LSTM", 4, {}),
    "gates that are cut off": ("LSTM", 4, {"clip": 0.3}),
    "input and forget gates in one": ("LSTM", 4, {"input_forget": 1}),
    "states that are cut off": ("GRU", 3, {"clip": 0.3, "linear_before_reset": 1}),
    "functions with numbers": (
        "RNN", 1, {"activations": ["LeakyRelu", "Affine"], "activation_alpha": [0.2, 0.5], "activation_beta": [0.3]}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_recurrent_layers_over_sequences_of_different_lengths(name: str) -> None:
    """Values are those of onnxruntime; ONNX's reference implementation reads neither the lengths nor the bound."""
    runtime = pytest.importorskip("onnxruntime")
    op, gates, attributes = LAYERS[name]
    proto, given = recurrent(op, gates, np.array([4, 2], "int32"), **attributes)
    wanted = runtime.InferenceSession(proto.SerializeToString()).run(None, given)
    found = from_onnx(proto, opaque=False).function(mode="reference")(*given.values())
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def doubled(trips: str) -> Any:
    """A model that doubles a number until it is 100 or more, with a name for the largest number of steps."""
    return model(
        f"(float x, int64 n) => (float y) <bool c = {{1}}> {{ y = Loop({trips}, c, x) <body = b (int64 i, bool k, float s) => (bool go, float t) "
        "{ two = Constant<value_float=2.0>() most = Constant<value_float=100.0>() t = Mul(s, two) go = Less(t, most) }> }"
    )


@pytest.mark.parametrize("trips", ["n", ""])
def test_a_loop_that_its_condition_ends(trips: str) -> None:
    """Exporters write the largest integer where a loop has no number of steps."""
    f = from_onnx(doubled(trips), opaque=False).function(mode="reference")
    most = np.int64(2**63 - 1)
    assert f(np.float32(1.5), most) == [192.0]
    assert f(np.float32(1.5), np.int64(0)) == [1.5 if trips else 192.0]


def test_a_sequence_that_a_loop_makes_is_made_by_onnx() -> None:
    proto = model(
        "(int64 n, float[2] x) => (float[k] y) <bool c = {1}> { e = SequenceEmpty() s = Loop(n, c, e) <body = b (int64 i, bool k, "
        "seq(float[2]) s) => (bool go, seq(float[2]) t) { go = Identity(k) t = SequenceInsert(s, x) }> y = ConcatFromSequence<axis=0>(s) }"
    )
    with pytest.warns(EqsatWarning, match=r"Loop \(a state that is a sequence\)"):
        f = from_onnx(proto).function(mode="reference")
    np.testing.assert_array_equal(f(np.int64(2), np.ones(2, "float32"))[0], np.ones(4))


def test_optional_values_that_are_there() -> None:
    proto = model(
        "(float[2] x) => (float[2] y, bool h) { o = Optional(x) h = OptionalHasElement(o) y = OptionalGetElement(o) }"
    )
    x = normal(2)
    y, there = from_onnx(proto, opaque=False).function(mode="reference")(x)
    assert there and np.array_equal(y, x)


def test_a_network_in_c() -> None:
    text = """(float[2,1,6,6] x, float[3,1,3,3] w, float[12,4] v, float[4] b) => (float[2,4] z) {
        c = Conv(x, w) r = Relu(c) p = MaxPool<kernel_shape=[2,2], strides=[2,2]>(r)
        f = Flatten(p) g = Gemm(f, v, b) z = LogSoftmax(g) }"""
    check(text, normal(2, 1, 6, 6), normal(3, 1, 3, 3), normal(12, 4), normal(4), mode="FAST_RUN", rtol=1e-4)


def test_attention_is_the_body_of_its_function() -> None:
    text = """(float[1,2,3,4] q, float[1,2,5,4] k, float[1,2,5,4] v) => (float[1,2,3,4] y) { y = Attention(q, k, v) }"""
    q, k, v = normal(1, 2, 3, 4), normal(1, 2, 5, 4), normal(1, 2, 5, 4)
    made = from_onnx(model(text, 23), opaque=False)
    assert made.counts["Attention"] == 1 and made.counts["Softmax"] == 1
    weights = np.exp(q @ k.swapaxes(-1, -2) / 2)
    (found,) = made.function(mode="reference")(q, k, v)
    np.testing.assert_allclose(found, weights / weights.sum(-1, keepdims=True) @ v, rtol=1e-4)


def test_results_of_a_body_that_are_left_out() -> None:
    text = """(float[1,2,3,4] q, float[1,2,5,4] k, float[1,2,5,4] v) => (float[1,2,3,4] y, float[1,2,3,5] m) { y, , , m = Attention(q, k, v) }"""
    q, k, v = normal(1, 2, 3, 4), normal(1, 2, 5, 4), normal(1, 2, 5, 4)
    _, scores = from_onnx(model(text, 23), opaque=False).function(mode="reference")(q, k, v)
    np.testing.assert_allclose(scores, q @ k.swapaxes(-1, -2) / 2, rtol=1e-4, atol=1e-6)


def test_bits_are_read_as_another_type() -> None:
    made = from_onnx(model("(float[3] x) => (int32[3] y) { y = BitCast<to=6>(x) }", 26), opaque=False)
    x = normal(3)
    assert made.function(mode="reference")(x)[0].tolist() == x.view("int32").tolist()
    with pytest.raises(Refused, match=r"BitCast \(y\): the bits of BOOL, UINT8"):
        from_onnx(model("(bool[3] x) => (uint8[3] y) { y = BitCast<to=2>(x) }", 26), opaque=False)


def test_half_precision_is_a_type_of_storage() -> None:
    text = "(float16[3] x, float16[3] y) => (float16[3] z, float[3] w) { z = Mul(x, y) w = Cast<to=1>(x) }"
    x, y = normal(3).astype("float16"), normal(3).astype("float16")
    z, w = from_onnx(model(text), opaque=False).function(mode="reference")(x, y)
    assert z.dtype == np.float16 and (z == x * y).all() and w.dtype == np.float32 and (w == x).all()


def test_an_op_without_an_entry_is_run_by_onnx_or_refused() -> None:
    proto = model("(float[4] x) => (float[4] y, float[m] u) { u = Unique(x) y = Exp(x) }")
    with pytest.warns(EqsatWarning, match=r"through onnx: Unique \(it has no entry\)"):
        made = from_onnx(proto)
    assert list(made.foreign) == ["Unique"]
    _, found = made.function(mode="reference")(np.array([3.0, 1.0, 3.0, 2.0], "float32"))
    assert found.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(Refused, match=r"Unique \(u\): it has no entry"):
        EqsatBackend.prepare(proto)


def test_what_is_refused_has_a_name() -> None:
    with pytest.raises(Refused, match="tensors of STRING"):
        from_onnx(model("(string[2] x) => (string[2] y) { y = Identity(x) }"))
    text = "(float[2,3] x, int64[n] a) => (float[m] y) { y = ReduceSum<keepdims=0>(x, a) }"
    with pytest.raises(Refused, match=r"ReduceSum \(y\): the number of axes is computed at run time"):
        from_onnx(model(text), opaque=False)
    made = from_onnx(model(text), constants={"a": np.array([0])}, opaque=False)
    assert made.function(mode="reference")(np.ones((2, 3), "float32"))[0].tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(ArgumentError, match="the model has no inputs b"):
        from_onnx(model(text), constants={"b": np.array([0])})


def test_inputs_by_name_and_gradients() -> None:
    made = from_onnx(
        model("(float[3] x, float[3] y) => (float z) { p = Mul(x, y) z = ReduceSum<keepdims=0>(p) }")
    )
    f = made.function(mode="reference")
    assert f(y=np.full(3, 2, "float32"), x=np.ones(3, "float32"))[0] == 6
    with pytest.raises(ArgumentError, match="the model's inputs y are missing"):
        f(np.ones(3, "float32"))
    x, y = made.inputs
    assert T.grad(made.outputs[0], x).eval(
        {x: np.ones(3, "float32"), y: np.arange(3, dtype="float32")}
    ).tolist() == [0, 1, 2]
    assert eqsat.bridges.from_onnx(model("(float[1] x) => (float[1] y) { y = Exp(x) }")).names == ["x"]


def test_a_path_with_a_function_of_its_own(tmp_path: Any) -> None:
    body = helper.make_function(
        "own",
        "Twice",
        ["a"],
        ["b"],
        [helper.make_node("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 21)],
    )
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Twice", ["x"], ["y"], domain="own")], "g", info[:1], info[1:]
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
    onnx.save(
        helper.make_model(graph, opset_imports=opsets, functions=[body], ir_version=10), tmp_path / "m.onnx"
    )
    x = normal(2)
    (found,) = from_onnx(tmp_path / "m.onnx", opaque=False).function(mode="reference")(x)
    assert (found == 2 * x).all()


def test_coverage_is_read_from_the_table() -> None:
    lines = coverage().splitlines()
    assert "ops of opset" in lines[0] and len(lines) > 180
    ways = dict(line.split() for line in lines[1:])
    assert ways["Conv"] == "entry" and ways["Attention"] == "body" and ways["StringConcat"] == "-"


def test_modules_in_the_names_of_nodes_are_scopes() -> None:
    proto = model("(float[3] x) => (float[3] z) { a = Exp(x) b = Tanh(a) z = Sin(b) }")
    for node, name in zip(proto.graph.node, ("/layers.3/attention/Exp", "Tanh_7", "/head/Sin"), strict=True):
        node.name = name
    found = {str(n.op): n.outputs[0].scope for n in toposort(from_onnx(proto).outputs)}
    assert found == {"exp": "layers.3/attention", "tanh": "", "sin": "head"}
