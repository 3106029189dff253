"""Functions of neural networks, under the names of Theano's ``nnet``."""

from __future__ import annotations

from eqsat.base.names import late_names
from eqsat.graph.ops.elemwise import sigmoid, softplus
from eqsat.tensor.activation import elu, gelu, hard_sigmoid, relu, selu, silu, softsign, ultra_fast_sigmoid
from eqsat.tensor.nnet import abstract_conv, conv, neighbours
from eqsat.tensor.nnet.classes import confusion_matrix, h_softmax
from eqsat.tensor.nnet.convolution import (
    bilinear_kernel_1D,
    bilinear_upsampling,
    conv1d,
    conv2d,
    conv2d_grad_wrt_inputs,
    conv2d_grad_wrt_weights,
    conv2d_transpose,
    conv3d,
    conv3d_grad_wrt_inputs,
    conv3d_grad_wrt_weights,
    separable_conv2d,
)
from eqsat.tensor.nnet.losses import (
    binary_crossentropy,
    categorical_crossentropy,
    crossentropy_categorical_1hot,
    crossentropy_softmax_1hot,
    crossentropy_softmax_1hot_with_bias,
    crossentropy_softmax_max_and_argmax_1hot_with_bias,
    logsoftmax,
    sigmoid_binary_crossentropy,
    softmax,
    softmax_with_bias,
)
from eqsat.tensor.nnet.neighbours import images2neibs, neibs2images
from eqsat.tensor.nnet.normalisation import (
    batch_normalization,
    batch_normalization_test,
    batch_normalization_train,
    layer_normalization,
)

log_softmax, swish = logsoftmax, silu

__all__ = [
    "abstract_conv",
    "batch_normalization",
    "batch_normalization_test",
    "batch_normalization_train",
    "bilinear_kernel_1D",
    "bilinear_upsampling",
    "binary_crossentropy",
    "categorical_crossentropy",
    "confusion_matrix",
    "conv",
    "conv1d",
    "conv2d",
    "conv2d_grad_wrt_inputs",
    "conv2d_grad_wrt_weights",
    "conv2d_transpose",
    "conv3d",
    "conv3d_grad_wrt_inputs",
    "conv3d_grad_wrt_weights",
    "crossentropy_categorical_1hot",
    "crossentropy_softmax_1hot",
    "crossentropy_softmax_1hot_with_bias",
    "crossentropy_softmax_max_and_argmax_1hot_with_bias",
    "elu",
    "gelu",
    "h_softmax",
    "hard_sigmoid",
    "images2neibs",
    "layer_normalization",
    "log_softmax",
    "logsoftmax",
    "neibs2images",
    "neighbours",
    "relu",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_binary_crossentropy",
    "silu",
    "softmax",
    "softmax_with_bias",
    "softplus",
    "softsign",
    "swish",
    "ultra_fast_sigmoid",
]

late_names(__name__)
