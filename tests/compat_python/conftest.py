"""Data of the tests: points, strengths, modes and targets."""

import numpy as np
import pytest

POINTS, TARGETS = 200, 120


class Data:
    """Random data of one precision, for up to three dimensions."""

    def __init__(self, dtype):
        random = np.random.default_rng(3)
        real = np.float32 if dtype == "complex64" else np.float64
        self.dtype = np.dtype(dtype)
        self.real = np.dtype(real)
        self.tolerance = 1e-5 if real is np.float32 else 1e-10
        self.n_modes = (12, 9, 10)
        self.points = list(random.uniform(-9, 9, (3, POINTS)).astype(real))
        self.targets = list(random.uniform(-6, 6, (3, TARGETS)).astype(real))
        self._random = random

    def complex(self, *shape):
        return (self._random.normal(size=shape) + 1j * self._random.normal(size=shape)).astype(self.dtype)


@pytest.fixture(params=["complex64", "complex128"])
def data(request):
    return Data(request.param)


@pytest.fixture
def double():
    return Data("complex128")
