"""The device of functions for CUDA: arrays on it, its memory and its stream.

Nothing is opened before it is needed: neither the driver nor cffi.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from eqsat.cgen.cuda.arrays import Array, arrays_here, asarray

__all__ = ["Array", "asarray", "large_products", "release_memory", "stream", "synchronize"]


def synchronize() -> None:
    """Wait until the device has done all that was asked of it.

    Errors   DeviceError where there is no device, or it fails
    """
    arrays_here().device.wait()


def release_memory() -> None:
    """Give back the memory of functions that are not being called, and what the pool keeps. Arrays stay.

    Errors   DeviceError where there is no device
    """
    arrays_here().device.release_idle()


def large_products() -> dict[str, int]:
    """The number of large products of matrices so far, by what did them: cuBLAS, with its version, or kernels of our own.

    Errors   DeviceError where there is no device

    >>> import eqsat, eqsat.cuda
    >>> with eqsat.config.change_flags(cuda_device="emulated"):
    ...     [*eqsat.cuda.large_products()]
    ['kernels of our own']
    """
    device = arrays_here().device
    found = {"kernels of our own": device.large_products(by_library=False)}
    if device.products is not None:
        found[f"cuBLAS {device.products.version}"] = device.large_products(by_library=True)
    return found


@contextmanager
def stream(handle: int) -> Iterator[None]:
    """Run functions on a stream of the driver inside a ``with`` block, such as that of ``torch.cuda.current_stream().cuda_stream``.

    What was begun on the stream before is done first, here and at the end.

    Errors   DeviceError where there is no device, or it fails
    """
    device = arrays_here().device
    before = device.stream
    device.use_stream(int(handle))
    try:
        yield
    finally:
        device.use_stream(before)
