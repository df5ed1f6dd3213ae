"""Direct sums in numpy, what the transforms are compared with. Shapes and axes in numpy's order."""

import numpy as np


def frequencies(n, order="centred"):
    k = np.arange(n) - n // 2
    return k if order == "centred" else np.fft.ifftshift(k)


def waves(points, shape, sign, order):
    """exp(sign i k x) for each axis, (n, M)."""
    return [np.exp(1j * sign * np.outer(frequencies(n, order), x.astype(float))) for n, x in zip(shape, points)]


def type1(points, strengths, shape, sign=-1, order="centred"):
    letters = "abc"[: len(shape)]
    spec = ",".join(["...j"] + [f"{a}j" for a in letters]) + "->..." + letters
    return np.einsum(spec, strengths, *waves(points, shape, sign, order), optimize=True)


def type2(points, modes, sign=1, order="centred"):
    letters = "abc"[: len(points)]
    spec = ",".join(["..." + letters] + [f"{a}j" for a in letters]) + "->...j"
    shape = modes.shape[modes.ndim - len(points):]
    return np.einsum(spec, modes, *waves(points, shape, sign, order), optimize=True)


def type3(points, strengths, targets, sign=1):
    """The adjoint is the same with points and targets exchanged, and the opposite sign."""
    phase = sum(np.outer(s.astype(float), x.astype(float)) for x, s in zip(points, targets))
    return strengths @ np.exp(1j * sign * phase).T


def random_complex(random, shape, dtype="complex128"):
    return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)


def random_points(random, dim, count, dtype="float64"):
    return tuple(random.uniform(-np.pi, np.pi, count).astype(dtype) for _ in range(dim))


def error(found, expected):
    """Relative l2; of nothing, or of zeros, the size of what was found."""
    size = np.linalg.norm(expected)
    return np.linalg.norm(np.asarray(found) - expected) / (size or 1)
