"""``theano.tests.unittest_tools``: what tests of older programs use."""

from __future__ import annotations

import functools
import sys
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np

import eqsat
from eqsat.frontends.theano.op_names import node_ops

SEED = 666


def fetch_seed(pseed: int | None = None) -> int:
    """The seed of tests: the one given, or always the same."""
    return SEED if pseed is None else pseed


def seed_rng(pseed: int | None = None) -> int:
    """Seed NumPy's global generator, and say with what."""
    seed = fetch_seed(pseed)
    np.random.seed(seed)
    return seed


def verify_grad(op: Any, pt: Any, n_tests: int = 2, rng: Any = None, *args: Any, **options: Any) -> None:
    """``eqsat.gradient.verify_grad`` with a generator of its own where none is given."""
    from eqsat.gradient import verify_grad as check

    check(op, pt, n_tests, np.random.default_rng(1) if rng is None else rng, *args, **options)


def attr(*tags: Any, **values: Any) -> Callable[[Any], Any]:
    """Mark a test; the marks have no effect."""
    return lambda test: test


class MockRandomState:
    """A generator that always gives one value."""

    def __init__(self, val: Any) -> None:
        self.val = val

    def rand(self, *shape: int) -> Any:
        """The value in a shape."""
        return np.zeros(shape, "float64") + self.val

    def randint(self, minval: int, maxval: int | None = None, size: Any = 1) -> Any:
        """The value in a size, above the lower bound."""
        return np.zeros(size, "int64") + self.val + (minval if maxval is not None else 0)


class TestOptimizationMixin:
    """Counts the ops of compiled functions; it is no test itself, those that mix it in are."""

    __test__ = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        others = [vars(c) for c in cls.__mro__ if c is not TestOptimizationMixin]
        cls.__test__ = next((own["__test__"] for own in others if "__test__" in own), True)

    def _count(self, f: Any, found: Callable[[Any], bool]) -> int:
        return sum(map(found, node_ops(f)))

    def assertFunctionContains(self, f: Any, op: Any, min: int = 1, max: int = sys.maxsize) -> None:
        """The op runs between ``min`` and ``max`` times."""
        assert min <= self._count(f, lambda own: own == op) <= max, (op, node_ops(f))

    def assertFunctionContains0(self, f: Any, op: Any) -> None:
        """The op does not run."""
        self.assertFunctionContains(f, op, 0, 0)

    def assertFunctionContains1(self, f: Any, op: Any) -> None:
        """The op runs once."""
        self.assertFunctionContains(f, op, 1, 1)

    def assertFunctionContainsN(self, f: Any, op: Any, N: int) -> None:
        """The op runs N times."""
        self.assertFunctionContains(f, op, N, N)

    def assertFunctionContainsClass(self, f: Any, op: Any, min: int = 1, max: int = sys.maxsize) -> None:
        """Ops of the class run between ``min`` and ``max`` times."""
        assert min <= self._count(f, lambda own: isinstance(own, op)) <= max, (op, node_ops(f))

    def assertFunctionContainsClassN(self, f: Any, op: Any, N: int) -> None:
        """Ops of the class run N times."""
        self.assertFunctionContainsClass(f, op, N, N)

    def SkipTest(self, msg: str = "skipped") -> None:
        """Skip the test."""
        raise unittest.SkipTest(msg)


class InferShapeTester(unittest.TestCase):
    """Compares the shapes that graphs say with those of computed values."""

    def setUp(self) -> None:
        seed_rng()

    def _compile_and_check(
        self,
        inputs: Any,
        outputs: Any,
        numeric_inputs: Any,
        cls: Any,
        excluding: Any = None,
        warn: Any = True,
        check_topo: Any = True,
    ) -> None:
        values = eqsat.function(inputs, outputs, on_unused_input="ignore")
        shapes = eqsat.function(inputs, [v.shape for v in outputs], on_unused_input="ignore")
        for value, shape in zip(values(*numeric_inputs), shapes(*numeric_inputs), strict=True):
            assert tuple(shape) == np.shape(value), (shape, np.shape(value))


class WrongValue(Exception):
    """A value that differs from what was expected."""

    def __init__(self, expected_val: Any, val: Any, rtol: Any, atol: Any) -> None:
        super().__init__(f"expected {expected_val}, got {val} (rtol={rtol}, atol={atol})")
        self.val1, self.val2, self.rtol, self.atol = expected_val, val, rtol, atol


def assert_allclose(expected: Any, value: Any, rtol: float | None = None, atol: float | None = None) -> None:
    """Raise WrongValue where two values differ by more than rounding of their dtype."""
    narrow = "float32" in (str(getattr(v, "dtype", "")) for v in (expected, value))
    near = 1e-5 if narrow else 1e-8
    if not np.allclose(expected, value, rtol or near, atol or near, equal_nan=True):
        raise WrongValue(expected, value, rtol, atol)


class AttemptManyTimes:
    """Runs a test of random numbers several times until it has passed often enough."""

    def __init__(self, n_attempts: int, n_req_successes: int = 1) -> None:
        self.n_attempts, self.n_req_successes = n_attempts, n_req_successes

    def __call__(self, test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def attempt(*args: Any, **options: Any) -> None:
            passed = 0
            for left in range(self.n_attempts, 0, -1):
                try:
                    test(*args, **options)
                except Exception:
                    if left == 1 or passed + left - 1 < self.n_req_successes:
                        raise
                    continue
                passed += 1
                if passed >= self.n_req_successes:
                    return

        return attempt


NAMES = {
    "seed_rng": seed_rng,
    "fetch_seed": fetch_seed,
    "verify_grad": verify_grad,
    "attr": attr,
    "SkipTest": unittest.SkipTest,
    "MockRandomState": MockRandomState,
    "TestOptimizationMixin": TestOptimizationMixin,
    "OptimizationTestMixin": TestOptimizationMixin,
    "InferShapeTester": InferShapeTester,
    "WrongValue": WrongValue,
    "assert_allclose": assert_allclose,
    "AttemptManyTimes": AttemptManyTimes,
    "assertFailure_fast": lambda test: test,
    "custom_name_func": None,
}
