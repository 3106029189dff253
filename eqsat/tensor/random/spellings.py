"""The spellings of older programs: the size comes first, and the number of parallel streams is taken and ignored."""

from __future__ import annotations

from typing import Any

from eqsat.tensor.random.stream import RandomStream


class RandomStreams:
    """The stream of older programs: ``size`` comes first, and ``nstreams`` is taken and ignored.

    >>> RandomStreams(3).normal((2, 2), avg=1.0, std=0.1).type
    <TensorType(float64, (2, 2))>
    """

    def __init__(self, seed: int | None = 12345, use_cuda: Any = None) -> None:
        self.stream = RandomStream(seed)

    def __repr__(self) -> str:
        return repr(self.stream).replace("RandomStream", "RandomStreams", 1)

    def __getattr__(self, name: str) -> Any:
        if name == "stream":
            raise AttributeError(name)
        return getattr(self.stream, name)

    def uniform(
        self,
        size: Any = None,
        low: Any = 0.0,
        high: Any = 1.0,
        ndim: Any = None,
        dtype: Any = None,
        nstreams: Any = None,
    ) -> Any:
        """Numbers from low up to but without high."""
        return self.stream.uniform(low, high, size, ndim, dtype)

    def normal(
        self,
        size: Any = None,
        avg: Any = 0.0,
        std: Any = 1.0,
        ndim: Any = None,
        dtype: Any = None,
        nstreams: Any = None,
    ) -> Any:
        """Numbers of the normal distribution."""
        return self.stream.normal(avg, std, size, ndim, dtype)

    def binomial(
        self,
        size: Any = None,
        n: Any = 1,
        p: Any = 0.5,
        ndim: Any = None,
        dtype: Any = "int64",
        nstreams: Any = None,
        prob: Any = None,
    ) -> Any:
        """Number of successes in n trials."""
        return self.stream.binomial(n, p if prob is None else prob, size, ndim, dtype)

    def multinomial(
        self,
        size: Any = None,
        n: Any = 1,
        pvals: Any = None,
        ndim: Any = None,
        dtype: Any = "int64",
        nstreams: Any = None,
    ) -> Any:
        """Counts of each category in n draws."""
        return self.stream.multinomial(n, pvals, size, ndim, dtype)

    def random_integers(
        self,
        size: Any = None,
        low: Any = 0,
        high: Any = 1,
        ndim: Any = None,
        dtype: Any = "int64",
        nstreams: Any = None,
    ) -> Any:
        """Integers from low up to and with high."""
        return self.stream.random_integers(low, high, size, ndim, dtype)

    def choice(
        self,
        size: Any = None,
        a: Any = 2,
        replace: bool = True,
        p: Any = None,
        ndim: Any = None,
        dtype: Any = "int64",
        nstreams: Any = None,
    ) -> Any:
        """Elements drawn with or without putting them back."""
        return self.stream.choice(a, size, replace, p, ndim, dtype)

    def permutation(self, size: Any = None, n: Any = 1, ndim: Any = None, dtype: Any = "int64") -> Any:
        """The integers below n in random order, once for each element of the size."""
        return self.stream.permutation(n, size, ndim, dtype)


MRG_RandomStreams = RandomStreams
